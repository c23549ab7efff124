//! Findings as people read them: grouped by weight, each with its place, what follows from it and
//! what helps.

use std::collections::BTreeMap;

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::findings::{CountedFindings, by_severity};
use crate::render::text::{count, one_line};

/// Of one kind this many are shown; a ledger of another program can have thousands.
const SHOWN: u64 = 10;

/// All findings, the gravest first; of what is counted and not listed, the `rest`, the number.
pub fn findings(findings: &[Diagnostic], rest: &[CountedFindings]) -> String {
    let counts = by_severity(findings, rest);
    let mut text = String::new();
    for (severity, title) in [
        (Severity::Error, "Errors"),
        (Severity::Warning, "Warnings"),
        (Severity::Information, "For information"),
    ] {
        if let Some(count) = counts.get(&severity) {
            text += &format!("{title} ({count}):\n");
            let of_weight = findings.iter().filter(|it| it.severity == severity);
            let rest = rest.iter().filter(|it| it.severity == severity);
            text.push_str(&group(of_weight, rest));
        }
    }
    text
}

/// `no findings`, or how many of each weight.
pub fn tally(findings: &[Diagnostic], rest: &[CountedFindings]) -> String {
    let counts = by_severity(findings, rest);
    let parts: Vec<String> = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Information, "remark"),
    ]
    .into_iter()
    .filter_map(|(severity, noun)| Some(count(*counts.get(&severity)?, noun)))
    .collect();
    match parts.is_empty() {
        true => "no findings".to_owned(),
        false => parts.join(", "),
    }
}

/// Findings of one weight, with how many of each kind are not shown where those that are end.
fn group<'a>(
    findings: impl Iterator<Item = &'a Diagnostic> + Clone,
    rest: impl Iterator<Item = &'a CountedFindings>,
) -> String {
    let mut hidden: BTreeMap<Code, u64> = BTreeMap::new();
    for finding in findings.clone() {
        *hidden.entry(finding.code).or_default() += 1;
    }
    rest.for_each(|kind| *hidden.entry(kind.code).or_default() += kind.count);
    for count in hidden.values_mut() {
        *count = count.saturating_sub(SHOWN);
    }
    let mut shown: BTreeMap<Code, u64> = BTreeMap::new();
    let mut text = String::new();
    for finding in findings {
        let before = shown.entry(finding.code).or_default();
        *before += 1;
        if *before <= SHOWN {
            text.push_str(&one(finding));
        }
        let more = hidden[&finding.code];
        if *before == SHOWN && more > 0 {
            text += &format!("  {}  … and {more} more\n", finding.code.name());
        }
    }
    text
}

fn one(finding: &Diagnostic) -> String {
    let place = match (finding.line, finding.offset) {
        (Some(line), Some(offset)) => format!(" line {line} (offset {offset}):"),
        (Some(line), None) => format!(" line {line}:"),
        (None, _) => String::new(),
    };
    format!(
        "  {}{place} {}\n    {}\n    -> {}\n",
        finding.code.name(),
        one_line(&finding.message),
        consequence(finding),
        one_line(&finding.hint)
    )
}

const NEVER_ACKNOWLEDGED: &str =
    "The event of this line was never acknowledged; nothing else is affected.";

/// What follows from a finding for whoever works on.
fn consequence(finding: &Diagnostic) -> &'static str {
    match finding.code {
        Code::MalformedLine if finding.severity < Severity::Error => NEVER_ACKNOWLEDGED,
        Code::MalformedEvent | Code::MalformedLine | Code::ConflictMarker => {
            "The line has no effect: what it may have recorded is missing from its goal."
        }
        Code::TornTail => NEVER_ACKNOWLEDGED,
        Code::UnknownEvent | Code::UntidyLine | Code::DuplicateLine => {
            "It has no effect: no state depends on it."
        }
        Code::RepeatedRequest => {
            "The goals are as if it had been asked once, or both writes count."
        }
        Code::EventAfterTerminal => "The goal's history shows it; its status stays final.",
        Code::ForeignLine => "It changes nothing, and waits for the user's word.",
        Code::Contested => "What stands until then is one of several; the user chooses.",
        Code::DuplicateCreation => "It is ignored: the goal keeps its first contract and status.",
        Code::MissingCreation => "The goal is known by its events only, without a contract.",
        Code::UnauditedCompletion => "The goal counts as complete, and is shown as unaudited.",
        Code::AuditedElsewhere => {
            "The auditor judged the files there, which may differ from those here."
        }
        Code::UserActViaAgent => "They count; `goal show` and the auditor's prompt say so too.",
        Code::UnsignedCompletion => "The goal counts as complete, but is shown as not approved.",
        Code::SignersInProject => "A valid signature may come from a key that no person chose.",
        Code::BrokenLink => {
            "The lines before it are not those that were appended, so no goal can be completed."
        }
        Code::DropWaits => "Whoever reads this copy reads the text that was to go.",
        Code::InvalidSeal => {
            "Somebody changed the line, made it up, or brought it here from another ledger."
        }
        Code::UnsealedLine | Code::UnknownKey => {
            "It is read as usual; that this user's `goal` wrote it is not proven."
        }
        Code::ProgramChanged => "Its verdict counts; the audits on record show both programs.",
        Code::KeyUnusable => {
            "No seal is checked, lines are written without one, and no goal can be completed."
        }
        Code::NotSealed => "The events count; later nobody can show that you wrote them.",
        Code::UnlinkedLine | Code::UncoveredLine | Code::UnreachedLine => {
            "It is read as usual; only the proof that nobody changed it is missing."
        }
        Code::TipNotFound => "Events that were once recorded are not in this ledger.",
        Code::LedgerRewound => {
            "Events that were recorded here are missing; goals look older, and none is completed."
        }
        Code::LedgerAccepted => "What your key sealed in it is proven from now on.",
        Code::UnprovenCompletion => "The goal counts as complete, and is shown as not proven.",
        Code::LedgerUnknown => "Nothing in it is proven here, and no goal can be completed.",
        Code::KeyChanged => "Nothing counts that you accepted here, and no goal can be completed.",
        Code::LedgerMissing => "`goal` cannot show recorded goals or create new ones.",
        Code::LedgerAbove => "Its goals are not this project's.",
        Code::NoWorkTree => {
            "Goals that its work trees have are not shown, and none can be created."
        }
        Code::OnThisBranch => "The goals are as they are without these lines.",
        Code::CopyStale => "Who reads that file is told less than the ledger knows.",
        Code::NotSynced => "Other clones do not see it yet.",
        Code::NotTakenIn => "What other clones recorded is not seen here.",
        Code::WaitsHere => "Nobody else knows of them, and no summary has them.",
        Code::LinesTakenIn => "Nothing is lost: they were recorded in another copy of the ledger.",
        Code::DocumentNewer => "What only the document says is not in force.",
        Code::DocumentEdited => "The edit is not in force and will be rendered over.",
        Code::DocumentStale => "Whoever reads the document is told less than the ledger knows.",
        Code::ModeNotKept => "Others may be able to read or write it now.",
        Code::DocumentUnreadable => "The document is passed over; the ledger counts.",
        Code::DocumentDuplicate => "People may read or edit the one that does not count.",
        Code::ForeignDocument => "It changes nothing here; that other tool may go on by it.",
        Code::OrphanedFile => "Nothing reads it.",
        Code::NestedGoals => "Commands that are run below it see its goals, not these.",
        Code::AuditInterrupted => {
            "The goal is open; its completion was neither granted nor denied."
        }
        Code::TaskStuck => "The goal goes on, and its next task does not.",
        Code::DoneTaskDropped => "The list no longer shows that they were done.",
        Code::TranscriptUnread => "Limits do not count what that session spends.",
        Code::StaleLease => "It reserves the goal for nobody.",
        Code::ConfigInvalid => "No goal that needs it can be completed.",
        Code::ConfigUntrusted => {
            "Commands whose files changed do not run; weaker rules for completion have no effect."
        }
        Code::ProcedureMalformed => "Plans are made without it.",
        Code::GitAttributes => {
            "A merge may leave conflict markers, or join lines of both sides that do not go \
             together."
        }
        Code::NamedByTitle => "Nothing is wrong: it says which one was meant.",
        Code::TakenOver => "Only this program keeps it now; the other tool may still hold a copy.",
        Code::GaveWay => "It rests until it is resumed; nothing of it is lost.",
        Code::JoinedAudit => "The verdict is about what the other call said.",
        Code::OuterGoal => "No data is lost: the goal is unchanged.",
        Code::NoAuditor => "The goal stays open however well it is done.",
        Code::JudgeUntold => "Whoever can edit what it runs decides its verdicts.",
        Code::RunNotReady => "No run begins here until it is there.",
        Code::AnotherAuditor => {
            "An agent can edit a configuration or set a variable, so this has no part in what it \
             asks for."
        }
        Code::OutOfOrder => "It is recorded all the same: the order is advice.",
        Code::CheckUnpinned => "An agent can weaken the check, and nobody may see it.",
        Code::ContractIncomplete => "Whoever works on the goal has to guess what is not said.",
        Code::NoBaseline => "Evaluations may credit what held before the work began.",
        Code::NotGivenUp => "The goal is as it was; the evaluation is recorded all the same.",
        Code::Redacted => "The event holds a placeholder in its place.",
        Code::UnsafePath => "It is not followed, read or written.",
        Code::WritableByAll => "Anybody here can change what is recorded, or replace it.",
        Code::OtherOwner => "Its owner can change it, and what you record may be refused.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_come_first_with_place_and_help() {
        let all = [
            Diagnostic::new(Code::UnknownEvent, "`x` is new", "nothing to do").at(2, 40),
            Diagnostic::new(Code::BrokenLink, "a\x1b[2J\nb", "look").at(7, 900),
        ];
        assert_eq!(
            findings(&all, &[]),
            "Errors (1):\n  broken_link line 7 (offset 900): a\u{fffd}[2J b\n    The lines before \
             it are not those that were appended, so no goal can be completed.\n    -> look\nFor \
             information (1):\n  \
             unknown_event line 2 (offset 40): `x` is new\n    It has no effect: no state depends on it.\n    -> nothing to do\n"
        );
        assert_eq!(tally(&all, &[]), "1 error, 1 remark");
        assert_eq!(
            (findings(&[], &[]), tally(&[], &[])),
            (String::new(), "no findings".into())
        );
    }

    #[test]
    fn many_of_a_kind_are_counted() {
        let one = Diagnostic::new(Code::UnlinkedLine, "m", "h").at(1, 0);
        let rest = CountedFindings {
            code: one.code,
            severity: one.severity,
            count: 1_000,
        };
        let mut all = vec![one; SHOWN as usize];
        assert!(!findings(&all, &[]).contains("more"));
        all.extend_from_within(..3);
        let text = findings(&all, std::slice::from_ref(&rest));
        assert_eq!(text.matches("-> h").count() as u64, SHOWN);
        assert!(text.starts_with("Warnings (1013):"), "{text}");
        assert!(text.ends_with("unlinked_line  … and 1003 more\n"), "{text}");
        assert_eq!(tally(&all, &[rest]), "1013 warnings");
    }
}
