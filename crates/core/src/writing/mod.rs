//! From what was decided to the lines that are appended: without secrets, linked, with ids.

mod secrets;
mod target;

use std::collections::BTreeSet;
use std::io;

use crate::domain::actor::Caller;
use crate::domain::decide::PendingEvent;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Envelope, Event, LedgerJoined, Payload};
use crate::domain::id::{EventId, GoalId};
use crate::domain::redact::redact;
use crate::domain::rejection::Rejection;
use crate::domain::seal::Key;
use crate::domain::wire::{encode, encode_sealed};
use crate::reading::Reading;
use secrets::Filter;

pub use target::{Aim, target};

/// Why nothing can be appended.
#[derive(Debug, thiserror::Error)]
pub enum WritingError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error("cannot read a line of the ledger again: {0}; run the command again")]
    Line(#[from] io::Error),
}

/// The lines of one append.
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

/// What all lines of one append say beside what happened.
pub struct Stamps<'a> {
    pub caller: &'a Caller,
    /// The request key, where the request has one.
    pub key: Option<&'a str>,
    /// When it happens.
    pub at: &'a str,
    /// The key that seals the lines, and the ledger's first line; none where the first of these is it.
    pub seal: Option<(&'a Key, Option<EventId>)>,
    /// Whose focus it is that is set without a session, where several work trees share the ledger.
    pub tree: Option<String>,
    /// Reads which texts are no secrets to the user.
    pub allowed: &'a dyn Fn() -> Vec<String>,
}

/// Composes the lines: each links to the one before it, the first to the last of the ledger and to all
/// other heads.
///
/// # Errors
/// The last line cannot be read again, an event is too large for a line, or a secret stands where
/// nothing can take its place.
pub fn compose(
    before: &Reading,
    pending_events: impl IntoIterator<Item = PendingEvent>,
    stamps: &Stamps<'_>,
) -> Result<Batch, WritingError> {
    let mut prev = match before.state.last {
        Some(line) => before.id(line)?,
        None => EventId::ZERO,
    };
    let mut also = other_heads(before, prev);
    let joins = joins(also.len());
    let mut batch = Batch {
        lines: Vec::new(),
        ids: Vec::new(),
        events: Vec::new(),
        redacted: Vec::new(),
    };
    let mut filter = Filter::new(stamps.allowed);
    for pending_event in joins.into_iter().chain(pending_events) {
        let payload = filter.redacted(pending_event.payload)?;
        let caller = pending_event.by.caller(stamps.caller);
        let session = caller.session.or_else(|| match payload {
            Payload::GoalFocused(_) | Payload::GoalUnfocused(_) => stamps.tree.clone(),
            _ => None,
        });
        let mut event = Event {
            goal_id: pending_event.goal_id,
            payload,
            at: stamps.at.to_owned(),
            envelope: Envelope {
                by: Some(caller.actor),
                session,
                turn: caller.turn,
                // The mark of an agent is what somebody put into a variable.
                via: caller.via.map(|via| redact(&via).text.into_owned()),
                request_key: stamps.key.map(str::to_owned),
                prev: Some(prev),
                also: also.drain(..also.len().min(MOST_NAMED)).collect(),
                seal: None,
            },
        };
        let line = match stamps.seal {
            Some((key, beginning)) => {
                let beginning = beginning.or_else(|| batch.ids.first().copied());
                encode_sealed(&mut event, key, beginning.unwrap_or(EventId::ZERO))
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
fn other_heads(before: &Reading, last: EventId) -> Vec<EventId> {
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
