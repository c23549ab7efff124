//! Which files a command line runs: the program, what its `#!` line names, and the script or module
//! that an interpreter is given. What a command only reads is none of them.
//!
//! Command lines are read as people write them. Where an option is not known, more is taken for a
//! script rather than less.

mod content;
mod script;

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};

use camino::{Utf8Path, Utf8PathBuf};

use super::programs::{find, searched};

pub use content::{digest, programs};

/// From where a command line runs.
#[derive(Debug, Clone, Copy)]
pub struct From<'a> {
    pub root: &'a Utf8Path,
    /// The working directory, relative to it.
    pub cwd: &'a Utf8Path,
    /// `PATH`, of which the relative directories do not count.
    pub search_path: Option<&'a OsStr>,
}

/// A program that runs another text. Names and options are separated by white space.
struct Interpreter {
    /// Its names, without a version behind them.
    names: &'static str,
    /// Options whose value is the text itself.
    inline: &'static str,
    /// Options whose value is a file that is run as well.
    loads: &'static str,
    /// Options whose value is something else.
    takes: &'static str,
    /// The option that names a module.
    module: &'static str,
    /// What may be left out at the end of a script's name.
    endings: &'static [&'static str],
    /// Its text is command lines, and `c` among its short options is `-c`.
    is_shell: bool,
}

/// An interpreter without options.
const PLAIN: Interpreter = Interpreter {
    names: "",
    inline: "",
    loads: "",
    takes: "",
    module: "",
    endings: &[""],
    is_shell: false,
};

const INTERPRETERS: [Interpreter; 7] = [
    Interpreter {
        names: "sh bash dash ash ksh mksh zsh fish",
        inline: "-c",
        loads: "--rcfile --init-file",
        takes: "-o +o -O +O",
        is_shell: true,
        ..PLAIN
    },
    Interpreter {
        names: "python pypy pythonw",
        inline: "-c",
        takes: "-W -X -Q --check-hash-based-pycs",
        module: "-m",
        ..PLAIN
    },
    Interpreter {
        names: "node nodejs deno bun tsx ts-node",
        inline: "-e --eval -p --print -pe",
        loads: "-r --require --import --loader --experimental-loader",
        takes: "-C --conditions",
        endings: &["", ".js", ".mjs", ".cjs", ".ts"],
        ..PLAIN
    },
    Interpreter {
        names: "ruby perl",
        inline: "-e -E",
        loads: "-r",
        takes: "-C -I",
        ..PLAIN
    },
    Interpreter {
        names: "php",
        inline: "-r",
        loads: "-f",
        takes: "-d -c",
        ..PLAIN
    },
    Interpreter {
        names: "awk gawk mawk sed",
        loads: "-f --file",
        // Without `-f` the text stands in the command line, and what follows is read.
        endings: &[],
        ..PLAIN
    },
    Interpreter {
        names: "lua luajit Rscript osascript tclsh java",
        inline: "-e",
        loads: "-jar",
        takes: "-l -cp -classpath --class-path",
        ..PLAIN
    },
];

/// A program that runs the command line behind its own arguments: its name; its options whose value
/// is the next word; and how many words of its own come before the command line, besides options
/// and their values. Such a word is no program, whatever the `PATH` has under its name.
type Wrapper = (&'static str, &'static str, usize);

const WRAPPERS: [Wrapper; 17] = [
    ("env", "-u --unset -C --chdir", 0),
    ("timeout", "-s --signal -k --kill-after", 1),
    ("nice", "-n --adjustment", 0),
    ("nohup", "", 0),
    ("stdbuf", "-i -o -e --input --output --error", 0),
    ("setsid", "", 0),
    ("time", "-f -o --format --output", 0),
    ("xargs", "-a -d -E -I -L -n -P -s", 0),
    ("sudo", "-C -D -g -h -p -R -r -T -t -U -u", 0),
    ("doas", "-C -u", 0),
    ("ionice", "-c --class -n --classdata", 0),
    ("chrt", "-T -P -D", 1),
    ("taskset", "", 1),
    ("unbuffer", "", 0),
    ("xvfb-run", "-e -f -n -p -s -w", 0),
    ("strace", "-a -b -e -E -I -o -O -p -P -s -S -u -X", 0),
    ("exec", "-a", 0),
];

/// Whether this is one of the words.
fn is_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|it| it == word)
}

/// Arguments with which `env` takes the `PATH` away.
const WITHOUT_PATH: [&str; 6] = [
    "-",
    "-i",
    "--ignore-environment",
    "-uPATH",
    "--unset=PATH",
    // Behind `-u`.
    "PATH",
];

/// How deep command lines are looked for in command lines. A kernel starts at most five scripts in
/// each other's place; each may go through `env`.
const DEPTH: usize = 12;

/// The files and directories that the command line runs, as far as they are there, in its order.
pub fn launched(argv: &[String], from: From<'_>) -> Vec<Utf8PathBuf> {
    let mut once = Vec::new();
    for path in found(argv, from).paths {
        if !once.contains(&path) {
            once.push(path);
        }
    }
    once
}

/// The programs that the command line names without a directory, and where the `PATH` has them.
pub fn looked_up(argv: &[String], from: From<'_>) -> BTreeMap<String, Utf8PathBuf> {
    found(argv, from).looked_up
}

/// What a command line runs.
#[derive(Default)]
struct Found {
    paths: Vec<Utf8PathBuf>,
    looked_up: BTreeMap<String, Utf8PathBuf>,
    /// Command lines that were followed, with their `PATH`, and how deep they could be.
    followed: HashMap<(Vec<String>, Option<OsString>), usize>,
}

impl Found {
    /// Whether a command line was not followed yet, or not as deep: a script that names itself
    /// several times would otherwise be followed without an end that anybody waits for.
    fn begins(&mut self, argv: &[&str], from: From<'_>, depth: usize) -> bool {
        let words = argv.iter().map(|word| (*word).to_owned()).collect();
        let path = from.search_path.map(OsStr::to_owned);
        let followed = self.followed.entry((words, path)).or_default();
        let begins = *followed < depth;
        *followed = depth.max(*followed);
        begins
    }
}

fn found(argv: &[String], from: From<'_>) -> Found {
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    let mut found = Found::default();
    command(&argv, from, DEPTH, &mut found);
    found
}

fn command(argv: &[&str], from: From<'_>, depth: usize, found: &mut Found) {
    let (Some((program, rest)), Some(depth)) = (argv.split_first(), depth.checked_sub(1)) else {
        return;
    };
    if !found.begins(argv, from, depth + 1) {
        return;
    }
    let paths = from.program(program);
    if let (Some(path), false) = (paths.first(), program.contains('/')) {
        found.looked_up.insert((*program).to_owned(), path.clone());
    }
    for path in paths {
        if let Some(words) = script::interpreter(&path) {
            let words = words.iter().map(String::as_str);
            let argv: Vec<&str> = words
                .chain([path.as_str()])
                .chain(rest.iter().copied())
                .collect();
            command(&argv, from, depth, found);
        }
        found.paths.push(path);
    }
    let name = family(program);
    if let Some(wrapper) = WRAPPERS.iter().find(|it| it.0 == name) {
        wrapped(*wrapper, rest, from, depth, found);
    } else if let Some(interpreter) = INTERPRETERS.iter().find(|it| is_of(it.names, name)) {
        script(interpreter, rest, from, depth, found);
    }
}

/// The command line behind a wrapper's own arguments, with the `PATH` that `env` gives it.
fn wrapped<'a>(
    wrapper: Wrapper,
    words: &[&'a str],
    mut from: From<'a>,
    depth: usize,
    found: &mut Found,
) {
    let (_, takes, mut own) = wrapper;
    let mut option = "";
    for (at, word) in words.iter().enumerate() {
        if let Some(text) = split_by_env(option, word) {
            let rest = words[at + 1..].iter().copied();
            let argv: Vec<&str> = text.split_whitespace().chain(rest).collect();
            if let Some(depth) = depth.checked_sub(1) {
                wrapped(wrapper, &argv, from, depth, found);
            }
            return;
        } else if let Some(path) = word.strip_prefix("PATH=") {
            from.search_path = Some(OsStr::new(path));
        } else if WITHOUT_PATH.contains(word) {
            from.search_path = None;
        } else if is_of(takes, option) {
            // The option's value.
        } else if word.contains(char::is_whitespace) {
            line(word, from, depth, found);
        } else if is_option(word) || word.contains('=') {
            // An option of its own, or a variable.
        } else if own > 0 {
            own -= 1;
        } else if !from.program(word).is_empty() {
            return command(&words[at..], from, depth, found);
        }
        option = word;
    }
}

/// The text of which `env` makes arguments: `-S TEXT`, or one word.
fn split_by_env<'a>(option: &str, word: &'a str) -> Option<&'a str> {
    if ["-S", "-vS", "--split-string"].contains(&option) {
        return Some(word);
    }
    let value = |option| word.strip_prefix(option).filter(|text| !text.is_empty());
    value("--split-string=").or_else(|| value("-S"))
}

/// The plain commands in a shell's line. What is more than plain is not followed.
fn line(text: &str, from: From<'_>, depth: usize, found: &mut Found) {
    for plain in text.split(['\n', ';', '&', '|', '(', ')']) {
        let words = plain.split_whitespace();
        let words: Vec<&str> = words.map(|word| word.trim_matches(['"', '\''])).collect();
        let start = words.iter().position(|word| !word.contains('='));
        command(&words[start.unwrap_or(words.len())..], from, depth, found);
    }
}

fn script(
    interpreter: &Interpreter,
    words: &[&str],
    from: From<'_>,
    depth: usize,
    found: &mut Found,
) {
    let is_shell = interpreter.is_shell;
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let short = word.starts_with('-') && !word.starts_with("--");
        if is_of(interpreter.inline, word) || is_shell && short && word.contains('c') {
            if is_shell {
                line(words.next().unwrap_or_default(), from, depth, found);
            }
            return;
        } else if is_of(interpreter.module, word) {
            found
                .paths
                .extend(module(words.next().unwrap_or_default(), from));
            return;
        } else if is_of(interpreter.loads, word) {
            found
                .paths
                .extend(from.there(words.next().unwrap_or_default(), &[""]));
        } else if is_of(interpreter.takes, word) {
            words.next();
        } else if is_option(word) {
            if let Some((_, value)) = word.split_once('=') {
                found.paths.extend(from.there(value, &[""]));
            }
        } else {
            let scripts = from.there(word, interpreter.endings);
            if !scripts.is_empty() {
                found.paths.extend(scripts);
                return;
            }
        }
    }
}

/// A Python module's file, or its package's directory, with what makes packages of those above.
fn module(name: &str, from: From<'_>) -> Vec<Utf8PathBuf> {
    let parts: Vec<&str> = name.split('.').collect();
    let mut found = Vec::new();
    for depth in 1..parts.len() {
        found.extend(from.there(&format!("{}/__init__.py", parts[..depth].join("/")), &[""]));
    }
    found.extend(from.there(&parts.join("/"), &["", ".py"]));
    found
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}

/// A program's name without directory and version: `python` for `/usr/bin/python3.12`.
fn family(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    let bare = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.' || it == '-');
    match bare {
        "" => name,
        bare => bare,
    }
}

impl From<'_> {
    /// Where a program lies: with a slash a path, from where it runs or from the root; else on the
    /// `PATH`.
    fn program(&self, name: &str) -> Vec<Utf8PathBuf> {
        match name.contains('/') {
            true => self.there(name, &[""]),
            false => {
                // What our children get, who look programs up by themselves.
                let searched = searched(self.search_path);
                let found = find(Some(searched.as_ref()), name);
                let found = found.and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
                found.into_iter().collect()
            }
        }
    }

    /// What is there of these names: a program is looked up from where it runs, an argument may
    /// mean either place, so both count.
    fn there(&self, name: &str, endings: &[&str]) -> Vec<Utf8PathBuf> {
        if name.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<Utf8PathBuf> = Vec::new();
        for base in [self.root.join(self.cwd), self.root.to_owned()] {
            let paths = endings.iter().map(|ending| {
                let path = base.join(format!("{name}{ending}"));
                // Without the `.` of `./judge`.
                path.components().collect::<Utf8PathBuf>()
            });
            found.extend(paths.filter(|path| path.is_file() || path.is_dir()));
        }
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests;
