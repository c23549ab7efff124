//! A procedure as a plan for one goal: its steps as tasks that say where they come from.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::domain::procedure::Procedure;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::plan::{OfferedProcedure, Plan, Provenance};
use crate::domain::task::spec::{Decomposition, Predicate, TaskSpec};

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
    use crate::domain::task::answer::read;

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
        assert_eq!(read(&answer.to_string()).unwrap().tasks.len(), 3);
    }
}
