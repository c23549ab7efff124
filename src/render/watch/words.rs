//! Texts in lines.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::render::columns::wrapped;
use crate::render::text::clean;

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
