//! Who may do what. The table:
//!
//! | act | user | agent |
//! |---|---|---|
//! | set, import goals, open a draft or tweak, confirm, reject, cancel, focus, unfocus, resume, fail, abandon, adopt, settle, answer questions, run, baselines, set a budget | yes | refused, with the words to say to the user |
//! | propose, note, review, check, iterate, evaluate, escalate, set an agenda, ask, pause, block, abort, request completion, record usage | yes | yes |
//! | delegate | at once | as a proposal |
//! | change a contract | at once | as a proposal |
//! | complete | through the gate | through the gate, while the goal is active |
//!
//! The auditor may only read. `system` is our own processes: it starts and records audits, pauses,
//! focuses, takes baselines and abandons; what else is the user's is refused to it too.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, Meant, Outside};
use crate::domain::cost::command::CostCommand;
use crate::domain::progress::command::ProgressCommand;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Refuses what this caller may not do.
pub fn authorise(state: &State, command: &Command, caller: &Caller) -> Result<(), Rejection> {
    let whose = Whose::of(command);
    match caller.actor {
        Actor::Auditor => return Err(Rejection::AuditorReadOnly),
        Actor::User => return Ok(()),
        Actor::System if whose.is_ours() => return Ok(()),
        Actor::System | Actor::Agent => {}
    }
    // What was spent was spent: the turn's last call has its cost too.
    let books = matches!(command, Command::Cost { act } if matches!(**act, CostCommand::Add(_)));
    if !books {
        turn_goes_on(state, caller)?;
    }
    match whose {
        Whose::Users(say) | Whose::UsersAndOurs(say) => Err(Rejection::HumanOwned {
            act: command.name(),
            say: say.to_owned(),
        }),
        Whose::Everybodys | Whose::EverybodysAndOurs => Ok(()),
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
            act: act.name(),
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

/// Whether the caller's act counts as the user's.
pub fn acts_for_user(caller: &Caller) -> bool {
    matches!(caller.actor, Actor::User)
}

/// How the user answers a question.
const ANSWER: &str = "run `goal answer QUESTION VALUE`; `goal questions` lists what waits for you";

/// How the user gives a goal up.
const ABANDON: &str = "run `goal abandon --reason …` if it is to be given up";

const OWN_BASELINE: &str = "run `goal baseline` to say how things stood before the work";

/// Who may give a command. Ours are the acts of our own processes, besides what an agent may: they
/// record audits, continuations and usage, hold goals to their budgets, focus the sessions of a run,
/// and give up what the user lets them. No end of a turn stops those.
enum Whose {
    /// The user's and the agent's.
    Everybodys,
    EverybodysAndOurs,
    /// The user's; what an agent can say to them about it.
    Users(&'static str),
    UsersAndOurs(&'static str),
}

impl Whose {
    fn is_ours(&self) -> bool {
        matches!(self, Whose::EverybodysAndOurs | Whose::UsersAndOurs(_))
    }

    fn of(command: &Command) -> Whose {
        use Whose::{Everybodys, EverybodysAndOurs, Users, UsersAndOurs};
        match command {
            Command::Set { .. } | Command::OpenDraft { .. } => Users(
                "run `goal set OBJECTIVE` or `goal draft TOPIC`, or let me propose a contract that \
                 you confirm",
            ),
            Command::Import { .. } => {
                Users("run `goal import FILE --as goals` if these are to be goals")
            }
            Command::OpenTweak { .. } => Users("run `goal tweak` if the contract may change"),
            Command::CancelDraft { .. } => Users("run `goal draft --cancel` to close the draft"),
            Command::Confirm { .. } => Users("run `goal confirm` if you agree with the proposal"),
            Command::Reject { .. } => {
                Users("run `goal reject` if you do not agree with the proposal")
            }
            Command::Focus { .. } => UsersAndOurs("run `goal focus GOAL` to choose what I work on"),
            Command::Unfocus { .. } => Users("run `goal unfocus` if I should work on no goal"),
            Command::Resume { .. } => Users("run `goal resume` when I may go on"),
            Command::Fail { .. } => Users("run `goal fail --reason …` if the goal has failed"),
            Command::Abandon { .. } => UsersAndOurs(ABANDON),
            Command::Settle { .. } => Users(
                "run `goal settle` to decide about what other programs wrote, or about a finding",
            ),
            Command::Adopt => Users("run `goal adopt GOAL` to take the goal over"),
            Command::Task { act, .. } if act.answers() => Users(ANSWER),
            Command::Interpret {
                then: Meant::Act { act, .. },
                ..
            } if act.answers() => Users(ANSWER),
            Command::Progress { act } => match **act {
                ProgressCommand::Baseline { .. } => UsersAndOurs(OWN_BASELINE),
                ProgressCommand::GiveUp => UsersAndOurs(ABANDON),
                _ => Everybodys,
            },
            Command::Cost { act } => match **act {
                CostCommand::Add(_) => EverybodysAndOurs,
                CostCommand::Budget { .. } => {
                    Users("run `goal budget` to say how much may be spent")
                }
                CostCommand::Enforce => UsersAndOurs("only we hold a goal to its budget"),
            },
            Command::Pause { .. } | Command::Block { .. } | Command::Note { .. } => {
                EverybodysAndOurs
            }
            Command::Propose { .. }
            | Command::Delegate { .. }
            | Command::RecordReview { .. }
            | Command::Tweak { .. }
            | Command::Task { .. }
            | Command::Interpret { .. }
            | Command::Iteration { .. }
            | Command::RecordChecks { .. }
            | Command::Abort { .. }
            | Command::RequestCompletion { .. } => Everybodys,
            Command::StartAudit { .. } | Command::RecordAudit { .. } => {
                UsersAndOurs("only the gate starts audits and records verdicts")
            }
            Command::Run(_) => UsersAndOurs("run `goal run` if I am to work on it without you"),
            Command::Continue => UsersAndOurs("only a host's hooks and the runner continue a goal"),
            Command::UserPrompted => Users("only what you say yourself counts as your word"),
        }
    }
}
