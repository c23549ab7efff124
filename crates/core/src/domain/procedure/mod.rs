//! Procedures: how a kind of goal is done, written down by people (docs/work.md#procedures). Read,
//! ranked by relevance, and adapted to a plan. A procedure holds names of tools, never commands.
//!
//! A procedure as a plan for one goal: its steps as tasks that say where they come from.

pub mod rank;
pub mod steps;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::plan::{OfferedProcedure, Plan, Provenance};
use crate::domain::task::spec::{Decomposition, Predicate, TaskSpec};

/// Most bytes of a procedure's file.
pub const MOST_BYTES: usize = 64 * 1024;

/// Most steps of a procedure.
pub const MOST_STEPS: usize = 50;

/// A procedure that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// The name of its file without `.md`.
    pub id: String,
    pub title: String,
    /// What it is for, each in words in which somebody may ask for it. May be empty.
    pub intent: Vec<String>,
    /// Keys of evidence without which it cannot be done.
    pub parameters: Vec<String>,
    /// Never empty.
    pub steps: Vec<Step>,
}

/// One step of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub title: String,
    pub pred: Predicate,
    pub done_when: Vec<Value>,
    /// The tool that its author suggests.
    pub tool: Option<String>,
}

/// What is wrong with a procedure's file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProblemView", description = "What is wrong, and where.")]
pub struct Problem {
    /// Of the file, from 1.
    pub line: usize,
    pub message: String,
}

impl Problem {
    /// A problem on this line.
    pub fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem {
            line,
            message: message.into(),
        }
    }
}

/// Whether the text can be a procedure's id: it is part of a file's name, and of a source.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 128 && text.starts_with(starts) && text.chars().all(plain) && !text.contains("..")
}

/// Whether the text can be a key of evidence or the name of a tool: one word, no path, no command.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-:".contains(c);
    !text.is_empty() && text.len() <= 128 && text.chars().all(plain)
}

/// The plan that a procedure makes where `known` is the evidence that there is: first a question
/// for each parameter that is neither known nor asked for by a step, then the steps in order.
pub fn adapt(procedure: &Procedure, known: &BTreeSet<&EvidenceKey>) -> Plan {
    let asked = |key: &str| {
        let asks = |args: &Value| args["key"] == key;
        let mut steps = procedure.steps.iter();
        steps.any(|step| step.pred.name == "gather_info" && asks(&step.pred.args))
    };
    let missing = procedure
        .parameters
        .iter()
        .filter(|key| !known.contains(&EvidenceKey::from(key.as_str())) && !asked(key));
    let questions = missing.map(|key| TaskSpec {
        pred: Some(Predicate {
            name: "gather_info".into(),
            args: json!({ "key": key, "prompt": format!("Please give {key}") }),
        }),
        done_when: vec![json!({ "kind": "hasEvidence", "key": key })],
        provenance: Some(provenance(procedure).value()),
        ..TaskSpec::new("", &format!("Find out {key}"))
    });
    Plan {
        tasks: questions.chain(steps(procedure)).collect(),
        decomp: Decomposition::And,
        source: format!("procedure:{}", procedure.id),
    }
}

fn steps(procedure: &Procedure) -> impl Iterator<Item = TaskSpec> {
    procedure.steps.iter().zip(0..).map(|(step, index)| {
        let provenance = Provenance {
            step_index: Some(index),
            suggested_tool: step.tool.clone(),
            ..provenance(procedure)
        };
        TaskSpec {
            pred: Some(step.pred.clone()),
            done_when: step.done_when.clone(),
            provenance: Some(provenance.value()),
            ..TaskSpec::new("", &step.title)
        }
    })
}

fn provenance(procedure: &Procedure) -> Provenance {
    Provenance {
        procedure_id: Some(procedure.id.clone()),
        title: Some(procedure.title.clone()),
        ..Provenance::default()
    }
}

/// A procedure as a planner sees it: its steps in the shape in which it answers.
pub fn offer(procedure: &Procedure, score: f64) -> OfferedProcedure {
    let subgoal = |task: TaskSpec| {
        json!({
            "gloss": task.title,
            "pred": task.pred,
            "doneWhen": task.done_when,
            "provenance": task.provenance,
        })
    };
    OfferedProcedure {
        id: procedure.id.clone(),
        title: procedure.title.clone(),
        intent: procedure.intent.clone(),
        score,
        subgoals: steps(procedure).map(subgoal).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::procedure::steps;
    use crate::domain::task::answer::{Answer, read};

    fn train() -> Procedure {
        let text = "## Steps\n1. Ask when\n   - ask: travelDate\n2. Search\n   - tool: search\n   \
                    - key: trains\n3. Confirm\n   - confirm: Book it?\n";
        Procedure {
            id: "train".into(),
            title: "Book a train ticket".into(),
            intent: Vec::new(),
            parameters: ["origin", "destination", "travelDate"]
                .map(Into::into)
                .into(),
            steps: steps::parse(text.lines().zip(1..).map(|(l, n)| (n, l)), 9).unwrap(),
        }
    }

    #[test]
    fn steps_become_tasks_behind_what_is_missing() {
        let plan = adapt(&train(), &BTreeSet::from([&"origin".into()]));
        assert_eq!(plan.source, "procedure:train");
        let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(
            titles,
            ["Find out destination", "Ask when", "Search", "Confirm"]
        );
        let from = json!({
            "procedureId": "train", "title": "Book a train ticket", "stepIndex": 1,
            "suggestedTool": "search",
        });
        assert_eq!(plan.tasks[2].provenance, Some(from));
        assert_eq!(plan.tasks[2].pred.as_ref().unwrap().args["key"], "trains");
    }

    #[test]
    fn what_a_planner_is_offered_it_may_answer_with() {
        let offered = offer(&train(), 1.0);
        let answer = json!({ "subgoals": offered.subgoals, "decomp": "AND", "source": "s" });
        let Ok(Answer::Plan(plan)) = read(&answer.to_string()) else {
            panic!("{answer}")
        };
        assert_eq!(plan.tasks.len(), 3);
    }
}
