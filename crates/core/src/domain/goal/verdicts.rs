//! The verdicts on a goal, as far as its standing depends on them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::domain::goal::bounded::push_bounded;
use crate::domain::verdict::Verdict;

/// How many of the latest verdicts are kept at hand.
const LATEST: usize = 12;

/// What audits of a goal came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// The latest, the newest last.
    pub latest: VecDeque<Verdict>,
    /// How many objected in a row since the contract last changed. One that came to no verdict says
    /// nothing of the work.
    pub objections: u32,
}

impl Verdicts {
    pub(in crate::domain) fn judge(&mut self, verdict: Verdict) {
        push_bounded(&mut self.latest, verdict, LATEST);
        match verdict {
            Verdict::Disapproved => self.objections = self.objections.saturating_add(1),
            Verdict::Approved => self.objections = 0,
            Verdict::Error => {}
        }
    }

    /// Something else is asked for from now on.
    pub(in crate::domain) fn begin_anew(&mut self) {
        self.objections = 0;
    }
}
