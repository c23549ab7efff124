//! What [`attention`] and [`standing`] are not told by the ledger alone: the time, who works, audits that
//! run, seals, remotes. Whoever shows what waits or how goals stand asks here.

use std::collections::BTreeMap;
use std::io;

use crate::domain::actor::Actor;
use crate::domain::attention::{
    Facts, Lines, Need, Needs, Standing, Thresholds, Unsynced, attention, attention_of, count,
    standing,
};
use crate::domain::cost::budget::raised;
use crate::domain::diagnostic::Code;
use crate::domain::goal::row::{Row, WhileOpen};
use crate::domain::goal::state::{Goal, Pause};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::run::liveness::Liveness;
use crate::domain::wire::at_of;
use crate::ops::call::Call;
use crate::ops::complete::standing_now;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::run::is_committed;
use crate::ops::sync;
use crate::ops::workers::{Workers, left_task};
use crate::render::sync::RemoteStanding;
use crate::render::view::{AuditStanding, ToSettle};
use crate::roles::command::{Choosing, CommandOptions};
use crate::snapshot::Snapshot;
use crate::workspace::config::{Role, resolve};
use crate::workspace::presets::Preset;
use crate::workspace::trust::Part;

/// The goals about which something can wait, and what is to be known about them.
#[derive(Debug)]
pub struct WaitingGoals {
    pub(super) rows: Vec<Row>,
    pub(super) facts: Facts,
}

impl WaitingGoals {
    /// Everything that waits for the person, oldest first.
    pub fn needs(&self, snapshot: &Snapshot) -> Vec<Need> {
        attention(&self.rows, &snapshot.state, &self.facts)
    }

    /// How many things wait.
    pub fn waiting(&self, snapshot: &Snapshot) -> u64 {
        count(&self.rows, &snapshot.state, &self.facts)
    }

    /// How many open goals stand so.
    pub fn standings(&self) -> BTreeMap<Standing, u64> {
        let open = self.rows.iter().filter(|it| it.status.is_open());
        counted(open.map(|row| standing(row, &self.facts)))
    }
}

/// How often each of these is there.
pub(super) fn counted<K: Ord>(all: impl Iterator<Item = K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for it in all {
        *counts.entry(it).or_default() += 1;
    }
    counts
}

/// Looks at everything that can wait.
///
/// # Errors
/// The system refuses to read the project.
pub fn look(call: &Call, snapshot: &Snapshot) -> Result<WaitingGoals, Failure> {
    look_with(call, snapshot, &Workers::of_all(call))
}

/// The same for a caller who has looked at who works.
///
/// # Errors
/// The system refuses to read the project.
pub(super) fn look_with(
    call: &Call,
    snapshot: &Snapshot,
    workers: &Workers<'_>,
) -> Result<WaitingGoals, Failure> {
    let rows = snapshot.rows_to_look_at()?;
    let mut facts = facts(call, snapshot, &rows, workers)?;
    facts.unsynced = unsynced(call, snapshot);
    if rows.iter().any(|it| it.status.is_open()) {
        facts.untrusted = untrusted(call);
    }
    Ok(WaitingGoals { rows, facts })
}

/// How one goal stands.
#[derive(Debug, Clone)]
pub struct Stands {
    pub standing: Standing,
    /// What waits about it, oldest first.
    pub needs: Needs,
    /// How its audit stands, where one was asked for.
    pub audit: Option<AuditStanding>,
    /// How many lines about it wait for the user's word.
    pub to_settle: Option<ToSettle>,
}

/// How one goal stands.
///
/// # Errors
/// The system refuses to read the project.
pub fn of_goal(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    workers: &Workers<'_>,
) -> Result<Stands, Failure> {
    let row = Row::of(goal, snapshot.audited(goal)?);
    let mut facts = facts(call, snapshot, std::slice::from_ref(&row), workers)?;
    let count = |lines: Option<Lines>| lines.map_or(0, |lines| lines.count);
    let needs = attention_of(&row, &snapshot.state, &facts);
    let standing = standing(&row, &facts);
    let to_settle = ToSettle {
        unproven: count(facts.unproven.remove(&goal.id)),
        foreign: count(facts.foreign.remove(&goal.id)),
    };
    Ok(Stands {
        standing,
        needs,
        audit: standing_now(call, snapshot, goal)?,
        to_settle: (to_settle.unproven + to_settle.foreign > 0).then_some(to_settle),
    })
}

/// What [`standing`] is not told by the rows of these goals. Unlike what waits it needs no line of
/// the ledger.
///
/// # Errors
/// The system refuses to read the project.
pub fn facts_of_standing(
    call: &Call,
    snapshot: &Snapshot,
    rows: &[Row],
    workers: &Workers<'_>,
) -> Result<Facts, Failure> {
    let mut facts = Facts {
        now: call.workspace.environment.now_millis(),
        thresholds: thresholds(call),
        leased: workers.leased(),
        ..Facts::default()
    };
    for (row, open) in with_open(rows) {
        let run = open.run.as_ref();
        if run.is_some_and(|run| workers.liveness(&row.id, run) == Liveness::Dead) {
            facts.dead.insert(row.id.clone());
        }
        if open.in_audit {
            note_audit(call, snapshot, &row.id, &mut facts)?;
        }
    }
    Ok(facts)
}

/// The open goals among them.
fn with_open(rows: &[Row]) -> impl Iterator<Item = (&Row, &WhileOpen)> {
    let all = rows.iter();
    all.filter_map(|row| Some((row, row.open.as_deref()?)))
}

/// What [`attention`] and [`standing`] are not told by the rows of these goals. Of ended goals hardly
/// anything depends on it.
///
/// # Errors
/// The system refuses to read the project.
pub fn facts(
    call: &Call,
    snapshot: &Snapshot,
    rows: &[Row],
    workers: &Workers<'_>,
) -> Result<Facts, Failure> {
    let mut facts = facts_of_standing(call, snapshot, rows, workers)?;
    let settled = &snapshot.state.settled;
    for (row, open) in with_open(rows) {
        let pause = open.pause.as_ref();
        let is_over = pause.is_some_and(|it| it.source.as_deref() == Some(Pause::BUDGET));
        let goal = || snapshot.state.goals.get(&row.id);
        if is_over && let Some(raise) = goal().and_then(raised) {
            facts.raises.insert(row.id.clone(), raise);
        }
        if let Some(left) = left_task(&snapshot.state, row, workers) {
            facts.left_tasks.insert(row.id.clone(), left);
        }
        let waiting = snapshot.waiting(&open.foreign, settled)?;
        let waiting: Vec<LineRef> = waiting.into_iter().map(|(line, _)| line).collect();
        if !waiting.is_empty() {
            facts
                .foreign
                .insert(row.id.clone(), lines(snapshot, &waiting)?);
        }
    }
    let consents = with_open(rows).map(|(row, open)| (&row.id, &open.consents[..]));
    let evidence = Evidence::of(&call.workspace, snapshot)?;
    for (id, waiting) in evidence.unproven_of(snapshot, consents)? {
        facts.unproven.insert(id, lines(snapshot, &waiting)?);
    }
    for row in rows {
        let left = row.uncommitted.as_ref();
        if left.is_some_and(|left| is_committed(call, &row.id, left)) {
            facts.committed.insert(row.id.clone());
        }
        if let Some(line) = row.outside
            && settled.covers(Code::UnauditedCompletion, snapshot.id(line)?)
        {
            facts.known_outside.insert(row.id.clone());
        }
    }
    facts.agents = other_agents(call, rows);
    Ok(facts)
}

/// The options that name the agents of the latest runs, where a run without them has another. Of an
/// executable they ask for the path: no path of the ledger becomes part of a command.
fn other_agents(call: &Call, rows: &[Row]) -> BTreeMap<GoalId, String> {
    let ran = |(row, open): (&'_ Row, &'_ WhileOpen)| {
        let of_run = open.run.as_ref().map(|it| &it.agent);
        let agent = of_run.or(open.left.as_ref().map(|it| &it.agent))?;
        Some((row.id.clone(), agent.clone()))
    };
    let ran: Vec<(GoalId, String)> = with_open(rows).filter_map(ran).collect();
    if ran.is_empty() {
        return BTreeMap::new();
    }
    let configured = match call.choose(Role::Agent, &CommandOptions::default()) {
        Ok(Some(Choosing::Ready(chosen))) => chosen.called(),
        _ => String::new(),
    };
    let others = ran.into_iter().filter(|(_, agent)| *agent != configured);
    let option = |(id, agent): (GoalId, String)| match Preset::named(&agent) {
        Some(preset) => (id, format!(" --agent {preset}")),
        None => (id, " --agent-command PATH".to_owned()),
    };
    others.map(option).collect()
}

/// How the audit of a goal stands whose completion was requested.
fn note_audit(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    facts: &mut Facts,
) -> Result<(), Failure> {
    let Some(goal) = snapshot.state.goals.get(id) else {
        return Ok(());
    };
    match standing_now(call, snapshot, goal)? {
        Some(AuditStanding::Running | AuditStanding::Elsewhere) => {
            facts.auditing.insert(id.clone());
        }
        Some(AuditStanding::Waiting) => {
            facts.unsigned.insert(id.clone());
        }
        Some(AuditStanding::Interrupted) => {
            facts.interrupted.insert(id.clone());
        }
        Some(AuditStanding::Lapsed | AuditStanding::Foreign) | None => {}
    }
    Ok(())
}

fn lines(snapshot: &Snapshot, lines: &[LineRef]) -> io::Result<Lines> {
    let first = lines.first().map(|line| snapshot.bytes(*line));
    Ok(Lines {
        count: lines.len() as u64,
        since: first.transpose()?.and_then(|line| at_of(&line)),
    })
}

/// What the configuration says; where it cannot be read, that is said elsewhere.
pub fn thresholds(call: &Call) -> Thresholds {
    let Ok(files) = call.workspace.config_files() else {
        return Thresholds::default();
    };
    let keys = resolve(&files).keys.attention;
    Thresholds {
        quiet_after: keys.quiet_after.value,
        stuck_after: keys.stuck_after.value,
    }
}

/// Why what the project names to be run does not run: the user has not trusted it, or the auditor is
/// not the one of their last call. What cannot be read is told of where it is used.
fn untrusted(call: &Call) -> Option<String> {
    let workspace = &call.workspace;
    let loaded = workspace.config_files().ok()?;
    let examined = workspace.trust(&loaded, Actor::User).ok()?;
    let mut why = examined.map_or_else(Vec::new, |it| it.objections(Part::Whole));
    // What an agent's environment makes of it is no matter of the user's.
    if call.caller.actor == Actor::User && workspace.environment.marks.first().is_none() {
        why.extend(
            workspace
                .another(&loaded)
                .map(|it| it.differing)
                .unwrap_or_default(),
        );
    }
    (!why.is_empty()).then(|| why.join("; "))
}

/// Remotes that have not got all lines, or of which not all came in.
pub(super) fn unsynced(call: &Call, snapshot: &Snapshot) -> Vec<Unsynced> {
    let remotes = sync::standing(call, snapshot.extent.lines).into_iter();
    let behind = remotes.filter(RemoteStanding::is_behind);
    let unsynced = |it: RemoteStanding| Unsynced {
        remote: it.remote,
        lines: it.unsynced,
        not_taken_in: it.not_taken_in,
        since: it.at,
    };
    behind.map(unsynced).collect()
}
