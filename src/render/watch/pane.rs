//! What every pane has: the line with its name, and the room below that.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::render::columns::{fit, width};
use crate::render::watch::style::{BOLD, DIM};

/// The line above a pane: its name, and whether the keys move it.
pub(super) fn title(name: &str, active: bool, area: Rect, cells: &mut Buffer) {
    let room = usize::from(area.width);
    let name = fit(name, room.saturating_sub(6));
    let name = if name.is_empty() {
        "─".to_owned()
    } else {
        name
    };
    let used = width(&name) + 4;
    let rule = "─".repeat(room.saturating_sub(used));
    let style = if active { BOLD } else { DIM };
    let line = Line::from(vec![
        Span::styled("── ", DIM),
        Span::styled(name, style),
        Span::styled(format!(" {rule}"), DIM),
    ]);
    cells.set_line(area.x, area.y, &line, area.width);
}

/// The room below the line with a pane's name.
pub(super) fn below_title(area: Rect) -> Rect {
    split(area, 1)[1]
}

/// Two parts, the upper one so high.
pub(super) fn split(area: Rect, height: u16) -> [Rect; 2] {
    let upper = Rect {
        height: height.min(area.height),
        ..area
    };
    let lower = Rect {
        y: area.y + upper.height,
        height: area.height - upper.height,
        ..area
    };
    [upper, lower]
}
