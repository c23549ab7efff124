//! Contests: acts on a goal that knew nothing of each other and that do not go together. Nobody but
//! the user settles one.
//!
//! | one act | another that had not seen it | a contest |
//! |---|---|---|
//! | change of the contract | change to another contract | `contract`: the later one in the order stands |
//! | completion | change of the contract or of the tasks, completion of another contract | `completion`: the goal is blocked |
//! | end | end of another kind | `ending`: the first one in the order stands |

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::goal::chain::Completion;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::words::words;

words! {
    /// What a contest is about.
    pub enum ContestKind {
        /// Which contract is in force.
        Contract = "contract",
        /// Whether the goal is complete, though something else was asked for meanwhile.
        Completion = "completion",
        /// How the goal ended.
        Ending = "ending",
    }
}

impl ContestKind {
    /// What a contest is about, in a sentence without its subject.
    pub fn said(self) -> &'static str {
        match self {
            ContestKind::Contract => "its contract was changed twice, to two different ones",
            ContestKind::Completion => {
                "it was completed, and something else was asked for by somebody who did not know that"
            }
            ContestKind::Ending => "it was ended in two different ways",
        }
    }
}

words! {
    /// What one of the acts did.
    pub enum ContestAct {
        /// It changed the contract.
        Contract = "contract",
        /// It changed what tasks there are.
        Tasks = "tasks",
        /// It completed the goal.
        Completion = "completion",
        /// It ended the goal otherwise.
        Ending = "ending",
    }
}

/// One of the acts, and what the goal would be by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    pub line: LineRef,
    pub id: EventId,
    pub act: ContestAct,
    pub contract: Contract,
    pub status: Status,
    pub completion: Option<Completion>,
}

/// Acts that do not go together, in the order of replay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    pub choices: Vec<Arc<Choice>>,
}

impl Choice {
    /// Whether the user has to choose between two acts, neither of which had seen the other.
    pub(in crate::domain) fn conflicts(&self, other: &Choice) -> bool {
        match (self.act, other.act) {
            (ContestAct::Tasks, ContestAct::Completion)
            | (ContestAct::Completion, ContestAct::Tasks) => true,
            (ContestAct::Tasks, _) | (_, ContestAct::Tasks) => false,
            (
                ContestAct::Contract | ContestAct::Completion,
                ContestAct::Contract | ContestAct::Completion,
            ) => self.contract != other.contract,
            // What ends a goal ends it, whatever its contract has become.
            (ContestAct::Contract, ContestAct::Ending)
            | (ContestAct::Ending, ContestAct::Contract) => false,
            (ContestAct::Ending, _) | (_, ContestAct::Ending) => self.status != other.status,
        }
    }
}

impl Contest {
    /// What it is about.
    pub fn kind(&self) -> ContestKind {
        let mut completions = self
            .choices
            .iter()
            .filter(|it| it.act == ContestAct::Completion);
        if completions.any(|it| self.doubts(it.line, |_| true)) {
            return ContestKind::Completion;
        }
        match self.ends() {
            true => ContestKind::Ending,
            false => ContestKind::Contract,
        }
    }

    /// Whether one of the acts ended the goal: then the one that the user takes decides its status.
    pub fn ends(&self) -> bool {
        self.choices.iter().any(|it| !it.status.is_open())
    }

    /// Whether something else was asked for than what this line completed. Only lines for which
    /// `counts` holds are looked at.
    pub(in crate::domain) fn doubts(
        &self,
        completion: LineRef,
        counts: impl Fn(LineRef) -> bool,
    ) -> bool {
        let choices = || self.choices.iter().filter(|it| counts(it.line));
        let Some(it) =
            choices().find(|it| it.line == completion && it.act == ContestAct::Completion)
        else {
            return false;
        };
        choices().any(|other| other.act != ContestAct::Ending && it.conflicts(other))
    }

    /// Drops what goes together with all others; false when nothing is left.
    ///
    /// Pairs are not compared, since there may be many: of choices that are not all alike, each has
    /// one that it differs from.
    pub(in crate::domain) fn drop_what_agrees(&mut self) -> bool {
        let has = |act| self.choices.iter().any(|it| it.act == act);
        let (tasks, completions) = (has(ContestAct::Tasks), has(ContestAct::Completion));
        let contracts = self.differ(ContestAct::Contract, |one, other| {
            one.contract != other.contract
        });
        let ends = self.differ(ContestAct::Ending, |one, other| one.status != other.status);
        self.choices.retain(|it| match it.act {
            ContestAct::Tasks => completions,
            ContestAct::Contract => contracts,
            ContestAct::Completion => tasks || contracts || ends,
            ContestAct::Ending => ends,
        });
        !self.choices.is_empty()
    }

    /// Whether completions and choices of this kind differ among each other.
    fn differ(&self, kind: ContestAct, differs: impl Fn(&Choice, &Choice) -> bool) -> bool {
        let kinds = [kind, ContestAct::Completion];
        let mut all = self.choices.iter().filter(|it| kinds.contains(&it.act));
        let first = all.next();
        first.is_some_and(|first| all.any(|it| differs(first, it)))
    }
}
