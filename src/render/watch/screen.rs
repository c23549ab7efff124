//! Where the person is on the screen, and what a key does to that.
//!
//! Rows never move under the cursor. Until a key is pressed that moves it, the list is always in
//! its newest order, and the cursor goes where its row goes. From that key on every row keeps its
//! place: what changes is drawn anew there, what is gone stays there, and what is new stands at
//! the end. `s` puts all in the newest order, and `g` also lets go of it again.

use crate::domain::select::folded;
use crate::render::watch::rows::{Group, Row, RowId, arranged, kept};
use crate::render::watch::scene::Scene;

/// A key, as the screen knows keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Enter,
    Tab,
    Escape,
    Backspace,
    Letter(char),
}

/// What the caller has to do about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// To draw.
    Draw,
    /// To leave the screen for the dialog about the chosen row.
    Open,
    Quit,
}

/// What the keys move.
#[derive(Debug, Clone, Default)]
pub struct Screen {
    pub(in crate::render) rows: Vec<Row>,
    /// Those that the filter lets through, as places in `rows`.
    pub(super) shown: Vec<usize>,
    /// The place of the cursor among them.
    pub(super) at: usize,
    /// The first line of the list that is on the screen.
    pub(super) top: usize,
    /// How many lines of the list were on the screen last.
    pub(super) page: usize,
    /// Rows keep their places.
    pub(super) held: bool,
    pub(super) filter: String,
    pub(super) typing: bool,
    pub(super) only_needs: bool,
    pub(super) help: bool,
    /// The keys move the right pane.
    pub(super) in_detail: bool,
    /// The first line of it that is on the screen.
    pub(super) scrolled: usize,
    /// Why what is shown may not be what is.
    pub trouble: Option<String>,
}

impl Screen {
    /// The screen of a project that was just read.
    pub fn new(scene: &Scene) -> Screen {
        let mut screen = Screen {
            rows: arranged(scene),
            ..Screen::default()
        };
        screen.sift(None);
        screen
    }

    /// Takes in what is known now.
    pub fn update(&mut self, scene: &Scene) {
        let chosen = self.chosen().map(|row| row.id.clone());
        self.rows = match self.held {
            true => kept(&self.rows, scene),
            false => arranged(scene),
        };
        self.sift(chosen);
    }

    /// The row under the cursor.
    pub fn chosen(&self) -> Option<&Row> {
        self.rows.get(*self.shown.get(self.at)?)
    }

    /// Finds the rows that the filter lets through, and the chosen one among them.
    fn sift(&mut self, chosen: Option<RowId>) {
        let words = folded(&self.filter);
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let passes = |row: &Row| {
            let is_need = matches!(row.id, RowId::Need { .. });
            (is_need || !self.only_needs) && row.has(&words)
        };
        let passing = self.rows.iter().enumerate().filter(|(_, row)| passes(row));
        self.shown = passing.map(|(place, _)| place).collect();
        let found = chosen.and_then(|id| {
            let mut shown = self.shown.iter();
            shown.position(|place| self.rows[*place].id == id)
        });
        match found {
            Some(at) => self.at = at,
            None => {
                self.at = self.at.min(self.shown.len().saturating_sub(1));
                self.scrolled = 0;
            }
        }
    }

    /// Sifts anew, keeping the cursor where it is.
    fn sift_again(&mut self) {
        let chosen = self.chosen().map(|row| row.id.clone());
        self.sift(chosen);
    }

    /// How many rows came that the order does not have yet.
    pub(super) fn news(&self) -> usize {
        let news = self.rows.iter().filter(|row| row.group == Group::New);
        news.count()
    }

    /// Does what a key says.
    pub fn press(&mut self, press: Press, scene: &Scene) -> Act {
        if self.help {
            // Any key leaves it.
            self.help = false;
            return Act::Draw;
        }
        if self.typing {
            self.type_filter(press);
            return Act::Draw;
        }
        if self.in_detail && self.scroll(press) {
            return Act::Draw;
        }
        match press {
            Press::Letter('q') => return Act::Quit,
            Press::Letter('?') => self.help = true,
            Press::Letter('j') | Press::Down => self.go(self.at.saturating_add(1)),
            Press::Letter('k') | Press::Up => self.go(self.at.saturating_sub(1)),
            Press::PageDown => self.go(self.at.saturating_add(self.page.max(1))),
            Press::PageUp => self.go(self.at.saturating_sub(self.page.max(1))),
            Press::Letter('G') | Press::Last => self.go(usize::MAX),
            Press::Letter('g') | Press::First => {
                self.rows = arranged(scene);
                self.sift(None);
                self.go(0);
                self.held = false;
            }
            Press::Letter('s') => {
                let chosen = self.chosen().map(|row| row.id.clone());
                self.rows = arranged(scene);
                self.sift(chosen);
            }
            Press::Letter('/') => {
                self.held = true;
                self.typing = true;
            }
            Press::Letter('f') => {
                self.held = true;
                self.only_needs = !self.only_needs;
                self.sift_again();
            }
            Press::Tab => self.in_detail = !self.in_detail,
            Press::Escape => {
                self.in_detail = false;
                self.filter.clear();
                self.only_needs = false;
                self.sift_again();
            }
            Press::Enter if self.chosen().is_some_and(|row| !row.gone) => {
                self.held = true;
                return Act::Open;
            }
            Press::Enter | Press::Backspace | Press::Letter(_) => {}
        }
        Act::Draw
    }

    /// Moves the cursor.
    fn go(&mut self, at: usize) {
        self.held = true;
        let at = at.min(self.shown.len().saturating_sub(1));
        if at != self.at {
            self.scrolled = 0;
        }
        self.at = at;
    }

    /// Moves the right pane; says whether the key was for that.
    fn scroll(&mut self, press: Press) -> bool {
        let page = self.page.max(1);
        self.scrolled = match press {
            Press::Letter('j') | Press::Down => self.scrolled.saturating_add(1),
            Press::Letter('k') | Press::Up => self.scrolled.saturating_sub(1),
            Press::PageDown => self.scrolled.saturating_add(page),
            Press::PageUp => self.scrolled.saturating_sub(page),
            Press::Letter('g') | Press::First => 0,
            Press::Letter('G') | Press::Last => usize::MAX,
            Press::Escape => {
                self.in_detail = false;
                return true;
            }
            _ => return false,
        };
        true
    }

    fn type_filter(&mut self, press: Press) {
        match press {
            Press::Letter(letter) => self.filter.push(letter),
            Press::Backspace => drop(self.filter.pop()),
            Press::Enter | Press::Tab => self.typing = false,
            Press::Escape => {
                self.typing = false;
                self.filter.clear();
            }
            Press::Down => {
                self.typing = false;
                self.go(self.at.saturating_add(1));
            }
            Press::Up => {
                self.typing = false;
                self.go(self.at.saturating_sub(1));
            }
            Press::PageUp | Press::PageDown | Press::First | Press::Last => {}
        }
        self.sift_again();
    }
}
