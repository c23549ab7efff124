//! The runs of a goal: how many turns each had, what came of them, and why it stopped.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::cost::state::SECONDS;
use crate::domain::event::{Event, IterationValidated, Payload};
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, RawLine};
use crate::domain::run::liveness::{Heard, Liveness};
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
    /// Null while it is under way, or where its runner died.
    pub stopped_at: Option<String>,
    /// Why it stopped, a word of `StopCause`.
    pub cause: Option<String>,
    pub detail: Option<String>,
    /// Its runner is alive, as this machine sees.
    pub live: bool,
    /// Where it is under way, where this machine cannot see whether its runner is alive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_on: Option<Heard>,
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

/// One turn: it was validated, or the goal ended in it.
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
    /// What the agent promised, `COMPLETE` or `BLOCKED`.
    pub promise: Option<String>,
    /// Whether it changed a file or made a commit.
    pub changed: Option<bool>,
    pub head: Option<String>,
    /// The agent's last words.
    pub said: Option<String>,
    /// Why what was changed by then is not committed, in a run that makes commits.
    pub uncommitted: Option<String>,
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

/// A wait for a program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    pub at: String,
    pub cause: String,
    pub seconds: u64,
    pub detail: Option<String>,
}

impl RunReport {
    /// Says what was found out about the runner of the goal's open run, of which this is the latest.
    pub fn be_found(&mut self, liveness: Option<Liveness>) {
        (self.live, self.running_on) = match liveness {
            Some(Liveness::Live) => (true, None),
            Some(Liveness::Unknown(heard)) => (false, Some(heard)),
            Some(Liveness::Dead) | None => (false, None),
        };
    }

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
                running_on: None,
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
                let has_more = |last: &u64| *last > run.turns.len() as u64;
                if it.last_turn.as_ref().is_some_and(has_more) {
                    let usage = std::mem::take(&mut self.usage);
                    run.turns.push(TurnReport {
                        turn: run.turns.len() as u64 + 1,
                        at: at.clone(),
                        task_id: None,
                        seconds: usage.get(SECONDS).copied(),
                        usage,
                        failed: None,
                        checks: BTreeMap::new(),
                        promise: None,
                        changed: None,
                        head: it.head.clone(),
                        said: it.said.clone(),
                        uncommitted: None,
                    });
                }
            }
            Payload::RunWaiting(it) if it.run_id == run.run_id => run.waits.push(Wait {
                at: at.clone(),
                cause: it.cause.clone(),
                seconds: it.seconds,
                detail: match (&it.detail, &it.fallback) {
                    (Some(detail), Some(who)) => Some(format!("{detail}; {who} works meanwhile")),
                    (None, Some(who)) => Some(format!("{who} works meanwhile")),
                    (detail, None) => detail.clone(),
                },
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
                    promise: promised(it),
                    changed: it.changed,
                    head: it.head.clone(),
                    said: it.said.clone(),
                    uncommitted: it.uncommitted.clone(),
                });
            }
            _ => {}
        }
    }
}

/// What the agent promised. Earlier versions recorded only what came of it: where rules decided, they do not
/// say whether there was a promise.
fn promised(validated: &IterationValidated) -> Option<String> {
    let by_word = || validated.results.is_empty() || validated.results.values().any(|it| !it.pass);
    let signal = || validated.signal.clone().filter(|_| by_word());
    validated.promise.clone().or_else(signal)
}

/// Adds counters to sums, which are shown and decide nothing.
fn add(sums: &mut BTreeMap<String, f64>, counters: &BTreeMap<String, f64>) {
    for (name, number) in counters {
        *sums.entry(name.clone()).or_default() += number;
    }
}
