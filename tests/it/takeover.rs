//! Tasks that another tool keeps in its own document: read as they are there, and taken over with
//! what became of them when tasks of ours come beside them.

use std::fs;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::support::Project;

const ID: &str = "mrexampl-000001";
const PAUSED: &str = include_str!("../../fixtures/documents/legacy-paused.md");

/// A project in which only the other tool's document knows a goal, which is under way.
fn project() -> (Project, Utf8PathBuf) {
    let project = Project::new();
    let active = PAUSED.replacen("\"status\": \"paused\"", "\"status\": \"active\"", 1);
    assert_ne!(active, PAUSED);
    fs::create_dir_all(project.goals("")).unwrap();
    let document = project.goals(&format!("active_goal_2026030108000000_{ID}.md"));
    fs::write(&document, active).unwrap();
    (project, document)
}

/// Ids with statuses, parents first.
fn statuses(project: &Project) -> Vec<(String, String)> {
    fn flatten(tasks: &Value, all: &mut Vec<(String, String)>) {
        for task in tasks.as_array().into_iter().flatten() {
            let text = |field: &str| task[field].as_str().unwrap().to_owned();
            all.push((text("id"), text("status")));
            flatten(&task["tasks"], all);
        }
    }
    let tree = project.run(&["task", "tree", "--json"]).ok().data();
    let mut all = Vec::new();
    flatten(&tree["tasks"]["list"], &mut all);
    all
}

fn owned(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter()
        .map(|(id, status)| ((*id).to_owned(), (*status).to_owned()))
        .collect()
}

const THEIRS: [(&str, &str); 3] = [
    ("task-1", "complete"),
    ("task-2", "pending"),
    ("task-2a", "pending"),
];

#[test]
fn whichever_act_takes_the_goal_over_the_commit_is_on_record() {
    for act in [
        &["note", "n"][..],
        &["pause", "--reason", "r"],
        &["adopt", ID],
    ] {
        let (project, _) = project();
        project.git(&["init", "-q", "-b", "main"]);
        project.commit();
        let head = project.git(&["rev-parse", "HEAD"]);
        project.run(act).ok();
        let created = &project.events_of_type("goal_created")[0];
        assert_eq!(created["head"], head.trim(), "{act:?}");
    }
}

#[test]
fn their_tasks_are_read_from_the_document() {
    let (project, document) = project();
    let before = fs::read(&document).unwrap();
    assert_eq!(statuses(&project), owned(&THEIRS));
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(next["task"]["id"], "task-2a", "{next}");
    for tool in [
        ["add_goal_tasks", r#"{"tasks":[{"title":"mine"}]}"#],
        [
            "update_goal_task",
            r#"{"taskId":"task-2a","status":"complete"}"#,
        ],
    ] {
        let refused = project.run(&["tool", tool[0], "--data", tool[1]]).exits(5);
        assert_eq!(refused.error_code(), "not_adopted", "{refused}");
    }
    assert!(!project.ledger_path().exists());
    assert_eq!(fs::read(&document).unwrap(), before);
}

#[test]
fn what_becomes_of_their_tasks_is_an_event_and_the_list_stays_theirs() {
    let (project, document) = project();
    let before = fs::read(&document).unwrap();
    project.run(&["task", "complete", "task-2a"]).ok();
    let expected = [
        "goal_created",
        "task_list_set",
        "task_complete",
        "task_complete",
    ];
    assert_eq!(project.event_types(), expected);
    let expected = [
        ("task-1", "complete"),
        ("task-2", "complete"),
        ("task-2a", "complete"),
    ];
    assert_eq!(statuses(&project), owned(&expected));
    let archived = project.goals(&format!("archived/goal_2026030108000000_{ID}.md"));
    assert_eq!(fs::read(archived).unwrap(), before, "theirs, byte for byte");
    project.run(&["verify"]).ok();
}

#[test]
fn tasks_of_ours_beside_theirs_take_theirs_over() {
    let plan = |project: &Project| {
        let call = project.call(&["import", "-"]);
        call.stdin("- [ ] Sort them\n  - [ ] By family\n- [ ] mine\n")
            .run()
    };
    let add = |project: &Project| project.run(&["task", "add", "mine"]);
    for act in [&add as &dyn Fn(&Project) -> crate::support::Ran, &plan] {
        let (project, document) = project();
        act(&project).ok();
        let expected = [
            "goal_created",
            "task_list_set",
            "task_complete",
            "task_added",
        ];
        assert_eq!(project.event_types(), expected);
        let [_, set, complete, added] = &project.events()[..] else {
            unreachable!("four, as was just seen");
        };
        assert_eq!(
            (&set["source"], &set["taskCount"]),
            (&json!("document"), &json!(3))
        );
        assert_eq!(set["blockCompletion"], true);
        assert_eq!(
            set["tasks"][0]["verificationContract"],
            "Every packet has a row."
        );
        assert_eq!(set["tasks"][1]["tasks"][0]["title"], "By family");
        assert_eq!(
            (&complete["taskId"], &complete["evidence"]),
            (&json!("task-1"), &json!("list.csv"))
        );
        assert_eq!(added["tasks"].as_array().unwrap().len(), 1);
        let mine = added["tasks"][0]["id"].as_str().unwrap();
        let all = [&THEIRS[..], &[(mine, "pending")]].concat();
        assert_eq!(statuses(&project), owned(&all));
        // From here on the ledger defines them, whatever the document says or becomes.
        fs::write(&document, PAUSED.replace("By family", "?")).unwrap();
        project.run_as_agent(&["task", "complete", "task-2a"]).ok();
        let tree = project.run(&["task", "tree"]).ok().stdout;
        assert!(tree.contains("By family") && !tree.contains('?'), "{tree}");
        let next = project.run(&["next", "--json"]).ok().data();
        assert_eq!(next["task"]["id"], mine);
        let refused = project.run(&["complete", "--json"]).exits(5);
        assert_eq!(refused.error_code(), "tasks_open");
        project.run(&["verify", "--strict"]).ok();
    }
}

#[test]
fn a_goal_that_is_adopted_keeps_the_tasks_that_hold_its_completion() {
    let (project, _) = project();
    project.auditor(crate::support::auditor::APPROVE);
    project.run(&["focus", ID]).ok();
    assert_eq!(statuses(&project), owned(&THEIRS));
    let tree = project.run(&["task", "tree", "--json"]).ok().data();
    assert_eq!(tree["tasks"]["list"][0]["proof"], "list.csv");
    let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "tasks_open");
    let drop = ["tool", "set_goal_tasks", "--data", r#"{"tasks":[]}"#];
    assert_eq!(project.run(&drop).exits(5).error_code(), "human_owned");
    assert_eq!(project.started(), 0);
}
