//! What a step came to: data for machines, and in words.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::failure::Failure;
use crate::ops::plan::SuggestedProcedure;
use crate::ops::questions::OpenQuestion;
use crate::ops::transacted::{Record, again};
use crate::render::text::{clean, one_line, short};

/// The outcome of `step`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stepped {
    pub goal_id: GoalId,
    pub revision: Option<EventId>,
    /// The goal's status now.
    pub status: Status,
    /// Ids of the events that were appended, in order; none when nothing could be done.
    pub events: Vec<EventId>,
    /// What was done.
    pub did: Did,
    /// The task that it was done to, as it stands now.
    pub task: Option<SteppedTask>,
    /// What the next step waits for; nothing when it can be taken at once.
    pub waits_for: Option<WaitsFor>,
    /// Why it failed, is blocked, or nothing could be done.
    pub reason: Option<String>,
    /// The question that waits for the user.
    pub question: Option<OpenQuestion>,
    /// What is to be shown to the user.
    pub presented: Option<BTreeMap<String, Value>>,
    /// The evidence that came of it.
    pub evidence: Option<BTreeMap<String, Value>>,
    /// What the evaluator said.
    pub judged: Option<StepJudged>,
    /// The plan that the task or the goal has now.
    pub planned: Option<StepPlanned>,
    /// The procedure that may apply to what is to be decomposed; whoever finds that it does names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedure: Option<SuggestedProcedure>,
    /// The steps before this one, where several were asked for; `events` has theirs too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierStep>,
    /// The same request was answered before; nothing was performed now.
    pub repeated: bool,
    /// Remarks: none undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
    /// The data is whole, and yet the step is no success: there is no plan, or a later one of several
    /// steps was refused.
    #[serde(skip)]
    pub failure: Option<Failure>,
}

/// A step that was taken before the one that is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EarlierStep {
    pub did: Did,
    /// The task that it was done to; none where the goal itself was planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Did {
    /// Nothing: `waitsFor` says why.
    Nothing,
    /// A tool ran, or what was to be asked is known already.
    Performed,
    /// The user was asked.
    Asked,
    /// Something is to be shown to the user.
    Presented,
    /// The agent has the task now.
    Handed,
    /// The evaluator was asked about a condition.
    Judged,
    /// A procedure or the planner decomposed the task, or the goal itself.
    Planned,
    /// One attempt failed.
    Failed,
    /// Nobody can perform the task as things are.
    Blocked,
}

/// What has to happen before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WaitsFor {
    /// The goal needs tasks.
    Tasks,
    /// The task is to be decomposed.
    Plan,
    /// Somebody says that the procedure which may apply is to be taken, or plans otherwise.
    Procedure,
    /// Somebody says that the task's tool, which ran and answered, is to run once more.
    Again,
    /// The agent works on the task.
    Agent,
    /// The user answers the question.
    Answer,
    /// Other evidence than there is.
    Evidence,
    /// What is in the way is lifted: the task reopened or skipped, or planned anew.
    Lift,
    /// The user lets the goal go on.
    Resume,
    /// All is done: completion can be requested.
    Audit,
}

/// A task after a step on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SteppedTask {
    pub id: String,
    pub title: String,
    pub status: TaskStatus,
    /// Attempts that failed.
    pub attempts: u32,
    pub attempts_allowed: u32,
    pub success_criteria: Vec<String>,
    pub verification_contract: Option<String>,
}

/// What the evaluator said of one predicate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepJudged {
    pub predicate: Value,
    pub satisfied: bool,
    pub reasoning: String,
}

/// The plan that a step brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepPlanned {
    /// `planner`, or `procedure:ID`.
    pub source: String,
    /// The titles of the tasks at its top.
    pub tasks: Vec<String>,
}

impl SteppedTask {
    /// The task as it stands in a goal.
    pub fn of(goal: &Goal, task: &TaskSpec) -> SteppedTask {
        SteppedTask {
            id: task.id.clone(),
            title: task.title.clone(),
            status: TaskStatuses::of(&goal.tasks).status(&task.id),
            attempts: goal.tasks.mark(&task.id).attempts,
            attempts_allowed: task.attempts_allowed(),
            success_criteria: task.success_criteria.clone().unwrap_or_default(),
            verification_contract: task.verification_contract.clone(),
        }
    }
}

impl Record for Stepped {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }

    fn failure(&self) -> Option<Failure> {
        self.failure.clone()
    }
}

/// Most bytes of one value in a text; the data has all of it.
const SHOWN: usize = 400;

impl Stepped {
    /// What was done and what comes now, for people and for models.
    pub fn text(&self) -> String {
        let task = self.task.as_ref();
        let named = task.map_or_else(String::new, |task| {
            format!("task {}: {}", one_line(&task.id), one_line(&task.title))
        });
        let why = self.reason.as_deref().map(one_line).unwrap_or_default();
        let again = again(self.repeated);
        let done = match self.did {
            Did::Nothing => String::new(),
            Did::Performed => format!("Performed {named}.\n"),
            Did::Asked => format!("The user is asked for {named}.\n"),
            Did::Presented => format!("To be shown to the user, for {named}:\n"),
            Did::Handed => format!("This is the agent's to do, {named}.\n"),
            Did::Judged => format!("The evaluator was asked about {named}.\n"),
            Did::Planned if task.is_none() => "Planned the goal:\n".to_owned(),
            Did::Planned => format!("Planned {named}:\n"),
            Did::Blocked if task.is_none() => format!("No plan: {why}.\n"),
            Did::Failed => format!("An attempt failed at {named}: {why}.\n"),
            Did::Blocked => format!("Blocked: {named}: {why}.\n"),
        };
        let waits = self.waits(&why);
        format!("{again}{done}{}{waits}", self.details())
    }

    fn details(&self) -> String {
        let mut text = String::new();
        let shown = self.presented.iter().chain(&self.evidence);
        for (key, value) in shown.flatten() {
            let value = match value {
                Value::String(text) => clean(text),
                other => other.to_string(),
            };
            text += &format!("  {}: {}\n", one_line(key), short(&value, SHOWN));
        }
        for title in self.planned.iter().flat_map(|planned| &planned.tasks) {
            text += &format!("  - {}\n", one_line(title));
        }
        if let (Some(task), Did::Handed) = (&self.task, self.did) {
            for criterion in &task.success_criteria {
                text += &format!("  - {}\n", one_line(criterion));
            }
            if let Some(contract) = &task.verification_contract {
                text += &format!("  to be proved: {}\n", one_line(contract));
            }
        }
        if let Some(judged) = &self.judged {
            let holds = match judged.satisfied {
                true => "holds",
                false => "does not hold",
            };
            text += &format!("  it {holds}: {}\n", one_line(&judged.reasoning));
        }
        text
    }

    fn waits(&self, why: &str) -> String {
        let id = self.task.as_ref().map(|task| one_line(&task.id));
        let id = id.unwrap_or_default();
        match self.waits_for {
            None => "`goal task step` takes the next step.\n".into(),
            Some(WaitsFor::Tasks) => {
                "The goal has no tasks: set them with `goal task set`, or plan it with `goal \
                 plan`.\n"
                    .into()
            }
            Some(WaitsFor::Plan) => {
                format!("Task {id} is still to be decomposed: `goal plan {id}`.\n")
            }
            Some(WaitsFor::Procedure) => {
                let may_apply = self.procedure.as_ref();
                let may_apply = may_apply.map_or_else(String::new, SuggestedProcedure::text);
                format!("{may_apply}; else set the tasks with `goal task set`.\n")
            }
            Some(WaitsFor::Again) => format!(
                "The tool of task {id} ran already and is not run again by itself: {why}. `goal \
                 task step --again` runs it once more; `goal task reopen {id} --reason WHY` forgets what \
                 it brought; other evidence is judged anew.\n"
            ),
            Some(WaitsFor::Lift) if self.task.is_none() => {
                "Fix the planner, write the tasks with `goal task set`, or plan with `goal plan`.\n"
                    .into()
            }
            Some(WaitsFor::Agent) => format!(
                "Do it, give evidence with `goal evidence add KEY VALUE --task {id}` where it is \
                 asked for, and end it with `goal task complete {id}`; or say `goal task fail \
                 {id}`.\n"
            ),
            Some(WaitsFor::Answer) => self
                .question
                .as_ref()
                .map_or_else(String::new, OpenQuestion::text),
            Some(WaitsFor::Evidence) => format!(
                "Task {id} waits for other evidence: {why}. Give it with `goal evidence add KEY \
                 VALUE --task {id}`.\n"
            ),
            Some(WaitsFor::Lift) => format!(
                "Task {id} is stuck{}: reopen it with `goal task reopen {id} --reason WHY`, skip it, \
                 or plan anew; then `goal resume`.\n",
                match (self.did, why) {
                    (Did::Nothing, why) if !why.is_empty() => format!(" ({why})"),
                    _ => String::new(),
                }
            ),
            Some(WaitsFor::Resume) => format!(
                "The goal is {}, and no step is taken: `goal resume` lets it go on.\n",
                self.status.name()
            ),
            Some(WaitsFor::Audit) => {
                "All tasks are done: look once more, and request completion with `goal \
                 complete`.\n"
                    .into()
            }
        }
    }
}
