//! The listing of goals: a line each, the id first, since it is what one copies.

use std::collections::BTreeMap;

use crate::domain::attention::Standing;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contract::rank;
use crate::domain::goal::state::Status;
use crate::domain::seal::Attestation;
use crate::domain::verdict::Verdict;
use crate::render::audit::{completed, signed, unapproved, unattested};
use crate::render::columns::{BAD, BOLD, DIM, HEADING, fit, padded, status_column, styled, width};
use crate::render::view::GoalRow;
use crate::render::work::{Onlooker, kept, others};

/// Ids of other tools can be long; longer ones than this do not widen the column.
const ID: usize = 24;

/// Longer priorities than this are cut: people write one or two decimals.
const PRIORITY: usize = 6;

/// About as many bytes as a row takes, styles included.
const WIDTH: usize = 128;

/// A listing with what stands around it.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    pub rows: &'a [GoalRow],
    /// How many goals the project has of each status.
    pub counts: &'a BTreeMap<Status, u64>,
    /// Ended goals were asked for too, or only certain statuses.
    pub filtered: bool,
    /// Goals that stand alike stand together, under a heading.
    pub grouped: bool,
    pub onlooker: Onlooker<'a>,
    /// The project had a ledger, which is not here.
    pub lost: bool,
}

/// The rows and a line of counts; where there are no rows, what to do.
pub fn list(listing: &Listing<'_>) -> String {
    if listing.counts.is_empty() {
        return no_goals(listing.lost).to_owned();
    }
    let counts = counts(listing.counts);
    if listing.rows.is_empty() {
        let (none, more) = match listing.filtered {
            true => (
                "No goal has that status",
                "`goal list --all` shows every goal",
            ),
            false => ("No goal is open", "`goal list --all` shows the ended ones"),
        };
        return format!("{none}: {counts}. {more}.\n");
    }
    let mut text = match listing.grouped {
        true => groups(listing.rows, listing.onlooker),
        false => rows(listing.rows, listing.onlooker),
    };
    text.extend(["\n", &styled(&counts, DIM), "\n"]);
    text
}

/// What is said where no goal is known.
pub(super) fn no_goals(lost: bool) -> &'static str {
    match lost {
        true => {
            "The ledger is missing, so its goals cannot be shown. `goal doctor` says how it comes \
             back.\n"
        }
        false => {
            "No goals yet. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC` begins \
             with a discussion.\n"
        }
    }
}

/// The rows by standing, each group under its heading, in the order of [`Standing::ALL`].
fn groups(all: &[GoalRow], onlooker: Onlooker<'_>) -> String {
    let mut text = String::new();
    for standing in Standing::ALL {
        let group = all.iter().filter(|row| row.standing == standing);
        let group: Vec<&GoalRow> = group.collect();
        if group.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let heading = format!("{standing} ({})", group.len());
        text.extend([&styled(&heading, BOLD), "\n"]);
        text.push_str(&lines(&group, onlooker));
    }
    text
}

/// The rows alone, each with its line end.
pub fn rows(rows: &[GoalRow], onlooker: Onlooker<'_>) -> String {
    lines(&rows.iter().collect::<Vec<_>>(), onlooker)
}

fn lines(rows: &[&GoalRow], onlooker: Onlooker<'_>) -> String {
    let widths = rows.iter().map(|row| width(row.goal_id.as_str()));
    let id_width = widths.max().unwrap_or(0).min(ID);
    let priorities: Vec<String> = rows.iter().map(|row| priority(row)).collect();
    let priority_width = priorities.iter().map(|it| width(it)).max().unwrap_or(0);
    let statuses = Status::ALL.map(status_column);
    let mut text = String::with_capacity(rows.len() * WIDTH);
    for (row, priority) in rows.iter().zip(priorities) {
        let mut id = padded(row.goal_id.as_str(), id_width);
        let mut heading = fit(row.heading(), HEADING);
        if row.focused {
            (id, heading) = (styled(&id, BOLD), styled(&heading, BOLD));
        }
        // Its variants are in the order of `ALL`.
        let status = &statuses[row.status as usize];
        text.extend([&id, "  ", status, "  "]);
        // A column of its own, and only where somebody set one.
        if priority_width > 0 {
            text.extend([&padded(&priority, priority_width), "  "]);
        }
        text.push_str(&heading);
        let notes = remarks(row, onlooker);
        if !notes.is_empty() {
            text.extend(["  ", &notes]);
        }
        text.push('\n');
    }
    text
}

/// The priority where it is set. Another program may have written any number.
fn priority(row: &GoalRow) -> String {
    let set = row.priority.map(|_| rank(row.priority).to_string());
    set.map_or_else(String::new, |it| format!("priority {}", fit(&it, PRIORITY)))
}

/// What else is worth knowing about a goal, in brackets.
fn remarks(row: &GoalRow, onlooker: Onlooker<'_>) -> String {
    let mut notes = Vec::new();
    if row.focused {
        notes.push(styled("focused", BOLD));
    }
    if row.contested.is_some() {
        notes.push(styled("contested", BAD));
    }
    match (row.audited, row.latest_verdict) {
        (Some(how @ Audited::None), _) => notes.push(styled(completed(how, false), BAD)),
        (Some(_), _) if let Some(not) = unapproved(row.signature) => notes.push(styled(not, BAD)),
        (Some(how), _) => {
            let how = completed(how, row.approved_without_report);
            let signed = signed(row.signature, row.signer.as_deref());
            notes.push(styled(&format!("{how}{signed}"), DIM));
            let style = match row.attestation {
                Some(Attestation::Invalid) => BAD,
                _ => DIM,
            };
            notes.extend(unattested(row.attestation).map(|text| styled(text, style)));
        }
        (None, Some(Verdict::Disapproved)) => notes.push(styled("auditor disapproved", BAD)),
        (None, Some(Verdict::Error)) => notes.push(styled("audited without a verdict", BAD)),
        (None, Some(Verdict::Approved) | None) => {}
    }
    if row.status.is_open()
        && let Some(others) = others(row.worker.as_ref(), row.lease.as_deref(), onlooker)
    {
        notes.push(others);
    }
    // That another tool's auditor approved says already whose the goal is.
    if row.audited != Some(Audited::External) {
        notes.extend(kept(row.keeper).map(|it| styled(it, DIM)));
    }
    match notes.is_empty() {
        true => String::new(),
        false => format!("[{}]", notes.join(", ")),
    }
}

/// `2 open (1 active, 1 paused), 3 ended (3 complete)`.
pub(super) fn counts(counts: &BTreeMap<Status, u64>) -> String {
    let part = |open: bool, name: &str| {
        let all = counts.iter().filter(|(status, _)| status.is_open() == open);
        let (mut sum, mut each) = (0, Vec::new());
        for (status, count) in all {
            sum += count;
            each.push(format!("{count} {}", status.name()));
        }
        match sum {
            0 => format!("0 {name}"),
            _ => format!("{sum} {name} ({})", each.join(", ")),
        }
    };
    format!("{}, {}", part(true, "open"), part(false, "ended"))
}

#[cfg(test)]
mod tests;
