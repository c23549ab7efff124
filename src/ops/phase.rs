//! In which phase of its work a session is, and what its project and goal make use of: from that
//! follows which tools its model is shown.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Caller;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::hold::Hold;
use crate::domain::task::question::pending;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::{hold, sessions};
use crate::ops::procedure::library;
use crate::snapshot::Snapshot;
use crate::workspace::config::{Role, resolve};
use crate::workspace::sessions::KnownSession;

/// What a session is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// No goal is focused, and none is discussed.
    None,
    /// A goal, or a change of one that rests, is discussed with the user.
    Draft,
    /// The focused goal is worked on.
    Active,
    /// The focused goal is paused or blocked.
    Resting,
    /// The focused goal is worked on in another session, so this one only reads it.
    Elsewhere,
}

/// What not every project or goal makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// A new goal is discussed.
    Drafts,
    /// A change of a contract is discussed.
    Changes,
    /// The goal has tasks.
    Tasks,
    /// A planner is configured, or there are procedures.
    Plans,
    /// A task of the goal is a tool to run or a question to ask.
    Steps,
    /// A check is configured, or an iteration is under way.
    Iterations,
    /// The goal was handed on, or a part of it was.
    Delegation,
    /// An interpreter is configured.
    Interpretation,
    /// A proposal, or a question about the goal, waits for the user.
    Waiting,
}

/// The phase of a session, and what its project uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionPhase {
    /// Nothing where there is no project with goals.
    pub phase: Option<Phase>,
    pub uses: BTreeSet<Use>,
}

/// The phase of the caller's session.
///
/// # Errors
/// The system refuses to read the project.
pub fn session_phase(call: &Call) -> Result<SessionPhase, Failure> {
    if !call.workspace.paths.home().is_dir() {
        return Ok(SessionPhase::default());
    }
    let snapshot = call.read()?;
    let state = &snapshot.state;
    let goal = call.focus(state);
    let drafts = || state.drafts.open();
    let mut uses = configured(call);
    uses.extend(drafts().map(|draft| match draft.mode {
        DraftMode::Tweak => Use::Changes,
        DraftMode::Regular | DraftMode::Sisyphus => Use::Drafts,
    }));
    if drafts().any(|draft| draft.proposal.is_some()) {
        uses.insert(Use::Waiting);
    }
    uses.extend(goal.into_iter().flat_map(of_goal));
    let phase = match phase(goal.map(|goal| goal.status), drafts()) {
        Phase::Active | Phase::Resting if is_elsewhere(call, &snapshot) => Phase::Elsewhere,
        phase => phase,
    };
    Ok(SessionPhase {
        phase: Some(phase),
        uses,
    })
}

/// Whether every session that this process serves sees the focused goal held by another one. Who serves no
/// known session, serves the one that works.
fn is_elsewhere(call: &Call, snapshot: &Snapshot) -> bool {
    let Some(goal) = call.focus(&snapshot.state) else {
        return false;
    };
    let served = sessions::served(call);
    let sees = |session: &KnownSession| {
        let caller = Caller {
            session: Some(session.session.clone()),
            ..call.caller.clone()
        };
        let call = Call {
            caller,
            ..call.clone()
        };
        hold(&call, snapshot, goal)
    };
    !served.is_empty() && served.iter().all(|it| sees(it) == Hold::Another)
}

fn phase<'a>(status: Option<Status>, mut drafts: impl Iterator<Item = &'a Draft>) -> Phase {
    match status {
        Some(Status::Active) => Phase::Active,
        // What the user wants to discuss comes before a goal that rests.
        Some(status) if status.is_open() => match drafts.any(|draft| draft.intent) {
            true => Phase::Draft,
            false => Phase::Resting,
        },
        _ if drafts.next().is_some() => Phase::Draft,
        _ => Phase::None,
    }
}

/// What the configuration offers. One that cannot be read offers nothing here: it is refused where
/// it is used.
fn configured(call: &Call) -> BTreeSet<Use> {
    let has_procedures = library(call).is_ok_and(|library| !library.procedures.is_empty());
    let loaded = call.workspace.config_files().ok();
    let config = loaded.as_ref().map(resolve).unwrap_or_default();
    let plays = |role| config.roles.0.contains_key(&role);
    let all = [
        (Use::Plans, has_procedures || plays(Role::Planner)),
        (Use::Interpretation, plays(Role::Interpreter)),
        (Use::Iterations, !config.checks.is_empty()),
    ];
    all.into_iter().filter_map(used).collect()
}

fn of_goal(goal: &Goal) -> impl Iterator<Item = Use> + use<> {
    let performed = goal.tasks.flat().into_iter().any(|(_, task)| {
        let name = task.pred.as_ref().map(|pred| pred.name.as_str());
        !matches!(name, None | Some("execute" | "composite"))
    });
    let is_asked = !pending(&goal.tasks, &TaskStatuses::of(&goal.tasks)).is_empty();
    let is_shared = goal.parent.is_some() || !goal.delegated.is_empty();
    let all = [
        (Use::Tasks, !goal.tasks.specs.is_empty()),
        (Use::Steps, performed),
        (Use::Iterations, !goal.iterations.open.is_empty()),
        (Use::Delegation, is_shared),
        (Use::Waiting, is_asked),
    ];
    all.into_iter().filter_map(used)
}

fn used((what, is_used): (Use, bool)) -> Option<Use> {
    is_used.then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::Project;

    fn at(lines: &[&str]) -> SessionPhase {
        session_phase(&Project::with(lines).call(None)).unwrap()
    }

    const SET: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00Z"}"#;
    const PAUSED: &str =
        r#"{"type":"goal_paused","goalId":"a","reason":"r","at":"2026-01-01T00:00:01Z"}"#;

    const NEW: &str = r#"{"type":"draft_started","draftId":"d","topic":"t","mode":"regular","at":"2026-01-01T00:00:02Z"}"#;
    const CHANGE: &str = r#"{"type":"draft_started","goalId":"a","draftId":"d","topic":"t","mode":"tweak","at":"2026-01-01T00:00:02Z"}"#;

    #[test]
    fn each_phase_follows_from_focus_and_drafts() {
        assert_eq!(at(&[]).phase, Some(Phase::None));
        assert_eq!(at(&[NEW]).phase, Some(Phase::Draft));
        assert_eq!(at(&[SET]).phase, Some(Phase::Active));
        assert_eq!(at(&[SET, NEW]).phase, Some(Phase::Active));
        assert_eq!(at(&[SET, PAUSED]).phase, Some(Phase::Resting));
        assert_eq!(at(&[SET, PAUSED, NEW]).phase, Some(Phase::Draft));
    }

    #[test]
    fn a_goal_uses_what_its_lines_say() {
        let tasks = r#"{"type":"task_list_set","goalId":"a","taskCount":1,"blockCompletion":false,"tasks":[{"id":"1","title":"t","pred":{"name":"tool"}}],"at":"2026-01-01T00:00:03Z"}"#;
        let uses = |lines: &[&str]| at(lines).uses.into_iter().collect::<Vec<_>>();
        assert_eq!(uses(&[SET]), []);
        assert_eq!(uses(&[SET, tasks]), [Use::Tasks, Use::Steps]);
        assert_eq!(uses(&[SET, CHANGE]), [Use::Changes]);
        assert_eq!(uses(&[SET, NEW]), [Use::Drafts]);
    }

    #[test]
    fn without_a_directory_of_goals_there_is_no_phase() {
        let project = Project::with(&[] as &[&str]);
        let call = project.call(None);
        std::fs::remove_dir_all(call.workspace.paths.home()).unwrap();
        assert_eq!(session_phase(&call).unwrap(), SessionPhase::default());
    }
}
