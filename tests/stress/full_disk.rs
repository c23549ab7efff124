//! Full disks: in memory, and real ext4 and XFS on a loop device. Needs root; says when it skips.

use std::fs::{self, File};
use std::io::Write;

use camino::Utf8Path;

use crate::mounts::Mounted;
use crate::oracle::{acknowledged, documents_whole, ids, projected, whole};
use crate::say;
use crate::support::{Project, auditor};

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

/// The agent fills the disk on which the ledger is: nothing of its turn can be recorded, and yet the run's end
/// is on record, with what was wrong.
#[test]
fn a_run_whose_agent_fills_the_disk_did_not_crash() {
    let project = Project::new();
    let dir = project.root.join(".pi");
    fs::create_dir(&dir).unwrap();
    let mounted = match Mounted::tmpfs(&dir, "2m") {
        Ok(mounted) => mounted,
        Err(why) => {
            return say(&format!(
                "SKIPPED: a run on a full disk: not mounted here ({why})"
            ));
        }
    };
    let agent = project.script("agent", "cat /dev/zero >.pi/ballast 2>/dev/null\nexit 0");
    let auditor = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    ));
    project.run(&["trust"]).ok();
    project.set("x");
    let ran = project.run(&["run", "--json"]);
    assert_eq!(ran.code, Some(74), "{ran}");
    fs::remove_file(dir.join("ballast")).unwrap();
    let runs = project.look(&["runs"])["runs"].clone();
    assert_eq!(runs[0]["cause"], "error", "{runs}");
    let detail = runs[0]["detail"].as_str().unwrap();
    let is_full = ["as on a full disk", "No space left"];
    assert!(is_full.iter().any(|it| detail.contains(it)), "{detail}");
    drop(mounted);
}

/// Takes all the room that is left.
fn fill(path: &Utf8Path) {
    let mut file = File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}
