//! Requests that were recorded twice, by writers that did not know of each other: which of the writes
//! count (docs/ledger-format.md#the-same-request-on-two-branches). Only a merged ledger has such.

use std::collections::HashMap;

use serde_json::Value;

use crate::domain::causal::Ordered;
use crate::domain::causal::ancestry::Ancestry;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::id::significant;
use crate::domain::line::{LineRef, Source};
use crate::domain::wire::event_of_line;

/// The writes that repeat a request, by the offsets of their lines.
#[derive(Debug, Default)]
pub(super) struct Repeats(HashMap<u64, Repeat>);

/// What is to be made of a line of such a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    /// The number in the file of the line that made the request first.
    first: u64,
    /// It made a goal, which has a document.
    makes_goal: bool,
    /// The whole write is applied all the same.
    pub(super) counts: bool,
    /// It is the first line of its write.
    pub(super) begins: bool,
}

/// A write that repeats a request.
struct Write {
    /// The first line of the write that made the request first.
    first: LineRef,
    lines: Vec<LineRef>,
    /// Its place in the order, once that is known.
    position: Option<usize>,
    counts: bool,
    makes_goal: bool,
    /// Goals that it says something of and does not make. Each has to be there without it.
    about: Vec<String>,
}

impl Repeats {
    /// Looks through the lines of a ledger in this order, where it has writes with equal keys. `are_ours`
    /// says of which goals a line of ours tells before all of them.
    pub(super) fn of(
        ordered: &Ordered,
        ancestry: &Ancestry,
        source: &dyn Source,
        are_ours: impl Fn(&str) -> bool,
    ) -> Repeats {
        let mut found = RepeatedWrites::default();
        for alike in &ordered.requests {
            found.take(alike, ancestry, source);
        }
        if found.writes.iter().any(|it| !it.counts) {
            found.look_through(ordered, ancestry, source, are_ours);
        }
        let mut repeats = HashMap::new();
        for write in found.writes {
            for line in &write.lines {
                let repeat = Repeat {
                    first: write.first.number,
                    makes_goal: write.makes_goal,
                    counts: write.counts,
                    begins: *line == write.lines[0],
                };
                repeats.insert(line.offset, repeat);
            }
        }
        Repeats(repeats)
    }

    pub(super) fn at(&self, line: LineRef) -> Option<Repeat> {
        self.0.get(&line.offset).copied()
    }
}

impl Repeat {
    /// What is found at the first line of the write.
    pub(super) fn finding(&self) -> Diagnostic {
        let (what, hint) = match (self.counts, self.makes_goal) {
            (true, _) => (
                "both count, since others may build on what it did",
                "look at the goal with `goal show`, and take back what is there twice",
            ),
            (false, false) => (
                "it is left out, since a request counts once",
                "nothing to do: what the first one did counts",
            ),
            (false, true) => (
                "it is left out, since a request counts once",
                "nothing to do: the goal of the first one counts; a document of the second one stays \
                 where it is, and may be deleted once nothing in it is needed",
            ),
        };
        let message = format!(
            "the same request as line {}, of which its writer did not know: {what}",
            self.first
        );
        Diagnostic::new(Code::RepeatedRequest, message, hint)
    }
}

/// The writes found so far, and what is to be looked for.
#[derive(Default)]
struct RepeatedWrites {
    writes: Vec<Write>,
    /// By their first lines.
    begins: HashMap<u64, usize>,
    /// Which writes made the thing with this id.
    made: HashMap<String, Vec<usize>>,
    /// The first lines of ours about these goals, those of which none had seen another.
    known: HashMap<String, Vec<(usize, LineRef)>>,
}

impl RepeatedWrites {
    /// Takes writes whose keys have one hash, in their order.
    fn take(&mut self, alike: &[Vec<LineRef>], ancestry: &Ancestry, source: &dyn Source) {
        let event = |line: &LineRef| event_of_line(*line, &source.read(*line)?);
        // The first ones, each of which had seen those before it, by their keys.
        let mut firsts: HashMap<String, Vec<LineRef>> = HashMap::new();
        for lines in alike {
            let events: Vec<Event> = lines.iter().filter_map(event).collect();
            let key = events
                .first()
                .and_then(|it| it.envelope.request_key.clone());
            let Some(key) = key else { continue };
            let firsts = firsts.entry(key).or_default();
            // Whoever has seen one has seen those before it.
            let seen = firsts.partition_point(|first| ancestry.sees(lines[0], *first));
            match firsts.get(seen) {
                None => firsts.push(lines[0]),
                Some(first) => self.add(*first, lines, &events),
            }
        }
    }

    fn add(&mut self, first: LineRef, lines: &[LineRef], events: &[Event]) {
        let at = self.writes.len();
        let counts = events.len() < lines.len() || events.iter().any(is_built_on);
        let made: Vec<&str> = events.iter().filter_map(made).collect();
        let about = events.iter().filter_map(|it| it.goal_id.as_ref());
        let about = about.map(|id| id.as_str()).filter(|id| !made.contains(id));
        let mut about: Vec<String> = about.map(str::to_owned).collect();
        about.sort_unstable();
        about.dedup();
        if !counts {
            for id in made {
                self.made.entry(id.to_owned()).or_default().push(at);
            }
            for id in &about {
                self.known.entry(id.clone()).or_default();
            }
        }
        self.begins.insert(lines[0].offset, at);
        self.writes.push(Write {
            first,
            lines: lines.to_vec(),
            position: None,
            counts,
            makes_goal: events
                .iter()
                .any(|it| matches!(it.payload, Payload::GoalCreated(_))),
            about,
        });
    }

    /// Finds out which of the writes others build on.
    fn look_through(
        &mut self,
        ordered: &Ordered,
        ancestry: &Ancestry,
        source: &dyn Source,
        are_ours: impl Fn(&str) -> bool,
    ) {
        for (position, turn) in ordered.turns.iter().enumerate() {
            if let Some(at) = self.begins.get(&turn.line.offset) {
                self.writes[*at].position = Some(position);
            }
            if turn.double || turn.oversized {
                continue;
            }
            let bytes = source.read(turn.line).unwrap_or_default();
            let event = event_of_line(turn.line, &bytes).filter(|it| it.envelope.is_ours());
            let Some(event) = event else { continue };
            let goal = event.goal_id.as_ref().map(|id| id.as_str());
            if let Some(lines) = goal.and_then(|id| self.known.get_mut(id))
                && !is_talk(&event)
                && !lines.iter().any(|(_, it)| ancestry.sees(turn.line, *it))
            {
                lines.push((position, turn.line));
            }
            if self.made.is_empty() {
                continue;
            }
            if ancestry.is_linear(turn.line) {
                // Everybody knows of it, so it names a new thing only as its own goal.
                let own = goal.into_iter();
                own.for_each(|id| self.names(id, turn.line, ancestry));
                continue;
            }
            match serde_json::from_slice(significant(&bytes)) {
                Ok(value) => each_text(&value, &mut |text| self.names(text, turn.line, ancestry)),
                // It is read more leniently elsewhere. In doubt it names what it contains.
                Err(_) => {
                    let text = String::from_utf8_lossy(&bytes);
                    let ids = self.made.keys().filter(|id| text.contains(*id));
                    let ids: Vec<String> = ids.cloned().collect();
                    ids.iter()
                        .for_each(|id| self.names(id, turn.line, ancestry));
                }
            }
        }
        for write in &mut self.writes {
            let Some(position) = write.position else {
                write.counts = true;
                continue;
            };
            let is_known = |id: &String| {
                let mut lines = self.known.get(id).into_iter().flatten();
                are_ours(id)
                    || lines
                        .any(|(at, line)| *at < position && ancestry.sees(write.lines[0], *line))
            };
            write.counts |= !write.about.iter().all(is_known);
        }
    }

    /// A line has this text. Where that is the id of something that a write made, the write counts,
    /// unless the line's writer knew both writes: for them that thing was never there.
    fn names(&mut self, text: &str, line: LineRef, ancestry: &Ancestry) {
        let Some(made) = self.made.get_mut(text) else {
            return;
        };
        made.retain(|at| {
            let write = &mut self.writes[*at];
            let knows_both = write.position.is_some()
                && ancestry.sees(line, write.lines[0])
                && ancestry.sees(line, write.first);
            write.counts |= !write.lines.contains(&line) && !knows_both;
            !write.counts
        });
    }
}

/// Whether later lines of the same goal build on it, in whatever they say: on the contract, the
/// status and the revision that their writers saw, and on the line itself where it is of the gate. A
/// type that is not known here may be such a one.
fn is_built_on(event: &Event) -> bool {
    let payload = &event.payload;
    payload.status().is_some()
        || payload.defines_tasks()
        || matches!(
            payload,
            Payload::GoalTweaked(_)
                | Payload::CompletionRequested(_)
                | Payload::AuditStarted(_)
                | Payload::AuditResult(_)
                | Payload::GoalSettled(_)
                | Payload::Unknown(_)
        )
}

/// The id of what it makes, which later lines can name.
fn made(event: &Event) -> Option<&str> {
    match &event.payload {
        Payload::GoalCreated(_) => event.goal_id.as_ref().map(|id| id.as_str()),
        Payload::DraftStarted(started) => Some(&started.draft_id),
        Payload::DraftProposed(proposed) => Some(&proposed.draft_id),
        Payload::QuestionAsked(asked) => Some(&asked.question_id),
        Payload::IterationStarted(started) => Some(&started.iteration_id),
        Payload::RunStarted(started) => Some(&started.run_id),
        _ => None,
    }
}

/// Whether it makes no goal of one that nobody created.
fn is_talk(event: &Event) -> bool {
    event.payload.draft_id().is_some()
}

fn each_text(value: &Value, on_text: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => on_text(text),
        Value::Array(items) => items.iter().for_each(|it| each_text(it, on_text)),
        Value::Object(fields) => fields.values().for_each(|it| each_text(it, on_text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
