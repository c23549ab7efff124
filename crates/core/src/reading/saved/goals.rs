//! A saved state as it is used: rows are read all at once, goals one by one.

use std::borrow::Cow;
use std::io::Read;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::findings::Findings;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::Goal;
use crate::domain::goals::{Goals, SavedGoals, Sums};
use crate::domain::hold::Sessions;
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, Source};
use crate::domain::replay::{LineHash, Links, Replay, Replayed, whole};
use crate::domain::requests::AnsweredRequest;
use crate::domain::state::State;
use crate::ledger::cache::{Cache, Piece};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;

/// The names of the pieces.
pub(super) const HEAD: &str = "head";
pub(super) const OPEN: &str = "open";
pub(super) const ENDED: &str = "ended";
pub(super) const IDS: &str = "ids";
pub(super) const LINKS: &str = "links";
pub(super) const REQUESTS: &str = "requests";
pub(super) const SESSIONS: &str = "sessions";

/// The state without its goals.
#[derive(Debug, Deserialize)]
struct Head {
    state: State,
    sums: Sums,
    diagnostics: Findings,
}

/// A [`Head`] to be written.
#[derive(Debug, Serialize)]
pub(super) struct HeadOf<'a> {
    pub(super) state: &'a State,
    pub(super) sums: Sums,
    pub(super) diagnostics: &'a Findings,
}

/// The saved state of a ledger's beginning.
#[derive(Debug)]
pub struct Saved {
    cache: Arc<Cache>,
    sums: Sums,
    /// Of all goals, in order: most commands ask of many only whether they are there.
    ids: OnceLock<Vec<GoalId>>,
    open: OnceLock<Shelf>,
    ended: OnceLock<Shelf>,
    /// Where all lines of ours stand, for the few that may stand twice.
    links: OnceLock<Links>,
    lines: Arc<Lines>,
    /// What the ledger's beginning comes to, for a saved state that turns out to be damaged.
    again: OnceLock<Replayed>,
    /// Only hooks ask which session holds what.
    sessions: OnceLock<Sessions>,
}

/// The open goals, or the ended ones, by id.
#[derive(Debug)]
struct Shelf {
    rows: Vec<Row>,
    /// Where each goal is, and the goal once somebody looked at it. Empty where the rows are made anew.
    goals: Vec<(Piece, OnceLock<Option<Box<Goal>>>)>,
}

impl Saved {
    /// What this file holds, and the state that replay goes on from; `None` when what is always needed is
    /// damaged.
    pub(super) fn open(cache: Arc<Cache>, lines: &Arc<Lines>) -> Option<(Arc<Saved>, Replayed)> {
        let head: Head = json(&cache.named(HEAD)?)?;
        let saved = Arc::new(Saved {
            cache,
            sums: head.sums,
            ids: OnceLock::new(),
            open: OnceLock::new(),
            ended: OnceLock::new(),
            links: OnceLock::new(),
            lines: Arc::clone(lines),
            again: OnceLock::new(),
            sessions: OnceLock::new(),
        });
        let replayed = Replayed {
            state: State {
                goals: Goals::of(Arc::clone(&saved) as Arc<dyn SavedGoals>),
                ..head.state
            },
            diagnostics: head.diagnostics,
            ..Replayed::default()
        };
        Some((saved, replayed))
    }

    /// The beginning of the ledger that it is about.
    pub fn extent(&self) -> Extent {
        self.cache.base().extent
    }

    /// The lines of ours with this hash.
    pub(super) fn lines_like(&self, hash: LineHash) -> Vec<LineRef> {
        let links = self.links.get_or_init(|| {
            let saved = self.links().map(|bytes| Links::of_bytes(&bytes));
            let mut links = saved.unwrap_or_else(|| self.again().links.clone());
            links.sort_waiting();
            links
        });
        links.of(hash)
    }

    /// Where all lines of ours stand, as it was saved.
    pub(super) fn links(&self) -> Option<Vec<u8>> {
        self.cache.named(LINKS)
    }

    /// The requests that were answered, oldest first.
    pub fn answers(&self) -> Vec<AnsweredRequest> {
        let saved = self.cache.named(REQUESTS);
        let saved = saved.and_then(|bytes| json(&bytes));
        saved.unwrap_or_else(|| self.again().state.requests.all(Vec::new()))
    }

    /// The bytes in which the goal with this id is saved, for the next saved state.
    pub(super) fn bytes_of(&self, id: &str) -> Option<Vec<u8>> {
        let (shelf, at) = self.place(id)?;
        self.cache.piece(shelf.goals.get(at)?.0)
    }

    fn shelf(&self, open: bool) -> &Shelf {
        let (shelf, name) = match open {
            true => (&self.open, OPEN),
            false => (&self.ended, ENDED),
        };
        shelf.get_or_init(|| {
            let saved = self.cache.named(name);
            let saved: Option<Vec<(Row, Piece)>> =
                saved.and_then(|it| postcard::from_bytes(&it).ok());
            match saved {
                Some(saved) => {
                    let (rows, pieces): (Vec<Row>, Vec<Piece>) = saved.into_iter().unzip();
                    let goals = pieces.into_iter().map(|it| (it, OnceLock::new()));
                    let goals = goals.collect();
                    Shelf { rows, goals }
                }
                None => Shelf {
                    rows: self.rows_again(open),
                    goals: Vec::new(),
                },
            }
        })
    }

    /// Where the goal with this id is.
    fn place(&self, id: &str) -> Option<(&Shelf, usize)> {
        if !self.contains(id) {
            return None;
        }
        [true, false].into_iter().find_map(|open| {
            let shelf = self.shelf(open);
            let at = shelf.rows.binary_search_by(|row| row.id.as_str().cmp(id));
            Some((shelf, at.ok()?))
        })
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

    fn rows_again(&self, open: bool) -> Vec<Row> {
        let goals = self.again().state.goals.at_hand();
        let row = |goal: &Goal| {
            let audited = goal.audited(|line| self.lines.id(line));
            Row::of(goal, audited.ok().flatten())
        };
        let mut rows: Vec<Row> = goals
            .filter(|goal| goal.status.is_open() == open)
            .map(row)
            .collect();
        rows.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        rows
    }
}

impl SavedGoals for Saved {
    fn sums(&self) -> &Sums {
        &self.sums
    }

    fn contains(&self, id: &str) -> bool {
        let ids = self.ids.get_or_init(|| {
            let saved = self.cache.named(IDS).and_then(|bytes| json(&bytes));
            saved.unwrap_or_else(|| {
                let mut ids = self.again().state.goals.ids(|_| true);
                ids.sort_unstable();
                ids
            })
        });
        ids.binary_search_by(|it| it.as_str().cmp(id)).is_ok()
    }

    fn row(&self, id: &str) -> Option<&Row> {
        let (shelf, at) = self.place(id)?;
        shelf.rows.get(at)
    }

    fn rows(&self, open: bool) -> &[Row] {
        &self.shelf(open).rows
    }

    fn goal(&self, id: &str) -> Option<&Goal> {
        let (shelf, at) = self.place(id)?;
        let saved = shelf.goals.get(at).and_then(|(piece, goal)| {
            let read = || json(&self.cache.piece(*piece)?);
            goal.get_or_init(read).as_deref()
        });
        saved.or_else(|| self.again().state.goals.get_at_hand(id))
    }

    fn visit(&self, id: &str) -> Option<Cow<'_, Goal>> {
        let (shelf, at) = self.place(id)?;
        let read = match shelf.goals.get(at) {
            Some((piece, goal)) if goal.get().is_none() => {
                self.cache.piece(*piece).and_then(|it| json(&it))
            }
            _ => None,
        };
        let read = read.map(Cow::Owned);
        read.or_else(|| self.goal(id).map(Cow::Borrowed))
    }

    fn sessions(&self) -> &Sessions {
        self.sessions.get_or_init(|| {
            let saved = self.cache.named(SESSIONS).and_then(|bytes| json(&bytes));
            saved.unwrap_or_else(|| self.again().state.sessions.clone())
        })
    }
}

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // One look at all of it is quicker than one at each of its texts.
    serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()
}
