//! Deciding what the user settles: that findings stand as they are, or that what another program
//! wrote is taken as the user's own act.

use std::collections::BTreeSet;

use crate::domain::command::Settlement;
use crate::domain::decide::{PendingEvent, lifecycle, must_be_open, require_text_if_given};
use crate::domain::event::ledger::SettledKind;
use crate::domain::event::{GoalSettled, Payload};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Decides a settlement about `goal`, or about the ledger alone.
pub fn decide(
    state: &State,
    goal: Option<&Goal>,
    settlement: &Settlement,
) -> Result<Vec<PendingEvent>, Rejection> {
    let Settlement {
        settled,
        taken,
        again,
    } = settlement;
    if settled.kind == SettledKind::Contest {
        must_be_a_choice(goal, settled)?;
    }
    let new = state.settled.new_in(settled);
    let mut lines = settled.lines.clone();
    lines.retain(|line| new.contains(line) || again.contains(line));
    if lines.is_empty() {
        return Err(Rejection::NothingToSettle);
    }
    let reason = require_text_if_given("reason", settled.reason.as_deref())?;
    let mut events = Vec::new();
    if let (Some(goal), false) = (goal, taken.is_empty()) {
        must_be_open(goal)?;
        for payload in taken {
            let taken = taken_over(goal, payload)?;
            events.extend(PendingEvent::all(&goal.id, taken));
        }
    }
    let settled = GoalSettled {
        lines,
        reason,
        ..settled.clone()
    };
    events.push(PendingEvent {
        goal_id: goal.map(|goal| goal.id.clone()),
        ..PendingEvent::about_no_goal(settled)
    });
    Ok(events)
}

/// Refuses a settlement of a contest that takes none of what there is to choose from, or that was
/// decided before another act joined it.
fn must_be_a_choice(goal: Option<&Goal>, settled: &GoalSettled) -> Result<(), Rejection> {
    let Some((goal, contest)) = goal.and_then(|goal| Some((goal, goal.contest.as_ref()?))) else {
        return Err(Rejection::NothingToSettle);
    };
    let choices: BTreeSet<EventId> = contest.choices.iter().map(|choice| choice.id).collect();
    let seen: BTreeSet<EventId> = settled.lines.iter().copied().collect();
    let id = goal.id.clone();
    match settled.take {
        Some(taken) if !choices.contains(&taken) => Err(Rejection::NoChoice {
            id,
            named: taken.to_string(),
        }),
        None => Err(Rejection::NoChoice {
            id,
            named: String::new(),
        }),
        Some(_) if seen != choices => Err(Rejection::StaleContest { id }),
        Some(_) => Ok(()),
    }
}

/// What the user takes over, as their own act.
fn taken_over(goal: &Goal, payload: &Payload) -> Result<Option<Payload>, Rejection> {
    Ok(match payload {
        Payload::GoalResumed(_) if goal.status == Status::Active => None,
        Payload::GoalResumed(resumed) => Some(lifecycle::resumed(goal, resumed)?),
        payload if payload.may_be_taken() => Some(payload.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::Ledger;

    #[test]
    fn a_contest_is_settled_only_with_all_acts_that_were_seen() {
        let mut ledger = Ledger::default().ours(
            r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:00:00.000Z"}"#,
        );
        let base = ledger.id(ledger.replay().0.heads[0].0);
        for objective in ["one", "other", "third"] {
            ledger.append(&format!(
                r#"{{"type":"goal_tweaked","goalId":"a","changeSummary":"s","objective":"{objective}","at":"2026-11-21T20:01:00.000Z","by":"user","prev":"{base}"}}"#
            ));
        }
        let (state, _) = ledger.replay();
        let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
        let choices = &goal.contest.as_ref().unwrap().choices;
        let mut settled = GoalSettled {
            kind: SettledKind::Contest,
            lines: choices.iter().map(|it| it.id).collect(),
            accept: None,
            reason: None,
            finding: None,
            take: Some(choices[0].id),
        };
        assert_eq!(must_be_a_choice(Some(goal), &settled), Ok(()));
        // Decided when the third act was not there yet.
        settled.lines.pop();
        let refused = must_be_a_choice(Some(goal), &settled).unwrap_err();
        assert_eq!(
            refused,
            Rejection::StaleContest {
                id: goal.id.clone()
            }
        );
        settled.take = None;
        let refused = must_be_a_choice(Some(goal), &settled).unwrap_err();
        assert!(matches!(refused, Rejection::NoChoice { .. }), "{refused}");
    }
}
