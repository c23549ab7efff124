//! What the lines of a transaction say of the project: where documents go, and how the work tree stood.

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::PendingEvent;
use crate::domain::event::Payload;
use crate::domain::iteration::IterationCommand;
use crate::domain::time::rfc3339;
use crate::domain::verdict::Verdict;
use crate::projection;
use crate::snapshot::Snapshot;
use crate::transaction::TransactionError;
use crate::transaction::sealing::Sealing;
use crate::workspace::Workspace;
use crate::workspace::document_name::DocumentKind;
use crate::workspace::worktree::WorkTree;
use crate::writing::{self, Batch, Stamps};

/// Whether what the command records says how the work tree stood.
pub(super) fn tells_of_tree(command: &Command) -> bool {
    match command {
        Command::RecordAudit(result) => result.verdict == Verdict::Approved,
        // What creates a goal, or changes its contract.
        Command::Set { .. }
        | Command::Import { .. }
        | Command::Confirm { .. }
        | Command::Tweak { .. }
        | Command::Delegate { .. }
        | Command::Adopt
        | Command::Run(_) => true,
        Command::Iteration { act, .. } => matches!(**act, IterationCommand::Validate(_)),
        _ => false,
    }
}

/// Whether one of these events says what a goal's contract is.
pub(super) fn begins_a_contract(events: &[PendingEvent]) -> bool {
    let begins = |it: &PendingEvent| {
        matches!(
            it.payload,
            Payload::GoalCreated(_) | Payload::GoalTweaked(_)
        )
    };
    events.iter().any(begins)
}

/// The lines of one transaction on this project, with a seal where there is a key for `sealing`.
pub(super) fn compose(
    workspace: &Workspace,
    before: &Snapshot,
    pending_events: Vec<PendingEvent>,
    caller: &Caller,
    key: Option<&str>,
    sealing: Option<&Sealing>,
    tree: Option<&WorkTree>,
) -> Result<Batch, TransactionError> {
    let at = rfc3339(workspace.environment.now_millis());
    let placed = pending_events.into_iter().map(|event| PendingEvent {
        payload: placed(workspace, before, &event, &at, tree),
        ..event
    });
    let stamps = Stamps {
        caller,
        key,
        at: &at,
        seal: sealing.map(|it| (&it.key, it.beginning)),
        tree: workspace.paths.tree_key(),
        allowed: &|| workspace.allowed_texts(),
    };
    Ok(writing::compose(before, placed, &stamps)?)
}

/// A terminal event says where the document goes, and what agrees to work or judges it says which
/// work.
fn placed(
    workspace: &Workspace,
    before: &Snapshot,
    pending_event: &PendingEvent,
    at: &str,
    tree: Option<&WorkTree>,
) -> Payload {
    let mut payload = pending_event.payload.clone();
    let of_tree = match &mut payload {
        Payload::GoalCreated(it) => Some((&mut it.head, &mut it.dirty)),
        Payload::GoalTweaked(it) => Some((&mut it.head, &mut it.dirty)),
        Payload::GoalCompleted(it) => Some((&mut it.head, &mut it.dirty)),
        Payload::RunStarted(it) => Some((&mut it.head, &mut it.dirty)),
        Payload::RunStopped(it) => Some((&mut it.head, &mut it.dirty)),
        Payload::IterationValidated(it) => Some((&mut it.head, &mut it.dirty)),
        _ => None,
    };
    if let (Some((head, dirty)), Some(tree)) = (of_tree, tree) {
        *head = tree.head.clone();
        *dirty = Some(tree.dirty);
    }
    if let (Payload::RunStarted(it), Some(tree)) = (&mut payload, tree) {
        it.tree = tree.name.clone();
    }
    let archive_path = match &mut payload {
        Payload::GoalCompleted(completed) => &mut completed.archive_path,
        Payload::GoalAborted(aborted) => &mut aborted.archive_path,
        _ => return payload,
    };
    if let Some(id) = &pending_event.goal_id {
        let paths = &workspace.paths;
        let goal = before.state.goals.get(id);
        // Only shown: documents are found by id.
        let path = goal.and_then(|goal| projection::archive_path(before, paths, goal).ok());
        let path = path.unwrap_or_else(|| paths.document(DocumentKind::Archived, at, id));
        *archive_path = Some(paths.relative(&path).to_string());
    }
    payload
}
