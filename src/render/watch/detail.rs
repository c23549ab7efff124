//! The pane about the chosen row: what waits and how it is settled, then the goal.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

use crate::domain::attention::Need;
use crate::render::clock::{Clock, clock};
use crate::render::columns::{fit, unstyled, width};
use crate::render::goal::{Block, Detail as Level, Reader, blocks, stands};
use crate::render::inbox::whole;
use crate::render::marks::Mark;
use crate::render::text::one_line;
use crate::render::view::{GoalView, RecentEvent};
use crate::render::watch::pane::{below_title, title};
use crate::render::watch::rows::RowId;
use crate::render::watch::scene::{Detail, Scene};
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{self, BOLD, DIM, PLAIN};
use crate::render::watch::words::lines;

/// Most lines of what is known of a goal, and of tasks.
const KNOWN: usize = 4;
const TASKS: usize = 40;

pub fn draw(screen: &mut Screen, scene: &Scene, detail: &Detail, area: Rect, cells: &mut Buffer) {
    if area.height < 2 {
        return;
    }
    let name = screen.chosen().map_or("", |row| row.title.as_str());
    title(name, screen.in_detail, area, cells);
    let area = below_title(area);
    let columns = usize::from(area.width).saturating_sub(2);
    let all = all(screen, scene, detail, columns);
    let last = all.len().saturating_sub(area.height.into());
    screen.scrolled = screen.scrolled.min(last);
    let visible = all.iter().skip(screen.scrolled);
    for (line, y) in visible.zip(area.top()..area.bottom()) {
        cells.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
}

fn all(screen: &Screen, scene: &Scene, detail: &Detail, columns: usize) -> Vec<Line<'static>> {
    let Some(row) = screen.chosen() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if row.gone {
        let gone = format!("{}: it keeps its place until `s` sorts.", row.note);
        all.extend(lines(&gone, "", columns, 2, DIM));
    }
    let need = scene.needs.iter().find(|it| RowId::of_need(it) == row.id);
    all.extend(
        need.into_iter()
            .flat_map(|it| waits(it, scene.now, columns)),
    );
    if let Some(draft) = &detail.draft {
        all.push(Line::default());
        all.extend(lines(draft, "", columns, usize::MAX, PLAIN));
    }
    if let Some(goal) = &detail.goal {
        if !all.is_empty() {
            all.push(Line::default());
        }
        all.extend(of_goal(goal, need, scene.now, columns));
    }
    all
}

/// What waits, as the inbox says it.
fn waits(need: &Need, now: i64, columns: usize) -> Vec<Line<'static>> {
    let text = unstyled(&whole(need, now, columns));
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let style = if number == 0 { BOLD } else { PLAIN };
        // Only a command can be too long, and it is never cut.
        match width(line) > columns {
            true => all.extend(lines(line, "", columns, usize::MAX, style)),
            false => all.push(Line::from(Span::styled(line.to_owned(), style))),
        }
    }
    all
}

/// The goal in lines: what is known of it in one paragraph, what stands out a line each, then the texts.
fn of_goal(goal: &GoalView, need: Option<&Need>, now: i64, columns: usize) -> Vec<Line<'static>> {
    let reader = Reader {
        above: need,
        ..Reader::of(Level::Pane, Clock::ages(now))
    };
    let (mut known, mut out, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for block in blocks(goal, reader) {
        match block {
            Block::Head(goal) => {
                let stands = stands(goal.status, goal.standing);
                known.extend([goal.goal_id.to_string(), stands]);
            }
            Block::Fact { label, value, tone } => match tone {
                None => known.push(format!("{label} {value}")),
                Some(tone) => {
                    let line = format!("{label}: {value}");
                    out.extend(lines(&line, "", columns, 2, style::of(tone)));
                }
            },
            Block::Text {
                mark,
                heading: it,
                body,
                most,
            } => match it.is_empty() {
                true => texts.extend(lines(&body, "", columns, most, BOLD)),
                false => {
                    texts.extend(heading(mark, &it, columns));
                    texts.extend(lines(&body, "  ", columns, most, PLAIN));
                }
            },
            Block::Tasks { heading: it, lines } => {
                texts.extend(heading(None, &it, columns));
                texts.extend(tasks(&lines, columns));
            }
            Block::Events {
                heading: it,
                events,
            } => {
                texts.extend(heading(None, &it, columns));
                texts.extend(events.iter().rev().map(|it| event(it, columns)));
            }
        }
    }
    let mut all = lines(&known.join(" · "), "", columns, KNOWN, DIM);
    all.append(&mut out);
    all.append(&mut texts);
    all
}

fn heading(mark: Option<Mark>, text: &str, columns: usize) -> Vec<Line<'static>> {
    match mark {
        None => lines(text, "", columns, 2, DIM.patch(BOLD)),
        Some(it) => {
            let text = format!("{} {text}", it.mark);
            lines(&text, "", columns, 2, style::of(it.tone))
        }
    }
}

fn tasks(tree: &[String], columns: usize) -> Vec<Line<'static>> {
    let line = |text: &String| {
        let indent = text.len() - text.trim_start().len();
        let text = fit(text, columns.saturating_sub(2 + indent));
        Line::from(Span::raw(format!("  {}{text}", " ".repeat(indent))))
    };
    let mut all: Vec<Line<'static>> = tree.iter().take(TASKS).map(line).collect();
    let more = tree.len().saturating_sub(TASKS);
    if more > 0 {
        all.push(Line::from(Span::styled(format!("  and {more} more"), DIM)));
    }
    all
}

fn event(event: &RecentEvent, columns: usize) -> Line<'static> {
    let name = one_line(&event.name).replace('_', " ");
    let room = columns.saturating_sub(9);
    let text = fit(&format!("{name}  {}", event.summary), room);
    Line::from(vec![
        Span::styled(format!("  {:5}  ", clock(&event.at)), DIM),
        Span::raw(text),
    ])
}
