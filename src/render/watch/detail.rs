//! The pane about the chosen row: what waits and how it is settled, then the goal.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::domain::actor::Actor;
use crate::domain::attention::{Need, NeedKind};
use crate::render::acted::acted;
use crate::render::amounts::age;
use crate::render::clock::Clock;
use crate::render::clock::clock;
use crate::render::columns::{fit, unstyled, width};
use crate::render::cost::counters;
use crate::render::inbox::whole;
use crate::render::marks::of_verdict;
use crate::render::show::{standing, tree};
use crate::render::text::one_line;
use crate::render::view::GoalView;
use crate::render::watch::pane::{below_title, title};
use crate::render::watch::rows::RowId;
use crate::render::watch::scene::{Detail, Scene};
use crate::render::watch::screen::Screen;
use crate::render::watch::style::{self, BAD, BOLD, CALM, DIM, GOOD, PLAIN};
use crate::render::watch::words::{bars, lines};
use crate::render::work::{holder, paused_by, worked};

/// Most lines of an objective, of an auditor's report, and of tasks.
const OBJECTIVE: usize = 6;
const REPORT: usize = 12;
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

fn of_goal(goal: &GoalView, need: Option<&Need>, now: i64, columns: usize) -> Vec<Line<'static>> {
    let mut all = lines(&goal.contract.objective, "", columns, OBJECTIVE, BOLD);
    let mut facts = vec![goal.goal_id.to_string(), goal.standing.to_string()];
    let contract = &goal.contract;
    facts.extend(
        contract
            .owner
            .as_deref()
            .map(|it| format!("owner {}", one_line(it))),
    );
    facts.extend(contract.priority.map(|it| format!("priority {it}")));
    facts.push(format!("age {}", age(&goal.created_at, now)));
    let agreed = goal.agreed_through.as_ref();
    facts.extend(agreed.map(|it| format!("agreed by the {}", acted(Actor::User, Some(&it.via)))));
    all.extend(lines(&facts.join(" · "), "", columns, 2, DIM));
    if !goal.usage.is_empty() {
        let spent = format!("spent {}", counters(&goal.usage));
        all.extend(lines(&spent, "", columns, 2, DIM));
    }
    all.extend(stands(goal, need, now, columns));
    all.extend(progress(goal, columns));
    all.extend(tasks(goal, columns));
    all.extend(audit(goal, now, columns));
    if let Some(next) = &goal.next_action {
        all.push(heading("next"));
        all.extend(lines(next, "  ", columns, 4, PLAIN));
    }
    all.extend(events(goal, columns));
    all
}

fn heading(text: &str) -> Line<'static> {
    Line::from(Span::styled(text.to_owned(), DIM.patch(BOLD)))
}

/// Why it rests, and who is at it.
fn stands(goal: &GoalView, need: Option<&Need>, now: i64, columns: usize) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    let said = need.is_some_and(|it| matches!(it.kind, NeedKind::Blocked | NeedKind::Budget));
    if let Some(pause) = goal.pause.as_ref().filter(|_| !said) {
        let by = pause
            .via
            .as_ref()
            .map(|_| paused_by(pause))
            .unwrap_or_default();
        let reason = format!("{}{by}: {}", goal.status.name(), pause.reason);
        all.extend(lines(&reason, "", columns, 4, BAD));
        if let Some(suggested) = &pause.suggested_action {
            all.extend(lines(&format!("try: {suggested}"), "  ", columns, 3, DIM));
        }
    }
    if let Some(pending) = &goal.pending_request {
        all.extend(lines(
            &standing(pending, Clock::plain(now)),
            "",
            columns,
            3,
            GOOD,
        ));
    }
    if let Some(run) = &goal.run {
        all.extend(lines(
            &format!("run {}", run.said(now)),
            "",
            columns,
            2,
            CALM,
        ));
    }
    match (&goal.lease, &goal.worker) {
        (Some(lease), _) => {
            let held = format!("at work: {}", holder(lease, now));
            all.extend(lines(&held, "", columns, 2, GOOD));
        }
        (None, Some(worker)) => {
            let last = format!("worked by {}", worked(worker, now));
            all.extend(lines(&last, "", columns, 2, DIM));
        }
        (None, None) => {}
    }
    all
}

fn progress(goal: &GoalView, columns: usize) -> Vec<Line<'static>> {
    let Some(progress) = &goal.progress else {
        return Vec::new();
    };
    let scores: Vec<f64> = progress.scores.iter().map(|it| f64::from(*it)).collect();
    let Some(latest) = &progress.latest_evaluation else {
        return Vec::new();
    };
    let gap = one_line(&latest.gap_analysis);
    let line = format!("score {} {}  {gap}", bars(&scores), latest.score);
    lines(&line, "", columns, 3, CALM)
}

fn tasks(goal: &GoalView, columns: usize) -> Vec<Line<'static>> {
    let tree = tree(&goal.tasks);
    if tree.is_empty() {
        return Vec::new();
    }
    let mut all = vec![heading(&format!(
        "tasks, {} of {} open",
        goal.tasks.open, goal.tasks.count
    ))];
    let more = tree.len().saturating_sub(TASKS);
    let line = |text: &String| {
        let indent = text.len() - text.trim_start().len();
        let text = fit(text, columns.saturating_sub(2 + indent));
        Line::from(Span::raw(format!("  {}{text}", " ".repeat(indent))))
    };
    all.extend(tree.iter().take(TASKS).map(line));
    if more > 0 {
        all.push(Line::from(Span::styled(format!("  and {more} more"), DIM)));
    }
    all
}

fn audit(goal: &GoalView, now: i64, columns: usize) -> Vec<Line<'static>> {
    let Some(audit) = &goal.latest_audit else {
        return Vec::new();
    };
    let mark = of_verdict(Some(audit.verdict));
    let what = format!("{} latest audit: {}", mark.mark, mark.word);
    let when = format!("  {}", age(&audit.at, now));
    let mut all = vec![Line::from(vec![
        Span::styled(what, style::of(mark.tone)),
        Span::styled(when, DIM),
    ])];
    all.extend(lines(&audit.report, "  ", columns, REPORT, PLAIN));
    all
}

fn events(goal: &GoalView, columns: usize) -> Vec<Line<'static>> {
    if goal.recent_events.is_empty() {
        return Vec::new();
    }
    let mut all = vec![heading("latest, in UTC")];
    all.extend(goal.recent_events.iter().rev().map(|event| {
        let name = one_line(&event.name).replace('_', " ");
        let room = columns.saturating_sub(9);
        let text = fit(&format!("{name}  {}", event.summary), room);
        Line::from(vec![
            Span::styled(format!("  {:5}  ", clock(&event.at)), DIM),
            Span::raw(text),
        ])
    }));
    all
}
