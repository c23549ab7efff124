//! The runs on record: how many turns each had, what came of them, why it stopped and what it waits for.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::{Event, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::select;
use crate::domain::task::pending::pending;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time::millis;
use crate::domain::verdict::Verdict;
use crate::domain::wire::Decoded;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lease::held;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::workspace::turns::{TurnRecord, kept};

/// Runs in order of their start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReports {
    pub runs: Vec<RunReport>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    pub run_id: String,
    pub goal_id: GoalId,
    /// The goal's title.
    pub title: String,
    pub agent: String,
    pub started_at: String,
    /// Null while it is under way, or its runner died.
    pub stopped_at: Option<String>,
    /// Why it stopped, a word of `StopCause`.
    pub cause: Option<String>,
    pub detail: Option<String>,
    /// A process holds the goal's lease and works.
    pub live: bool,
    /// The run of a runner that died, which this one went on with.
    pub resumes: Option<String>,
    pub max_iterations: Option<u64>,
    /// The commit at the beginning and at the end.
    pub head_before: Option<String>,
    pub head_after: Option<String>,
    pub turns: Vec<TurnReport>,
    pub audits: Vec<AuditSeen>,
    pub waits: Vec<Wait>,
    /// Sums of what was recorded while it was under way.
    pub usage: BTreeMap<String, f64>,
    /// What waits for the user now; only of a goal's latest run.
    pub waits_for: Vec<String>,
}

/// One turn that was validated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnReport {
    /// From 1, in its run.
    pub turn: u64,
    pub at: String,
    pub task_id: Option<String>,
    /// How long the agent worked.
    pub seconds: Option<f64>,
    /// How its process ended, where it did not end well.
    pub failed: Option<String>,
    /// Every check that ran, and whether it passed.
    pub checks: BTreeMap<String, bool>,
    pub signal: Option<String>,
    /// Whether it changed a file or made a commit.
    pub changed: Option<bool>,
    pub head: Option<String>,
    /// The agent's last words.
    pub said: Option<String>,
}

/// An audit while the run was under way.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSeen {
    pub at: String,
    pub verdict: Verdict,
    /// The report's first line.
    pub report: String,
}

/// A time that the run waited for a program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    pub at: String,
    pub cause: String,
    pub seconds: u64,
    pub detail: Option<String>,
}

impl RunReport {
    /// How long it went on, in seconds, where both ends are known.
    pub fn seconds(&self) -> Option<u64> {
        let (from, to) = (
            millis(&self.started_at)?,
            millis(self.stopped_at.as_deref()?)?,
        );
        u64::try_from(to.saturating_sub(from) / 1000).ok()
    }
}

/// The runs of the goal that is named, or of all; only those that a process works now with `live`.
///
/// # Errors
/// The ledger cannot be read, or no goal is meant.
pub fn runs(call: &Call, live: bool) -> Result<RunReports, Failure> {
    let snapshot = call.read()?;
    let named = call.goal.as_ref();
    let wanted = named
        .map(|named| select::by_text(&snapshot.state, named).map(|goal| goal.id.clone()))
        .transpose()?;
    let mut runs = recorded(&snapshot, wanted.as_ref())?;
    let leases = held(call);
    for goal in snapshot.state.goals.values() {
        let id = &goal.id;
        let open = goal.runs.open.as_ref().filter(|_| leases.contains_key(id));
        if let Some(latest) = runs.iter_mut().rfind(|run| run.goal_id == *id) {
            latest.live = open.is_some_and(|open| open.id == latest.run_id);
            latest.waits_for = waits_for(goal);
        }
    }
    runs.retain(|run| !live || run.live);
    Ok(RunReports { runs })
}

/// One run, by its id or the beginning of one, or the latest where `last` is said; with what its turns
/// left behind.
///
/// # Errors
/// The ledger cannot be read; no run is meant, or several are.
pub fn one(call: &Call, named: &str) -> Result<(RunReport, Vec<Kept>), Failure> {
    let mut all = runs(call, false)?.runs;
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

fn waits_for(goal: &Goal) -> Vec<String> {
    if !goal.status.is_open() {
        return Vec::new();
    }
    let questions = pending(&goal.tasks, &TaskStatuses::of(&goal.tasks)).into_iter();
    let questions = questions.map(|question| one_line(&question.question));
    let stands = goal.status.name();
    let pause = goal.pause.as_ref();
    let pause = pause.map(|pause| format!("{stands}: {}", one_line(&pause.reason)));
    questions.chain(pause).collect()
}

/// Reads the runs off the ledger.
fn recorded(snapshot: &Snapshot, wanted: Option<&GoalId>) -> io::Result<Vec<RunReport>> {
    let mut fold = Fold::default();
    snapshot.each_line(|_, decoded| {
        if let Decoded::Event { event, .. } = decoded
            && let Some(id) = &event.goal_id
            && wanted.is_none_or(|wanted| wanted == id)
        {
            let goal = snapshot.state.goals.get(id);
            let title = goal.map_or("", |goal| goal.contract.heading());
            fold.event(id, title, &event);
        }
    })?;
    Ok(fold.runs)
}

/// Runs while their lines are read.
#[derive(Default)]
struct Fold {
    runs: Vec<RunReport>,
    /// The place of the run that is under way on a goal.
    open: BTreeMap<GoalId, usize>,
    /// The task of each loop of iterations.
    tasks: BTreeMap<String, String>,
    /// How long the agent of each goal's turn under way worked.
    seconds: BTreeMap<GoalId, f64>,
}

impl Fold {
    fn event(&mut self, id: &GoalId, title: &str, event: &Event) {
        let at = &event.at;
        if let Payload::RunStarted(it) = &event.payload {
            self.open.insert(id.clone(), self.runs.len());
            self.runs.push(RunReport {
                run_id: it.run_id.clone(),
                goal_id: id.clone(),
                title: title.to_owned(),
                agent: it.agent.clone(),
                started_at: at.clone(),
                stopped_at: None,
                cause: None,
                detail: None,
                live: false,
                resumes: it.resumes.clone(),
                max_iterations: it.max_iterations,
                head_before: it.head.clone(),
                head_after: None,
                turns: Vec::new(),
                audits: Vec::new(),
                waits: Vec::new(),
                usage: BTreeMap::new(),
                waits_for: Vec::new(),
            });
        }
        let place = self.open.get(id).copied();
        let Some(run) = place.and_then(|at| self.runs.get_mut(at)) else {
            return;
        };
        match &event.payload {
            Payload::RunStopped(it) if it.run_id == run.run_id => {
                run.stopped_at = Some(at.clone());
                run.cause = Some(it.cause.clone());
                run.detail.clone_from(&it.detail);
                run.head_after.clone_from(&it.head);
                self.open.remove(id);
            }
            Payload::RunWaiting(it) if it.run_id == run.run_id => run.waits.push(Wait {
                at: at.clone(),
                cause: it.cause.clone(),
                seconds: it.seconds,
                detail: it.detail.clone(),
            }),
            Payload::AuditResult(it) => run.audits.push(AuditSeen {
                at: at.clone(),
                verdict: it.verdict,
                report: it.report.lines().next().unwrap_or_default().to_owned(),
            }),
            Payload::UsageRecorded(it) => {
                if let Some(seconds) = it.counters.get("seconds") {
                    self.seconds.insert(id.clone(), *seconds);
                }
                for (name, number) in &it.counters {
                    *run.usage.entry(name.clone()).or_default() += number;
                }
            }
            Payload::IterationStarted(it) => {
                if let Some(task) = &it.task_id {
                    self.tasks.insert(it.iteration_id.clone(), task.clone());
                }
            }
            Payload::IterationValidated(it) if it.run_id.as_ref() == Some(&run.run_id) => {
                let checks = it.checks.iter().flatten();
                run.turns.push(TurnReport {
                    turn: run.turns.len() as u64 + 1,
                    at: at.clone(),
                    task_id: self.tasks.get(&it.iteration_id).cloned(),
                    seconds: self.seconds.remove(id),
                    failed: it.agent.clone(),
                    checks: checks
                        .map(|(name, seen)| (name.clone(), seen.pass))
                        .collect(),
                    signal: it.signal.clone(),
                    changed: it.changed,
                    head: it.head.clone(),
                    said: it.said.clone(),
                });
            }
            _ => {}
        }
    }
}
