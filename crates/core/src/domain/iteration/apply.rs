//! How events change a goal's iterations. Structure only: what makes no sense changes nothing.

use crate::domain::event::{
    IterationAdvanced, IterationCompleted, IterationStarted, IterationValidated,
};
use crate::domain::goal::push_bounded;
use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::state::{
    ENDED, Ended, IterationOutcome, Iterations, LEARNED, OPEN, Open, Validation, counted,
};

/// Most bytes of one text of what was learned that are kept at hand.
const TEXT: usize = 2048;

impl Iterations {
    /// A second start with an id that is open changes nothing; merged branches may bring one.
    pub(in crate::domain) fn start(&mut self, started: &IterationStarted, at: &str) {
        if self.open.iter().any(|it| it.id == started.iteration_id) {
            return;
        }
        if self.open.len() >= OPEN {
            self.open.remove(0);
        }
        self.open.push(Open {
            id: started.iteration_id.clone(),
            task: started.task_id.clone(),
            most: started.max_iterations,
            promises: started.completion_promises.clone(),
            rules: started.rules.clone(),
            timeout_ms: started.timeout_ms,
            passing: started.passing.clone().unwrap_or_default(),
            started_at: at.to_owned(),
            since: at.to_owned(),
            ..Open::default()
        });
    }

    /// The rules were run.
    pub(in crate::domain) fn validate(&mut self, validated: &IterationValidated) {
        let Iterations { open, tally, .. } = self;
        let Some(open) = open.iter_mut().find(|it| it.id == validated.iteration_id) else {
            return;
        };
        for (rule, result) in &validated.results {
            tally.ran(rule, result.pass);
            if result.pass {
                continue;
            }
            let count = open.failures.entry(rule.clone()).or_default();
            *count = count.saturating_add(1);
        }
        // Rules that were not run this time are those of another program, or of another day.
        open.failures
            .retain(|rule, _| validated.results.contains_key(rule));
        // What was tried before the first `next` is iteration 1. Earlier versions wrote 0 for it: the
        // lines of such a loop are one behind.
        open.from_zero |= (open.current, validated.iteration) == (0, 0);
        let number = counted(validated.iteration, open.from_zero);
        if (open.current, number) == (0, 1) {
            open.current = 1;
        }
        open.latest = Some(Validation {
            iteration: number,
            results: validated.results.clone(),
            signal: validated.signal.as_deref().and_then(Signal::named),
        });
    }

    /// The next try began. Says whether there was one before it, which is over.
    pub(in crate::domain) fn advance(&mut self, advanced: &IterationAdvanced, at: &str) -> bool {
        let mut all = self.open.iter_mut();
        let Some(open) = all.find(|it| it.id == advanced.iteration_id) else {
            return false;
        };
        if let Some(learned) = &advanced.learned {
            let kept = learned[..learned.floor_char_boundary(TEXT)].to_owned();
            push_bounded(&mut open.learned, (open.current, kept), LEARNED);
        }
        let tried = open.current > 0;
        open.current = counted(advanced.iteration, open.from_zero);
        open.since = at.to_owned();
        tried
    }

    /// A loop ended, while a run with this agent was under way, if any was. Says whether there was
    /// a loop.
    pub(in crate::domain) fn complete(
        &mut self,
        completed: &IterationCompleted,
        at: &str,
        agent: Option<&str>,
    ) -> bool {
        let mut all = self.open.iter();
        // An end without its beginning, or a second one, counts for nothing.
        let Some(place) = all.position(|it| it.id == completed.iteration_id) else {
            return false;
        };
        let open = self.open.remove(place);
        let total = counted(completed.total_iterations, open.from_zero);
        let ended = Ended {
            id: open.id,
            task: open.task,
            most: open.most,
            outcome: completed.outcome,
            summary: completed.summary.clone(),
            total_iterations: match completed.outcome {
                // Earlier versions wrote 0 for what succeeded at once.
                IterationOutcome::Success => total.max(1),
                _ => total,
            },
            from_zero: open.from_zero,
            elapsed_ms: completed.elapsed_ms,
        };
        self.tally.end(&ended, at, agent);
        push_bounded(&mut self.ended, ended, ENDED);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Payload;
    use crate::domain::goal::state::Goal;
    use crate::domain::iteration::stats::IterationStats;

    fn applied(events: &[(&str, String)]) -> Iterations {
        let events = events.iter();
        let events = events.map(|(name, fields)| Payload::decode(name, fields).unwrap());
        let goal = Goal::implicit("a".parse().unwrap(), 0, "t");
        goal.after(&events.collect::<Vec<_>>()).iterations
    }

    fn started(id: &str) -> (&'static str, String) {
        let rest = r#""completionPromises":[],"rules":["lint"],"maxIterations":3"#;
        (
            "iteration_started",
            format!(r#"{{"iterationId":"{id}",{rest}}}"#),
        )
    }

    fn validated(id: &str, pass: bool) -> (&'static str, String) {
        validated_as(id, 1, pass)
    }

    fn validated_as(id: &str, number: u64, pass: bool) -> (&'static str, String) {
        let results = format!(r#"{{"lint":{{"pass":{pass},"message":"m"}}}}"#);
        let signal = if pass { r#","signal":"COMPLETE""# } else { "" };
        let fields =
            format!(r#"{{"iterationId":"{id}","iteration":{number},"results":{results}{signal}}}"#);
        ("iteration_validated", fields)
    }

    fn advanced(id: &str, iteration: u64) -> (&'static str, String) {
        let fields = format!(r#""iteration":{iteration},"learned":"l{iteration}""#);
        (
            "iteration_advanced",
            format!(r#"{{"iterationId":"{id}",{fields}}}"#),
        )
    }

    fn completed(id: &str) -> (&'static str, String) {
        completed_after(id, 2)
    }

    fn completed_after(id: &str, total: u64) -> (&'static str, String) {
        let rest = r#""outcome":"success","summary":"s","elapsedMs":10"#;
        (
            "iteration_completed",
            format!(r#"{{"iterationId":"{id}","totalIterations":{total},{rest}}}"#),
        )
    }

    /// What the stats say of one loop: iterations to its success.
    fn to_success(all: &Iterations) -> f64 {
        let stats = IterationStats::of(&all.tally, 0, Vec::new());
        stats.iterations_to_success.unwrap()
    }

    #[test]
    fn what_is_tried_after_a_start_is_iteration_1() {
        let one = applied(&[started("i"), validated("i", false)]);
        assert_eq!((one.open[0].current, one.open[0].validated()), (1, 1));
        // Whoever calls `next` first begins the same one.
        let begun = applied(&[started("i"), advanced("i", 1), validated("i", false)]);
        assert_eq!((begun.open[0].current, begun.open[0].validated()), (1, 1));
        let three = applied(&[
            started("i"),
            validated("i", false),
            advanced("i", 2),
            validated_as("i", 2, false),
            advanced("i", 3),
            validated_as("i", 3, true),
            completed_after("i", 3),
        ]);
        assert_eq!(to_success(&three), 3.0);
        assert_eq!(three.ended[0].total_iterations, 3);
    }

    /// Their first try has the number 0 where `next` did not come first, which the runner never did.
    #[test]
    fn lines_of_earlier_versions_are_counted_from_1_too() {
        let begun = [started("i"), validated_as("i", 0, false), advanced("i", 1)];
        let open = &applied(&begun).open[0];
        assert_eq!((open.current, open.validated()), (2, 1));
        assert!(!open.is_proved() && !open.is_last(), "a third is to come");
        assert_eq!(open.learned, [(1, "l1".to_owned())]);
        let ends = [
            validated_as("i", 1, false),
            advanced("i", 2),
            validated_as("i", 2, true),
            completed_after("i", 2),
        ];
        let over = applied(&[&begun[..], &ends].concat());
        assert_eq!((to_success(&over), over.counted("i", 2)), (3.0, 3));
        let at_once = applied(&[
            started("i"),
            validated_as("i", 0, true),
            completed_after("i", 0),
        ]);
        assert_eq!(to_success(&at_once), 1.0);
        // The agent completed the task itself, so nothing was validated.
        let unseen = applied(&[started("i"), completed_after("i", 0)]);
        assert_eq!(to_success(&unseen), 1.0);
        // With `next` first they counted from 1 then, as now.
        let by_hand = applied(&[
            started("i"),
            advanced("i", 1),
            validated_as("i", 1, true),
            completed_after("i", 1),
        ]);
        assert_eq!(to_success(&by_hand), 1.0);
        // A number that belongs to no iteration of the loop moves nothing.
        let stray = applied(&[started("i"), advanced("i", 1), validated_as("i", 0, true)]);
        assert_eq!(
            (stray.open[0].current, stray.open[0].is_proved()),
            (1, false)
        );
        let stray = applied(&[started("i"), validated_as("i", 7, true)]);
        assert_eq!(
            (stray.open[0].current, stray.open[0].is_proved()),
            (0, false)
        );
    }

    #[test]
    fn a_count_up_outdates_a_validation() {
        let passed = applied(&[started("i"), validated("i", true)]);
        assert!(passed.open[0].is_proved());
        let on = applied(&[started("i"), validated("i", true), advanced("i", 2)]);
        assert!(!on.open[0].is_proved() && !on.open[0].is_last());
        assert_eq!(on.open[0].learned, [(1, "l2".to_owned())]);
        assert!(applied(&[started("i"), advanced("i", 3)]).open[0].is_last());
    }

    #[test]
    fn only_what_is_open_ends_and_only_once() {
        let all = applied(&[
            started("i"),
            started("i"),
            validated("none", false),
            advanced("none", 7),
            completed("none"),
            completed("i"),
            completed("i"),
        ]);
        assert_eq!((all.open.len(), all.ended.len()), (0, 1));
        assert_eq!(IterationStats::of(&all.tally, 0, Vec::new()).success, 1);
        assert!(
            all.find(Some("i"))
                .unwrap_err()
                .to_string()
                .contains("with success")
        );
        assert!(all.over("none").is_none());
    }

    #[test]
    fn strangers_cannot_make_it_grow() {
        let mut events: Vec<_> = (0..1000).map(|id| started(&id.to_string())).collect();
        events.extend((1..100).map(|n| advanced("999", n)));
        events.extend((900..999).map(|id| completed(&id.to_string())));
        let all = applied(&events);
        assert_eq!((all.open.len(), all.ended.len()), (OPEN - 99, ENDED));
        assert_eq!(all.find(Some("999")).unwrap().learned.len(), LEARNED);
        assert!(all.find(None).is_err());
    }
}
