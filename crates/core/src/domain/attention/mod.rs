//! What waits for the person, and how each goal stands: the one place that says so. Everything that
//! shows it asks here. The time, leases, seals and remotes are passed in.
//!
//! | kind | waits where | settled by |
//! |---|---|---|
//! | `question`, `approval` | a question of an open goal has no answer | `goal answer` |
//! | `draft`, `tweak` | a contract or a change of one is proposed | `goal confirm`, `goal reject` |
//! | `contested` | acts do not go together | `goal settle` |
//! | `unproven` | lines in force are not proven to be the user's | `goal settle` |
//! | `foreign` | another program wrote about a goal of ours | `goal settle` |
//! | `blocked` | the goal is blocked | `goal resume` |
//! | `paused` | an agent paused the goal | `goal resume`, the user's own `goal pause` |
//! | `budget` | the goal rests since it went over its budget | `goal budget`, `goal resume` |
//! | `signature` | a verdict has to be signed | `goal complete --pending` |
//! | `audit_interrupted` | an audit has no result, and its process is gone | `goal complete` |
//! | `run_stopped` | a run was refused, or stopped before its end, and nobody has worked since; or its runner is known to be dead | `goal run` |
//! | `task_left` | a task is under way, the session that worked on the goal last has ended, and nobody works on it | work on the goal, `goal task reopen` |
//! | `not_committed` | git refused to commit what a run changed, and nobody has committed there since | a commit |
//! | `stuck` | auditors objected again and again, or it is not continued any more | `goal tweak`, `goal pause` |
//! | `outside_gate` | a line of ours completed a goal and no audit approved that | `goal settle --finding` |
//! | `untrusted` | a goal is open, and what would run for it is not trusted | `goal trust` |
//! | `unsynced` | lines have not reached the remote | `goal sync` |
//!
//! How one goal stands, in a word. The first row that fits decides:
//!
//! | a goal | stands as |
//! |---|---|
//! | of which acts do not go together | `contested` |
//! | that has ended | `ended` |
//! | with a question that has no answer, or a verdict to be signed | `waiting` |
//! | that is blocked | `blocked` |
//! | that an agent paused | `waiting` |
//! | that is paused | `resting` |
//! | whose audit runs | `auditing` |
//! | whose lease somebody holds | `live` |
//! | with so many objections in a row, or that is not continued any more, or whose audit was interrupted | `stuck` |
//! | that somebody worked on lately: to set, focus or change it is no work | `live` |
//! | else | `quiet` |

mod left;
mod need;
mod news;
mod of_goal;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::domain::attention::of_goal::{is_stuck, is_worked, row_waits_by_pause};
use crate::domain::goal::draft::Draft;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::Status;
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::words::words;

pub use need::{Choice, Lines, Need, NeedKind, Unsynced, answer_command, safe};
pub use news::{News, NewsKind, makes_news, news};
pub use of_goal::{Needs, waits_by_pause};

/// From when on a goal is quiet, and from when on it is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// How long nobody has worked on an active goal.
    pub quiet_after: Duration,
    /// How many audits in a row objected.
    pub stuck_after: u32,
}

/// What the configuration does not say.
pub const QUIET_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// The same.
pub const STUCK_AFTER: u32 = 3;

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            quiet_after: QUIET_AFTER,
            stuck_after: STUCK_AFTER,
        }
    }
}

/// What the ledger does not say, or what takes more than a look at it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Milliseconds since 1970.
    pub now: i64,
    pub thresholds: Thresholds,
    /// Goals whose leases are held now.
    pub leased: BTreeSet<GoalId>,
    /// Goals with a run that has no end on record, and whose runner is dead
    /// ([`crate::domain::run::liveness`]).
    pub dead: BTreeSet<GoalId>,
    /// Tasks under way whose worker is known to have ended.
    pub left_tasks: BTreeMap<GoalId, LeftTask>,
    /// The options of `goal budget` that raise what these goals went over.
    pub raises: BTreeMap<GoalId, String>,
    /// Goals whose audit runs now, here or on another machine.
    pub auditing: BTreeSet<GoalId>,
    /// Goals whose audit has no result, and whose process is gone.
    pub interrupted: BTreeSet<GoalId>,
    /// Goals that wait for somebody who can sign a verdict.
    pub unsigned: BTreeSet<GoalId>,
    /// Lines in force that are not proven to be the user's.
    pub unproven: BTreeMap<GoalId, Lines>,
    /// Lines of other programs that wait for the user's word.
    pub foreign: BTreeMap<GoalId, Lines>,
    /// Goals whose completion outside the gate the user has settled.
    pub known_outside: BTreeSet<GoalId>,
    /// Goals in whose tree somebody has committed since a run could not, or nothing is left to commit.
    pub committed: BTreeSet<GoalId>,
    /// The options that name the agent of a goal's latest run, where a run without them has another.
    pub agents: BTreeMap<GoalId, String>,
    /// Why what would run in this project does not, as the user has not trusted it; nothing where it
    /// would, or where no goal is open.
    pub untrusted: Option<String>,
    /// Remotes that have not got all lines.
    pub unsynced: Vec<Unsynced>,
}

/// A task that was under way when its worker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftTask {
    pub id: String,
    pub title: String,
    /// When the worker did something last.
    pub since: String,
}

impl Facts {
    /// Whether somebody is known to work the goal now.
    pub(in crate::domain) fn is_leased(&self, id: &GoalId) -> bool {
        self.leased.contains(id)
    }
}

/// Everything that waits for the person, each once, oldest first. `rows` are those of the open goals
/// and of the ended ones about which something waits ([`Row::waits_though_ended`]).
pub fn attention<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    state: &State,
    facts: &Facts,
) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    let drafts = state.drafts.open();
    let mut proposed: Vec<Need> = drafts.filter_map(|it| proposed_in(state, it)).collect();
    for row in rows {
        needs.extend(of_goal::needs(row, facts, Vec::new()).iter());
        belong(&mut proposed, row);
    }
    needs.append(&mut proposed);
    needs.extend(facts.untrusted.as_deref().map(need::of_trust));
    needs.extend(facts.unsynced.iter().map(need::of_remote));
    need::oldest_first(&mut needs);
    needs
}

/// How many things wait: the length of [`attention`], which many questions would make large.
pub fn count<'a>(rows: impl IntoIterator<Item = &'a Row>, state: &State, facts: &Facts) -> u64 {
    let of_goals = rows
        .into_iter()
        .map(|it| of_goal::needs(it, facts, Vec::new()).len());
    let is_proposed = |draft: &&Draft| draft.proposal.is_some();
    let proposed = state.drafts.open().filter(is_proposed).count();
    let of_project = usize::from(facts.untrusted.is_some()) + facts.unsynced.len();
    (of_goals.sum::<usize>() + proposed + of_project) as u64
}

/// What waits for a draft to be decided, beside the contract of the goal that it would change.
fn proposed_in(state: &State, draft: &Draft) -> Option<Need> {
    draft.proposal.as_ref()?;
    let goal = draft.goal_id.as_ref().and_then(|id| state.goals.get(id));
    need::of_draft(draft, goal.map(|goal| &goal.contract))
}

/// A change of a goal's contract is its owner's.
fn belong(proposed: &mut [Need], row: &Row) {
    let about = proposed.iter_mut();
    for need in about.filter(|it| it.goal_id.as_ref() == Some(&row.id)) {
        if need.owner.is_none() {
            need.owner.clone_from(&row.owner);
        }
    }
}

/// What waits about one goal: what is its own, and the changes of its contract that are proposed.
pub fn attention_of(row: &Row, state: &State, facts: &Facts) -> Needs {
    let about = |draft: &&Draft| draft.goal_id.as_ref() == Some(&row.id);
    let drafts = state.drafts.open().filter(about);
    let mut proposed: Vec<Need> = drafts.filter_map(|it| proposed_in(state, it)).collect();
    belong(&mut proposed, row);
    of_goal::needs(row, facts, proposed)
}

words! {
    /// How a goal stands, for a person.
    // In the order in which listings show them.
    pub enum Standing listed {
        /// It waits for the person's answer, or an agent paused it.
        Waiting = "waiting",
        /// The person has to choose what holds.
        Contested = "contested",
        /// Something outside has to change first.
        Blocked = "blocked",
        /// Its audit runs.
        Auditing = "auditing",
        /// Somebody works on it.
        Live = "live",
        /// It gets no further.
        Stuck = "stuck",
        /// It is active, and nobody has worked on it yet, or not for a while.
        Quiet = "quiet",
        /// The user paused it, or it went over its budget.
        Resting = "resting",
        /// It is over.
        Ended = "ended",
    }
}

/// How the goal of this row stands.
pub fn standing(row: &Row, facts: &Facts) -> Standing {
    let asked = row.open.as_ref().is_some_and(|it| !it.questions.is_empty());
    let waits = asked || facts.unsigned.contains(&row.id);
    match row.status {
        _ if row.contested.is_some() => Standing::Contested,
        status if !status.is_open() => Standing::Ended,
        _ if waits => Standing::Waiting,
        Status::Blocked => Standing::Blocked,
        Status::Paused if row_waits_by_pause(row) => Standing::Waiting,
        Status::Paused => Standing::Resting,
        _ if facts.auditing.contains(&row.id) => Standing::Auditing,
        _ if facts.is_leased(&row.id) => Standing::Live,
        _ if is_stuck(row, facts) => Standing::Stuck,
        _ if facts.interrupted.contains(&row.id) => Standing::Stuck,
        _ if is_worked(row, facts) => Standing::Live,
        _ => Standing::Quiet,
    }
}

#[cfg(test)]
mod property;
#[cfg(test)]
mod tests;
