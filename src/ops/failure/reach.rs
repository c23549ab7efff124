//! What helps where this process can read the ledger and not write it.

use std::error::Error;
use std::io;

use super::{Exit, Failure};
use crate::workspace::Paths;

impl Failure {
    /// The failure with another hint where the file system is mounted read-only: only whoever
    /// mounts it mends that, whatever was tried.
    pub(super) fn of_file_system(self, error: &(dyn Error + 'static)) -> Failure {
        if !is_read_only(error) {
            return self;
        }
        let hint = "the file system is mounted read-only: reading goals works there, and to change \
                    them it must be writable, or the project copied to one that is";
        Failure {
            hint: hint.to_owned(),
            ..self
        }
    }

    /// The failure with a hint that helps where all work trees share a ledger and this process may not
    /// write it: agents' sandboxes let them write the work tree, and not git's directory.
    #[must_use]
    pub fn where_home_cannot_be_written(self, paths: &Paths) -> Failure {
        match paths.out_of_reach() {
            Some(home) if self.exit == Exit::Io && paths.shared().is_some() => Failure {
                hint: format!(
                    "the ledger is in git's directory, {home}, which this process may not write: an \
                     agent in a sandbox reaches it by the tools of `goal mcp` or of the host's \
                     extension, or by hooks, which run outside; or let the sandbox write that \
                     directory (docs/machines.md)"
                ),
                ..self
            },
            _ => self,
        }
    }
}

fn is_read_only(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let of_system = error.downcast_ref::<io::Error>();
        if of_system.is_some_and(|it| it.kind() == io::ErrorKind::ReadOnlyFilesystem) {
            return true;
        }
        next = error.source();
    }
    false
}
