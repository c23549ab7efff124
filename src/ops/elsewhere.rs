//! Where goals were audited, as far as that was in another work tree than this one.

use std::collections::BTreeSet;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{AuditStarted, Payload};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Status;
use crate::domain::id::GoalId;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::commits::known;
use crate::workspace::git;
use crate::workspace::home::GitTree;

/// The work tree of an audit, where it is another than this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    path: String,
    /// The commit that was checked out there.
    head: Option<String>,
}

impl Elsewhere {
    /// Where this audit was made; nothing where that is this work tree, or is not on record.
    pub fn of(workspace: &Workspace, started: &AuditStarted) -> Option<Elsewhere> {
        let path = started.tree_path.clone();
        Some(Elsewhere {
            path: path.filter(|path| workspace.paths.tree() != Utf8Path::new(path))?,
            head: started.head.clone(),
        })
    }

    /// The same of the audit by which the gate completed a goal.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn of_completion(
        workspace: &Workspace,
        snapshot: &Snapshot,
        id: &GoalId,
        audited: Option<Audited>,
    ) -> io::Result<Option<Elsewhere>> {
        let gated = audited.filter(|it| *it == Audited::Gated);
        let goal = gated.and_then(|_| snapshot.state.goals.get(id));
        let Some([_, start, ..]) = goal.and_then(|goal| goal.gated_by(audited)) else {
            return Ok(None);
        };
        let event = snapshot.event(start)?;
        Ok(event.and_then(|event| match &event.payload {
            Payload::AuditStarted(started) => Elsewhere::of(workspace, started),
            _ => None,
        }))
    }
}

/// The completions that were audited elsewhere, in order of the ledger.
///
/// # Errors
/// The ledger cannot be read.
pub fn audited_elsewhere(
    workspace: &Workspace,
    snapshot: &Snapshot,
) -> io::Result<Vec<Diagnostic>> {
    let mut found = Vec::new();
    let goals = &snapshot.state.goals;
    for goal in goals.in_turn(|status| status == Status::Complete) {
        let audited = snapshot.audited(&goal)?;
        let there = Elsewhere::of_completion(workspace, snapshot, &goal.id, audited)?;
        if let (Some(there), Some(completion)) = (there, &goal.completion) {
            let (id, path, at) = (&goal.id, &there.path, completion.line);
            let finding = Diagnostic::new(
                Code::AuditedElsewhere,
                format!("goal {id} was audited in `{path}`, which is not this work tree"),
                format!("`goal audits {id} --json` has the commit that was audited there"),
            );
            found.push(finding.at(at.number, at.offset));
        }
    }
    found.sort_by_key(|finding| finding.line);
    Ok(found)
}

/// The paths of those of these work trees that do not belong to this repository, neither by their
/// path nor by their commit.
pub fn outside<T>(workspace: &Workspace, all: Vec<(T, Elsewhere)>) -> Vec<(T, String)> {
    if all.is_empty() {
        return Vec::new();
    }
    let top = git::work_tree(&workspace.root.path);
    let others = top.and_then(GitTree::at).map(|git| git.others());
    let mut tops: Vec<Utf8PathBuf> = others.unwrap_or_default();
    tops.extend(top.map(Utf8Path::to_owned));
    let is_far = |there: &Elsewhere| {
        !tops
            .iter()
            .any(|top| Utf8Path::new(&there.path).starts_with(top))
    };
    let mut far: Vec<(T, Elsewhere)> = all.into_iter().filter(|(_, it)| is_far(it)).collect();
    let heads: BTreeSet<&str> = far
        .iter()
        .filter_map(|(_, it)| it.head.as_deref())
        .collect();
    let known = match workspace
        .git()
        .filter(|_| top.is_some() && !heads.is_empty())
    {
        Some(git) => known(&git, &workspace.root.path, &heads),
        None => BTreeSet::new(),
    };
    far.retain(|(_, it)| it.head.as_ref().is_none_or(|head| !known.contains(head)));
    far.into_iter().map(|(of, it)| (of, it.path)).collect()
}
