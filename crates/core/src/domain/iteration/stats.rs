//! How iterations went, over many: counts that add up, and what they say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::id::GoalId;
use crate::domain::iteration::state::{Ended, IterationOutcome};

/// How many rules and agents are counted by name; a ledger of another program could name any
/// number.
const NAMES: usize = 256;

/// How many failing rules are named.
const NAMED: usize = 10;

/// How many of the latest loops are held against those before them.
const LATEST: usize = 10;

/// Counts of loops that ended, of rules that ran, and of who worked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    all: Sums,
    rules: BTreeMap<String, Rule>,
    /// By agent; what belonged to no run is under the empty name.
    agents: BTreeMap<String, Sums>,
    /// The latest loops with the time of their end, oldest first, at most [`LATEST`].
    latest: Vec<(String, Sums)>,
}

/// Loops that ended, together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    success: u64,
    blocked: u64,
    max_iterations: u64,
    /// Iterations of the successful ones.
    to_success: u64,
    /// Iterations of all; a loop in which nothing was tried is one.
    iterations: u64,
    elapsed_ms: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rule {
    runs: u64,
    failures: u64,
}

impl Sums {
    fn of(ended: &Ended) -> Sums {
        let mut sums = Sums {
            iterations: ended.total_iterations.max(1),
            elapsed_ms: ended.elapsed_ms,
            ..Sums::default()
        };
        match ended.outcome {
            IterationOutcome::Success => {
                (sums.success, sums.to_success) = (1, ended.total_iterations);
            }
            IterationOutcome::Blocked => sums.blocked = 1,
            IterationOutcome::MaxIterations => sums.max_iterations = 1,
        }
        sums
    }

    /// Each number of both, put together so.
    fn with(&self, other: &Sums, both: fn(u64, u64) -> u64) -> Sums {
        Sums {
            success: both(self.success, other.success),
            blocked: both(self.blocked, other.blocked),
            max_iterations: both(self.max_iterations, other.max_iterations),
            to_success: both(self.to_success, other.to_success),
            iterations: both(self.iterations, other.iterations),
            elapsed_ms: both(self.elapsed_ms, other.elapsed_ms),
        }
    }

    fn loops(&self) -> u64 {
        self.success + self.blocked + self.max_iterations
    }
}

/// Adds to what is counted under a name, if it is known or there is room for it.
fn under<'a, T: Default>(map: &'a mut BTreeMap<String, T>, name: &str) -> Option<&'a mut T> {
    if !map.contains_key(name) && map.len() >= NAMES {
        return None;
    }
    Some(map.entry(name.to_owned()).or_default())
}

impl Tally {
    /// Counts an end, and whose loop it was.
    pub fn end(&mut self, ended: &Ended, at: &str, agent: Option<&str>) {
        let sums = Sums::of(ended);
        self.all = self.all.with(&sums, u64::saturating_add);
        if let Some(agent) = under(&mut self.agents, agent.unwrap_or_default()) {
            *agent = agent.with(&sums, u64::saturating_add);
        }
        self.keep_latest([(at.to_owned(), sums)]);
    }

    /// Counts a rule that ran.
    pub fn ran(&mut self, rule: &str, pass: bool) {
        if let Some(rule) = under(&mut self.rules, rule) {
            rule.runs = rule.runs.saturating_add(1);
            rule.failures = rule.failures.saturating_add(u64::from(!pass));
        }
    }

    /// Both together.
    pub fn add(&mut self, other: &Tally) {
        self.all = self.all.with(&other.all, u64::saturating_add);
        for (name, rule) in &other.rules {
            if let Some(both) = under(&mut self.rules, name) {
                both.runs = both.runs.saturating_add(rule.runs);
                both.failures = both.failures.saturating_add(rule.failures);
            }
        }
        for (name, sums) in &other.agents {
            if let Some(both) = under(&mut self.agents, name) {
                *both = both.with(sums, u64::saturating_add);
            }
        }
        self.keep_latest(other.latest.iter().cloned());
    }

    fn keep_latest(&mut self, more: impl IntoIterator<Item = (String, Sums)>) {
        self.latest.extend(more);
        self.latest.sort_by(|a, b| a.0.cmp(&b.0));
        self.latest
            .drain(..self.latest.len().saturating_sub(LATEST));
    }

    /// The latest ten against those before them, where there are more.
    fn trend(&self) -> Option<Trend> {
        let add = |sums: Sums, (_, one): &(String, Sums)| sums.with(one, u64::saturating_add);
        let latest = self.latest.iter().fold(Sums::default(), add);
        let before = self.all.with(&latest, u64::saturating_sub);
        (before.loops() > 0).then(|| Trend {
            latest: Figures::of(&latest),
            before: Figures::of(&before),
        })
    }

    /// What is counted of a goal; nothing where no loop of it ended.
    pub fn of_goal(&self, goal: &GoalId, title: &str) -> Option<GoalFigures> {
        (self.all.loops() > 0).then(|| GoalFigures {
            goal_id: goal.clone(),
            title: title.to_owned(),
            figures: Figures::of(&self.all),
        })
    }
}

/// How iterations went.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationStats {
    /// Iterations that go on.
    pub open: u64,
    /// Those that are over, by outcome.
    pub success: u64,
    pub blocked: u64,
    pub max_iterations: u64,
    /// How many iterations a success took in the mean; nothing without one.
    pub iterations_to_success: Option<f64>,
    /// Blocked ones among those that are over, from 0 to 1; nothing without one.
    pub blocked_rate: Option<f64>,
    /// Milliseconds in the mean, over all that are over.
    pub ms_per_iteration: Option<u64>,
    /// The rules that failed most often, at most ten.
    pub failing_rules: Vec<FailingRule>,
    /// Every rule that ran, those that failed most often first.
    pub rules: Vec<RuleFigures>,
    /// By agent, those with the most loops first.
    pub agents: Vec<AgentFigures>,
    /// By goal, those with the most loops first.
    pub goals: Vec<GoalFigures>,
    /// The latest ten loops against those before them; nothing where ten or fewer are over.
    pub trend: Option<Trend>,
}

/// A rule that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailingRule {
    pub rule: String,
    pub failures: u64,
}

/// How a rule went.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleFigures {
    pub rule: String,
    /// How many validations it was part of.
    pub runs: u64,
    pub failures: u64,
    /// Failures among its runs, from 0 to 1.
    pub failure_rate: Option<f64>,
}

/// How loops went that are over.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    pub loops: u64,
    pub success: u64,
    pub blocked: u64,
    pub max_iterations: u64,
    /// How many iterations a success took in the mean; nothing without one.
    pub iterations_to_success: Option<f64>,
    /// Blocked ones among them, from 0 to 1.
    pub blocked_rate: Option<f64>,
    /// Milliseconds in the mean.
    pub ms_per_iteration: Option<u64>,
}

/// How the loops of one agent went.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFigures {
    /// What the run called its agent; null for loops that ended outside a run.
    pub agent: Option<String>,
    pub figures: Figures,
}

/// How the loops of one goal went.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalFigures {
    pub goal_id: GoalId,
    /// Its title, or the first line of its objective.
    pub title: String,
    pub figures: Figures,
}

/// Whether it gets better.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trend {
    /// The ten loops that ended last.
    pub latest: Figures,
    /// All that ended before them.
    pub before: Figures,
}

impl Figures {
    fn of(sums: &Sums) -> Figures {
        Figures {
            loops: sums.loops(),
            success: sums.success,
            blocked: sums.blocked,
            max_iterations: sums.max_iterations,
            iterations_to_success: ratio(sums.to_success, sums.success),
            blocked_rate: ratio(sums.blocked, sums.loops()),
            ms_per_iteration: sums.elapsed_ms.checked_div(sums.iterations),
        }
    }
}

impl IterationStats {
    /// What these counts say, beside so many open iterations and what is known of each goal.
    pub fn of(tally: &Tally, open: u64, mut goals: Vec<GoalFigures>) -> IterationStats {
        // Stable: those that are alike stay in the order of their names.
        let rules = tally.rules.iter();
        let mut rules: Vec<RuleFigures> = rules
            .map(|(name, rule)| RuleFigures {
                rule: name.clone(),
                runs: rule.runs,
                failures: rule.failures,
                failure_rate: ratio(rule.failures, rule.runs),
            })
            .collect();
        rules.sort_by_key(|it| std::cmp::Reverse(it.failures));
        let failing = rules.iter().filter(|it| it.failures > 0).take(NAMED);
        let failing = failing.map(|it| FailingRule {
            rule: it.rule.clone(),
            failures: it.failures,
        });
        let agents = tally.agents.iter();
        let mut agents: Vec<AgentFigures> = agents
            .map(|(name, sums)| AgentFigures {
                agent: (!name.is_empty()).then(|| name.clone()),
                figures: Figures::of(sums),
            })
            .collect();
        agents.sort_by_key(|it| std::cmp::Reverse(it.figures.loops));
        goals.sort_by_key(|it| std::cmp::Reverse(it.figures.loops));
        let all = Figures::of(&tally.all);
        IterationStats {
            open,
            success: all.success,
            blocked: all.blocked,
            max_iterations: all.max_iterations,
            iterations_to_success: all.iterations_to_success,
            blocked_rate: all.blocked_rate,
            ms_per_iteration: all.ms_per_iteration,
            failing_rules: failing.collect(),
            rules,
            agents,
            goals,
            trend: tally.trend(),
        }
    }
}

/// To two decimals.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of iterations are far below 2^52, and the result has two decimals"
)]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(outcome: IterationOutcome, total_iterations: u64, elapsed_ms: u64) -> Ended {
        Ended {
            id: "i".into(),
            task: None,
            most: None,
            outcome,
            summary: String::new(),
            total_iterations,
            from_zero: false,
            elapsed_ms,
        }
    }

    fn stats(tally: &Tally, open: u64) -> IterationStats {
        IterationStats::of(tally, open, Vec::new())
    }

    #[test]
    fn nothing_says_nothing() {
        let stats = stats(&Tally::default(), 2);
        assert_eq!(stats.open, 2);
        assert_eq!(stats.iterations_to_success, None);
        assert_eq!(stats.blocked_rate, None);
        assert_eq!(stats.ms_per_iteration, None);
        assert_eq!(
            (stats.trend, stats.rules, stats.agents),
            (None, vec![], vec![])
        );
    }

    #[test]
    fn counts_add_up_over_goals() {
        let ran = |tally: &mut Tally, rule: &str, times: usize, pass: bool| {
            (0..times).for_each(|_| tally.ran(rule, pass));
        };
        let mut one = Tally::default();
        one.end(
            &end(IterationOutcome::Success, 3, 3000),
            "1",
            Some("claude"),
        );
        one.end(&end(IterationOutcome::Success, 4, 1000), "2", None);
        ran(&mut one, "lint", 2, false);
        ran(&mut one, "compiles", 4, true);
        let mut other = Tally::default();
        other.end(&end(IterationOutcome::Blocked, 0, 500), "3", Some("claude"));
        ran(&mut other, "tests", 5, false);
        ran(&mut other, "lint", 1, false);
        ran(&mut other, "lint", 1, true);
        one.add(&other);
        let stats = stats(&one, 0);
        assert_eq!(stats.iterations_to_success, Some(3.5));
        assert_eq!(stats.blocked_rate, Some(0.33));
        assert_eq!(stats.ms_per_iteration, Some(4500 / 8));
        let failing = stats.failing_rules.iter();
        let failing: Vec<_> = failing.map(|it| (&*it.rule, it.failures)).collect();
        assert_eq!(failing, [("tests", 5), ("lint", 3)]);
        let rules = stats.rules.iter();
        let rules: Vec<_> = rules
            .map(|it| (&*it.rule, it.runs, it.failure_rate.unwrap()))
            .collect();
        assert_eq!(
            rules,
            [("tests", 5, 1.0), ("lint", 4, 0.75), ("compiles", 4, 0.0)]
        );
        let agents = stats.agents.iter();
        let agents: Vec<_> = agents
            .map(|it| {
                (
                    it.agent.as_deref(),
                    it.figures.loops,
                    it.figures.iterations_to_success,
                )
            })
            .collect();
        assert_eq!(
            agents,
            [(Some("claude"), 2, Some(3.0)), (None, 1, Some(4.0))]
        );
    }

    #[test]
    fn the_latest_ten_are_held_against_those_before_whichever_goal_they_are_of() {
        let mut goals = [Tally::default(), Tally::default()];
        // They took 5 iterations each, and 2 in the latest ten; the goals take turns.
        for number in 0..16_usize {
            let took = if number < 6 { 5 } else { 2 };
            let at = format!("2026-01-{:02}", number + 1);
            goals[number % 2].end(&end(IterationOutcome::Success, took, 10), &at, None);
        }
        let [one, two] = goals;
        for (first, second) in [(&one, &two), (&two, &one)] {
            let mut all = first.clone();
            all.add(second);
            let trend = stats(&all, 0).trend.unwrap();
            assert_eq!((trend.latest.loops, trend.before.loops), (10, 6));
            assert_eq!(trend.latest.iterations_to_success, Some(2.0));
            assert_eq!(trend.before.iterations_to_success, Some(5.0));
        }
        // Eight are no trend yet, nor are ten.
        assert_eq!(stats(&one, 0).trend, None);
    }

    #[test]
    fn ever_more_names_do_not_grow_it() {
        let mut tally = Tally::default();
        for name in 0..1000 {
            tally.ran(&name.to_string(), false);
            let ended = end(IterationOutcome::Success, 1, 1);
            tally.end(&ended, "t", Some(&name.to_string()));
        }
        tally.ran("7", false);
        assert_eq!((tally.rules.len(), tally.agents.len()), (NAMES, NAMES));
        assert_eq!(tally.latest.len(), LATEST);
        let stats = stats(&tally, 0);
        assert_eq!(stats.failing_rules.len(), NAMED);
        assert_eq!(stats.failing_rules[0].failures, 2);
        assert_eq!(stats.success, 1000);
    }
}
