//! Replays a ledger that is not one chain. It first puts the lines after the first fork in order
//! (docs/ledger-format.md#order).
//!
//! It also finds where a ledger is one chain no longer: up to there it need not be put in order.

use std::collections::HashSet;
use std::sync::Arc;

use crate::domain::causal::{Graph, Ordered, OrderedLine};
use crate::domain::event::Event;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::replay::repeated::Repeats;
use crate::domain::replay::{LineHash, Replay, Replayed};
use crate::domain::wire::{Decoded, decode};

/// Replays all lines that `scan` hands out in the order of the file. If the ledger is not one
/// chain, replays them once more in their own order. `begin` makes an empty replay.
pub fn whole<'r, T, E>(
    source: &dyn Source,
    begin: impl Fn() -> Replay<'r>,
    mut scan: impl FnMut(&mut dyn FnMut(&RawLine<'_>)) -> Result<T, E>,
) -> Result<(Replayed, T), E> {
    let mut replay = begin();
    let read = scan(&mut |raw| replay.push(raw))?;
    if !replay.needs_ordering() {
        return Ok((replay.pause(), read));
    }
    let fork = replay.fork();
    let begin = || Ok(begin());
    in_order(source, (fork, None), begin, |see| {
        scan(&mut |raw| see(raw, &decode(raw), EventId::of_line(raw.bytes)))
    })
}

/// Takes the next line of the file, decoded, with its id.
type See<'s> = dyn FnMut(&RawLine<'_>, &Decoded, EventId) + 's;

/// Replays all lines that `scan` hands out in their own order, or those up to the place `up_to` in
/// it. Lines up to `fork` ([`Replay::fork`]) are replayed as they come. If that turns out to be
/// wrong, all lines are put in order, and `scan` runs once more.
///
/// # Errors
/// Those of `begin` and of `scan`.
pub fn in_order<'r, T, E>(
    source: &dyn Source,
    (mut fork, up_to): (Option<LineRef>, Option<u64>),
    begin: impl Fn() -> Result<Replay<'r>, E>,
    mut scan: impl FnMut(&mut See<'_>) -> Result<T, E>,
) -> Result<(Replayed, T), E> {
    loop {
        let mut merged = Merged::new(begin()?, fork);
        let read = scan(&mut |raw, decoded, id| merged.see(raw, decoded, id))?;
        match merged.replay(source, up_to) {
            Some(replayed) => return Ok((replayed, read)),
            None => fork = None,
        }
    }
}

/// Goes on from a replay whose last line all lines behind it have seen, with those that `scan` hands
/// out in the order of the file, in their own order. `None` where they have not, or where what was
/// replayed does not tell enough: then the whole ledger has to be put in order ([`in_order`]).
///
/// # Errors
/// Those of `scan`.
pub fn in_order_after<T, E>(
    before: Replay<'_>,
    source: &dyn Source,
    scan: impl FnOnce(&mut See<'_>) -> Result<T, E>,
) -> Result<Option<(Replayed, T)>, E> {
    let Some(mut merged) = Merged::after(before, source) else {
        return Ok(None);
    };
    let read = scan(&mut |raw, decoded, id| merged.see(raw, decoded, id))?;
    let replayed = merged.replay(source, None);
    let replayed = replayed.filter(|it| !it.state.can_move());
    Ok(replayed.map(|replayed| (replayed, read)))
}

/// The replay of a ledger that is not one chain. It takes the lines in the order of the file.
struct Merged<'r> {
    replay: Replay<'r>,
    /// The last line that need not be put in order.
    fork: Option<LineRef>,
    /// How many lines come before the first one of the graph.
    before: u64,
    graph: Graph,
}

impl<'r> Merged<'r> {
    /// For a ledger that is one chain up to this line, which all later lines have seen
    /// ([`Replay::fork`]). `begin` is an empty replay.
    fn new(begin: Replay<'r>, fork: Option<LineRef>) -> Merged<'r> {
        Merged {
            replay: begin,
            fork,
            before: 0,
            graph: Graph::default(),
        }
    }

    /// For lines that come after those of `before`, whose last line is their fork. `None` where it is
    /// not its only head, or where its latest time is not known.
    fn after(before: Replay<'r>, source: &dyn Source) -> Option<Merged<'r>> {
        let state = &before.state;
        let [(fork, id)] = state.heads[..] else {
            return None;
        };
        let latest = state.latest.millis()?;
        // Lines that stand twice have no place of their own in the order.
        let is_counted = match state.merged {
            Some(lines) => lines == fork.number,
            None => state.second_copies.is_empty(),
        };
        let is_last = is_counted && !state.can_move() && state.last == Some(fork);
        let bytes = source.read(fork).filter(|_| is_last)?;
        let raw = RawLine {
            number: fork.number,
            ordinal: fork.number,
            offset: fork.offset,
            bytes: &bytes,
            terminated: true,
            oversized: false,
        };
        let mut graph = Graph::default();
        graph.begin(&raw, &decode(&raw), id, latest);
        Some(Merged {
            replay: before,
            fork: Some(fork),
            before: fork.number - 1,
            graph,
        })
    }

    fn see(&mut self, raw: &RawLine<'_>, decoded: &Decoded, id: EventId) {
        match self.fork {
            Some(fork) if raw.offset < fork.offset => self.replay.see(raw, decoded, id),
            Some(fork) if raw.offset == fork.offset => {
                self.replay.see(raw, decoded, id);
                self.before = raw.ordinal - 1;
                let latest = self.replay.state.latest.millis();
                self.replay.is_lost |= latest.is_none();
                self.graph.begin(raw, decoded, id, latest.flatten());
            }
            _ => self.graph.push(raw, decoded, id),
        }
    }

    /// Replays the lines, whose bytes `source` has, in their own order, or those up to this place
    /// in it. `None` if a line has not seen the fork after all; then the caller tries again without
    /// a fork.
    fn replay(mut self, source: &dyn Source, up_to: Option<u64>) -> Option<Replayed> {
        let (mut ordered, ancestry) = self.graph.with_ancestry();
        // Where it goes on from what was put in order, copies have no place that could be wrong.
        let state = &self.replay.state;
        let has_places = state.merged.is_some() || state.second_copies.is_empty();
        let is_chain = !self.replay.needs_ordering() && has_places;
        if let Some(fork) = self.fork {
            // The fork would name a later line, if that were a copy of one before the fork.
            let begins = ordered
                .turns
                .first()
                .is_some_and(|it| it.line.offset == fork.offset);
            let is_first = begins && ordered.roots == 1;
            if !(is_chain && is_first) || self.replay.is_lost {
                return None;
            }
        }
        // The graph takes as much memory as the order that was made from it.
        drop(self.graph);
        let goals = &self.replay.state.goals;
        self.replay.repeats = Repeats::of(&ordered, &ancestry, source, |id| goals.are_ours(id));
        if let Some(last) = up_to {
            ordered
                .turns
                .retain(|turn| self.before + turn.ordinal <= last);
        }
        let same = (self.replay.state.merged.is_none()).then_some(self.before);
        self.replay.numbers = Some(Numbers::of(self.before, same, &ordered));
        self.replay.state.goals.see_with(Arc::new(ancestry));
        let place = |turn: &OrderedLine| LineRef {
            number: self.before + turn.ordinal,
            ..turn.line
        };
        let (mut heads, mut last) = (ordered.heads, None);
        // Heads are in the order of turns.
        let mut rest = heads.iter_mut().peekable();
        let mut was_truncated = false;
        for turn in &ordered.turns {
            if Some(turn.line) == ordered.last {
                last = Some(place(turn));
            }
            if let Some((head, _)) = rest.next_if(|(head, _)| *head == turn.line) {
                *head = place(turn);
            }
            if self
                .fork
                .is_some_and(|fork| turn.line.offset == fork.offset)
            {
                continue;
            }
            let read = source.read(turn.line);
            was_truncated |= read.is_none();
            let bytes = read.unwrap_or_default();
            let raw = RawLine {
                ordinal: place(turn).number,
                ..turn.raw(&bytes)
            };
            let decoded = decode(&raw);
            match turn.double {
                true => self.replay.double(&raw, is_untidy(&decoded)),
                false => self.replay.see(&raw, &decoded, EventId::of_line(&bytes)),
            }
        }
        if self.fork.is_some() && self.replay.is_lost {
            return None;
        }
        let merged = ordered.turns.last().map(|turn| place(turn).number);
        let mut replayed = self.replay.pause();
        replayed.state.goals.forget_branches();
        // Users look for findings by their line in the file.
        replayed.diagnostics.put_in_file_order();
        replayed.state.merged = merged;
        replayed.state.heads = heads;
        replayed.state.last = last;
        replayed.was_truncated = was_truncated;
        Some(replayed)
    }
}

/// The number in the file of each line, by its place in the order.
#[derive(Debug)]
pub(super) struct Numbers {
    /// How many lines come before the others.
    before: u64,
    /// How many of them have the same number in both; of the rest it is not known.
    same: u64,
    others: Vec<u64>,
}

impl Numbers {
    fn of(before: u64, same: Option<u64>, ordered: &Ordered) -> Numbers {
        let counted = ordered.turns.iter().filter(|turn| !turn.double);
        Numbers {
            before,
            same: same.unwrap_or_default(),
            others: counted.map(|turn| turn.line.number).collect(),
        }
    }

    /// The number in the file of the line at this place, from 1; nothing where it is not known.
    pub(super) fn of_place(&self, place: u64) -> Option<u64> {
        match place.checked_sub(self.before + 1) {
            Some(at) => self.others.get(usize::try_from(at).ok()?).copied(),
            None => (place <= self.same).then_some(place),
        }
    }
}

fn is_untidy(decoded: &Decoded) -> bool {
    matches!(decoded, Decoded::Event { untidy: true, .. })
}

impl Replay<'_> {
    /// The last line before which the ledger is one chain and which all lines after it have seen: only
    /// those have to be put in order. Nothing where that cannot be told.
    pub fn fork(mut self) -> Option<LineRef> {
        let unordered = self.unordered.take();
        let is_chain = self.state.merged.is_none() && self.state.second_copies.is_empty();
        let unordered = unordered.filter(|it| is_chain && !it.lost)?;
        self.links.sort_waiting();
        // A line may stand on both sides of the fork.
        if unordered.own().any(|id| self.line_with(id).is_some()) {
            return None;
        }
        let named: Option<Vec<LineRef>> = unordered.names().map(|id| self.line_with(id)).collect();
        named?.into_iter().min_by_key(|line| line.offset)
    }

    /// The line of ours with this id, of those that were replayed.
    fn line_with(&self, id: EventId) -> Option<LineRef> {
        let hash = LineHash::of(id);
        let alike = self.links.of(hash).into_iter();
        let has_it = |line: &LineRef| {
            let read = self.source.read(*line);
            read.is_some_and(|bytes| EventId::of_line(&bytes) == id)
        };
        alike.chain((self.earlier)(hash)).find(has_it)
    }
}

/// What the lines name from the first one on that had not seen all before it.
#[derive(Debug, Default)]
pub(super) struct Unordered {
    own: HashSet<EventId>,
    named: HashSet<EventId>,
    /// What they name does not say where the fork is: one names no line at all, or something was found
    /// of an earlier line whose place in the file is not known.
    pub(super) lost: bool,
}

impl Unordered {
    /// Takes the next line; `event` where it has one.
    pub(super) fn push(&mut self, event: Option<&Event>, id: EventId) {
        self.own.insert(id);
        if let Some((event, prev)) = event.and_then(|event| Some((event, event.envelope.prev?))) {
            self.lost |= prev == EventId::ZERO;
            self.named.insert(prev);
            self.named.extend(&event.envelope.also);
        }
    }

    /// The lines that they name of those before them.
    pub(super) fn names(&self) -> impl Iterator<Item = EventId> + '_ {
        self.named.difference(&self.own).copied()
    }

    /// The ids of the lines themselves.
    pub(super) fn own(&self) -> impl Iterator<Item = EventId> + '_ {
        self.own.iter().copied()
    }
}
