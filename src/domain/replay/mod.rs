//! Replay: the pure fold of lines into state, and what it finds on the way
//! (docs/ledger-format.md#reading).

mod findings;
mod fork;
mod in_order;
mod links;
mod repeated;

use std::sync::Arc;

use crate::domain::actor::Actor;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::draft::DraftEvent;
use crate::domain::event::{Event, Payload};
use crate::domain::event_header::{Effect, EventHeader};
use crate::domain::found::Found;
use crate::domain::goal::draft::Draft;
use crate::domain::goals::Goals;
use crate::domain::id::{EventId, GoalId, significant};
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::passed_on::host;
use crate::domain::state::State;
use crate::domain::wire::{Decoded, LineHeader, event_of_line, header};

pub use findings::ended_by_the_next;
pub use fork::Tail;
pub use in_order::{in_order, in_order_after, whole};
pub use links::{LineHash, Links};

use findings::{describe, duplicate, unknown, untidy_line};
use fork::Strays;
use in_order::Numbers;
use repeated::Repeats;

/// The lines of ours with this hash before those of a replay.
pub type Earlier<'r> = &'r (dyn Fn(LineHash) -> Vec<LineRef> + Sync);

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Replayed {
    pub state: State,
    /// What was found, in the order in which it was: a line can show what an earlier one is.
    pub diagnostics: Found,
    /// Where the lines of ours stand that were replayed.
    pub links: Links,
}

/// A replay under way.
pub struct Replay<'r> {
    state: State,
    diagnostics: Found,
    /// To find a line that a union merge left twice.
    links: Links,
    earlier: Earlier<'r>,
    source: Arc<dyn Source>,
    /// From the first line on that had not seen all lines before it: they have to be put in order
    /// first.
    strays: Option<Strays>,
    /// A line stands there twice.
    has_doubles: bool,
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
        let state = State {
            goals: Goals::of(Arc::clone(&source), None),
            ..State::default()
        };
        let before = Replayed {
            state,
            ..Replayed::default()
        };
        Replay::after(before, &|_| Vec::new(), source)
    }

    /// A replay of what comes after `before`, of whose lines `earlier` knows the hashes.
    pub fn after(before: Replayed, earlier: Earlier<'r>, source: Arc<dyn Source>) -> Replay<'r> {
        Replay {
            state: before.state,
            diagnostics: before.diagnostics,
            links: before.links,
            earlier,
            source,
            strays: None,
            has_doubles: false,
            numbers: None,
            is_lost: false,
            repeats: Repeats::default(),
        }
    }

    /// The same, which lists the finding with this code at this line in any case.
    #[must_use]
    pub fn seeking(self, code: Code, line: u64) -> Replay<'r> {
        Replay {
            diagnostics: Found::seeking(code, line),
            ..self
        }
    }

    /// Whether a line came that had not seen all before it: what was replayed is of no use, and all
    /// lines have to come in their order ([`in_order`]).
    pub fn is_stray(&self) -> bool {
        self.strays.is_some()
    }

    /// Takes the next line of the file.
    pub fn push(&mut self, raw: &RawLine<'_>) {
        self.see(raw, &header(raw), EventId::of_line(raw.bytes));
    }

    /// Takes the next line of the file, which somebody has looked at, with its id.
    pub fn see(&mut self, raw: &RawLine<'_>, line_header: &LineHeader<'_>, id: EventId) {
        let raw = &RawLine {
            ordinal: self.state.merged.map_or(raw.ordinal, |before| before + 1),
            ..*raw
        };
        if let Some(strays) = &mut self.strays {
            line_header.with_event(|event| strays.push(event, id));
            return;
        }
        match line_header {
            LineHeader::Event(event) => self.take(event, false, raw, id),
            LineHeader::Decoded(Decoded::Event { event, untidy }) => {
                self.take(&EventHeader::of(event), *untidy, raw, id);
            }
            // White space after the last line end is no line yet.
            LineHeader::Decoded(Decoded::Blank) if !raw.terminated => {}
            LineHeader::Decoded(Decoded::Blank) => {
                self.count();
                self.state.mixed = true;
                self.find(raw, untidy_line("a blank line"));
            }
            LineHeader::Decoded(Decoded::Flawed(flaw)) => {
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

    fn take(&mut self, event: &EventHeader<'_>, untidy: bool, raw: &RawLine<'_>, id: EventId) {
        let line = LineRef::from(*raw);
        if let Some(prev) = event.prev {
            let hash = LineHash::of(id);
            // Such a line was written after the only head. Were it there already, it would stand
            // behind that and be the head itself.
            let names = |head: EventId| head == prev || event.also.contains(&head);
            let names_head = matches!(self.state.heads[..], [(_, head)] if names(head));
            if !names_head && self.is_duplicate(hash, line, raw.bytes) {
                let number = self.state.merged.unwrap_or(line.number);
                self.state.last = Some(LineRef { number, ..line });
                self.double(raw, untidy);
                return;
            }
            if self.numbers.is_none() && !self.goes_on(event, prev) {
                self.strays.get_or_insert_default().push(Some(event), id);
                return;
            }
            self.links.insert(hash, line);
            self.state.tip = Some(line);
            self.state.heads.clear();
            self.state.heads.push((line, id));
            self.state.latest.ours(event.at);
        } else {
            self.state.latest.theirs(event.at);
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
                    self.strays.get_or_insert_default().lost = true;
                }
                None => {}
            }
        }
        self.diagnostics.extend(found);
    }

    /// Applies an event, unless it repeats what somebody else was asked for already.
    fn note(
        &mut self,
        event: &EventHeader<'_>,
        raw: &RawLine<'_>,
        line: LineRef,
    ) -> Vec<Diagnostic> {
        let Some(repeat) = self.repeats.at(line) else {
            return note(&mut self.state, event, None, line);
        };
        if repeat.begins {
            self.find(raw, repeat.finding());
        }
        if !repeat.counts {
            return Vec::new();
        }
        // The first write is the answer to the request.
        let event = EventHeader {
            request_key: None,
            ..event.clone()
        };
        note(&mut self.state, &event, None, line)
    }

    /// One more line counts.
    fn count(&mut self) {
        if let Some(lines) = &mut self.state.merged {
            *lines += 1;
        }
    }

    /// Finds that a line stands twice.
    fn double(&mut self, raw: &RawLine<'_>, untidy: bool) {
        self.has_doubles = true;
        if untidy {
            self.find(raw, untidy_line(UNTIDY));
        }
        self.find(raw, duplicate());
    }

    /// Whether a line of ours had seen all lines before it.
    fn goes_on(&self, event: &EventHeader<'_>, prev: EventId) -> bool {
        let heads = &self.state.heads;
        let sees = |head: &EventId| *head == prev || event.also.contains(head);
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
            false => event.also.is_empty() && names_foreign(),
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
        }
    }

    fn find(&mut self, raw: &RawLine<'_>, finding: Diagnostic) {
        self.diagnostics.push(finding.at(raw.number, raw.offset));
    }

    /// Whether the same line of ours stands earlier: equal hashes first, then byte by byte.
    fn is_duplicate(&mut self, hash: LineHash, line: LineRef, bytes: &[u8]) -> bool {
        let equals = |other: LineRef| {
            // Equal as ids are: one side of the merge may have gained a CR.
            let may_equal = other.len.abs_diff(line.len) <= MOST_UNTIDY;
            may_equal
                && self
                    .source
                    .read(other)
                    .is_some_and(|read| significant(&read) == significant(bytes))
        };
        self.links.settle();
        let alike = self.links.of(hash).into_iter();
        alike.chain((self.earlier)(hash)).any(equals)
    }
}

/// What an untidy line has too much.
const UNTIDY: &str = "a CR before the line end, or a BOM";

/// How many bytes of a line do not count at most: a CR and a BOM.
const MOST_UNTIDY: u32 = 4;

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

/// Applies one event: the transition function of live writes.
pub fn apply(state: &mut State, event: &Event, line: LineRef) -> Vec<Diagnostic> {
    note(state, &EventHeader::of(event), Some(event), line)
}

/// Applies the header of one event: the transition function of live writes and of replay alike.
/// `whole` is the event where it is at hand; else its goal reads it from its line when it is
/// looked at.
fn note(
    state: &mut State,
    event: &EventHeader<'_>,
    whole: Option<&Event>,
    line: LineRef,
) -> Vec<Diagnostic> {
    // A line of another program answers no request of ours.
    if let Some(key) = event.request_key.filter(|_| event.is_ours()) {
        state.requests.record(key, line);
    }
    if let (true, Some(host)) = (event.is_ours(), host(event.by, event.via)) {
        state.passed_on.record(host, event.at);
    }
    let goal_id = || event.goal_id.and_then(|id| id.parse::<GoalId>().ok());
    match &event.effect {
        Effect::Unknown => {
            *state.unknown.entry(event.name.to_owned()).or_default() += 1;
            return vec![unknown(event.name).at(line.number, line.offset)];
        }
        Effect::Unfocused => state.focus.record(event.session, None, event.is_ours()),
        Effect::Focused => state
            .focus
            .record(event.session, goal_id(), event.is_ours()),
        Effect::Settled(settled) if event.is_ours() => state.settled.record(settled),
        Effect::StoreJoined(joined) if event.is_ours() => {
            state.store = Some(joined.ledger.clone());
        }
        Effect::StoreLeft if event.is_ours() => state.store = None,
        Effect::Draft(draft) => {
            let who = (event.by, event.session);
            draft_event(state, draft, goal_id(), who, (event.at, line));
        }
        _ => {}
    }
    if let Some(turn) = event.turn
        && event.effect.ends_turn()
    {
        let session = event.session.unwrap_or_default().to_owned();
        state.stopped_turns.insert(session, turn.to_owned());
    }
    let Some(id) = event.goal_id else {
        return Vec::new();
    };
    // Talk makes no goal, nor does another program's choice of one that nobody created.
    let is_talk = match event.effect {
        Effect::Draft(_) => true,
        Effect::Focused | Effect::Unfocused => !event.is_ours(),
        _ => false,
    };
    if is_talk && !state.goals.contains_key(id) {
        return Vec::new();
    }
    let (ended, findings) = match whole.and_then(|it| Some((it.goal_id.as_ref()?, it))) {
        Some((id, whole)) => state.goals.apply(id, whole, line),
        None => state.goals.note(id, event, line),
    };
    if ended {
        state.drafts.goal_ended(id);
    }
    if let (Some(session), Some(id)) = (event.session, goal_id()) {
        state.sessions.record(session, &id);
    }
    findings
}

fn draft_event(
    state: &mut State,
    draft: &DraftEvent<'_>,
    goal_id: Option<GoalId>,
    (by, session): (Option<Actor>, Option<&str>),
    (at, line): (&str, LineRef),
) {
    let goal = goal_id.as_ref();
    let label = goal.and_then(|id| state.goals.label(id.as_str()));
    let has_ended = label.is_some_and(|label| !label.status.is_open());
    match draft {
        // A merge can bring them after the goal's end: there is nothing left to change.
        DraftEvent::Started(_) | DraftEvent::Proposed(_) if has_ended => {}
        DraftEvent::Started(started) => state.drafts.start(Draft {
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
            created_at: at.to_owned(),
            updated_at: at.to_owned(),
            latest: line,
        }),
        DraftEvent::Proposed(proposed) => {
            state
                .drafts
                .propose(proposed, goal_id, (by, session), (at, line));
        }
        DraftEvent::Resolved(resolved) => {
            let (id, outcome) = (&resolved.draft_id, resolved.outcome);
            state.drafts.resolve(id, outcome, (at, line));
        }
    }
}

/// Whether a transaction with this event ends the agent's turn (docs/design/goals.md#turns).
pub fn ends_turn(payload: &Payload) -> bool {
    payload.effect().ends_turn()
}

#[cfg(test)]
mod tests;
