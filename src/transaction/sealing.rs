//! Chooses the key and the ledger that a transaction seals its lines with and for, and records that the
//! ledger is accepted.

use std::io;

use crate::domain::actor::Actor;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::EventId;
use crate::domain::seal::Key;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::accepted::Accepted;
use crate::workspace::keys::{KeyError, read_or_make};
use crate::workspace::readonly::lists_key;
use crate::workspace::records::{RecordRead, RootRecord};

/// What a line is sealed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealing {
    pub key: Key,
    /// The id of the ledger's first line. `None` while the ledger is empty: the line that is written now
    /// becomes the first one.
    pub beginning: Option<EventId>,
    /// What is accepted of the ledger so far.
    accepted: RecordRead<Accepted>,
}

/// What to seal with. `None`, and a notice that says why, where there is no key.
pub fn prepare_sealing(
    workspace: &Workspace,
    before: &Snapshot,
    notices: &mut Vec<Diagnostic>,
) -> io::Result<Option<Sealing>> {
    let environment = &workspace.environment;
    let Some(dirs) = &environment.dirs else {
        notices.push(not_sealed_notice(&KeyError::NoHome));
        return Ok(None);
    };
    let read_only = environment.read_only.as_deref().unwrap_or_default();
    let key = match read_or_make(&dirs.state, environment.pinned_key()) {
        Ok(key) if lists_key(read_only, key.id()) => Err(KeyError::ReadOnly),
        key => key,
    };
    let key = match key {
        Ok(key) => key,
        Err(error) => {
            notices.push(not_sealed_notice(&error));
            return Ok(None);
        }
    };
    let accepted = workspace.kept(Some(&key));
    Ok(Some(Sealing {
        beginning: first_line_to_seal_for(before, &accepted)?,
        key,
        accepted,
    }))
}

/// The first line that tells for which ledger lines are sealed: the first line of the file. Where that
/// one is not accepted, because a merge or an edit put it there, the first line that is accepted.
fn first_line_to_seal_for(
    before: &Snapshot,
    accepted: &RecordRead<Accepted>,
) -> io::Result<Option<EventId>> {
    let first = before.beginning()?;
    Ok(match (first, accepted) {
        (Some(first), RecordRead::Valid(it)) if !it.beginnings.contains(&first) => {
            Some(it.beginnings.first().copied().unwrap_or(first))
        }
        _ => first,
    })
}

impl Sealing {
    /// Accepts the ledger that this machine begins with the line `first`. Does nothing where the ledger has
    /// a first line already.
    ///
    /// Call it before the line is appended. A process that is killed in between leaves a record of a ledger
    /// that does not exist, which the next beginning replaces; it never leaves a ledger of its own that is
    /// not accepted. A failure is returned as a notice and does not stop the transaction.
    pub fn accept_begun_here(
        &self,
        workspace: &Workspace,
        first: Option<EventId>,
    ) -> Option<Diagnostic> {
        if self.beginning.is_some() {
            return None;
        }
        let previous = self.accepted.clone().valid();
        let before = previous.unwrap_or_else(|| Accepted::none(workspace.paths.known_as()));
        let accepted = Accepted {
            beginnings: first.into_iter().collect(),
            ..before
        };
        let error = self.write(workspace, &accepted).err()?;
        Some(Diagnostic::new(
            Code::LedgerUnknown,
            format!("that this ledger is yours could not be noted: {error}"),
            "let yourself write the state directory, then run `goal trust`",
        ))
    }

    /// Accepts the ledger to which the user added something, where nothing of it was accepted yet. Returns
    /// the notice about that.
    ///
    /// Call it after the append. Where the record cannot be written, the user's next act tries again.
    pub fn accept_on_first_act(&self, workspace: &Workspace, actor: Actor) -> Option<Diagnostic> {
        let beginning = self.beginning.filter(|_| actor == Actor::User)?;
        let before = match &self.accepted {
            RecordRead::Absent => Accepted::none(workspace.paths.known_as()),
            RecordRead::Valid(kept) if kept.beginnings.is_empty() => kept.clone(),
            _ => return None,
        };
        let accepted = Accepted {
            beginnings: vec![beginning],
            ..before
        };
        self.write(workspace, &accepted).ok()?;
        Some(Diagnostic::new(
            Code::LedgerAccepted,
            format!(
                "this was your first act here, so the ledger that begins with line {beginning} is yours from now on: what your key sealed in it counts"
            ),
            "if you did not expect a ledger here, look at `goal log` before you go on",
        ))
    }

    fn write(&self, workspace: &Workspace, accepted: &Accepted) -> io::Result<()> {
        match &workspace.environment.dirs {
            Some(dirs) => accepted.write(&dirs.state, &self.key),
            None => Ok(()),
        }
    }
}

fn not_sealed_notice(error: &KeyError) -> Diagnostic {
    Diagnostic::new(
        Code::NotSealed,
        format!("recorded without a seal: {error}"),
        error.hint(),
    )
}

#[cfg(test)]
mod tests;
