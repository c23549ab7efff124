//! Ages in few columns, and texts in lines.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::domain::time::millis;
use crate::render::columns::wrapped;
use crate::render::text::clean;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago, in at most four columns; nothing where that cannot be said.
pub fn age(at: Option<&str>, now: i64) -> String {
    let Some(age) = at.and_then(millis).map(|then| now.saturating_sub(then)) else {
        return String::new();
    };
    match age {
        ..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m", age / MINUTE),
        HOUR..DAY => format!("{}h", age / HOUR),
        DAY.. => format!("{}d", (age / DAY).min(999)),
    }
}

/// A stored text in lines of at most so many columns, each behind `indent`; at most `most` lines.
/// Line ends of the text stay.
pub fn lines(
    text: &str,
    indent: &'static str,
    columns: usize,
    most: usize,
    style: Style,
) -> Vec<Line<'static>> {
    let room = columns.saturating_sub(indent.len()).max(1);
    let mut lines = Vec::new();
    for paragraph in clean(text).trim_end().lines() {
        // How far it is indented says which part of a text it belongs to.
        let inner = paragraph.len() - paragraph.trim_start_matches(' ').len();
        let inner = inner.min(room / 2);
        let left = most.saturating_sub(lines.len());
        if left == 0 {
            break;
        }
        for line in wrapped(paragraph, room - inner, left) {
            let line = format!("{indent}{}{line}", " ".repeat(inner));
            lines.push(Line::from(Span::styled(line, style)));
        }
    }
    lines
}
