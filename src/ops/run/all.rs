//! Running every open goal, one at a time, the most important first.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::watch::pause;
use super::{Asked, Observer, Ran, RunUpdate, Signals, is_waiting, run};
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::progress::tick::interval;
use crate::domain::run::stop::Cause;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::config::resolve;

/// The outcome of `run`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    /// In the order in which they stopped; of `--all` a goal may stand here more than once.
    pub runs: Vec<Ran>,
}

impl Runs {
    /// Why the call is no success, as far as it is none.
    pub fn failure(&self) -> Option<Failure> {
        let ran = self.runs.iter().find(|ran| !ran.cause.is_success())?;
        let id = &ran.goal_id;
        let hint = match ran.cause {
            Cause::Interrupted | Cause::Paused | Cause::Blocked | Cause::Budget => {
                format!("`goal show {id}` says more; `goal resume --run --goal {id}` goes on")
            }
            Cause::Ended if ran.status == Status::Complete => format!(
                "`goal show {id}` says how it was completed; set the goal again if it is to pass the gate"
            ),
            Cause::Ended => "create a new goal for what is left to do".to_owned(),
            Cause::AgentFailed => "mend its command; `goal config` shows what is in force".into(),
            Cause::AuditErrors => "try the auditor with `goal auditor test`".to_owned(),
            _ => format!("`goal log --goal {id}` says what happened; `goal run {id}` goes on"),
        };
        let message = format!("the run of goal {id} stopped: {}", ran.cause);
        Some(match ran.cause {
            Cause::Interrupted => Failure::new("interrupted", message, hint),
            Cause::LeaseLost => Failure::new("lease_lost", message, hint),
            _ => Failure::new("run_stopped", message, hint),
        })
    }
}

/// Runs the active goals by priority, until none is left that a run could do anything for. Goals
/// that wait for an answer are waited for when nothing else is left.
///
/// # Errors
/// What [`run`] is refused for every goal.
pub fn all(
    call: &mut Call,
    asked: &Asked,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<Runs, Failure> {
    super::allowed(call, asked)?;
    resume_interrupted(call)?;
    let mut runs = Vec::new();
    // A goal whose run stopped is run again once somebody has recorded something of it.
    let mut left: BTreeMap<GoalId, Option<LineRef>> = BTreeMap::new();
    loop {
        let snapshot = call.read()?;
        let mut open: Vec<&Goal> = snapshot.state.open();
        open.retain(|goal| goal.keeper == Keeper::Ours && goal.status == Status::Active);
        let changed = |goal: &&&Goal| left.get(&goal.id) != Some(&goal.latest);
        let next = open
            .iter()
            .filter(changed)
            .filter(|goal| !is_waiting(goal))
            .max_by(|a, b| {
                a.contract
                    .rank()
                    .total_cmp(&b.contract.rank())
                    .then(b.ordinal.cmp(&a.ordinal))
            });
        let Some(next) = next.map(|goal| goal.id.clone()) else {
            if !open.iter().any(|goal| is_waiting(goal)) {
                return Ok(Runs { runs });
            }
            tell(RunUpdate::Say(
                "Questions wait for you: `goal questions` shows them, `goal answer` answers.",
            ));
            if pause(call, signals, interval(None, true))? {
                return Ok(Runs { runs });
            }
            continue;
        };
        let before = call.goal.replace(next.to_string());
        let asked = Asked {
            among_others: true,
            ..asked.clone()
        };
        let ran = run(call, &asked, signals, tell);
        call.goal = before;
        match ran {
            Ok(ran) => {
                let interrupted = ran.cause == Cause::Interrupted;
                runs.push(ran);
                if interrupted {
                    return Ok(Runs { runs });
                }
            }
            // Somebody works it: what they record makes it a candidate again.
            Err(held) if held.code == "lease_held" => tell(RunUpdate::Say(&held.message)),
            Err(failure) => return Err(failure),
        }
        let latest = call
            .read()?
            .state
            .goals
            .get(&next)
            .and_then(|goal| goal.latest);
        left.insert(next, latest);
    }
}

/// Resumes the goals that an interrupted run left paused, where the user's configuration says so.
fn resume_interrupted(call: &Call) -> Result<(), Failure> {
    if !resolve(&call.workspace.config_files()?)
        .keys
        .runner
        .auto_continue
        .value
    {
        return Ok(());
    }
    let interrupted = |goal: &&Goal| {
        let closed = goal.runs.closed.as_ref();
        goal.status == Status::Paused
            && goal
                .pause
                .as_ref()
                .is_some_and(|pause| pause.by == Some(Actor::System))
            && closed.is_some_and(|(_, cause)| cause == Cause::Interrupted.name())
    };
    let snapshot = call.read()?;
    let open = snapshot.state.open().into_iter();
    for goal in open.filter(interrupted) {
        let reason = "its run goes on (`runner.autoContinue`)".to_owned();
        call.request(Command::Resume { reason })
            .naming(&goal.id)
            .run()?;
    }
    Ok(())
}
