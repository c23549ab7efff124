//! A table: rows in columns under their names, which share the width of a terminal.

use std::ops::Range;

use anstyle::Style;

use crate::domain::goal::state::Status;
use crate::render::columns::{BOLD, DIM, fit, sealed, styled, toned, width, within, wrapped};
use crate::render::marks::of_status;

/// Columns between two columns.
const GAP: usize = 2;

/// Columns before a further line of a row.
const INDENT: usize = 4;

/// A text has at least so much room before another column is left out, and before it goes below.
const TEXT: usize = 24;

/// The same where nothing else can be left out.
const NARROW: usize = 12;

/// Longer ids do not widen their column: other tools' can be long.
pub(super) const ID: usize = 24;

/// What stands in a column of a row.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
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
    pub(super) fn status(status: Status) -> Cell {
        let it = of_status(status);
        Cell::styled(format!("{} {}", it.mark, it.word), toned(it.tone))
    }

    /// So many bytes in bold, the rest dimmed.
    pub(super) fn told(text: impl Into<String>, bold: usize) -> Cell {
        Cell {
            bold,
            ..Cell::styled(text, DIM)
        }
    }

    /// A piece of it as it is shown.
    fn shown(&self, piece: &str) -> String {
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
enum Fill {
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
    heading: Option<&'static str>,
    fill: Fill,
    /// It is at least so wide, also where it says nothing.
    least: usize,
    /// Wider cells do not widen it.
    most: usize,
    /// It is shown where nobody chooses.
    usual: bool,
    /// Of those that may be left out where the width is too small, the lowest first; 0 may not.
    spare: u8,
    /// What stands there of a row, now.
    cell: fn(&R, i64) -> Cell,
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

    fn heading(&self) -> String {
        match self.heading {
            Some(heading) => heading.to_owned(),
            None => self.name.to_uppercase(),
        }
    }

    fn takes_spare_width(&self) -> bool {
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
    all: Vec<&'static Column<R>>,
    /// By whoever asked, who gets them all.
    are_chosen: bool,
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
}

/// A column and how wide it is.
#[derive(Debug)]
struct Placed<R: 'static> {
    column: &'static Column<R>,
    wide: usize,
}

/// The columns of a table with their widths.
#[derive(Debug)]
pub struct Table<R: 'static> {
    /// The columns of each line that a row has.
    lines: Vec<Vec<Placed<R>>>,
    /// What there is to say, and has no room.
    left_out: Vec<&'static str>,
    width: usize,
    now: i64,
}

impl<R: Tabled> Table<R> {
    /// As it fits the rows and the width.
    pub fn of(columns: &Columns<R>, rows: &[R], columns_wide: usize, now: i64) -> Table<R> {
        let widest = |column: &Column<R>| {
            let cells = rows.iter().map(|row| width(&(column.cell)(row, now).text));
            cells.max().unwrap_or(0)
        };
        let mut placed: Vec<Placed<R>> = Vec::new();
        for column in &columns.all {
            let widest = widest(column);
            if widest > 0 || column.least > 0 || columns.are_chosen {
                let wide = widest.min(column.most);
                let wide = wide.max(column.heading().len()).max(column.least);
                placed.push(Placed { column, wide });
            }
        }
        let is_wrapped = |it: &Placed<R>| it.column.fill == Fill::Wrapped;
        let most_lines = 1 + usize::from(placed.iter().any(is_wrapped));
        let fits = |placed: &[Placed<R>]| split(placed, columns_wide, TEXT).len() <= most_lines;
        let mut left_out = Vec::new();
        while !columns.are_chosen && !fits(&placed) {
            let spare = placed.iter().enumerate();
            let spare = spare.filter(|(_, it)| it.column.spare > 0);
            let Some((at, _)) = spare.min_by_key(|(_, it)| it.column.spare) else {
                break;
            };
            left_out.push(placed.remove(at).column.name);
        }
        left_out.sort_by_key(|name| R::names().position(|it| it == *name));
        let text = if fits(&placed) { TEXT } else { NARROW };
        let mut lines = Vec::new();
        for line in split(&placed, columns_wide, text).into_iter().rev() {
            lines.push(placed.split_off(line.start));
        }
        lines.reverse();
        for (at, line) in lines.iter_mut().enumerate() {
            share(line, columns_wide.saturating_sub(indent(at)));
        }
        Table {
            lines,
            left_out,
            width: columns_wide,
            now,
        }
    }

    /// How wide a line may be.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether it has a column of this name.
    pub fn has(&self, name: &str) -> bool {
        let mut all = self.lines.iter().flatten();
        all.any(|it| it.column.name == name)
    }

    /// The names of the columns, in capitals.
    pub fn heading(&self) -> String {
        let mut text = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            let names: Vec<String> = line.iter().map(Placed::heading).collect();
            let line = " ".repeat(indent(at)) + &names.join("  ");
            text.extend([&styled(&fit_line(&line, self.width), DIM), "\n"]);
        }
        text
    }

    /// The heading and the rows, and below them what has no room.
    pub fn text(&self, rows: &[R]) -> String {
        let mut text = self.heading() + &self.rows(rows);
        if let Some(remark) = self.left_out() {
            for line in wrapped(&remark, self.width, usize::MAX) {
                text.extend([&styled(&line, DIM), "\n"]);
            }
        }
        text
    }

    /// The rows alone.
    pub fn rows(&self, rows: &[R]) -> String {
        let mut text = String::new();
        for row in rows {
            self.row(&mut text, row);
            text.push('\n');
        }
        text
    }

    /// Which columns have no room.
    pub fn left_out(&self) -> Option<String> {
        let columns = self.width;
        (!self.left_out.is_empty()).then(|| {
            format!(
                "no room in {columns} columns: {}; `--columns` chooses",
                self.left_out.join(", ")
            )
        })
    }

    /// Adds the lines of a row, the last one without its end; how many columns that one takes.
    pub fn row(&self, text: &mut String, row: &R) -> usize {
        let from = text.len();
        let mut taken = 0;
        for (at, line) in self.lines.iter().enumerate() {
            let cells = line.iter().map(|it| (it.column.cell)(row, self.now));
            let cells: Vec<Cell> = cells.collect();
            if cells.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            if text.len() > from {
                text.push('\n');
            }
            taken = row_line(text, line, &cells, indent(at));
        }
        taken
    }
}

impl<R> Placed<R> {
    /// Its heading as wide as it is, on the side of its cells.
    fn heading(&self) -> String {
        let (heading, wide) = (self.column.heading(), self.wide);
        match self.column.fill {
            Fill::Right => format!("{heading:>wide$}"),
            _ => format!("{heading:wide$}"),
        }
    }
}

/// Columns before the line of this place in a row.
fn indent(at: usize) -> usize {
    if at == 0 { 0 } else { INDENT }
}

/// Which columns stand in which line of a row, where a text has at least so much room.
fn split<R>(columns: &[Placed<R>], width: usize, text: usize) -> Vec<Range<usize>> {
    let (mut lines, mut from, mut taken) = (Vec::new(), 0, 0);
    for (at, it) in columns.iter().enumerate() {
        let needs = match it.column.takes_spare_width() {
            true => it.wide.min(text),
            false => it.wide,
        };
        if at > from && taken + GAP + needs > width {
            lines.push(from..at);
            (from, taken) = (at, INDENT + needs);
        } else {
            taken += needs + if at > from { GAP } else { 0 };
        }
    }
    lines.push(from..columns.len());
    lines
}

/// Shares what the other columns of a line leave among its texts: each gets as much as the others, and
/// what those do not need.
fn share<R>(line: &mut [Placed<R>], width: usize) {
    let others = line.iter().filter(|it| !it.column.takes_spare_width());
    let others: usize = others.map(|it| it.wide).sum();
    let mut room = width.saturating_sub(others + GAP * line.len().saturating_sub(1));
    let texts = line.iter_mut().filter(|it| it.column.takes_spare_width());
    let mut texts: Vec<&mut Placed<R>> = texts.collect();
    let mut later: usize = texts.iter().map(|it| it.wide).sum();
    let mut left = texts.len();
    for it in &mut texts {
        later -= it.wide;
        let most = (room / left).max(room.saturating_sub(later));
        it.wide = it.wide.min(most).max(1);
        room = room.saturating_sub(it.wide);
        left -= 1;
    }
}

/// Adds a line of a row, behind so many columns; how many columns its last line takes.
fn row_line<R>(text: &mut String, line: &[Placed<R>], cells: &[Cell], indent: usize) -> usize {
    let from = text.len();
    text.push_str(&" ".repeat(indent));
    // An id is never cut, so that one can copy it; what it takes too much, a text gives.
    let (mut taken, mut over) = (indent, 0);
    for (at, (it, cell)) in line.iter().zip(cells).enumerate() {
        let is_last = at + 1 == line.len();
        if at > 0 {
            text.push_str("  ");
            taken += GAP;
        }
        let wide = match it.column.takes_spare_width() {
            true => it.wide.saturating_sub(over).max(1),
            false => it.wide,
        };
        let pieces = match it.column.fill {
            Fill::Left | Fill::Right => vec![cell.text.clone()],
            Fill::Wrapped if is_last => {
                let broken = within(&cell.text, wide);
                broken.lines().map(str::to_owned).collect()
            }
            Fill::Cut | Fill::Wrapped => vec![fit(&cell.text, wide)],
        };
        let begins = taken;
        for (nth, piece) in pieces.iter().enumerate() {
            let piece = sealed(piece);
            let takes = width(&piece);
            let gap = " ".repeat(wide.saturating_sub(takes));
            let shown = cell.shown(&piece);
            over += takes.saturating_sub(wide);
            taken = begins + takes;
            if nth > 0 {
                text.push('\n');
                text.push_str(&" ".repeat(begins));
            }
            match it.column.fill {
                Fill::Right => text.extend([gap.as_str(), shown.as_str()]),
                _ if is_last => text.push_str(&shown),
                _ => text.extend([shown.as_str(), gap.as_str()]),
            }
            if it.column.fill == Fill::Right || !is_last {
                taken += gap.len();
            }
        }
    }
    let end = text.trim_end_matches(' ').len().max(from);
    taken -= text.len() - end;
    text.truncate(end);
    taken
}

/// A line of headings, which are ASCII, cut where the terminal ends.
fn fit_line(line: &str, columns: usize) -> String {
    line.get(..columns).unwrap_or(line).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
