//! How events change what is known of a goal's runs. Structure only, never policy.

use std::collections::BTreeMap;

use crate::domain::actor::Actor;
use crate::domain::event::{IterationValidated, RunStarted, RunStopped};
use crate::domain::origin::Origin;
use crate::domain::run::state::{Counts, Run, Runs};

impl Runs {
    /// A run began. One that goes on with a run that was stopped last goes on with its counts.
    pub(in crate::domain) fn start(&mut self, started: &RunStarted, origin: &Origin<'_>) {
        let before = match &self.closed {
            Some((run, _)) if started.resumes.as_ref() == Some(&run.id) => Some(run.counts.clone()),
            _ => None,
        };
        self.open = Some(Run {
            id: started.run_id.clone(),
            session: origin.session.map(str::to_owned),
            until: started.until,
            agent: started.agent.clone(),
            max_iterations: started.max_iterations,
            started_at: origin.at.to_owned(),
            counts: before.unwrap_or_default(),
        });
    }

    /// A run was stopped.
    pub(in crate::domain) fn stop(&mut self, stopped: &RunStopped) {
        if let Some(run) = self.open.take_if(|run| run.id == stopped.run_id) {
            self.closed = Some((run, stopped.cause.clone()));
        }
    }

    /// The user spoke.
    pub(in crate::domain) fn hear_the_user(&mut self) {
        if let Some(run) = &mut self.open {
            run.counts.prompted = true;
        }
    }

    /// An iteration was validated, of this run or not.
    pub(in crate::domain) fn validate(&mut self, validated: &IterationValidated) {
        if let Some(run) = &mut self.open
            && validated.run_id.as_ref() == Some(&run.id)
        {
            close(&mut run.counts, validated);
        }
    }

    /// An event showed that the turn was not empty. What the runner records of its own accord is no
    /// progress of the agent's.
    pub(in crate::domain) fn progress(&mut self, by: Option<Actor>) {
        if let Some(run) = &mut self.open {
            run.counts.progressed |= by != Some(Actor::System);
        }
    }
}

/// One more iteration is over.
fn close(counts: &mut Counts, validated: &IterationValidated) {
    counts.iterations = counts.iterations.saturating_add(1);
    counts.empty = match counts.progressed {
        true => 0,
        false => counts.empty.saturating_add(1),
    };
    counts.progressed = false;
    let failing = failing(validated);
    counts.failures = match (failing.is_empty(), failing == counts.failing) {
        (true, _) => 0,
        (false, true) => counts.failures.saturating_add(1),
        (false, false) => 1,
    };
    counts.failing = failing;
}

/// What failed: the rules, and the agent where its process did not end well.
fn failing(validated: &IterationValidated) -> BTreeMap<String, String> {
    let rules = validated.results.iter().filter(|(_, result)| !result.pass);
    let rules = rules.map(|(rule, result)| (format!("rule {rule}"), result.message.clone()));
    let agent = validated.agent.iter();
    rules
        .chain(agent.map(|ended| ("the agent".to_owned(), ended.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::causal::Seat;
    use crate::domain::event::{Envelope, Event, Payload};
    use crate::domain::goal::apply::apply;
    use crate::domain::goal::state::Goal;
    use crate::domain::line::LineRef;

    fn event(by: Actor, name: &str, fields: &str) -> Event {
        Event {
            goal_id: None,
            payload: Payload::decode(name, fields).unwrap(),
            at: "2026-01-01T00:00:00.000Z".into(),
            envelope: Envelope {
                by: Some(by),
                ..Envelope::default()
            },
        }
    }

    /// Records an event of the goal.
    fn record(runs: &mut Runs, event: &Event) {
        let mut goal = Goal::implicit("a".parse().unwrap(), 0, "t");
        std::mem::swap(&mut goal.runs, runs);
        apply(&mut goal, event, Seat::of(LineRef::START, None));
        *runs = goal.runs;
    }

    const STARTED: &str = r#"{"runId":"r","until":"goal","agent":"a","maxIterations":9}"#;

    fn started() -> Runs {
        let mut runs = Runs::default();
        record(&mut runs, &event(Actor::System, "run_started", STARTED));
        runs
    }

    fn validated(runs: &mut Runs, run: &str, results: &str, agent: &str) {
        let fields = format!(
            r#"{{"iterationId":"i","iteration":0,"results":{results},"runId":"{run}"{agent}}}"#
        );
        record(runs, &event(Actor::System, "iteration_validated", &fields));
    }

    fn counts(runs: &Runs) -> (u64, u32, u32) {
        let counts = &runs.open.as_ref().unwrap().counts;
        (counts.iterations, counts.empty, counts.failures)
    }

    #[test]
    fn only_what_others_record_is_progress() {
        let mut runs = started();
        let note = r#"{"note":"n"}"#;
        validated(&mut runs, "r", "{}", "");
        record(&mut runs, &event(Actor::System, "goal_noted", note));
        validated(&mut runs, "r", "{}", "");
        assert_eq!(counts(&runs), (2, 2, 0));
        record(&mut runs, &event(Actor::Agent, "goal_noted", note));
        validated(&mut runs, "r", "{}", "");
        assert_eq!(counts(&runs), (3, 0, 0));
        record(
            &mut runs,
            &event(Actor::Agent, "completion_requested", "{}"),
        );
        validated(&mut runs, "r", "{}", "");
        // Another program's loop, or an earlier run's, is not this run's.
        validated(&mut runs, "another", "{}", "");
        assert_eq!(counts(&runs), (4, 1, 0));
    }

    #[test]
    fn failures_are_counted_while_they_are_the_same() {
        let mut runs = started();
        let failing = |message: &str| format!(r#"{{"t":{{"pass":false,"message":"{message}"}}}}"#);
        let passing = r#"{"t":{"pass":true,"message":"fine"}}"#;
        for (results, agent, expected) in [
            (failing("1 of 2"), "", 1),
            (failing("1 of 2"), "", 2),
            (failing("2 of 2"), "", 1),
            (passing.to_owned(), "", 0),
            (passing.to_owned(), r#","agent":"exit status 1""#, 1),
            (passing.to_owned(), r#","agent":"exit status 1""#, 2),
            (failing("x"), r#","agent":"exit status 1""#, 1),
        ] {
            validated(&mut runs, "r", &results, agent);
            assert_eq!(counts(&runs).2, expected, "{results} {agent}");
        }
    }

    #[test]
    fn a_run_that_is_gone_on_with_keeps_its_counts() {
        let mut runs = started();
        validated(&mut runs, "r", "{}", "");
        let stop = |runs: &mut Runs, id: &str| {
            let fields = format!(r#"{{"runId":"{id}","cause":"crashed"}}"#);
            record(runs, &event(Actor::System, "run_stopped", &fields));
        };
        // What another run is said to have come to is not said of this one.
        stop(&mut runs, "another");
        assert!(runs.open.is_some());
        stop(&mut runs, "r");
        assert!(runs.open.is_none());
        let again = r#"{"runId":"r2","until":"goal","agent":"a","resumes":"r"}"#;
        record(&mut runs, &event(Actor::System, "run_started", again));
        assert_eq!(counts(&runs), (1, 1, 0));
        stop(&mut runs, "r2");
        record(&mut runs, &event(Actor::System, "run_started", STARTED));
        assert_eq!(counts(&runs), (0, 0, 0));
    }
}
