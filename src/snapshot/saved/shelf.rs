//! A saved state as it is used: goals, rows and links are fetched one by one.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::index::Index;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goals::{Goals, Label, Shelf};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::replay::{Links, Replay, Replayed};
use crate::domain::state::State;
use crate::ledger::cache::{Cache, Piece};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;

/// The names of the pieces.
pub(super) const HEAD: &str = "head";
pub(super) const INDEX: &str = "index";
pub(super) const OPEN: [&str; 2] = ["open", "open objectives"];
pub(super) const ENDED: [&str; 2] = ["ended", "ended objectives"];
pub(super) const LINKS: &str = "links";

/// How many slots of the links are in one piece.
pub(super) const SLOTS: usize = 512;

/// The state without its goals, and what is known of all of them together.
#[derive(Debug, Deserialize)]
struct Head {
    state: State,
    counts: BTreeMap<Status, u64>,
    diagnostics: Vec<Diagnostic>,
}

/// A [`Head`] to be written.
#[derive(Debug, Serialize)]
pub(super) struct HeadOf<'a> {
    pub(super) state: &'a State,
    pub(super) counts: BTreeMap<Status, u64>,
    pub(super) diagnostics: &'a [Diagnostic],
}

/// The saved state of a ledger's beginning.
#[derive(Debug)]
pub struct Saved {
    cache: Cache,
    head: Head,
    index: Index,
    goals: Vec<OnceCell<Option<Box<Goal>>>>,
    links: OnceCell<Vec<Piece>>,
    lines: Lines,
    /// What the ledger's beginning comes to, for a cache that turns out to be damaged.
    again: OnceCell<Replayed>,
}

impl Saved {
    /// What this cache holds; nothing when what is always needed is damaged.
    pub(super) fn open(cache: Cache, lines: &Lines) -> Option<Saved> {
        let head = json(&cache.named(HEAD)?)?;
        let index = Index::of(cache.named(INDEX)?)?;
        Some(Saved {
            head,
            goals: (0..index.len()).map(|_| OnceCell::new()).collect(),
            index,
            links: OnceCell::new(),
            lines: Lines::new(lines.file().ok()?),
            again: OnceCell::new(),
            cache,
        })
    }

    pub(super) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The beginning of the ledger that it is about.
    pub(super) fn extent(&self) -> Extent {
        self.cache.base().extent
    }

    /// What replay goes on from.
    pub(super) fn replayed(self: &Rc<Saved>) -> Replayed {
        let mut state = self.head.state.clone();
        state.goals = Goals::on(Rc::clone(self) as Rc<dyn Shelf>);
        Replayed {
            state,
            diagnostics: self.head.diagnostics.clone(),
            links: Links::default(),
        }
    }

    /// The lines that may link to this id.
    pub(super) fn linking_to(&self, id: EventId) -> Vec<LineRef> {
        let pieces = self.links.get_or_init(|| {
            let pieces = self.cache.named(LINKS);
            pieces.and_then(|it| json(&it)).unwrap_or_default()
        });
        let slots = pieces.len() * SLOTS;
        let page = |at: usize| Some(page_of(&self.cache.piece(*pieces.get(at)?)?));
        match Links::of_pages(id, slots, SLOTS, page) {
            Some(found) => found,
            None => self.again().links.of(id).collect(),
        }
    }

    /// All links, to save them again.
    pub(super) fn links(&self) -> Option<Links> {
        let pieces: Vec<Piece> = json(&self.cache.named(LINKS)?)?;
        let mut links = Links::with_slots(pieces.len() * SLOTS);
        for piece in pieces {
            let (keys, places) = page_of(&self.cache.piece(piece)?);
            let slots = keys.into_iter().zip(places);
            let taken = slots.filter(|(_, place)| *place != 0);
            taken.for_each(|(key, place)| links.put(key, place));
        }
        Some(links)
    }

    /// The bytes of a goal's record.
    pub(super) fn record(&self, id: &GoalId) -> Option<Vec<u8>> {
        let at = self.index.find(id.as_str())?;
        self.cache.piece(self.index.record(at)?)
    }

    /// Replays what should have been here, and sees to it that the next command saves it anew.
    fn again(&self) -> &Replayed {
        self.again.get_or_init(|| {
            self.cache.discard();
            let reread = |line: LineRef| self.lines.bytes(line).ok();
            let mut replay = Replay::new(&reread);
            if let Some(reader) = self.lines.reader() {
                // A ledger that cannot be read a second time could not be read a first time.
                let _read = frame::scan(reader.take(self.extent().len), |raw| {
                    replay.push(&raw);
                });
            }
            replay.pause()
        })
    }

    fn saved_rows(&self, [rows, objectives]: [&str; 2], whole: bool) -> Option<Vec<Row>> {
        let mut rows: Vec<Row> = self.pages(rows)?;
        if whole {
            let objectives: Vec<String> = self.pages(objectives)?;
            for (row, objective) in rows.iter_mut().zip(objectives) {
                row.objective = objective;
            }
        }
        Some(rows)
    }

    /// What stands on all pages of this name.
    fn pages<T: DeserializeOwned>(&self, name: &str) -> Option<Vec<T>> {
        let pieces: Vec<Piece> = json(&self.cache.named(name)?)?;
        let mut all = Vec::new();
        for piece in pieces {
            let page: Vec<T> = json(&self.cache.piece(piece)?)?;
            all.extend(page);
        }
        Some(all)
    }
}

impl Shelf for Saved {
    fn count(&self) -> usize {
        self.index.len()
    }

    fn label(&self, id: &GoalId) -> Option<Label> {
        self.index.label(self.index.find(id.as_str())?)
    }

    fn fetch(&self, id: &GoalId) -> Option<&Goal> {
        let at = self.index.find(id.as_str())?;
        let kept = self.goals.get(at)?.get_or_init(|| {
            let record = self.cache.piece(self.index.record(at)?)?;
            json(&record).map(Box::new)
        });
        match kept {
            Some(goal) => Some(goal),
            None => self.again().state.goals.get(id),
        }
    }

    fn labels(&self) -> Vec<(GoalId, Label)> {
        let all = (0..self.index.len()).filter_map(|at| {
            let id = self.index.id(at)?.parse().ok()?;
            Some((id, self.index.label(at)?))
        });
        all.collect()
    }

    fn rows(&self, open: bool, whole: bool) -> Vec<Row> {
        let names = if open { OPEN } else { ENDED };
        self.saved_rows(names, whole).unwrap_or_else(|| {
            let goals = self.again().state.in_order().into_iter();
            let wanted = goals.filter(|goal| goal.status.is_open() == open);
            let row = |goal: &Goal| {
                let audited = goal.audited(|line| self.lines.id(line));
                Row::of(goal, audited.ok().flatten())
            };
            wanted.map(row).collect()
        })
    }

    fn counts(&self) -> &BTreeMap<Status, u64> {
        &self.head.counts
    }
}

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // One look at all of it is quicker than one at each of its texts.
    serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()
}

/// Keys and places of one piece of the links.
fn page_of(bytes: &[u8]) -> (Vec<u32>, Vec<u64>) {
    let (keys, places) = bytes.split_at(bytes.len() / 3);
    let key = |bytes: &[u8]| bytes.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
    let place = |bytes: &[u8]| bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    (
        keys.chunks_exact(4).map(key).collect(),
        places.chunks_exact(8).map(place).collect(),
    )
}
