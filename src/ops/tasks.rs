//! The acts on a goal's tasks and its evidence, and what they show of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::{meant, still_open};
use crate::domain::event::Payload;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::evidence::EvidenceItem;
use crate::domain::task::order::stack as frames;
use crate::domain::task::plan_file::{Format, Written};
use crate::domain::task::spec::{Limits, TaskGiven, TaskSpec, TreeGiven, definitions};
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::rehearse::{Rehearsal, rehearse_tasks};
use crate::ops::transacted::Outcome;
use crate::render::next::{next_for, what_next};
use crate::render::view::{FrameView, NextView, PlanFileView, SyncedView, TaskView, TasksView};
use crate::snapshot::Snapshot;
use crate::transaction::{Receipt, Recorded};
use crate::workspace::config::resolve;

/// What an act on tasks came to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tasked {
    /// The task that the act was about, as it stands now, without those below it.
    pub task: Option<TaskView>,
    /// All tasks as they stand now, of acts that define them and of `tree`.
    pub tasks: Option<TasksView>,
    /// Evidence, oldest first, where it is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<EvidenceItem>>,
    /// The plan file that they were read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFileView>,
    /// The tasks as a plan file, where they are written as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The plan file whose boxes were set as the tasks stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced: Option<SyncedView>,
    /// What to do now.
    pub next: Option<NextView>,
}

/// The open tasks of a goal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stack {
    pub goal_id: GoalId,
    /// Top first.
    pub frames: Vec<FrameView>,
}

/// Puts these tasks in place of what is there.
///
/// # Errors
/// A definition that makes no sense or goes over a limit; an agent that drops what holds completion.
pub fn set(
    call: &Call,
    tree: &TreeGiven,
    source: &str,
    reason: Option<&str>,
) -> Result<Outcome<Tasked>, Failure> {
    let act = setting(tree, source, reason);
    let arguments = json!({ "tree": tree, "reason": reason });
    define(call, act, arguments)
}

fn setting(tree: &TreeGiven, source: &str, reason: Option<&str>) -> TaskCommand {
    TaskCommand::Set {
        defined: tree.definitions(),
        decomp: tree.decomp,
        block_completion: tree.block_completion,
        source: Some(source.to_owned()),
        reason: reason.map(str::to_owned),
    }
}

/// What [`set`] would record.
///
/// # Errors
/// Those of [`set`].
pub fn rehearse_set(
    call: &Call,
    tree: &TreeGiven,
    source: &str,
    reason: Option<&str>,
) -> Result<Rehearsal, Failure> {
    let limits = limits(call)?;
    rehearse_tasks(call, act_on_tasks(setting(tree, source, reason), limits))
}

/// What [`import`] would record.
///
/// # Errors
/// Those of [`import`].
pub fn rehearse_import(call: &Call, tree: &TreeGiven) -> Result<Rehearsal, Failure> {
    let limits = limits(call)?;
    let import = TaskCommand::Import(tree.definitions());
    rehearse_tasks(call, act_on_tasks(import, limits))
}

/// The command of an act on tasks, where these limits are in force.
pub(super) fn act_on_tasks(act: TaskCommand, limits: Limits) -> Command {
    Command::Task {
        act: Box::new(act),
        limits,
    }
}

/// Adds tasks, at the top level or below a task.
///
/// # Errors
/// Those of [`set`]; a parent that is unknown or ended.
pub fn add(
    call: &Call,
    tasks: &[TaskGiven],
    under: Option<&str>,
) -> Result<Outcome<Tasked>, Failure> {
    let act = TaskCommand::Add {
        parent: under.map(str::to_owned),
        defined: definitions(tasks),
    };
    define(call, act, json!({ "tasks": tasks, "under": under }))
}

/// What an import of a plan came to.
pub struct TasksImported {
    pub tasked: Outcome<Tasked>,
    /// What it added at the top level.
    pub added: Vec<TaskSpec>,
    /// What the plan says is done and is not proved, or is left to the user: ids and titles.
    pub still_open: Vec<(String, String)>,
    /// The numbers that the plan now gives to tasks that have others: each with the task's id.
    pub moved: Vec<(String, String)>,
}

/// Adds what of a plan's tasks is not there yet, at the top level.
///
/// # Errors
/// Those of [`set`]; all of it is there, or an item is there without what the plan has below it.
pub fn import(call: &Call, tree: &TreeGiven) -> Result<TasksImported, Failure> {
    let arguments = json!({ "tasks": tree.tasks });
    let plan = tree.definitions();
    let act = TaskCommand::Import(plan.clone());
    let (receipt, now) = transact(call, act, limits(call)?, arguments)?;
    // A list that was taken over from a document stands before what was added.
    let mut latest = receipt.events.iter().rev();
    let added = latest.find_map(|event| match &event.payload {
        Payload::TaskAdded(added) => Some(&added.tasks[..]),
        Payload::TaskListSet(set) => set.tasks.as_deref(),
        _ => None,
    });
    let added = added.unwrap_or_default().to_vec();
    let mut moved = Vec::new();
    for event in &receipt.events {
        if let Payload::TaskUpdated(updated) = &event.payload {
            let flat = Tasks::flat_of(&updated.tasks).into_iter();
            let called =
                flat.filter_map(|(_, task)| Some((task.plan_id.clone()?, task.id.clone())));
            moved.extend(called);
        }
    }
    let goal = receipt.goal(&now);
    let still_open = goal.map(|goal| still_open(&goal.tasks, &plan));
    Ok(TasksImported {
        still_open: still_open.unwrap_or_default(),
        tasked: of(call, receipt, &now, None, true),
        added,
        moved,
    })
}

fn define(call: &Call, act: TaskCommand, arguments: Value) -> Result<Outcome<Tasked>, Failure> {
    let limits = limits(call)?;
    let (receipt, now) = transact(call, act, limits, arguments)?;
    Ok(of(call, receipt, &now, None, true))
}

/// The limits in force.
///
/// # Errors
/// The configuration is broken.
pub fn limits(call: &Call) -> Result<Limits, Failure> {
    Ok(resolve(&call.workspace.config_files()?).keys.tasks.limits())
}

/// Any other act on one task.
///
/// # Errors
/// The task is unknown, or in a state or without the proof that the act needs.
pub fn act(call: &Call, act: TaskCommand, arguments: Value) -> Result<Outcome<Tasked>, Failure> {
    let task = match &act {
        TaskCommand::Mark { task, .. } => Some(task.clone()),
        TaskCommand::Give { task, .. } => task.clone(),
        // The others are told elsewhere.
        _ => None,
    };
    let (receipt, now) = transact(call, act, Limits::default(), arguments)?;
    // It may have been named by words of its title.
    let mut events = receipt.events.iter();
    let meant = events.find_map(|event| task_of(&event.payload));
    let task = meant.map(str::to_owned).or(task);
    Ok(of(call, receipt, &now, task.as_deref(), false))
}

/// The task of which this says something.
fn task_of(payload: &Payload) -> Option<&str> {
    match payload {
        Payload::TaskStarted(it) => Some(&it.task_id),
        Payload::TaskComplete(it) => Some(&it.task_id),
        Payload::TaskSkipped(it) => Some(&it.task_id),
        Payload::TaskFailed(it) => Some(&it.task_id),
        Payload::TaskBlocked(it) => Some(&it.task_id),
        Payload::TaskReopened(it) => Some(&it.task_id),
        Payload::EvidenceAdded(it) => it.task_id.as_deref(),
        _ => None,
    }
}

/// Gives evidence to a task, or to the goal itself.
///
/// # Errors
/// The task is unknown, or the key is empty.
pub fn give(
    call: &Call,
    key: &EvidenceKey,
    value: Value,
    task: Option<&str>,
) -> Result<Outcome<Tasked>, Failure> {
    let arguments = json!({ "key": key, "value": value, "task": task });
    let items = vec![(key.clone(), value)];
    act(call, giving(call, items, task), arguments)
}

/// One of many pieces of evidence, as a line of a batch gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    key: EvidenceKey,
    value: Value,
}

impl Piece {
    /// The value under its key.
    pub fn new(key: &str, value: Value) -> Piece {
        Piece {
            key: EvidenceKey::from(key),
            value,
        }
    }
}

/// Gives many pieces of evidence at once: all of them, or none where one is refused.
pub fn give_all(
    call: &Call,
    pieces: Vec<Piece>,
    task: Option<&str>,
) -> Result<Outcome<Tasked>, Failure> {
    let arguments = json!({ "pieces": pieces, "task": task });
    let items = pieces.into_iter().map(|piece| (piece.key, piece.value));
    act(call, giving(call, items.collect(), task), arguments)
}

fn giving(call: &Call, items: Vec<(EvidenceKey, Value)>, task: Option<&str>) -> TaskCommand {
    TaskCommand::Give {
        task: task.map(str::to_owned),
        items,
        source: call.caller.actor.name().to_owned(),
    }
}

fn transact(
    call: &Call,
    act: TaskCommand,
    limits: Limits,
    mut arguments: Value,
) -> Result<Recorded, Failure> {
    arguments["goal"] = call.goal.as_deref().into();
    let command = act_on_tasks(act, limits);
    Ok(call.request(command).key(arguments).run()?)
}

fn of(
    call: &Call,
    receipt: Receipt,
    now: &Snapshot,
    task: Option<&str>,
    all: bool,
) -> Outcome<Tasked> {
    let goal = receipt.goal(now);
    let tasks = goal.map(|goal| TasksView::of(&goal.tasks));
    let found = tasks.as_ref().zip(task).and_then(|(all, id)| all.find(id));
    let tasked = Tasked {
        task: found.map(|task| task.clone().alone()),
        next: goal.map(|goal| upcoming(call, &now.state, goal)),
        tasks: tasks.filter(|_| all),
        evidence: None,
        plan: None,
        text: None,
        synced: None,
    };
    Outcome::of(receipt, tasked)
}

/// The tasks as they are.
///
/// # Errors
/// No goal matches, or nothing is named and nothing focused.
pub fn tree(call: &Call) -> Result<Outcome<Tasked>, Failure> {
    tree_and_stack(call).map(|(tree, _)| tree)
}

/// The tasks as they are, as a plan file in this format.
///
/// # Errors
/// Those of [`tree`]; the definitions stand in another tool's document.
pub fn export(call: &Call, format: &Format) -> Result<Outcome<Tasked>, Failure> {
    let snapshot = call.look()?;
    let goal = call.target(&snapshot)?;
    let write = format.write.filter(|_| !goal.tasks.specs.is_empty());
    let Some(write) = write else {
        return Err(Failure::usage(
            "the goal has no tasks that can be written",
            "`goal task tree` shows its tasks",
        ));
    };
    let written = Written::of(goal.contract.heading(), &goal.tasks);
    let tasked = Tasked {
        text: Some(write(&written)),
        ..shown(call, &snapshot, goal)
    };
    Ok(Outcome::seen(&snapshot, goal, tasked)?)
}

/// The tree with the stack of the same moment.
///
/// # Errors
/// Those of [`tree`].
pub fn tree_and_stack(call: &Call) -> Result<(Outcome<Tasked>, Stack), Failure> {
    let snapshot = call.look()?;
    let goal = call.target(&snapshot)?;
    let tasked = shown(call, &snapshot, goal);
    Ok((Outcome::seen(&snapshot, goal, tasked)?, stack_of(goal)))
}

/// The evidence of the goal, or what was given to one of its tasks.
///
/// # Errors
/// Those of [`tree`]; the task is unknown.
pub fn evidence(call: &Call, task: Option<&str>) -> Result<Outcome<Tasked>, Failure> {
    let snapshot = call.look()?;
    let goal = call.target(&snapshot)?;
    let task = task.map(|task| meant(goal, task)).transpose()?;
    let task = task.map(|task| task.id.as_str());
    let given = goal.tasks.evidence.all();
    let wanted = given.filter(|given| task.is_none() || given.task_id.as_deref() == task);
    let tasked = Tasked {
        tasks: None,
        evidence: Some(wanted.cloned().collect()),
        ..shown(call, &snapshot, goal)
    };
    Ok(Outcome::seen(&snapshot, goal, tasked)?)
}

/// The tasks of a goal, with what is next.
pub(super) fn shown(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Tasked {
    Tasked {
        task: None,
        tasks: Some(TasksView::of(&goal.tasks)),
        evidence: None,
        plan: None,
        text: None,
        synced: None,
        next: Some(upcoming(call, &snapshot.state, goal)),
    }
}

/// The open tasks, the one to do now first.
pub fn stack(call: &Call) -> Result<Stack, Failure> {
    let snapshot = call.look()?;
    Ok(stack_of(call.target(&snapshot)?))
}

fn stack_of(goal: &Goal) -> Stack {
    let frames = frames(&goal.tasks, &TaskStatuses::of(&goal.tasks)).into_iter();
    let frames = frames.map(|frame| FrameView {
        id: frame.task.id.clone(),
        title: frame.task.title.clone(),
        depth: frame.depth,
        status: frame.status,
        waits: frame.waits,
    });
    Stack {
        goal_id: goal.id.clone(),
        frames: frames.collect(),
    }
}

/// What to do now. Without a focus that is an answer too.
///
/// # Errors
/// A goal is named that is none, or that an agent is not focused on.
pub fn next(call: &Call) -> Result<NextView, Failure> {
    let snapshot = call.look()?;
    let state = &snapshot.state;
    Ok(match wanted(call, state)? {
        Some(goal) => upcoming(call, state, goal),
        None => {
            let Caller { session, actor, .. } = &call.caller;
            let now = call.workspace.environment.now_millis();
            NextView::without_goal(what_next(state, session.as_deref(), *actor, Some(now)))
        }
    })
}

/// What is next for the goal, said to the caller.
fn upcoming(call: &Call, state: &State, goal: &Goal) -> NextView {
    let now = call.workspace.environment.now_millis();
    NextView::of(goal, next_for(state, goal, call.caller.actor, Some(now)))
}

fn wanted<'a>(call: &Call, state: &'a State) -> Result<Option<&'a Goal>, Rejection> {
    match call.goal.as_deref() {
        Some(named) => select::target(state, Some(named), &call.caller).map(Some),
        None => Ok(call.focus(state)),
    }
}
