//! What the screen of `goal watch` shows: the project as of the last look, and one row of it in full.
//! What waits and how goals stand is asked of the same functions as everywhere else.

use std::collections::BTreeMap;

use crate::domain::attention::{Standing, standing};
use crate::domain::focus::focused;
use crate::domain::goal::row::Row;
use crate::domain::id::GoalId;
use crate::domain::run::liveness::Liveness;
use crate::domain::select;
use crate::ops::attention::{WaitingGoals, look_with};
use crate::ops::call::Call;
use crate::ops::drafts::in_full;
use crate::ops::failure::Failure;
use crate::ops::list::sort::Sort;
use crate::ops::show::{latest_events, view};
use crate::ops::workers::Workers;
use crate::render::view::GoalRow;
use crate::render::watch::{Detail, Happened, LiveRun, Scene};
use crate::snapshot::Snapshot;
use crate::transaction::place::is_missing;
use crate::workspace::turns;

/// Most runs whose output is read, and how much of each.
const RUNS: usize = 8;
const OUTPUT: u64 = 16 * 1024;

/// From how many goals the latest events are taken, and how many events there are at most.
const GOALS: usize = 6;
const EVENTS: usize = 12;

/// How many events of the chosen goal are shown.
const OF_GOAL: usize = 10;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct WatchRequest {
    /// Only what is about goals of this owner.
    pub owner: Option<String>,
}

/// A project as it was read.
#[derive(Debug)]
pub struct Reading {
    snapshot: Snapshot,
    pub scene: Scene,
}

impl Reading {
    /// Reads the project; only the goal that `--goal` names, where it names one.
    ///
    /// # Errors
    /// The named goal is unknown or ambiguous; the system refuses to read the project.
    pub fn of(call: &Call, asked: &WatchRequest) -> Result<Reading, Failure> {
        let snapshot = call.look()?;
        let scene = scene(call, &snapshot, asked)?;
        Ok(Reading { snapshot, scene })
    }

    /// Whether nothing was appended since.
    pub fn is_current(&self, call: &Call) -> bool {
        let current = self.snapshot.is_current(&call.workspace.paths.events());
        current.unwrap_or_default()
    }

    /// Reads anew what the agents of the runs write; says whether it changed.
    pub fn listen(&mut self, call: &Call) -> bool {
        let mut changed = false;
        for run in self.scene.runs.iter_mut().take(RUNS) {
            let output = output(call, &run.run.run_id);
            changed |= output != run.output;
            run.output = output;
        }
        changed
    }

    /// A goal and a draft in full.
    ///
    /// # Errors
    /// The system refuses to read the project.
    pub fn detail(
        &self,
        call: &Call,
        goal: Option<&GoalId>,
        draft: Option<&str>,
    ) -> Result<Detail, Failure> {
        let state = &self.snapshot.state;
        let goal = goal.and_then(|id| state.goals.get(id));
        let goal = goal.map(|goal| view(call, &self.snapshot, goal, OF_GOAL));
        let draft = draft.and_then(|id| state.drafts.open().find(|it| it.draft_id == id));
        Ok(Detail {
            goal: goal.transpose()?.map(Box::new),
            draft: draft.map(|draft| in_full(&self.snapshot, draft)),
        })
    }
}

fn output(call: &Call, run_id: &str) -> String {
    let streams = turns::latest_streams(&call.workspace.paths, run_id);
    streams
        .and_then(|streams| streams.end(OUTPUT))
        .unwrap_or_default()
}

fn scene(call: &Call, snapshot: &Snapshot, asked: &WatchRequest) -> Result<Scene, Failure> {
    let state = &snapshot.state;
    let only = call.goal.as_deref();
    let only = only
        .map(|named| select::by_text(state, named))
        .transpose()?;
    let only = only.map(|goal| goal.id.clone());
    let wanted = |goal: Option<&GoalId>, owner: Option<&String>| {
        let is_goal = only.is_none() || goal == only.as_ref();
        is_goal && (asked.owner.is_none() || owner == asked.owner.as_ref())
    };
    let workers = Workers::of_all(call);
    let looked = look_with(call, snapshot, &workers)?;
    let mut needs = looked.needs(snapshot);
    let WaitingGoals { mut rows, facts } = looked;
    needs.retain(|need| wanted(need.goal_id.as_ref(), need.owner.as_ref()));
    rows.retain(|it| it.status.is_open() && wanted(Some(&it.id), it.owner.as_ref()));
    let runs = live_runs(call, snapshot, &rows, &workers);
    let events = events(snapshot, &rows)?;
    let stands = |row: Row| (standing(&row, &facts), row);
    let mut found: Vec<(Standing, Row)> = rows.into_iter().map(stands).collect();
    Sort::Priority.sort(&mut found);
    let focus = focused(state, call.caller.session.as_deref());
    let mut standings = BTreeMap::new();
    let mut goals = Vec::with_capacity(found.len());
    for (stands, row) in found {
        *standings.entry(stands).or_default() += 1;
        let at_work = workers.on(&row);
        goals.push(GoalRow::of(row, stands, focus, at_work, None));
    }
    let counts = state.counts();
    let root = &call.workspace.root.path;
    Ok(Scene {
        project: root.file_name().unwrap_or("project").to_owned(),
        now: facts.now,
        lost: counts.is_empty() && is_missing(&call.workspace),
        goals,
        needs,
        standings,
        counts,
        runs,
        events,
    })
}

/// The runs whose runners are alive.
fn live_runs(
    call: &Call,
    snapshot: &Snapshot,
    rows: &[Row],
    workers: &Workers<'_>,
) -> Vec<LiveRun> {
    let is_open = |row: &&Row| {
        let run = row.open.as_ref().and_then(|open| open.run.as_ref());
        run.is_some_and(|run| workers.liveness(&row.id, run) == Liveness::Live)
    };
    let live = rows.iter().filter(is_open).filter_map(|row| {
        let goal = snapshot.state.goals.get(&row.id)?;
        Some(LiveRun {
            goal_id: row.id.clone(),
            title: goal.contract.heading().to_owned(),
            output: String::new(),
            run: workers.run(goal)?,
        })
    });
    let mut live: Vec<LiveRun> = live.collect();
    for run in live.iter_mut().take(RUNS) {
        run.output = output(call, &run.run.run_id);
    }
    live
}

/// The latest events of the goals that changed last, oldest first.
fn events(snapshot: &Snapshot, rows: &[Row]) -> Result<Vec<Happened>, Failure> {
    let mut latest: Vec<&Row> = rows.iter().collect();
    let last = GOALS.min(latest.len());
    if last < latest.len() {
        latest.select_nth_unstable_by(last, |one, other| other.updated_at.cmp(&one.updated_at));
    }
    let mut events = Vec::new();
    for row in latest.into_iter().take(last) {
        if let Some(goal) = snapshot.state.goals.get(&row.id) {
            let of_goal = latest_events(snapshot, goal, EVENTS)?.into_iter();
            events.extend(of_goal.map(|event| Happened {
                title: goal.contract.heading().to_owned(),
                event,
            }));
        }
    }
    events.sort_by_key(|it| it.event.line);
    events.drain(..events.len().saturating_sub(EVENTS));
    Ok(events)
}
