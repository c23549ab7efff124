//! A table: rows in columns under their names, which share the width of a terminal.

mod column;

use std::ops::Range;

use crate::render::columns::{DIM, fit, sealed, styled, width, within, wrapped};
use column::Fill;

pub(super) use column::ID;
pub use column::{Cell, Column, Columns, Tabled};

/// Columns between two columns.
const GAP: usize = 2;

/// Columns before a further line of a row.
const INDENT: usize = 4;

/// A text that is cut, and one that is broken, have at least so much room before another column is left
/// out, and before they go below.
const ROOMY: (usize, usize) = (24, 40);

/// The same where nothing else can be left out.
const NARROW: (usize, usize) = (6, 12);

/// A column and how wide it is.
#[derive(Debug)]
struct Placed<R: 'static> {
    column: &'static Column<R>,
    wide: usize,
    /// It stands below its row, and what is behind it goes on where it ends.
    runs_on: bool,
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
                placed.push(Placed {
                    column,
                    wide,
                    runs_on: false,
                });
            }
        }
        let is_wrapped = |it: &Placed<R>| it.column.fill == Fill::Wrapped;
        let most_lines = 1 + usize::from(placed.iter().any(is_wrapped));
        let fits = |placed: &[Placed<R>]| split(placed, columns_wide, ROOMY).len() <= most_lines;
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
        let is_roomy = columns.are_chosen || fits(&placed);
        let least = if is_roomy { ROOMY } else { NARROW };
        let mut lines = Vec::new();
        for line in split(&placed, columns_wide, least).into_iter().rev() {
            lines.push(placed.split_off(line.start));
        }
        lines.reverse();
        for (at, line) in lines.iter_mut().enumerate() {
            share(line, columns_wide.saturating_sub(indent(at)));
            if let (true, [.., cut, last]) = (at > 0, &mut line[..])
                && (cut.column.fill, last.column.fill) == (Fill::Cut, Fill::Wrapped)
            {
                (cut.runs_on, last.wide) = (true, cut.wide + GAP + last.wide);
            }
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
            let names: String = line.iter().map(Placed::heading).collect();
            let line = " ".repeat(indent(at)) + &names;
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

    /// Where the columns of this row end if the last one has nothing in it: what is said behind the row
    /// does not stand below the name of that column.
    pub fn empty_end(&self, row: &R) -> Option<usize> {
        let [line] = &self.lines[..] else {
            return None;
        };
        let last = (line.last()?.column.cell)(row, self.now);
        let wide: usize = line.iter().map(|it| it.wide + GAP).sum();
        last.text.is_empty().then(|| wide - GAP)
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
    /// Its heading as wide as it is, on the side of its cells, and the gap behind it.
    fn heading(&self) -> String {
        let (heading, wide) = (self.column.heading(), self.wide);
        match self.column.fill {
            _ if self.runs_on => format!("{heading}: "),
            Fill::Right => format!("{heading:>wide$}  "),
            _ => format!("{heading:wide$}  "),
        }
    }
}

/// Columns before the line of this place in a row.
fn indent(at: usize) -> usize {
    if at == 0 { 0 } else { INDENT }
}

/// Which columns stand in which line of a row, where a text that is cut and one that is broken have at least
/// so much room.
fn split<R>(columns: &[Placed<R>], width: usize, least: (usize, usize)) -> Vec<Range<usize>> {
    let (mut lines, mut from, mut taken) = (Vec::new(), 0, 0);
    for (at, it) in columns.iter().enumerate() {
        let needs = match it.column.fill {
            Fill::Left | Fill::Right => it.wide,
            Fill::Cut => it.wide.min(least.0),
            Fill::Wrapped => it.wide.min(least.1),
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
    let mut before = String::new();
    for (at, (it, cell)) in line.iter().zip(cells).enumerate() {
        let is_last = at + 1 == line.len();
        if it.runs_on {
            before = fit(&cell.text, ROOMY.0);
            continue;
        }
        if taken > indent {
            text.push_str("  ");
            taken += GAP;
        }
        let given = match it.column.takes_spare_width() {
            true => over.min(it.wide.saturating_sub(1)),
            false => 0,
        };
        let wide = it.wide - given;
        over -= given;
        let pieces = match it.column.fill {
            Fill::Left | Fill::Right => vec![cell.text.clone()],
            Fill::Wrapped if is_last => {
                let between = if before.is_empty() || cell.text.is_empty() {
                    ""
                } else {
                    ": "
                };
                let broken = within(&format!("{before}{between}{}", cell.text), wide);
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
