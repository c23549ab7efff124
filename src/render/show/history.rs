//! What happened to the goal: pauses, audits, tasks, notes, events.

use super::{INDENT, by, section};
use crate::domain::goal::state::Status;
use crate::domain::passed_on::host;
use crate::render::acted::{acted, in_column};
use crate::render::audit::{because, unreported};
use crate::render::clock::Clock;
use crate::render::columns::{fit, padded, sealed, width};
use crate::render::contract::indented;
use crate::render::progress::{agenda, facts};
use crate::render::review::head;
use crate::render::task::{mark, note};
use crate::render::text::{clean, count, one_line};
use crate::render::view::{AuditStanding, GoalView, PendingView, TaskView, TasksView};
use crate::render::work::paused_by;

pub(super) fn pause(goal: &GoalView, clock: Clock<'_>) -> String {
    let Some(pause) = &goal.pause else {
        return String::new();
    };
    let mut text = clean(&pause.reason);
    if let Some(action) = &pause.suggested_action {
        text.push_str(&format!("\nSuggested: {}", clean(action)));
    }
    let at = pause.at.as_deref();
    let at = at.map_or_else(String::new, |at| format!(", {}", clock.time(at)));
    let status = match goal.status {
        Status::Blocked => "Blocked",
        _ => "Paused",
    };
    section(&format!("{status}{}{at}", paused_by(pause)), &text)
}

pub(super) fn audits(goal: &GoalView, clock: Clock<'_>) -> String {
    let mut text = String::new();
    if let Some(audit) = &goal.latest_audit {
        let cause = because(audit.cause.as_ref());
        let at = clock.time(&audit.at);
        let how = unreported(audit.verdict, &audit.report);
        let heading = format!("Latest audit: {}{how}{cause}, {at}", audit.verdict);
        text.push_str(&section(&heading, &report(&audit.report)));
    }
    if let Some(pending) = &goal.pending_request {
        text.push_str(&request(pending, clock));
    }
    text
}

pub(super) fn reviews(goal: &GoalView, clock: Clock<'_>) -> String {
    let mut text = String::new();
    for review in goal.latest_reviews.iter().rev() {
        let at = clock.time(&review.at);
        let head = head(&review.role, review.verdict.as_deref(), &at);
        let since = match review.revision {
            Some(revision) if goal.revision != Some(revision) => ", of an earlier revision",
            _ => "",
        };
        let heading = format!("Review, {head}{since}");
        text.push_str(&section(&heading, &report(&review.report)));
    }
    text
}

fn report(text: &str) -> String {
    match clean(text).trim_start_matches('\n') {
        text if text.trim().is_empty() => "(no report)".to_owned(),
        text => text.to_owned(),
    }
}

fn request(pending: &PendingView, clock: Clock<'_>) -> String {
    let standing = standing(pending, clock);
    let summary = pending.summary.as_deref().map(clean).unwrap_or_default();
    let evidence = pending.evidence.iter();
    let evidence: Vec<String> = evidence
        .map(|it| format!("Evidence: {}", indented(&clean(it))))
        .collect();
    let parts = [standing, summary, evidence.join("\n")];
    let given: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|it| !it.is_empty())
        .collect();
    section("Completion requested", &given.join("\n"))
}

/// How an audit without a result stands, in a sentence.
pub(in crate::render) fn standing(pending: &PendingView, clock: Clock<'_>) -> String {
    let since = pending.started_at.as_deref();
    let since = since.map_or_else(String::new, |at| format!(" since {}", clock.time(at)));
    match pending.standing {
        AuditStanding::Running => {
            format!("The audit is running{since}; `goal complete` waits for it.")
        }
        AuditStanding::Elsewhere => format!(
            "Another machine audits it{since}; its verdict comes with the ledger of that machine."
        ),
        AuditStanding::Waiting => {
            "It waits for somebody who can sign the verdict: `goal complete --pending`.".to_owned()
        }
        AuditStanding::Lapsed => {
            "No audit of it began: it waited for a signature, and the goal changed since, or none \
             is \
             required any more. `goal complete` asks anew."
                .to_owned()
        }
        AuditStanding::Interrupted => {
            "The audit was interrupted: it has no result and its process is gone. `goal complete` \
             asks again."
                .to_owned()
        }
        AuditStanding::Foreign => {
            format!("Another tool is to judge it{since}; no result is recorded.")
        }
    }
}

pub(super) fn tasks(tasks: &TasksView) -> String {
    if tasks.count == 0 && tasks.list.is_empty() {
        return String::new();
    }
    let holds = if tasks.block_completion {
        "; completion waits for them"
    } else {
        ""
    };
    let heading = format!("{}, {} open{holds}", count(tasks.count, "task"), tasks.open);
    let mut lines = tree(tasks);
    if lines.is_empty() {
        lines.push("The list itself is in the other tool's document.".to_owned());
    }
    section(&heading, &lines.join("\n"))
}

/// What was said of the goal's progress, and its agenda.
pub(super) fn progress(goal: &GoalView, clock: Clock<'_>) -> String {
    let Some(progress) = &goal.progress else {
        return String::new();
    };
    let mut text = String::new();
    if let Some(baseline) = &progress.baseline {
        let heading = format!("Baseline, {}", clock.time(&baseline.at));
        text.push_str(&section(&heading, clean(&baseline.text).trim()));
    }
    if let Some(latest) = &progress.latest_evaluation {
        let source = latest.source.as_deref();
        let source = source.map_or_else(String::new, |it| format!(" ({})", one_line(it)));
        let (by, at) = (by(latest.by), clock.time(&latest.at));
        let heading = format!("Latest evaluation: {} of 1{by}{source}, {at}", latest.score);
        let gap = clean(&latest.gap_analysis);
        let facts = facts(progress).join("\n");
        text.push_str(&section(&heading, &format!("{}\n{facts}", gap.trim())));
    }
    if !progress.agenda.is_empty() {
        text.push_str(&section("Agenda", &agenda(&progress.agenda).join("\n")));
    }
    text
}

/// A line for each task, children indented below their parent.
pub(in crate::render) fn tree(tasks: &TasksView) -> Vec<String> {
    let line = |(depth, task): (usize, &TaskView)| {
        let name = sealed(&one_line(&format!("{} {}", task.id, task.title)));
        let (mark, note) = (mark(task.status), note(task));
        format!("{}{mark} {name}{note}", "  ".repeat(depth))
    };
    tasks.flat().into_iter().map(line).collect()
}

pub(super) fn notes(goal: &GoalView, clock: Clock<'_>) -> String {
    let mut text = String::new();
    let notes = goal.notes.iter().map(|note| {
        let by = note
            .by
            .map(|by| format!(" by the {}", acted(by, note.via.as_deref())));
        let head = format!("{}{}", clock.time(&note.at), by.unwrap_or_default());
        format!("{head}: {}", indented(&clean(&note.text)))
    });
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        text.push_str(&section("Notes", &notes.join("\n")));
    }
    if let Some(action) = &goal.next_action {
        text.push_str(&section("Next action", &clean(action)));
    }
    text
}

/// Widest summary of an event, in columns; what has less room than the other stands below.
const SUMMARY: usize = 100;
const SHORT_SUMMARY: usize = 20;

/// How far in it stands there.
const BELOW: usize = 7;

pub(super) fn events(goal: &GoalView, clock: Clock<'_>, columns: Option<usize>) -> String {
    if goal.recent_events.is_empty() {
        return String::new();
    }
    let lines = goal.recent_events.iter().map(|event| {
        let by = in_column(event.by, host(event.by, event.via.as_deref()));
        let name = padded(&one_line(&event.name), 20);
        let (at, by) = (clock.short(&event.at), padded(&by, 7));
        let head = format!("{:>5}  {at}  {name}  {by}  ", event.line);
        let columns = columns.unwrap_or(usize::MAX).saturating_sub(INDENT);
        let below = columns.saturating_sub(width(&head)) < SHORT_SUMMARY;
        let before = if below { BELOW } else { width(&head) };
        let gist = fit(&event.summary, columns.saturating_sub(before).min(SUMMARY));
        let line = match below {
            true => format!("{}\n{:BELOW$}{gist}", head.trim_end(), ""),
            false => head + &gist,
        };
        line.trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    let shown = goal.recent_events.len() as u64;
    let more = match goal.events > shown {
        true => format!(
            " (latest {shown} of {}; `goal log --goal {}`)",
            goal.events, goal.goal_id
        ),
        false => String::new(),
    };
    section(&format!("What happened last{more}"), &lines.join("\n"))
}
