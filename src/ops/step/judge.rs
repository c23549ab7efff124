//! A step that asks the evaluator about a condition.

use serde_json::Value;

use crate::domain::event::{ConditionChecked, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::task::command::StepOutcome;
use crate::domain::task::condition::Condition;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::TaskSpec;
use crate::ops::asking::asked;
use crate::ops::failure::Failure;
use crate::ops::step::tool::failed;
use crate::ops::step::{Did, StepJudged, StepSession, Stepped, WaitsFor};
use crate::roles::evaluator::{Evaluation, EvaluationContext};
use crate::workspace::config::Role;

/// The predicates among conditions, if there is nothing else.
pub(super) fn predicates<'a>(unmet: &[Condition<'a>]) -> Option<Vec<&'a Value>> {
    let each = unmet.iter().map(|condition| match condition {
        Condition::PredicateTrue { predicate } => Some(*predicate),
        _ => None,
    });
    let all: Option<Vec<&Value>> = each.collect();
    all.filter(|predicates| !predicates.is_empty())
}

/// Asks about the first predicate that nothing was said of for the evidence as it is. Where all
/// were found wanting, only other evidence helps.
pub(super) fn take(
    session: &mut StepSession<'_>,
    goal: &Goal,
    task: &TaskSpec,
    unmet: &[&Value],
) -> Result<Stepped, Failure> {
    let path = goal.tasks.path(&task.id);
    let seen = goal.tasks.evidence.seen_by(&path);
    let fresh = unmet.iter().find(|it| seen.judged(it).is_none());
    let Some(predicate) = fresh else {
        let reason = "the evaluator said no to the same evidence before".to_owned();
        let by_itself = matches!(Primitive::of(task), Primitive::Execute);
        // What was performed again and brought the same as before failed again.
        return match task.tasks.is_empty() && !by_itself {
            true => failed(session, task, reason),
            false => session.nothing(Some(task), WaitsFor::Evidence, Some(reason)),
        };
    };
    let evaluation = Evaluation {
        predicate: (*predicate).clone(),
        evidence: seen
            .values()
            .iter()
            .map(|(key, value)| (key.to_string(), (*value).clone()))
            .collect(),
        context: EvaluationContext {
            goal_id: goal.id.to_string(),
            objective: goal.contract.objective.clone(),
            task_id: task.id.clone(),
            title: task.title.clone(),
        },
    };
    let told = asked(session.call, Role::Evaluator, Some(goal), &evaluation)?;
    let reply = told.said;
    let checked = ConditionChecked {
        predicate: (*predicate).clone(),
        satisfied: reply.satisfied,
        reasoning: Some(reply.reasoning),
        evidence_hash: Some(seen.hash()),
        task_id: Some(task.id.clone()),
    };
    session.record_costing(task, StepOutcome::Judged(checked), Some(told.cost))?;
    // As it is on record: without what looked like a secret.
    let mut events = session.receipts.iter().flat_map(|receipt| &receipt.events);
    let recorded = events.find_map(|event| match &event.payload {
        Payload::ConditionChecked(checked) => checked.reasoning.clone(),
        _ => None,
    });
    let judged = StepJudged {
        predicate: (*predicate).clone(),
        satisfied: reply.satisfied,
        reasoning: recorded.unwrap_or_default(),
    };
    Ok(Stepped {
        judged: Some(judged),
        ..session.performed(task, Did::Judged)?
    })
}
