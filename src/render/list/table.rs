//! The columns of a listing and how they share the width.

use clap::ValueEnum;

use super::cells::{Column, ID};
use super::remarks::{placed, remarks};
use super::{Listing, Onlooker};
use crate::domain::attention::Standing;
use crate::render::columns::{BOLD, DIM, fit, padded, sealed, status_column, styled, width};
use crate::render::view::GoalRow;

/// A title has at least so much room before another column is left out.
const TITLE: usize = 24;

/// Columns between two columns.
const GAP: usize = 2;

/// The columns of a listing with their widths.
pub(super) struct Table<'a> {
    columns: Vec<(Column, usize)>,
    /// What there is to say, and has no room.
    left_out: Vec<Column>,
    width: usize,
    onlooker: Onlooker<'a>,
}

impl<'a> Table<'a> {
    /// As it fits the rows and the width.
    pub(super) fn of(listing: &Listing<'a>) -> Table<'a> {
        let chosen = match listing.columns {
            [] => usual(listing),
            chosen => chosen.to_vec(),
        };
        let now = listing.onlooker.now;
        let widest = |column: Column| {
            let cells = listing.rows.iter().map(|row| width(&column.cell(row, now)));
            cells.max().unwrap_or(0)
        };
        let mut columns: Vec<(Column, usize)> = chosen
            .into_iter()
            .map(|column| (column, widest(column)))
            .filter(|(_, widest)| *widest > 0 || !listing.columns.is_empty())
            .map(|(column, widest)| match column {
                Column::Id => (column, widest.min(ID)),
                Column::Title => (column, widest),
                _ => (column, widest.max(column.heading().len())),
            })
            .collect();
        let mut left_out = Vec::new();
        let has_title = columns.iter().any(|(it, _)| *it == Column::Title);
        let needed = if has_title { TITLE } else { 0 };
        for column in Column::DISPENSABLE {
            let is_chosen = !listing.columns.is_empty();
            if is_chosen || others(&columns) + needed.min(title(&columns)) <= listing.width {
                break;
            }
            if let Some(at) = columns.iter().position(|(it, _)| *it == column) {
                columns.remove(at);
                left_out.push(column);
            }
        }
        let room = listing.width.saturating_sub(others(&columns));
        for (column, widest) in &mut columns {
            if *column == Column::Title {
                *widest = (*widest).min(room).max(Column::Title.heading().len());
            }
        }
        left_out.sort();
        Table {
            columns,
            left_out,
            width: listing.width,
            onlooker: listing.onlooker,
        }
    }

    /// The names of the columns, in capitals.
    pub(super) fn heading(&self) -> String {
        let names = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, (column, wide))| self.aligned(at, &column.heading(), *wide));
        let line = names.collect::<Vec<String>>().join("  ");
        let line = fit_line(&line, self.width);
        format!("{}\n", styled(line, DIM))
    }

    /// Which columns have no room.
    pub(super) fn left_out(&self) -> Option<String> {
        let names: Vec<String> = self.left_out.iter().map(|it| it.name()).collect();
        let columns = self.width;
        (!names.is_empty()).then(|| {
            format!(
                "no room in {columns} columns: {}; `--columns` chooses",
                names.join(", ")
            )
        })
    }

    /// Adds the line of a goal, and what is to be remarked about it.
    pub(super) fn row(&self, text: &mut String, row: &GoalRow) {
        // An id is never cut, so that one can copy it; what it takes too much, the title gives.
        let (mut taken, mut over) = (0, 0);
        let from = text.len();
        for (at, (column, wide)) in self.columns.iter().enumerate() {
            if at > 0 {
                text.push_str("  ");
                taken += GAP;
            }
            let wide = match column {
                Column::Title => wide.saturating_sub(over).max(1),
                _ => *wide,
            };
            let cell = self.cell(*column, row, wide);
            let plain = self.aligned(at, &cell, wide);
            let takes = width(&plain);
            over += takes.saturating_sub(wide);
            taken += takes;
            text.push_str(&coloured(*column, row, &cell, &plain));
        }
        let end = text.trim_end_matches(' ').len().max(from);
        taken -= text.len() - end;
        text.truncate(end);
        let shows_audits = self.columns.iter().any(|(it, _)| *it == Column::Audits);
        let remarks = remarks(row, shows_audits, self.onlooker);
        match remarks.is_empty() {
            true => text.push('\n'),
            false => text.push_str(&placed(&remarks, taken, self.width)),
        }
    }

    fn cell(&self, column: Column, row: &GoalRow, wide: usize) -> String {
        let cell = column.cell(row, self.onlooker.now);
        match column {
            Column::Title => sealed(&fit(&cell, wide)),
            Column::Owner => sealed(&cell),
            _ => cell,
        }
    }

    /// The cell as wide as its column; the last one ends where it ends.
    fn aligned(&self, at: usize, cell: &str, wide: usize) -> String {
        let column = self.columns[at].0;
        if column.is_right_aligned() {
            return format!("{}{cell}", " ".repeat(wide.saturating_sub(width(cell))));
        }
        match at + 1 == self.columns.len() {
            true => cell.to_owned(),
            false => padded(cell, wide),
        }
    }
}

/// The columns that say something where nobody chooses them: the standing where no heading says it, the
/// status where the standing does not.
fn usual(listing: &Listing<'_>) -> Vec<Column> {
    let vague = |row: &GoalRow| matches!(row.standing, Standing::Ended | Standing::Contested);
    let any_vague = listing.rows.iter().any(vague);
    let shown = |column: &Column| match column {
        Column::Standing => !listing.grouped,
        Column::Status => any_vague,
        _ => true,
    };
    let all = Column::value_variants().iter();
    all.copied().filter(shown).collect()
}

/// What all columns but the title take, and the gaps.
fn others(columns: &[(Column, usize)]) -> usize {
    let wide = columns.iter().filter(|(it, _)| *it != Column::Title);
    let wide: usize = wide.map(|(_, wide)| wide).sum();
    wide + GAP * columns.len().saturating_sub(1)
}

fn title(columns: &[(Column, usize)]) -> usize {
    let title = columns.iter().find(|(it, _)| *it == Column::Title);
    title.map_or(0, |(_, wide)| *wide)
}

/// A line of headings, which are ASCII, cut where the terminal ends.
fn fit_line(line: &str, columns: usize) -> &str {
    line.get(..columns).unwrap_or(line).trim_end()
}

/// The aligned cell in its colours.
fn coloured(column: Column, row: &GoalRow, cell: &str, aligned: &str) -> String {
    match (column, row.telling) {
        (Column::Status, _) => {
            let missing = width(aligned) - width(cell);
            let status = status_column(row.status);
            let status = status.trim_end();
            format!("{status}{}", " ".repeat(missing))
        }
        (Column::Id, Some(telling)) => {
            let (told, rest) = aligned.split_at(telling.min(aligned.len()));
            format!("{}{}", styled(told, BOLD), styled(rest, DIM))
        }
        _ => match column.style(row) {
            style if style.is_plain() => aligned.to_owned(),
            style => styled(aligned, style),
        },
    }
}
