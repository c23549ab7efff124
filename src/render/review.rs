//! What reviewers said last, in words. Everywhere it stands beside what it is about and never in
//! place of it: a review decides nothing.

use crate::domain::goal::state::Goal;
use crate::domain::verdict::head_and_tail;
use crate::render::text::{clean, quote, short};

/// Most bytes of a report in a document; the ledger has all of it.
const REPORT: usize = 800;

/// `risk (high), 2026-11-21T20:15:00.123Z`
pub(super) fn head(role: &str, verdict: Option<&str>, at: &str) -> String {
    let verdict = verdict.map_or_else(String::new, |it| format!(" ({})", short(it, 80)));
    format!("{}{verdict}, {}", short(role, 40), short(at, 40))
}

/// A line for each role, the latest first.
pub(super) fn lines(goal: &Goal) -> Vec<String> {
    let latest = goal.reviews.iter().rev();
    let line = latest.map(|review| {
        let head = head(&review.role, review.verdict.as_deref(), &review.at);
        match short(&review.report, 400) {
            text if text.is_empty() => format!("- {head}"),
            text => format!("- {head}: {text}"),
        }
    });
    line.collect()
}

/// The reports, quoted, the latest first; for a document.
pub(super) fn quoted(goal: &Goal) -> String {
    let mut text = String::new();
    for review in goal.reviews.iter().rev() {
        let head = head(&review.role, review.verdict.as_deref(), &review.at);
        let report = clean(&review.report);
        let report = head_and_tail(report.trim(), REPORT);
        text += &format!("- {head}.\n\n");
        if !report.is_empty() {
            text += &format!("{}\n\n", quote(&report));
        }
    }
    text.trim_end().to_owned()
}
