//! A saved state as it is used: labels and headers are read page by page, goals and links one by one.

use std::borrow::Cow;
use std::io::Read;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::found::Found;
use crate::domain::goal::header::{GoalHeader, Label};
use crate::domain::goal::outline::Outline;
use crate::domain::goal::state::Goal;
use crate::domain::goals::{Goals, SavedGoals, Sums, TouchedGoal, fold};
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, Source};
use crate::domain::line_index::LineIndex;
use crate::domain::replay::{LineHash, Links, Replay, Replayed, whole};
use crate::domain::requests::Answer;
use crate::domain::sessions::Sessions;
use crate::domain::state::State;
use crate::ledger::cache::{Cache, Piece};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;

/// The names of the pieces.
pub(super) const HEAD: &str = "head";
pub(super) const OPEN: &str = "open";
pub(super) const ENDED: &str = "ended";
pub(super) const LINKS: &str = "links";
pub(super) const REQUESTS: &str = "requests";
pub(super) const SESSIONS: &str = "sessions";

/// How many goals stand on a page.
pub(super) const GOALS: usize = 32;

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
    open: OnceLock<Option<Vec<Page>>>,
    ended: OnceLock<Option<Vec<Page>>>,
    /// Where all lines of ours stand, for the few that may stand twice.
    links: OnceLock<Links>,
    lines: Arc<Lines>,
    /// What the ledger's beginning comes to, for a cache that turns out to be damaged.
    again: OnceLock<Replayed>,
    /// Only hooks ask which session holds what.
    sessions: OnceLock<Sessions>,
}

/// Goals whose ids follow each other.
#[derive(Debug)]
struct Page {
    saved: SavedPage,
    goals: OnceLock<Option<Vec<SavedGoal>>>,
    headers: OnceLock<Option<Vec<GoalHeader>>>,
}

/// Where a page is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedPage {
    /// The first goal on it.
    pub(super) first: GoalId,
    /// What is looked up, [`SavedGoal`]s.
    pub(super) goals: Piece,
    /// What is listed: their headers, in the same order. They are long, and a look-up needs none.
    pub(super) headers: Piece,
}

/// What is saved of a goal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedGoal {
    pub(super) id: GoalId,
    pub(super) label: Label,
    /// Where its outline is.
    pub(super) outline: Piece,
    pub(super) content: Content,
    /// The goal, once somebody looked at it.
    #[serde(skip)]
    pub(super) goal: OnceLock<Option<Box<Goal>>>,
}

/// Where the rest of a goal is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Content {
    /// All of the goal.
    Goal(Piece),
    /// The places of its lines: an ended goal is hardly ever looked at, and folded when it is.
    Lines(Piece),
}

impl Saved {
    /// What this cache holds, and the state that replay goes on from; nothing when what is always
    /// needed is damaged.
    pub(super) fn open(cache: Arc<Cache>, lines: &Arc<Lines>) -> Option<(Arc<Saved>, Replayed)> {
        let head: Head = json(&cache.named(HEAD)?)?;
        let saved = Arc::new(Saved {
            cache,
            sums: head.sums,
            open: OnceLock::new(),
            ended: OnceLock::new(),
            links: OnceLock::new(),
            lines: Arc::clone(lines),
            again: OnceLock::new(),
            sessions: OnceLock::new(),
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
    pub fn extent(&self) -> Extent {
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
        let saved = saved.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        saved.unwrap_or_else(|| self.again().state.requests.all(Vec::new()))
    }

    /// The bytes of a piece.
    pub(super) fn piece(&self, piece: Piece) -> Option<Vec<u8>> {
        self.cache.piece(piece)
    }

    /// Where the lines of a goal are, of which that is all that is saved besides its outline.
    pub(super) fn lines_of(&self, goal: &SavedGoal) -> Option<LineIndex> {
        match goal.content {
            Content::Goal(_) => None,
            Content::Lines(piece) => self.piece(piece).map(LineIndex::of),
        }
    }

    /// The pages of the open goals, or of the ended ones; nothing when they are damaged.
    fn pages(&self, open: bool) -> Option<&[Page]> {
        let (pages, name) = match open {
            true => (&self.open, OPEN),
            false => (&self.ended, ENDED),
        };
        let pages = pages.get_or_init(|| {
            let pages: Vec<SavedPage> = json(&self.cache.named(name)?)?;
            let page = |saved| Page {
                saved,
                goals: OnceLock::new(),
                headers: OnceLock::new(),
            };
            Some(pages.into_iter().map(page).collect())
        });
        pages.as_deref()
    }

    fn goals_on<'s>(&'s self, page: &'s Page) -> Option<&'s [SavedGoal]> {
        let read = || json(&self.piece(page.saved.goals)?);
        page.goals.get_or_init(read).as_deref()
    }

    /// Reads the headers on this page, for whoever keeps them.
    fn read_headers(&self, page: &Page) -> Option<Vec<GoalHeader>> {
        postcard::from_bytes(&self.piece(page.saved.headers)?).ok()
    }

    fn headers_on<'s>(&'s self, page: &'s Page) -> Option<&'s [GoalHeader]> {
        let read = || self.read_headers(page);
        page.headers.get_or_init(read).as_deref()
    }

    /// The page and the place on it of the goal with this id, if there is one; nothing when that cannot
    /// be told.
    fn place(&self, id: &str) -> Option<Option<(&Page, usize)>> {
        for open in [true, false] {
            let pages = self.pages(open)?;
            let behind = pages.partition_point(|page| page.saved.first.as_str() <= id);
            if let Some(page) = behind.checked_sub(1).and_then(|at| pages.get(at)) {
                let goals = self.goals_on(page)?;
                if let Ok(at) = goals.binary_search_by(|goal| goal.id.as_str().cmp(id)) {
                    return Some(Some((page, at)));
                }
            }
        }
        Some(None)
    }

    /// What is saved of the goal with this id, if there is one; nothing when that cannot be told.
    pub(super) fn find(&self, id: &str) -> Option<Option<&SavedGoal>> {
        match self.place(id)? {
            Some((page, at)) => self.goals_on(page)?.get(at).map(Some),
            None => Some(None),
        }
    }

    /// The header of the goal with this id.
    pub(super) fn header(&self, id: &str) -> Option<&GoalHeader> {
        let (page, at) = self.place(id)??;
        self.headers_on(page)?.get(at)
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

    fn outline_of(&self, saved: &SavedGoal) -> Option<Outline> {
        json(&self.piece(saved.outline)?)
    }

    fn goal_of(&self, saved: &SavedGoal) -> Option<Box<Goal>> {
        if let Content::Goal(piece) = saved.content {
            return json(&self.piece(piece)?);
        }
        let (known, lines) = (self.outline_of(saved)?, self.lines_of(saved)?);
        let mut goal = Goal::implicit(known.id, known.ordinal, &known.created_at);
        fold(&mut goal, &lines, &*self.lines, None).then(|| Box::new(goal))
    }

    /// What all pages say; nothing when one is damaged.
    fn all_headers(&self, open: bool) -> Option<Vec<GoalHeader>> {
        let pages = self.pages(open)?;
        let mut all = Vec::with_capacity(pages.len() * GOALS);
        for page in pages {
            match page.headers.get() {
                Some(kept) => all.extend_from_slice(kept.as_deref()?),
                None => all.append(&mut self.read_headers(page)?),
            }
        }
        Some(all)
    }
}

impl SavedGoals for Saved {
    fn sums(&self) -> &Sums {
        &self.sums
    }

    fn sessions(&self) -> &Sessions {
        self.sessions.get_or_init(|| {
            let saved = self.cache.named(SESSIONS).and_then(|bytes| json(&bytes));
            saved.unwrap_or_else(|| self.again().state.sessions.clone())
        })
    }

    fn label(&self, id: &str) -> Option<Label> {
        match self.find(id) {
            Some(found) => found.map(|saved| saved.label),
            None => self.goals_again().label(id),
        }
    }

    fn outline(&self, id: &str) -> Option<Outline> {
        let saved = match self.find(id) {
            Some(found) => self.outline_of(found?),
            None => None,
        };
        saved.or_else(|| {
            let goal = self.goals_again().outline(&id.parse().ok()?);
            goal.map(Cow::into_owned)
        })
    }

    fn fetch(&self, id: &str) -> Option<&Goal> {
        let kept = match self.find(id) {
            Some(found) => {
                let saved = found?;
                saved.goal.get_or_init(|| self.goal_of(saved)).as_deref()
            }
            None => None,
        };
        kept.or_else(|| self.goals_again().get(&id.parse().ok()?))
    }

    fn visit(&self, id: &str) -> Option<Cow<'_, Goal>> {
        let saved = match self.find(id) {
            Some(Some(saved)) if saved.goal.get().is_none() => self.goal_of(saved),
            _ => None,
        };
        let saved = saved.map(|goal| Cow::Owned(*goal));
        saved.or_else(|| self.fetch(id).map(Cow::Borrowed))
    }

    fn headers(&self, open: bool) -> Vec<GoalHeader> {
        self.all_headers(open).unwrap_or_else(|| {
            let goals = self.goals_again();
            // What was replayed from the beginning is all at hand.
            let wanted = goals.touched();
            let wanted = wanted.filter(|it| it.outline.status.is_open() == open);
            let header = |touched: &TouchedGoal| {
                let audited = touched.outline.audited(|line| self.lines.id(line));
                goals.header(touched, audited.ok().flatten())
            };
            wanted.map(header).collect()
        })
    }
}

pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // One look at all of it is quicker than one at each of its texts.
    serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()
}
