//! The focused goal's contract, verbatim and clearly quoted.

use crate::domain::goal::state::Goal;
use crate::domain::verdict::fence;
use crate::render::contract::texts_without;
use crate::render::text::{cut, one_line};

/// Most bytes of a contract's texts that the summary shows.
const MAX_TEXT: usize = 32 * 1024;

/// Bytes of a pair of fences that count as frame; what a longer pair takes is taken off the text,
/// so that a text of backticks cannot grow the summary.
const FENCES: usize = 64;

/// Every text of the contract in a code fence that it cannot leave. Beyond 32 KiB it is cut, which
/// is said with the place where the whole stands.
pub(super) fn contract(goal: &Goal, document: Option<&str>) -> String {
    let mut section = "### Contract\n\n".to_owned();
    // The line of facts has these.
    let texts = texts_without(&goal.contract, &["category", "owner"]);
    if goal.contract.objective.is_empty() {
        section.push_str("The objective is unknown: no line of the ledger records it.\n\n");
    }
    let mut left = MAX_TEXT;
    let mut missing = 0;
    for (label, text) in texts {
        let fences = 2 * longest_run(&text).max(3);
        let extra = fences.saturating_sub(FENCES);
        let shown = cut(&text, left.saturating_sub(extra));
        left = left.saturating_sub(extra + shown.len());
        if shown.len() < text.len() {
            missing += text.len() - shown.len();
        }
        if !shown.is_empty() {
            section.push_str(&format!("#### {label}\n\n{}\n\n", fence(&shown)));
        }
    }
    if missing > 0 {
        let whole = match document {
            Some(path) => format!("`{}`", one_line(path)),
            None => format!("`goal show {}`", goal.id),
        };
        section.push_str(&format!(
            "The contract is longer than what is shown here; {whole} has all of it.\n\n"
        ));
    }
    section
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    // The fence is one longer.
    runs.max().unwrap_or(0) + 1
}
