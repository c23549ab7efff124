//! How events change a goal's progress. Structure only, never policy.

use crate::domain::event::{Event, Payload};
use crate::domain::progress::score::Score;
use crate::domain::progress::state::{
    Baseline, Escalation, Evaluation, Progress, Seen, checkpoints,
};
use crate::domain::task::state::Tasks;

/// Applies an event of a goal with these tasks; those that are not about progress change nothing.
pub fn apply(progress: &mut Progress, tasks: &Tasks, event: &Event) {
    match &event.payload {
        Payload::BaselineCaptured(captured) => {
            progress.baseline = Some(Baseline {
                text: captured.text.clone(),
                command: captured.command.clone(),
                at: event.at.clone(),
            });
        }
        Payload::ProgressEvaluated(evaluated) => {
            progress.history.push(evaluated.score);
            progress.escalations.judge(evaluated.score);
            if let Some(escalated) = &mut progress.escalated {
                escalated.score_after.get_or_insert(evaluated.score);
            }
            progress.latest = Some(Evaluation {
                score: evaluated.score,
                gap_analysis: evaluated.gap_analysis.clone(),
                should_escalate: evaluated.should_escalate,
                reasoning: evaluated.reasoning.clone(),
                source: evaluated.source.clone(),
                by: event.envelope.by,
                at: event.at.clone(),
            });
            progress.evaluations = progress.evaluations.saturating_add(1);
            progress.seen = Seen {
                ticks: progress.ticks,
                checkpoints: checkpoints(tasks),
            };
        }
        Payload::GoalEscalated(escalated) => {
            progress.escalations.begin(escalated.score_before);
            progress.escalated = Some(Escalation {
                reason: escalated.reason.clone(),
                score_before: escalated.score_before,
                score_after: None,
                at: event.at.clone(),
            });
        }
        Payload::DifficultyUpgraded(upgraded) => progress.upgraded = Some(upgraded.to),
        Payload::RunwayGranted(_) => progress.runway = true,
        Payload::AgendaSet(set) => progress.agenda.clone_from(&set.steps),
        Payload::IterationAdvanced(_) => progress.ticks = progress.ticks.saturating_add(1),
        Payload::IterationCompleted(ended) if ended.total_iterations == 0 => {
            progress.ticks = progress.ticks.saturating_add(1);
        }
        _ => {}
    }
}

/// The score that an escalation of a goal with this progress has before it.
pub fn score_before(progress: &Progress) -> Score {
    progress.history.latest().unwrap_or(Score::ZERO)
}
