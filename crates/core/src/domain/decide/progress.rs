//! Deciding what is recorded of a goal's progress. What a rule grants goes in the same write as
//! the evaluation or the escalation that it follows from. Nothing here completes a goal, and only
//! `system` ends one, where the user's configuration says so.

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::request_plan;
use crate::domain::decide::{lifecycle, require_text, require_text_if_given};
use crate::domain::event::{
    AgendaSet, BaselineCaptured, GoalEscalated, Payload, ProgressEvaluated,
};
use crate::domain::goal::state::Goal;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::progress::advice::{gives_up, grant};
use crate::domain::progress::escalation::allowed;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::{AgendaStep, Progress};
use crate::domain::progress::{Evaluated, ProgressCommand};
use crate::domain::rejection::Rejection;

/// Most steps of an agenda.
pub const MOST_STEPS: usize = 100;

/// Decides a command on the progress of `goal`, which is open.
pub fn decide(
    goal: &Goal,
    command: &ProgressCommand,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    Ok(match command {
        ProgressCommand::Evaluate(evaluated) => evaluate(goal, evaluated)?,
        ProgressCommand::Note {
            noted,
            steps,
            evaluated,
            waits,
        } => {
            let mut payloads = Vec::new();
            if let Some(steps) = steps {
                let set = said_steps(steps)?;
                payloads.extend((set.steps != goal.progress.agenda).then(|| set.into()));
            }
            payloads.push(lifecycle::noted(noted)?);
            if let Some(evaluated) = evaluated {
                payloads.extend(evaluate(goal, evaluated)?);
            }
            if let Some(waits) = waits {
                payloads.push(lifecycle::waits(goal, waits)?);
            }
            payloads
        }
        ProgressCommand::Baseline(captured) => vec![
            BaselineCaptured {
                text: require_text("baseline", &captured.text)?,
                command: captured.command.clone(),
            }
            .into(),
        ],
        ProgressCommand::Escalate { reason, wanted } => {
            let mut payloads = escalate(goal, reason, caller)?;
            payloads.push(request_plan(goal, wanted, caller)?);
            payloads
        }
        ProgressCommand::SetAgenda(set) => vec![changed(goal, said_steps(set)?)?],
        ProgressCommand::AgendaDone { step } => vec![agenda_done(goal, *step)?],
        ProgressCommand::GiveUp => vec![give_up(goal)?],
    })
}

fn evaluate(goal: &Goal, evaluated: &Evaluated) -> Result<Vec<Payload>, Rejection> {
    let score = Score::try_from(evaluated.score)
        .map_err(|error| Rejection::invalid("score", error.to_string()))?;
    let recorded = Payload::from(ProgressEvaluated {
        score,
        gap_analysis: require_text("gap", &evaluated.gap_analysis)?,
        should_escalate: evaluated.should_escalate,
        reasoning: require_text_if_given("reasoning", evaluated.reasoning.as_deref())?,
        source: evaluated.by_evaluator.then(|| "evaluator".into()),
    });
    let granted = grant(&after(goal, &recorded), goal.contract.difficulty);
    Ok([recorded].into_iter().chain(granted).collect())
}

/// The progress that the goal has once this is recorded.
fn after(goal: &Goal, payload: &Payload) -> Progress {
    goal.clone().after(std::slice::from_ref(payload)).progress
}

/// An escalation, after what lets a goal whose escalations are spent have one more. Without that
/// only the user goes on: what is suggested then is to give the goal up.
fn escalate(goal: &Goal, reason: &str, caller: &Caller) -> Result<Vec<Payload>, Rejection> {
    let contract = goal.contract.difficulty;
    let granted = grant(&goal.progress, contract);
    let progress = match &granted {
        Some(granted) => after(goal, granted),
        None => goal.progress.clone(),
    };
    let tier = progress.tier(contract);
    let spent = progress.escalations.are_spent(tier, progress.runway);
    if spent && caller.actor != Actor::User {
        return Err(Rejection::EscalationsSpent {
            id: goal.id.clone(),
            unproductive: progress.escalations.unproductive,
            allowed: allowed(tier) + u64::from(progress.runway),
        });
    }
    let escalated = GoalEscalated {
        reason: require_text("reason", reason)?,
        score_before: progress.score_before(),
    };
    Ok(granted.into_iter().chain([escalated.into()]).collect())
}

/// The steps as they are recorded.
fn said_steps(AgendaSet { steps }: &AgendaSet) -> Result<AgendaSet, Rejection> {
    Rejection::at_most("steps of the agenda", steps.len(), MOST_STEPS)?;
    let steps = steps.iter().map(|step| {
        Ok(AgendaStep {
            skill: require_text("skill", &step.skill)?,
            target: require_text_if_given("target", step.target.as_deref())?,
            purpose: require_text("purpose", &step.purpose)?,
            done: step.done,
        })
    });
    let steps = steps.collect::<Result<_, Rejection>>()?;
    Ok(AgendaSet { steps })
}

fn agenda_done(goal: &Goal, step: usize) -> Result<Payload, Rejection> {
    let mut steps = goal.progress.agenda.clone();
    if steps.is_empty() {
        return Err(Rejection::NoAgenda { step });
    }
    let problem = format!("must be from 1 to {}, not {step}", steps.len());
    let named = step.checked_sub(1).and_then(|index| steps.get_mut(index));
    named.ok_or(Rejection::invalid("step", problem))?.done = true;
    changed(goal, AgendaSet { steps })
}

fn changed(goal: &Goal, set: AgendaSet) -> Result<Payload, Rejection> {
    if set.steps == goal.progress.agenda {
        return Err(Rejection::nothing_changes(goal));
    }
    Ok(set.into())
}

fn give_up(goal: &Goal) -> Result<Payload, Rejection> {
    let progress = &goal.progress;
    if !gives_up(progress, goal.contract.difficulty) {
        return Err(Rejection::nothing_changes(goal));
    }
    let tier = progress.tier(goal.contract.difficulty).name();
    let reason = format!(
        "escalations that brought nothing: {}, all that a {tier} goal may have, and `[progress] \
         abandon` is `auto`",
        progress.escalations.unproductive
    );
    lifecycle::end(&reason, Some(AbortOutcome::Abandoned))
}
