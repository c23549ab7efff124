//! An agent works only what is active. On a goal that is paused or blocked it reads, notes, asks,
//! proposes, and books what was spent; work, and the claim that work is done, wait for the user's
//! `goal resume`.
//!
//! What came of something that was begun while the goal was active is recorded all the same: it
//! happened.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, MessageEffect};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::progress::command::ProgressCommand;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::{StepOutcome, TaskCommand};

/// Refuses an agent's work on a goal that rests.
pub fn only_active(goal: &Goal, command: &Command, caller: &Caller) -> Result<(), Rejection> {
    if caller.actor != Actor::Agent || goal.status == Status::Active || !works(command) {
        return Ok(());
    }
    Err(Rejection::Resting {
        id: goal.id.clone(),
        status: goal.status,
        act: command.name(),
    })
}

/// Whether it is work on the goal, or says that work is done.
fn works(command: &Command) -> bool {
    match command {
        Command::Task { act, .. } => works_on_tasks(act),
        Command::Interpret {
            then: MessageEffect::Act { act, .. },
            ..
        } => works_on_tasks(act),
        // A note says what was found out; with steps or a score it says that work goes on.
        Command::Progress { act } => !matches!(
            **act,
            ProgressCommand::Note {
                steps: None,
                evaluated: None,
                ..
            }
        ),
        Command::RequestCompletion { .. } | Command::Iteration { .. } | Command::End(_) => true,
        _ => false,
    }
}

fn works_on_tasks(act: &TaskCommand) -> bool {
    match act {
        TaskCommand::Step { came_to, .. } => matches!(**came_to, StepOutcome::Begun),
        // Talk with the user and the planner, and what came of something that was begun before.
        TaskCommand::Plan { .. }
        | TaskCommand::FailPlan(_)
        | TaskCommand::Answer { .. }
        | TaskCommand::Ask(_)
        | TaskCommand::Withdraw(_)
        | TaskCommand::AskToAbandon { .. }
        | TaskCommand::Summarize { .. } => false,
        TaskCommand::Set { .. }
        | TaskCommand::Add { .. }
        | TaskCommand::Import(_)
        | TaskCommand::Mark { .. }
        | TaskCommand::Give { .. }
        | TaskCommand::RequestPlan(_) => true,
    }
}
