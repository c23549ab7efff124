//! Who may do what. The table:
//!
//! | act | user | agent |
//! |---|---|---|
//! | set, import goals, open a draft or tweak, confirm, reject, cancel, focus, unfocus, resume, fail, abandon, adopt, settle, join or leave a store, answer questions, run, baselines, set a budget | yes | refused, with the words to say to the user |
//! | propose, withdraw what their own session asked or proposed, note, review, check, iterate, evaluate, escalate, set an agenda, ask, pause, block, abort, request completion, record usage | yes | yes |
//! | delegate | at once | as a proposal |
//! | change a contract | at once | as a proposal |
//! | complete | through the gate | through the gate, while the goal is active |
//!
//! The auditor may only read. `system` is our own processes: it starts and records audits, pauses,
//! focuses, takes baselines and abandons; what else is the user's is refused to it too.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, MessageEffect, Outside};
use crate::domain::cost::CostCommand;
use crate::domain::focus::focused;
use crate::domain::goal::state::Pause;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::progress::ProgressCommand;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Refuses what this caller may not do.
pub fn authorise(state: &State, command: &Command, caller: &Caller) -> Result<(), Rejection> {
    let rule = Rule::of(command);
    match caller.actor {
        Actor::Auditor => return Err(Rejection::AuditorReadOnly),
        Actor::User => return Ok(()),
        Actor::System if rule.system => return Ok(()),
        Actor::System | Actor::Agent => {}
    }
    // What was spent was spent: the turn's last call has its cost too.
    let books = matches!(command, Command::Cost { act } if matches!(**act, CostCommand::Add(_)));
    // A budget ends the turn in its middle: the last turn says where things stand.
    let leaves_word = matches!(command, Command::Note(_)) && rests_by_budget(state, caller);
    if !books && !leaves_word {
        turn_goes_on(state, caller)?;
    }
    match rule.say_to_user {
        Some(say) => Err(Rejection::HumanOwned {
            act: command.name(),
            say: say.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Refuses what this caller may not do, before the program is started that does it.
pub fn may_begin(state: &State, act: Outside, caller: &Caller) -> Result<(), Rejection> {
    match caller.actor {
        Actor::Auditor => return Err(Rejection::AuditorReadOnly),
        Actor::User => return Ok(()),
        Actor::System | Actor::Agent => turn_goes_on(state, caller)?,
    }
    if act == Outside::Baseline && caller.actor == Actor::Agent {
        return Err(Rejection::HumanOwned {
            act: ProgressCommand::BASELINE,
            say: OWN_BASELINE.to_owned(),
        });
    }
    Ok(())
}

/// Refuses a caller whose turn has ended.
pub fn turn_goes_on(state: &State, caller: &Caller) -> Result<(), Rejection> {
    let session = caller.session.as_deref().unwrap_or_default();
    match &caller.turn {
        Some(turn) if state.stopped_turns.get(session) == Some(turn) => Err(Rejection::TurnStopped),
        _ => Ok(()),
    }
}

/// Whether the goal that the caller works on went over its budget.
fn rests_by_budget(state: &State, caller: &Caller) -> bool {
    let id = focused(state, caller.session.as_deref());
    let goal = id.and_then(|id| state.goals.get(id));
    goal.and_then(|goal| goal.pause.as_ref())
        .is_some_and(Pause::is_by_budget)
}

/// Whether the caller's act counts as the user's.
pub fn acts_for_user(caller: &Caller) -> bool {
    matches!(caller.actor, Actor::User)
}

/// How the user answers a question.
const ANSWER: &str = "run `goal answer QUESTION VALUE`; `goal questions` lists what waits for you";

/// How the user gives a goal up.
const ABANDON: &str = "run `goal abort --as abandoned --reason …` if it is to be given up";

const OWN_BASELINE: &str = "run `goal progress baseline` to say how things stood before the work";

/// Who may give a command.
struct Rule {
    /// Only the user may, and this is what an agent can say to them; else an agent may too.
    say_to_user: Option<&'static str>,
    /// Our own processes may, even when the turn has ended: they record audits, continuations and
    /// usage, hold goals to their budgets, focus the sessions of a run, and give up what the user
    /// lets them.
    system: bool,
}

fn anybody() -> Rule {
    Rule {
        say_to_user: None,
        system: false,
    }
}

fn only_user(say: &'static str) -> Rule {
    Rule {
        say_to_user: Some(say),
        ..anybody()
    }
}

impl Rule {
    fn and_system(self) -> Rule {
        Rule {
            system: true,
            ..self
        }
    }

    fn of(command: &Command) -> Rule {
        match command {
            Command::Set { .. } | Command::OpenDraft(_) => only_user(
                "run `goal set OBJECTIVE` or `goal draft TOPIC`, or let me propose a contract that \
                 you confirm",
            ),
            Command::Import { .. } => {
                only_user("run `goal task import FILE --as goals` if these are to be goals")
            }
            Command::OpenTweak { .. } => only_user("run `goal tweak` if the contract may change"),
            Command::CancelDraft { .. } => {
                only_user("run `goal draft --cancel` to close the draft")
            }
            Command::Confirm { .. } => {
                only_user("run `goal confirm` if you agree with the proposal")
            }
            Command::Reject { .. } => {
                only_user("run `goal reject` if you do not agree with the proposal")
            }
            Command::Focus(_) => {
                only_user("run `goal focus GOAL` to choose what I work on").and_system()
            }
            Command::Unfocus(_) => only_user("run `goal focus --none` if I should work on no goal"),
            Command::Resume(_) => only_user("run `goal resume` when I may go on"),
            Command::End(end) => match end.outcome {
                None => anybody(),
                Some(AbortOutcome::Failed) => {
                    only_user("run `goal abort --as failed --reason …` if the goal has failed")
                }
                Some(AbortOutcome::Abandoned) => only_user(ABANDON).and_system(),
            },
            Command::Settle { .. } => only_user(
                "run `goal settle` to decide about what other programs wrote, or about a finding",
            ),
            Command::Store(_) => {
                only_user("run `goal store` if you want to say where the ledger's lines are kept")
            }
            Command::Adopt => only_user("run `goal adopt GOAL` to take the goal over"),
            Command::Task { act, .. } if act.answers() => only_user(ANSWER),
            Command::Interpret {
                then: MessageEffect::Act { act, .. },
                ..
            } if act.answers() => only_user(ANSWER),
            Command::Progress { act } => match **act {
                ProgressCommand::Baseline(_) => only_user(OWN_BASELINE).and_system(),
                ProgressCommand::GiveUp => only_user(ABANDON).and_system(),
                _ => anybody(),
            },
            Command::Cost { act } => match **act {
                CostCommand::Add(_) => anybody().and_system(),
                CostCommand::Budget { .. } => {
                    only_user("run `goal budget` to say how much may be spent")
                }
                CostCommand::Enforce => only_user("only we hold a goal to its budget").and_system(),
            },
            Command::Pause(_) | Command::Note(_) | Command::Wait(_) => anybody().and_system(),
            Command::Propose { .. }
            | Command::Withdraw { .. }
            | Command::Delegate { .. }
            | Command::RecordReview(_)
            | Command::Tweak { .. }
            | Command::Task { .. }
            | Command::Interpret { .. }
            | Command::Iteration { .. }
            | Command::RecordChecks(_)
            | Command::RequestCompletion { .. } => anybody(),
            Command::StartAudit(_) | Command::RecordAudit(_) => {
                only_user("only the gate starts audits and records verdicts").and_system()
            }
            Command::Run(_) => {
                only_user("run `goal run` if I am to work on it without you").and_system()
            }
            Command::Continue { .. } => {
                only_user("only a host's hooks and the runner continue a goal").and_system()
            }
            Command::UserPrompted { .. } => {
                only_user("only what you say yourself counts as your word")
            }
        }
    }
}
