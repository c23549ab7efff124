//! What an auditor's answer came to, and what that made of a goal, in words.

use std::time::Duration;

use crate::domain::goal::chain::Audited;
use crate::domain::id::GoalId;
use crate::domain::objections::CameBack;
use crate::domain::verdict::{Cause, Verdict};

pub use crate::domain::verdict::unreported;
use crate::render::amounts::{age, spent};
use crate::render::columns::{HEADING, fit, sealed, toned, width, wrapped};
use crate::render::marks::of_verdict;
use crate::render::table::{Cell, Column, ID, Tabled};
use crate::render::text::{command_line, one_line, short};
use crate::render::work::ago;

/// How a complete goal came to be complete, as the ledger records it: the same words on every machine,
/// so they promise nothing ([`crate::render::proof`] says what is proven on this one). `wordless` says
/// whether the approval came without a report.
pub(super) fn completed(audited: Audited, wordless: bool) -> &'static str {
    match (audited, wordless) {
        (Audited::Gated, false) => "an approval is on record",
        (Audited::Gated, true) => "an approval without a report is on record",
        (Audited::External, false) => "an approval by another tool's auditor is on record",
        (Audited::External, true) => {
            "an approval without a report by another tool's auditor is on record"
        }
        (Audited::None, _) => "no auditor's approval is on record",
    }
}

/// Why a verdict is what it is, behind its name: ` (timeout)`.
pub(super) fn because(cause: Option<&Cause>) -> String {
    cause.map_or_else(String::new, |it| format!(" ({})", one_line(it.name())))
}

/// [`because`] where what stands in brackets is not clear by itself: ` (cause: timeout)`.
pub(super) fn with_cause(cause: Option<&Cause>) -> String {
    cause.map_or_else(String::new, |it| {
        format!(" (cause: {})", short(it.name(), 60))
    })
}

/// The row of the verdict table (docs/auditor-protocol.md#the-verdict) that gives this verdict, as
/// a sentence without its full stop.
pub fn rule(verdict: Verdict, cause: Option<&Cause>) -> &'static str {
    match (verdict, cause) {
        (Verdict::Approved, _) => {
            "its last line is the one approving marker, and there is no disapproving one"
        }
        (Verdict::Disapproved, Some(Cause::CheckFailed)) => "a check of the contract failed",
        (Verdict::Disapproved, _) => {
            "its last line is a disapproving marker, and there is no approving one"
        }
        (Verdict::Error, cause) => cause.map_or("it has no cause on record", error),
    }
}

/// The same of an audit on record. Another tool has its own rules, so its verdict is only reported.
pub fn reason(ours: bool, verdict: Verdict, cause: Option<&Cause>) -> &'static str {
    match (ours, verdict) {
        (false, Verdict::Approved | Verdict::Disapproved) => "as another tool read its report",
        _ => rule(verdict, cause),
    }
}

fn error(cause: &Cause) -> &'static str {
    match cause {
        Cause::NoMarker => "its stdout has no marker: neither `<approved/>` nor `<disapproved/>`",
        Cause::BothMarkers => {
            "its stdout has both approving and disapproving markers, as if it repeated its prompt"
        }
        Cause::RepeatedMarker => "its stdout approves more than once",
        Cause::MisplacedMarker => "its marker is not alone on the last non-empty line of stdout",
        Cause::FencedMarker => "its approving marker is inside a code fence",
        Cause::NonZeroExit => "it exited with a status other than 0, so its output does not count",
        Cause::Timeout => "it was still running at its deadline and was killed",
        Cause::Signal => "a signal killed it",
        Cause::Cancelled => "it was cancelled",
        Cause::EmptyOutput => "it wrote nothing to stdout; stderr is never judged",
        Cause::OversizedOutput => "it wrote more than 1 MiB to stdout",
        Cause::InvalidUtf8 => "its stdout is not UTF-8",
        Cause::CheckFailed => "a check of the contract failed",
        Cause::Stale => "the goal changed while it was audited",
        Cause::ContractUnproven => "it is not proven that the user agreed to the contract",
        Cause::HistoryUnproven => "lines of the ledger were taken away or changed",
        Cause::NotSigned => "its verdict could not be signed",
        Cause::Interrupted => "the process that ran it ended without a result",
        Cause::AuditorInvalid => "its configuration cannot be used",
        Cause::AuditorUntrusted => {
            "its command, or the file that it runs, comes from the project and is not trusted, or \
             its command line does not show what it runs"
        }
        Cause::AuditorChanged => {
            "it is not the auditor of the user's last call, or its program changed while checks ran"
        }
        Cause::CheckChanged => "a file that a check runs changed after the audit began",
        Cause::AuditorMissing => "its command could not be started",
        Cause::Other(_) => "for a reason that this version does not know",
    }
}

/// An audit as one of several.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    pub goal_id: GoalId,
    pub title: String,
    /// Line of the ledger where it begins.
    pub line: u64,
    pub at: String,
    /// None while there is no result.
    pub verdict: Option<Verdict>,
    pub cause: Option<Cause>,
    pub millis: Option<u64>,
    /// The auditor's command line; empty where it was not started.
    pub auditor: Vec<String>,
    pub report: String,
}

/// Most bytes of a report in a table; `goal audits` without columns has more.
const REPORT: usize = 200;

impl Tabled for AuditRow {
    const COLUMNS: &'static [Column<AuditRow>] = &[
        Column::left("goal", "The goal's id", |row: &AuditRow, _| {
            row.goal_id.as_str().into()
        })
        .most(ID),
        Column::cut("title", "The goal's title", |row: &AuditRow, _| {
            fit(&row.title, HEADING).into()
        }),
        Column::right(
            "line",
            "The line of the ledger where it begins",
            |row: &AuditRow, _| row.line.to_string().into(),
        ),
        Column::left("time", "When it began", |row: &AuditRow, _| {
            one_line(&row.at).into()
        }),
        Column::right("age", "How long ago it began", |row: &AuditRow, now| {
            age(&row.at, now).into()
        }),
        Column::left("verdict", "What the auditor said", |row: &AuditRow, _| {
            let it = of_verdict(row.verdict);
            Cell::styled(format!("{} {}", it.mark, it.word), toned(it.tone))
        }),
        Column::left(
            "cause",
            "Why the verdict is this one, or why there is none",
            |row: &AuditRow, _| row.cause.as_ref().map(|it| one_line(it.name())).into(),
        ),
        Column::right(
            "took",
            "How long the auditor worked",
            |row: &AuditRow, _| {
                let took = row.millis.map(Duration::from_millis);
                took.map(spent).into()
            },
        ),
        Column::wrapped("auditor", "The auditor's command", |row: &AuditRow, _| {
            command_line(&row.auditor).into()
        }),
        Column::wrapped("report", "What it reported", |row: &AuditRow, _| {
            short(row.report.trim(), REPORT).into()
        }),
    ];
}

/// The objections that came back, for a terminal of so many columns.
pub fn repeated(all: &[CameBack], now: i64, columns: usize) -> String {
    if all.is_empty() {
        return "No objection came back.\n".to_owned();
    }
    let mut text = String::new();
    for it in all {
        let (times, id) = (it.times, &it.goal_id);
        let latest = it.at.last().map(|at| ago(at, now)).unwrap_or_default();
        let state = if it.open { "open" } else { "settled" };
        let more = format!("  {times} times, latest {latest}, {state}  {id}");
        let room = columns.saturating_sub(width(&more)).max(TITLE);
        text += &format!("{}{more}\n", sealed(&fit(&it.title, room)));
        let mut say = |said: &str| {
            for line in wrapped(&one_line(said), columns.saturating_sub(2), LINES) {
                text += &format!("  {line}\n");
            }
        };
        it.criterion.iter().for_each(|criterion| say(criterion));
        say(&it.objection);
    }
    text
}

/// Fewest columns of a goal's title.
const TITLE: usize = 20;

/// Most lines of an objection; `goal audits` has whole reports.
const LINES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_its_own_sentence() {
        let mut seen: Vec<&str> = Cause::KNOWN
            .iter()
            .map(|cause| rule(Verdict::Error, Some(cause)))
            .collect();
        seen.push(rule(Verdict::Approved, None));
        seen.push(rule(Verdict::Disapproved, None));
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn an_approval_without_a_report_is_called_that() {
        for audited in [Audited::Gated, Audited::External] {
            let said = [false, true].map(|wordless| completed(audited, wordless));
            assert_eq!(
                said.map(|it| it.contains("without a report")),
                [false, true]
            );
        }
        for verdict in [Verdict::Disapproved, Verdict::Error] {
            assert_eq!(unreported(verdict, ""), "");
        }
        assert_eq!(unreported(Verdict::Approved, "Met."), "");
    }
}
