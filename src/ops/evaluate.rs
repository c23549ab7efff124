//! Evaluating a goal's progress: a score that the caller gives, or that the evaluator is asked for.
//!
//! The evaluator runs outside the ledger's lock, so what it answers counts only for the goal as it
//! was asked about. A score suggests; it completes nothing, and only where the configuration says
//! `abandon = "auto"` does the program give up what it suggests to give up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::command::Outside;
use crate::domain::diagnostic::Code;
use crate::domain::event::{AgendaSet, GoalNoted, Payload};
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::progress::advice::gives_up;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::AgendaStep;
use crate::domain::progress::{Evaluated as Evaluation, ProgressCommand, StepGiven};
use crate::domain::select;
use crate::ops::asking::asked;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{Wait, waiting};
use crate::ops::request::CallRequest;
use crate::ops::transacted::{Besides, Outcome, Transacted};
use crate::ops::two_steps::without_second;
use crate::render::evaluation::question;
use crate::render::view::ProgressView;
use crate::snapshot::Snapshot;
use crate::transaction::{Receipt, Recorded, TransactionError};
use crate::workspace::config::{Abandon, Role, resolve};

/// A score that the caller gives.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenScore {
    /// From 0 to 1; anything else is refused.
    pub score: f64,
    /// What is met, what is not.
    pub gap: String,
    /// A new plan is called for.
    pub escalate: bool,
}

/// The outcome of `evaluate`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    /// What is on record, from 0 to 1.
    pub score: Option<Score>,
    /// What is met, what is not, and the next concrete step.
    pub gap_analysis: String,
    pub should_escalate: bool,
    /// The evaluator was asked; else the score is the caller's.
    pub by_evaluator: bool,
    /// The difficulty that it turned out to have, with this evaluation.
    pub upgraded_to: Option<Difficulty>,
    /// One more escalation was granted, with this evaluation.
    pub runway_granted: bool,
    /// The goal was given up, as the configuration says.
    pub abandoned: bool,
    /// How the goal stands now, with what that suggests.
    pub progress: Option<ProgressView>,
}

// A note with what goes with it. No description of the type: a model would read it with every tool.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Noting {
    /// What happened or was found out; with `score`, what is met and what is missing.
    pub note: String,
    /// What to do next.
    pub next: Option<String>,
    /// How far the goal is, from 0 to 1 (every criterion holds).
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub score: Option<f64>,
    /// With `score`: going on as before will not get there.
    pub should_escalate: Option<bool>,
    /// What work waits for, such as CI; then end the turn.
    pub wait_for: Option<String>,
    /// With `waitFor`: at the latest until (`45m`, `8h` or a time).
    pub wait_until: Option<String>,
    /// The steps that come next, in place of those on record.
    pub agenda: Option<Vec<StepGiven>>,
}

/// Records a note, and the agenda and the evaluation that go with it.
///
/// # Errors
/// Whatever is wrong with one of them: then none is recorded.
pub fn note(call: &Call, asked: Noting) -> Result<(Transacted, Evaluated), Failure> {
    if asked.should_escalate.is_some() && asked.score.is_none() {
        let message = "`shouldEscalate` says something only with `score`";
        return Err(Failure::usage(message, "leave it out, or give a score"));
    }
    if asked.wait_until.is_some() && asked.wait_for.is_none() {
        let message = "`waitUntil` says something only with `waitFor`";
        return Err(Failure::usage(
            message,
            "leave it out, or say what is waited for",
        ));
    }
    let wait = asked.wait_for.map(|reason| Wait {
        reason,
        until: asked.wait_until,
        ..Wait::default()
    });
    let steps = asked.agenda.map(|steps| {
        let steps = steps.into_iter().map(AgendaStep::from);
        steps.collect::<Vec<_>>()
    });
    let mut arguments = json!({
        "goal": call.goal, "note": asked.note, "next": asked.next, "steps": steps,
        "score": asked.score, "escalate": asked.should_escalate,
    });
    if let Some(wait) = &wait {
        arguments["wait"] = json!({ "for": wait.reason, "until": wait.until });
    }
    let evaluated = asked.score.map(|score| GivenScore {
        score,
        gap: asked.note.clone(),
        escalate: asked.should_escalate == Some(true),
    });
    let request = call.request(ProgressCommand::Note {
        noted: GoalNoted {
            note: asked.note,
            next: asked.next,
        },
        steps: steps.map(|steps| AgendaSet { steps }),
        evaluated: evaluated.as_ref().map(GivenScore::evaluation),
        waits: wait.as_ref().map(|it| waiting(call, it)).transpose()?,
    });
    let recorded = request.key(arguments).run()?;
    let besides = Besides::from(&recorded.0);
    Ok(finish(call, recorded).exchange(besides))
}

impl GivenScore {
    /// What is recorded of it.
    fn evaluation(&self) -> Evaluation {
        Evaluation {
            score: self.score,
            gap_analysis: self.gap.clone(),
            should_escalate: self.escalate,
            reasoning: None,
            by_evaluator: false,
        }
    }
}

/// Records an evaluation: the given one, else the evaluator's.
///
/// # Errors
/// A score that is none, a gap that says nothing, no goal, no evaluator or no fitting answer of it,
/// and `stale` where the goal changed while it thought.
pub fn evaluate(call: &Call, given: Option<&GivenScore>) -> Result<Outcome<Evaluated>, Failure> {
    call.refuse_auditor()?;
    let arguments = match given {
        Some(given) => json!({
            "goal": call.goal, "score": given.score, "gap": given.gap, "escalate": given.escalate,
        }),
        None => json!({ "goal": call.goal, "score": null }),
    };
    let recorded = match given {
        Some(given) => {
            let request = call.request(ProgressCommand::Evaluate(given.evaluation()));
            request.key(arguments).run()?
        }
        None => match call.answer_again(ProgressCommand::EVALUATE, &arguments)? {
            Some(recorded) => recorded,
            None => {
                // What would be refused in the end is refused before anybody is asked.
                let snapshot = call.may(Outside::OnGoal)?;
                let goal = call.target(&snapshot)?;
                let request = by_evaluator(call, &snapshot, goal)?;
                request.key(arguments).run()?
            }
        },
    };
    Ok(finish(call, recorded))
}

/// Asks the evaluator on behalf of the runner, which records what it says as its own.
///
/// # Errors
/// As [`evaluate`] without a score of the caller's.
pub(super) fn for_run(call: &Call, id: &GoalId) -> Result<Outcome<Evaluated>, Failure> {
    let snapshot = call.read()?;
    let goal = select::by_id(&snapshot.state, id)?;
    let request = by_evaluator(call, &snapshot, goal)?;
    Ok(finish(call, request.by(Actor::System).run()?))
}

/// What the evaluator says of the goal, to be recorded if the goal is still as it was asked about.
fn by_evaluator<'a>(
    call: &'a Call,
    snapshot: &Snapshot,
    goal: &Goal,
) -> Result<CallRequest<'a>, Failure> {
    let revision = snapshot.revision(goal)?;
    let told = asked(call, Role::Evaluator, Some(goal), &question(goal))?;
    let reply = told.said;
    let evaluation = Evaluation {
        score: reply.progress_score.into(),
        gap_analysis: reply.gap_analysis,
        should_escalate: reply.should_escalate,
        reasoning: reply.reasoning,
        by_evaluator: true,
    };
    let request = call.request(ProgressCommand::Evaluate(evaluation));
    let request = request.costing(Some(told.cost));
    Ok(request.naming(&goal.id).expecting(revision))
}

/// The outcome, and the end of a goal that the configuration lets us give up. The evaluation is on
/// record: that the configuration cannot be read now undoes nothing, and lets nobody give up.
fn finish(call: &Call, (receipt, now): Recorded) -> Outcome<Evaluated> {
    let data = Evaluated::from(&receipt);
    let mut outcome = Outcome::of(receipt, data);
    let Some(id) = outcome.goal_id.clone() else {
        return outcome;
    };
    let goal = now.state.goals.get(&id);
    outcome.data.progress = goal.and_then(ProgressView::of);
    let over = |goal: &Goal| gives_up(&goal.progress, goal.contract.difficulty);
    let over = goal.is_some_and(over);
    // A killed call may have left this undone; whatever happened since is a reason to look anew.
    let latest = goal.and_then(|goal| now.id(goal.latest?).ok());
    let outdated = outcome.repeated && !latest.is_some_and(|id| outcome.events.contains(&id));
    if over && !outdated && is_automatic(call) {
        give_up(call, &id, &mut outcome);
    }
    outcome
}

/// Whether the configuration says so; one that cannot be read says nothing.
fn is_automatic(call: &Call) -> bool {
    let loaded = call.workspace.config_files().ok();
    let abandon = loaded.map(|loaded| resolve(&loaded).keys.progress.abandon.value);
    abandon == Some(Abandon::Auto)
}

fn give_up(call: &Call, id: &GoalId, outcome: &mut Outcome<Evaluated>) {
    let give_up = call.request(ProgressCommand::GiveUp).on(id);
    match give_up.by(Actor::System).run() {
        Ok((ended, _)) => {
            outcome.data.abandoned = true;
            outcome.events.extend(ended.ids);
            outcome.revision = ended.revision;
            outcome.status = ended.status;
            outcome.stop_turn |= ended.stop_turn;
            outcome.notices.extend(ended.notices);
        }
        // It is decided anew: whoever changed the goal meanwhile is right.
        Err(TransactionError::Rejected(_)) => {}
        Err(error) => {
            let hint = "look with `goal show`; evaluate again, or run `goal abort --as abandoned --reason …`";
            let what = "that the goal is given up";
            let notice = without_second(Code::NotGivenUp, what, hint, error);
            outcome.notices.push(notice);
        }
    }
}

impl From<&Receipt> for Evaluated {
    fn from(receipt: &Receipt) -> Evaluated {
        let mut evaluated = Evaluated::default();
        for event in &receipt.events {
            match &event.payload {
                Payload::ProgressEvaluated(it) => {
                    evaluated.score = Some(it.score);
                    evaluated.gap_analysis.clone_from(&it.gap_analysis);
                    evaluated.should_escalate = it.should_escalate;
                    evaluated.by_evaluator = it.source.is_some();
                }
                Payload::DifficultyUpgraded(it) => evaluated.upgraded_to = Some(it.to),
                Payload::RunwayGranted(_) => evaluated.runway_granted = true,
                _ => {}
            }
        }
        evaluated
    }
}
