//! The runs on record: how many turns each had, what came of them, why it stopped and what it waits for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::NeedKind;
use crate::domain::history::RunReport;
use crate::ops::attention::of_goal;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::render::text::one_line;
use crate::workspace::turns::{TurnRecord, kept};

/// Runs in order of their start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReports {
    pub runs: Vec<RunReport>,
}

/// The runs of the goal that is named, or of all; with `live` only those that are worked now, and those
/// of which nobody here can know.
///
/// # Errors
/// The ledger cannot be read, or no goal is meant.
pub fn runs(call: &Call, live: bool) -> Result<RunReports, Failure> {
    let snapshot = call.read()?;
    let wanted = call.named(&snapshot)?.map(|goal| &goal.id);
    let mut history = snapshot.history(wanted)?;
    let workers = Workers::of_all(call);
    for (id, past) in &mut history.goals {
        let Some(goal) = snapshot.state.goals.get(id) else {
            continue;
        };
        past.finish(goal, workers.of_run(goal));
        if let Some(latest) = past.runs.last_mut() {
            let needs = of_goal(call, &snapshot, goal, &workers)?.needs;
            // The report itself says that the run stopped.
            let needs = needs.iter().filter(|it| it.kind != NeedKind::RunStopped);
            latest.waits_for = needs.map(|it| one_line(&it.reason)).collect();
        }
    }
    let mut runs = history.into_runs();
    runs.retain(|run| !live || run.live || run.running_on.is_some());
    Ok(RunReports { runs })
}

/// One run, by its id or the beginning of one, or the latest where `last` is said; with what its turns
/// left behind.
///
/// # Errors
/// The ledger cannot be read; no run is meant, or several are.
pub fn one(call: &Call, named: &str) -> Result<(RunReport, Vec<Kept>), Failure> {
    let mut all = runs(call, false)?.runs;
    if all.is_empty() {
        let hint = "`goal run` starts one; `goal runs --help` says what is on record of it";
        return Err(Failure::usage("no run is on record", hint));
    }
    let meant = |run: &RunReport| run.run_id.starts_with(named);
    let found = match named {
        "last" => all.pop(),
        _ if all.iter().filter(|run| meant(run)).count() == 1 => all.into_iter().find(meant),
        _ => None,
    };
    let run = found.ok_or_else(|| {
        let problem = format!("`{}` names no run, or several", one_line(named));
        Failure::usage(
            problem,
            "`goal runs` lists them; `goal runs last` is the latest",
        )
    })?;
    let kept = kept(&call.workspace.paths, &run.run_id).into_iter();
    let kept = kept.map(|(dir, record)| Kept {
        path: call.workspace.paths.relative(&dir).to_string(),
        record,
    });
    let kept = kept.collect();
    Ok((run, kept))
}

/// What a turn left behind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Its directory, with `prompt.md`, `stdout.txt`, `stderr.txt` and `turn.json`.
    pub path: String,
    /// How it went; null while it is under way, or its runner died.
    pub record: Option<TurnRecord>,
}
