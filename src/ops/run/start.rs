//! A run begins in the tree of its call: the tree and the goal's lease are taken, and the runner is made.

use std::cell::{Cell, RefCell};

use super::commit::{Commits, may_commit};
use super::held::leased;
use super::preflight::{Ready, preflight};
use super::runner::Runner;
use super::tree::Sharing;
use super::turnstile::PlaceInRound;
use super::watch::Watch;
use super::{Observer, Ran, RunRequest, RunUpdate, Signals, tree};
use crate::domain::actor::RUN_SESSION;
use crate::domain::command::Command;
use crate::domain::decide::needs_adoption;
use crate::domain::run::Over;
use crate::domain::run::state::Choices;
use crate::domain::run::stop::RunnerSaw;
use crate::ops::call::Call;
use crate::ops::complete::WholeLedger;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::snapshot::Snapshot;
use crate::transaction::spare;

/// What a run begins with.
pub(super) struct Start {
    pub ready: Ready,
    pub now: Snapshot,
    /// [`held::over`].
    pub over: Over,
    pub choices: Choices,
    /// The set-up command ran in the tree just now.
    pub was_set_up: bool,
}

impl Start {
    /// The same in the tree that the call is in by now.
    pub fn again(
        call: &Call,
        asked: &RunRequest,
        over: Over,
        choices: Choices,
    ) -> Result<Start, Failure> {
        let now = call.read()?;
        Ok(Start {
            ready: preflight(call, asked, Some(call.target(&now)?))?,
            now,
            over,
            choices,
            was_set_up: false,
        })
    }
}

/// Runs the target in the tree of the call.
pub(super) fn run_here(
    call: &mut Call,
    asked: &RunRequest,
    start: Start,
    signals: &Signals,
    place: Option<&PlaceInRound>,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    let loaded = call.workspace.config_files()?;
    call.workspace.environment.began_with = Some(Box::new(call.workspace.this_use(&loaded)));
    let ran = run_beginning_with(call, asked, start, signals, place, tell);
    call.workspace.environment.began_with = None;
    ran
}

/// The same, where it is known who audits.
fn run_beginning_with(
    call: &mut Call,
    asked: &RunRequest,
    start: Start,
    signals: &Signals,
    place: Option<&PlaceInRound>,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    let Start {
        ready:
            Ready {
                agent,
                fallback,
                mut settings,
                terms,
            },
        mut now,
        over,
        choices,
        was_set_up,
    } = start;
    if let Some(retry_for) = asked.retry_for {
        settings.retry_for.value = retry_for;
    }
    let goal = call.target(&now)?.clone();
    let commits = match choices.commit {
        true => may_commit(call, &now, &goal, (choices.worktree, was_set_up))?,
        false => Commits::default(),
    };
    if commits.left {
        let whose = match was_set_up {
            true => "the set-up",
            false => "a run before",
        };
        tell(RunUpdate::Say(format!(
            "What {whose} left without a commit is in the first commit of this one."
        )));
    }
    if goal.status.is_open() && needs_adoption(&goal) {
        (_, now) = call.request(Command::Adopt).naming(&goal.id).run()?;
    }
    // What the gate refuses whatever the agent does would be paid for in vain.
    WholeLedger::read_proven(call, &goal.id)?;
    let sharing = match (choices.worktree, asked.among_others, asked.same_tree) {
        (true, ..) => Sharing::Exclusive,
        (false, true, _) => Sharing::WithOwnRuns,
        (false, false, true) => Sharing::WithAnyRun,
        (false, false, false) => Sharing::Exclusive,
    };
    // Before the lease, which lapses while its runner sleeps: when it wakes, it works on.
    let tree = tree::occupy(call, sharing, choices);
    let is_leased = || Workers::of_goal(call, &goal.id).lease(&goal.id).is_some();
    let tree = match tree {
        // Whoever works the same goal is named by the refusal of its lease.
        Err(busy) if !is_leased() => return Err(busy),
        tree => tree,
    };
    let run_id = call.fresh_id();
    let before = (call.caller.session.take(), call.goal.take());
    let left = goal.runs.open.as_ref().and_then(|run| run.session.clone());
    call.caller.session = Some(left.unwrap_or_else(|| format!("{RUN_SESSION}{run_id}")));
    call.goal = Some(goal.id.to_string());
    let ran = leased(call, &goal.id, now, |call, now| {
        if now.state.store.is_some() && call.workspace.environment.claim.is_none() {
            tell(RunUpdate::Say(
                "The ledger's store has no leases: another machine can run the same goal."
                    .to_owned(),
            ));
        }
        let over = match &call.workspace.environment.claim {
            // No other machine has the goal's lease, so none runs it.
            Some(_) => Over::Any,
            None => over,
        };
        let _tree = tree?;
        let spare = spare::begin(&call.workspace, call.lock_timeout)?;
        if let Some(path) = &spare.aside {
            tell(RunUpdate::Say(format!(
                "A run that died had lines in its copy of the ledger that the ledger lacks now. They are \
                 kept in {path}."
            )));
        }
        let runner = Runner {
            call,
            watch: Watch::new(call, (&goal.id, &now), signals, place, tell)?,
            latest: RefCell::new(now),
            id: goal.id.clone(),
            run_id,
            agent,
            fallback,
            resting: None,
            settings,
            terms,
            choices,
            paced: asked.paced,
            among_others: asked.among_others,
            commits,
            again: asked.again(),
            over,
            resumes: None,
            until: asked.until,
            deadline: None,
            checkpoint: None,
            ticked: None,
            unasked_until: 0,
            unread: Cell::new(false),
            waits_too_long: Cell::new(false),
            store_away: Cell::new(false),
            files: RefCell::default(),
            audited_late: false,
            seen: RunnerSaw {
                between: true,
                ..RunnerSaw::default()
            },
            last: None,
        };
        runner.started(asked)
    });
    (call.caller.session, call.goal) = before;
    ran
}
