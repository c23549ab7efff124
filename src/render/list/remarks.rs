//! What else is worth knowing about a goal in a listing, in brackets.

use anstyle::Style;

use crate::domain::attention::Standing;
use crate::domain::goal::chain::Audited;
use crate::domain::verdict::Verdict;
use crate::render::columns::{BAD, BOLD, DIM, fit, styled, width};
use crate::render::proof::completion;
use crate::render::text::one_line;
use crate::render::view::GoalRow;
use crate::render::work::{Onlooker, ago, kept, others, running_on};

/// Columns before a line of remarks.
const INDENT: usize = 4;
/// Most columns of the reason why a goal rests.
const REASON: usize = 72;

/// The remarks on a goal, each with its style; without its latest audit where a column shows that.
pub(super) fn remarks(
    row: &GoalRow,
    shows_audits: bool,
    onlooker: Onlooker<'_>,
) -> Vec<(String, Style)> {
    let mut notes: Vec<(String, Style)> = Vec::new();
    let mut note = |text: &str, style| notes.push((text.to_owned(), style));
    if row.focused {
        note("focused", BOLD);
    }
    if row.contested.is_some() {
        note("contested", BAD);
    }
    if let Some(wait) = &row.wait {
        let reason = one_line(&wait.reason);
        let over = if wait.is_due(onlooker.now) {
            "waited"
        } else {
            "waits"
        };
        note(
            &format!("{over} for {reason}, since {}", ago(&wait.at, onlooker.now)),
            BOLD,
        );
    }
    // What the user paused needs no reminder of why.
    if let Some(why) = row
        .rests
        .as_deref()
        .filter(|_| row.standing != Standing::Resting)
    {
        note(&fit(&one_line(why), REASON), BAD);
    }
    match (&row.proof, row.latest_verdict) {
        (Some(proof), _) => {
            let how = completion(proof, row.approved_without_report, row.signer.as_deref());
            note(&how, if proof.is_proven() { DIM } else { BAD });
            if let Some(path) = &row.elsewhere {
                note(&format!("audited in {}", one_line(path)), BAD);
            }
        }
        (None, _) if shows_audits && !row.audits.is_empty() => {}
        (None, Some(Verdict::Disapproved)) => note("auditor disapproved", BAD),
        (None, Some(Verdict::Error)) => note("audited without a verdict", BAD),
        (None, Some(Verdict::Approved) | None) => {}
    }
    // Of a goal that nobody works on the age says enough.
    let is_worked = matches!(row.standing, Standing::Live | Standing::Auditing);
    if let Some(heard) = &row.running_on {
        note(&running_on(heard, onlooker.now), Style::new());
    } else if (is_worked || row.lease.is_some())
        && let Some(others) = others(row.worker.as_ref(), row.lease.as_deref(), onlooker)
    {
        note(&others, Style::new());
    }
    // That another tool's auditor approved says already whose the goal is.
    if row.audited != Some(Audited::External)
        && let Some(kept) = kept(row.keeper)
    {
        note(kept, DIM);
    }
    notes
}

/// The remarks behind a line that takes so many columns, at or behind `from`, or below it where they have
/// no room there.
pub(super) fn placed(
    remarks: &[(String, Style)],
    taken: usize,
    from: usize,
    columns: usize,
) -> String {
    if remarks.is_empty() {
        return String::new();
    }
    let beside: usize = remarks.iter().map(|(text, _)| width(text) + 2).sum();
    if from + 2 + beside <= columns {
        let all: Vec<String> = remarks
            .iter()
            .map(|(it, style)| styled(it, *style))
            .collect();
        let gap = " ".repeat(from - taken + 2);
        return format!("{gap}[{}]\n", all.join(", "));
    }
    let room = columns.saturating_sub(INDENT + 2).max(1);
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (at, (text, style)) in remarks.iter().enumerate() {
        let text = fit(text, room);
        let wide = width(&text) + 2;
        let comma = if at + 1 < remarks.len() { "," } else { "]" };
        let text = format!("{}{comma}", styled(&text, *style));
        match lines.last_mut() {
            Some((taken, line)) if *taken + wide <= room + 2 => {
                *taken += wide;
                line.push(' ');
                line.push_str(&text);
            }
            _ => lines.push((wide, text)),
        }
    }
    let mut below = String::from("\n");
    for (at, (_, line)) in lines.iter().enumerate() {
        let bracket = if at == 0 { "[" } else { " " };
        below.extend([&" ".repeat(INDENT), bracket, line, "\n"]);
    }
    below
}
