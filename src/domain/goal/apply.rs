//! How events change a goal beyond its outline. Structure only, never policy: old history always
//! replays.

use std::collections::VecDeque;

use crate::domain::consent::{Weight, weight};
use crate::domain::cost;
use crate::domain::event::iteration::IterationOutcome;
use crate::domain::event::{AuditResult, Event, GoalPaused, GoalTweaked, Payload, ReviewResult};
use crate::domain::event_header::EventHeader;
use crate::domain::goal::state::{
    AuditOutcome, Delegated, Goal, NOTES, Note, Pause, RECENT, REVIEWS, Request, Review, Running,
};
use crate::domain::iteration;
use crate::domain::line::LineRef;
use crate::domain::progress;
use crate::domain::run;
use crate::domain::task;
use crate::domain::verdict::Verdict;

/// Applies one event to the goal it names.
pub fn apply(goal: &mut Goal, event: &Event, line: LineRef) {
    let header = EventHeader::of(event);
    if goal.outline.is_replaced_by(&header) {
        make_way(goal);
    }
    let was_open = goal.status.is_open();
    let existed = goal.events > 0;
    let heeded = goal.outline.heeds(&header);
    if goal.outline.waits_with(&header) {
        goal.foreign.push(line);
    }
    if event.envelope.is_ours() && weight(event) == Weight::Consent {
        goal.consents.push(line);
    }
    let before = match &event.payload {
        Payload::GoalTweaked(_) => Some(goal.contract.clone()),
        _ => None,
    };
    // What is odd about it was found when its line was read.
    let _found = goal.outline.apply(existed, &header, line);
    if let (Some(before), Payload::GoalTweaked(tweaked)) = (before, &event.payload) {
        let proposed = tweaked.draft_id.is_some();
        goal.lost
            .change(&before, &goal.outline.contract, event, proposed);
    }
    push_bounded(&mut goal.recent, line, RECENT);
    if !heeded {
        return;
    }
    if was_open {
        change(goal, event, line);
    } else if let Payload::AuditResult(result) = &event.payload {
        // As the outline has it.
        if !goal.is_approved() {
            record_result(goal, result, event);
        }
    } else if let Payload::GoalArchived(archived) = &event.payload {
        goal.archive_path = Some(archived.archive_path.clone());
    }
    claim(goal, &event.payload);
    let revision = goal.revision;
    goal.continuation.record(&event.payload, revision);
    run::apply::record(&mut goal.runs, event);
    let owner = goal.outline.contract.owner.as_deref();
    cost::apply::apply(&mut goal.cost, &event.payload, owner, &event.at);
}

/// Forgets what other programs wrote of a goal before our creation of it, which its outline does by
/// itself; those lines wait for the user.
fn make_way(goal: &mut Goal) {
    let outline = goal.outline.clone();
    let anew = Goal::implicit(outline.id.clone(), outline.ordinal, &outline.created_at);
    let before = std::mem::replace(goal, anew);
    goal.foreign = outline.claims.iter().chain(before.foreign).collect();
    goal.foreign.sort_unstable();
    goal.recent = before.recent;
    goal.consents = before.consents;
    goal.outline = outline;
}

/// Whether the goal as a whole is said to be done, by whoever iterates on it.
fn claim(goal: &mut Goal, payload: &Payload) {
    match payload {
        Payload::IterationCompleted(completed) => {
            let over = goal.iterations.over(&completed.iteration_id);
            let whole = over.is_some_and(|it| it.task.is_none());
            goal.gate.claimed |= whole && completed.outcome == IterationOutcome::Success;
        }
        Payload::IterationStarted(started) if started.task_id.is_none() => {
            goal.gate.claimed = false;
        }
        Payload::GoalTweaked(_) => goal.gate.claimed = false,
        Payload::AuditResult(result) if result.verdict == Verdict::Disapproved => {
            goal.gate.claimed = false;
        }
        _ => {}
    }
}

fn change(goal: &mut Goal, event: &Event, line: LineRef) {
    match &event.payload {
        Payload::GoalTweaked(tweaked) => tweak(goal, tweaked),
        Payload::GoalPaused(paused) => goal.pause = Some(pause(paused, event)),
        Payload::GoalBlocked(blocked) => {
            goal.pause = Some(pause(&GoalPaused::because(&blocked.reason), event));
        }
        Payload::GoalResumed(_) => {
            goal.pause = None;
            goal.tasks.failed_plans = 0;
        }
        Payload::GoalNoted(noted) => {
            let note = Note {
                text: noted.note.clone(),
                by: event.envelope.by,
                at: event.at.clone(),
            };
            push_bounded(&mut goal.notes, note, NOTES);
            goal.next_action = noted.next.clone().or(goal.next_action.take());
        }
        Payload::ContextSummarized(context) => {
            goal.context = Some(Note {
                text: context.summary.clone(),
                by: event.envelope.by,
                at: event.at.clone(),
            });
        }
        Payload::ReviewResult(result) => review(goal, result, event),
        Payload::GoalDelegated(delegated) => goal.delegated.push(Delegated {
            goal_id: delegated.child_goal_id.clone(),
            to: delegated.to.clone(),
        }),
        Payload::CompletionRequested(_) | Payload::AuditStarted(_) | Payload::AuditResult(_) => {
            gate(goal, event, line);
        }
        Payload::GoalCompleted(completed) => {
            end(goal, None);
            goal.archive_path.clone_from(&completed.archive_path);
        }
        Payload::GoalAborted(aborted) => {
            end(goal, Some(&aborted.reason));
            goal.archive_path.clone_from(&aborted.archive_path);
        }
        Payload::GoalFailed(failed) => end(goal, failed.reason.as_ref()),
        Payload::GoalAbandoned(gone) => end(goal, Some(&gone.reason)),
        other @ (Payload::TaskListSet(_)
        | Payload::TaskAdded(_)
        | Payload::TaskUpdated(_)
        | Payload::TaskExpanded(_)
        | Payload::TaskStarted(_)
        | Payload::TaskComplete(_)
        | Payload::TaskSkipped(_)
        | Payload::TaskFailed(_)
        | Payload::TaskBlocked(_)
        | Payload::TaskReopened(_)
        | Payload::EvidenceAdded(_)
        | Payload::ConditionChecked(_)
        | Payload::PlanFailed(_)
        | Payload::QuestionAsked(_)
        | Payload::QuestionAnswered(_)
        | Payload::IterationStarted(_)
        | Payload::IterationValidated(_)
        | Payload::IterationAdvanced(_)
        | Payload::IterationCompleted(_)
        | Payload::BaselineCaptured(_)
        | Payload::ProgressEvaluated(_)
        | Payload::GoalEscalated(_)
        | Payload::DifficultyUpgraded(_)
        | Payload::RunwayGranted(_)
        | Payload::AgendaSet(_)) => {
            if let Payload::EvidenceAdded(_) = other {
                goal.gate.evidence = true;
            }
            iteration::apply::apply(&mut goal.iterations, other, &event.at);
            task::apply::apply(&mut goal.tasks, other, &event.at);
            progress::apply::apply(&mut goal.progress, &goal.tasks, event);
        }
        // What these say is no content of the goal, or is kept elsewhere: by its outline, its
        // runs, its cost.
        Payload::GoalCreated(_)
        | Payload::GoalFocused(_)
        | Payload::GoalUnfocused(_)
        | Payload::GoalContinued(_)
        | Payload::UserPrompted(_)
        | Payload::AuditSkipped(_)
        | Payload::GoalArchived(_)
        | Payload::GoalSettled(_)
        | Payload::DraftStarted(_)
        | Payload::DraftProposed(_)
        | Payload::DraftResolved(_)
        | Payload::PlanRequested(_)
        | Payload::MessageInterpreted(_)
        | Payload::CheckRun(_)
        | Payload::RunStarted(_)
        | Payload::RunStopped(_)
        | Payload::UsageRecorded(_)
        | Payload::BudgetSet(_)
        | Payload::Unknown(_) => {}
    }
}

fn tweak(goal: &mut Goal, tweaked: &GoalTweaked) {
    // An import takes the contract over as it was when the evidence was given.
    if tweaked.imported == Some(true) {
        return;
    }
    goal.gate.evidence = false;
    // The user's word about the difficulty stands above what it turned out to be before.
    if tweaked.contract.difficulty.is_some() {
        goal.progress.upgraded = None;
    }
}

fn pause(paused: &GoalPaused, event: &Event) -> Pause {
    // Whoever took the goal over recorded the pause, and did not pause it.
    let (by, at) = match paused.source.as_deref() {
        Some(GoalPaused::IN_DOCUMENT) => (None, paused.since.clone()),
        _ => (event.envelope.by, Some(event.at.clone())),
    };
    Pause {
        reason: paused.reason.clone(),
        suggested_action: paused.suggested_action.clone(),
        by,
        at,
    }
}

fn review(goal: &mut Goal, result: &ReviewResult, event: &Event) {
    let review = Review {
        role: result.role.clone(),
        verdict: result.verdict.clone(),
        report: result.report.clone(),
        by: event.envelope.by,
        at: event.at.clone(),
        revision: result.revision,
    };
    goal.reviews.retain(|earlier| earlier.role != review.role);
    push_bounded(&mut goal.reviews, review, REVIEWS);
}

fn gate(goal: &mut Goal, event: &Event, line: LineRef) {
    let ours = event.envelope.is_ours();
    match &event.payload {
        Payload::CompletionRequested(request) => {
            goal.gate.requested = Some(Request {
                line,
                summary: request.summary.clone(),
                evidence: request.evidence.clone().unwrap_or_default(),
                revision: request.revision,
                ours,
                by: event.envelope.by,
                awaits_signature: request.awaits_signature == Some(true),
            });
        }
        Payload::AuditStarted(started) => {
            let at = event.at.clone();
            goal.gate.running = Some(Running {
                line,
                at,
                revision: started.revision,
                ours,
                host: started.host.clone(),
                deadline: started.deadline.clone(),
            });
        }
        Payload::AuditResult(result) => record_result(goal, result, event),
        _ => {}
    }
}

fn record_result(goal: &mut Goal, result: &AuditResult, event: &Event) {
    let ours = event.envelope.is_ours();
    goal.gate.requested = None;
    goal.gate.running = None;
    goal.gate.result = Some(AuditOutcome {
        verdict: result.verdict,
        report: result.report.clone(),
        cause: result.cause.clone(),
        at: event.at.clone(),
        revision: result.revision,
        ours,
    });
}

fn end(goal: &mut Goal, reason: Option<&String>) {
    goal.pause = None;
    goal.end_reason = reason.cloned();
    goal.gate.requested = None;
    goal.gate.running = None;
}

fn push_bounded<T>(items: &mut VecDeque<T>, item: T, most: usize) {
    items.push_back(item);
    if items.len() > most {
        items.pop_front();
    }
}
