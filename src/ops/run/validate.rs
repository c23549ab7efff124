//! After the agent's turn: rules are run, promises read, both judged and recorded in one write, and
//! what follows from the judgement is done.

use super::checking::seen;
use super::iteration::Unit;
use super::kept::last_words;
use super::{Runner, is_of_the_goal};
use crate::domain::command::Command;
use crate::domain::decide::exactly;
use crate::domain::event::{CompletionRequested, IterationValidated, UsageRecorded};
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge::{self, Passing, Signal, judge};
use crate::domain::iteration::state::IterationOutcome;
use crate::domain::iteration::{IterationCommand, Validated};
use crate::domain::run::state::RunUntil;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::check;
use crate::ops::failure::Failure;
use crate::ops::iterate::{command, results};
use crate::process::Finished;
use crate::roles::checks::Outcome;

/// What an agent's turn came to.
pub(super) struct Tried<'a> {
    pub finished: &'a Finished,
    /// How its process ended, where it did not end well.
    pub failed: Option<String>,
    /// Whether it changed the work tree, where that can be seen.
    pub changed: Option<bool>,
    /// What it cost, where that is not recorded yet.
    pub usage: Option<UsageRecorded>,
}

impl Runner<'_> {
    /// Validates the iteration under way, with what it cost in the same write, and says what every check
    /// came to; nothing where the agent ended it by itself, or the run is to stop before.
    pub(super) fn validate(
        &self,
        goal: &Goal,
        unit: &Unit,
        tried: Tried<'_>,
    ) -> Result<Option<(Goal, Vec<Outcome>)>, Failure> {
        let unvalidated = |usage: Option<UsageRecorded>| {
            usage.map_or(Ok(()), |usage| self.charge(usage))?;
            Ok(None)
        };
        let Some(open) = goal.iterations.of_task(unit.task.as_deref()) else {
            return unvalidated(tried.usage);
        };
        // The contract and the call may have named more since the loop began.
        let now = self.terms.rules(goal, unit.task.as_deref());
        let mut rules = open.rules.clone();
        rules.extend(now.into_iter().filter(|it| !open.rules.contains(it)));
        let of_goal = goal.contract.checks.iter();
        let others = of_goal.filter(|it| !rules.contains(it)).cloned();
        let names: Vec<String> = rules.iter().cloned().chain(others).collect();
        let Some(outcomes) = self.checked(&names)? else {
            return unvalidated(tried.usage);
        };
        if self.files.borrow().is_none() {
            self.files.replace(self.call.workspace.fingerprint());
        }
        let is_rule = |outcome: &&Outcome| rules.contains(&outcome.name);
        let rules: Vec<Outcome> = outcomes.iter().filter(is_rule).cloned().collect();
        let output = String::from_utf8_lossy(&tried.finished.stdout);
        let mut promised = judge::find(&output, &open.promises);
        // Who failed has not completed anything.
        promised.take_if(|it| tried.failed.is_some() && it.signal == Signal::Complete);
        let validated = Validated {
            seen: IterationValidated {
                iteration_id: open.id.clone(),
                iteration: open.current,
                results: results(&rules),
                run_id: Some(self.run_id.clone()),
                agent: tried.failed,
                checks: Some(seen(&outcomes)),
                changed: tried.changed,
                said: last_words(&output, &open.promises),
                uncommitted: self.commits.refused.clone(),
                ..IterationValidated::default()
            },
            promise: promised,
            runs: check::runs(&outcomes, open.task.as_deref()),
        };
        let act = command(self.call, IterationCommand::Validate(validated));
        match self
            .as_system_costing(act, tried.usage)
            .map_err(Failure::from)
        {
            // Somebody ended or counted up the iteration, or the goal, while its rules ran. Where nobody did,
            // it would be refused after every turn.
            Err(failure) if is_of_the_goal(&failure) && self.goal()?.latest != goal.latest => {
                Ok(None)
            }
            recorded => recorded.and_then(|()| Ok(Some((self.goal()?, outcomes)))),
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
            _ => Some(
                judge(
                    &judged.results,
                    Passing::Guard,
                    None,
                    (open.current, open.most),
                )
                .message,
            ),
        };
        let act = match (judged.signal, not_yet) {
            (Some(Signal::Complete), None) => success(id),
            // It had all its tries, and what they came to is not enough.
            (_, Some(why)) if open.is_last() => IterationCommand::Complete {
                iteration: id,
                outcome: IterationOutcome::MaxIterations,
                summary: why,
            },
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
                let act = TaskCommand::Mark {
                    task: exactly(task),
                    becomes: TaskStatus::Complete,
                    word: Word {
                        summary: Some("its iteration was validated as complete".into()),
                        ..Word::default()
                    },
                };
                self.as_system(act).map_err(Failure::from)
            }
            None => {
                let command = Command::RequestCompletion {
                    requested: CompletionRequested::default(),
                    auditor_configured: true,
                };
                let request = self.call.request(command).naming(&self.id);
                request.check_on(&*self.project()?).map_err(Failure::from)
            }
        };
        match refused {
            Ok(()) => Ok(None),
            Err(failure) if is_of_the_goal(&failure) => {
                let why = format!("It is not complete: {}; {}", failure.message, failure.hint);
                Ok(Some(why))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Ends the iterations of checkpoints that are complete: the agent may have completed one
    /// itself, or the runner was killed in between. Says whether there was one.
    pub(super) fn tidy(&mut self, goal: &Goal) -> Result<bool, Failure> {
        let standing = TaskStatuses::of(&goal.tasks);
        let over = goal.iterations.open.iter().find(|open| {
            let task = open.task.as_deref();
            task.is_some_and(|task| {
                goal.tasks.find(task).is_some() && standing.status(task) == TaskStatus::Complete
            })
        });
        let Some(over) = over else { return Ok(false) };
        self.record_iteration(success(Some(over.id.clone())))?;
        // The runner that this one goes on with died before it could see that.
        let ends_here = self.until == Some(RunUntil::Checkpoint);
        self.seen.reached |= ends_here && self.resumes.is_some() && self.checkpoint.is_none();
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
