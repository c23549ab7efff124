//! Full disks: in memory, and real ext4 and XFS on a loop device. Needs root; says when it skips.

use std::fs::{self, File};
use std::io::Write;

use camino::Utf8Path;

use crate::mounts::Mounted;
use crate::oracle::{acknowledged, documents_whole, ids, projected, whole};
use crate::say;
use crate::support::Project;

#[test]
fn a_full_tmpfs() {
    full("tmpfs", |_, dir| Mounted::tmpfs(dir, "128k"));
}

#[test]
fn a_full_ext4() {
    full("ext4", |image, dir| Mounted::image("ext4", image, 8, dir));
}

#[test]
fn a_full_xfs() {
    full("xfs", |image, dir| Mounted::image("xfs", image, 300, dir));
}

/// Appends on a file system that is full: each time it refuses, a page is freed, until there is
/// enough to go on.
fn full(kind: &str, mount: impl FnOnce(&Utf8Path, &Utf8Path) -> Result<Mounted, String>) {
    let project = Project::new();
    let dir = project.root.join(".pi");
    fs::create_dir(&dir).unwrap();
    let mounted = match mount(&project.aside.join("image"), &dir) {
        Ok(mounted) => mounted,
        Err(why) => return say(&format!("SKIPPED: a full {kind}: not mounted here ({why})")),
    };
    let id = project.set("x");
    let ballast = dir.join("ballast");
    fill(&ballast);
    let before = project.ledger();
    let (mut receipts, mut refused) = (Vec::new(), 0);
    while refused < 12 {
        let note = format!("{} {}", receipts.len(), "x".repeat(700));
        let ran = project.run(&["note", &note, "--goal", &id, "--key", &note[..4], "--json"]);
        if ran.success() {
            receipts.extend(acknowledged(&ran));
        } else {
            assert_eq!(ran.error_code(), "not_recorded", "{ran}");
            refused += 1;
            let left = fs::metadata(&ballast).unwrap().len();
            let ballast = File::options().write(true).open(&ballast).unwrap();
            ballast.set_len(left.saturating_sub(4096)).unwrap();
        }
        whole(&project, &before, "on a full disk");
        documents_whole(&project, "on a full disk");
    }
    fs::remove_file(&ballast).unwrap();
    project.run(&["set", "other"]).ok();
    projected(&project, "after a full disk");
    let mut lost = receipts.clone();
    let there = ids(&project.ledger());
    lost.retain(|id| !there.contains(id));
    let count = receipts.len();
    say(&format!(
        "full {kind}: {count} acknowledged, {} lost, {refused} refused",
        lost.len()
    ));
    assert_eq!(lost, Vec::<String>::new());
    assert!(count > 0);
    drop(mounted);
}

/// Takes all the room that is left.
fn fill(path: &Utf8Path) {
    let mut file = File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}
