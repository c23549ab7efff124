//! Plan files: read as tasks of the goal, or as a queue of goals.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::{Command, Planned};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Payload;
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::plan_file::{self, PlanError, Queue, Source, formats};
use crate::domain::task::spec::{Definitions, TaskGiven, TaskSpec, TreeGiven, definitions};
use crate::domain::task::state::TaskStatus;
use crate::ops::baseline::at_creation;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::rehearse::{Rehearsal, rehearse};
use crate::ops::tasks::{self, Tasked, TasksImported};
use crate::ops::transacted::{Outcome, Record};
use crate::render::view::{Named, PlanFileView};
use crate::transaction::Recorded;

/// What an import came to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// The plan's own title, if it has one.
    pub title: Option<String>,
    /// The goals that were created, in the plan's order; none when it became tasks.
    pub goals: Vec<ImportedGoal>,
    /// What became of the goal's tasks; null when it became goals.
    pub tasks: Option<Outcome<Tasked>>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The same request was answered before: these are its events, nothing was appended now.
    pub repeated: bool,
    /// How many parts of the plan were left out: what is no task, and, where items become goals, what
    /// is not open.
    pub left_out: usize,
    /// What was read of the plan beside its tasks.
    pub plan: PlanFileView,
    /// Titles of top-level items that were there already and are not brought again: tasks with the
    /// same titles, goals with the same objective.
    pub already_there: Vec<String>,
    /// Remarks: none undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

/// A goal that an import created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedGoal {
    pub goal_id: GoalId,
    pub objective: String,
    /// How many tasks it has.
    pub tasks: usize,
}

impl Record for Imported {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }
}

/// A plan file that was read.
#[derive(Debug, Clone)]
pub struct PlanGiven {
    title: Option<String>,
    pub tree: TreeGiven,
    pub file: PlanFileView,
}

/// Reads tasks as people, models and other tools write them, in this format, or in the one that the
/// file has by its name and text.
///
/// # Errors
/// There are no tasks in it.
pub fn read(path: &str, text: &str, format: Option<&str>) -> Result<PlanGiven, Failure> {
    let source = Source { path, text };
    let format = format.and_then(formats::named);
    let format = format.unwrap_or_else(|| formats::of(&source));
    let plan = plan_file::read_as(&source, format).map_err(|error| no_plan(&error))?;
    Ok(PlanGiven {
        file: PlanFileView::of(format, &plan),
        title: plan.title,
        tree: TreeGiven {
            tasks: plan.tasks,
            decomp: plan.decomp,
            block_completion: plan.block_completion,
            reserved: plan.reserved,
        },
    })
}

fn no_plan(error: &PlanError) -> Failure {
    match error {
        PlanError::Json(why) => Failure::usage(
            why,
            "`goal schema events` has the fields of a task; what begins with `[` or `{` is read as \
             JSON, everything else as Markdown",
        ),
        _ => Failure::usage(
            format!("the plan cannot be read: {error}"),
            "write tasks as a list: `- [ ] what is to be done`, indented below what they are part of; \
             `--format` names the format of another tool",
        ),
    }
}

/// Adds the plan's tasks to those of the goal, but for what an import brought before.
///
/// # Errors
/// Those of [`tasks::import`].
pub fn as_tasks(call: &Call, plan: PlanGiven) -> Result<Imported, Failure> {
    let given = &plan.tree.tasks;
    let TasksImported {
        tasked,
        added,
        still_open,
        moved,
    } = tasks::import(call, &plan.tree)?;
    let mut file = plan.file;
    let (fresh, there) = apart(given, &added);
    let named: Vec<Named<'_>> = added.iter().map(Named::from).collect();
    file.say_other_ids(&fresh, &named);
    file.say_moved(&moved);
    file.say_still_open(&still_open);
    let already_there = there.iter().map(|item| item.title.clone()).collect();
    Ok(Imported {
        title: plan.title,
        goals: Vec::new(),
        events: tasked.events.clone(),
        repeated: tasked.repeated,
        left_out: file.left_out.len(),
        plan: file,
        already_there,
        notices: tasked.notices.clone(),
        stop_turn: tasked.stop_turn,
        tasks: Some(tasked),
    })
}

/// The items that were added, and those that were there: of several with one title the first ones.
fn apart<'a>(
    items: &'a [TaskGiven],
    added: &[TaskSpec],
) -> (Vec<&'a TaskGiven>, Vec<&'a TaskGiven>) {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for task in added {
        *left.entry(task.title.trim()).or_default() += 1;
    }
    let (mut fresh, mut there) = (Vec::new(), Vec::new());
    for item in items.iter().rev() {
        match left.get_mut(item.title.trim()).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                fresh.push(item);
            }
            None => there.push(item),
        }
    }
    fresh.reverse();
    there.reverse();
    (fresh, there)
}

/// Creates a goal for every top-level item that is not done and of which there never was one, with
/// what is below it as its tasks; the first is focused where nothing is.
///
/// # Errors
/// All of the plan is done or there already, or the caller is an agent.
pub fn as_goals(call: &Call, mut plan: PlanGiven) -> Result<Imported, Failure> {
    let (open, queue) = open_items(&mut plan)?;
    let command = goals_of(call, &open, &queue, &plan)?;
    let recorded = call.request(command).key(json!({ "goals": open })).run()?;
    call.note_use();
    imported(call, recorded, plan, &open)
}

/// What an import would record.
///
/// # Errors
/// Those of [`as_tasks`], or of [`as_goals`].
pub fn rehearse_import(
    call: &Call,
    mut plan: PlanGiven,
    as_goals: bool,
) -> Result<Rehearsal, Failure> {
    let rehearsal = match as_goals {
        true => {
            let (open, queue) = open_items(&mut plan)?;
            rehearse(call, goals_of(call, &open, &queue, &plan)?)?
        }
        false => tasks::rehearse_import(call, &plan.tree)?,
    };
    Ok(Rehearsal {
        plan: Some(plan.file),
        ..rehearsal
    })
}

/// What of a plan is not done and not skipped, and what of its order is said in words; the others are
/// left out.
fn open_items(plan: &mut PlanGiven) -> Result<(Vec<TaskGiven>, Queue), Failure> {
    let items = std::mem::take(&mut plan.tree.tasks).into_iter();
    let (mut open, ended): (Vec<_>, Vec<_>) = items.partition(is_open);
    if open.is_empty() {
        return Err(Failure::usage(
            "all of the plan is done already",
            "only what is not done becomes a goal",
        ));
    }
    let queue = plan_file::apart(&mut open, &ended);
    plan.file.remarks.extend(queue.remarks.iter().cloned());
    let ended = ended
        .iter()
        .map(|item| format!("{}, which is not open", item.title));
    plan.file.left_out.extend(ended);
    Ok((open, queue))
}

/// The command that makes each item a goal.
fn goals_of(
    call: &Call,
    open: &[TaskGiven],
    queue: &Queue,
    plan: &PlanGiven,
) -> Result<Command, Failure> {
    let items = open.iter().zip(&queue.constraints);
    let goals = items.map(|(item, constraints)| Planned {
        goal_id: call.fresh_goal_id(),
        contract: ContractChange {
            objective: Some(objective(item)),
            success_criteria: item.success_criteria.clone(),
            constraints: (!constraints.is_empty()).then(|| constraints.clone()),
            ..ContractChange::default()
        },
        tasks: Definitions {
            reserved: plan.tree.reserved.clone(),
            ..definitions(&item.tasks)
        },
    });
    Ok(Command::Import {
        goals: goals.collect(),
        limits: tasks::limits(call)?,
    })
}

/// What an item says, as the objective of a goal.
fn objective(item: &TaskGiven) -> String {
    match &item.details {
        Some(details) => format!("{}\n\n{details}", item.title),
        None => item.title.clone(),
    }
}

/// What was recorded of a plan whose items became goals.
fn imported(
    call: &Call,
    recorded: Recorded,
    plan: PlanGiven,
    open: &[TaskGiven],
) -> Result<Imported, Failure> {
    let baselines = at_creation(call, &recorded);
    let receipt = recorded.0;
    let mut goals: Vec<ImportedGoal> = Vec::new();
    for event in &receipt.events {
        match (&event.goal_id, &event.payload) {
            (Some(id), Payload::GoalCreated(created)) => goals.push(ImportedGoal {
                goal_id: id.clone(),
                objective: created.contract.objective.clone().unwrap_or_default(),
                tasks: 0,
            }),
            (_, Payload::TaskListSet(set)) => {
                if let Some(goal) = goals.last_mut() {
                    goal.tasks = usize::try_from(set.task_count).unwrap_or(usize::MAX);
                }
            }
            _ => {}
        }
    }
    let mut notices = receipt.notices;
    notices.extend(baselines);
    let created: BTreeSet<&str> = goals.iter().map(|goal| &*goal.objective).collect();
    let there = open
        .iter()
        .filter(|item| !created.contains(&*objective(item)));
    let already_there = there.map(|item| item.title.clone()).collect();
    Ok(Imported {
        title: plan.title,
        already_there,
        goals,
        tasks: None,
        events: receipt.ids,
        repeated: receipt.repeated,
        left_out: plan.file.left_out.len(),
        plan: plan.file,
        notices,
        stop_turn: receipt.stop_turn,
    })
}

fn is_open(item: &TaskGiven) -> bool {
    match &item.tasks[..] {
        _ if item.standing() == TaskStatus::Skipped => false,
        [] => item.standing().is_open(),
        below => below.iter().any(is_open),
    }
}
