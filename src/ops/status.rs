//! How the project stands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::Standing;
use crate::domain::diagnostic::Severity;
use crate::domain::findings::by_severity;
use crate::domain::focus::focused;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Status;
use crate::domain::hold::Hold;
use crate::domain::id::GoalId;
use crate::ops::attention::look;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::{beside, hold};
use crate::ops::show::view;
use crate::ops::{store, sync};
use crate::render;
use crate::render::clock::Clock;
use crate::render::status::StatusInput;
use crate::render::stores::StoreAge;
use crate::render::sync::RemoteStanding;
use crate::render::view::GoalView;
use crate::transaction::place::is_missing;

/// The focused goal, the counts, and what waits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Null when nothing is focused.
    pub focused_goal_id: Option<GoalId>,
    pub open_goals: u64,
    pub terminal_goals: u64,
    /// How many goals there are of each status.
    pub counts: BTreeMap<Status, u64>,
    /// The goal that the call names, else the focused one, in full but for its events.
    pub goal: Option<GoalView>,
    /// Who holds that goal, as the caller's session sees it: only a session that holds it goes on
    /// with it by itself.
    pub hold: Option<Hold>,
    /// What the caller's session is told of a focused goal that it does not hold.
    #[serde(skip)]
    pub beside: Option<String>,
    /// How many things wait for the person; `goal inbox` lists them.
    pub waiting: u64,
    /// How many open goals stand how.
    pub standings: BTreeMap<Standing, u64>,
    /// The open drafts, oldest first.
    pub drafts: Vec<Draft>,
    /// How many findings of each severity reading made; `doctor` lists them and looks further.
    pub findings: BTreeMap<Severity, u64>,
    /// How a shared ledger stands with each remote that it is synced with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<RemoteStanding>,
    /// The store that the ledger belongs to, and how old the file is that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreAge>,
}

impl Overview {
    /// The same in words, in one line for a host's status line or in full.
    pub fn words(&self, call: &Call, in_a_line: bool) -> String {
        let environment = &call.workspace.environment;
        let (now, zone) = (environment.now_millis(), environment.zone());
        let input = StatusInput {
            root: call.workspace.root.path.as_str(),
            goal: self.goal.as_ref(),
            counts: &self.counts,
            drafts: &self.drafts,
            waiting: self.waiting,
            standings: &self.standings,
            findings: &self.findings,
            remotes: &self.remotes,
            clock: Clock::of(now, zone.as_ref()),
            session: call.caller.session.as_deref(),
            lost: self.counts.is_empty() && is_missing(&call.workspace),
        };
        if in_a_line {
            return render::status::line(&input);
        }
        let mut text = render::status::status(&input);
        if let Some(beside) = &self.beside {
            text += &format!("\n{beside}");
        }
        if let Some(store) = &self.store {
            text += &render::stores::age(store, now);
        }
        text
    }
}

/// Says how the project stands, as the caller's session sees it, with the goal that the call names, else
/// the focused one.
///
/// # Errors
/// The named goal is unknown or ambiguous; the system refuses to read the project.
pub fn status(call: &Call) -> Result<Overview, Failure> {
    let snapshot = call.look()?;
    let state = &snapshot.state;
    let id = focused(state, call.caller.session.as_deref());
    let named = call.named(&snapshot)?;
    let goal = named.or_else(|| id.and_then(|id| state.goals.get(id)));
    let hold = goal.map(|goal| hold(call, &snapshot, goal));
    let beside = goal.and_then(|goal| beside(call, &snapshot, goal));
    let goal = goal
        .map(|goal| view(call, &snapshot, goal, 0))
        .transpose()?;
    let looked = look(call, &snapshot)?;
    let counts = state.counts();
    let sum = |open: bool| {
        let of_kind = counts.iter().filter(|(status, _)| status.is_open() == open);
        of_kind.map(|(_, count)| count).sum()
    };
    // As replay has it: whether the user settled it is judged by what judges seals.
    let (unsettled, _) = snapshot.unsettled(snapshot.diagnostics.clone(), &state.settled)?;
    let findings = by_severity(&unsettled, &unsettled.not_listed());
    Ok(Overview {
        focused_goal_id: id.cloned(),
        open_goals: sum(true),
        terminal_goals: sum(false),
        goal,
        hold,
        beside,
        waiting: looked.waiting(&snapshot),
        standings: looked.standings(),
        drafts: state.drafts.open().cloned().collect(),
        findings,
        remotes: sync::standing(call, snapshot.extent.lines),
        store: store::age(call, state),
        counts,
    })
}
