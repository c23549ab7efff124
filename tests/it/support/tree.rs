//! A directory as one comparable value, to prove that nothing in it changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;

use super::Project;

/// Every path below a directory, with what stands there: kind, mode, target or hash.
pub type Tree = BTreeMap<String, String>;

/// The directory as it is now. Nothing is followed, and pipes are not opened.
pub fn hash_tree(top: &Utf8Path) -> Tree {
    let mut tree = Tree::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in dir.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let found = path.symlink_metadata().unwrap();
            let mode = found.permissions().mode();
            let what = if found.is_dir() {
                waiting.push(path.clone());
                format!("directory {mode:o}")
            } else if found.is_symlink() {
                format!("link to {}", path.read_link_utf8().unwrap())
            } else if found.is_file() {
                let hash = blake3::hash(&fs::read(&path).unwrap());
                format!("file {mode:o} {} {hash}", found.len())
            } else {
                format!("special {mode:o}")
            };
            tree.insert(path.strip_prefix(top).unwrap().to_string(), what);
        }
    }
    tree
}

impl Project {
    /// The project as it is now, but for `.locks`, whose empty files say nothing.
    pub fn tree(&self) -> Tree {
        let mut tree = hash_tree(&self.root);
        tree.retain(|path, _| !path.starts_with(".pi/goals/.locks"));
        tree
    }
}
