//! Boxes are set, and nothing else.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::event::Payload;
use crate::domain::task::spec::definitions;

/// The tasks of a plan, as they are when the plan is set.
fn tasks_of(text: &str) -> Tasks {
    let source = Source { path: "", text };
    let plan = read_as(&source, formats::of(&source)).unwrap();
    let mut defined = definitions(&plan.tasks);
    for (place, own) in &defined.own_ids {
        let (first, below) = place.split_first().unwrap();
        let mut task = &mut defined.tasks[*first];
        for at in below {
            task = &mut task.tasks[*at];
        }
        task.id.clone_from(own);
    }
    number(&mut defined.tasks, "n");
    let set = json!({ "taskCount": 1, "blockCompletion": true, "tasks": defined.tasks });
    let set = Payload::decode("task_list_set", &set.to_string()).unwrap();
    Tasks::default().after(&[set])
}

fn number(specs: &mut [TaskSpec], before: &str) {
    for (at, spec) in specs.iter_mut().enumerate() {
        if spec.id.is_empty() {
            spec.id = format!("{before}.{at}");
        }
        let id = spec.id.clone();
        number(&mut spec.tasks, &id);
    }
}

fn said(tasks: &Tasks, name: &str, title: &str) -> Tasks {
    let flat = tasks.flat();
    let (_, task) = flat.iter().find(|(_, it)| it.title == title).unwrap();
    let fields = json!({ "taskId": task.id, "reason": "r" }).to_string();
    tasks.after(&[Payload::decode(name, &fields).unwrap()])
}

fn synced(path: &str, text: &str, tasks: &Tasks) -> Synced {
    sync(&Source { path, text }, tasks).unwrap().unwrap()
}

#[test]
fn boxes_are_set_as_tasks_stand() {
    let text = "\u{feff}---\r\nname: x\r\n---\r\n# Plan [ ]\r\n\r\n- [ ] 1. Build\r\n  - [ ] 1.1 Parse [ ]\r\n  - [X] 1.2 Ship\r\n* [!] Look\r\n- [] Rest\r\n\r\n```\r\n- [ ] code\r\n```\r\n";
    let mut tasks = tasks_of(text);
    for (name, title) in [
        ("task_complete", "Parse [ ]"),
        ("task_complete", "Ship"),
        ("task_complete", "Rest"),
        ("task_blocked", "Look"),
    ] {
        tasks = said(&tasks, name, title);
    }
    let synced = synced("", text, &tasks);
    let expected = text
        .replace("[ ] 1. Build", "[x] 1. Build")
        .replace("[ ] 1.1", "[x] 1.1")
        .replace("[] Rest", "[x] Rest");
    assert_eq!(synced.text, expected);
    let lines: Vec<usize> = synced.changed.iter().map(|it| it.line).collect();
    assert_eq!(lines, [6, 7, 10]);
    assert_eq!(synced.unknown, []);
    assert_eq!(synced.missing, []);
}

#[test]
fn what_is_not_found_is_named_and_left() {
    let mut tasks = tasks_of("- [ ] 1. one\n- [ ] 2. two\n- [ ] 3. three\n");
    for title in ["one", "two", "three"] {
        tasks = said(&tasks, "task_complete", title);
    }
    // The plan was numbered anew: its 2 is another one than the task 2.
    let text = "- [ ] 1. one\n- [ ] 2. new\n- [ ] 3. two\n- [ ] 4. twice\n- [ ] 5. twice\n";
    let synced = synced("", text, &tasks);
    assert_eq!(
        synced.text,
        "- [x] 1. one\n- [ ] 2. new\n- [x] 3. two\n- [ ] 4. twice\n- [ ] 5. twice\n"
    );
    let unknown: Vec<&str> = synced.unknown.iter().map(|(_, title)| &**title).collect();
    assert_eq!(unknown, ["new", "twice", "twice"]);
    assert_eq!(synced.missing, [("3".to_owned(), "three".to_owned())]);
}

#[test]
fn a_note_and_a_title_that_stands_twice_lose_no_task() {
    let tasks = tasks_of("- [ ] E\n- [ ] Test\n- [ ] Build\n- [ ] Test\n- [ ] F (failed)\n");
    let text =
        "- [ ] E (skipped: no need)\n- [ ] Test\n- [ ] Build\n- [ ] Test\n- [ ] F (failed)\n";
    let reopened = synced("", text, &tasks);
    assert_eq!(
        (reopened.changed, reopened.unknown, reopened.missing),
        Default::default()
    );
    let set = json!({ "taskId": tasks.specs[3].id });
    let done = tasks.after(&[Payload::decode("task_complete", &set.to_string()).unwrap()]);
    let lines: Vec<usize> = synced("", text, &done)
        .changed
        .iter()
        .map(|it| it.line)
        .collect();
    assert_eq!(lines, [4]);
    // Which of the two is meant nobody knows, but the file has one of them.
    let one = synced(
        "",
        "- [ ] E\n- [ ] Test\n- [ ] Build\n- [ ] F (failed)\n",
        &tasks,
    );
    assert_eq!((one.unknown.len(), one.missing), (1, Vec::new()));
}

#[test]
fn each_tool_has_its_own_marks() {
    let text = "- [ ] T001 Begin\n- [ ] T002 Go on\n";
    let mut tasks = tasks_of(text);
    tasks = said(&tasks, "task_started", "Begin");
    assert_eq!(synced("", text, &tasks).changed, []);
    tasks = said(&tasks, "task_skipped", "Go on");
    assert_eq!(
        synced("", text, &tasks).text,
        "- [ ] T001 Begin\n- [-] T002 Go on\n"
    );
    let path = ".kiro/specs/x/tasks.md";
    let text = "- [ ] 1. Begin\n- [ ] 2. Go on\n";
    let mut tasks = tasks_of(text);
    tasks = said(&tasks, "task_started", "Begin");
    tasks = said(&tasks, "task_skipped", "Go on");
    let kiro = synced(path, text, &tasks);
    assert_eq!(kiro.text, "- [-] 1. Begin\n- [ ] 2. Go on\n");
    assert_eq!(kiro.unsaid, [("2".to_owned(), TaskStatus::Skipped)]);
    let json = Source {
        path: "",
        text: r#"[{"title":"a"}]"#,
    };
    assert_eq!(sync(&json, &tasks), Ok(None));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "( {0,4}|\t)[-*+] \\[[ xX~/!-]\\] ([1-9]\\. )?[a-d]{1,3}( \\[ \\])?",
        1 => "( {0,2})[1-9]\\. \\[[ x]\\] [a-d]{1,3}",
        1 => "#{1,3} [a-d]{1,3}",
        1 => "[ -~]{0,12}",
        1 => "(```|---|> - \\[ \\] q|<!-- x -->|é — ü|- \\[\\] e|    code)",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 3_000 }))]

    #[test]
    fn bytes_outside_of_boxes_stay(
        lines in prop::collection::vec(line(), 1..14),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        mark in any::<bool>(),
        events in prop::collection::vec((0..3usize, 0..14usize), 0..10),
    ) {
        let text = format!("{}{}", if mark { "\u{feff}" } else { "" }, lines.join(end));
        let source = Source { path: "", text: &text };
        let Ok(plan) = read_as(&source, formats::of(&source)) else { return Ok(()) };
        let boxed = formats::of(&source).marks.is_some();
        let mut tasks = tasks_of(&text);
        for (which, at) in events {
            let name = ["task_complete", "task_skipped", "task_started"][which];
            let flat = tasks.flat();
            let id = flat[at % flat.len()].1.id.clone();
            let fields = json!({ "taskId": id, "reason": "r" }).to_string();
            tasks = tasks.after(&[Payload::decode(name, &fields).unwrap()]);
        }
        if !boxed { return Ok(()) }
        let synced = synced("", &text, &tasks);
        let starts = line_starts(&text);
        let mut expected = String::new();
        let mut copied = 0;
        for it in &plan.boxes {
            let begin = starts[it.line] + it.column;
            prop_assert!(begin > 0 && text.as_bytes()[begin - 1] == b'[', "{text:?} {it:?}");
            prop_assert_eq!(text.as_bytes()[begin + it.length], b']');
            expected.push_str(&text[copied..begin]);
            expected.push('?');
            copied = begin + it.length;
        }
        expected.push_str(&text[copied..]);
        // With every box blotted out the two are the same.
        let again = Source { path: "", text: &synced.text };
        let mut blotted = String::new();
        let mut copied = 0;
        let starts = line_starts(&synced.text);
        let plan = read_as(&again, formats::of(&again)).unwrap();
        for it in &plan.boxes {
            let begin = starts[it.line] + it.column;
            blotted.push_str(&synced.text[copied..begin]);
            blotted.push('?');
            copied = begin + it.length;
        }
        blotted.push_str(&synced.text[copied..]);
        prop_assert_eq!(blotted, expected);
        let twice = sync(&again, &tasks).unwrap().unwrap();
        prop_assert_eq!(twice.text, synced.text);
    }
}
