//! Times, sums and names, as a report writes them. Times are UTC, so that the same report reads the
//! same everywhere.

use crate::domain::attention::Need;
use crate::domain::proof::Proof;
use crate::domain::report::window::Window;
use crate::domain::report::{AuditReport, Figures, GoalReport, Report};
use crate::domain::time::millis;
use crate::render::clock::{clock, moment};
use crate::render::proof::approval_by;
use crate::render::text::{count, one_line, short};

/// The time of day, where it lies within a day of the report, else with its day.
pub(super) fn when(at: &str, report: &Report) -> String {
    let age = millis(&report.window.to)
        .zip(millis(at))
        .map(|(now, at)| now - at);
    match age {
        Some(0..86_400_000) => clock(at),
        _ => moment(at),
    }
}

/// `2026-11-21 19:41 to 2026-11-22 08:05 UTC`.
pub(super) fn window(window: &Window) -> String {
    let to = moment(&window.to);
    match &window.from {
        Some(from) => format!("{} to {to} UTC", moment(from)),
        None => format!("from the first line to {to} UTC"),
    }
}

/// How many hundredths of the whole a part is.
pub(super) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        part / whole * 100.0
    } else {
        0.0
    }
}

/// The name of an auditor: its program, and where that was configured.
pub(super) fn auditor(audit: &AuditReport) -> String {
    let program = audit.auditor.as_ref().and_then(|command| command.first());
    let name = program.map(|path| path.rsplit('/').next().unwrap_or_default());
    name.map_or_else(|| "an auditor".to_owned(), one_line)
}

/// Who approved a completed goal, or why that is not proven.
pub(super) fn approval(goal: &GoalReport) -> String {
    let Some(proof) = &goal.proof else {
        return String::new();
    };
    let last = goal.audits.last().filter(|it| it.auditor.is_some());
    let auditor = last.map(auditor);
    approval_by(proof, auditor.as_deref(), goal.signer.as_deref())
}

/// Whether a completed goal is approved, as far as that is proven.
pub(super) fn is_proven(goal: &GoalReport) -> bool {
    goal.proof.as_ref().is_some_and(Proof::is_proven)
}

/// What a need is about: its own title, else that of its goal.
pub(super) fn about(need: &Need, report: &Report) -> String {
    let of_goal = |goal: &&GoalReport| Some(&goal.goal_id) == need.goal_id.as_ref();
    let own = one_line(&need.title);
    let goal = report.goals.iter().find(of_goal);
    let named = match own.is_empty() {
        true => goal.map(|goal| one_line(&goal.title)).unwrap_or_default(),
        false => own,
    };
    if named.is_empty() {
        "without a title".to_owned()
    } else {
        named
    }
}

/// How many lines of the user came through which agent's host; nothing where none did.
pub(super) fn through(figures: &Figures) -> Option<String> {
    let mut each = figures.through.iter();
    let (host, lines) = each.next()?;
    let (lines, host) = (count(*lines, "line"), short(host, HOST));
    let first = format!("{lines} of the user through {host}");
    let others = each.map(|(host, lines)| format!(", {lines} through {}", short(host, HOST)));
    Some(first + &others.collect::<String>())
}

/// The most bytes of a host's name.
const HOST: usize = 64;

/// The first line of a report that says something.
pub(super) fn first_line(report: &str) -> String {
    let line = report.lines().map(one_line).find(|line| !line.is_empty());
    line.unwrap_or_default()
}

/// The completed goals of a report that were completed in its window, the latest first.
pub(super) fn completed(report: &Report) -> Vec<&GoalReport> {
    let in_window = |goal: &&GoalReport| {
        let ended = goal.ended_at.as_deref();
        goal.audited.is_some() && ended.is_some_and(|at| report.window.has(at))
    };
    let mut all: Vec<&GoalReport> = report.goals.iter().filter(in_window).collect();
    all.sort_by(|a, b| b.ended_at.cmp(&a.ended_at));
    all
}
