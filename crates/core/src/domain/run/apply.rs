//! How events change what is known of a goal's runs. Structure only, never policy.

use std::collections::BTreeMap;

use crate::domain::event::{
    CheckRun, IterationValidated, RunRefused, RunStarted, RunStopped, RunWaiting,
};
use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::state::CheckSeen;
use crate::domain::line::Origin;
use crate::domain::run::liveness::Machine;
use crate::domain::run::state::{Choices, Counts, Left, Refused, Run, Runs, was_in_vain};
use crate::domain::verdict::{Verdict, tail};

/// The name of the agent's process in the list of failures.
pub const AGENT: &str = "the agent";

/// Most checks whose output is kept, and most bytes of each.
const OUTPUTS: usize = 4;
const OUTPUT: usize = 1024;

impl Runs {
    /// A run began. If it resumes the run that was stopped last, it keeps that run's counts.
    pub(in crate::domain) fn start(&mut self, started: &RunStarted, origin: &Origin<'_>) {
        let before = match &self.closed {
            Some((run, _)) if started.resumes.as_ref() == Some(&run.id) => Some(run.counts.clone()),
            _ => None,
        };
        (self.left, self.refused) = (None, None);
        self.open = Some(Run {
            id: started.run_id.clone(),
            session: origin.session.map(str::to_owned),
            until: started.until,
            agent: started.agent.clone(),
            max_iterations: started.max_iterations,
            deadline: started.deadline.clone(),
            choices: Choices {
                worktree: started.worktree == Some(true),
                commit: started.commit == Some(true),
                plan: started.plan == Some(true),
            },
            started_at: origin.at.to_owned(),
            machine: Machine {
                name: started.machine.clone(),
                key: started.machine_key,
            },
            pid: started.pid,
            heard_at: origin.at.to_owned(),
            uncommitted: None,
            stopped_on: None,
            counts: before.unwrap_or_default(),
        });
    }

    /// The goal has a line of this session.
    pub(in crate::domain) fn hear(&mut self, session: &str, at: &str) {
        let open = self.open.as_mut();
        if let Some(run) = open.filter(|run| run.session.as_deref() == Some(session)) {
            at.clone_into(&mut run.heard_at);
        }
    }

    /// A run was stopped.
    pub(in crate::domain) fn stop(&mut self, stopped: &RunStopped, at: &str) {
        if let Some(mut run) = self.open.take_if(|run| run.id == stopped.run_id) {
            run.uncommitted.clone_from(&stopped.uncommitted);
            run.stopped_on.clone_from(&stopped.head);
            if let Some(last) = stopped.last_turn {
                run.counts.iterations = run.counts.iterations.max(last);
                run.counts.said.clone_from(&stopped.said);
            }
            match was_in_vain(&stopped.cause) {
                Some(true) => self.in_vain = self.in_vain.saturating_add(1),
                Some(false) => self.in_vain = 0,
                None => {}
            }
            self.left = Some(Left {
                id: run.id.clone(),
                cause: stopped.cause.clone(),
                at: at.to_owned(),
                agent: run.agent.clone(),
            });
            self.closed = Some((run, stopped.cause.clone()));
        }
    }

    /// A run was refused before it began.
    pub(in crate::domain) fn refuse(&mut self, refused: &RunRefused, at: &str) {
        // One that is under way is worked.
        if self.open.is_none() {
            self.refused = Some(Refused {
                reason: refused.reason.clone(),
                at: at.to_owned(),
            });
        }
    }

    /// The user changed, answered or resumed something: what was in vain before may not be now.
    pub(in crate::domain) fn renew(&mut self) {
        self.in_vain = 0;
        if let Some(run) = &mut self.open {
            run.counts.reworked = true;
            run.counts.audit_errors = 0;
        }
    }

    /// Somebody works on the goal, or lets it go on.
    pub(in crate::domain) fn be_taken_up(&mut self) {
        (self.left, self.refused) = (None, None);
    }

    /// The user spoke.
    pub(in crate::domain) fn hear_the_user(&mut self) {
        self.in_vain = 0;
        (self.left, self.refused) = (None, None);
        if let Some(run) = &mut self.open {
            run.counts.prompted = true;
        }
    }

    /// An iteration was validated, of this run or not. With `waits` it left the goal waiting for something
    /// outside.
    pub(in crate::domain) fn validate(&mut self, validated: &IterationValidated, waits: bool) {
        if let Some(run) = &mut self.open
            && validated.run_id.as_ref() == Some(&run.id)
        {
            close(&mut run.counts, validated, waits);
        }
    }

    /// The turn made progress.
    pub(in crate::domain) fn progress(&mut self) {
        if let Some(run) = &mut self.open {
            run.counts.progressed = true;
        }
    }

    /// A check ran.
    pub(in crate::domain) fn check(&mut self, check: &CheckRun) {
        let Some(run) = &mut self.open else { return };
        let outputs = &mut run.counts.outputs;
        outputs.remove(&check.name);
        if let (false, Some(output)) = (check.pass, &check.output)
            && outputs.len() < OUTPUTS
        {
            outputs.insert(check.name.clone(), tail(output, OUTPUT));
        }
    }

    /// A program cannot work now.
    pub(in crate::domain) fn wait(&mut self, waiting: &RunWaiting) {
        if let Some(run) = self.open.as_mut().filter(|run| run.id == waiting.run_id) {
            run.counts.waits = run.counts.waits.saturating_add(1);
            // A moment that the host names is no try in vain.
            if waiting.until.is_none() {
                run.counts.waited = run.counts.waited.saturating_add(waiting.seconds);
            }
        }
    }

    /// The goal was evaluated; with `is_best` its score is above all earlier ones.
    pub(in crate::domain) fn evaluate(&mut self, is_best: bool) {
        if let Some(run) = &mut self.open {
            run.counts.evaluated = true;
            run.counts.progressed |= is_best;
        }
    }

    /// An auditor gave a verdict; `objected` names its objections ([`super::alike::objected`]). Objections
    /// are compared where the agent said that the goal is done: it asked (`is_agents`), or it promised.
    pub(in crate::domain) fn judge(
        &mut self,
        verdict: Verdict,
        objected: Option<String>,
        is_agents: bool,
    ) {
        let Some(run) = &mut self.open else { return };
        let counts = &mut run.counts;
        counts.audit_errors = match verdict {
            Verdict::Error => counts.audit_errors.saturating_add(1),
            _ => 0,
        };
        if verdict != Verdict::Error {
            (counts.waits, counts.waited) = (0, 0);
        }
        match verdict {
            Verdict::Disapproved if !is_agents && !counts.promised => {}
            Verdict::Disapproved => {
                let objection = objected.unwrap_or_default();
                let before = counts.objection.replace(objection.clone());
                let alike = before.is_some_and(|it| it == objection || !counts.reworked);
                counts.objections = match alike {
                    true => counts.objections.saturating_add(1),
                    false => 1,
                };
                counts.reworked = false;
            }
            Verdict::Approved => (counts.objections, counts.objection) = (0, None),
            // Nobody said anything of the work.
            Verdict::Error => {}
        }
    }
}

/// One more iteration is over. One that ended in a wait (`waits`) was not in vain.
fn close(counts: &mut Counts, validated: &IterationValidated, waits: bool) {
    counts.iterations = counts.iterations.saturating_add(1);
    let checks = validated.checks.clone().unwrap_or_default();
    let reworked = validated.changed == Some(true)
        || checks.iter().any(|(name, seen)| {
            let before = counts.checks.get(name);
            // The output of a check that passes says nothing about the work.
            before.is_some_and(|before| before.pass != seen.pass || (!seen.pass && before != seen))
        });
    let came_of_it = counts.progressed;
    let progressed = came_of_it || reworked;
    counts.reworked |= reworked || validated.changed.is_none();
    // If the files cannot be looked at, it is unknown whether the work changed.
    let unknown = validated.checks.is_some() && validated.changed.is_none();
    let in_vain = !progressed && !unknown && !waits;
    counts.progressed = false;
    (counts.waits, counts.waited) = (0, 0);
    counts.empty = match progressed {
        true => 0,
        false => counts.empty.saturating_add(u32::from(in_vain)),
    };
    let failing = failing(validated);
    // What a check wrote is compared above, without what differs each time it runs.
    let alike = match validated.checks.is_some() {
        true => failing.keys().eq(counts.failing.keys()),
        false => failing == counts.failing,
    };
    counts.failures = match (failing.is_empty(), alike && !progressed && !unknown) {
        (true, _) => 0,
        (false, true) => counts.failures.saturating_add(u32::from(in_vain)),
        (false, false) => 1,
    };
    counts.failing = failing;
    counts.said.clone_from(&validated.said);
    counts.uncommitted.clone_from(&validated.uncommitted);
    counts.promised = validated.promise.as_deref() == Some(Signal::Complete.name());
    if validated.checks.is_some() {
        let is_same = outputs(&checks).eq(outputs(&counts.checks));
        counts.same_outputs = match (outputs(&checks).next(), is_same) {
            (None, _) => 0,
            (Some(_), true) if !came_of_it => counts.same_outputs.saturating_add(u32::from(!waits)),
            (Some(_), _) => 1,
        };
        counts.checks = checks;
    }
}

/// Each check that fails, with what it wrote.
fn outputs(checks: &BTreeMap<String, CheckSeen>) -> impl Iterator<Item = (&String, &CheckSeen)> {
    checks.iter().filter(|(_, seen)| !seen.pass)
}

/// What failed: the rules, and the agent where its process did not end well.
fn failing(validated: &IterationValidated) -> BTreeMap<String, String> {
    let rules = validated.results.iter().filter(|(_, result)| !result.pass);
    let rules = rules.map(|(rule, result)| (format!("rule {rule}"), result.message.clone()));
    let agent = validated.agent.iter();
    rules
        .chain(agent.map(|ended| (AGENT.to_owned(), ended.clone())))
        .collect()
}

#[cfg(test)]
mod tests;
