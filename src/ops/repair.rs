//! Repairing projections: documents are brought up to date. No line of the ledger is touched; what is
//! missing of it is brought back from the copy that a run has kept.

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::id::GoalId;
use crate::ledger::lock::DirLock;
use crate::ops::call::Call;
use crate::ops::drop::{self, Dropped};
use crate::ops::failure::Failure;
use crate::projection::{Plan, plan_all};
use crate::snapshot::Snapshot;
use crate::transaction::place;
use crate::transaction::spare::{bring_back_lines, restore};
use crate::workspace::spare::Spare;

/// The outcome of `repair`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repaired {
    /// Nothing was done: this is what would be.
    pub dry_run: bool,
    /// How many lines of the ledger were missing, all or some, and brought back from the copy that a run
    /// had kept; null where none were.
    pub restored: Option<u64>,
    /// The line whose text was taken out; absent where none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
    pub documents: Vec<Repair>,
}

/// One document that was not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    pub goal_id: GoalId,
    /// Relative to the root; nothing when the document could not even be planned.
    pub path: Option<String>,
    pub act: Act,
    /// Where it lies afterwards, relative to the root, if that is elsewhere.
    pub moved_to: Option<String>,
    /// It had been edited by hand: those bytes are kept beside it as `.orig`.
    pub original_kept: bool,
    /// Why it could not be done; the ledger is right all the same.
    pub problem: Option<String>,
}

/// What is done to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// It was missing.
    Create,
    /// It was not what the ledger makes of it.
    Render,
    /// It is right but lies in the wrong directory.
    Move,
    /// It is another program's and lies where ours belongs.
    Aside,
    /// It is a second one that a merge left: its Notes are in the other.
    Remove,
    /// It cannot be read.
    None,
}

impl Repaired {
    /// The error that goes with the data when a document could not be repaired.
    pub fn failure(&self) -> Option<Failure> {
        let failed = self.documents.iter().filter(|it| it.problem.is_some());
        let failed = failed.count();
        (failed > 0).then(|| {
            Failure::new(
                "io",
                format!(
                    "{failed} of {} documents could not be repaired",
                    self.documents.len()
                ),
                "fix what is said of each, then run `goal repair` again; the ledger is right",
            )
        })
    }
}

/// What is to be repaired.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepairRequest<'a> {
    /// Only say what would be done.
    pub dry_run: bool,
    /// The line whose text is to be taken out, by its id or how that begins, and why.
    pub drop: Option<(&'a str, &'a str)>,
}

/// Takes out the text of a line, where one is named, and brings every document up to date, under the
/// ledger's lock; with `dry_run` only says what would be done, without it. Only what is taken out is
/// recorded.
///
/// # Errors
/// The lock cannot be had or the project not be read; an auditor that would write; see [`drop::drop`]. A
/// single document that cannot be repaired is in the outcome.
pub fn repair(call: &Call, asked: RepairRequest<'_>) -> Result<Repaired, Failure> {
    let paths = &call.workspace.paths;
    let dry_run = asked.dry_run;
    if !dry_run {
        call.refuse_auditor()?;
    }
    let dropped = asked.drop.map(|(line, reason)| match dry_run {
        true => drop::named(call, line),
        false => drop::drop(call, line, reason),
    });
    let dropped = dropped.transpose()?;
    let restored = restored(call, dry_run)?;
    let nothing_there = paths.home().symlink_metadata().is_err();
    let _lock = match dry_run || nothing_there {
        true => None,
        false => Some(DirLock::acquire(paths.home(), call.lock_timeout)?),
    };
    if !(dry_run || nothing_there) {
        // A work tree that git made just now has none.
        paths.create_where_it_belongs()?;
    }
    let snapshot = Snapshot::read(paths)?;
    let mut documents = Vec::new();
    for (goal, outcome) in plan_all(&snapshot, paths) {
        match outcome {
            Err(error) => documents.push(Repair {
                goal_id: goal.id.clone(),
                path: None,
                act: Act::None,
                moved_to: None,
                original_kept: false,
                problem: Some(error.to_string()),
            }),
            Ok(plan) => documents.extend(repaired(&plan, call, dry_run)),
        }
    }
    Ok(Repaired {
        dry_run,
        restored,
        dropped,
        documents,
    })
}

/// Brings what is missing of the ledger back from the copy that a run has kept, where there is one. How
/// many lines.
fn restored(call: &Call, dry_run: bool) -> Result<Option<u64>, Failure> {
    let workspace = &call.workspace;
    if place::has_ledger(workspace) {
        return Ok(bring_back_lines(workspace, call.lock_timeout, dry_run)?);
    }
    let Some(copy) = Spare::of(workspace).and_then(|spare| spare.read()) else {
        return Ok(None);
    };
    if dry_run {
        return Ok(Some(memchr::memchr_iter(b'\n', &copy).count() as u64));
    }
    let restored = restore(workspace, call.lock_timeout)?;
    Ok(restored.map(|it| it.lines))
}

/// Our document, and those that were in its way.
fn repaired(plan: &Plan, call: &Call, dry_run: bool) -> Vec<Repair> {
    let done = match dry_run {
        true => Ok(()),
        false => plan
            .carry_out(&call.workspace.paths)
            .and_then(|_| plan.put_aside()),
    };
    let problem = done.err().map(|error| error.to_string());
    let own = plan.changes_own().then(|| described(plan, call));
    let removed = plan.superseded.iter();
    let removed = removed.map(|it| other(plan, &it.path, Act::Remove, None, call));
    let aside = plan.aside.iter().chain(&plan.returned);
    let aside = aside.map(|it| other(plan, &it.from, Act::Aside, Some(&it.to), call));
    let others = removed.chain(aside);
    let all = own.into_iter().chain(others);
    all.map(|repair| Repair {
        problem: problem.clone(),
        ..repair
    })
    .collect()
}

/// What becomes of a file that is not the goal's document.
fn other(
    plan: &Plan,
    path: &Utf8Path,
    act: Act,
    moved_to: Option<&Utf8Path>,
    call: &Call,
) -> Repair {
    let shown = |path| call.workspace.paths.relative(path).to_string();
    Repair {
        goal_id: plan.goal_id.clone(),
        path: Some(shown(path)),
        act,
        moved_to: moved_to.map(shown),
        original_kept: false,
        problem: None,
    }
}

fn described(plan: &Plan, call: &Call) -> Repair {
    let shown = |path| call.workspace.paths.relative(path).to_string();
    let act = match &plan.before {
        None => Act::Create,
        Some(before) if *before == plan.after => Act::Move,
        Some(_) => Act::Render,
    };
    Repair {
        goal_id: plan.goal_id.clone(),
        path: Some(shown(&plan.path)),
        act,
        moved_to: plan.move_to.as_deref().map(shown),
        original_kept: plan.edited,
        problem: None,
    }
}
