//! Which files a command line runs: the program, and the script or module that an interpreter is
//! given. What a command only reads is none of them.
//!
//! Command lines are read as people write them. Where an option is not known, more is taken for a
//! script rather than less.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::programs::find;

/// From where a command line runs.
#[derive(Debug, Clone, Copy)]
pub struct From<'a> {
    /// The project's root.
    pub root: &'a Utf8Path,
    /// The working directory, relative to it.
    pub cwd: &'a Utf8Path,
    /// `PATH`
    pub search_path: Option<&'a OsStr>,
}

/// A program that runs another text.
struct Interpreter {
    /// Its names, without a version behind them.
    names: &'static [&'static str],
    /// Options whose value is the text itself.
    inline: &'static [&'static str],
    /// Options whose value is a file that is run as well.
    loads: &'static [&'static str],
    /// Options whose value is something else.
    takes: &'static [&'static str],
    /// The option that names a module.
    module: Option<&'static str>,
    /// What may be left out at the end of a script's name.
    endings: &'static [&'static str],
}

const SHELL: Interpreter = Interpreter {
    names: &["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"],
    inline: &["-c"],
    loads: &["--rcfile", "--init-file"],
    takes: &["-o", "+o", "-O", "+O"],
    module: None,
    endings: &[""],
};

const OTHERS: [Interpreter; 6] = [
    Interpreter {
        names: &["python", "pypy", "pythonw"],
        inline: &["-c"],
        loads: &[],
        takes: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
        module: Some("-m"),
        endings: &[""],
    },
    Interpreter {
        names: &["node", "nodejs", "deno", "bun", "tsx", "ts-node"],
        inline: &["-e", "--eval", "-p", "--print", "-pe"],
        loads: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
        ],
        takes: &["-C", "--conditions"],
        module: None,
        endings: &["", ".js", ".mjs", ".cjs", ".ts"],
    },
    Interpreter {
        names: &["ruby", "perl"],
        inline: &["-e", "-E"],
        loads: &["-r"],
        takes: &["-C", "-I"],
        module: None,
        endings: &[""],
    },
    Interpreter {
        names: &["php"],
        inline: &["-r"],
        loads: &["-f"],
        takes: &["-d", "-c"],
        module: None,
        endings: &[""],
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "sed"],
        inline: &[],
        loads: &["-f", "--file"],
        takes: &[],
        module: None,
        // Without `-f` the text stands in the command line, and what follows is read.
        endings: &[],
    },
    Interpreter {
        names: &["lua", "luajit", "Rscript", "osascript", "tclsh", "java"],
        inline: &["-e"],
        loads: &["-jar"],
        takes: &["-l", "-cp", "-classpath", "--class-path"],
        module: None,
        endings: &[""],
    },
];

/// Programs that run the command line behind their own options.
const WRAPPERS: [&str; 17] = [
    "env", "timeout", "nice", "nohup", "stdbuf", "setsid", "time", "xargs", "sudo", "doas",
    "ionice", "chrt", "taskset", "unbuffer", "xvfb-run", "strace", "exec",
];

/// How deep command lines are looked for in command lines.
const DEPTH: usize = 4;

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
}

fn found(argv: &[String], from: From<'_>) -> Found {
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    let mut found = Found::default();
    command(&argv, from, DEPTH, &mut found);
    found
}

/// Where the program of a command line lies.
pub fn program(argv: &[String], from: From<'_>) -> Option<Utf8PathBuf> {
    from.program(argv.first()?).into_iter().next()
}

fn command(argv: &[&str], from: From<'_>, depth: usize, found: &mut Found) {
    let (Some((program, rest)), Some(depth)) = (argv.split_first(), depth.checked_sub(1)) else {
        return;
    };
    let paths = from.program(program);
    if let (Some(path), false) = (paths.first(), program.contains('/')) {
        found.looked_up.insert((*program).to_owned(), path.clone());
    }
    found.paths.extend(paths);
    let name = family(program);
    if WRAPPERS.contains(&name) {
        for (at, word) in rest.iter().enumerate() {
            if word.contains(char::is_whitespace) {
                // `env -S`
                line(word, from, depth, found);
            } else if !is_option(word) && !word.contains('=') && !from.program(word).is_empty() {
                return command(&rest[at..], from, depth, found);
            }
        }
    } else if SHELL.names.contains(&name) {
        script(&SHELL, rest, from, depth, found);
    } else if let Some(interpreter) = OTHERS.iter().find(|it| it.names.contains(&name)) {
        script(interpreter, rest, from, depth, found);
    }
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
    let is_shell = std::ptr::eq(interpreter.names, SHELL.names);
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let short = word.starts_with('-') && !word.starts_with("--");
        if interpreter.inline.contains(&word) || is_shell && short && word.contains('c') {
            if is_shell {
                line(words.next().unwrap_or_default(), from, depth, found);
            }
            return;
        } else if interpreter.module == Some(word) {
            found
                .paths
                .extend(module(words.next().unwrap_or_default(), from));
            return;
        } else if interpreter.loads.contains(&word) {
            found
                .paths
                .extend(from.there(words.next().unwrap_or_default(), &[""]));
        } else if interpreter.takes.contains(&word) {
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
                let found = find(self.search_path, name);
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

/// How many files of a directory are looked at; one with more is no program.
const MOST: usize = 4096;

/// What an interpreter begins with in a directory that is more than a program: the project itself.
const BEGINNINGS: [&str; 4] = ["__main__.py", "__init__.py", "index.js", "package.json"];

/// The digest of a file's bytes, or of all names and bytes in a directory. What Python and git keep
/// for themselves is left out; of the project's root only what a run of it begins with counts.
///
/// # Errors
/// Those of the file system; a directory of very many files.
pub fn digest(path: &Utf8Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    if path.is_dir() {
        let mut left = MOST;
        let whole = !path.join(".pi").exists();
        directory(path, whole, &mut left, &mut hasher)?;
    } else {
        hasher.update_reader(std::fs::File::open(path)?)?;
    }
    Ok(hasher.finalize())
}

fn directory(
    path: &Utf8Path,
    whole: bool,
    left: &mut usize,
    hasher: &mut blake3::Hasher,
) -> io::Result<()> {
    let mut entries = path.read_dir_utf8()?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.file_name().cmp(b.file_name()));
    for entry in entries {
        let name = entry.file_name();
        if ["__pycache__", ".git"].contains(&name) || !whole && !BEGINNINGS.contains(&name) {
            continue;
        }
        *left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!("more than {MOST} files: name the program in it"))
        })?;
        let kind = entry.file_type()?;
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        if kind.is_dir() {
            hasher.update(b"d");
            directory(entry.path(), whole, left, hasher)?;
            hasher.update(b"e");
        } else if kind.is_symlink() {
            hasher.update(b"l");
            let target = entry.path().read_link_utf8()?;
            hasher.update(&(target.as_str().len() as u64).to_le_bytes());
            hasher.update(target.as_str().as_bytes());
            if entry.path().is_file() {
                hasher.update(digest(entry.path())?.as_bytes());
            }
        } else if kind.is_file() {
            hasher.update(b"f");
            hasher.update(digest(entry.path())?.as_bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> (tempfile::TempDir, Utf8PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap().to_owned();
        for name in [
            "a.sh",
            "judge.py",
            "README.md",
            "test.js",
            "hook.js",
            "judge/__main__.py",
            "pkg/__init__.py",
            "pkg/mod.py",
            "sub/unit.sh",
            "prog.awk",
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        (keep, root)
    }

    #[test]
    fn what_the_path_decides_is_told_by_its_name() {
        let (_keep, root) = project();
        let path = std::env::var_os("PATH");
        let names = |line: &str| {
            let argv: Vec<String> = line.split('~').map(str::to_owned).collect();
            let from = From {
                root: &root,
                cwd: "".into(),
                search_path: path.as_deref(),
            };
            let found = looked_up(&argv, from).into_keys().collect::<Vec<_>>();
            found.join(" ")
        };
        assert_eq!(names("sh~-e~a.sh"), "sh");
        assert_eq!(names("/bin/sh~-e~a.sh"), "");
        assert_eq!(names("./a.sh"), "");
        assert_eq!(names("env~X=1~sh~-c~cat a && ./a.sh"), "cat env sh");
        assert_eq!(names("no-such-program"), "");
    }

    #[test]
    fn a_command_line_runs_its_program_and_its_script() {
        let (_keep, root) = project();
        let path = std::env::var_os("PATH");
        let runs = |line: &str, cwd: &str| {
            let argv: Vec<String> = line.split('~').map(str::to_owned).collect();
            let from = From {
                root: &root,
                cwd: cwd.into(),
                search_path: path.as_deref(),
            };
            let all = launched(&argv, from);
            let inside = all.iter().filter_map(|path| path.strip_prefix(&root).ok());
            inside.map(Utf8Path::as_str).collect::<Vec<_>>().join(" ")
        };
        for (line, wanted) in [
            ("./a.sh", "a.sh"),
            ("./a.sh~README.md", "a.sh"),
            ("grep~-q~Usage~README.md", ""),
            ("test~-f~README.md", ""),
            ("sh~a.sh", "a.sh"),
            ("sh~-e~a.sh~README.md", "a.sh"),
            ("bash~-o~pipefail~a.sh", "a.sh"),
            ("/bin/sh~-c~grep x README.md && ./a.sh x", "a.sh"),
            ("sh~-ec~X=1 sh a.sh", "a.sh"),
            ("env~X=1~./a.sh", "a.sh"),
            ("env~-i~PATH=/bin~sh~a.sh", "a.sh"),
            ("timeout~10~./a.sh~README.md", "a.sh"),
            ("python3~judge.py", "judge.py"),
            ("python3.12~-X~dev~-W~ignore~judge.py~README.md", "judge.py"),
            ("python3~judge", "judge"),
            ("python3~-m~judge", "judge judge.py"),
            ("python3~-m~pkg.mod~README.md", "pkg/__init__.py pkg/mod.py"),
            ("python3~-c~print(1)~README.md", ""),
            ("python3~-m~pytest~judge.py", ""),
            ("node~test.js", "test.js"),
            ("node~test", "test.js"),
            (
                "node~--require~./hook.js~--import=./hook.js~test.js",
                "hook.js test.js",
            ),
            ("awk~-f~prog.awk~README.md", "prog.awk"),
            ("awk~{print}~README.md", ""),
        ] {
            assert_eq!(runs(line, ""), wanted, "{line}");
        }
        assert_eq!(runs("sh~unit.sh", "sub"), "sub/unit.sh");
        assert_eq!(runs("", ""), "");
    }

    #[test]
    fn a_directory_is_all_that_is_in_it() {
        let (_keep, root) = project();
        let judge = root.join("judge");
        let mut seen = vec![digest(&judge).unwrap()];
        for (name, text) in [("__main__.py", "x"), ("b.py", ""), ("sub/c.py", "")] {
            let path = judge.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            let now = digest(&judge).unwrap();
            assert!(!seen.contains(&now), "{name}");
            seen.push(now);
        }
        fs::create_dir(judge.join("__pycache__")).unwrap();
        fs::write(judge.join("__pycache__/b.pyc"), "").unwrap();
        assert_eq!(seen.last(), Some(&digest(&judge).unwrap()));
        // Of a project itself only what a run of it begins with.
        fs::create_dir_all(root.join(".pi/goals")).unwrap();
        let before = digest(&root).unwrap();
        fs::write(root.join("README.md"), "changed").unwrap();
        assert_eq!(digest(&root).unwrap(), before);
        fs::write(root.join("package.json"), "{}").unwrap();
        assert_ne!(digest(&root).unwrap(), before);
    }
}
