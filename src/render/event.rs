//! What an event says, in a few words: for the log, the summary and `show`.

use crate::domain::event::Payload;
use crate::domain::verdict::Cause;

/// The event's own words. Raw stored text: whoever shows it cleans and cuts it.
pub fn describe(payload: &Payload) -> String {
    lifecycle(payload)
        .or_else(|| tasks(payload))
        .or_else(|| loops(payload))
        .unwrap_or_default()
}

fn lifecycle(payload: &Payload) -> Option<String> {
    let with = |text: &str, extra: Option<&str>, label: &str| match extra {
        Some(extra) => format!("{text} ({label}: {extra})"),
        None => text.to_owned(),
    };
    Some(match payload {
        Payload::GoalCreated(event) => event.contract.objective.clone().unwrap_or_default(),
        Payload::GoalFocused(event) => event.reason.clone(),
        Payload::GoalUnfocused(event) => event.reason.clone(),
        Payload::GoalPaused(event) => with(
            &event.reason,
            event.suggested_action.as_deref(),
            "suggested",
        ),
        Payload::GoalResumed(event) => event.reason.clone(),
        Payload::GoalTweaked(event) => event.change_summary.clone(),
        Payload::GoalNoted(event) => with(&event.note, event.next.as_deref(), "next"),
        Payload::GoalContinued(event) => format!("revision {}", event.revision),
        Payload::CompletionRequested(event) => event.summary.clone().unwrap_or_default(),
        Payload::AuditStarted(event) => match (&event.command, &event.model) {
            (Some(command), _) => command.first().cloned().unwrap_or_default(),
            (None, model) => model.clone().unwrap_or_default(),
        },
        Payload::AuditResult(event) => with(
            &format!("{}: {}", event.verdict, event.report),
            event.cause.as_ref().map(Cause::name),
            "cause",
        ),
        Payload::AuditSkipped(event) => event.reason.clone(),
        Payload::GoalCompleted(event) => event.archive_path.clone().unwrap_or_default(),
        Payload::GoalAborted(event) => event.reason.clone(),
        Payload::GoalBlocked(event) => event.reason.clone(),
        Payload::GoalFailed(event) => event.reason.clone().unwrap_or_default(),
        Payload::GoalAbandoned(event) => event.reason.clone(),
        Payload::GoalArchived(event) => event.archive_path.clone(),
        Payload::DraftStarted(event) => format!("{}: {}", event.draft_id, event.topic),
        Payload::DraftProposed(event) => {
            let objective = event.contract.objective.as_deref().unwrap_or("a change");
            format!("{}: {objective}", event.draft_id)
        }
        Payload::DraftResolved(event) => {
            format!("{}: {:?}", event.draft_id, event.outcome).to_lowercase()
        }
        Payload::GoalDelegated(event) => format!("{} to {}", event.child_goal_id, event.to),
        Payload::ReviewResult(event) => format!("{}: {}", event.role, event.report),
        _ => return None,
    })
}

fn tasks(payload: &Payload) -> Option<String> {
    let reasoned = |id: &str, reason: &Option<String>| match reason {
        Some(reason) => format!("{id}: {reason}"),
        None => id.to_owned(),
    };
    Some(match payload {
        Payload::TaskListSet(event) => {
            let holds = if event.block_completion {
                ", which hold the completion"
            } else {
                ""
            };
            format!("{} tasks{holds}", event.task_count)
        }
        Payload::TaskAdded(event) => format!("{} tasks", event.tasks.len()),
        Payload::TaskUpdated(event) => format!("{} tasks", event.tasks.len()),
        Payload::TaskExpanded(event) => {
            format!("{} into {} tasks", event.task_id, event.tasks.len())
        }
        Payload::TaskStarted(event) => event.task_id.clone(),
        Payload::TaskComplete(event) => reasoned(&event.task_id, &event.evidence),
        Payload::TaskSkipped(event) => reasoned(&event.task_id, &event.reason),
        Payload::TaskFailed(event) => reasoned(&event.task_id, &event.reason),
        Payload::TaskBlocked(event) => reasoned(&event.task_id, &event.reason),
        Payload::TaskReopened(event) => reasoned(&event.task_id, &event.reason),
        Payload::EvidenceAdded(event) => format!("{}: {}", event.key, event.value),
        Payload::ConditionChecked(event) => {
            let answer = if event.satisfied {
                "satisfied"
            } else {
                "not satisfied"
            };
            reasoned(answer, &event.reasoning)
        }
        Payload::PlanRequested(event) => event.task_id.clone().unwrap_or_default(),
        Payload::PlanFailed(event) => event.reason.clone(),
        Payload::QuestionAsked(event) => format!("{}: {}", event.question_id, event.question),
        Payload::QuestionAnswered(event) => format!("{}: {}", event.question_id, event.answer),
        Payload::MessageInterpreted(event) => format!("{}: {}", event.action, event.reasoning),
        Payload::ContextSummarized(event) => event.summary.clone(),
        Payload::CheckRun(event) => {
            format!(
                "{} {}",
                event.name,
                if event.pass { "passed" } else { "failed" }
            )
        }
        _ => return None,
    })
}

fn loops(payload: &Payload) -> Option<String> {
    Some(match payload {
        Payload::IterationStarted(event) => event.iteration_id.clone(),
        Payload::IterationValidated(event) => {
            let passed = event.results.values().filter(|result| result.pass).count();
            format!(
                "iteration {}: {passed} of {} rules pass",
                event.iteration,
                event.results.len()
            )
        }
        Payload::IterationAdvanced(event) => match &event.learned {
            Some(learned) => format!("iteration {}: {learned}", event.iteration),
            None => format!("iteration {}", event.iteration),
        },
        Payload::IterationCompleted(event) => event.summary.clone(),
        Payload::RunStarted(event) => event.agent.clone(),
        Payload::RunStopped(event) => event.cause.clone(),
        Payload::BaselineCaptured(event) => event.text.clone(),
        Payload::ProgressEvaluated(event) => format!("{}: {}", event.score, event.gap_analysis),
        Payload::GoalEscalated(event) => event.reason.clone(),
        Payload::AgendaSet(event) => {
            let done = event.steps.iter().filter(|step| step.done).count();
            format!("{done} of {} steps done", event.steps.len())
        }
        Payload::UsageRecorded(event) => numbers(&event.counters),
        Payload::BudgetSet(event) => numbers(&event.limits),
        _ => return None,
    })
}

fn numbers(named: &std::collections::BTreeMap<String, f64>) -> String {
    let parts: Vec<String> = named
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    parts.join(", ")
}
