//! The runs of a goal: how many turns each had, what came of them, and why it stopped.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::cost::state::SECONDS;
use crate::domain::event::{Event, Payload};
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, RawLine};
use crate::domain::time::millis;
use crate::domain::verdict::Verdict;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// The line with which it began.
    #[serde(skip)]
    pub line: LineRef,
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
    /// Of that, what each role cost that was asked.
    pub roles: BTreeMap<String, BTreeMap<String, f64>>,
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
    /// What it cost, as far as its host or the agent told: tokens, money, calls, seconds.
    pub usage: BTreeMap<String, f64>,
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

/// What is known of a goal's run that is under way, beside its report.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    session: Option<String>,
    /// The task of each loop of iterations.
    tasks: BTreeMap<String, String>,
    /// What the turn under way cost.
    usage: BTreeMap<String, f64>,
}

impl UnderWay {
    /// Takes the next event of a goal with these runs.
    pub fn take(
        &mut self,
        runs: &mut Vec<RunReport>,
        id: &GoalId,
        raw: &RawLine<'_>,
        event: &Event,
    ) {
        let at = &event.at;
        if let Payload::RunStarted(it) = &event.payload {
            self.session.clone_from(&event.envelope.session);
            self.usage.clear();
            runs.push(RunReport {
                line: LineRef::from(*raw),
                run_id: it.run_id.clone(),
                goal_id: id.clone(),
                title: String::new(),
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
                roles: BTreeMap::new(),
                waits_for: Vec::new(),
            });
        }
        let latest = runs.last_mut();
        let Some(run) = latest.filter(|run| run.stopped_at.is_none()) else {
            return;
        };
        match &event.payload {
            Payload::RunStopped(it) if it.run_id == run.run_id => {
                run.stopped_at = Some(at.clone());
                run.cause = Some(it.cause.clone());
                run.detail.clone_from(&it.detail);
                run.head_after.clone_from(&it.head);
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
                add(&mut run.usage, &it.counters);
                match &it.role {
                    Some(role) => add(run.roles.entry(role.clone()).or_default(), &it.counters),
                    None if self.session == event.envelope.session => {
                        add(&mut self.usage, &it.counters);
                    }
                    None => {}
                }
            }
            Payload::IterationStarted(it) => {
                if let Some(task) = &it.task_id {
                    self.tasks.insert(it.iteration_id.clone(), task.clone());
                }
            }
            Payload::IterationValidated(it) if it.run_id.as_ref() == Some(&run.run_id) => {
                let checks = it.checks.iter().flatten();
                let usage = std::mem::take(&mut self.usage);
                run.turns.push(TurnReport {
                    turn: run.turns.len() as u64 + 1,
                    at: at.clone(),
                    task_id: self.tasks.get(&it.iteration_id).cloned(),
                    seconds: usage.get(SECONDS).copied(),
                    usage,
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

/// Adds counters to sums, which are shown and decide nothing.
fn add(sums: &mut BTreeMap<String, f64>, counters: &BTreeMap<String, f64>) {
    for (name, number) in counters {
        *sums.entry(name.clone()).or_default() += number;
    }
}
