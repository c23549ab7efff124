//! Which checkpoints a question holds.

use serde_json::json;

use super::*;
use crate::domain::event::Payload;

/// Two checkpoints, the first of two parts, and these questions: their tasks, and the keys of evidence.
fn asked(questions: &[(Option<&str>, Option<&str>)]) -> Tasks {
    let leaf = |id: &str| json!({ "id": id, "title": id });
    let first = json!({ "id": "1", "title": "1", "tasks": [leaf("1.1"), leaf("1.2")] });
    let set = json!({ "taskCount": 2, "blockCompletion": true, "tasks": [first, leaf("2")] });
    let mut payloads = vec![Payload::decode("task_list_set", &set.to_string()).unwrap()];
    for (number, (task, key)) in questions.iter().enumerate() {
        let mut fields =
            json!({ "questionId": number.to_string(), "kind": "info", "question": "q" });
        for (name, value) in [("taskId", task), ("key", key)] {
            if let Some(value) = value {
                fields[name] = json!(value);
            }
        }
        payloads.push(Payload::decode("question_asked", &fields.to_string()).unwrap());
    }
    Tasks::default().after(&payloads)
}

fn worked(tasks: &Tasks) -> Option<&str> {
    let current = current_checkpoint(tasks, &TaskStatuses::of(tasks))?;
    (!waits_for_answer(tasks)).then_some(&*current.id)
}

#[test]
fn a_question_of_one_task_holds_its_checkpoint_alone() {
    assert_eq!(worked(&asked(&[])), Some("1"));
    assert_eq!(worked(&asked(&[(Some("1.2"), None)])), Some("2"));
    assert_eq!(worked(&asked(&[(Some("2"), None)])), Some("1"));
    let both = asked(&[(Some("1.1"), None), (Some("2"), None)]);
    assert_eq!(worked(&both), None);
    // Answered, it holds nothing.
    let answer = json!({ "questionId": "0", "answer": "blue" }).to_string();
    let answered = both.after(&[Payload::decode("question_answered", &answer).unwrap()]);
    assert_eq!(worked(&answered), Some("1"));
}

#[test]
fn a_question_of_the_goal_and_one_of_a_step_hold_everything() {
    assert_eq!(worked(&asked(&[(None, None)])), None);
    assert_eq!(worked(&asked(&[(Some("1.1"), Some("origin"))])), None);
    assert_eq!(worked(&asked(&[(Some("2"), None), (None, None)])), None);
}
