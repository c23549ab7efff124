//! What an event says, on one line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::domain::event::draft::DraftOutcome;
use crate::domain::event::end::AbortOutcome;
use crate::domain::event::{AuditStarted, GoalCreated, Payload};
use crate::domain::goal::contract::{self, ContractChange};
use crate::domain::goal::fields::set_in;
use crate::domain::task::spec::TaskSpec;
use crate::render::audit::unreported;
use crate::render::text::{count, one_line};

/// The gist of an event, cleaned and on one line of any length; may be empty. The event's type,
/// time and author are not in it: they stand beside it wherever it is shown.
pub fn summary(payload: &Payload) -> String {
    one_line(&said(payload))
}

/// Every type stands here, so that a new one says what it has to say.
fn said(payload: &Payload) -> Cow<'_, str> {
    match payload {
        Payload::GoalCreated(it) => created(it).into(),
        Payload::GoalFocused(it) => (&it.reason).into(),
        Payload::GoalUnfocused(it) => (&it.reason).into(),
        Payload::GoalPaused(it) => {
            let blocked = if it.blocked == Some(true) {
                "blocked: "
            } else {
                ""
            };
            let suggested = after("; suggested: ", it.suggested_action.as_deref());
            let since = after("; paused by another tool since ", it.since.as_deref());
            format!("{blocked}{}{suggested}{since}", it.reason).into()
        }
        Payload::GoalResumed(it) => (&it.reason).into(),
        Payload::GoalTweaked(it) => {
            // Without words of the user's own the summary names the fields already.
            let fields =
                changed(&it.contract).filter(|fields| !it.change_summary.ends_with(fields));
            let fields = after(" — ", fields.as_deref());
            format!("{}{fields}", it.change_summary).into()
        }
        Payload::GoalNoted(it) => {
            format!("{}{}", it.note, after("; next: ", it.next.as_deref())).into()
        }
        Payload::AuditSkipped(it) => (&it.reason).into(),
        Payload::GoalAborted(it) => {
            let outcome = match it.outcome {
                None => "",
                Some(AbortOutcome::Failed) => "failed: ",
                Some(AbortOutcome::Abandoned) => "abandoned: ",
            };
            format!("{outcome}{}", it.reason).into()
        }
        Payload::GoalBlocked(it) => (&it.reason).into(),
        Payload::GoalFailed(it) => it.reason.as_deref().unwrap_or_default().into(),
        Payload::GoalAbandoned(it) => (&it.reason).into(),
        Payload::GoalArchived(it) => (&it.archive_path).into(),
        Payload::CompletionRequested(it) => {
            let evidence = it.evidence.as_ref().map(|all| all.join("; "));
            let evidence = after("evidence: ", evidence.as_deref());
            let said = [it.summary.clone().unwrap_or_default(), evidence];
            let said: Vec<String> = said.into_iter().filter(|it| !it.is_empty()).collect();
            said.join(" — ").into()
        }
        Payload::AuditStarted(it) => auditor(it).into(),
        Payload::AuditResult(it) => {
            let cause = it.cause.as_ref().map(|cause| cause.name());
            let how = unreported(it.verdict, &it.report);
            let report = after(": ", Some(&it.report));
            format!("{}{how}{}{report}", it.verdict, bracketed(cause)).into()
        }
        Payload::DraftStarted(it) => format!("{}: {}", it.draft_id, it.topic).into(),
        Payload::DraftProposed(it) => {
            let fields = || changed(&it.contract).unwrap_or_default();
            let heading = heading(&it.contract).map_or_else(fields, str::to_owned);
            format!("{}: {heading}", it.draft_id).into()
        }
        Payload::DraftResolved(it) => {
            let outcome = match it.outcome {
                DraftOutcome::Confirmed => "confirmed",
                DraftOutcome::Rejected => "rejected",
                DraftOutcome::Cancelled => "cancelled",
            };
            format!("{}: {outcome}", it.draft_id).into()
        }
        Payload::GoalSettled(it) => {
            let accepted = match it.accept {
                Some(true) => " taken",
                Some(false) => " left",
                None => "",
            };
            let what = it.finding.as_deref().unwrap_or("line");
            let lines = count(it.lines.len() as u64, what);
            format!("{lines}{accepted}{}", after(": ", it.reason.as_deref())).into()
        }
        Payload::GoalDelegated(it) => format!("{} to {}", it.child_goal_id, it.to).into(),
        Payload::ReviewResult(it) => {
            let verdict = bracketed(it.verdict.as_deref());
            format!("{}{verdict}: {}", it.role, it.report).into()
        }
        Payload::TaskListSet(it) => {
            let holds = if it.block_completion {
                "; completion waits for them"
            } else {
                ""
            };
            format!("{}{holds}", count(it.task_count, "task")).into()
        }
        Payload::TaskAdded(it) => titles(&it.tasks).into(),
        Payload::TaskUpdated(it) => titles(&it.tasks).into(),
        Payload::TaskExpanded(it) => format!("{} into {}", it.task_id, titles(&it.tasks)).into(),
        Payload::TaskStarted(it) => (&it.task_id).into(),
        Payload::TaskComplete(it) => {
            let proof = it.summary.as_deref().or(it.evidence.as_deref());
            about(&it.task_id, proof)
        }
        Payload::TaskSkipped(it) => about(&it.task_id, it.reason.as_deref()),
        Payload::TaskFailed(it) => about(&it.task_id, it.reason.as_deref()),
        Payload::TaskBlocked(it) => about(&it.task_id, it.reason.as_deref()),
        Payload::TaskReopened(it) => about(&it.task_id, it.reason.as_deref()),
        Payload::EvidenceAdded(it) => {
            let task = bracketed(it.task_id.as_deref());
            format!("{}{task} = {}", it.key, it.value).into()
        }
        Payload::ConditionChecked(it) => {
            let satisfied = if it.satisfied {
                "holds"
            } else {
                "does not hold"
            };
            let why = after(": ", it.reasoning.as_deref());
            format!("{satisfied}{why}").into()
        }
        Payload::PlanRequested(it) => it.task_id.as_deref().unwrap_or_default().into(),
        Payload::PlanFailed(it) => (&it.reason).into(),
        Payload::QuestionAsked(it) => about(&it.question_id, Some(&it.question)),
        Payload::QuestionAnswered(it) => format!("{}: {}", it.question_id, it.answer).into(),
        Payload::MessageInterpreted(it) => about(&it.action, Some(&it.reasoning)),
        Payload::ContextSummarized(it) => (&it.summary).into(),
        Payload::CheckRun(it) => {
            let outcome = if it.pass { "passed" } else { "failed" };
            let output = after(": ", it.output.as_deref());
            format!("{} {outcome}{output}", it.name).into()
        }
        Payload::IterationStarted(it) => {
            let most = it.max_iterations.map(|most| format!("at most {most}"));
            about(&it.iteration_id, most.as_deref()).into_owned().into()
        }
        Payload::IterationValidated(it) => {
            let failed = it.results.iter().filter(|(_, result)| !result.pass);
            let failed: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
            let outcome = match (it.results.is_empty(), failed.is_empty()) {
                (true, _) => "no rules".to_owned(),
                (false, true) => "all rules pass".to_owned(),
                (false, false) => format!("failed: {}", failed.join(", ")),
            };
            let signal = after(", ", it.signal.as_deref());
            format!("{} #{}: {outcome}{signal}", it.iteration_id, it.iteration).into()
        }
        Payload::IterationAdvanced(it) => {
            let learned = after(": ", it.learned.as_deref());
            format!("{} #{}{learned}", it.iteration_id, it.iteration).into()
        }
        Payload::IterationCompleted(it) => about(&it.iteration_id, Some(&it.summary)),
        Payload::RunStarted(it) => format!("{} with {}", it.run_id, it.agent).into(),
        Payload::RunStopped(it) => about(&it.run_id, Some(&it.cause)),
        Payload::BaselineCaptured(it) => (&it.text).into(),
        Payload::ProgressEvaluated(it) => format!("{}: {}", it.score, it.gap_analysis).into(),
        Payload::GoalEscalated(it) => (&it.reason).into(),
        Payload::DifficultyUpgraded(it) => format!("{} to {}", it.from.name(), it.to.name()).into(),
        Payload::AgendaSet(it) => {
            let open = it.steps.iter().filter(|step| !step.done).count();
            format!("{}, {open} open", count(it.steps.len() as u64, "step")).into()
        }
        Payload::UsageRecorded(it) => numbers(&it.counters).into(),
        Payload::BudgetSet(it) => numbers(&it.limits).into(),
        Payload::GoalContinued(_)
        | Payload::UserPrompted(_)
        | Payload::GoalCompleted(_)
        | Payload::RunwayGranted(_)
        | Payload::Unknown(_) => "".into(),
    }
}

fn created(it: &GoalCreated) -> String {
    let heading = heading(&it.contract).unwrap_or_default();
    let mut flags = Vec::new();
    if it.contract.sisyphus == Some(true) {
        flags.push("sisyphus".to_owned());
    }
    if it.imported == Some(true) {
        flags.push("taken over from another tool".to_owned());
    }
    if let Some(parent) = &it.parent_goal_id {
        flags.push(format!("part of {parent}"));
    }
    if let Some(outer) = &it.returns_to {
        flags.push(format!("begun from {outer}"));
    }
    let flags = (!flags.is_empty()).then(|| flags.join(", "));
    format!("{heading}{}", bracketed(flags.as_deref()))
}

fn heading(contract: &ContractChange) -> Option<&str> {
    let (title, objective) = (contract.title.as_deref(), contract.objective.as_deref());
    (title.is_some() || objective.is_some())
        .then(|| contract::heading(title, objective.unwrap_or_default()))
}

/// The names of the fields that a change sets, as they stand in the ledger.
fn changed(contract: &ContractChange) -> Option<String> {
    let names: Vec<&str> = set_in(contract).iter().map(|field| field.label).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn auditor(it: &AuditStarted) -> String {
    let named = [&it.provider, &it.model, &it.thinking_level];
    let named: Vec<&str> = named.into_iter().flatten().map(String::as_str).collect();
    let program = it.command.as_ref().and_then(|command| command.first());
    match (program, named.is_empty()) {
        (Some(program), true) => program.clone(),
        (Some(program), false) => format!("{program} ({})", named.join(" ")),
        (None, _) => named.join(" "),
    }
}

fn titles(tasks: &[TaskSpec]) -> String {
    let titles: Vec<String> = tasks
        .iter()
        .map(|task| format!("{} {}", task.id, task.title))
        .collect();
    titles.join(", ")
}

fn numbers(all: &BTreeMap<String, f64>) -> String {
    let all: Vec<String> = all
        .iter()
        .map(|(name, it)| format!("{name} {it}"))
        .collect();
    all.join(", ")
}

fn about<'a>(id: &'a str, text: Option<&str>) -> Cow<'a, str> {
    match text {
        Some(text) if !text.trim().is_empty() => format!("{id}: {text}").into(),
        _ => id.into(),
    }
}

fn after(before: &str, text: Option<&str>) -> String {
    match text {
        Some(text) if !text.trim().is_empty() => format!("{before}{text}"),
        _ => String::new(),
    }
}

fn bracketed(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" ({text})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, fields: &str, expected: &str) {
        let payload = Payload::decode(name, fields).unwrap();
        assert_eq!(summary(&payload), expected);
    }

    #[test]
    fn each_says_what_matters() {
        check(
            "goal_created",
            r#"{"objective":"\n tidy up \nmore","sisyphus":true,"autoContinue":true,"imported":true}"#,
            "tidy up (sisyphus, taken over from another tool)",
        );
        check(
            "goal_paused",
            r#"{"reason":"waits","blocked":true,"suggestedAction":"ask"}"#,
            "blocked: waits; suggested: ask",
        );
        check(
            "goal_tweaked",
            r#"{"changeSummary":"wider","objective":"o","checks":[]}"#,
            "wider — objective, checks",
        );
        check(
            "goal_tweaked",
            r#"{"changeSummary":"changed: success criteria","successCriteria":["a"]}"#,
            "changed: success criteria",
        );
        check(
            "completion_requested",
            r#"{"summary":"done","evidence":["a","b"]}"#,
            "done — evidence: a; b",
        );
        check(
            "audit_result",
            r#"{"verdict":"error","report":"killed\nlate","cause":"timeout"}"#,
            "error (timeout): killed late",
        );
        check(
            "audit_result",
            r#"{"verdict":"approved","report":" "}"#,
            "approved without a report",
        );
        check(
            "draft_proposed",
            r##"{"draftId":"d","contract":{"objective":"# A heading\nmore"}}"##,
            "d: A heading",
        );
        check(
            "audit_started",
            r#"{"command":["pi","-p"],"model":"m"}"#,
            "pi (m)",
        );
        check(
            "goal_aborted",
            r#"{"reason":"no","outcome":"failed"}"#,
            "failed: no",
        );
        check(
            "task_list_set",
            r#"{"taskCount":1,"blockCompletion":true}"#,
            "1 task; completion waits for them",
        );
        check("task_complete", r#"{"taskId":"t","evidence":" "}"#, "t");
        check("runway_granted", "{}", "");
        check("pirate_day", r#"{"arr":1}"#, "");
    }

    #[test]
    fn no_stored_text_steers_a_terminal() {
        check(
            "goal_noted",
            r#"{"note":"a\u001b[31mb\u202e\nc\u009b","next":"\u0007"}"#,
            "a\u{fffd}[31mb\u{fffd} c\u{fffd}; next: \u{fffd}",
        );
    }
}
