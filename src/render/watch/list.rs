//! The list: a heading for each group, a line for each row.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::render::amounts::age;
use crate::render::columns::{fit, padded, sealed, width};
use crate::render::inbox::nothing_waits;
use crate::render::list::{counts, no_goals};
use crate::render::watch::pane::{below_title, title};
use crate::render::watch::rows::{Group, Row};
use crate::render::watch::scene::Scene;
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{BOLD, CHOSEN, DIM, PLAIN};
use crate::render::watch::words::lines;

/// Columns of a note, an owner, an age.
const NOTE: usize = 16;
const OWNER: usize = 10;
const AGE: usize = 4;

/// From so many columns on a row has a note, and an owner.
const WITH_NOTE: usize = 40;
const WITH_OWNER: usize = 56;

/// What stands on a line of the list.
enum Entry {
    Heading(Group),
    Row(usize),
}

pub fn draw(screen: &mut Screen, scene: &Scene, area: Rect, cells: &mut Buffer) {
    title("goals", !screen.in_detail, area, cells);
    let area = below_title(area);
    screen.page = usize::from(area.height);
    if screen.shown.is_empty() {
        for (line, y) in nothing(screen, scene, area)
            .into_iter()
            .zip(area.top()..area.bottom())
        {
            cells.set_line(area.x, y, &line, area.width);
        }
        return;
    }
    let entries = entries(screen);
    scroll(screen, &entries);
    let visible = entries.iter().skip(screen.top);
    for (entry, y) in visible.zip(area.top()..area.bottom()) {
        let line = match entry {
            Entry::Heading(group) => Line::from(Span::styled(
                group.heading().to_uppercase(),
                DIM.patch(BOLD),
            )),
            Entry::Row(at) => {
                let row = &screen.rows[screen.shown[*at]];
                row_line(row, *at == screen.at, scene.now, area.width.into())
            }
        };
        cells.set_line(area.x, y, &line, area.width);
    }
}

/// Every line of the list.
fn entries(screen: &Screen) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(screen.shown.len() + 8);
    let mut above = None;
    for (at, place) in screen.shown.iter().enumerate() {
        let group = screen.rows[*place].group;
        if above != Some(group) {
            entries.push(Entry::Heading(group));
            above = Some(group);
        }
        entries.push(Entry::Row(at));
    }
    entries
}

/// Moves the visible part as little as can be, so that the cursor is in it, and the heading above
/// the first row with it.
fn scroll(screen: &mut Screen, entries: &[Entry]) {
    let is_chosen = |entry: &Entry| matches!(entry, Entry::Row(at) if *at == screen.at);
    let line = entries.iter().position(is_chosen).unwrap_or_default();
    let page = screen.page.max(1);
    let first = match line {
        1 => 0,
        line => line,
    };
    screen.top = screen.top.min(first);
    if line >= screen.top + page {
        screen.top = line + 1 - page;
    }
    screen.top = screen.top.min(entries.len().saturating_sub(page));
}

fn row_line(row: &Row, chosen: bool, now: i64, room: usize) -> Line<'static> {
    let style = if row.gone { DIM } else { PLAIN };
    let since = row.since.as_deref().map(|at| age(at, now));
    let since = padded_left(&since.unwrap_or_default(), AGE);
    let mut behind = Vec::new();
    if room >= WITH_NOTE {
        behind.push((padded(&fit(&row.note, NOTE), NOTE), NOTE));
    }
    if room >= WITH_OWNER {
        behind.push((padded(&fit(&row.owner, OWNER), OWNER), OWNER));
    }
    behind.push((since, AGE));
    let taken: usize = behind.iter().map(|(_, columns)| columns + 1).sum();
    let for_title = room.saturating_sub(taken + 4);
    let heading = padded(&sealed(&fit(&row.title, for_title)), for_title);
    let cursor = if chosen { "›" } else { " " };
    let mut spans = vec![
        Span::styled(cursor, BOLD),
        Span::styled(row.mark.0, row.mark.1),
        Span::styled(format!(" {heading} "), style),
    ];
    for (text, _) in behind {
        spans.push(Span::styled(format!(" {text}"), DIM));
    }
    let line = Line::from(spans);
    match chosen {
        true => line.style(CHOSEN),
        false => line,
    }
}

fn padded_left(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{}{text}", " ".repeat(missing))
}

/// What is said where no row is.
fn nothing(screen: &Screen, scene: &Scene, area: Rect) -> Vec<Line<'static>> {
    let text = if !screen.rows.is_empty() && screen.filter.is_empty() {
        format!("{} `f` shows all goals.", nothing_waits())
    } else if !screen.rows.is_empty() {
        "Nothing has these words. Esc shows all.".to_owned()
    } else if scene.counts.is_empty() {
        no_goals(scene.lost).to_owned()
    } else {
        let counts = counts(&scene.counts);
        format!(
            "No goal is open: {counts}.\n\n`goal report` says what happened, `goal list --all` shows the ended ones."
        )
    };
    lines(&text, " ", area.width.into(), area.height.into(), PLAIN)
}
