//! Running the checks of a run, and how they stand.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Runner;
use crate::domain::goal::state::Goal;
use crate::domain::iteration::state::CheckSeen;
use crate::domain::run::alike;
use crate::ops::check;
use crate::ops::failure::Failure;
use crate::ops::iterate::validation_timeout;
use crate::render::run::Bar;
use crate::roles::checks::Outcome;

impl Runner<'_> {
    /// The checks of the goal that pass now, where it has any: those of the run's latest iteration,
    /// and before the first one those that are run for it.
    pub(super) fn passing(&self, goal: &Goal) -> Result<Option<Vec<String>>, Failure> {
        let of_goal = &goal.contract.checks;
        let run = goal.runs.open.as_ref();
        let known = run.map(|run| &run.counts.checks);
        let passing = match known {
            _ if of_goal.is_empty() => return Ok(None),
            Some(known) if of_goal.iter().all(|name| known.contains_key(name)) => {
                let pass = |name: &&String| known.get(*name).is_some_and(|seen| seen.pass);
                of_goal.iter().filter(pass).cloned().collect()
            }
            _ => {
                self.watch.show(Bar::of(goal, "checking"));
                let outcomes = self.checked(of_goal)?.unwrap_or_default();
                let passed = outcomes.into_iter().filter(|outcome| outcome.pass);
                passed.map(|outcome| outcome.name).collect()
            }
        };
        Ok(Some(passing))
    }

    /// Whether the goal has checks, and all of them pass now.
    pub(super) fn all_pass(&self, goal: &Goal) -> Result<bool, Failure> {
        let of_goal = &goal.contract.checks;
        if of_goal.is_empty() {
            return Ok(false);
        }
        let outcomes = self.checked(of_goal)?;
        Ok(outcomes.is_some_and(|all| all.iter().all(|outcome| outcome.pass)))
    }

    /// Runs these checks; nothing where Ctrl-C ended them.
    pub(super) fn checked(&self, names: &[String]) -> Result<Option<Vec<Outcome>>, Failure> {
        if !names.is_empty() {
            self.files.take();
        }
        let default = validation_timeout(&self.call.workspace.environment.iteration)?;
        match check::run(self.call, names, Duration::from_millis(default), &|_| {}) {
            Ok(outcomes) => Ok(Some(outcomes)),
            // The iteration is done again when the run goes on.
            Err(failure) if failure.code == "interrupted" => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

/// How each check stood.
pub(super) fn seen(outcomes: &[Outcome]) -> BTreeMap<String, CheckSeen> {
    let seen = outcomes.iter().map(|outcome| {
        let output = alike::output(&outcome.report);
        let pass = outcome.pass;
        (outcome.name.clone(), CheckSeen { pass, output })
    });
    seen.collect()
}
