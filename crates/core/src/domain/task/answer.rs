//! A planner's answer, which is taken whole or not at all.
//!
//! The types here are a published schema (`goal schema planner-answer`): what they refuse, a planner
//! may not say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::task::condition::Condition;
use crate::domain::task::plan::{Plan, Provenance};
use crate::domain::task::spec::{Decomposition, Predicate, TaskSpec};
use crate::domain::words::words;

/// What a planner answers: one JSON object and nothing else.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannerAnswer {
    /// In the order in which they are to be done. At least one, unless a procedure is taken.
    #[serde(default)]
    pub subgoals: Vec<Subgoal>,
    /// Whether all of them are needed, or one of them will do. Needed with `subgoals`.
    pub decomp: Option<Decomposition>,
    /// In place of `subgoals` and `decomp`: the id of the procedure, of those in the input, that is
    /// taken as it is. Only for a first plan.
    pub procedure: Option<String>,
    /// What made the plan, for the record: a planner's name, a model.
    pub source: String,
}

/// What a planner came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Plan(Plan),
    /// The id of the procedure that it takes.
    Procedure(String),
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

words! {
    /// What a subgoal can do. `composite` is decomposed further by another plan.
    pub enum PredicateName listed {
        Composite = "composite",
        UseTool = "use_tool",
        GatherInfo = "gather_info",
        Confirm = "confirm",
        PresentInfo = "present_info",
        Execute = "execute",
    }
}

impl PredicateName {
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
    #[error("the answer takes a procedure, and has subgoals or `decomp` beside it: one of the two")]
    Both,
}

/// Reads a planner's answer: one JSON object, which may stand in one code fence, as language
/// models write it, and nothing beside it.
///
/// # Errors
/// Anything in it that does not fit.
pub fn read(text: &str) -> Result<Answer, AnswerError> {
    let text = unfenced(text);
    let mut input = serde_json::Deserializer::from_str(text);
    let answer: PlannerAnswer =
        serde_path_to_error::deserialize(&mut input).map_err(|error| refused(text, &error))?;
    input.end().map_err(|error| AnswerError::Shape {
        place: ".".into(),
        problem: error.to_string(),
    })?;
    if answer.source.trim().is_empty() {
        return Err(AnswerError::NoSource);
    }
    if let Some(procedure) = answer.procedure {
        return match answer.subgoals.is_empty() && answer.decomp.is_none() {
            true => Ok(Answer::Procedure(procedure)),
            false => Err(AnswerError::Both),
        };
    }
    if answer.subgoals.is_empty() {
        return Err(AnswerError::Empty);
    }
    let decomp = answer.decomp.ok_or_else(|| AnswerError::Shape {
        place: ".".into(),
        problem: "missing field `decomp`".into(),
    })?;
    let subgoals = answer.subgoals.iter().zip(1..);
    let tasks = subgoals.map(|(subgoal, number)| {
        task(subgoal, &answer.source).map_err(|problem| AnswerError::Subgoal { number, problem })
    });
    Ok(Answer::Plan(Plan {
        tasks: tasks.collect::<Result<_, _>>()?,
        decomp,
        source: "planner".into(),
    }))
}

/// The JSON that a role answered: what stands between a fence's lines if all of the answer stands in
/// one, as language models write it, else all of it.
pub fn unfenced(text: &str) -> &str {
    let text = text.trim();
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
        ..TaskSpec::new("", &subgoal.gloss)
    })
}

#[cfg(test)]
mod tests;
