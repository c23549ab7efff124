//! From what is to happen to the lines that are appended: redacted, linked, with ids.

use std::collections::BTreeSet;

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::PendingEvent;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Envelope, Event, LedgerJoined, Payload};
use crate::domain::id::{EventId, GoalId};
use crate::domain::iteration::command::IterationCommand;
use crate::domain::redact::redact;
use crate::domain::rejection::Rejection;
use crate::domain::time::rfc3339;
use crate::domain::verdict::Verdict;
use crate::domain::wire::{encode, encode_sealed};
use crate::projection;
use crate::snapshot::Snapshot;
use crate::transaction::TransactionError;
use crate::transaction::sealing::Sealing;
use crate::transaction::secrets::Filter;
use crate::workspace::Workspace;
use crate::workspace::document_name::DocumentKind;
use crate::workspace::worktree::WorkTree;

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

/// The lines of one transaction.
#[derive(Debug)]
pub struct Batch {
    pub lines: Vec<String>,
    pub ids: Vec<EventId>,
    pub events: Vec<Event>,
    /// What was redacted: said, never shown.
    pub redacted: Vec<Diagnostic>,
}

impl Batch {
    /// The goals that the events are about.
    pub fn goals(&self) -> BTreeSet<GoalId> {
        self.events
            .iter()
            .filter_map(|event| event.goal_id.clone())
            .collect()
    }
}

/// Composes the lines: each links to the one before it, the first to the last of the file and to all
/// other heads, and has a seal where there is a key for `sealing`.
pub fn compose(
    workspace: &Workspace,
    before: &Snapshot,
    pending_events: Vec<PendingEvent>,
    caller: &Caller,
    key: Option<&str>,
    sealing: Option<&Sealing>,
    tree: Option<&WorkTree>,
) -> Result<Batch, TransactionError> {
    let mut prev = match before.state.last {
        Some(line) => before.id(line)?,
        None => EventId::ZERO,
    };
    let mut also = other_heads(before, prev);
    let joins = joins(also.len());
    let pending_events = joins.into_iter().chain(pending_events);
    let at = rfc3339(workspace.environment.now_millis());
    let mut batch = Batch {
        lines: Vec::new(),
        ids: Vec::new(),
        events: Vec::new(),
        redacted: Vec::new(),
    };
    let allowed = || workspace.allowed_texts();
    let mut filter = Filter::new(&allowed);
    for pending_event in pending_events {
        let payload = placed(workspace, before, &pending_event, &at, tree);
        let caller = pending_event.by.caller(caller);
        let payload = filter.redacted(payload)?;
        let session = caller.session.or_else(|| focused_in(workspace, &payload));
        let mut event = Event {
            goal_id: pending_event.goal_id,
            payload,
            at: at.clone(),
            envelope: Envelope {
                by: Some(caller.actor),
                session,
                turn: caller.turn,
                // The mark of an agent is what somebody put into a variable.
                via: caller.via.map(|via| redact(&via).text.into_owned()),
                request_key: key.map(str::to_owned),
                prev: Some(prev),
                also: also.drain(..also.len().min(MOST_NAMED)).collect(),
                seal: None,
            },
        };
        let line = match sealing {
            Some(sealing) => {
                let beginning = sealing.beginning.or_else(|| batch.ids.first().copied());
                let beginning = beginning.unwrap_or(EventId::ZERO);
                encode_sealed(&mut event, &sealing.key, beginning)
            }
            None => encode(&event),
        };
        let line = line.map_err(Rejection::from)?;
        prev = EventId::of_line(line.as_bytes());
        batch.lines.push(line);
        batch.ids.push(prev);
        batch.events.push(event);
    }
    if !filter.replaced.is_empty() {
        let formats: Vec<&str> = filter.replaced.into_iter().collect();
        batch.redacted.push(Diagnostic::new(
            Code::Redacted,
            format!(
                "what looks like a secret was left out of the ledger: {}",
                formats.join(", ")
            ),
            "if it is a real secret, change it: it stood in what was passed on or printed",
        ));
    }
    Ok(batch)
}

/// How many other heads a line names at most.
const MOST_NAMED: usize = 256;

/// The heads of the ledger but for its last line, which has this id.
fn other_heads(before: &Snapshot, last: EventId) -> Vec<EventId> {
    let heads = before.state.heads.iter().map(|(_, id)| *id);
    let mut heads: Vec<EventId> = heads.filter(|id| *id != last).collect();
    heads.sort_unstable();
    heads
}

/// The lines that have to come first so that each names no more of so many heads than it can.
fn joins(heads: usize) -> Vec<PendingEvent> {
    let count = heads.saturating_sub(1) / MOST_NAMED;
    let joined = LedgerJoined {
        heads: heads as u64,
    };
    let join = PendingEvent::about_no_goal(joined);
    vec![join; count]
}

/// What is focused without a session is the work tree's own, where several share the ledger.
fn focused_in(workspace: &Workspace, payload: &Payload) -> Option<String> {
    match payload {
        Payload::GoalFocused(_) | Payload::GoalUnfocused(_) => workspace.paths.tree_key(),
        _ => None,
    }
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
        *archive_path = Some(paths.recorded(&path).to_string());
    }
    payload
}
