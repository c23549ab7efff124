//! How a run stands, on one line for a terminal, and what it came to.

use std::time::Duration;

use crate::domain::cost::state::COST_USD;
use crate::domain::goal::state::Goal;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::statuses::TaskStatuses;
use crate::render::amounts::{spent, usd};
use crate::render::columns::fit;
use crate::render::text::one_line;

/// What a run's line shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What is done now, in a word or two.
    pub phase: &'static str,
    /// What is worked on: the current checkpoint's title, else the goal's.
    pub title: String,
    /// How many checkpoints are over, of how many; nothing for a goal without.
    pub checkpoints: Option<(usize, usize)>,
    /// From 1.
    pub iteration: u64,
    pub most: Option<u64>,
    /// From 0 to 1, where the goal was evaluated.
    pub score: Option<f64>,
    /// In US dollars, where it was recorded.
    pub cost: Option<f64>,
}

/// How many cells the bar of checkpoints has.
const CELLS: usize = 10;

impl Bar {
    /// How the goal's open run stands.
    pub fn of(goal: &Goal, phase: &'static str) -> Bar {
        let standing = TaskStatuses::of(&goal.tasks);
        let current = current_checkpoint(&goal.tasks, &standing);
        let specs = &goal.tasks.specs;
        let over = specs.iter().filter(|it| !standing.status(&it.id).is_open());
        let run = goal.runs.open.as_ref();
        Bar {
            phase,
            title: current.map_or_else(
                || goal.contract.heading().to_owned(),
                |task| format!("{} {}", task.id, task.title),
            ),
            checkpoints: (!specs.is_empty()).then(|| (over.count(), specs.len())),
            iteration: run.map_or(0, |run| run.counts.iterations) + 1,
            most: run.and_then(|run| run.max_iterations),
            score: goal.progress.latest.as_ref().map(|it| it.score.into()),
            cost: goal.cost.total.get(COST_USD).map(|it| it.number()),
        }
    }

    /// One line of at most `width` columns, without a line end.
    pub fn line(&self, elapsed: Duration, width: usize) -> String {
        let mut parts = Vec::new();
        if let Some((over, all)) = self.checkpoints {
            let filled = CELLS * over / all.max(1);
            let cells = format!("{}{}", "█".repeat(filled), "░".repeat(CELLS - filled));
            parts.push(format!("{cells} {over}/{all}"));
        }
        let most = self.most.map(|most| format!("/{most}"));
        parts.push(format!(
            "iteration {}{}",
            self.iteration,
            most.unwrap_or_default()
        ));
        parts.push(self.phase.to_owned());
        parts.extend(self.score.map(|score| format!("score {score:.2}")));
        parts.push(spent(elapsed));
        parts.extend(self.cost.map(usd));
        parts.push(one_line(&self.title));
        fit(&parts.join(" · "), width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_the_run_stands_and_fits() {
        let bar = Bar {
            phase: "agent at work",
            title: "2 \u{1b}[2J the parser".into(),
            checkpoints: Some((1, 4)),
            iteration: 3,
            most: Some(9),
            score: Some(0.456),
            cost: Some(1.5),
        };
        let line = bar.line(Duration::from_secs(65), 200);
        assert_eq!(
            line,
            "██░░░░░░░░ 1/4 · iteration 3/9 · agent at work · score 0.46 · 1 min 05 s · $1.50 · 2 \u{fffd}[2J the parser"
        );
        assert_eq!(bar.line(Duration::ZERO, 20), "██░░░░░░░░ 1/4 · it…");
        let whole = Bar {
            checkpoints: None,
            most: None,
            score: None,
            cost: None,
            ..bar
        };
        let line = whole.line(Duration::from_secs(7260), 200);
        assert!(
            line.starts_with("iteration 3 · agent at work · 2 h 01 min · 2"),
            "{line}"
        );
    }
}
