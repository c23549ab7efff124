//! What an agent asks first: the focused goal in full, what objections there are, what is next.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::decide::needs_adoption;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::verdict::Verdict;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::beside;
use crate::ops::plan::{SuggestedProcedure, may_apply};
use crate::ops::prompt::{self, Reader};
use crate::ops::show::view;
use crate::ops::uncounted;
use crate::render::next::{rejected, what_next};
use crate::render::prompt::PromptKind;
use crate::render::surface::Surface;
use crate::render::view::{AuditView, GoalView};
use crate::render::waiting::at_moment;

/// Where an agent stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Orientation {
    /// Null when nothing is focused.
    pub focused_goal_id: Option<GoalId>,
    /// The focused goal in full, but for its events.
    pub goal: Option<GoalView>,
    /// How many other goals are open; they are not the agent's to choose from.
    pub other_open_goals: u64,
    /// The open drafts, oldest first.
    pub drafts: Vec<Draft>,
    /// The focused goal's latest audit, when it did not approve: address this first.
    pub objections: Option<AuditView>,
    /// What to do next.
    pub next: String,
    /// The procedure that may apply to what is to be planned next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedure: Option<SuggestedProcedure>,
    /// Said to an agent that reads again instead of working.
    pub nudge: Option<String>,
    /// What the session is told of a goal that it does not hold, in one line.
    #[serde(skip)]
    pub beside: Option<String>,
    /// That the session's host reports no cost, where the goal has limits.
    #[serde(skip)]
    pub uncounted: Option<String>,
    /// The prompt to work by.
    #[serde(skip)]
    pub prompt: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

/// Orients an agent that has asked `asked` times in this turn, this time included. Asking again
/// is answered in full; a nudge is added, and nothing is refused.
///
/// # Errors
/// A goal is named that is not the agent's focused one; the system refuses to read the project.
pub fn orient(call: &Call, asked: u32) -> Result<Orientation, Failure> {
    let snapshot = call.look()?;
    let goal = match call.target(&snapshot) {
        Ok(goal) => Some(goal),
        Err(missed) if call.goal.is_some() => return Err(missed.into()),
        Err(_) => None,
    };
    let kind = match goal {
        Some(_) => PromptKind::Active.fitting(goal, None),
        None => PromptKind::Unfocused,
    };
    let id = goal.map(|goal| &goal.id);
    let state = &snapshot.state;
    let session = call.caller.session.as_deref();
    let now = call.workspace.environment.now_millis();
    let mut next = what_next(state, session, Actor::Agent, Some(now));
    let mut prompted = prompt::fill(call, &snapshot, kind, id, Reader::WITH_TOOLS)?;
    prompted.prompt = at_moment(prompted.prompt, goal.and_then(Goal::waits_for), now);
    if goal.is_none()
        && let Some(lost) = call.lost(&snapshot)
    {
        prompted.prompt = format!("{}\n", Surface::Tools.words(&lost));
        next = lost;
    }
    if let Some(rules) = prompt::drafting(call, &snapshot, id, Reader::WITH_TOOLS)? {
        prompted.prompt = format!("{}\n{}", prompted.prompt, rules.prompt);
        prompted.notices.extend(rules.notices);
    }
    if goal.is_some()
        && let Some(rejected) = rejected(state, goal, session)
    {
        prompted.prompt.push_str(&format!("\n{rejected}\n"));
    }
    let workable = goal.filter(|goal| goal.status == Status::Active && !needs_adoption(goal));
    let procedure = workable.map(|goal| may_apply(call, goal)).transpose()?;
    let procedure = procedure.flatten();
    if let Some(procedure) = &procedure {
        let line = format!("\n{}.\n", procedure.text());
        prompted.prompt.push_str(&Surface::Tools.words(&line));
    }
    let view = goal
        .map(|goal| view(call, &snapshot, goal, 0))
        .transpose()?;
    let audit = view.as_ref().and_then(|view| view.latest_audit.clone());
    let beside = goal.and_then(|goal| beside(call, &snapshot, goal));
    let is_open = goal.is_some_and(|goal| goal.status.is_open());
    Ok(Orientation {
        focused_goal_id: id.cloned(),
        other_open_goals: state.open_count() - u64::from(is_open),
        drafts: state.drafts.open().cloned().collect(),
        objections: audit.filter(|audit| audit.verdict != Verdict::Approved),
        procedure,
        next: Surface::Tools.words(&next),
        nudge: (asked > 1).then(|| nudge(asked, workable.is_some())),
        goal: view,
        beside: beside.map(|it| Surface::Tools.words(&it)),
        uncounted: workable.and_then(|goal| uncounted::here(call, goal)),
        prompt: prompted.prompt,
        notices: prompted.notices,
    })
}

/// Where nothing is to be done for the goal now, no step is spoken of.
fn nudge(asked: u32, is_worked: bool) -> String {
    let then = match is_worked {
        true => "do what is next, or say with `pause_goal` why you cannot",
        false => "tell the user what it waits for, and end the turn",
    };
    format!("You have read the goal {asked} times in this turn, and reading is not a step: {then}.")
}
