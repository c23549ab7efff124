//! The last line, with the keys; and the help.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::render::columns::fit;
use crate::render::text::one_line;
use crate::render::watch::pane::{below_title, title};
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{ASKS, BAD, BOLD, DIM};

/// The keys and what each does, in the order in which they are left out on a narrow screen: the
/// last first.
const KEYS: &[(&str, &str)] = &[
    ("q", "quit"),
    ("?", "keys"),
    ("j k", "move"),
    ("enter", "act"),
    ("/", "filter"),
    ("f", "needs me"),
    ("s", "sort"),
    ("tab", "pane"),
];

/// Every key, for the help.
const HELP: &[(&str, &str)] = &[
    (
        "j k  up down",
        "move the cursor, or the right pane once Tab chose it",
    ),
    ("PgUp PgDn", "move by a page"),
    ("g  Home", "first row; from here on the newest order again"),
    ("G  End", "last row"),
    (
        "Enter",
        "answer, confirm, settle, resume: in a dialog that asks first",
    ),
    ("/", "show only rows with these words; Esc shows all"),
    ("f", "show only what needs you, or all"),
    ("s", "sort: rows keep their places until you say so"),
    ("Tab", "choose the other pane; Esc goes back"),
    ("Ctrl-L", "draw anew"),
    ("Ctrl-Z", "stop; `fg` comes back"),
    ("q  Ctrl-C", "quit"),
    ("", ""),
    (
        "? question, + proposal",
        "■ blocked, $ over budget, □ run stopped",
    ),
    (
        "≠ ! to settle, ↻ stuck",
        "◆ audit, ▶ live, ● quiet, ○ resting",
    ),
    ("✓ ✗ !", "what audits came to: approved, disapproved, error"),
];

pub fn draw(screen: &Screen, area: Rect, cells: &mut Buffer) {
    let room = usize::from(area.width);
    let mut spans = vec![Span::raw(" ")];
    if screen.typing {
        let line = format!("filter: {}▏", one_line(&screen.filter));
        spans.push(Span::styled(fit(&line, room.saturating_sub(2)), BOLD));
        cells.set_line(area.x, area.y, &Line::from(spans), area.width);
        return;
    }
    let mut used = 1;
    for (text, style) in states(screen) {
        let text = fit(&text, room.saturating_sub(used + 2));
        used += text.chars().count() + 2;
        spans.push(Span::styled(format!("{text}  "), style));
    }
    for (key, does) in KEYS {
        let columns = key.len() + does.len() + 3;
        if used + columns > room {
            break;
        }
        used += columns;
        spans.push(Span::styled(*key, BOLD));
        spans.push(Span::styled(format!(" {does}  "), DIM));
    }
    cells.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// What the person should know of the list.
fn states(screen: &Screen) -> Vec<(String, ratatui_core::style::Style)> {
    let mut states = Vec::new();
    if let Some(trouble) = &screen.trouble {
        states.push((one_line(trouble), BAD));
    }
    if !screen.filter.is_empty() {
        states.push((format!("filter: {}", one_line(&screen.filter)), BOLD));
    }
    if screen.only_needs {
        states.push(("only what needs you".to_owned(), BOLD));
    }
    match screen.news() {
        0 => {}
        1 => states.push(("1 new row: s sorts".to_owned(), ASKS)),
        news => states.push((format!("{news} new rows: s sorts"), ASKS)),
    }
    states
}

pub fn help(area: Rect, cells: &mut Buffer) {
    title("keys; any key goes back", true, area, cells);
    let area = below_title(area);
    let room = usize::from(area.width);
    for ((key, does), y) in HELP.iter().zip(area.top()..area.bottom()) {
        let key = format!(" {key:<23} ");
        let does = fit(does, room.saturating_sub(26));
        let line = Line::from(vec![Span::styled(key, BOLD), Span::raw(does)]);
        cells.set_line(area.x, y, &line, area.width);
    }
}
