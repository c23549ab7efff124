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
    /// Its last line is the first of ours in a ledger.
    pub begins: bool,
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
            begins: prev == EventId::ZERO,
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

/// Which pieces come in.
#[derive(Clone, Copy)]
pub struct Which<'a> {
    /// Also those that name a line that neither side has.
    pub gaps: bool,
    /// Also those with which another ledger begins.
    pub beginnings: bool,
    /// Whether this one may come in at all.
    pub admits: &'a dyn Fn(&Piece) -> bool,
}

impl Which<'_> {
    /// All that follow what is here.
    pub const CONNECTED: Which<'static> = Which {
        gaps: false,
        beginnings: true,
        admits: &|_| true,
    };
}

/// What is taken of what somebody else has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// In an order in which no line stands before one that it names.
    pub lines: Vec<String>,
    /// How many pieces name a line that neither side has, or a piece that stays out.
    pub unconnected: u64,
    /// How many pieces may not come in.
    pub refused: u64,
}

/// Of these pieces those that are missing here; `missing` are those of their [`ids`] that no line here
/// has.
pub fn taken(pieces: Vec<Piece>, missing: &BTreeSet<EventId>, which: Which<'_>) -> Taken {
    let mut missing = missing.clone();
    let mut taken = Taken::default();
    // Pieces that stay out keep out those that name them.
    for piece in in_order(pieces) {
        if !missing.contains(&piece.id()) {
            continue;
        }
        if !which.gaps && piece.names.iter().any(|id| missing.contains(id)) {
            taken.unconnected += 1;
            continue;
        }
        if piece.begins && !which.beginnings || !(which.admits)(&piece) {
            taken.refused += 1;
            continue;
        }
        // Equal lines of another program are several; one that came another way is there already.
        let is_new = piece.lines.iter().all(|(id, _)| missing.contains(id));
        for (id, text) in piece.lines {
            if missing.remove(&id) || is_new {
                taken.lines.push(text);
            }
        }
    }
    taken
}

/// The same pieces, each once, in an order in which none stands before one that has a line that it
/// names. Apart from that they stay in the order in which they were given.
pub fn in_order(pieces: Vec<Piece>) -> Vec<Piece> {
    let of_lines = |it: &Piece| it.lines.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let mut open: BTreeSet<EventId> = pieces.iter().flat_map(of_lines).collect();
    let mut ordered: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut places: BTreeMap<EventId, Vec<usize>> = BTreeMap::new();
    // Pieces wait for a line that they name.
    let mut waiting: BTreeMap<EventId, Vec<Piece>> = BTreeMap::new();
    let mut rest = pieces.into_iter();
    let mut ready: Vec<Piece> = Vec::new();
    loop {
        let Some(piece) = ready.pop().or_else(|| rest.next()) else {
            // Only lines of other programs can lead around in a circle: none of it is first.
            let Some((id, circle)) = waiting.pop_first() else {
                return ordered;
            };
            open.remove(&id);
            ready.extend(circle.into_iter().rev());
            continue;
        };
        if let Some(id) = piece.names.iter().find(|id| open.contains(id)) {
            waiting.entry(*id).or_default().push(piece);
            continue;
        }
        let same = places.entry(piece.id()).or_default();
        if same.iter().any(|at| ordered[*at] == piece) {
            continue;
        }
        same.push(ordered.len());
        for (id, _) in &piece.lines {
            if open.remove(id) {
                ready.extend(waiting.remove(id).unwrap_or_default().into_iter().rev());
            }
        }
        ordered.push(piece);
    }
}

/// How many of the smallest files of lines are to be made one, of files with so many bytes each: the
/// most of which the largest is at most twice as large as all smaller ones together. So a line is
/// copied only into a file that is half as large again, and the files that stay are few.
pub fn to_unite(mut bytes: Vec<u64>) -> usize {
    bytes.sort_unstable();
    let mut smaller = 0;
    let mut count = 0;
    for (at, bytes) in bytes.into_iter().enumerate() {
        if at > 0 && bytes <= 2 * smaller {
            count = at + 1;
        }
        smaller += bytes;
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let all = taken(pieces.clone(), &missing, Which::CONNECTED);
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
        assert_eq!(
            taken(pieces, &missing, Which::CONNECTED).lines,
            [left, both]
        );
    }

    #[test]
    fn what_follows_a_line_that_nobody_has_stays_unless_gaps_are_wanted() {
        let gone = id("gone");
        let one = ours("one", gone, &[]);
        let two = ours("two", id(&one), &[]);
        let pieces = cut(&[two.clone(), one.clone()]).pieces;
        let missing = ids(&pieces);
        let left = taken(pieces.clone(), &missing, Which::CONNECTED);
        assert_eq!((left.lines, left.unconnected), (vec![], 2));
        let gaps = true;
        let which = Which {
            gaps,
            ..Which::CONNECTED
        };
        let all = taken(pieces, &missing, which);
        assert_eq!((all.lines, all.unconnected), (vec![one, two], 0));
    }

    #[test]
    fn what_may_not_come_in_keeps_out_what_follows_it() {
        let root = ours("root", EventId::ZERO, &[]);
        let [mine, theirs] = ["mine", "theirs"].map(|it| ours(it, id(&root), &[]));
        let behind = ours("behind", id(&theirs), &[]);
        let lines = [root.clone(), mine.clone(), theirs, behind];
        let pieces = cut(&lines).pieces;
        let all = ids(&pieces);
        let admits = |piece: &Piece| !piece.lines[0].1.contains("theirs");
        let which = |beginnings| Which {
            beginnings,
            admits: &admits,
            ..Which::CONNECTED
        };
        let found = taken(pieces.clone(), &all, which(true));
        assert_eq!(found.lines, [root.clone(), mine]);
        assert_eq!((found.unconnected, found.refused), (1, 1));
        // Another ledger begins with that line, so nothing of it comes in.
        let found = taken(pieces, &all, which(false));
        assert_eq!((found.lines, found.unconnected), (vec![], 3));
    }

    #[test]
    fn a_line_that_two_branches_close_is_taken_once() {
        let foreign = theirs("f");
        let [a, b] = ["a", "b"].map(|it| ours(it, id(&foreign), &[]));
        let mut pieces = cut(&[foreign.clone(), a.clone()]).pieces;
        pieces.extend(cut(&[foreign.clone(), b.clone()]).pieces);
        let missing = ids(&pieces);
        assert_eq!(
            taken(pieces, &missing, Which::CONNECTED).lines,
            [foreign, a, b]
        );
    }

    #[test]
    fn equal_lines_of_another_program_stay_several() {
        let foreign = theirs("f");
        let closes = ours("closes", id(&foreign), &[]);
        let lines = [foreign.clone(), foreign, closes];
        let pieces = cut(&lines).pieces;
        let missing = ids(&pieces);
        assert_eq!(taken(pieces, &missing, Which::CONNECTED).lines, lines);
    }

    /// Pieces as several clones make them: each names earlier ones, some close a line of another
    /// program, and some are there twice.
    fn any_pieces() -> impl Strategy<Value = Vec<Piece>> {
        let one = (any::<[prop::sample::Index; 2]>(), any::<bool>());
        let made = prop::collection::vec(one, 1..40).prop_map(|made| {
            let mut all: Vec<String> = Vec::new();
            let mut pieces = Vec::new();
            for (number, (names, closes)) in made.into_iter().enumerate() {
                let earlier = |it: &prop::sample::Index| match all.is_empty() {
                    true => EventId::ZERO,
                    false => id(it.get::<String>(&all)),
                };
                let [prev, also] = [earlier(&names[0]), earlier(&names[1])];
                let foreign = theirs(&format!("f{}", number % 5));
                let line = match closes {
                    true => ours(&number.to_string(), id(&foreign), &[prev, also]),
                    false => ours(&number.to_string(), prev, &[also]),
                };
                let closed = closes.then_some(foreign);
                let lines: Vec<String> = closed.into_iter().chain([line.clone()]).collect();
                pieces.extend(cut(&lines).pieces);
                all.push(line);
            }
            let again: Vec<Piece> = pieces.iter().step_by(3).cloned().collect();
            pieces.extend(again);
            pieces
        });
        made.prop_flat_map(|pieces| Just(pieces).prop_shuffle())
    }

    proptest! {
        #[test]
        fn pieces_in_order_are_the_same_pieces_and_none_stands_before_what_it_names(
            pieces in any_pieces()
        ) {
            let ordered = in_order(pieces.clone());
            let lines = |it: &Piece| it.lines.iter().map(|(id, _)| *id).collect::<Vec<_>>();
            let sorted = |all: &[Piece]| all.iter().map(lines).collect::<BTreeSet<_>>();
            prop_assert_eq!(sorted(&ordered), sorted(&pieces));
            prop_assert_eq!(ordered.len(), sorted(&pieces).len());
            let mut later: Vec<EventId> = ordered.iter().flat_map(lines).collect();
            later.reverse();
            for piece in &ordered {
                for _ in &piece.lines {
                    later.pop();
                }
                // Equal lines of other programs may come again.
                let ours = |id: &&EventId| ordered.iter().any(|it| it.id() == **id);
                for name in piece.names.iter().filter(ours) {
                    prop_assert!(!later.contains(name));
                }
            }
            // A file of them is cut into the same pieces again.
            let file: Vec<String> = ordered
                .iter()
                .flat_map(|it| it.lines.iter().map(|(_, text)| text.clone()))
                .collect();
            let again = cut(&file);
            prop_assert_eq!(again.left(), 0);
            prop_assert_eq!(again.pieces, ordered);
        }

        #[test]
        fn files_that_are_united_as_they_come_stay_few_and_no_line_is_copied_often(
            sizes in prop::collection::vec(100_u64..5_000, 1..600)
        ) {
            let (most, mut files, mut copied, mut came) = (16, Vec::<u64>::new(), 0, 0);
            for bytes in sizes {
                if files.len() >= most {
                    files.sort_unstable();
                    let united: u64 = files.drain(..to_unite(files.clone())).sum();
                    copied += united;
                    files.push(united);
                }
                files.push(bytes);
                came += bytes;
                prop_assert!(files.len() <= most + 1, "{files:?}");
            }
            prop_assert!(copied <= came * 8, "{copied} of {came}");
        }
    }

    #[test]
    fn lines_of_other_programs_that_lead_around_in_a_circle_come_all_the_same() {
        let [f, g] = ["f", "g"].map(theirs);
        let one = ours("one", id(&f), &[id(&g)]);
        let two = ours("two", id(&g), &[id(&f)]);
        let mut pieces = cut(&[f, one]).pieces;
        pieces.extend(cut(&[g, two]).pieces);
        assert_eq!(in_order(pieces.clone()), pieces);
    }
}
