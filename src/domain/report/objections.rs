//! Objections that came back: criteria that more than one audit of a goal objected to.

use crate::domain::report::document::{AuditReport, CameBack, GoalReport};
use crate::domain::verdict::Verdict;

/// Which of these criteria an objection names: those whose words stand in its report, whatever
/// their case. An auditor is asked to name the criterion that it found unmet.
pub fn named(criteria: &[String], report: &str) -> Vec<usize> {
    let report = folded(report);
    let named = criteria.iter().enumerate().filter(|(_, criterion)| {
        let criterion = folded(criterion);
        !criterion.is_empty() && report.contains(&criterion)
    });
    named.map(|(at, _)| at).collect()
}

/// In lower case, with single spaces.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The criteria of these goals that came back, the most frequent first.
pub fn came_back(goals: &[GoalReport]) -> Vec<CameBack> {
    let mut all: Vec<CameBack> = goals.iter().flat_map(of_goal).collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.at.len()));
    all
}

fn of_goal(goal: &GoalReport) -> impl Iterator<Item = CameBack> {
    let criteria = goal.contract.success_criteria.iter().enumerate();
    criteria.filter_map(|(at, criterion)| {
        let names = |audit: &&AuditReport| {
            audit.verdict == Some(Verdict::Disapproved) && audit.criteria.contains(&at)
        };
        let times = goal.audits.iter().filter(names);
        let times = times.map(|audit| audit.ended_at.clone().unwrap_or_else(|| audit.at.clone()));
        let times: Vec<String> = times.collect();
        (times.len() > 1).then(|| CameBack {
            goal_id: goal.goal_id.clone(),
            title: goal.title.clone(),
            criterion: criterion.clone(),
            at: times,
            settled_at: goal.audited.and(goal.ended_at.clone()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_is_named_by_its_words() {
        let criteria = ["Two servers share one count", "", "a test"].map(str::to_owned);
        let report = "1. `two servers\n share  one COUNT`: nothing changed";
        assert_eq!(named(&criteria, report), [0]);
        assert_eq!(named(&criteria, "A test is missing"), [2]);
        assert!(named(&criteria, "").is_empty());
    }
}
