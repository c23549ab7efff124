//! Events of iterations.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::domain::event::text::{about, after};
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::state::{CheckSeen, IterationOutcome, RuleResult};
use crate::domain::line::Origin;
use crate::domain::wire::lenient::{self, plain};

plain! {
    /// A loop of tries began.
    #[derive(Default)]
    IterationStarted {
        iteration_id: String,
        completion_promises: Vec<String>,
        rules: Vec<String>,
        ;
        task_id: String,
        max_iterations: u64,
        /// How long one iteration may take; more is said, and stops nothing.
        timeout_ms: u64,
        /// The goal's checks that passed when a run began this checkpoint, or the goal as a whole.
        passing: Vec<String>,
    }
    /// The rules were run.
    #[derive(Default)]
    IterationValidated {
        iteration_id: String,
        /// From 1; from 0 in a loop whose first validation has 0, as earlier versions wrote it.
        #[serde(deserialize_with = "lenient::count")]
        iteration: u64,
        results: BTreeMap<String, RuleResult>,
        ;
        /// What it comes to.
        signal: String,
        /// In a run, what the agent promised, `COMPLETE` or `BLOCKED`, whatever came of it.
        promise: String,
        /// The run that it was an iteration of.
        run_id: String,
        /// How the agent's process ended, where it did not end well.
        agent: String,
        /// In a run, every check that ran: the rules, and the checks of the goal.
        checks: BTreeMap<String, CheckSeen>,
        /// In a run, whether the agent's turn changed a file or made a commit.
        changed: bool,
        /// In a run, the agent's last words: the end of what it wrote.
        said: String,
        /// In a run that makes commits, why what is changed is not committed.
        uncommitted: String,
        /// The work tree's commit, and whether it is dirty.
        head: String,
        dirty: bool,
    }
    /// The next try began.
    IterationAdvanced {
        iteration_id: String,
        /// In the numbers of its loop.
        #[serde(deserialize_with = "lenient::count")]
        iteration: u64,
        ;
        learned: String,
    }
    /// The loop ended.
    IterationCompleted {
        iteration_id: String,
        outcome: IterationOutcome,
        summary: String,
        /// The last one that was validated, in the numbers of its loop.
        #[serde(deserialize_with = "lenient::count")]
        total_iterations: u64,
        #[serde(deserialize_with = "lenient::count")]
        elapsed_ms: u64,
    }
}

impl IterationStarted {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.iterations.start(self, origin.at);
        if self.task_id.is_none() {
            goal.gate.claimed = false;
        }
        if let Some(passing) = &self.passing {
            goal.see_checks(|name| !passing.contains(name));
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let most = self.max_iterations.map(|most| format!("at most {most}"));
        about(&self.iteration_id, most.as_deref())
    }
}

impl IterationValidated {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        // The run that it belongs to may go on behind the goal's end.
        if goal.status.is_open() {
            goal.iterations.validate(self);
            if let Some(checks) = &self.checks
                && !goal.contract.checks.is_empty()
            {
                let is_sign = self.signal.as_deref() == Some(Signal::Complete.name());
                goal.gate.claimed = self.shows_all(checks, goal)
                    && match self.is_of_task(goal) {
                        true => goal.gate.check_failed,
                        false => is_sign,
                    };
                goal.see_checks(|name| checks.get(name).is_some_and(|seen| !seen.pass));
            }
        }
        let waits = goal.waits_for().is_some();
        goal.runs.validate(self, waits);
    }

    /// Whether all checks of the goal passed, and where it was worked as a whole every rule too. An
    /// agent that ended badly has shown nothing.
    fn shows_all(&self, checks: &BTreeMap<String, CheckSeen>, goal: &Goal) -> bool {
        let passed = |name: &String| checks.get(name).is_some_and(|seen| seen.pass);
        let rules = || self.results.values().all(|result| result.pass);
        let all = goal.contract.checks.iter().all(passed);
        self.agent.is_none() && all && (self.is_of_task(goal) || rules())
    }

    /// Whether a checkpoint was worked, and not the goal as a whole.
    fn is_of_task(&self, goal: &Goal) -> bool {
        let mut open = goal.iterations.open.iter();
        open.any(|it| it.id == self.iteration_id && it.task.is_some())
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let failed = self.results.iter().filter(|(_, result)| !result.pass);
        let failed: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
        let outcome = match (self.results.is_empty(), failed.is_empty()) {
            (true, _) => "no rules".to_owned(),
            (false, true) => "all rules pass".to_owned(),
            (false, false) => format!("failed: {}", failed.join(", ")),
        };
        let (id, number) = (&self.iteration_id, self.iteration);
        let signal = after(", ", self.signal.as_deref());
        format!("{id} #{number}: {outcome}{signal}").into()
    }
}

impl IterationAdvanced {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        if goal.iterations.advance(self, origin.at) {
            goal.progress.tick();
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let learned = after(": ", self.learned.as_deref());
        format!("{} #{}{learned}", self.iteration_id, self.iteration).into()
    }
}

impl IterationCompleted {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        let agent = goal.runs.open.as_ref().map(|run| run.agent.as_str());
        if goal.iterations.complete(self, origin.at, agent) {
            goal.progress.tick();
        }
        // Whoever iterates on the goal as a whole says that it is done.
        let over = goal.iterations.over(&self.iteration_id);
        let whole = over.is_some_and(|it| it.task.is_none());
        goal.gate.claimed |= whole && self.outcome == IterationOutcome::Success;
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.iteration_id, Some(&self.summary))
    }
}
