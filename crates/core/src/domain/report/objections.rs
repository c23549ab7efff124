//! The objections that came back, of the goals that a report tells of.

use crate::domain::objections::{self, AuditOfWork, AuditedGoal, CameBack};
use crate::domain::report::document::GoalReport;

/// The objections to these goals that came back, the most frequent first.
pub fn came_back(goals: &[GoalReport]) -> Vec<CameBack> {
    let mut all: Vec<CameBack> = goals.iter().flat_map(of_goal).collect();
    objections::most_frequent_first(&mut all);
    all
}

fn of_goal(goal: &GoalReport) -> impl Iterator<Item = CameBack> {
    let audits = goal.audits.iter().filter_map(|audit| {
        let at = audit.ended_at.as_ref().unwrap_or(&audit.at);
        AuditOfWork::of(at, audit.verdict?, &audit.report)
    });
    let audited = AuditedGoal {
        goal_id: &goal.goal_id,
        title: &goal.title,
        criteria: &goal.contract.success_criteria,
        ended_at: goal.ended_at.as_deref(),
    };
    objections::came_back(audited, audits)
}
