//! What the answers in a transcript cost, from a place on: each answer once, however many lines it has.

use std::collections::{BTreeMap, BTreeSet};

use super::subagents::{Part, tails};
use super::{LineTold, Tail, text};
use crate::domain::cost::amount::Amount;
use crate::domain::cost::is_model;
use crate::domain::cost::state::{LLM_CALLS, SECONDS};
use crate::domain::time::millis;

/// What was spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    pub counters: BTreeMap<String, f64>,
    /// The model, where it was one.
    pub model: Option<String>,
    /// Up to which byte of the file it was read.
    pub read_to: u64,
}

/// What an answer of a subagent cost.
struct SubagentCost {
    answer: String,
    counters: Counters,
    model: Option<String>,
    /// It stands before the part that is counted.
    is_before: bool,
}

type Counters = Vec<(&'static str, Option<f64>)>;

impl Tail {
    /// Whether the host writes into it what an answer costs.
    pub fn tells_cost(&self) -> bool {
        let mut told = self.lines().flat_map(|(_, line)| self.told(&line));
        told.any(|told| matches!(told, LineTold::Cost { .. }))
    }

    /// What was spent behind this place, by subagents with files of their own too; nothing where no model
    /// answered.
    pub fn spent(&self, from: u64) -> Option<Spent> {
        let mut counted: BTreeSet<String> = BTreeSet::new();
        let mut answers: BTreeMap<String, Counters> = BTreeMap::new();
        let mut models = BTreeSet::new();
        let (mut seconds, mut before) = (0.0, None::<i64>);
        let (mut after, mut until) = (None::<i64>, None::<i64>);
        for (at, line) in self.lines() {
            let mut is_word = false;
            for told in self.told(&line) {
                match told {
                    LineTold::Word => is_word = true,
                    LineTold::Cost { answer, .. } if at < from => {
                        counted.insert(answer);
                    }
                    LineTold::Cost {
                        answer,
                        counters,
                        model,
                    } if !counted.contains(&answer) => {
                        models.extend(model.filter(|model| is_model(model)));
                        answers.insert(answer, counters);
                    }
                    _ => {}
                }
            }
            let now = text(&line, &["timestamp"]).and_then(millis);
            until = until.max(now);
            if at < from {
                after = after.max(now);
            }
            // Before the user's word nobody worked.
            if let (Some(now), Some(before), false) = (now, before, is_word || at < from) {
                seconds += (now - before).max(0) as f64 / 1_000.0;
            }
            before = match is_word {
                true => now,
                false => now.or(before),
            };
        }
        // Where it is not known when the part before ended, an answer could count in both.
        let is_known = from == 0 || after.is_some();
        if let (Some(directory), Some(until), true) = (&self.subagents, until, is_known) {
            let part = Part { after, until };
            let costs = tails(directory, part).flat_map(|tail| tail.costs(part));
            let (earlier, costs): (Vec<_>, Vec<_>) = costs.partition(|cost| cost.is_before);
            counted.extend(earlier.into_iter().map(|cost| cost.answer));
            for cost in costs {
                if !counted.contains(&cost.answer) {
                    models.extend(cost.model.filter(|model| is_model(model)));
                    answers.insert(cost.answer, cost.counters);
                }
            }
        }
        if answers.is_empty() {
            return None;
        }
        let mut counters = BTreeMap::new();
        let one = |name: &str, number: Option<f64>| {
            let number = number.and_then(Amount::of).map(Amount::number);
            number.map(|number| (name.to_owned(), number))
        };
        let all = answers.values().flatten().copied();
        let all = all.chain([
            (LLM_CALLS, Some(answers.len() as f64)),
            (SECONDS, Some(seconds)),
        ]);
        for (name, number) in all.filter_map(|(name, number)| one(name, number)) {
            *counters.entry(name).or_insert(0.0) += number;
        }
        counters.retain(|_, sum: &mut f64| *sum > 0.0 && Amount::of(*sum).is_some());
        let only = models.pop_first().filter(|_| models.is_empty());
        Some(Spent {
            counters,
            model: only,
            read_to: self.end(),
        })
    }

    /// What the answers of a subagent cost that stand before this part or in it.
    fn costs(&self, part: Part) -> Vec<SubagentCost> {
        let mut costs = Vec::new();
        for (_, line) in self.lines() {
            let Some(is_before) = part.is_before(&line) else {
                continue;
            };
            for told in self.told(&line) {
                if let LineTold::Cost {
                    answer,
                    counters,
                    model,
                } = told
                {
                    costs.push(SubagentCost {
                        answer,
                        counters,
                        model,
                        is_before,
                    });
                }
            }
        }
        costs
    }

    /// Where the latest turn begins: the user's last word.
    pub fn turn_from(&self) -> Option<u64> {
        let told = self.lines();
        let words = told.filter(|(_, line)| self.told(line).contains(&LineTold::Word));
        words.last().map(|(at, _)| at)
    }

    /// Where it ends in the file.
    pub fn end(&self) -> u64 {
        self.from + self.text.len() as u64
    }
}
