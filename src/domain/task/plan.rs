//! Plans: what a planner is given, and its answer, which is taken whole or not at all.
//!
//! The types here are published schemas (`goal schema planner-input`, `planner-answer`): what they
//! refuse, a planner may not say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::progress::events::AgendaStep;
use crate::domain::progress::score::Score;
use crate::domain::task::condition::Condition;
use crate::domain::task::events::{Decomposition, Predicate, TaskSpec};
use crate::domain::task::standing::Standing;

/// What is to be planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// This task, without one the goal itself.
    pub task: Option<String>,
    /// Why what is not complete yet is planned anew; a first plan has no reason.
    pub revise: Option<String>,
    /// Ordered checkpoints with success criteria.
    pub checkpoints: bool,
    /// It is escalated: the tier of the question, and tasks may be added where none is left.
    pub escalated: bool,
}

/// A plan that can be decided on.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In order, without ids.
    pub tasks: Vec<TaskSpec>,
    pub decomp: Decomposition,
    /// `planner`, or `procedure:ID`.
    pub source: String,
}

/// What a planner gets on stdin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannerInput {
    /// What to do with the rest and how to answer, for planners that are language models.
    pub instructions: String,
    /// What is to be decomposed, in a few words.
    pub gloss: String,
    /// What is known already, by key.
    pub evidence: BTreeMap<String, Value>,
    pub context: PlanContext,
    /// Procedures that resemble it, the most relevant first.
    pub procedures: Vec<OfferedProcedure>,
    /// Only when what is not complete yet is planned anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revise: Option<Revision>,
    /// Only when ordered checkpoints are wanted: every subgoal then needs `successCriteria`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointsWanted>,
    /// Only when the goal was escalated: how hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<PlanTier>,
    /// How far the goal is; only where it was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<PlanProgress>,
    /// The agent's own steps, with what is done of them; only where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agenda: Vec<AgendaStep>,
}

/// How much a plan is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanTier {
    /// What was planned before did not get there.
    Escalated,
}

/// How far the goal is, for a planner.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanProgress {
    /// How things stood when the goal was created.
    pub baseline: Option<String>,
    /// The latest scores from 0 to 1, oldest first, at most eight.
    pub scores: Vec<Score>,
    /// What is met, what is not.
    pub gap_analysis: String,
}

/// What surrounds the thing to be planned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanContext {
    pub goal_id: String,
    pub objective: String,
    pub success_criteria: Vec<String>,
    pub boundaries: Vec<String>,
    pub constraints: Vec<String>,
    /// The task that is planned; nothing for the goal itself.
    pub task_id: Option<String>,
    /// Titles of the tasks above it, from the top level down.
    pub above: Vec<String>,
    /// Most levels that its subgoals may still have, themselves included.
    pub levels_left: usize,
    /// Most open primitive tasks that the whole goal may have.
    pub most_open: usize,
}

/// A procedure as a planner sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedProcedure {
    pub id: String,
    pub title: String,
    pub intent: Vec<String>,
    /// How relevant it is; comparable within one list only.
    pub score: f64,
    /// In the shape in which a planner answers.
    pub subgoals: Vec<Value>,
}

/// What a revision has to respect.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    pub reason: String,
    /// Stays as it is and is not to be answered again.
    pub kept: Vec<KeptTask>,
    /// What the answer replaces.
    pub dropped: Vec<KeptTask>,
}

/// A task that a revision names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptTask {
    pub id: String,
    pub title: String,
}

/// How many checkpoints there may be, those that are kept included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointsWanted {
    pub fewest: usize,
    pub most: usize,
}

/// What a planner answers: one JSON object and nothing else.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannerAnswer {
    /// In the order in which they are to be done. At least one.
    pub subgoals: Vec<Subgoal>,
    /// Whether all of them are needed, or one of them will do.
    pub decomp: Decomposition,
    /// What made the plan, for the record: a planner's name, a model.
    pub source: String,
}

/// One part of a plan.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Subgoal {
    /// What is to be done, in a few words.
    pub gloss: String,
    pub pred: SubgoalPredicate,
    /// All of these must hold; empty when somebody's word, or its tool's success, completes it.
    pub done_when: Vec<DoneWhen>,
    pub provenance: Option<SubgoalProvenance>,
    /// How one can tell that it is done. Every checkpoint needs some.
    pub success_criteria: Option<Vec<String>>,
}

/// What a subgoal does.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubgoalPredicate {
    pub name: PredicateName,
    /// `use_tool` needs `tool`, `gather_info` needs `key`, `confirm` needs `question`.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// What a subgoal can do. `composite` is decomposed further by another plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PredicateName {
    Composite,
    UseTool,
    GatherInfo,
    Confirm,
    PresentInfo,
    Execute,
}

impl PredicateName {
    fn name(self) -> &'static str {
        match self {
            PredicateName::Composite => "composite",
            PredicateName::UseTool => "use_tool",
            PredicateName::GatherInfo => "gather_info",
            PredicateName::Confirm => "confirm",
            PredicateName::PresentInfo => "present_info",
            PredicateName::Execute => "execute",
        }
    }

    /// The argument without which it says nothing.
    fn needs(self) -> Option<&'static str> {
        match self {
            PredicateName::UseTool => Some("tool"),
            PredicateName::GatherInfo => Some("key"),
            PredicateName::Confirm => Some("question"),
            PredicateName::Composite | PredicateName::PresentInfo | PredicateName::Execute => None,
        }
    }
}

/// A completion condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum DoneWhen {
    /// There is evidence under this key.
    HasEvidence { key: String },
    /// The evaluator finds the predicate true of the evidence.
    PredicateTrue { pred: EvaluatedPredicate },
}

/// What the evaluator is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluatedPredicate {
    pub name: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Where a subgoal comes from. `sopId` and `sopTitle` are other words for the procedure's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubgoalProvenance {
    pub procedure_id: Option<String>,
    pub title: Option<String>,
    pub sop_id: Option<String>,
    pub sop_title: Option<String>,
    /// Which step of the procedure it was, from 0.
    pub step_index: Option<u32>,
    pub suggested_tool: Option<String>,
    pub planner: Option<String>,
}

/// Where a task of a plan comes from, as its definition keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedure_id: Option<String>,
    /// The procedure's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// From 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_tool: Option<String>,
    /// What made the plan, as the planner says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
}

impl Provenance {
    /// As the JSON of a definition.
    pub fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What a revision keeps of these tasks: the ended ones; of one that is open, those below it, which
/// then stand beside.
pub fn kept(specs: &[TaskSpec], standing: &Standing) -> Vec<TaskSpec> {
    let mut ended = Vec::new();
    for spec in specs {
        match standing.status(&spec.id).is_open() {
            true => ended.extend(kept(&spec.tasks, standing)),
            false => ended.push(spec.clone()),
        }
    }
    ended
}

/// Why an answer is refused, whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the answer does not fit the schema at `{place}`: {problem}")]
    Shape { place: String, problem: String },
    #[error("subgoal {number} of the answer is refused: {problem}")]
    Subgoal { number: usize, problem: String },
    #[error("the answer holds no subgoals")]
    Empty,
    #[error("the answer does not say its `source`")]
    NoSource,
}

/// Reads a planner's answer: one JSON object, which may stand in one code fence, as language
/// models write it, and nothing beside it.
///
/// # Errors
/// Anything in it that does not fit.
pub fn read(text: &str) -> Result<Plan, AnswerError> {
    let text = unfenced(text.trim());
    let mut input = serde_json::Deserializer::from_str(text);
    let answer: PlannerAnswer =
        serde_path_to_error::deserialize(&mut input).map_err(|error| refused(text, &error))?;
    input.end().map_err(|error| AnswerError::Shape {
        place: ".".into(),
        problem: error.to_string(),
    })?;
    if answer.subgoals.is_empty() {
        return Err(AnswerError::Empty);
    }
    if answer.source.trim().is_empty() {
        return Err(AnswerError::NoSource);
    }
    let subgoals = answer.subgoals.iter().zip(1..);
    let tasks = subgoals.map(|(subgoal, number)| {
        task(subgoal, &answer.source).map_err(|problem| AnswerError::Subgoal { number, problem })
    });
    Ok(Plan {
        tasks: tasks.collect::<Result<_, _>>()?,
        decomp: answer.decomp,
        source: "planner".into(),
    })
}

/// The text between a fence's lines, if all of it stands in one.
fn unfenced(text: &str) -> &str {
    let inner = || {
        let (opening, rest) = text.strip_prefix("```")?.split_once('\n')?;
        let plain = matches!(opening.trim(), "" | "json");
        rest.strip_suffix("```").filter(|_| plain)
    };
    inner().unwrap_or(text)
}

/// A condition that can never be met is said as what it is.
fn refused(text: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> AnswerError {
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    let subgoals = answer["subgoals"].as_array().into_iter().flatten().zip(1..);
    for (subgoal, number) in subgoals {
        for condition in subgoal["doneWhen"].as_array().into_iter().flatten() {
            if let Err(error) = Condition::strict(condition) {
                let problem = error.to_string();
                return AnswerError::Subgoal { number, problem };
            }
        }
    }
    AnswerError::Shape {
        place: error.path().to_string(),
        problem: error.inner().to_string(),
    }
}

fn task(subgoal: &Subgoal, source: &str) -> Result<TaskSpec, String> {
    let name = subgoal.pred.name;
    let says = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| !text.trim().is_empty())
    };
    if let Some(needed) = name.needs()
        && !says(subgoal.pred.args.get(needed))
    {
        return Err(format!("its predicate {} needs `{needed}`", name.name()));
    }
    let given = subgoal.provenance.clone().unwrap_or_default();
    let provenance = Provenance {
        procedure_id: given.procedure_id.or(given.sop_id),
        title: given.title.or(given.sop_title),
        step_index: given.step_index,
        suggested_tool: given.suggested_tool,
        planner: Some(given.planner.unwrap_or_else(|| source.to_owned())),
    };
    let conditions = subgoal.done_when.iter().map(|condition| {
        let value = serde_json::to_value(condition).map_err(|error| error.to_string())?;
        Condition::strict(&value).map_err(|error| error.to_string())?;
        Ok(value)
    });
    Ok(TaskSpec {
        pred: Some(Predicate {
            name: name.name().to_owned(),
            args: Value::Object(subgoal.pred.args.clone()),
        }),
        done_when: conditions.collect::<Result<_, String>>()?,
        success_criteria: subgoal.success_criteria.clone(),
        provenance: Some(provenance.value()),
        ..TaskSpec::new("", subgoal.gloss.clone())
    })
}

#[cfg(test)]
mod tests;
