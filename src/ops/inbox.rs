//! Everything that waits for the person, and waiting for it.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::{Need, Standing};
use crate::domain::goal::state::Wait;
use crate::domain::id::GoalId;
use crate::domain::passed_on::PassedOn;
use crate::ops::attention::look;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::beside;
use crate::render;
use crate::snapshot::Snapshot;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct InboxRequest {
    /// Only what is about goals of this owner.
    pub owner: Option<String>,
    /// Only questions.
    pub questions: bool,
    /// How long to wait until something waits.
    pub wait: Option<Duration>,
}

/// Everything that waits for the person, oldest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inbox {
    /// How many there are.
    pub waiting: u64,
    pub needs: Vec<Need>,
    /// How many open goals stand how, whatever was asked for.
    pub standings: BTreeMap<Standing, u64>,
    /// What open goals wait for from outside: nothing that the person has to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitingGoal>,
    /// What the caller's session is told of its focused goal, where it does not hold that.
    #[serde(skip)]
    pub beside: Option<String>,
    /// Acts of the user that agents' hosts passed on, by host.
    #[serde(skip_serializing_if = "PassedOn::is_empty")]
    pub through: PassedOn,
}

impl Inbox {
    /// The same in words, for a terminal of so many columns.
    pub fn words(&self, call: &Call, columns: usize) -> String {
        let now = call.workspace.environment.now_millis();
        let remark = render::inbox::passed_on(&self.through, now, columns);
        let waits: Vec<_> = self
            .waits
            .iter()
            .map(|it| (it.title.clone(), it.wait.clone()))
            .collect();
        let waits = render::inbox::waits(&waits, now, columns);
        let beside = self.beside.as_ref();
        let beside = beside.map_or_else(String::new, |it| format!("\n{it}"));
        render::inbox::inbox(&self.needs, now, columns) + &waits + &remark + &beside
    }
}

/// A goal that waits for something outside.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingGoal {
    pub goal_id: GoalId,
    pub title: String,
    pub wait: Wait,
    /// Its time is over.
    pub due: bool,
}

/// How often it is looked whether something was appended.
const POLL: Duration = Duration::from_millis(250);

/// After so many looks everything is read again though nothing was appended: leases lapse.
const LOOKS: u32 = 8;

/// What waits for the person, of all goals or of the one that `--goal` names. With `wait` it comes back
/// once something waits or the time comes for which a goal waits, and with nothing when the time is over.
///
/// # Errors
/// The named goal is unknown or ambiguous; the system refuses to read the project.
pub fn inbox(call: &Call, asked: &InboxRequest) -> Result<Inbox, Failure> {
    // A time that no clock reaches is never over.
    let until = asked.wait.map(|wait| Instant::now().checked_add(wait));
    let begun = call.workspace.environment.now_millis();
    loop {
        let snapshot = call.look()?;
        let inbox = now(call, &snapshot, asked)?;
        let is_over = until.is_none_or(|until| until.is_some_and(|until| Instant::now() >= until));
        // One that was due before is told, and nothing new that ends the waiting.
        let is_due = inbox
            .waits
            .iter()
            .any(|it| it.due && !it.wait.is_due(begun));
        if inbox.waiting > 0 || is_due || is_over {
            return Ok(inbox);
        }
        rest(call, &snapshot, until.flatten());
    }
}

/// Until something was appended, or it is worth a look without that.
fn rest(call: &Call, snapshot: &Snapshot, until: Option<Instant>) {
    for _ in 0..LOOKS {
        let left = until.map_or(POLL, |until| {
            until.saturating_duration_since(Instant::now())
        });
        thread::sleep(POLL.min(left));
        if left.is_zero()
            || !snapshot
                .is_current(&call.workspace.paths.events())
                .unwrap_or(true)
        {
            return;
        }
    }
}

fn now(call: &Call, snapshot: &Snapshot, asked: &InboxRequest) -> Result<Inbox, Failure> {
    let goal = call.named(snapshot)?.map(|goal| goal.id.clone());
    let looked = look(call, snapshot)?;
    let mut needs = looked.needs(snapshot);
    needs.retain(|need| {
        let is_of_goal = goal.is_none() || need.goal_id == goal;
        let is_owners = asked.owner.is_none() || need.owner == asked.owner;
        is_of_goal && is_owners && (!asked.questions || need.is_question())
    });
    let clock = call.workspace.environment.now_millis();
    let waits = looked.rows.iter().filter_map(|row| {
        let is_asked = goal.as_ref().is_none_or(|it| *it == row.id)
            && (asked.owner.is_none() || row.owner == asked.owner)
            && !asked.questions;
        let wait = row.open.as_ref()?.wait.as_ref().filter(|_| is_asked)?;
        Some(WaitingGoal {
            goal_id: row.id.clone(),
            title: row.heading().to_owned(),
            wait: wait.clone(),
            due: wait.is_due(clock),
        })
    });
    let waits = waits.collect();
    let focus = call.focus(&snapshot.state);
    Ok(Inbox {
        waits,
        waiting: needs.len() as u64,
        needs,
        beside: focus.and_then(|goal| beside(call, snapshot, goal)),
        standings: looked.standings(),
        through: snapshot.state.passed_on.clone(),
    })
}
