//! The documents behind a transaction: those of the goals that it touched, or all of them where an
//! earlier one may have left some behind.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::GoalId;
use crate::projection::{Planned, plan_all, plan_each};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

use super::rewind::{Act, Latest, stamp_of};
use super::tree::{New, Tree};

/// Does what a killed transaction has left undone, for a request that appends nothing: whoever
/// asks again may do so because the first call died before it came to the documents.
pub fn catch_up(workspace: &Workspace, now: &Snapshot) -> io::Result<Vec<Diagnostic>> {
    let tree = Tree::of(workspace, now);
    if tree.is_projected(now) {
        return Ok(Vec::new());
    }
    let mut stale = project(workspace, now, tree.behind(now).as_ref());
    let projected = !any_is_stale(&stale);
    stale.extend(tree.leave(workspace, now, &New::nothing(now), projected));
    if let Some(tip) = now.state.tip
        && let Ok(id) = now.id(tip)
    {
        let latest = Latest::of(stamp_of(workspace), now)?;
        latest.leave(workspace, now, (tip, id), Act::Other);
    }
    Ok(stale)
}

/// Brings documents up to date: those of the goals touched and those that somebody took away, or,
/// when it is not known that the transaction before this one got so far, all. The event is recorded:
/// what fails from here on is a notice.
pub fn project(
    workspace: &Workspace,
    after: &Snapshot,
    only: Option<&BTreeSet<GoalId>>,
) -> Vec<Diagnostic> {
    let paths = &workspace.paths;
    let planned: Box<dyn Iterator<Item = Planned<'_>>> = match only {
        None => Box::new(plan_all(after, paths)),
        Some(ids) => {
            // Where the directory cannot be listed, each plan says so.
            let gone = after.documents_taken_away().unwrap_or_default();
            let ids: BTreeSet<&GoalId> = ids.iter().chain(&gone).collect();
            let goals: Vec<_> = ids
                .into_iter()
                .filter_map(|id| after.state.goals.get(id))
                .map(Cow::Borrowed)
                .collect();
            Box::new(plan_each(after, paths, goals))
        }
    };
    let said = planned.flat_map(|(goal, plan)| {
        let done = plan.and_then(|plan| plan.carry_out(paths));
        done.unwrap_or_else(|error| {
            vec![Diagnostic::new(
                Code::DocumentStale,
                format!(
                    "recorded, but the document of goal {} was not brought up to date: {error}",
                    goal.id
                ),
                "the next command tries again; `goal repair` does it by itself",
            )]
        })
    });
    said.collect()
}

/// Whether a document could not be put in place.
pub fn any_is_stale(said: &[Diagnostic]) -> bool {
    said.iter().any(|said| said.code == Code::DocumentStale)
}
