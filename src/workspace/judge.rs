//! What the command of a judge runs, as far as its command line says it: a program, or one file. A
//! shell's line, a build tool or a program that starts another one says neither; then nobody can
//! tell what a trusted judge is made of, and the way out is one file.
//!
//! What that file goes on to run, and what it imports, is not followed.

use std::ffi::OsStr;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use super::paths::is_inside;
use super::programs::{find, searched};

/// What a command line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// A program, where it is there: found on the `PATH`, or named with its directory.
    Program(Option<Utf8PathBuf>),
    /// One file with a text that an interpreter runs, or any program inside the project.
    File(Utf8PathBuf),
    /// It cannot be told, why: a sentence without its end.
    Untold(String),
}

impl Runs {
    /// The file that it is made of, if that is known and there.
    pub fn path(&self) -> Option<&Utf8Path> {
        match self {
            Runs::Program(path) => path.as_deref(),
            Runs::File(path) => Some(path),
            Runs::Untold(_) => None,
        }
    }
}

/// The way out where nobody can tell what a judge runs.
pub const ONE_FILE: &str = "put it into one file, and name that file alone";

/// Programs whose first argument, but for options, may be the file that they run.
const INTERPRETERS: &str = "sh bash dash ash ksh mksh zsh fish python pythonw pypy node nodejs tsx \
    ts-node ruby perl php lua luajit Rscript osascript tclsh";

/// Options that take no value and load no code: they may stand before that file.
const PLAIN_OPTIONS: [(&str, &str); 2] = [
    ("python pythonw pypy", "-u -B -E -I -s"),
    ("sh bash dash ash ksh mksh zsh", "-e -u -eu"),
];

/// Programs that run what their arguments, their standard input or a file of the project say. One
/// that is not known and reads the project's files by itself is taken for a program.
const STARTERS: &str = "awk gawk mawk sed ed ex vi vim nvim emacs java deno bun bunx make gmake \
    ninja just task rake npm npx pnpm yarn cargo go gradle gradlew mvn bundle tox nox poetry uv \
    uvx pipx pdm hatch pytest jest vitest mocha rspec ant sbt bazel cmake ctest meson scons \
    dotnet mix rebar3 lein stack cabal swift zig invoke fab pre-commit lefthook git docker podman \
    nix nix-shell direnv env timeout nice nohup stdbuf setsid time xargs sudo doas ionice chrt \
    taskset unbuffer xvfb-run strace ltrace gdb exec eval command flock setpriv unshare nsenter \
    prlimit ssh-agent chroot systemd-run dbus-run-session bwrap firejail fakeroot proot find \
    parallel watch script busybox toybox ld ld.so ld-linux ld-musl tar";

fn is_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|it| it == word)
}

/// A program's name without directory and version: `python` for `/usr/bin/python3.12`,
/// `ld-linux` for `ld-linux-x86-64.so.2`.
fn family(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if let Some(loader) = ["ld-linux", "ld-musl"]
        .iter()
        .find(|it| name.starts_with(**it))
    {
        return loader;
    }
    let bare = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.' || it == '-');
    if bare.is_empty() { name } else { bare }
}

/// What a judge's command line, run in the project's root, runs.
pub fn runs(argv: &[String], root: &Utf8Path, search_path: Option<&OsStr>) -> Runs {
    let Some((program, rest)) = argv.split_first() else {
        return Runs::Program(None);
    };
    let name = family(program);
    let untold = || {
        Runs::Untold(format!(
            "nobody can tell from its command line what `{name}` runs"
        ))
    };
    if is_of(INTERPRETERS, name) {
        let plain = PLAIN_OPTIONS.iter().find(|(names, _)| is_of(names, name));
        let is_plain = |word: &&String| plain.is_some_and(|(_, options)| is_of(options, word));
        let mut words = rest.iter().skip_while(is_plain);
        let first = words.next().filter(|word| !word.starts_with(['-', '+']));
        return first
            .and_then(|word| file(root, word))
            .map_or_else(untold, Runs::File);
    }
    if is_of(STARTERS, name) {
        return untold();
    }
    let path = located(program, root, search_path);
    let is_file =
        |path: &Utf8Path| is_inside(root, path) || program.contains('/') && is_script(path);
    if let Some(path) = path.as_ref().filter(|path| is_file(path)) {
        return Runs::File(path.clone());
    }
    // Also of a program that is not there: it may be on the `PATH` with which the judge runs.
    match named(rest, root, Utf8Path::new("")).first() {
        None => Runs::Program(path),
        Some(given) => {
            let given = given.strip_prefix(root).unwrap_or(given);
            Runs::Untold(format!(
                "`{name}` is given `{given}` of the project, which may be what it runs"
            ))
        }
    }
}

/// Where a program lies that a command line names: with a slash below the root, else on the `PATH`.
pub fn located(program: &str, root: &Utf8Path, search_path: Option<&OsStr>) -> Option<Utf8PathBuf> {
    match program.contains('/') {
        true => file(root, program),
        false => {
            // What our children get, who look programs up by themselves.
            let searched = searched(search_path);
            Utf8PathBuf::from_path_buf(find(Some(searched.as_ref()), program)?).ok()
        }
    }
}

/// The file that this word names, without the `.` of `./judge`.
fn file(base: &Utf8Path, word: &str) -> Option<Utf8PathBuf> {
    let path: Utf8PathBuf = base.join(word).components().collect();
    path.is_file().then_some(path)
}

/// Whether a kernel starts an interpreter for it.
fn is_script(path: &Utf8Path) -> bool {
    let mut start = [0; 2];
    let read =
        std::fs::File::open(path).and_then(|mut it| io::Read::read_exact(&mut it, &mut start));
    read.is_ok() && &start == b"#!"
}

/// Characters that end a word inside an argument: those of a shell, and the `=` of an option.
const BETWEEN_WORDS: [char; 14] = [
    ';', '&', '|', '(', ')', '{', '}', '<', '>', '"', '\'', '`', '=', ',',
];

/// The files of the project that a command line names, each once: those that are there, seen from
/// `cwd`, which is relative to the root, or from the root itself.
pub fn named(argv: &[String], root: &Utf8Path, cwd: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let ends = |c: char| c.is_whitespace() || BETWEEN_WORDS.contains(&c);
    let words = argv.iter().flat_map(|it| {
        let pieces = it.split(ends).filter(|piece| !piece.is_empty());
        std::iter::once(it.as_str()).chain(pieces)
    });
    for word in words {
        // As a shell in the root has it.
        let word = word.strip_prefix("$PWD/").unwrap_or(word);
        let there = [root.join(cwd), root.to_owned()];
        let paths = there.iter().filter_map(|base| file(base, word));
        for path in paths.filter(|path| is_inside(root, path)) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// The record of files: the resolved path of each, with its BLAKE3 digest, or with the reason why
/// it cannot be read.
pub fn digests<'a>(paths: impl IntoIterator<Item = &'a Utf8Path>) -> Map<String, Value> {
    let content = |path: &Utf8Path| {
        let real = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
        let digest = match digest(&real) {
            Ok(digest) => digest.to_hex().to_string(),
            Err(error) => format!("unreadable: {error}"),
        };
        (real.into_string(), digest.into())
    };
    paths.into_iter().map(content).collect()
}

/// The BLAKE3 digest of a file's bytes.
///
/// # Errors
/// Those of the file system.
pub fn digest(path: &Utf8Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests;
