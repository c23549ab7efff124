//! What columns a table has, and what stands in them.

use anstyle::Style;

use crate::domain::goal::state::Status;
use crate::render::columns::{BOLD, DIM, styled, toned};
use crate::render::marks::of_status;

/// Longer ids do not widen their column: other tools' can be long.
pub(in crate::render) const ID: usize = 24;

/// What stands in a column of a row.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub(super) text: String,
    style: Style,
    /// How many bytes of it are told in bold.
    bold: usize,
}

impl Cell {
    /// In this style.
    pub fn styled(text: impl Into<String>, style: Style) -> Cell {
        let text = text.into();
        Cell {
            text,
            style,
            bold: 0,
        }
    }

    /// Mark and name of a status, in its colour.
    pub(in crate::render) fn status(status: Status) -> Cell {
        let it = of_status(status);
        Cell::styled(format!("{} {}", it.mark, it.word), toned(it.tone))
    }

    /// So many bytes in bold, the rest dimmed.
    pub(in crate::render) fn told(text: impl Into<String>, bold: usize) -> Cell {
        Cell {
            bold,
            ..Cell::styled(text, DIM)
        }
    }

    /// A piece of it as it is shown.
    pub(super) fn shown(&self, piece: &str) -> String {
        let (told, rest) = piece.split_at(piece.floor_char_boundary(self.bold));
        styled(told, BOLD) + &styled(rest, self.style)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::styled(text, Style::new())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_owned().into()
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or_else(Cell::default, Into::into)
    }
}

/// How a column is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// Its cells begin at the same place, and are never cut.
    Left,
    /// Its cells end at the same place, and are never cut.
    Right,
    /// It takes spare width; its cells are cut where there is too little.
    Cut,
    /// It takes spare width; its cells go on below where there is too little.
    Wrapped,
}

/// A column that a table can have.
#[derive(Debug)]
pub struct Column<R: 'static> {
    /// As `--columns` takes it.
    pub name: &'static str,
    /// What stands in it, for the help.
    pub about: &'static str,
    pub(super) heading: Option<&'static str>,
    pub(super) fill: Fill,
    /// It is at least so wide, also where it says nothing.
    pub(super) least: usize,
    /// Wider cells do not widen it.
    pub(super) most: usize,
    /// It is shown where nobody chooses.
    usual: bool,
    /// Of those that may be left out where the width is too small, the lowest first; 0 may not.
    pub(super) spare: u8,
    /// What stands there of a row, now.
    pub(super) cell: fn(&R, i64) -> Cell,
}

impl<R> Column<R> {
    const fn new(
        fill: Fill,
        name: &'static str,
        about: &'static str,
        cell: fn(&R, i64) -> Cell,
    ) -> Column<R> {
        Column {
            name,
            about,
            heading: None,
            fill,
            least: 0,
            most: usize::MAX,
            usual: true,
            spare: 0,
            cell,
        }
    }

    /// Of short words, which begin at the same place.
    pub const fn left(
        name: &'static str,
        about: &'static str,
        cell: fn(&R, i64) -> Cell,
    ) -> Column<R> {
        Column::new(Fill::Left, name, about, cell)
    }

    /// Of numbers, which end at the same place.
    pub const fn right(
        name: &'static str,
        about: &'static str,
        cell: fn(&R, i64) -> Cell,
    ) -> Column<R> {
        Column::new(Fill::Right, name, about, cell)
    }

    /// Of texts that are cut to the spare width.
    pub const fn cut(
        name: &'static str,
        about: &'static str,
        cell: fn(&R, i64) -> Cell,
    ) -> Column<R> {
        Column::new(Fill::Cut, name, about, cell)
    }

    /// Of texts that are broken between words to the spare width.
    pub const fn wrapped(
        name: &'static str,
        about: &'static str,
        cell: fn(&R, i64) -> Cell,
    ) -> Column<R> {
        Column::new(Fill::Wrapped, name, about, cell)
    }

    /// With another heading than its name.
    pub const fn headed(self, heading: &'static str) -> Column<R> {
        Column {
            heading: Some(heading),
            ..self
        }
    }

    /// At least so wide.
    pub const fn least(self, least: usize) -> Column<R> {
        Column { least, ..self }
    }

    /// At most so wide; wider cells push away what follows.
    pub const fn most(self, most: usize) -> Column<R> {
        Column { most, ..self }
    }

    /// Shown only where it is chosen.
    pub const fn chosen(self) -> Column<R> {
        Column {
            usual: false,
            ..self
        }
    }

    /// Left out where the width is too small, in this order.
    pub const fn spare(self, spare: u8) -> Column<R> {
        Column { spare, ..self }
    }

    pub(super) fn heading(&self) -> String {
        match self.heading {
            Some(heading) => heading.to_owned(),
            None => self.name.to_uppercase(),
        }
    }

    pub(super) fn takes_spare_width(&self) -> bool {
        matches!(self.fill, Fill::Cut | Fill::Wrapped)
    }
}

/// What is listed in tables.
pub trait Tabled: Sized + 'static {
    /// All columns that such a table can have, in the order in which the usual ones are shown.
    const COLUMNS: &'static [Column<Self>];

    /// The names of its columns.
    fn names() -> impl Iterator<Item = &'static str> {
        Self::COLUMNS.iter().map(|column| column.name)
    }
}

/// Which columns are shown.
#[derive(Debug, Clone)]
pub struct Columns<R: 'static> {
    pub(super) all: Vec<&'static Column<R>>,
    /// By whoever asked, who gets them all.
    pub(super) are_chosen: bool,
}

impl<R: Tabled> Columns<R> {
    /// Those that are shown where nobody chooses.
    pub fn usual() -> Columns<R> {
        let all = R::COLUMNS.iter();
        Columns {
            all: all.filter(|column| column.usual).collect(),
            are_chosen: false,
        }
    }

    /// Those of these names, in this order; the usual ones where none is named.
    ///
    /// # Errors
    /// A name is there twice, or no column is called so: which.
    pub fn named(names: &[String]) -> Result<Columns<R>, String> {
        let mut all: Vec<&Column<R>> = Vec::new();
        for name in names {
            let Some(column) = R::COLUMNS.iter().find(|it| it.name == name) else {
                let known: Vec<&str> = R::names().collect();
                return Err(format!(
                    "no column is called {name:?}; there are {}",
                    known.join(", ")
                ));
            };
            if all.iter().any(|it| it.name == column.name) {
                return Err(format!("`--columns` names {name} twice"));
            }
            all.push(column);
        }
        Ok(match all.is_empty() {
            true => Columns::usual(),
            false => Columns {
                all,
                are_chosen: true,
            },
        })
    }

    /// Without the columns for which this says no, unless they are chosen.
    pub fn only(mut self, is_shown: impl Fn(&str) -> bool) -> Columns<R> {
        let are_chosen = self.are_chosen;
        self.all.retain(|it| are_chosen || is_shown(it.name));
        self
    }

    /// Whether somebody chose them.
    pub fn are_chosen(&self) -> bool {
        self.are_chosen
    }

    /// Whether somebody chose this one.
    pub fn has_chosen(&self, name: &str) -> bool {
        self.are_chosen && self.all.iter().any(|it| it.name == name)
    }
}
