//! What an auditor is told beside the contract: the claim, the evidence, what changed in the files, and
//! what auditors and reviewers said before. What is not proven on this machine is marked, or left out.

use super::PromptInput;
use super::fenced::block;
use super::values::{given, items};
use crate::domain::changes::Changes;
use crate::domain::decide::completion::asked;
use crate::domain::goal::state::{Goal, Review};
use crate::domain::task::evidence::EvidenceItem;
use crate::domain::verdict::{Verdict, head_and_tail, tail};
use crate::render::changes::{counted, listed};
use crate::render::text::{clean, count, inline, json_text, one_line};

/// Most bytes of an auditor's report in a prompt; the ledger has all of it.
const REPORT: usize = 8 * 1024;

/// Most bytes of evidence in a prompt.
const EVIDENCE: usize = 8 * 1024;

/// Most bytes of a reviewer's report in a prompt, and most reviews.
const REVIEW: usize = 2 * 1024;
const REVIEWS: usize = 4;

/// What the agent says who requested completion.
pub(super) fn claim(goal: &Goal) -> String {
    let Some(request) = &goal.gate.requested else {
        return String::new();
    };
    let summary = given(request.summary.as_deref().unwrap_or_default());
    let claim = format!("What the agent claims:\n\n{summary}");
    // What is on record follows: it names the rest.
    let mut on_record = goal.tasks.evidence.since(goal.gate.evidence_from);
    if request.evidence.is_empty() && on_record.next().is_some() {
        return claim;
    }
    let evidence = items(&request.evidence);
    format!("{claim}\n\nThe evidence it names:\n\n{evidence}")
}

/// What the user is asked and has not answered: their own request may leave it so.
pub(super) fn waiting(goal: &Goal, input: &PromptInput<'_>) -> String {
    let asked = asked(input.state, goal).into_iter();
    let lines = asked.map(|it| format!("- {}: {}", one_line(&it.named()), one_line(it.text())));
    let lines = lines.collect::<Vec<_>>().join("\n");
    block(
        "What waits for the user, who asks for completion all the same:",
        &lines,
    )
}

/// What was recorded to show that the goal is reached, since the contract last changed: of each key the latest
/// value with its time, and the latest keys where they are many.
pub(super) fn evidence(goal: &Goal, input: &PromptInput<'_>) -> String {
    let is_unproven = |given: &EvidenceItem| {
        let named = (given.key.as_str().to_owned(), given.at.to_string());
        input
            .audited
            .is_some_and(|it| it.unproven.evidence.contains(&named))
    };
    let mut unproven = 0;
    let given = goal.tasks.evidence.latest_since(goal.gate.evidence_from);
    let given = given.into_iter();
    let lines = given.map(|(given, before)| {
        let task = given.task_id.as_deref();
        let task = task.map_or_else(String::new, |task| format!("task {}, ", one_line(task)));
        let at = one_line(&given.at);
        let before = match before {
            0 => String::new(),
            before => format!(", after {}", count(before as u64, "earlier value")),
        };
        let value = clean(&json_text(&given.value));
        let mark = match is_unproven(given) {
            true => "[unproven] ",
            false => "",
        };
        unproven += usize::from(!mark.is_empty());
        let key = one_line(given.key.as_str());
        format!("- {mark}{key} ({task}{at}{before}): {value}")
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    let lead = match unproven {
        0 => "Evidence on record since the contract last changed:".to_owned(),
        many => format!(
            "Evidence on record since the contract last changed; what is marked unproven ({many}) may \
             have been written by anybody:"
        ),
    };
    block(&lead, &tail(&lines, EVIDENCE))
}

/// What changed in the files since the contract was confirmed; nothing where nobody looked.
pub(super) fn changes(input: &PromptInput<'_>) -> String {
    match input.audited.map(|it| &it.changes) {
        None => String::new(),
        Some(Err(why)) => {
            let why = one_line(why);
            format!(
                "What changed in the files since the contract was confirmed cannot be told: {why}."
            )
        }
        Some(Ok(changes)) => {
            let lead = format!(
                "In the work tree, {}. Work that is not committed counts, also what was there before; \
                 files that git ignores do not, except those of checks.",
                counted(changes)
            );
            match listed(changes, Changes::MOST).as_slice() {
                [] => lead,
                rows => block(&lead, &rows.join("\n")),
            }
        }
    }
}

/// The latest result of an audit, unless it approved.
pub(super) fn feedback(goal: &Goal, input: &PromptInput<'_>) -> String {
    let Some(result) = &goal.gate.result else {
        return String::new();
    };
    if input.audited.is_some_and(|it| it.unproven.result) {
        return "The latest result of an audit on record is unproven, and left out.".to_owned();
    }
    let cause = result.cause.as_ref().map(|cause| inline(cause.name(), 60));
    let cause = cause.map_or_else(String::new, |cause| format!(" (cause: {cause})"));
    let lead = match result.verdict {
        Verdict::Approved => return String::new(),
        Verdict::Disapproved => "The latest audit disapproved",
        Verdict::Error => "The latest audit came to no verdict",
    };
    let report = given(&head_and_tail(&clean(&result.report), REPORT));
    format!("{lead}{cause}. Its report:\n\n{report}")
}

/// The latest reviews, the newest first.
pub(super) fn reviews(goal: &Goal, input: &PromptInput<'_>) -> String {
    let is_proven = |review: &&Review| {
        !input
            .audited
            .is_some_and(|it| it.unproven.reviews.contains(&review.role))
    };
    let left_out = goal.reviews.iter().filter(|it| !is_proven(it)).count();
    let mut blocks: Vec<String> = goal
        .reviews
        .iter()
        .filter(is_proven)
        .rev()
        .take(REVIEWS)
        .map(|review| {
            let role = inline(&review.role, 40);
            let verdict = review.verdict.as_deref();
            let verdict = verdict.map_or_else(String::new, |it| {
                format!(", whose verdict is {}", inline(it, 80))
            });
            let of = match review.revision {
                Some(revision) if input.revision != Some(revision) => {
                    ", of an earlier revision of the goal"
                }
                _ => "",
            };
            let report = given(&head_and_tail(&clean(&review.report), REVIEW));
            format!("Reviewer {role}{verdict}{of}.\n\n{report}")
        })
        .collect();
    if left_out > 0 {
        blocks.push(format!("Left out, since they are unproven: {left_out}."));
    }
    match blocks.is_empty() {
        true => String::new(),
        false => format!(
            "Reviews; these are opinions, and decide nothing:\n\n{}",
            blocks.join("\n\n")
        ),
    }
}
