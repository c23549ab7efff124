//! The body's sections, in their order.

use crate::domain::goal::chain::Audited;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::task::state::Tasks;
use crate::domain::verdict::{Verdict, head_and_tail};
use crate::render::acted::acted;
use crate::render::audit::{completed, unreported, with_cause};
use crate::render::contract::capitalised;
use crate::render::document::blocks::{
    BOXES, LABELS, NONE_GIVEN, item, list, paragraph, paragraph_under_label,
};
use crate::render::progress::agenda;
use crate::render::review::quoted;
use crate::render::task::{lines, mark, note};
use crate::render::text::{bracketed, clean, count, one_line, quote, short};
use crate::render::view::TasksView;
use crate::render::work::paused_by;

/// Most bytes of an auditor's report here; the ledger has all of it.
const REPORT: usize = 1500;

const NONE: &str = "_none_";

/// The sections of progress stand after that of the tasks, reviews before what is next.
const PROGRESS_AT: usize = 5;

/// Most bytes of a gap analysis here; the ledger has all of it.
const GAP: usize = 1500;

/// Title and sections, with a blank line before and after.
pub(super) fn body(goal: &Goal, audited: Option<Audited>, title: &str) -> String {
    let contract = &goal.contract;
    let mut sections = vec![
        ("Objective", paragraph(&contract.objective)),
        ("Success criteria", criteria(contract)),
        ("Boundaries and constraints", bounds(contract)),
        ("Status", status(goal, audited)),
        ("Tasks", tasks(&goal.tasks)),
        ("Progress notes", notes(goal)),
        ("Latest blocker", blocker(goal)),
        ("Latest auditor feedback", feedback(goal)),
        ("Next suggested action", next(goal)),
    ];
    // Most goals are neither evaluated nor have they an agenda.
    let progress = [
        ("Latest evaluation", evaluation(goal)),
        ("Agenda", agenda(&goal.progress.agenda).join("\n")),
    ];
    let progress = progress.into_iter().filter(|(_, text)| !text.is_empty());
    sections.splice(PROGRESS_AT..PROGRESS_AT, progress);
    // Most goals are never reviewed, and their documents do not speak of it.
    if !goal.reviews.is_empty() {
        let next = sections.len() - 1;
        sections.insert(next, ("Latest reviews", quoted(goal)));
    }
    let sections = sections.iter();
    let sections = sections.map(|(heading, text)| format!("## {heading}\n\n{text}\n\n"));
    format!("\n# {title}\n\n{}", sections.collect::<String>())
}

/// A reader takes a box off a criterion, so that people may tick them; one that is part of the
/// text gets a box before it.
fn criteria(contract: &Contract) -> String {
    let boxed = |text: &String| {
        let text = text.trim();
        if BOXES.iter().any(|it| text.starts_with(it)) {
            format!("[ ] {text}")
        } else {
            text.to_owned()
        }
    };
    let criteria: Vec<String> = contract.success_criteria.iter().map(boxed).collect();
    list(&criteria)
}

fn bounds(contract: &Contract) -> String {
    let text = |text: &Option<String>| paragraph_under_label(text.as_deref().unwrap_or_default());
    let parts = [
        list(&contract.boundaries),
        list(&contract.constraints),
        text(&contract.if_blocked),
        text(&contract.verification_contract),
        list(&contract.checks),
    ];
    if parts.iter().all(|part| part == NONE_GIVEN) {
        return NONE_GIVEN.to_owned();
    }
    let parts: Vec<String> = LABELS
        .iter()
        .zip(parts)
        .map(|(label, part)| format!("{label}\n\n{part}"))
        .collect();
    parts.join("\n\n")
}

fn status(goal: &Goal, audited: Option<Audited>) -> String {
    let since = |at: &str| short(at, 40);
    if let Some(pause) = &goal.pause {
        let at = pause.at.as_deref();
        let at = at.map_or_else(String::new, |at| format!(" since {}", since(at)));
        let (status, reason) = (capitalised(goal.status.name()), short(&pause.reason, 300));
        return format!("{status}{at}{}: {reason}", paused_by(pause));
    }
    let ended = since(goal.ended_at.as_deref().unwrap_or(&goal.updated_at));
    let text = match (goal.status, audited) {
        (Status::Complete, how) => {
            let how = completed(how.unwrap_or(Audited::None), goal.is_wordless());
            format!("Complete since {ended}; {how}.")
        }
        (status, _) if status.is_open() => {
            format!(
                "{}, created {}.",
                capitalised(status.name()),
                since(&goal.created_at)
            )
        }
        (status, _) => format!("{} since {ended}.", capitalised(status.name())),
    };
    match &goal.end_reason {
        Some(reason) => format!("{text} Reason: {}", short(reason, 300)),
        None => text,
    }
}

fn tasks(tasks: &Tasks) -> String {
    let mut lines = lines(tasks);
    if lines.is_empty() {
        // Another tool keeps the titles; the ledger knows what became of each.
        lines.extend(TasksView::of(tasks).list.iter().map(|task| {
            let id = one_line(&task.id);
            format!("- {} {id}{}", mark(task.status), note(task))
        }));
        let unnamed = tasks.count.saturating_sub(lines.len() as u64);
        if unnamed > 0 {
            lines.push(format!(
                "- [ ] {} that no event names",
                count(unnamed, "task")
            ));
        }
    }
    if lines.is_empty() {
        return NONE.to_owned();
    }
    lines.join("\n")
}

fn evaluation(goal: &Goal) -> String {
    let Some(latest) = &goal.progress.latest else {
        return String::new();
    };
    let gap = clean(&latest.gap_analysis);
    let gap = quote(&head_and_tail(gap.trim(), GAP));
    format!("{} of 1, {}.\n\n{gap}", latest.score, short(&latest.at, 40))
}

fn notes(goal: &Goal) -> String {
    let notes: Vec<String> = goal
        .notes
        .iter()
        .map(|note| {
            let by = note.by.map(|by| acted(by, note.via.as_deref()));
            let by = bracketed(by.as_deref());
            item(&format!("{}{by}: {}", short(&note.at, 40), note.text))
        })
        .collect();
    if notes.is_empty() {
        return NONE.to_owned();
    }
    notes.join("\n")
}

fn blocker(goal: &Goal) -> String {
    let Some(pause) = &goal.pause else {
        return NONE.to_owned();
    };
    match &pause.suggested_action {
        Some(action) => format!(
            "{}\n\nSuggested: {}",
            paragraph(&pause.reason),
            paragraph(action)
        ),
        None => paragraph(&pause.reason),
    }
}

fn feedback(goal: &Goal) -> String {
    let Some(result) = &goal.gate.result else {
        return NONE.to_owned();
    };
    let cause = with_cause(result.cause.as_ref());
    let how = unreported(result.verdict, &result.report);
    let head = format!("{}{how}{cause}, {}.", result.verdict, short(&result.at, 40));
    let report = clean(&result.report);
    let report = report.trim();
    if report.is_empty() {
        return head;
    }
    let shown = head_and_tail(report, REPORT);
    let all = if shown.len() < report.len() {
        "\n\nThe full report is in the ledger."
    } else {
        ""
    };
    format!("{head}\n\n{}{all}", quote(&shown))
}

fn next(goal: &Goal) -> String {
    let objections = goal.latest_verdict() == Some(Verdict::Disapproved);
    if !goal.status.is_open() {
        NONE.to_owned()
    } else if let Some(action) = &goal.next_action {
        paragraph(action)
    } else if objections {
        "Address the auditor's objections, then request completion again.".to_owned()
    } else {
        NONE.to_owned()
    }
}
