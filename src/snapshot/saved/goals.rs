//! A saved state as it is used: goals, rows and links are fetched one by one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::index::Index;
use super::numbers::{answer, rows_of};
use super::record::{Record, RecordBody};
use super::rows::SavedRow;
use crate::domain::found::Found;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goals::{Goals, Label, SavedGoals, fold};
use crate::domain::line::{LineRef, Source};
use crate::domain::replay::{LineHash, Links, Replay, Replayed, whole};
use crate::domain::requests::Answer;
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
pub(super) const REQUESTS: &str = "requests";

/// What is known of all goals together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) count: usize,
    pub(super) counts: BTreeMap<Status, u64>,
    pub(super) unsettled: u64,
    pub(super) outside: u64,
}

/// The state without its goals.
#[derive(Debug, Deserialize)]
struct Head {
    state: State,
    sums: Sums,
    diagnostics: Found,
}

/// A [`Head`] to be written.
#[derive(Debug, Serialize)]
pub(super) struct HeadOf<'a> {
    pub(super) state: &'a State,
    pub(super) sums: Sums,
    pub(super) diagnostics: &'a Found,
}

/// The saved state of a ledger's beginning.
#[derive(Debug)]
pub struct Saved {
    cache: Arc<Cache>,
    sums: Sums,
    index: OnceLock<Option<Vec<Page>>>,
    /// Where all lines of ours stand, for the few that may stand twice.
    links: OnceLock<Links>,
    lines: Arc<Lines>,
    /// What the ledger's beginning comes to, for a cache that turns out to be damaged.
    again: OnceLock<Replayed>,
}

/// Goals whose ids follow each other.
#[derive(Debug)]
struct Page {
    first: String,
    piece: Piece,
    read: OnceLock<Option<Entries>>,
}

/// What stands on a page, and the goals on it that somebody looked at.
#[derive(Debug)]
struct Entries {
    index: Index,
    goals: Vec<OnceLock<Option<Box<Goal>>>>,
}

impl Saved {
    /// What this cache holds, and the state that replay goes on from; nothing when what is always
    /// needed is damaged.
    pub(super) fn open(cache: Arc<Cache>, lines: &Arc<Lines>) -> Option<(Arc<Saved>, Replayed)> {
        let head: Head = json(&cache.named(HEAD)?)?;
        let saved = Arc::new(Saved {
            cache,
            sums: head.sums,
            index: OnceLock::new(),
            links: OnceLock::new(),
            lines: Arc::clone(lines),
            again: OnceLock::new(),
        });
        let saved_goals = Arc::clone(&saved) as Arc<dyn SavedGoals>;
        let goals = Goals::of(Arc::clone(lines) as Arc<dyn Source>, Some(saved_goals));
        let replayed = Replayed {
            state: State {
                goals,
                ..head.state
            },
            diagnostics: head.diagnostics,
            links: Links::default(),
        };
        Some((saved, replayed))
    }

    /// The beginning of the ledger that it is about.
    pub(super) fn extent(&self) -> Extent {
        self.cache.base().extent
    }

    /// The lines of ours with this hash.
    pub(super) fn lines_like(&self, hash: LineHash) -> Vec<LineRef> {
        let links = self.links.get_or_init(|| {
            let saved = self.links().map(|bytes| Links::of_bytes(&bytes));
            let mut links = saved.unwrap_or_else(|| self.again().links.clone());
            links.settle();
            links
        });
        links.of(hash)
    }

    /// Where all lines of ours stand, as it was saved.
    pub(super) fn links(&self) -> Option<Vec<u8>> {
        self.cache.named(LINKS)
    }

    /// The requests that were answered, oldest first.
    pub fn answers(&self) -> Vec<Answer> {
        let saved = self.cache.named(REQUESTS);
        saved.map_or_else(
            || self.again().state.requests.all(Vec::new()),
            |bytes| rows_of(&bytes).into_iter().map(answer).collect(),
        )
    }

    /// The bytes of a goal's record.
    pub(super) fn record(&self, id: &str) -> Option<Vec<u8>> {
        let (entries, at) = self.find(id)??;
        self.cache.piece(entries.index.record(at)?)
    }

    /// The pages of the index; nothing when they are damaged.
    fn pages(&self) -> Option<&[Page]> {
        let pages = self.index.get_or_init(|| {
            let pages: Vec<(String, Piece)> = json(&self.cache.named(INDEX)?)?;
            let page = |(first, piece)| Page {
                first,
                piece,
                read: OnceLock::new(),
            };
            Some(pages.into_iter().map(page).collect())
        });
        pages.as_deref()
    }

    fn entries<'s>(&'s self, page: &'s Page) -> Option<&'s Entries> {
        let entries = page.read.get_or_init(|| {
            let index = Index::of(&self.cache.piece(page.piece)?)?;
            let goals = (0..index.len()).map(|_| OnceLock::new()).collect();
            Some(Entries { index, goals })
        });
        entries.as_ref()
    }

    /// Where the goal with this id is, if there is one; nothing when that cannot be told.
    fn find(&self, id: &str) -> Option<Option<(&Entries, usize)>> {
        let pages = self.pages()?;
        let behind = pages.partition_point(|page| *page.first <= *id);
        let Some(page) = behind.checked_sub(1).and_then(|at| pages.get(at)) else {
            return Some(None);
        };
        let entries = self.entries(page)?;
        Some(entries.index.find(id).map(|at| (entries, at)))
    }

    /// Replays what should have been here, and sees to it that the next command saves it anew.
    fn again(&self) -> &Replayed {
        self.again.get_or_init(|| {
            self.cache.discard();
            let source = Arc::clone(&self.lines) as Arc<dyn Source>;
            let read = whole(
                &*source,
                || Replay::new(Arc::clone(&source)),
                |on_line| match self.lines.reader() {
                    None => Ok(Extent::EMPTY),
                    Some(reader) => {
                        frame::scan(reader.take(self.extent().len), |raw| on_line(&raw))
                    }
                },
            );
            // A ledger that cannot be read a second time could not be read a first time.
            read.map(|(replayed, _)| replayed).unwrap_or_default()
        })
    }

    fn goals_again(&self) -> &Goals {
        &self.again().state.goals
    }

    fn goal_of(&self, entries: &Entries, at: usize) -> Option<Box<Goal>> {
        let record = Record::of(self.cache.piece(entries.index.record(at)?)?)?;
        match record.rest()? {
            RecordBody::Goal(goal) => Some(goal),
            RecordBody::Lines(lines) => {
                let known = record.outline()?;
                let mut goal = Goal::implicit(known.id, known.ordinal, &known.created_at);
                fold(&mut goal, &lines, &*self.lines, None).then(|| Box::new(goal))
            }
        }
    }

    fn saved_rows(&self, [rows, objectives]: [&str; 2], whole: bool) -> Option<Vec<Row>> {
        let rows: Vec<SavedRow> = self.list(rows)?;
        let mut rows: Vec<Row> = rows.into_iter().map(Row::from).collect();
        if whole {
            let objectives: Vec<String> = self.list(objectives)?;
            for (row, objective) in rows.iter_mut().zip(objectives) {
                row.objective = objective;
            }
        }
        Some(rows)
    }

    /// What stands in all pieces of this list.
    fn list<T: DeserializeOwned>(&self, name: &str) -> Option<Vec<T>> {
        let pieces: Vec<Piece> = json(&self.cache.named(name)?)?;
        let mut all = Vec::new();
        for piece in pieces {
            let some: Vec<T> = json(&self.cache.piece(piece)?)?;
            all.extend(some);
        }
        Some(all)
    }

    /// Hands out what all pages say; nothing when one is damaged.
    fn each_entry(&self, on_goal: &mut dyn FnMut(&str, Label)) -> Option<()> {
        // All of them before the first is handed out, or some would be twice.
        for page in self.pages()? {
            self.entries(page)?;
        }
        for entries in self.pages()?.iter().filter_map(|page| self.entries(page)) {
            for at in 0..entries.index.len() {
                on_goal(entries.index.id(at)?, entries.index.label(at)?);
            }
        }
        Some(())
    }
}

impl SavedGoals for Saved {
    fn count(&self) -> usize {
        self.sums.count
    }

    fn label(&self, id: &str) -> Option<Label> {
        match self.find(id) {
            Some(found) => found.and_then(|(entries, at)| entries.index.label(at)),
            None => self.goals_again().label(id),
        }
    }

    fn outline(&self, id: &str) -> Option<Outline> {
        let saved = match self.find(id) {
            Some(None) => return None,
            Some(Some(_)) => self.record(id).and_then(|it| Record::of(it)?.outline()),
            None => None,
        };
        saved.or_else(|| {
            let goal = self.goals_again().get(&id.parse().ok()?);
            goal.map(|goal| goal.outline.clone())
        })
    }

    fn fetch(&self, id: &str) -> Option<&Goal> {
        let kept = match self.find(id) {
            Some(None) => return None,
            Some(Some((entries, at))) => {
                let goal = entries.goals.get(at)?;
                goal.get_or_init(|| self.goal_of(entries, at)).as_deref()
            }
            None => None,
        };
        kept.or_else(|| self.goals_again().get(&id.parse().ok()?))
    }

    fn visit(&self, id: &str) -> Option<Cow<'_, Goal>> {
        let saved = match self.find(id) {
            Some(Some((entries, at))) if entries.goals.get(at)?.get().is_none() => {
                self.goal_of(entries, at)
            }
            _ => None,
        };
        let saved = saved.map(|goal| Cow::Owned(*goal));
        saved.or_else(|| self.fetch(id).map(Cow::Borrowed))
    }

    fn each(&self, on_goal: &mut dyn FnMut(&str, Label)) {
        if self.each_entry(on_goal).is_none() {
            self.goals_again().each(on_goal);
        }
    }

    fn rows(&self, open: bool, whole: bool) -> Vec<Row> {
        let names = if open { OPEN } else { ENDED };
        self.saved_rows(names, whole).unwrap_or_else(|| {
            let goals = self.goals_again();
            let wanted = goals.labels(|label| label.status.is_open() == open);
            let rows = wanted.into_iter().filter_map(|(id, _)| {
                let goal = &goals.touched_goal(id.as_str())?.outline;
                let audited = goal.audited(|line| self.lines.id(line));
                Some(Row::of(goal, audited.ok().flatten()))
            });
            rows.collect()
        })
    }

    fn counts(&self) -> &BTreeMap<Status, u64> {
        &self.sums.counts
    }

    fn unsettled(&self) -> u64 {
        self.sums.unsettled
    }

    fn outside(&self) -> u64 {
        self.sums.outside
    }
}

pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // One look at all of it is quicker than one at each of its texts.
    serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()
}
