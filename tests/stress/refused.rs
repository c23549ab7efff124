//! File systems that refuse what others do: one that keeps no permissions, as those of Windows below Linux,
//! and one without locks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::mounts::wrapped;
use crate::say;
use crate::strace;
use crate::support::{Project, Ran};

/// Runs a command while the system refuses something.
fn refused(project: &Project, args: &[&str], fault: &str) -> Option<Ran> {
    if let Err(why) = strace::usable() {
        say(&format!(
            "SKIPPED: file systems that refuse: no strace here ({why})"
        ));
        return None;
    }
    let fault = format!("inject={fault}");
    let words = ["strace", "-f", "-o", "/dev/null", "-e", &fault];
    let mut command = wrapped(&words, &project.call(args).command());
    Some(Ran::new(project, &command.output().unwrap()))
}

#[test]
fn a_document_is_written_where_its_permissions_cannot_be_kept_and_that_is_said_once() {
    let (project, id) = Project::with_goal("x");
    let document = project.run(&["show", "--json"]).ok().data()["goal"]["document"].clone();
    let document = project.root.join(document.as_str().unwrap());
    fs::set_permissions(&document, fs::Permissions::from_mode(0o600)).unwrap();
    let note = |text: &str| {
        let args = ["note", text, "--goal", &id, "--json"];
        refused(&project, &args, "fchmod,chmod,fchmodat:error=EPERM")
    };
    let Some(first) = note("first") else { return };
    let said = "refused to give it the permissions";
    assert!(first.ok().stdout.contains(said));
    assert!(fs::read_to_string(&document).unwrap().contains("first"));
    let second = note("second").unwrap().ok();
    assert!(!second.stdout.contains(said), "{second}");
    assert!(fs::read_to_string(&document).unwrap().contains("second"));
}

#[test]
fn a_file_system_without_locks_is_named() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    for error in ["ENOLCK", "EOPNOTSUPP", "ENOSYS"] {
        let fault = format!("flock:error={error}");
        let Some(ran) = refused(&project, &["note", "n", "--json"], &fault) else {
            return;
        };
        let ran = ran.exits(74);
        let hint = ran.json()["error"]["hint"].to_string();
        assert!(hint.contains("does not lock files"), "{ran}");
        let kind = "the file system (";
        assert!(
            !fs::exists("/proc/self/mountinfo").unwrap() || hint.contains(kind),
            "{ran}"
        );
        assert_eq!(project.ledger(), before);
    }
}
