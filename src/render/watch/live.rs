//! The pane of what happens now: each run with the end of its agent's output; without runs, the
//! latest events.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::render::agent_output::last_lines;
use crate::render::amounts::age;
use crate::render::clock::clock;
use crate::render::columns::{fit, padded};
use crate::render::text::one_line;
use crate::render::watch::pane::{below_title, title};
use crate::render::watch::scene::{Happened, LiveRun, Scene};
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{CALM, DIM, GOOD, PLAIN};

/// Columns of a goal's title and of an event's name.
const TITLE: usize = 24;
const NAME: usize = 20;

pub fn draw(screen: &Screen, scene: &Scene, area: Rect, cells: &mut Buffer) {
    if area.height < 2 {
        return;
    }
    let chosen = screen.chosen().and_then(|row| row.goal.as_ref());
    let is_chosen = |run: &&LiveRun| Some(&run.goal_id) == chosen;
    let mut runs: Vec<&LiveRun> = scene.runs.iter().filter(is_chosen).collect();
    runs.extend(scene.runs.iter().filter(|run| !is_chosen(run)));
    let name = if runs.is_empty() { "latest" } else { "live" };
    title(name, false, area, cells);
    let area = below_title(area);
    let lines = match runs.is_empty() {
        true => latest(&scene.events, area),
        false => under_way(&runs, scene.now, area),
    };
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        cells.set_line(area.x, y, line, area.width);
    }
}

/// The runs, each with its line and as much of its agent's output as has room.
fn under_way(runs: &[&LiveRun], now: i64, area: Rect) -> Vec<Line<'static>> {
    let (height, columns) = (usize::from(area.height), usize::from(area.width));
    // Two lines each at least; the first, which is the chosen one, has what is left over.
    let shown = runs.len().min((height / 2).max(1));
    let spare = height.saturating_sub(shown * 2);
    let mut lines = Vec::new();
    for (at, run) in runs.iter().take(shown).enumerate() {
        let turn = run.run.turns + 1;
        let of = run.run.max_iterations;
        let of = of.map_or_else(String::new, |most| format!(" of {most}"));
        let since = age(&run.run.started_at, now);
        let more = format!("turn {turn}{of}, {since}");
        let room = columns.saturating_sub(more.len() + 4);
        lines.push(Line::from(vec![
            Span::styled("▶ ", GOOD),
            Span::styled(fit(&run.title, room), PLAIN),
            Span::styled(format!("  {more}"), DIM),
        ]));
        let most = if at == 0 { 1 + spare } else { 1 };
        lines.extend(said(&run.output, columns, most));
    }
    lines
}

/// The last lines of an output that are not blank.
fn said(output: &str, columns: usize, most: usize) -> Vec<Line<'static>> {
    let last = last_lines(output, most);
    if last.is_empty() {
        return vec![Line::from(Span::styled("  no output yet", DIM))];
    }
    let last = last.iter().map(|line| {
        let line = fit(line, columns.saturating_sub(2));
        Line::from(Span::styled(format!("  {line}"), DIM))
    });
    last.collect()
}

/// The latest events, a line each.
fn latest(events: &[Happened], area: Rect) -> Vec<Line<'static>> {
    let (height, columns) = (usize::from(area.height), usize::from(area.width));
    let shown = events.iter().skip(events.len().saturating_sub(height));
    let title = TITLE.min(columns / 4);
    shown
        .map(|it| {
            let event = &it.event;
            let name = one_line(&event.name).replace('_', " ");
            let room = columns.saturating_sub(title + NAME + 10);
            Line::from(vec![
                Span::styled(format!(" {:5}  ", clock(&event.at)), DIM),
                Span::raw(padded(&fit(&it.title, title), title)),
                Span::styled(format!("  {}", padded(&fit(&name, NAME), NAME)), CALM),
                Span::styled(format!(" {}", fit(&event.summary, room)), DIM),
            ])
        })
        .collect()
}
