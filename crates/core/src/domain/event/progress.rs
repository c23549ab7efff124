//! Events of progress: baseline, evaluations, escalations, agenda.

use std::borrow::Cow;

use crate::domain::event::text::count;
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::{AgendaStep, Baseline, Escalation, Evaluation};
use crate::domain::wire::lenient::plain;

plain! {
    /// How things stood when the goal was created; only progress since counts.
    BaselineCaptured { text: String, ; command: String, }
    /// An evaluation. A score suggests, it never completes.
    ProgressEvaluated {
        score: Score,
        gap_analysis: String,
        should_escalate: bool,
        ;
        reasoning: String,
        /// `evaluator` where that role was asked, nothing where somebody gave the score.
        source: String,
    }
    /// A new plan was called for.
    GoalEscalated { reason: String, score_before: Score, }
    /// The goal turned out harder than it was taken to be.
    DifficultyUpgraded { from: Difficulty, to: Difficulty, }
    /// One extra escalation was granted.
    RunwayGranted { }
    /// The agent's own list of steps.
    AgendaSet { steps: Vec<AgendaStep>, }
}

impl BaselineCaptured {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.progress.baseline = Some(Baseline {
            text: self.text.clone(),
            command: self.command.clone(),
            at: origin.at.to_owned(),
        });
    }
}

impl ProgressEvaluated {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        let evaluation = Evaluation {
            score: self.score,
            gap_analysis: self.gap_analysis.clone(),
            should_escalate: self.should_escalate,
            reasoning: self.reasoning.clone(),
            source: self.source.clone(),
            by: origin.by,
            at: origin.at.to_owned(),
        };
        let best = goal.progress.history.scores().map(Score::units).max();
        goal.runs
            .evaluate(best.is_some_and(|best| self.score.units() > best));
        goal.progress.evaluate(evaluation, &goal.tasks);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}: {}", self.score, self.gap_analysis).into()
    }
}

impl GoalEscalated {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.progress.escalations.begin(self.score_before);
        goal.progress.escalated = Some(Escalation {
            reason: self.reason.clone(),
            score_before: self.score_before,
            score_after: None,
            at: origin.at.to_owned(),
        });
    }
}

impl DifficultyUpgraded {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.progress.upgrade(self.to);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{} to {}", self.from.name(), self.to.name()).into()
    }
}

impl RunwayGranted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.progress.grant_runway();
    }
}

impl AgendaSet {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.progress.agenda.clone_from(&self.steps);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let open = self.steps.iter().filter(|step| !step.done).count();
        let steps = count(self.steps.len() as u64, "step");
        format!("{steps}, {open} open").into()
    }
}
