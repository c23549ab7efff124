//! What to do next: a pure function of the state, for the summary and the prompts.

mod step;

use crate::domain::actor::Actor;
use crate::domain::attention::{answer_command, waits_by_pause};
use crate::domain::cost::budget::raised;
use crate::domain::focus::focused;
use crate::domain::goal::row::questions;
use crate::domain::goal::state::{Goal, Keeper, Status, Wait};
use crate::domain::state::State;
use crate::domain::verdict::{Cause, Verdict};
use crate::render::contest;
use crate::render::text::{count, inline, short};
use crate::render::waiting;

/// Most bytes of a next action.
const ACTION: usize = 300;

/// A short text for whoever works in `session`: what its goal waits for, or whose turn it is when
/// there is no goal to work on. The user who reads it is spoken to. What is to stay the same as time
/// passes has no `now`.
pub fn what_next(state: &State, session: Option<&str>, reader: Actor, now: Option<i64>) -> String {
    let goal = focused(state, session).and_then(|id| state.goals.get(id));
    let mut text = next_of(state, goal, reader, now);
    if reader != Actor::User
        && let Some(rejected) = rejected(state, goal, session)
    {
        text = format!("{text} {rejected}");
    }
    text
}

fn next_of(state: &State, goal: Option<&Goal>, reader: Actor, now: Option<i64>) -> String {
    let open = state.open_count();
    let is_user = reader == Actor::User;
    match goal {
        Some(goal) => next_for(state, goal, reader, now),
        None if open > 0 => {
            let open = match open {
                1 => "1 is".to_owned(),
                many => format!("{many} are"),
            };
            let what = match is_user {
                true => "`goal list` shows them, `goal focus GOAL` chooses one.",
                false => {
                    "The user chooses the goal. Ask the user; do not choose yourself. The user \
                     focuses one with `goal focus ID`."
                }
            };
            format!("No goal is focused, and {open} open. {what}")
        }
        None if !state.drafts.is_empty() => match is_user {
            true => {
                "There is no open goal, but a draft is open: `goal draft --list` shows what it waits for."
                    .to_owned()
            }
            false => drafts_wait(state),
        },
        None => match is_user {
            true => {
                "There is no open goal. `goal set OBJECTIVE` creates one at once, `goal draft \
                 TOPIC` begins with a discussion."
            }
            false => {
                "There is no open goal. One begins with the user: `goal set OBJECTIVE` at once, \
                 or `goal draft TOPIC` to work out the contract first."
            }
        }
        .to_owned(),
    }
}

/// What this goal waits for, focused or not.
pub fn next_for(state: &State, goal: &Goal, reader: Actor, now: Option<i64>) -> String {
    let status = goal.status.name();
    let is_user = reader == Actor::User;
    if !goal.status.is_open() {
        let what = match is_user {
            true => "`goal set` creates a new one for what is left to do.",
            false => "do no more work for it. For what is left to do the user creates a new one.",
        };
        return format!("The goal is {status}, which is final: {what}");
    }
    let mut drafts = state.drafts.open();
    let is_discussed = drafts.any(|draft| draft.goal_id.as_ref() == Some(&goal.id));
    let is_user_asked = !is_user && (is_discussed || !questions(goal).is_empty());
    let mut text = match goal.status {
        _ if let Some(choice) = contest::choice(goal) => choice,
        Status::Active if !is_user && goal.keeper != Keeper::Ours => {
            return match goal.keeper {
                Keeper::Lost => {
                    "Do no work for it here before its ledger is back: only a document tells of it."
                        .to_owned()
                }
                _ => format!(
                    "Another tool keeps this goal: do no work for it here before the user has taken it \
                     over with `goal adopt {}`.",
                    goal.id
                ),
            };
        }
        Status::Paused if is_user && waits_by_pause(goal) => format!(
            "An agent paused the goal, and waits for you: `goal inbox` says why and what you can do, \
             `goal resume --goal {}` goes on with it.",
            goal.id
        ),
        Status::Paused if let Some(raise) = raised(goal) => over_budget(&raise, is_user),
        Status::Paused | Status::Blocked if is_user => {
            let id = &goal.id;
            format!(
                "The goal is {status}: `goal show {id}` says why, `goal resume` goes on with it."
            )
        }
        Status::Paused => {
            let waits = match waits_by_pause(goal) {
                true => " It waits for the user, since an agent paused it.",
                false => "",
            };
            format!(
                "The goal is paused: do not work on it.{waits} The user continues it with `goal resume`."
            )
        }
        Status::Blocked => {
            "The goal is blocked: do not work on it before what blocks it is settled, \
             which takes the user. They take it up again with `goal resume`."
                .to_owned()
        }
        _ => while_active(goal, is_user, is_user_asked),
    };
    if let Some(wait) = goal.waits_for() {
        text = format!("{} {text}", waits(wait, is_user, now));
    }
    if let Some(asked) = asked(goal, is_user) {
        text = format!("{asked} {text}");
    }
    if is_discussed {
        text.push_str(
            " A change of this goal's contract is under discussion; until it is confirmed the \
             contract stands as it is, and only the user completes the goal. Do nothing that the \
             change may undo.",
        );
    }
    text
}

/// That the user has not answered yet, and what that means for whoever works.
fn asked(goal: &Goal, is_user: bool) -> Option<String> {
    let asked = questions(goal);
    let first = asked.first()?;
    let question = inline(&first.question, ACTION);
    let more = match asked.len() - 1 {
        0 => String::new(),
        1 => " and 1 more".to_owned(),
        more => format!(" and {more} more"),
    };
    Some(match is_user {
        true => format!(
            "It waits for your answer to {question}{more}: `{} VALUE`.",
            answer_command(&first.id)
        ),
        false => format!(
            "The user was asked {question}{more} and has not answered yet. Do not ask again, and do \
             not decide it yourself: do only what does not depend on the answer, and end the turn \
             when nothing else is left."
        ),
    })
}

/// What it waits for from outside, and where it is known what time it is, whether that is over.
fn waits(wait: &Wait, is_user: bool, now: Option<i64>) -> String {
    let is_over = now.is_some_and(|now| wait.is_due(now));
    match is_user {
        false if is_over => return waiting::is_over(wait),
        false => return waiting::is_on(wait),
        true => {}
    }
    let reason = inline(&wait.reason, ACTION);
    let until = wait.until.as_deref();
    let until = until.map(|until| format!(" until {}", short(until, 40)));
    let until = until.unwrap_or_default();
    match is_over {
        true => format!("It waited for {reason}{until}, which is over: look whether it has come."),
        false => format!("It waits for {reason}{until}."),
    }
}

/// A goal that rests and is over its budget: `goal resume` is refused until the limit is raised.
fn over_budget(raise: &str, is_user: bool) -> String {
    match is_user {
        true => format!(
            "The goal went over its budget: `goal budget {raise}` raises the limit, then `goal resume` goes \
             on with it."
        ),
        false => format!(
            "The goal is paused, since it went over its budget: do not work on it. The user raises the \
             limit with `goal budget {raise}`, and continues it with `goal resume`."
        ),
    }
}

/// While the user is asked, an agent's request for completion is refused, so none is spoken of.
fn while_active(goal: &Goal, is_user: bool, is_user_asked: bool) -> String {
    if goal.gate.requested.is_some() {
        return "Completion was requested and the audit has no result yet. `goal complete` joins \
             it, or starts it again if it was interrupted."
            .to_owned();
    }
    let step = step::Advice::of(&goal.tasks);
    let named;
    let result = goal.gate.result.as_ref();
    let check_failed = result.is_some_and(|it| it.cause == Some(Cause::CheckFailed));
    let first = match goal.latest_verdict() {
        Some(Verdict::Disapproved) if check_failed => {
            "A check of the contract failed, so no auditor was asked: `goal show` has what it said. \
             Once it passes, request completion again with `goal complete`."
        }
        Some(Verdict::Disapproved) if is_user => {
            "The auditor disapproved: `goal show` has its objections. Once they are addressed, \
             request completion again with `goal complete`."
        }
        Some(Verdict::Disapproved) => {
            "The auditor disapproved: address its objections first, then request completion \
             again with `goal complete`."
        }
        Some(Verdict::Error) => {
            "The last audit came to no verdict, so the goal is still open. See to its cause, then \
             request completion again with `goal complete`."
        }
        Some(Verdict::Approved) => {
            "An approval is recorded but no completion, so the goal is still open. If nothing is \
             left to do, request completion again with `goal complete`."
        }
        None if step.is_ready() && is_user_asked => {
            "All tasks are done; completion can be requested once the user has settled what they are \
             asked."
        }
        None if is_user_asked => {
            "Go on with a step that does not depend on what the user is asked."
        }
        None if step.is_ready() => {
            "All tasks are done, so the goal is ready for its audit, which alone completes it: \
             check every success criterion, then request completion with `goal complete`."
        }
        None if is_user && let Some(action) = &goal.next_action => {
            named = format!(
                "Go on with: {}. When every success criterion is met and checked, request \
                 completion with `goal complete`.",
                short(action, ACTION).trim_end_matches('.')
            );
            &named
        }
        None if goal.next_action.is_some() => {
            "Go on with the next action; when every success criterion is met and checked, request \
             completion with `goal complete`."
        }
        None => {
            "Go on with the next concrete step toward the objective; when every success criterion \
             is met and checked, request completion with `goal complete`."
        }
    };
    let open = goal.tasks.open();
    if open == 0 {
        return first.to_owned();
    }
    let holds = match (goal.tasks.block_completion, open) {
        (true, 1) => ", and completion waits for it",
        (true, _) => ", and completion waits for them",
        (false, _) => "",
    };
    let open = format!("Open: {}{holds}.", count(open, "task"));
    match (goal.latest_verdict(), step.text()) {
        // Which step comes next, the tasks say.
        (None, Some(step)) => format!("{step} {open}"),
        (Some(_), Some(step)) => format!("{first} {step} {open}"),
        (_, None) => format!("{first} {open}"),
    }
}

/// Most bytes of why a proposal was rejected.
const REJECTED: usize = 300;

/// That the user rejected what was proposed last, and why: of the draft that waits for a proposal, of
/// a change of the goal, or of a new goal that the session proposed. Nothing where they did not say
/// why.
pub fn rejected(state: &State, goal: Option<&Goal>, session: Option<&str>) -> Option<String> {
    let mut waiting = state.drafts.open().filter(|draft| draft.proposal.is_none());
    let draft = waiting.next_back().map(|draft| &*draft.draft_id);
    let found = state
        .drafts
        .turned_down(draft, goal.map(|goal| &goal.id), session)?;
    let (about, reason) = (inline(&found.about, 100), inline(&found.reason, REJECTED));
    Some(format!(
        "The user rejected the last proposal for {about}: {reason}."
    ))
}

/// What an agent is told where no goal is open: which draft waits for a proposal, or that one waits for
/// the user.
fn drafts_wait(state: &State) -> String {
    let mut waiting = state.drafts.open().filter(|draft| draft.proposal.is_none());
    match waiting.next_back() {
        Some(draft) => format!(
            "There is no open goal, but draft `{}` waits for a proposal: {}. An agent proposes a \
             contract with `goal propose`, naming that draft; the user decides with `goal confirm` or \
             `goal reject`.",
            short(&draft.draft_id, 80),
            short(&draft.topic, 160)
        ),
        None => "There is no open goal, and what is proposed waits for the user, who decides with `goal \
                 confirm` or `goal reject`."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::render::testing::{NOBODY, created, line, state_of};

    #[test]
    fn a_wait_whose_time_is_over_is_said_so_once() {
        let waiting = json!({"reason": "CI", "until": "2026-11-21T20:10:00.000Z"});
        let state = state_of(&[created(1, "g", "o"), line(2, "goal_waiting", "g", waiting)]);
        let goal = &state.goals[&"g".parse().unwrap()];
        let said = |reader, now| next_for(&state, goal, reader, now);
        for reader in [Actor::User, Actor::Agent] {
            let over = said(reader, Some(NOBODY.now));
            assert!(!over.contains("waits for"), "{over}");
            assert_eq!(over.matches("waited for").count(), 1, "{over}");
            assert_eq!(over.matches("whether it has come").count(), 1, "{over}");
            let early = NOBODY.now - 30 * 60_000;
            let before = said(reader, Some(early));
            assert!(before.contains("waits for"), "{before}");
            assert_eq!(before, said(reader, None));
        }
    }
}
