//! Acts of the user that an agent's host passed on: their lines name the user, and carry the mark of
//! the host. They count; whether it was the person is theirs to know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;

/// The host that passed an act on, where it is the user's. What an agent does comes through its host
/// anyway.
pub fn host(by: Option<Actor>, via: Option<&str>) -> Option<&str> {
    via.filter(|_| by == Some(Actor::User))
}

/// That the user agreed to a contract through an agent's host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AgreedThrough")]
pub struct Agreed {
    /// The host.
    pub via: String,
    /// `at` of the line.
    pub at: String,
}

/// What one host passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PassedOn")]
pub struct Lines {
    /// How many lines.
    pub lines: u64,
    /// `at` of the latest.
    pub at: String,
}

/// What each host passed on, in lines of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PassedOn(pub BTreeMap<String, Lines>);

/// So many hosts are told apart; a ledger of nothing but names takes no more room.
const HOSTS: usize = 32;

/// What stands for all others.
const OTHERS: &str = "others";

impl PassedOn {
    /// A line of ours says that the user acted through this host.
    pub(in crate::domain) fn record(&mut self, host: &str, at: &str) {
        let host = match self.0.contains_key(host) || self.0.len() < HOSTS {
            true => host,
            false => OTHERS,
        };
        if let Some(known) = self.0.get_mut(host) {
            known.lines += 1;
            at.clone_into(&mut known.at);
            return;
        }
        let at = at.to_owned();
        self.0.insert(host.to_owned(), Lines { lines: 1, at });
    }

    /// Nothing was passed on.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many lines in all.
    pub fn lines(&self) -> u64 {
        self.0.values().map(|it| it.lines).sum()
    }

    /// `claude-code 3, pi 1`
    pub fn said(&self) -> String {
        let each = self.0.iter();
        let each: Vec<String> = each
            .map(|(host, it)| format!("{host} {}", it.lines))
            .collect();
        each.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::Ledger;

    #[test]
    fn what_hosts_pass_on_is_counted_in_lines_of_ours() {
        let line = |by: &str, via: &str| {
            let note = r#""type":"goal_noted","goalId":"a","note":"n""#;
            format!(r#"{{{note},"at":"t","by":"{by}","via":"{via}"}}"#)
        };
        let mut ledger = Ledger::default();
        for (by, via) in [("user", "pi"), ("user", "codex"), ("agent", "pi")] {
            ledger = ledger.ours(&line(by, via));
        }
        let (state, _) = ledger
            .ours(&line("user", "pi"))
            .theirs(&line("user", "pi"))
            .replay();
        assert_eq!(state.passed_on.said(), "codex 1, pi 2");
    }

    #[test]
    fn names_without_end_take_no_room() {
        let mut passed_on = PassedOn::default();
        for number in 0..100 {
            passed_on.record(&number.to_string(), "t");
        }
        assert_eq!(passed_on.0.len(), HOSTS + 1);
        assert_eq!(passed_on.lines(), 100);
    }
}
