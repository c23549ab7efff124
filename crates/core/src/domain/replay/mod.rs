//! Replay: the pure fold of lines into state, and what it finds on the way
//! (docs/ledger-format.md#reading).

mod findings;
mod in_order;
mod links;
mod repeated;

use std::sync::Arc;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::findings::Findings;
use crate::domain::goal::draft::Draft;
use crate::domain::id::{EventId, dropped_line, significant};
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::passed_on::host;
use crate::domain::state::State;
use crate::domain::wire::{Decoded, decode, event_of_line};

pub use findings::ended_by_the_next;
pub use in_order::{in_order, in_order_after, whole};
pub use links::{LineHash, Links};

use findings::{describe, duplicate, unknown, untidy_line};
use in_order::{Numbers, Unordered};
use repeated::Repeats;

/// The lines of ours with this hash before those of a replay.
pub type Earlier<'r> = &'r (dyn Fn(LineHash) -> Vec<LineRef> + Sync);

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Replayed {
    pub state: State,
    /// What was found, in the order in which it was: a line can show what an earlier one is.
    pub diagnostics: Findings,
    /// Where the lines of ours stand that were replayed.
    pub links: Links,
    /// A line that was to be put in order was gone when it was read again: another program has cut the
    /// ledger meanwhile, and nobody may act on what is left.
    pub was_truncated: bool,
}

/// A replay under way.
pub struct Replay<'r> {
    state: State,
    diagnostics: Findings,
    /// To find a line that a union merge left twice.
    links: Links,
    earlier: Earlier<'r>,
    source: Arc<dyn Source>,
    /// From the first line on that had not seen all lines before it: they have to be put in order
    /// first.
    unordered: Option<Unordered>,
    /// The lines come in order, and have these numbers in the file.
    numbers: Option<Numbers>,
    /// The lines come in order, and something was found of one whose number in the file is not known.
    is_lost: bool,
    /// Writes that repeat a request of somebody of whom their writers did not know.
    repeats: Repeats,
}

impl<'r> Replay<'r> {
    /// A replay of nothing yet, whose lines `source` has.
    pub fn new(source: Arc<dyn Source>) -> Replay<'r> {
        Replay::after(Replayed::default(), &|_| Vec::new(), source)
    }

    /// A replay of what comes after `before`, of whose lines `earlier` knows the hashes.
    pub fn after(before: Replayed, earlier: Earlier<'r>, source: Arc<dyn Source>) -> Replay<'r> {
        Replay {
            state: before.state,
            diagnostics: before.diagnostics,
            links: before.links,
            earlier,
            source,
            unordered: None,
            numbers: None,
            is_lost: false,
            repeats: Repeats::default(),
        }
    }

    /// The same, which lists the finding with this code at this line in any case.
    #[must_use]
    pub fn seeking(self, code: Code, line: u64) -> Replay<'r> {
        Replay {
            diagnostics: Findings::seeking(code, line),
            ..self
        }
    }

    /// Whether a line came that had not seen all before it: what was replayed is of no use, and all
    /// lines have to come in their order ([`in_order`]).
    pub fn needs_ordering(&self) -> bool {
        self.unordered.is_some()
    }

    /// Takes the next line of the file.
    pub fn push(&mut self, raw: &RawLine<'_>) {
        self.see(raw, &decode(raw), EventId::of_line(raw.bytes));
    }

    /// Takes the next line of the file, decoded, with its id.
    pub fn see(&mut self, raw: &RawLine<'_>, decoded: &Decoded, id: EventId) {
        let raw = &RawLine {
            ordinal: self.state.merged.map_or(raw.ordinal, |before| before + 1),
            ..*raw
        };
        if let Some(unordered) = &mut self.unordered {
            unordered.push(decoded.event(), id);
            return;
        }
        match decoded {
            Decoded::Event { event, untidy } => self.take(event, *untidy, raw, id),
            // Trailing white space is not a line.
            Decoded::Blank if !raw.terminated => {}
            Decoded::Blank => {
                self.count();
                self.state.mixed = true;
                self.find(raw, untidy_line("a blank line"));
            }
            Decoded::Flawed(flaw) => {
                self.count();
                self.state.mixed = true;
                // What was passed over has no bytes here, so no id to link to.
                if !raw.oversized {
                    self.state.last = Some(LineRef::from(*raw));
                }
                self.find(raw, describe(flaw, raw.number));
            }
        }
    }

    fn take(&mut self, event: &Event, untidy: bool, raw: &RawLine<'_>, id: EventId) {
        let line = LineRef::from(*raw);
        if let Some(prev) = event.envelope.prev {
            let hash = LineHash::of(id);
            // Such a line was written after the only head. Were it there already, it would stand
            // behind that and be the head itself.
            let names = |head: EventId| head == prev || event.envelope.also.contains(&head);
            let names_head = matches!(self.state.heads[..], [(_, head)] if names(head));
            if !names_head && self.is_duplicate(id, raw.bytes) {
                let number = self.state.merged.unwrap_or(line.number);
                self.state.last = Some(LineRef { number, ..line });
                self.double(raw, untidy);
                return;
            }
            if self.numbers.is_none() && !self.has_seen_all_before(event, prev) {
                self.unordered.get_or_insert_default().push(Some(event), id);
                return;
            }
            self.links.insert(hash, line);
            self.state.tip = Some(line);
            self.state.heads.clear();
            self.state.heads.push((line, id));
            self.state.latest.ours(&event.at);
        } else {
            self.state.latest.theirs(&event.at);
            self.state.mixed = true;
        }
        self.count();
        self.state.last = Some(line);
        if untidy {
            self.find(raw, untidy_line(UNTIDY));
        }
        let mut found = self.note(event, raw, line);
        for finding in &mut found {
            match &self.numbers {
                Some(numbers) => {
                    let number = finding.line.and_then(|it| numbers.of_place(it));
                    self.is_lost |= finding.line.is_some() && number.is_none();
                    finding.line = number;
                }
                None if finding.offset == Some(raw.offset) => finding.line = Some(raw.number),
                // Where an earlier line of a merged ledger stands in the file is not known here.
                None if self.state.merged.is_some() => {
                    self.unordered.get_or_insert_default().lost = true;
                }
                None => {}
            }
        }
        self.diagnostics.extend(found);
    }

    /// Applies an event, unless it repeats what somebody else was asked for already.
    fn note(&mut self, event: &Event, raw: &RawLine<'_>, line: LineRef) -> Vec<Diagnostic> {
        let Some(repeat) = self.repeats.at(line) else {
            return apply(&mut self.state, event, line);
        };
        if repeat.begins {
            self.find(raw, repeat.finding());
        }
        if !repeat.counts {
            return Vec::new();
        }
        // The first write is the answer to the request.
        let mut event = event.clone();
        event.envelope.request_key = None;
        apply(&mut self.state, &event, line)
    }

    /// One more line counts.
    fn count(&mut self) {
        if let Some(lines) = &mut self.state.merged {
            *lines += 1;
        }
    }

    /// Finds that a line stands twice.
    fn double(&mut self, raw: &RawLine<'_>, untidy: bool) {
        self.state.second_copies.add(raw);
        if untidy {
            self.find(raw, untidy_line(UNTIDY));
        }
        self.find(raw, duplicate());
    }

    /// Whether a line of ours had seen all lines before it.
    fn has_seen_all_before(&self, event: &Event, prev: EventId) -> bool {
        let heads = &self.state.heads;
        let sees = |head: &EventId| *head == prev || event.envelope.also.contains(head);
        // The last line of the file, where it is named.
        let named = || {
            let last = self.state.last?;
            let bytes = self.source.read(last)?;
            (EventId::of_line(&bytes) == prev).then_some((last, bytes))
        };
        let names_foreign = || {
            let is_foreign = |(last, bytes): (LineRef, Vec<u8>)| {
                event_of_line(last, &bytes).is_none_or(|it| !it.envelope.is_ours())
            };
            named().is_some_and(is_foreign)
        };
        if heads.is_empty() {
            return prev == EventId::ZERO || names_foreign();
        }
        match heads.iter().all(|(_, head)| sees(head)) {
            // Of foreign lines right before it, it closes all.
            true => heads.iter().any(|(_, head)| *head == prev) || named().is_some(),
            // Lines of earlier versions name nothing but the last line, whoever wrote that.
            false => event.envelope.also.is_empty() && names_foreign(),
        }
    }

    #[cfg(test)]
    fn state(&self) -> &State {
        &self.state
    }

    /// The state, everything that was found, and what another replay needs to go on from here.
    pub fn pause(self) -> Replayed {
        Replayed {
            state: self.state,
            diagnostics: self.diagnostics,
            links: self.links,
            was_truncated: false,
        }
    }

    fn find(&mut self, raw: &RawLine<'_>, finding: Diagnostic) {
        self.diagnostics.push(finding.at(raw.number, raw.offset));
    }

    /// Whether the same line of ours stands earlier: equal hashes first, then byte by byte.
    fn is_duplicate(&mut self, id: EventId, bytes: &[u8]) -> bool {
        let hash = LineHash::of(id);
        let is_dropped = dropped_line(bytes).is_some();
        let equals = |other: LineRef| {
            let Some(read) = self.source.read(other) else {
                return false;
            };
            // Equal as ids are: one side of the merge may have gained a CR. What stands for a line is that
            // line, however long it is.
            significant(&read) == significant(bytes)
                || (is_dropped || dropped_line(&read).is_some()) && EventId::of_line(&read) == id
        };
        self.links.sort_waiting();
        let alike = self.links.of(hash).into_iter();
        alike.chain((self.earlier)(hash)).any(equals)
    }
}

/// What an untidy line has too much.
const UNTIDY: &str = "a CR before the line end, or a BOM";

/// Applies an event of ours that was just appended at `line`, with this id. Its writer had seen the
/// whole ledger.
pub fn append(state: &mut State, event: &Event, (mut line, id): (LineRef, EventId)) {
    if let Some(lines) = &mut state.merged {
        *lines += 1;
        line.number = *lines;
    }
    state.last = Some(line);
    state.tip = Some(line);
    state.heads = vec![(line, id)];
    state.latest.ours(&event.at);
    apply(state, event, line);
}

/// Applies one event: the transition function of live writes and of replay alike.
pub fn apply(state: &mut State, event: &Event, line: LineRef) -> Vec<Diagnostic> {
    let (payload, envelope, ours) = (&event.payload, &event.envelope, event.is_ours());
    let session = envelope.session.as_deref();
    // A line of another program answers no request of ours.
    if let Some(key) = envelope.request_key.as_deref().filter(|_| ours) {
        state.requests.record(key, line);
    }
    if let (true, Some(host)) = (ours, host(envelope.by, envelope.via.as_deref())) {
        state.passed_on.record(host, &event.at);
    }
    match payload {
        Payload::Unknown(name) => {
            *state.unknown.entry(name.clone()).or_default() += 1;
            return vec![unknown(name).at(line.number, line.offset)];
        }
        Payload::GoalUnfocused(_) => state.focus.record(session, None, ours),
        Payload::GoalFocused(_) => state.focus.record(session, event.goal_id.clone(), ours),
        Payload::GoalSettled(settled) if ours => state.settled.record(settled),
        Payload::StoreJoined(joined) if ours => state.store = Some(joined.ledger.clone()),
        Payload::StoreLeft(_) if ours => state.store = None,
        _ => draft_event(state, event, line),
    }
    if let Some(turn) = &envelope.turn
        && payload.ends_turn()
    {
        let session = session.unwrap_or_default().to_owned();
        state.stopped_turns.insert(session, turn.clone());
    }
    let Some(id) = &event.goal_id else {
        return Vec::new();
    };
    // Talk makes no goal, nor does another program's choice of one that nobody created.
    let is_talk = payload.draft_id().is_some() || payload.moves_focus() && !ours;
    if is_talk && !state.goals.contains_key(id.as_str()) {
        return Vec::new();
    }
    let (ended, findings) = state.goals.apply(id, event, line);
    if ended {
        state.drafts.goal_ended(id.as_str());
    }
    if let Some(session) = session {
        state.sessions.record(session, id);
    }
    findings
}

fn draft_event(state: &mut State, event: &Event, line: LineRef) {
    let goal_id = event.goal_id.clone();
    let status = goal_id
        .as_ref()
        .and_then(|id| state.goals.status(id.as_str()));
    let has_ended = status.is_some_and(|status| !status.is_open());
    let (by, session) = (event.envelope.by, event.envelope.session.as_deref());
    match &event.payload {
        // A merge can bring them after the goal's end: there is nothing left to change.
        Payload::DraftStarted(_) | Payload::DraftProposed(_) if has_ended => {}
        Payload::DraftStarted(started) => state.drafts.start(Draft {
            draft_id: started.draft_id.clone(),
            topic: started.topic.clone(),
            mode: started.mode,
            goal_id,
            parent_goal_id: None,
            intent: true,
            session: session.map(str::to_owned),
            proposed_by: None,
            proposal: None,
            context: serde_json::Map::new(),
            summary: None,
            proposals: 0,
            created_at: event.at.clone(),
            updated_at: event.at.clone(),
            latest: line,
        }),
        Payload::DraftProposed(proposed) => {
            let at = (event.at.as_str(), line);
            state.drafts.propose(proposed, goal_id, (by, session), at);
        }
        Payload::DraftResolved(resolved) => {
            state.drafts.resolve(resolved, (&event.at, line));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
