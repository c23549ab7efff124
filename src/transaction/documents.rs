//! Updates the documents after a transaction: those of the goals that it touched, or all of them where an
//! earlier transaction may not have updated them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::GoalId;
use crate::projection::{DocumentUpdate, plan_all, plan_each};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

use super::rewind::{Act, Latest, stamp_of};
use super::tree::{New, Tree};

/// For a request that appends nothing: updates the documents that an earlier transaction did not update.
/// A request is often repeated because the first call was killed before it came to the documents.
pub fn catch_up(workspace: &Workspace, now: &Snapshot) -> io::Result<Vec<Diagnostic>> {
    let tree = Tree::of(workspace, now);
    if tree.is_projected(now) {
        return Ok(Vec::new());
    }
    let mut notices = update_documents(workspace, now, tree.behind(now).as_ref());
    let projected = !any_is_stale(&notices);
    notices.extend(tree.write_and_note(workspace, now, &New::nothing(now), projected));
    if let Some(tip) = now.state.tip
        && let Ok(id) = now.id(tip)
    {
        let latest = Latest::of(stamp_of(workspace), now)?;
        latest.write_stamp(workspace, now, (tip, id), Act::Other);
    }
    Ok(notices)
}

/// Updates documents: those of the goals in `only` and those that somebody took away. All of them where
/// `only` is `None`: then an earlier transaction may not have updated its documents. The event is already
/// recorded, so a failure becomes a notice.
pub fn update_documents(
    workspace: &Workspace,
    after: &Snapshot,
    only: Option<&BTreeSet<GoalId>>,
) -> Vec<Diagnostic> {
    let paths = &workspace.paths;
    let planned: Box<dyn Iterator<Item = DocumentUpdate<'_>>> = match only {
        None => Box::new(plan_all(after, paths)),
        Some(ids) => {
            // Ignore the error: each plan below finds it again and reports it.
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
    let notices = planned.flat_map(|(goal, plan)| {
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
    notices.collect()
}

/// Whether a document was not updated.
pub fn any_is_stale(notices: &[Diagnostic]) -> bool {
    notices.iter().any(|said| said.code == Code::DocumentStale)
}
