//! What events of other families say of the effort that went into a goal.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::Payload;

/// How much was tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Effort {
    /// Evaluations of progress.
    pub evaluations: u64,
    /// Iterations that began or ended: each is one tick.
    pub ticks: u64,
    /// The extra escalation was granted.
    pub runway_used: bool,
    /// Escalations after which the next evaluation scored higher than before them.
    pub productive_escalations: u64,
    /// Escalations after which it did not.
    pub unproductive_escalations: u64,
}

/// The fold of them: escalations wait for the next evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Efforts {
    effort: Effort,
    /// How many wait, and the score before the first of them.
    waiting: Option<(u64, f64)>,
}

impl Efforts {
    /// What is known so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    pub(super) fn record(&mut self, payload: &Payload) {
        let effort = &mut self.effort;
        match payload {
            Payload::ProgressEvaluated(evaluated) => {
                effort.evaluations += 1;
                let Some((count, before)) = self.waiting.take() else {
                    return;
                };
                match f64::from(evaluated.score) > before {
                    true => effort.productive_escalations += count,
                    false => effort.unproductive_escalations += count,
                }
            }
            Payload::GoalEscalated(escalated) => {
                let (count, _) = self
                    .waiting
                    .get_or_insert((0, escalated.score_before.into()));
                *count += 1;
            }
            Payload::RunwayGranted(_) => effort.runway_used = true,
            Payload::IterationAdvanced(_) | Payload::IterationCompleted(_) => effort.ticks += 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(events: &[(&str, &str)]) -> Effort {
        let mut efforts = Efforts::default();
        for (name, fields) in events {
            efforts.record(&Payload::decode(name, fields).unwrap());
        }
        efforts.effort()
    }

    #[test]
    fn an_escalation_is_productive_when_the_score_rose_after_it() {
        let evaluated = |score: &'static str| ("progress_evaluated", score);
        let low = evaluated(r#"{"score":0.3,"gapAnalysis":"g","shouldEscalate":false}"#);
        let high = evaluated(r#"{"score":0.4,"gapAnalysis":"g","shouldEscalate":false}"#);
        let escalated = ("goal_escalated", r#"{"reason":"stuck","scoreBefore":0.3}"#);
        let effort = of(&[low, escalated, low, escalated, high, escalated]);
        assert_eq!(effort.evaluations, 3);
        assert_eq!(effort.productive_escalations, 1);
        assert_eq!(effort.unproductive_escalations, 1);
        let both = of(&[escalated, escalated, high, ("runway_granted", "{}")]);
        assert_eq!(both.productive_escalations, 2);
        assert!(both.runway_used);
    }
}
