//! How events change a goal. Structure only, never policy: old history always replays.

use std::collections::VecDeque;

use crate::domain::cost;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::events::{AuditResult, GoalCreated, GoalTweaked, ReviewResult};
use crate::domain::goal::state::{
    AuditOutcome, Completion, ContractSource, Delegated, Goal, Keeper, NOTES, Note, Pause, RECENT,
    REVIEWS, Request, Review, Running, Status, Worker,
};
use crate::domain::iteration;
use crate::domain::iteration::events::IterationOutcome;
use crate::domain::line::LineRef;
use crate::domain::progress;
use crate::domain::run;
use crate::domain::task;
use crate::domain::verdict::Verdict;

/// Applies one event to the goal it names. `existed` is false when this event made the goal
/// implicit. What is noteworthy comes back as a diagnostic without a place.
pub fn apply(goal: &mut Goal, existed: bool, event: &Event, line: LineRef) -> Option<Diagnostic> {
    let finding = note_odd(goal, existed, event);
    remember(goal, event, line);
    let was = goal.status;
    if was.is_open() {
        change(goal, event, line);
    } else if let Payload::AuditResult(result) = &event.payload {
        // History: the latest verdict is shown even when it came too late to matter.
        record_result(goal, result, event, line);
    } else if let Payload::GoalCreated(created) = &event.payload
        && !goal.created
    {
        create(goal, created, event);
        goal.revision = Some(line);
    } else if let Payload::GoalArchived(archived) = &event.payload {
        goal.archive_path = Some(archived.archive_path.clone());
    }
    claim(goal, &event.payload);
    if goal.status != was {
        goal.revision = Some(line);
        if !goal.status.is_open() {
            goal.ended_at = Some(event.at.clone());
        }
    }
    goal.continuation.record(&event.payload, goal.revision);
    run::apply::record(&mut goal.runs, event);
    let owner = goal.contract.owner.as_deref();
    cost::apply::apply(&mut goal.cost, &event.payload, owner, &event.at);
    finding
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

fn note_odd(goal: &Goal, existed: bool, event: &Event) -> Option<Diagnostic> {
    let id = &goal.id;
    let is_creation = matches!(event.payload, Payload::GoalCreated(_));
    if is_creation && goal.created {
        return Some(Diagnostic::new(
            Code::DuplicateCreation,
            format!("goal {id} is created a second time; the second creation is ignored"),
            "nothing to do: no status or contract was reset",
        ));
    }
    if !existed && !is_creation {
        return Some(Diagnostic::new(
            Code::MissingCreation,
            format!("goal {id} has events but was never created"),
            format!("its document is used if there is one; adopt it with `goal focus {id}`"),
        ));
    }
    // A document is moved, and a run stops, once the goal is over.
    let expected = matches!(
        event.payload,
        Payload::GoalArchived(_) | Payload::RunStopped(_)
    );
    (!goal.status.is_open() && !expected && !is_creation).then(|| {
        Diagnostic::new(
            Code::EventAfterTerminal,
            format!(
                "{} after goal {id} had ended as {}",
                event.payload.name(),
                goal.status.name()
            ),
            "nothing to do: it stays in the history, the status is final",
        )
    })
}

/// What every event of a goal leaves, whatever it is.
fn remember(goal: &mut Goal, event: &Event, line: LineRef) {
    // A proposal that waits for the user does not take the goal over from its tool.
    if event.envelope.is_ours() && !event.payload.is_draft() {
        goal.keeper = Keeper::Ours;
    }
    goal.latest = Some(line);
    goal.revision.get_or_insert(line);
    goal.updated_at.clone_from(&event.at);
    goal.events += 1;
    push_bounded(&mut goal.recent, line, RECENT);
    if let Some(session) = &event.envelope.session {
        goal.worker = Some(Worker {
            session: session.clone(),
            by: event.envelope.by,
            via: event.envelope.via.clone(),
            at: event.at.clone(),
        });
    }
}

fn change(goal: &mut Goal, event: &Event, line: LineRef) {
    match &event.payload {
        Payload::GoalCreated(created) if !goal.created => {
            create(goal, created, event);
            goal.revision = Some(line);
        }
        Payload::GoalTweaked(tweaked) => {
            tweak(goal, tweaked, event.envelope.is_ours());
            goal.revision = Some(line);
        }
        Payload::GoalPaused(paused) => {
            let blocked = paused.blocked == Some(true);
            goal.status = if blocked {
                Status::Blocked
            } else {
                Status::Paused
            };
            rest(goal, &paused.reason, paused.suggested_action.clone(), event);
        }
        Payload::GoalBlocked(blocked) => {
            goal.status = Status::Blocked;
            rest(goal, &blocked.reason, None, event);
        }
        Payload::GoalResumed(_) => {
            goal.status = Status::Active;
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
            complete(goal, event, line);
            goal.archive_path.clone_from(&completed.archive_path);
        }
        Payload::GoalAborted(aborted) => {
            end(goal, aborted.outcome.into(), Some(&aborted.reason));
            goal.archive_path.clone_from(&aborted.archive_path);
        }
        Payload::GoalFailed(failed) => end(goal, Status::Failed, failed.reason.as_ref()),
        Payload::GoalAbandoned(gone) => end(goal, Status::Abandoned, Some(&gone.reason)),
        other => {
            if let Payload::EvidenceAdded(_) = other {
                goal.gate.evidence = true;
            }
            iteration::apply::apply(&mut goal.iterations, other, &event.at);
            let change = task::apply::apply(&mut goal.tasks, other, &event.at);
            if change == task::apply::Change::Definition {
                goal.revision = Some(line);
            }
            progress::apply::apply(&mut goal.progress, &goal.tasks, event);
        }
    }
}

fn create(goal: &mut Goal, created: &GoalCreated, event: &Event) {
    goal.created = true;
    goal.contract.apply(&created.contract);
    goal.parent.clone_from(&created.parent_goal_id);
    goal.delegated_from.clone_from(&created.delegated_from);
    goal.contract_source = if event.envelope.is_ours() {
        ContractSource::Ours
    } else {
        ContractSource::Foreign
    };
    if goal.events <= 1 {
        goal.created_at.clone_from(&event.at);
    }
}

fn tweak(goal: &mut Goal, tweaked: &GoalTweaked, ours: bool) {
    goal.contract.apply(&tweaked.contract);
    // An import takes the contract over as it was when the evidence was given.
    if tweaked.imported != Some(true) {
        goal.gate.evidence = false;
    }
    // The user's word about the difficulty stands above what it turned out to be before.
    if tweaked.contract.difficulty.is_some() && tweaked.imported != Some(true) {
        goal.progress.upgraded = None;
    }
    goal.contract_source = match (ours, goal.contract_source) {
        (true, _) if tweaked.contract != ContractChange::default() => ContractSource::Ours,
        (false, ContractSource::Ours) => ContractSource::ForeignTweak,
        (_, source) => source,
    };
}

fn rest(goal: &mut Goal, reason: &str, suggested_action: Option<String>, event: &Event) {
    goal.pause = Some(Pause {
        reason: reason.to_owned(),
        suggested_action,
        by: event.envelope.by,
        at: event.at.clone(),
    });
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
    // What another tool asks meanwhile does not answer, nor replace, what was asked here.
    let free = |of_ours: Option<bool>| ours || of_ours != Some(true);
    match &event.payload {
        Payload::CompletionRequested(request)
            if free(goal.gate.requested.as_ref().map(|asked| asked.ours)) =>
        {
            goal.gate.requested = Some(Request {
                line,
                summary: request.summary.clone(),
                evidence: request.evidence.clone().unwrap_or_default(),
                revision: request.revision,
                ours,
            });
        }
        Payload::AuditStarted(started)
            if free(goal.gate.running.as_ref().map(|running| running.ours)) =>
        {
            let at = event.at.clone();
            goal.gate.running = Some(Running {
                line,
                at,
                revision: started.revision,
                ours,
            });
        }
        Payload::AuditResult(result) => record_result(goal, result, event, line),
        _ => {}
    }
}

fn record_result(goal: &mut Goal, result: &AuditResult, event: &Event, line: LineRef) {
    let ours = event.envelope.is_ours();
    goal.gate.requested.take_if(|asked| ours || !asked.ours);
    goal.gate.running.take_if(|running| ours || !running.ours);
    goal.gate.foreign_approval |= !ours && result.verdict == Verdict::Approved;
    goal.gate.result = Some(AuditOutcome {
        line,
        verdict: result.verdict,
        report: result.report.clone(),
        cause: result.cause.clone(),
        at: event.at.clone(),
        revision: result.revision,
        ours,
        goal_revision: goal.revision,
    });
}

fn complete(goal: &mut Goal, event: &Event, line: LineRef) {
    let adjacent = goal.gate.result.as_ref().filter(|result| {
        result.ours && result.verdict == Verdict::Approved && result.line.number + 1 == line.number
    });
    goal.gate.completion = Some(Completion {
        line,
        ours: event.envelope.is_ours(),
        adjacent: adjacent.cloned(),
        foreign_approval: goal.gate.foreign_approval,
    });
    end(goal, Status::Complete, None);
}

fn end(goal: &mut Goal, status: Status, reason: Option<&String>) {
    goal.status = status;
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
