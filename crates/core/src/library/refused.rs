//! What the library says where the rules of goals refuse a command: nothing of the program's commands and
//! options, which its callers do not have.

use crate::domain::rejection::Rejection;

/// Where something can be done with the program alone.
const BY_PROGRAM: &str = "use the program `goal` for this";

/// The message of a refusal, and what can be done about it.
pub(super) fn said(rejection: &Rejection) -> (String, String) {
    let hint = match rejection {
        Rejection::HumanOwned { .. } => {
            let hint = "where a person decides, call as `Actor::User`";
            return ("only the user may do this".into(), hint.into());
        }
        Rejection::AuditorReadOnly => {
            let hint = "read, and change nothing";
            return ("an auditor may only read a ledger".into(), hint.into());
        }
        Rejection::Resting { id, status, .. } => {
            let message =
                format!("goal {id} is {status}, and an agent may work only on an active goal");
            let hint = "the user resumes it; reading and notes still work";
            return (message, hint.into());
        }
        Rejection::UnfinishedMerge { .. } => {
            "in that file keep the lines of both sides, and delete only the marker lines"
        }
        Rejection::Contested { .. } => "the user chooses with the program `goal`",
        Rejection::NoFocus { .. } => "name a goal with `Transaction::on`, or focus one as the user",
        Rejection::UnknownGoal { .. } => "`Reader::goals` has every goal",
        Rejection::NotFocused { .. } => "an agent works on the focused goal, `Reader::focused`",
        Rejection::Stale { .. } => "read the goal again, then decide again",
        Rejection::Already { .. } | Rejection::NothingChanges { .. } => {
            "the goal is already as the command would make it"
        }
        Rejection::IdTaken { .. } => "call again: another id is made",
        Rejection::NotAdopted { .. } | Rejection::StoppedElsewhere { .. } => {
            "the user takes it over with the program `goal`"
        }
        Rejection::InvalidField { .. } | Rejection::InvalidTask { .. } => {
            "correct it, and call again"
        }
        Rejection::UnknownTask { .. } => "`Goal::tasks` has every task with its id",
        Rejection::AmbiguousTask { .. } => "give the task's id",
        Rejection::TaskState { .. } => {
            "`Command::ReopenTask` opens a task that has ended, `Command::SkipTask` leaves it out"
        }
        Rejection::TaskUnproved { .. } => "give `evidence` with `Command::CompleteTask`",
        Rejection::OverLimit { .. } => "split the goal",
        Rejection::Secret { .. } => "remove it, since what is recorded stays on record",
        Rejection::GoalClosed { .. }
        | Rejection::EmptyField { .. }
        | Rejection::TooLarge { .. } => {
            return (rejection.to_string(), rejection.hint());
        }
        _ => BY_PROGRAM,
    };
    (rejection.to_string(), hint.into())
}
