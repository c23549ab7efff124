//! Replaying a ledger that is not one chain: its lines are put in order first
//! (docs/ledger-format.md#order).

use std::rc::Rc;

use crate::domain::causal::{Graph, Turn};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::replay::{Replay, Replayed};
use crate::domain::wire::{Decoded, LineHeader, header};

/// Replays all lines that `scan` hands out, in the order of the file: a second time, in their own
/// order, where that is another. `begin` makes a replay of nothing yet.
///
/// # Errors
/// Those of `scan`.
pub fn whole<'r, T, E>(
    source: &Rc<dyn Source>,
    begin: impl Fn() -> Replay<'r>,
    mut scan: impl FnMut(&mut dyn FnMut(&RawLine<'_>)) -> Result<T, E>,
) -> Result<(Replayed, T), E> {
    let mut replay = begin();
    let read = scan(&mut |raw| replay.push(raw))?;
    if !replay.is_stray() {
        return Ok((replay.pause(), read));
    }
    let mut graph = Graph::default();
    let read = scan(&mut |raw| graph.push(raw, &header(raw), EventId::of_line(raw.bytes)))?;
    Ok((in_order(graph, source, begin(), None), read))
}

/// Replays the lines of a graph, which `source` has, in their order; those up to this place in it,
/// where one is given.
pub fn in_order(
    graph: Graph,
    source: &Rc<dyn Source>,
    mut replay: Replay<'_>,
    up_to: Option<u64>,
) -> Replayed {
    let (mut ordered, sight) = graph.with_sight();
    // It is as large as what is made of it.
    drop(graph);
    if let Some(last) = up_to {
        ordered.turns.retain(|turn| turn.ordinal <= last);
    }
    let counted = ordered.turns.iter().filter(|turn| !turn.double);
    replay.numbers = Some(counted.map(|turn| turn.line.number).collect());
    replay.state.goals.see_with(Rc::new(sight));
    let place = |turn: &Turn| LineRef {
        number: turn.ordinal,
        ..turn.line
    };
    let (mut heads, mut last) = (ordered.heads, None);
    // They are in this order.
    let mut rest = heads.iter_mut().peekable();
    for turn in &ordered.turns {
        if Some(turn.line) == ordered.last {
            last = Some(place(turn));
        }
        if let Some((head, _)) = rest.next_if(|(head, _)| *head == turn.line) {
            *head = place(turn);
        }
        // A line that is gone meanwhile says nothing; who reads on finds that out.
        let bytes = source.read(turn.line).unwrap_or_default();
        let raw = turn.raw(&bytes);
        let header = header(&raw);
        match turn.double {
            true => replay.double(&raw, is_untidy(&header)),
            false => replay.see(&raw, &header, EventId::of_line(&bytes)),
        }
    }
    let mut replayed = replay.pause();
    replayed.state.goals.rest();
    // Whoever looks for them looks in the file.
    replayed.diagnostics.put_in_file_order();
    replayed.state.merged = ordered.turns.last().map(|turn| turn.ordinal);
    replayed.state.heads = heads;
    replayed.state.last = last;
    replayed
}

fn is_untidy(header: &LineHeader<'_>) -> bool {
    matches!(
        header,
        LineHeader::Decoded(Decoded::Event { untidy: true, .. })
    )
}
