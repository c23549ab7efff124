//! Which lines go over when two ledgers are brought together, and in which order. Pure.
//!
//! A line of ours goes over with the lines of other programs that it closes. A line that no line of
//! ours names stays where it is: it may still be being written, or be damage.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::event::Envelope;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE};
use crate::domain::wire::{BOM, event_of_line, is_conflict_marker};

/// A line of ours, behind the lines of other programs that it closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Every line, with its id.
    pub lines: Vec<(EventId, String)>,
    /// What its last line names, but for lines of the piece itself.
    pub names: Vec<EventId>,
}

impl Piece {
    /// The id of the line of ours.
    pub fn id(&self) -> EventId {
        self.lines.last().map_or(EventId::ZERO, |(id, _)| *id)
    }
}

/// Cuts lines, taken in the order of their file, into pieces.
#[derive(Debug, Default)]
pub struct Cut {
    pub pieces: Vec<Piece>,
    left: u64,
    /// The lines behind the last one of ours.
    run: Vec<(EventId, String)>,
}

impl Cut {
    /// How many lines no line of ours names.
    pub fn left(&self) -> u64 {
        self.left + self.run.len() as u64
    }

    /// Takes the next line.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let text = std::str::from_utf8(bytes).ok();
        let Some(text) = text.filter(|_| may_go_over(bytes)) else {
            self.left += 1;
            return;
        };
        let line = (EventId::of_line(bytes), text.to_owned());
        let event = event_of_line(LineRef::START, bytes);
        let Some(Envelope {
            prev: Some(prev),
            also,
            ..
        }) = event.map(|it| it.envelope)
        else {
            self.run.push(line);
            return;
        };
        let closed = self.run.iter().rposition(|(id, _)| *id == prev);
        let mut run = std::mem::take(&mut self.run);
        let open = run.split_off(closed.map_or(0, |last| last + 1));
        self.left += open.len() as u64;
        let own: BTreeSet<EventId> = run.iter().map(|(id, _)| *id).collect();
        let is_named_elsewhere = |id: &EventId| *id != EventId::ZERO && !own.contains(id);
        let names = std::iter::once(prev).chain(also);
        self.pieces.push(Piece {
            names: names.filter(is_named_elsewhere).collect(),
            lines: run.into_iter().chain([line]).collect(),
        });
    }
}

/// Whether a line reads in another ledger as it does here: it is short enough, is none of git's conflict
/// markers, which stop every write, and has no mark at its beginning, which only a file may have.
fn may_go_over(bytes: &[u8]) -> bool {
    bytes.len() <= MAX_LINE && !is_conflict_marker(bytes) && !bytes.starts_with(BOM)
}

/// All ids in these pieces: those of their lines, and those that they name.
pub fn ids(pieces: &[Piece]) -> BTreeSet<EventId> {
    let ids = |it: &Piece| {
        let own: Vec<EventId> = it.lines.iter().map(|(id, _)| *id).collect();
        own.into_iter().chain(it.names.clone())
    };
    pieces.iter().flat_map(ids).collect()
}

/// What is taken of what somebody else has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// In an order in which no line stands before one that it names.
    pub lines: Vec<String>,
    /// How many pieces name a line that neither side has, or a piece that does.
    pub unconnected: u64,
}

/// Of these pieces those that are missing here; `missing` are those of their [`ids`] that no line here
/// has. With `gaps` also
/// those that name a line that neither side has.
pub fn taken(pieces: Vec<Piece>, missing: &BTreeSet<EventId>, gaps: bool) -> Taken {
    let mut missing = missing.clone();
    let ids = pieces
        .iter()
        .flat_map(|it| it.lines.iter().map(|(id, _)| *id));
    let offered: BTreeSet<EventId> = ids.collect();
    let mut taken = Taken::default();
    // Pieces wait for a line that they name.
    let mut waiting: BTreeMap<EventId, Vec<Piece>> = BTreeMap::new();
    for piece in pieces {
        let mut ready = vec![piece];
        while let Some(mut piece) = ready.pop() {
            if !missing.contains(&piece.id()) {
                continue;
            }
            let lacks = |id: &EventId| missing.contains(id) && (!gaps || offered.contains(id));
            if let Some(at) = piece.names.iter().position(lacks) {
                // Those before it are here.
                piece.names.drain(..at);
                waiting.entry(piece.names[0]).or_default().push(piece);
                continue;
            }
            // Equal lines of another program are several; one that came another way is there already.
            let is_new = piece.lines.iter().all(|(id, _)| missing.contains(id));
            for (id, text) in piece.lines {
                if missing.remove(&id) || is_new {
                    taken.lines.push(text);
                    ready.extend(waiting.remove(&id).unwrap_or_default().into_iter().rev());
                }
            }
        }
    }
    taken.unconnected = waiting.values().map(|it| it.len() as u64).sum();
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(text: &str, prev: EventId, also: &[EventId]) -> String {
        let also = serde_json::to_string(&also.iter().map(EventId::to_string).collect::<Vec<_>>());
        let also = also.unwrap();
        format!(
            "{{\"type\":\"goal_noted\",\"goalId\":\"a\",\"note\":\"{text}\",\
             \"at\":\"2026-11-21T20:00:00.000Z\",\"prev\":\"{prev}\",\"also\":{also}}}"
        )
    }

    fn theirs(text: &str) -> String {
        format!(
            "{{\"type\":\"goal_noted\",\"goalId\":\"a\",\"note\":\"{text}\",\
             \"at\":\"2026-11-21T20:00:00.000Z\"}}"
        )
    }

    fn id(line: &str) -> EventId {
        EventId::of_line(line.as_bytes())
    }

    fn cut(lines: &[String]) -> Cut {
        let mut cut = Cut::default();
        lines.iter().for_each(|line| cut.push(line.as_bytes()));
        cut
    }

    #[test]
    fn a_line_of_ours_takes_along_what_it_closes_and_nothing_else_goes() {
        let one = ours("one", EventId::ZERO, &[]);
        let [f, g] = ["f", "g"].map(theirs);
        let two = ours("two", id(&f), &[id(&one)]);
        let open = theirs("open");
        let lines = [
            one.clone(),
            "{".into(),
            String::new(),
            f.clone(),
            g,
            two.clone(),
            open,
        ];
        let found = cut(&lines);
        // The damaged line before `f` is of the same run; `g` behind it nobody names.
        let texts = |piece: &Piece| {
            piece
                .lines
                .iter()
                .map(|it| it.1.clone())
                .collect::<Vec<_>>()
        };
        let pieces: Vec<_> = found.pieces.iter().map(texts).collect();
        assert_eq!(pieces, [vec![one.clone()], vec!["{".to_owned(), f, two]]);
        assert_eq!(found.pieces[1].names, [id(&one)]);
        assert_eq!(found.left(), 2);
        let mut odd = Cut::default();
        odd.push(b"\xff");
        assert_eq!(odd.left(), 1);
    }

    #[test]
    fn pieces_come_in_an_order_in_which_each_follows_what_it_names() {
        let root = ours("root", EventId::ZERO, &[]);
        let left = ours("left", id(&root), &[]);
        let right = ours("right", id(&root), &[]);
        let both = ours("both", id(&left), &[id(&right)]);
        let lines = [both.clone(), right.clone(), left.clone(), root.clone()];
        let pieces = cut(&lines).pieces;
        let missing = ids(&pieces);
        let all = taken(pieces.clone(), &missing, false);
        assert_eq!(
            all.lines,
            [root.clone(), right.clone(), left.clone(), both.clone()]
        );
        assert_eq!(all.unconnected, 0);
        // What is here already is not taken again.
        let here = [id(&root), id(&right)];
        let missing: BTreeSet<_> = missing
            .into_iter()
            .filter(|it| !here.contains(it))
            .collect();
        assert_eq!(taken(pieces, &missing, false).lines, [left, both]);
    }

    #[test]
    fn what_follows_a_line_that_nobody_has_stays_unless_gaps_are_wanted() {
        let gone = id("gone");
        let one = ours("one", gone, &[]);
        let two = ours("two", id(&one), &[]);
        let pieces = cut(&[two.clone(), one.clone()]).pieces;
        let missing = ids(&pieces);
        let left = taken(pieces.clone(), &missing, false);
        assert_eq!((left.lines, left.unconnected), (vec![], 2));
        let all = taken(pieces, &missing, true);
        assert_eq!((all.lines, all.unconnected), (vec![one, two], 0));
    }

    #[test]
    fn a_line_that_two_branches_close_is_taken_once() {
        let foreign = theirs("f");
        let [a, b] = ["a", "b"].map(|it| ours(it, id(&foreign), &[]));
        let mut pieces = cut(&[foreign.clone(), a.clone()]).pieces;
        pieces.extend(cut(&[foreign.clone(), b.clone()]).pieces);
        let missing = ids(&pieces);
        assert_eq!(taken(pieces, &missing, false).lines, [foreign, a, b]);
    }

    #[test]
    fn equal_lines_of_another_program_stay_several() {
        let foreign = theirs("f");
        let closes = ours("closes", id(&foreign), &[]);
        let lines = [foreign.clone(), foreign, closes];
        let pieces = cut(&lines).pieces;
        let missing = ids(&pieces);
        assert_eq!(taken(pieces, &missing, false).lines, lines);
    }
}
