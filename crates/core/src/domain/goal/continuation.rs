//! Whether a goal is continued when its agent stops, and the counts that this is decided by.
//!
//! The counts are structure and kept by apply; [`crate::domain::decide::continuation`] has the
//! policy. A host that goes
//! on for ever costs money and says nothing, so a goal comes to rest when its agent no longer gets
//! anywhere; it is not paused by that, and the user's next word lets it go on.
//!
//! The verdicts on a goal, as far as its standing depends on them.

use std::collections::VecDeque;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::event::GoalContinued;
use crate::domain::goal::push_bounded;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::verdict::Verdict;

/// How many empty turns in a row, or results `error` in a row for one revision, bring a goal to
/// rest.
pub const MOST_IN_VAIN: u32 = 3;

/// How many continuations in a row without a result bring a goal to rest, where the configuration does
/// not say.
pub const MOST_WITHOUT_RESULT: u32 = 25;

/// What a goal's events say about how its continuations went: one count of turns that brought nothing
/// new, and one of turns that brought no result. A result is something new, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// Continuations since the last progress. At a stop each of them was an empty turn.
    empty: u32,
    /// Continuations since the last result.
    without_result: u32,
    /// How many of those the program allows, as it said at the latest; nothing where it never did.
    most: Option<u32>,
    /// How the files of the work tree stood at the latest continuation that says so.
    tree: Option<String>,
    /// Results `error` in a row, and what they have in common.
    errors: u32,
    failing: Option<AuditedRevision>,
    /// A runner works the goal.
    pub(in crate::domain) running: bool,
}

/// What an audit was of: the revision it names, and the one that the goal had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct AuditedRevision {
    named: Option<EventId>,
    stood: Option<LineRef>,
}

impl Continuation {
    /// A host was told to go on.
    pub(in crate::domain) fn go_on(&mut self, continued: &GoalContinued) {
        self.look(continued.max_continuations, continued.tree.as_deref());
        self.empty = self.empty.saturating_add(1);
        self.without_result = self.without_result.saturating_add(1);
    }

    /// The agent stopped: so many continuations are allowed, and this is how the files stand. Files that
    /// changed since the latest continuation are a result.
    fn look(&mut self, most: Option<u32>, tree: Option<&str>) {
        self.most = most.or(self.most);
        if let Some(tree) = tree {
            if self.tree.as_deref().is_some_and(|before| before != tree) {
                self.without_result = 0;
            }
            self.tree = Some(tree.to_owned());
        }
    }

    /// An event showed that the turn was not empty.
    pub(in crate::domain) fn progress(&mut self) {
        self.empty = 0;
    }

    /// An event was a result.
    pub(in crate::domain) fn bring_result(&mut self) {
        self.without_result = 0;
    }

    /// The user's word lets the goal go on.
    pub(in crate::domain) fn hear_the_user(&mut self) {
        self.empty = 0;
        self.without_result = 0;
        self.errors = 0;
    }

    /// An audit ended which names this revision, of a goal that has that one.
    pub(in crate::domain) fn judge(
        &mut self,
        verdict: Verdict,
        named: Option<EventId>,
        stood: Option<LineRef>,
    ) {
        if verdict != Verdict::Error {
            self.errors = 0;
            return;
        }
        let audited = Some(AuditedRevision { named, stood });
        if self.failing != audited {
            self.errors = 0;
        }
        self.failing = audited;
        self.errors = self.errors.saturating_add(1);
    }

    /// Whether [`MOST_IN_VAIN`] audits in a row of the goal, whose revision is this one, came to no
    /// verdict.
    pub(in crate::domain) fn audits_fail(&self, revision: Option<LineRef>) -> bool {
        let still_stands = self.failing.is_some_and(|audit| audit.stood == revision);
        self.errors >= MOST_IN_VAIN && still_stands
    }

    /// The same where the agent stops now, so many continuations are allowed, and the files stand so.
    pub(in crate::domain) fn stop_reason_now(
        &self,
        revision: Option<LineRef>,
        most: u32,
        tree: Option<&str>,
    ) -> Option<StopReason> {
        let mut now = self.clone();
        now.look(Some(most), tree);
        now.stop_reason(revision)
    }

    /// Why a goal with this revision is at rest although nobody paused it.
    pub(in crate::domain) fn stop_reason(&self, revision: Option<LineRef>) -> Option<StopReason> {
        if self.empty >= MOST_IN_VAIN {
            Some(StopReason::EmptyTurns)
        } else if let Some(most) = self.most.filter(|most| self.without_result >= *most) {
            Some(StopReason::NoResult(most))
        } else if self.audits_fail(revision) {
            Some(StopReason::AuditErrors)
        } else {
            None
        }
    }
}

/// Why a goal is not continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It is paused, blocked or over.
    NotActive(Status),
    /// Its contract says that it does not go on by itself.
    ByHand,
    /// Another tool keeps it, and continues it or not.
    Theirs,
    /// A question of it waits for the user's answer.
    Asked,
    /// [`MOST_IN_VAIN`] turns in a row recorded no progress.
    EmptyTurns,
    /// So many turns in a row, the most that are allowed, brought no result.
    NoResult(u32),
    /// [`MOST_IN_VAIN`] audits in a row of the goal as it stands came to no verdict.
    AuditErrors,
}

impl StopReason {
    /// Whether continuing was given up, which somebody should be told: until the user's next word
    /// nothing happens by itself.
    pub fn is_given_up(self) -> bool {
        matches!(
            self,
            StopReason::EmptyTurns | StopReason::NoResult(_) | StopReason::AuditErrors
        )
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::NotActive(status) => write!(f, "it is {}", status.name()),
            StopReason::ByHand => write!(f, "its contract says that it does not go on by itself"),
            StopReason::Theirs => write!(f, "another tool keeps it"),
            StopReason::Asked => write!(f, "it waits for the user's answer"),
            StopReason::EmptyTurns => {
                write!(f, "{MOST_IN_VAIN} turns in a row recorded no progress")
            }
            StopReason::NoResult(most) => write!(
                f,
                "{most} turns in a row brought no result: no changed file, evidence, task, question or \
                 verdict"
            ),
            StopReason::AuditErrors => write!(
                f,
                "{MOST_IN_VAIN} audits in a row came to no verdict on it as it stands"
            ),
        }
    }
}

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
