//! After the agent's turn: rules are run, promises read, both judged and recorded in one write, and
//! what follows from the judgement is done.

use std::time::Duration;

use super::Runner;
use super::iteration::Unit;
use crate::domain::command::Command;
use crate::domain::goal::state::Goal;
use crate::domain::iteration::command::{IterationCommand, Validated};
use crate::domain::iteration::judge::judge;
use crate::domain::iteration::outcome::IterationOutcome;
use crate::domain::iteration::promise::{self, Signal};
use crate::domain::task::command::TaskCommand;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::check;
use crate::ops::failure::{Exit, Failure};
use crate::ops::iterate::{results, validation_timeout};
use crate::process::Finished;

impl Runner<'_> {
    /// Validates the iteration under way; nothing where the agent ended it by itself, or the run is
    /// to stop before.
    pub(super) fn validate(
        &self,
        goal: &Goal,
        unit: &Unit,
        finished: &Finished,
        failed: Option<String>,
    ) -> Result<Option<Goal>, Failure> {
        let Some(open) = goal.iterations.of_task(unit.task.as_deref()) else {
            return Ok(None);
        };
        let default = validation_timeout(&self.call.workspace.environment.iteration)?;
        let default = Duration::from_millis(default);
        let outcomes = match check::run(self.call, &open.rules, default, &|_| {}) {
            Ok(outcomes) => outcomes,
            // Ctrl-C ends rules too; the iteration is done again when the run goes on.
            Err(failure) if failure.code == "interrupted" => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let output = String::from_utf8_lossy(&finished.stdout);
        let mut promised = promise::find(&output, &open.promises);
        // Who failed has not completed anything.
        promised.take_if(|it| failed.is_some() && it.signal == Signal::Complete);
        let validated = Validated {
            iteration: open.id.clone(),
            current: open.current,
            results: results(&outcomes),
            promise: promised,
            runs: check::runs(&outcomes, open.task.as_deref()),
            run: Some(self.run_id.clone()),
            agent: failed,
        };
        match self.record_iteration(IterationCommand::Validate(validated)) {
            // Somebody ended or counted up the iteration, or the goal, while its rules ran.
            Err(failure) if matches!(failure.exit, Exit::Conflict | Exit::Policy) => Ok(None),
            recorded => recorded.and_then(|()| self.goal().map(Some)),
        }
    }

    /// Does what follows from the validation of the iteration under way: its unit is complete, or
    /// the next iteration begins. One that is blocked or at its maximum has ended with it.
    pub(super) fn conclude(&self, goal: &Goal, unit: &Unit) -> Result<(), Failure> {
        let task = unit.task.as_deref();
        let (Some(open), Some(judged)) = (goal.iterations.of_task(task), unit.judged(goal)) else {
            return Ok(());
        };
        let id = Some(open.id.clone());
        let not_yet = match judged.signal {
            Some(Signal::Complete) => self.complete(goal, task)?,
            // Without rules there is nothing that was learned by them.
            _ if judged.results.is_empty() => None,
            _ => Some(judge(&judged.results, None, (open.current, open.most)).message),
        };
        let act = match (judged.signal, not_yet) {
            (Some(Signal::Complete), None) => success(id),
            (_, learned) => IterationCommand::Next {
                iteration: id,
                learned,
            },
        };
        self.record_iteration(act)
    }

    /// Completes the checkpoint, or without one sees whether completion can be requested; why not,
    /// where it cannot be yet.
    fn complete(&self, goal: &Goal, task: Option<&str>) -> Result<Option<String>, Failure> {
        let refused = match task {
            Some(task) if !TaskStatuses::of(&goal.tasks).status(task).is_open() => Ok(()),
            Some(task) => {
                let act = TaskCommand::Complete {
                    task: task.to_owned(),
                    evidence: None,
                    summary: Some("its iteration was validated as complete".into()),
                };
                self.as_system(act).map_err(Failure::from)
            }
            None => {
                let command = Command::RequestCompletion {
                    summary: None,
                    evidence: Vec::new(),
                    auditor_configured: true,
                    awaits_signature: false,
                };
                let request = self.call.request(command).naming(&self.id);
                request.check().map_err(Failure::from)
            }
        };
        match refused {
            Ok(()) => Ok(None),
            Err(failure) if matches!(failure.exit, Exit::Conflict | Exit::Policy) => {
                let why = format!("It is not complete: {}; {}", failure.message, failure.hint);
                Ok(Some(why))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Ends the iterations of checkpoints that are complete: the agent may have completed one
    /// itself, or the runner was killed in between. Says whether there was one.
    pub(super) fn tidy(&self, goal: &Goal) -> Result<bool, Failure> {
        let standing = TaskStatuses::of(&goal.tasks);
        let over = goal.iterations.open.iter().find(|open| {
            let task = open.task.as_deref();
            task.is_some_and(|task| {
                goal.tasks.find(task).is_some()
                    && standing.status(task) == crate::domain::task::state::TaskStatus::Complete
            })
        });
        let Some(over) = over else { return Ok(false) };
        self.record_iteration(success(Some(over.id.clone())))?;
        Ok(true)
    }
}

fn success(iteration: Option<String>) -> IterationCommand {
    IterationCommand::Complete {
        iteration,
        outcome: IterationOutcome::Success,
        summary: "what it was for is complete".into(),
    }
}
