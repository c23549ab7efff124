//! Ledgers that a process may only read, because `goal` started it, or a process above it, to judge
//! or to compute: a check, a tool, an auditor, a reviewer. `GOAL_READONLY` names them; whoever
//! takes the variable away is not held by it (SECURITY.md).
//!
//! Other ledgers are free, so a test suite that uses `goal` in folders of its own can be a check. But
//! nothing there is sealed with the key of whoever started it, which `GOAL_READONLY` names too: a
//! copy of the ledger could be written with seals and put in its place. Nor is the user's own use
//! noted from there.

use std::env;
use std::os::unix::fs::MetadataExt;

use camino::Utf8Path;

use super::dirs::{Dirs, name_of};
use super::keys;
use super::paths::Paths;
use super::programs::searched;
use crate::domain::seal::KeyId;

/// Names of ledgers, separated by white space.
pub const VARIABLE: &str = "GOAL_READONLY";

/// The two names of a ledger: by the path that it is known by, and by the device and inode of its
/// home, so that neither a moved project nor a directory that git replaced gets free.
fn names(paths: &Paths) -> Vec<String> {
    let mut names = vec![format!("path:{}", name_of(paths.known_as()))];
    if let Ok(found) = paths.home().symlink_metadata() {
        names.push(format!("dir:{:x}:{:x}", found.dev(), found.ino()));
    }
    names
}

/// Whether the variable's value names this ledger.
pub fn is_named(value: &str, paths: &Paths) -> bool {
    let names = names(paths);
    value
        .split_whitespace()
        .any(|name| names.iter().any(|it| it == name))
}

/// Whether the variable's value names this key.
pub fn lists_key(value: &str, key: KeyId) -> bool {
    value
        .split_whitespace()
        .any(|name| name == name_of_key(key))
}

fn name_of_key(key: KeyId) -> String {
    format!("key:{key}")
}

/// The environment of a child that may only read the ledger of the project at `tree`, and those that
/// this process may only read itself. Its `PATH` is this process's without the relative directories,
/// which would name what the project brought.
pub fn child_environment(tree: &Utf8Path) -> Vec<(String, String)> {
    let own = env::var(VARIABLE).unwrap_or_default();
    let key = Dirs::find().and_then(|dirs| keys::read(&dirs.state).ok().flatten());
    let path = searched(env::var_os("PATH").as_deref());
    let variables = [
        (
            VARIABLE,
            extended(&own, &Paths::new(tree), key.map(|key| key.id())),
        ),
        ("PATH", path),
    ];
    variables
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

fn extended(own: &str, paths: &Paths, key: Option<KeyId>) -> String {
    let mut all: Vec<String> = own.split_whitespace().map(str::to_owned).collect();
    for name in names(paths).into_iter().chain(key.map(name_of_key)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::seal::Key;

    #[test]
    fn a_ledger_is_named_by_path_and_by_directory() {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        let (one, two) = (top.join("one"), top.join("two"));
        for tree in [&one, &two] {
            fs::create_dir_all(tree.join(".pi/goals")).unwrap();
        }
        let is_named = |value: &str, tree: &Utf8Path| super::is_named(value, &Paths::new(tree));
        let extended =
            |own: &str, tree: &Utf8Path, key| super::extended(own, &Paths::new(tree), key);
        let value = extended("", &one, None);
        assert!(is_named(&value, &one) && !is_named(&value, &two));
        assert!(!is_named("", &one));
        // The same directory under another name, and another directory under the same.
        fs::rename(&one, top.join("moved")).unwrap();
        assert!(is_named(&value, &top.join("moved")));
        fs::create_dir_all(one.join(".pi/goals")).unwrap();
        assert!(is_named(&value, &one));
        // What was forbidden to a parent stays forbidden, and is not said twice.
        let both = extended(&value, &two, None);
        assert!(is_named(&both, &top.join("moved")) && is_named(&both, &two));
        assert_eq!(extended(&both, &two, None), both);
        let [key, other] = [1, 2].map(|byte| Key::new([byte; Key::LEN]).id());
        let sealing = extended(&both, &two, Some(key));
        assert!(lists_key(&sealing, key) && !lists_key(&sealing, other));
        assert!(!lists_key(&both, key) && is_named(&sealing, &two));
    }
}
