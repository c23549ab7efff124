//! The key with which a transaction seals its lines, the ledger for which it does, and when that
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
use crate::workspace::readonly::names_key;
use crate::workspace::records::{Kept, OfRoot};

/// What a line is sealed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealing {
    pub key: Key,
    /// The first line of the ledger; none where the line that is written now is it.
    pub beginning: Option<EventId>,
    /// What is accepted of the ledger so far.
    accepted: Kept<Accepted>,
}

/// What to seal with; nothing, and a notice that says why, where there is no key.
pub fn sealing(
    workspace: &Workspace,
    before: &Snapshot,
    notices: &mut Vec<Diagnostic>,
) -> io::Result<Option<Sealing>> {
    let environment = &workspace.environment;
    let Some(dirs) = &environment.dirs else {
        notices.push(unsealed(&KeyError::NoHome));
        return Ok(None);
    };
    let read_only = environment.read_only.as_deref().unwrap_or_default();
    let key = match read_or_make(&dirs.state, environment.pinned_key()) {
        Ok(key) if names_key(read_only, key.id()) => Err(KeyError::ReadOnly),
        key => key,
    };
    let key = match key {
        Ok(key) => key,
        Err(error) => {
            notices.push(unsealed(&error));
            return Ok(None);
        }
    };
    let accepted = workspace.kept(Some(&key));
    Ok(Some(Sealing {
        beginning: beginning(before, &accepted)?,
        key,
        accepted,
    }))
}

/// The first line to seal for: the file's own, but where a merge or an edit put another before it.
fn beginning(before: &Snapshot, accepted: &Kept<Accepted>) -> io::Result<Option<EventId>> {
    let first = before.beginning()?;
    Ok(match (first, accepted) {
        (Some(first), Kept::Whole(it)) if !it.beginnings.contains(&first) => {
            Some(it.beginnings.first().copied().unwrap_or(first))
        }
        _ => first,
    })
}

impl Sealing {
    /// Accepts the ledger that this machine begins with the line `first`. Before the line is appended:
    /// whoever is killed between the two leaves a record of a ledger that is not there, which the next
    /// beginning replaces, and never an own ledger that is not accepted. A failure is said, and is in
    /// nobody's way.
    pub fn accept_own(&self, workspace: &Workspace, first: Option<EventId>) -> Option<Diagnostic> {
        if self.beginning.is_some() {
            return None;
        }
        let before = self.accepted.clone().whole();
        let before = before.unwrap_or_else(|| Accepted::none(workspace.paths.known_as()));
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

    /// Accepts the ledger to which the user added something, where nothing was accepted of it yet, and
    /// says so. After the append. Best effort: else the user's next act does.
    pub fn accept_found(&self, workspace: &Workspace, actor: Actor) -> Option<Diagnostic> {
        let beginning = self.beginning.filter(|_| actor == Actor::User)?;
        let before = match &self.accepted {
            Kept::Absent => Accepted::none(workspace.paths.known_as()),
            Kept::Whole(kept) if kept.beginnings.is_empty() => kept.clone(),
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

fn unsealed(error: &KeyError) -> Diagnostic {
    Diagnostic::new(
        Code::NotSealed,
        format!("recorded without a seal: {error}"),
        error.hint(),
    )
}

#[cfg(test)]
mod tests;
