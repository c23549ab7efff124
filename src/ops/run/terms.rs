//! How a run's iterations are validated: by rules, promises and a maximum of their own. The call
//! overrides the agent's file, and the file overrides the configuration.

use super::RunRequest;
use crate::documents::agents::AgentIteration;
use crate::domain::event::IterationStarted;
use crate::domain::goal::contract::names_check;
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge::{BLOCKED, COMPLETE};
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::iterate::definition;
use crate::workspace::config::Runner as Settings;

/// What holds for every iteration of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Terms {
    rules: Vec<String>,
    promises: Vec<String>,
    /// Most iterations on one checkpoint.
    most: Option<u64>,
}

impl Terms {
    /// What the call asks for.
    ///
    /// # Errors
    /// The agent's file cannot be used.
    pub fn of(call: &Call, asked: &RunRequest, settings: &Settings) -> Result<Terms, Failure> {
        let file = asked.agent_file.as_deref();
        let file = file.map(|path| definition(call, path)).transpose()?;
        let AgentIteration {
            max_iterations,
            completion_promises,
            validation_rules,
            ..
        } = file.unwrap_or_default();
        if let Some(odd) = asked.rules.iter().find(|name| !names_check(name)) {
            let problem = format!("holds {odd:?}, which names no check");
            return Err(Rejection::invalid("rule", problem).into());
        }
        let asked = (!asked.rules.is_empty()).then(|| asked.rules.clone());
        let rules = asked.or(validation_rules);
        Ok(Terms {
            rules: rules.unwrap_or_else(|| settings.rules.value.0.clone()),
            promises: completion_promises
                .unwrap_or_else(|| vec![COMPLETE.to_owned(), BLOCKED.to_owned()]),
            most: max_iterations,
        })
    }

    /// The rules of a checkpoint, or of the goal as a whole. The goal's own checks belong only to the
    /// whole: they say when the goal is done, not when a checkpoint is.
    pub fn rules(&self, goal: &Goal, task: Option<&str>) -> Vec<String> {
        let mut rules = match task {
            Some(_) => Vec::new(),
            None => goal.contract.checks.clone(),
        };
        for rule in &self.rules {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
        rules
    }

    /// The beginning of the iterations on a checkpoint, or on the goal as a whole.
    pub fn start(&self, id: String, goal: &Goal, task: Option<String>) -> IterationStarted {
        IterationStarted {
            iteration_id: id,
            max_iterations: self.most,
            completion_promises: self.promises.clone(),
            rules: self.rules(goal, task.as_deref()),
            task_id: task,
            timeout_ms: None,
            passing: None,
        }
    }
}
