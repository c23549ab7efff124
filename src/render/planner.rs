//! What a planner is given: the goal or task to decompose, with what surrounds it. Pure.

use crate::domain::goal::state::Goal;
use crate::domain::procedure::offer;
use crate::domain::procedure::rank::Ranked;
use crate::domain::task::order::stack;
use crate::domain::task::plan::{
    CheckpointsWanted, KeptTask, PlanContext, PlanProgress, PlanRequest, PlanTier, PlannerInput,
    Revision, kept,
};
use crate::domain::task::spec::{Limits, TaskSpec};
use crate::domain::task::statuses::TaskStatuses;
use crate::render::task::{LISTED, TITLE, evidence};
use crate::render::text::short;

/// Most procedures that a planner is shown.
const PROCEDURES: usize = 5;

const INSTRUCTIONS: &str = include_str!("prompts/plan.md");

/// The name by which planners and procedures know what is planned: the task's title, or the
/// goal's objective.
pub fn gloss<'a>(goal: &'a Goal, task: Option<&str>) -> &'a str {
    let task = task.and_then(|id| goal.tasks.find(id));
    task.map_or(&goal.contract.objective, |task| &task.title)
}

/// The procedures that a planner is shown, of ranked ones: those with a common word.
pub fn offered<'a, 'b>(ranked: &'a [Ranked<'b>]) -> impl Iterator<Item = &'a Ranked<'b>> {
    let relevant = ranked.iter().filter(|it| it.score > 0.0);
    relevant.take(PROCEDURES)
}

/// What a planner is to know. `procedures` are ranked.
pub fn input(
    goal: &Goal,
    wanted: &PlanRequest,
    procedures: &[Ranked<'_>],
    limits: &Limits,
) -> PlannerInput {
    let tasks = &goal.tasks;
    let task = wanted.task.as_deref();
    let path = task.map(|id| tasks.path(id)).unwrap_or_default();
    let above = path
        .split_last()
        .map(|(_, above)| above)
        .unwrap_or_default();
    let above = above.iter().filter_map(|id| tasks.find(id));
    let contract = &goal.contract;
    let (fewest, most) = limits.checkpoints;
    PlannerInput {
        instructions: INSTRUCTIONS.trim_end().to_owned(),
        gloss: gloss(goal, task).to_owned(),
        evidence: evidence(tasks, &path),
        context: PlanContext {
            goal_id: goal.id.to_string(),
            objective: contract.objective.clone(),
            success_criteria: contract.success_criteria.clone(),
            boundaries: contract.boundaries.clone(),
            constraints: contract.constraints.clone(),
            task_id: wanted.task.clone(),
            above: above.map(|task| task.title.clone()).collect(),
            levels_left: limits.depth.saturating_sub(path.len()),
            most_open: limits.open,
        },
        procedures: offered(procedures)
            .map(|it| offer(it.procedure, it.score))
            .collect(),
        revise: wanted
            .revise
            .as_deref()
            .map(|reason| revision(goal, task, reason)),
        checkpoints: wanted
            .checkpoints
            .then_some(CheckpointsWanted { fewest, most }),
        tier: wanted.escalated.then_some(PlanTier::Escalated),
        progress: progress(goal),
        agenda: goal.progress.agenda.clone(),
    }
}

fn progress(goal: &Goal) -> Option<PlanProgress> {
    let progress = &goal.progress;
    let latest = progress.latest.as_ref()?;
    Some(PlanProgress {
        baseline: progress.baseline.as_ref().map(|it| it.text.clone()),
        scores: progress.history.scores().collect(),
        gap_analysis: latest.gap_analysis.clone(),
    })
}

fn revision(goal: &Goal, task: Option<&str>, reason: &str) -> Revision {
    let tasks = &goal.tasks;
    let standing = TaskStatuses::of(tasks);
    let parent = task.and_then(|id| tasks.find(id));
    let specs = parent.map_or(&tasks.specs, |task| &task.tasks);
    let named = |task: &TaskSpec| KeptTask {
        id: task.id.clone(),
        title: short(&task.title, TITLE),
    };
    let below = |id: &str| parent.is_none_or(|it| it.id != id && tasks.path(id).contains(&&*it.id));
    let kept = kept(specs, &standing);
    let open = stack(tasks, &standing).into_iter().map(|frame| frame.task);
    let dropped: Vec<&TaskSpec> = open.filter(|task| below(&task.id)).collect();
    // As many as a prompt lists: a goal can have thousands of tasks.
    let more = |all: usize| all.checked_sub(LISTED).filter(|more| *more > 0);
    let earlier = kept.len().saturating_sub(LISTED);
    Revision {
        reason: reason.to_owned(),
        kept: kept.iter().skip(earlier).map(named).collect(),
        kept_not_listed: more(kept.len()),
        dropped_not_listed: more(dropped.len()),
        dropped: dropped.into_iter().take(LISTED).map(named).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::render::testing::tasks;

    #[test]
    fn a_revision_lists_as_many_tasks_as_a_prompt() {
        let mut goal = Goal::implicit("a".parse().unwrap(), 0, "");
        goal.tasks = tasks(3_000, |n| if n < 1_000 { 'c' } else { 'o' });
        let many = serde_json::to_value(revision(&goal, None, "r")).unwrap();
        let ids = |field: &str| {
            let listed = many[field].as_array().unwrap();
            let id = |at: usize| listed[at]["id"].as_str().unwrap().to_owned();
            (listed.len(), id(0), id(listed.len() - 1))
        };
        assert_eq!(ids("kept"), (50, "t950".into(), "t999".into()));
        assert_eq!(ids("dropped"), (50, "t1000".into(), "t1049".into()));
        assert_eq!(many["keptNotListed"], 950);
        assert_eq!(many["droppedNotListed"], 1_950);
        assert!(many.to_string().len() < 25_000);
        // Of few none is left out, and nothing says so.
        goal.tasks = tasks(3, |_| 'c');
        let few = serde_json::to_value(revision(&goal, None, "r")).unwrap();
        assert_eq!(few["keptNotListed"], Value::Null);
        assert_eq!(few["kept"].as_array().unwrap().len(), 3);
        assert_eq!(few["dropped"], json!([]));
    }
}
