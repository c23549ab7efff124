//! What other tools write, in small, and what it comes to.

use super::tests::{check_as, left_out, read, shown, source};
use super::*;

fn read_file(path: &str, text: &str) -> (&'static str, Plan) {
    let source = Source { path, text };
    (formats::of(&source).name, read(&source).unwrap())
}

fn details(task: &TaskGiven) -> &str {
    task.details.as_deref().unwrap_or_default()
}

#[test]
fn spec_kit() {
    let text = "\
# Tasks: Export

## Format: `[ID] [P?] [Story] Description`
- [P] may run beside others

## Phase 1: Setup

**Purpose**: begin

- [x] T001 Make the project
- [X] T002 [P] Add the linter in .lint

## Phase 2: Story 1
- [ ] T010 [US1] Write src/export.rs

## Notes
1. Commit after each task
";
    let (format, plan) = read_file("specs/001-export/tasks.md", text);
    assert_eq!(format, "spec-kit");
    assert_eq!(
        shown(&plan.tasks),
        "1: Phase 1: Setup ([x] T001: Make the project, [x] T002: [P] Add the linter in .lint), \
         2: Phase 2: Story 1 (T010: [US1] Write src/export.rs)"
    );
    assert_eq!(details(&plan.tasks[0]), "**Purpose**: begin");
    assert_eq!(plan.title.as_deref(), Some("Tasks: Export"));
    let left: Vec<usize> = left_out(&plan).iter().map(|(line, _)| *line).collect();
    assert_eq!(left, [3, 4, 16, 17]);
}

#[test]
fn kiro() {
    let text = "\
# Implementation Plan

- [x] 1. Set up
  - Make the folders
  - _Requirements: 1.1, 1.2_
- [-] 2. Build
  - [ ] 2.1 Model
  - [ ]* 2.2 Property tests
";
    let (format, plan) = read_file("tasks.md", text);
    assert_eq!(format, "kiro");
    assert_eq!(
        shown(&plan.tasks),
        "[x] 1: Set up, [active] 2: Build (2.1: Model, 2.2: Property tests)"
    );
    assert_eq!(
        details(&plan.tasks[0]),
        "- Make the folders\n- _Requirements: 1.1, 1.2_"
    );
    assert_eq!(read_file(".kiro/specs/x/tasks.md", "- [-] 1. a").0, "kiro");
}

#[test]
fn openspec() {
    let text = "## 1. Build\n- [x] 1.1 Parser\n- [~] 1.2 Put off\n";
    let (format, plan) = read_file("/x/openspec/changes/add-it/tasks.md", text);
    assert_eq!(format, "openspec");
    assert_eq!(
        shown(&plan.tasks),
        "1: Build ([x] 1.1: Parser, [active] 1.2: Put off)"
    );
}

#[test]
fn backlog() {
    let text = "\
---
id: task-7
title: Fix login
status: In Progress
dependencies:
  - task-3
  - task-5
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
People cannot log in.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 A user can log in
- [ ] #3 A wrong password says so
<!-- AC:END -->

## Implementation Plan

1. Read the code
";
    let (format, plan) = read_file("backlog/tasks/task-7 - Fix-login.md", text);
    assert_eq!(format, "backlog");
    assert_eq!(
        shown(&plan.tasks),
        "[active] task-7: Fix login ([x] task-7#1: A user can log in, task-7#3: A wrong password says so)"
    );
    assert_eq!(
        details(&plan.tasks[0]),
        "People cannot log in.\n\nWaits for task-3, task-5."
    );
    assert_eq!(left_out(&plan), [(22, "Implementation Plan")]);
    let done = text.replace("In Progress", "Done");
    let (_, plan) = read_file("", &done);
    assert_eq!(
        plan.remarks,
        ["its status is `Done`, but criteria of it are open"]
    );
}

#[test]
fn task_master() {
    let tasks = r#"{"tasks":[
        {"id":1,"title":"Design","description":"The model","status":"done","dependencies":[],
         "testStrategy":"look","priority":"high","details":"","subtasks":[]},
        {"id":2,"title":"Build","status":"in-progress","dependencies":[1],"subtasks":[
            {"id":1,"title":"Endpoint","status":"cancelled","dependencies":[]},
            {"id":2,"title":"Store","status":"deferred","dependencies":["2.1"]},
            {"id":3,"title":"Ship","status":"someday","dependencies":[2]}]}]}"#;
    let all = "[x] 1: Design, [active] 2: Build ([skipped] 2.1: Endpoint, 2.2: Store, 2.3: Ship)";
    let (format, plan) = read_file("tasks.json", tasks);
    assert_eq!((format, &*shown(&plan.tasks)), ("task-master", all));
    assert_eq!(
        details(&plan.tasks[0]),
        "The model\n\nTest: look\n\nPriority: high."
    );
    assert_eq!(plan.tasks[1].after, ["1"]);
    assert_eq!(plan.tasks[1].tasks[1].after, ["2.1"]);
    assert_eq!(plan.tasks[1].tasks[2].after, ["2.2"]);
    assert_eq!(
        plan.remarks,
        ["the status `someday` of `Ship` is not known, so it counts as open"]
    );
    let one = format!(r#"{{"master":{tasks}}}"#);
    assert_eq!(shown(&read_file("", &one).1.tasks), all);
    let two = r#"{"master":{"tasks":[{"id":1,"title":"a","status":"done","dependencies":[]}]},
        "feature":{"tasks":[{"id":1,"title":"b","status":"pending","subtasks":[]}]}}"#;
    let tagged = shown(&read_file("", two).1.tasks);
    assert!(
        tagged.contains("master: master ([x] master.1: a)"),
        "{tagged}"
    );
    assert!(
        tagged.contains("feature: feature (feature.1: b)"),
        "{tagged}"
    );
}

#[test]
fn beads() {
    let text = r#"{"id":"bd-1","title":"Epic","status":"open","issue_type":"epic","description":"All of it"}
{"id":"bd-2","title":"Part","status":"in_progress","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-2","depends_on_id":"bd-3","type":"blocks"}]}
{"id":"bd-1.1","title":"Child","status":"closed","acceptance_criteria":"it runs"}
{"id":"bd-3","title":"Other","status":"blocked"}
{"id":"bd-4","title":"Gone","status":"tombstone"}
"#;
    let (format, plan) = read_file(".beads/issues.jsonl", text);
    assert_eq!(format, "beads");
    assert_eq!(
        shown(&plan.tasks),
        "bd-1: Epic ([active] bd-2: Part, [x] bd-1.1: Child), [blocked] bd-3: Other"
    );
    assert_eq!(plan.tasks[0].tasks[0].after, ["bd-3"]);
    assert_eq!(details(&plan.tasks[0].tasks[1]), "Accepted when: it runs");
    assert_eq!(left_out(&plan), [(5, "bd-4 was deleted or has no title")]);
}

#[test]
fn prd() {
    let text = r#"{"project":"Shop","branchName":"ralph/shop","userStories":[
        {"id":"US-002","title":"Pay","acceptanceCriteria":["a card works"],"priority":2,"passes":false},
        {"id":"US-001","title":"Order","description":"As a user","acceptanceCriteria":[],"priority":1,"passes":true}]}"#;
    let (format, plan) = read_file("prd.json", text);
    assert_eq!(format, "prd");
    assert_eq!(shown(&plan.tasks), "[x] US-001: Order, US-002: Pay");
    let criteria = plan.tasks[1].success_criteria.as_deref();
    assert_eq!(criteria, Some(&["a card works".to_owned()][..]));
    assert_eq!(plan.title.as_deref(), Some("Shop"));
}

#[test]
fn todos() {
    let text = r#"[{"content":"Fix the tests","status":"completed","activeForm":"Fixing"},
        {"content":"Build","status":"in_progress","activeForm":"Building"},
        {"content":"Ship","status":"pending"}]"#;
    let (format, plan) = read_file("x-agent-x.json", text);
    assert_eq!(format, "todos");
    assert_eq!(
        shown(&plan.tasks),
        "[x] Fix the tests, [active] Build, Ship"
    );
    let long = r##"[{"content":"# Task\nFix it\nsoon","status":"pending"}]"##;
    let (_, plan) = read_file("", long);
    assert_eq!(shown(&plan.tasks), "Fix it");
    assert_eq!(details(&plan.tasks[0]), "# Task\nFix it\nsoon");
    let later = r#"{"tasks":[{"id":"4","subject":"Read","status":"pending","blockedBy":["2"]}]}"#;
    let (format, plan) = read_file("", later);
    assert_eq!((format, &*shown(&plan.tasks)), ("todos", "4: Read"));
    assert_eq!(details(&plan.tasks[0]), "Waits for 2.");
}

#[test]
fn a_document_of_ours() {
    let text = "\
---
ledger: \"x\"
revision: \"y\"
title: \"Ship\"
---

# Ship

## Success criteria

- [ ] it ships

## Tasks

- [x] 1: a
- [-] 2: b (skipped: n)
- [~] set-up: c (any one of these)
  - [~] 3.1: c1 (1 of 3 attempts failed: no)
  - [ ] 3.2: c2 (blocked: no key; evidence: k)
  - [ ] 3.3: c3 (maybe)

## Notes

- [ ] mine
";
    let (format, plan) = read_file("", text);
    assert_eq!(format, "document");
    assert_eq!(
        shown(&plan.tasks),
        "[x] 1: a, [skipped] 2: b, [active] set-up: c ([active] 3.1: c1, [blocked] 3.2: c2, 3.3: c3 (maybe))"
    );
    assert_eq!(plan.tasks[2].decomp, Some(Decomposition::Or));
    assert_eq!(plan.tasks[2].tasks[1].reason.as_deref(), Some("no key"));
}

#[test]
fn our_own_json_is_read_strictly() {
    let text = r#"[{"title":"a","tasks":[{"title":"b","donewhen":[]}]}]"#;
    let error = read(&source(text)).map(|_| ()).unwrap_err();
    assert!(
        error.to_string().starts_with("`[0].tasks[0].donewhen`"),
        "{error}"
    );
}

#[test]
fn a_format_can_be_forced() {
    check_as(
        "markdown",
        "- [x] T001 a\n- [ ] b\n- [ ] T002 c\n",
        "[x] T001: a, b, T002: c",
    );
    check_as("kiro", "- [-] a\n", "[active] a");
    let list = source("- [ ] a\n");
    for format in FORMATS
        .iter()
        .filter(|it| !["markdown", "spec-kit", "kiro", "openspec"].contains(&it.name))
    {
        assert!(read_as(&list, format).is_err(), "{}", format.name);
    }
}

#[test]
fn what_we_wrote_is_read_as_ours_whatever_it_came_from() {
    let text = "<!-- goal task export -->\n- [-] Test (skipped: no)\n  - _Requirements: 1.1_\n- [ ] T001 a\n- [ ] T002 b\n";
    assert_eq!(formats::of(&source(text)).name, "markdown");
    let kiro = "- [-] 1. Test\n  - _Requirements: 1.1_\n";
    assert_eq!(formats::of(&source(kiro)).name, "kiro");
    let few = "- [ ] T001 a\n- [ ] T002 b\n- [x] c\n- [ ] d\n- [ ] e\n";
    assert_eq!(formats::of(&source(few)).name, "markdown");
}

#[test]
fn a_chain_of_items_that_is_absurdly_deep_is_refused() {
    let item = |at: usize| {
        let below = at.checked_sub(1).map(|above| {
            format!(r#","dependencies":[{{"type":"parent-child","depends_on_id":"b-{above}"}}]"#)
        });
        let below = below.unwrap_or_default();
        format!("{{\"id\":\"b-{at}\",\"title\":\"t\",\"status\":\"open\"{below}}}\n")
    };
    let text: String = (0..9_500).map(item).collect();
    assert_eq!(read(&source(&text)).unwrap_err(), PlanError::TooDeep);
}

#[test]
fn order_in_other_formats() {
    let text =
        "- [ ] T001 Begin\n- [ ] T002 Go on (Depends on: T001, T003)\n- [ ] T003 [P] Beside\n";
    let (_, plan) = read_file("", text);
    assert_eq!(plan.tasks[1].after, ["T001", "T003"]);
    let story = |id: &str, on: &str| {
        format!(r#"{{"id":"{id}","title":"{id}","passes":false,"dependsOn":[{on}]}}"#)
    };
    let stories = [
        story("US-1", ""),
        story("US-2", r#""US-1","US-9","US-2""#),
        story("US-3", r#""US-4""#),
        story("US-4", ""),
        story("US-4", ""),
    ];
    let text = format!(r#"{{"userStories":[{}]}}"#, stories.join(","));
    let (_, plan) = read_file("prd.json", &text);
    assert_eq!(plan.tasks[1].after, ["US-1"]);
    assert_eq!(details(&plan.tasks[1]), "Waits for US-9, US-2.");
    assert_eq!(details(&plan.tasks[2]), "Waits for US-4.");
    let why = [
        "`US-4` stands at several items, so it is no task's id",
        "`US-2` is to wait for `US-9`, which is not in the file, so only its details say so",
        "`US-2` is to wait for `US-2`, which it is part of, or which is part of it, so only its details say so",
        "`US-3` is to wait for `US-4`, which stands at several items, so only its details say so",
    ];
    assert_eq!(plan.remarks, why);
    let todos = r#"[{"id":"1","content":"a","status":"pending","blockedBy":["2"]},
        {"id":"2","content":"b","status":"pending"}]"#;
    assert_eq!(read_file("", todos).1.tasks[0].after, ["2"]);
    let ours = "- [ ] 1. a\n- [ ] b\n  <!-- goal {\"after\":[\"1\"]} -->\n";
    assert_eq!(read_file("", ours).1.tasks[1].after, ["1"]);
}

/// What leaves a title of spec-kit is what the task waits for, and the rest stays.
#[test]
fn only_what_a_task_waits_for_leaves_its_title() {
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "Fourth (depends on T003a)",
            "Fourth (depends on T003a)",
            &[],
        ),
        (
            "Third (depends on T001) after (depends on T002)",
            "Third after",
            &["T001", "T002"],
        ),
        ("Third (depends on T001), then", "Third, then", &["T001"]),
        (
            "Third (depends on T001 and t002)",
            "Third",
            &["T001", "T002"],
        ),
        (
            "Third (depends on T001 and the linter)",
            "Third (depends on T001 and the linter)",
            &["T001"],
        ),
        (
            "Third (depends on the linter) (depends on T001)",
            "Third (depends on the linter)",
            &["T001"],
        ),
        (
            "Third (depends on T001) (depends on T001)",
            "Third",
            &["T001"],
        ),
        ("Third (depends on T001", "Third (depends on T001", &[]),
        ("(depends on T001)", "(depends on T001)", &["T001"]),
    ];
    for (said, title, after) in cases {
        let text = format!("- [ ] T001 First\n- [ ] T002 Second\n- [ ] T009 {said}\n");
        let plan = read(&source(&text)).unwrap();
        let task = &plan.tasks[2];
        assert_eq!(task.title, title);
        assert_eq!(task.after, after, "{said}");
    }
}

#[test]
fn criteria_without_boxes_stay() {
    let text = "---\nid: task-7\ntitle: Fix\nstatus: Done\n---\n\n## Acceptance Criteria\n\n- One\n- Two\n  - with care\n";
    let (format, plan) = read_file("", text);
    assert_eq!(
        (format, &*shown(&plan.tasks)),
        ("backlog", "[x] task-7: Fix")
    );
    let criteria = plan.tasks[0].success_criteria.clone().unwrap_or_default();
    assert_eq!(criteria.len(), 2);
    assert!(criteria[1].starts_with("Two"), "{criteria:?}");
}

#[test]
fn a_circle_in_the_file_of_another_tool_is_no_reason_to_refuse_it() {
    let task = |id: u8, status: &str, after: &[u8]| {
        serde_json::json!({ "id": id, "title": format!("t{id}"), "description": "d",
            "status": status, "dependencies": after })
    };
    for status in ["done", "pending"] {
        let tasks = [
            task(1, status, &[3]),
            task(2, status, &[1]),
            task(3, status, &[2, 1]),
        ];
        let text = serde_json::json!({ "master": { "tasks": tasks } }).to_string();
        let (format, plan) = read_file("tasks.json", &text);
        assert_eq!(format, "task-master");
        let after: Vec<&[String]> = plan.tasks.iter().map(|it| &it.after[..]).collect();
        assert_eq!(after, [&["3".to_owned()][..], &["1".to_owned()], &[]]);
        let said = details(&plan.tasks[2]);
        assert_eq!(said, "d\n\nWaits for 2.\n\nWaits for 1.");
        assert_eq!(plan.remarks.len(), 2, "{:?}", plan.remarks);
    }
}

#[test]
fn a_list_with_one_number_is_numbered_by_place() {
    check_as("markdown", "1. a\n1. b\n1. c\n", "1: a, 2: b, 3: c");
    check_as("markdown", "1. [ ] a\n1. [x] b\n", "1: a, [x] 2: b");
    check_as(
        "markdown",
        "1) a\n1) b\n   1) c\n   1) d\n",
        "1: a, 2: b (2.1: c, 2.2: d)",
    );
    check_as("markdown", "3. a\n3. b\n", "3: a, 4: b");
    // A part that is no task counts, too.
    check_as("markdown", "1. [ ] a\n1. no box\n1. [ ] b\n", "1: a, 3: b");
    // Where no one can say which item a number means, it is none's.
    check_as("markdown", "1. a\n2. b\n2. c\n", "a, b, c");
    check_as(
        "markdown",
        "# One\n1. a\n1. b\n# Two\n1. c\n1. d\n",
        "One (a, b), Two (c, d)",
    );
}
