//! Drawing the whole screen: which pane has which room.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::render::columns::{fit, width};
use crate::render::inbox::{counted, standings};
use crate::render::watch::pane::split;
use crate::render::watch::scene::{Detail, Scene};
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{ASKS, BOLD, CHOSEN, DIM};
use crate::render::watch::{detail, foot, list, live};

/// From so many columns on the panes stand beside each other.
const BESIDE: u16 = 100;

/// With fewer lines than this there is one pane only.
const STACKED: u16 = 14;

/// Draws the screen. What of it is visible is known only here, so the places of its panes change
/// so that the cursor is on the screen.
pub fn draw(screen: &mut Screen, scene: &Scene, detail: &Detail, area: Rect, cells: &mut Buffer) {
    let area = area.intersection(cells.area);
    if area.width == 0 || area.height == 0 {
        return;
    }
    let [head, rest] = split(area, 1);
    head_line(scene, head, cells);
    if rest.height == 0 {
        return;
    }
    let [body, keys] = split(rest, rest.height - 1);
    foot::draw(screen, keys, cells);
    if screen.help {
        foot::help(body, cells);
        return;
    }
    let low = live_height(body);
    let [panes, bottom] = split(body, body.height - low);
    let wide = area.width >= BESIDE;
    if !wide && area.height < STACKED {
        match screen.in_detail {
            true => detail::draw(screen, scene, detail, panes, cells),
            false => list::draw(screen, scene, panes, cells),
        }
    } else if wide {
        let left = (panes.width * 46 / 100).min(90);
        let [left, right] = beside(panes, left);
        list::draw(screen, scene, left, cells);
        detail::draw(screen, scene, detail, right, cells);
    } else {
        let [above, below] = split(panes, panes.height / 2);
        list::draw(screen, scene, above, cells);
        detail::draw(screen, scene, detail, below, cells);
    }
    live::draw(screen, scene, bottom, cells);
}

/// How many lines the pane of what happens now has.
fn live_height(body: Rect) -> u16 {
    match body.height {
        0..12 => 0,
        12..26 => 4,
        26..40 => 7,
        _ => 10,
    }
}

/// Two parts with a column between, the left one so wide.
fn beside(area: Rect, width: u16) -> [Rect; 2] {
    let left = Rect { width, ..area };
    let right = Rect {
        x: area.x + width + 1,
        width: area.width.saturating_sub(width + 1),
        ..area
    };
    [left, right]
}

fn head_line(scene: &Scene, area: Rect, cells: &mut Buffer) {
    let room = usize::from(area.width);
    let needs = scene.needs.len() as u64;
    let style = if needs == 0 { DIM } else { ASKS };
    let waiting = Span::styled(counted(needs), style);
    let name = Span::styled(" goal watch ", CHOSEN.patch(BOLD));
    let rest = standings(&scene.standings);
    let rest = rest.unwrap_or_default();
    let fixed = 12 + 2 + 2 + 3 + waiting.width();
    let project = fit(&scene.project, room.saturating_sub(fixed).clamp(1, 32));
    let left = room.saturating_sub(fixed + width(&project));
    let rest = match rest.is_empty() || left < 8 {
        true => String::new(),
        false => format!(" · {}", fit(&rest, left)),
    };
    let spans = vec![
        name,
        Span::raw(format!("  {project}  ")),
        waiting,
        Span::styled(rest, DIM),
    ];
    cells.set_line(area.x, area.y, &Line::from(spans), area.width);
}
