//! What the evaluator is given to judge a goal's progress by. Pure.

use crate::domain::goal::state::Goal;
use crate::domain::progress::ProgressQuestion;
use crate::domain::progress::tick::CHECKPOINTS;
use crate::render::task::{evidence, lines};

const INSTRUCTIONS: &str = include_str!("prompts/evaluate.md");

/// The question about this goal as it is now.
pub fn question(goal: &Goal) -> ProgressQuestion {
    let contract = &goal.contract;
    let progress = &goal.progress;
    let latest = progress.latest.as_ref();
    ProgressQuestion {
        question: "progress",
        instructions: INSTRUCTIONS.trim_end().to_owned(),
        goal_id: goal.id.to_string(),
        objective: contract.objective.clone(),
        success_criteria: contract.success_criteria.clone(),
        progress_signal: contract.progress_signal.clone(),
        failure_signal: contract.failure_signal.clone(),
        completion_condition: contract.completion_condition.clone(),
        baseline: progress.baseline.as_ref().map(|it| it.text.clone()),
        scores: progress.history.scores().collect(),
        gap_analysis: latest.map(|it| it.gap_analysis.clone()),
        evidence: evidence(&goal.tasks, &[]),
        tasks: lines(&goal.tasks),
        notes: goal.notes.iter().map(|note| note.text.clone()).collect(),
        review_plan: goal.progress.checkpoints_since(&goal.tasks) >= CHECKPOINTS,
    }
}
