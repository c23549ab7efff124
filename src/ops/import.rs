//! Plan files: read as tasks of the goal, or as a queue of goals.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::{Command, Planned};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Payload;
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::plan_file::{self, PlanError};
use crate::domain::task::spec::{TaskGiven, TreeGiven, definitions};
use crate::ops::baseline::at_creation;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::rehearse::{Rehearsal, rehearse};
use crate::ops::tasks::{self, Tasked};
use crate::ops::transacted::{Outcome, Record};
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
    /// How many list items are no tasks and were left out: remarks, and what was done already.
    pub left_out: usize,
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

/// Reads tasks as a person or a model gives them: JSON when it begins with `[` or `{`, else a plan
/// in Markdown.
///
/// # Errors
/// It is neither.
pub fn read(text: &str) -> Result<TreeGiven, Failure> {
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    let wrong = |error| {
        let hint = "`goal schema events` has the fields of a task; what begins with `[` or `{` is \
                    read as JSON, everything else as Markdown";
        unread("the tasks are", error, hint)
    };
    let mut json = serde_json::Deserializer::from_str(begins);
    let tree = match begins.chars().next() {
        Some('[') => TreeGiven {
            tasks: serde_path_to_error::deserialize(&mut json).map_err(wrong)?,
            ..TreeGiven::default()
        },
        Some('{') => serde_path_to_error::deserialize(&mut json).map_err(wrong)?,
        _ => {
            let plan = plan_file::read(text).map_err(|error| no_plan(&error))?;
            return Ok(TreeGiven {
                tasks: plan.tasks,
                ..TreeGiven::default()
            });
        }
    };
    json.end()
        .map_err(|error| Failure::usage(error.to_string(), "pass one JSON value"))?;
    Ok(tree)
}

/// JSON that cannot be read, with the field that is wrong; `what` begins the sentence.
pub(super) fn unread(
    what: &str,
    error: serde_path_to_error::Error<serde_json::Error>,
    hint: &str,
) -> Failure {
    let path = error.path().to_string();
    let why = error.into_inner();
    let message = match path.as_str() {
        "." => format!("{what} no JSON that can be read: {why}"),
        path => format!("`{path}`: {why}"),
    };
    Failure::usage(message, hint)
}

fn no_plan(error: &PlanError) -> Failure {
    Failure::usage(
        format!("the plan cannot be read: {error}"),
        "write tasks as a list: `- [ ] what is to be done`, indented below what they are part of",
    )
}

/// Adds the plan's tasks to those of the goal, but for what an import brought before.
///
/// # Errors
/// It is no plan, or those of [`tasks::import`].
pub fn as_tasks(call: &Call, text: &str) -> Result<Imported, Failure> {
    let plan = plan_file::read(text).map_err(|error| no_plan(&error))?;
    let (tasked, added) = tasks::import(call, &plan.tasks)?;
    Ok(Imported {
        title: plan.title,
        goals: Vec::new(),
        events: tasked.events.clone(),
        repeated: tasked.repeated,
        left_out: plan.left_out,
        already_there: others(&plan.tasks, &added),
        notices: tasked.notices.clone(),
        stop_turn: tasked.stop_turn,
        tasks: Some(tasked),
    })
}

/// The titles of items that are not among those.
fn others(items: &[TaskGiven], titles: &BTreeSet<String>) -> Vec<String> {
    let items = items.iter().map(|item| item.title.clone());
    items.filter(|title| !titles.contains(title)).collect()
}

/// Creates a goal for every top-level item that is not done and of which there never was one, with
/// what is below it as its tasks; the first is focused where nothing is.
///
/// # Errors
/// It is no plan, all of it is done or there already, or the caller is an agent.
pub fn as_goals(call: &Call, text: &str) -> Result<Imported, Failure> {
    let mut plan = plan_file::read(text).map_err(|error| no_plan(&error))?;
    let all = plan.tasks.len();
    let open = open_items(std::mem::take(&mut plan.tasks))?;
    let done = all - open.len();
    let command = goals_of(call, &open)?;
    let recorded = call.request(command).key(json!({ "goals": open })).run()?;
    call.note_use();
    imported(call, recorded, &plan, &open, done)
}

/// What an import would record.
///
/// # Errors
/// Those of [`as_tasks`], or of [`as_goals`].
pub fn rehearse_import(call: &Call, text: &str, as_goals: bool) -> Result<Rehearsal, Failure> {
    let plan = plan_file::read(text).map_err(|error| no_plan(&error))?;
    match as_goals {
        true => rehearse(call, goals_of(call, &open_items(plan.tasks)?)?),
        false => tasks::rehearse_import(call, &plan.tasks),
    }
}

/// What of a plan is not done.
fn open_items(items: Vec<TaskGiven>) -> Result<Vec<TaskGiven>, Failure> {
    let open: Vec<TaskGiven> = items.into_iter().filter(|it| !is_done(it)).collect();
    if open.is_empty() {
        return Err(Failure::usage(
            "all of the plan is done already",
            "only what is not done becomes a goal",
        ));
    }
    Ok(open)
}

/// The command that makes each item a goal.
fn goals_of(call: &Call, open: &[TaskGiven]) -> Result<Command, Failure> {
    let goals = open.iter().map(|item| Planned {
        goal_id: call.fresh_goal_id(),
        contract: ContractChange {
            objective: Some(item.title.clone()),
            ..ContractChange::default()
        },
        tasks: definitions(&item.tasks),
    });
    Ok(Command::Import {
        goals: goals.collect(),
        limits: tasks::limits(call)?,
    })
}

/// What was recorded of a plan whose items became goals.
fn imported(
    call: &Call,
    recorded: Recorded,
    plan: &plan_file::Plan,
    open: &[TaskGiven],
    done: usize,
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
    let created = goals.iter().map(|goal| goal.objective.clone()).collect();
    Ok(Imported {
        title: plan.title.clone(),
        already_there: others(open, &created),
        goals,
        tasks: None,
        events: receipt.ids,
        repeated: receipt.repeated,
        left_out: plan.left_out + done,
        notices,
        stop_turn: receipt.stop_turn,
    })
}

fn is_done(item: &TaskGiven) -> bool {
    match &item.tasks[..] {
        [] => item.done,
        below => below.iter().all(is_done),
    }
}
