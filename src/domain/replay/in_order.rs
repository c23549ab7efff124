//! Replays a ledger that is not one chain. It first puts the lines after the first fork in order
//! (docs/ledger-format.md#order).

use std::sync::Arc;

use crate::domain::causal::{Graph, Ordered, Turn};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::replay::fork::Clock;
use crate::domain::replay::repeated::Repeats;
use crate::domain::replay::{Replay, Replayed};
use crate::domain::wire::{Decoded, LineHeader, header};

/// Replays all lines that `scan` hands out in the order of the file. If the ledger is not one
/// chain, replays them once more in their own order. `begin` makes an empty replay.
pub fn whole<'r, T, E>(
    source: &dyn Source,
    begin: impl Fn() -> Replay<'r>,
    mut scan: impl FnMut(&mut dyn FnMut(&RawLine<'_>)) -> Result<T, E>,
) -> Result<(Replayed, T), E> {
    let mut replay = begin();
    let read = scan(&mut |raw| replay.push(raw))?;
    if !replay.is_stray() {
        return Ok((replay.pause(), read));
    }
    let fork = replay.fork();
    let begin = || Ok(begin());
    in_order(source, (fork, None), begin, |see| {
        scan(&mut |raw| see(raw, &header(raw), EventId::of_line(raw.bytes)))
    })
}

/// Takes the next line of the file, with its header and its id.
type See<'s> = dyn FnMut(&RawLine<'_>, &LineHeader<'_>, EventId) + 's;

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
        let read = scan(&mut |raw, header, id| merged.see(raw, header, id))?;
        match merged.replay(source, up_to) {
            Some(replayed) => return Ok((replayed, read)),
            None => fork = None,
        }
    }
}

/// The replay of a ledger that is not one chain. It takes the lines in the order of the file.
struct Merged<'r> {
    replay: Replay<'r>,
    /// The last line that need not be put in order.
    fork: Option<LineRef>,
    /// How many lines come before the first one of the graph.
    before: u64,
    clock: Clock,
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
            clock: Clock::default(),
            graph: Graph::default(),
        }
    }

    fn see(&mut self, raw: &RawLine<'_>, line_header: &LineHeader<'_>, id: EventId) {
        match self.fork {
            Some(fork) if raw.offset < fork.offset => {
                line_header.with_event(|event| self.clock.push(event, id));
                self.replay.see(raw, line_header, id);
            }
            Some(fork) if raw.offset == fork.offset => {
                line_header.with_event(|event| self.clock.push(event, id));
                self.replay.see(raw, line_header, id);
                self.before = raw.ordinal - 1;
                self.graph.begin(raw, line_header, id, self.clock.latest);
            }
            _ => self.graph.push(raw, line_header, id),
        }
    }

    /// Replays the lines, whose bytes `source` has, in their own order, or those up to this place
    /// in it. `None` if a line has not seen the fork after all; then the caller tries again without
    /// a fork.
    fn replay(mut self, source: &dyn Source, up_to: Option<u64>) -> Option<Replayed> {
        let (mut ordered, sight) = self.graph.with_sight();
        let is_chain = !self.replay.is_stray() && !self.replay.has_doubles;
        if self.fork.is_some() && !(is_chain && ordered.roots == 1) {
            return None;
        }
        // The graph takes as much memory as the order that was made from it.
        drop(self.graph);
        let goals = &self.replay.state.goals;
        self.replay.repeats = Repeats::of(&ordered, &sight, source, |id| goals.are_ours(id));
        if let Some(last) = up_to {
            ordered
                .turns
                .retain(|turn| self.before + turn.ordinal <= last);
        }
        self.replay.numbers = Some(Numbers::of(self.before, &ordered));
        self.replay.state.goals.see_with(Arc::new(sight));
        let place = |turn: &Turn| LineRef {
            number: self.before + turn.ordinal,
            ..turn.line
        };
        let (mut heads, mut last) = (ordered.heads, None);
        // Heads are in the order of turns.
        let mut rest = heads.iter_mut().peekable();
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
            // A line that is gone by now counts as empty; whoever reads on notices it.
            let bytes = source.read(turn.line).unwrap_or_default();
            let raw = RawLine {
                ordinal: place(turn).number,
                ..turn.raw(&bytes)
            };
            let header = header(&raw);
            match turn.double {
                true => self.replay.double(&raw, is_untidy(&header)),
                false => self.replay.see(&raw, &header, EventId::of_line(&bytes)),
            }
        }
        let merged = ordered.turns.last().map(|turn| place(turn).number);
        let mut replayed = self.replay.pause();
        replayed.state.goals.rest();
        // Users look for findings by their line in the file.
        replayed.diagnostics.put_in_file_order();
        replayed.state.merged = merged;
        replayed.state.heads = heads;
        replayed.state.last = last;
        Some(replayed)
    }
}

/// The number in the file of each line, by its place in the order.
#[derive(Debug)]
pub(super) struct Numbers {
    /// How many lines at the beginning have the same number in both.
    same: u64,
    others: Vec<u64>,
}

impl Numbers {
    fn of(same: u64, ordered: &Ordered) -> Numbers {
        let counted = ordered.turns.iter().filter(|turn| !turn.double);
        Numbers {
            same,
            others: counted.map(|turn| turn.line.number).collect(),
        }
    }

    /// The number in the file of the line at this place, from 1.
    pub(super) fn of_place(&self, place: u64) -> Option<u64> {
        match place.checked_sub(self.same + 1) {
            Some(at) => self.others.get(usize::try_from(at).ok()?).copied(),
            None => Some(place),
        }
    }
}

fn is_untidy(header: &LineHeader<'_>) -> bool {
    matches!(
        header,
        LineHeader::Decoded(Decoded::Event { untidy: true, .. })
    )
}
