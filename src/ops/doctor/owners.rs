//! Who else may write into the goals of a project: modes and owners of what lies in `.pi`.
//! What a user's umask gives their group is theirs to give; the whole machine is another matter.

use std::os::unix::fs::MetadataExt;

use camino::Utf8PathBuf;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::workspace::Paths;

/// The bit of a mode that lets every user write.
const WRITABLE_BY_ALL: u32 = 0o002;

/// One finding for what every user may write, and one for what belongs to somebody else.
pub fn look(paths: &Paths) -> Vec<Diagnostic> {
    let me = rustix::process::geteuid().as_raw();
    let (mut open, mut foreign) = (Vec::new(), Vec::new());
    for path in ours(paths) {
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        let shown = paths.relative(&path).to_string();
        // A link has no mode of its own; that it stands there is a finding by itself.
        if found.mode() & WRITABLE_BY_ALL != 0 && !found.is_symlink() {
            open.push(shown.clone());
        }
        if found.uid() != me {
            foreign.push(format!("{shown} (user {})", found.uid()));
        }
    }
    let mut findings = Vec::new();
    if !open.is_empty() {
        findings.push(Diagnostic::new(
            Code::WritableByAll,
            format!("every user of this machine may write {}", open.join(", ")),
            "`chmod -R o-w .pi` takes that away; a umask of 022 keeps it so",
        ));
    }
    if !foreign.is_empty() {
        findings.push(Diagnostic::new(
            Code::OtherOwner,
            format!("you are user {me}, but others own {}", foreign.join(", ")),
            format!("if the project is yours, `sudo chown -R {me} .pi` makes it so"),
        ));
    }
    findings
}

/// What a stranger could change things with: the directories, the ledger and the configuration.
fn ours(paths: &Paths) -> [Utf8PathBuf; 7] {
    [
        paths.tree().join(".pi"),
        paths.home().to_owned(),
        paths.events(),
        paths.config(),
        paths.archived(),
        paths.locks(),
        paths.prompts(),
    ]
}
