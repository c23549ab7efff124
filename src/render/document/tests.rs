//! What a document says, and that no text can imitate a section.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::state::State;
use crate::render::testing::{created, created_in_full, line, state_of};

fn rendered(state: &State, audited: Option<Audited>) -> Rendered {
    let facts = DocumentInput {
        path: ".pi/goals/active_goal_2026112120010000_a-1.md",
        revision: Some(EventId::ZERO),
        event: Some(EventId::of_line(b"{}")),
        audited,
    };
    document(&state.goals[&"a-1".parse().unwrap()], &facts)
}

fn body(lines: &[String]) -> String {
    rendered(&state_of(lines), None).body
}

/// The text of a section.
fn section<'a>(body: &'a str, heading: &str) -> &'a str {
    let start = body.find(&format!("\n## {heading}\n\n")).unwrap() + heading.len() + 6;
    let end = body[start..]
        .find("\n\n## ")
        .map_or(body.len(), |end| start + end);
    body[start..end].trim_end()
}

#[test]
fn a_whole_goal() {
    let tasks = json!({
        "taskCount": 5,
        "blockCompletion": true,
        "tasks": [
            {"id": "t1", "title": "lexer", "tasks": [{"id": "t2", "title": "tabs\n# one"}]},
            {"id": "t3", "title": "docs"},
            {"id": "t4", "title": "bench"},
            {"id": "t5", "title": "port"},
        ],
    });
    let body = body(&[
        created_in_full(1, "a-1"),
        line(2, "task_list_set", "a-1", tasks),
        line(3, "task_started", "a-1", json!({"taskId": "t1"})),
        line(4, "task_complete", "a-1", json!({"taskId": "t2"})),
        line(
            5,
            "task_skipped",
            "a-1",
            json!({"taskId": "t3", "reason": "none"}),
        ),
        line(
            6,
            "task_blocked",
            "a-1",
            json!({"taskId": "t4", "reason": "host"}),
        ),
        line(
            7,
            "goal_noted",
            "a-1",
            json!({"note": "lexer done", "next": "fix columns"}),
        ),
        line(8, "goal_noted", "a-1", json!({"note": "two\n# lines"})),
    ]);
    assert_snapshot!(body.trim(), @r#"
    # Tabs in the parser

    ## Objective

    Make the parser accept tabs.

    Spaces stay as they are.

    ## Success criteria

    - tabs parse
    - old files parse
      to the same tree

    ## Boundaries and constraints

    **Boundaries**

    - the lexer's public types

    **Constraints**

    - no new dependency

    **If blocked**

    Ask on the issue.

    **Verification contract**

    The test suite passes.

    **Checks**

    - tests

    ## Status

    Active, created 2026-11-21T20:01:00.000Z.

    ## Tasks

    - [x] t1: lexer
      - [x] t2: tabs # one
    - [-] t3: docs (skipped: none)
    - [ ] t4: bench (blocked: host)
    - [ ] t5: port

    ## Progress notes

    - 2026-11-21T20:07:00.000Z (user): lexer done
    - 2026-11-21T20:08:00.000Z (user): two
      \# lines

    ## Latest blocker

    _none_

    ## Latest auditor feedback

    _none_

    ## Next suggested action

    fix columns
    "#);
}

#[test]
fn an_empty_goal() {
    assert_snapshot!(body(&[created(1, "a-1", "tidy")]).trim(), @r#"
    # tidy

    ## Objective

    tidy

    ## Success criteria

    _none given_

    ## Boundaries and constraints

    _none given_

    ## Status

    Active, created 2026-11-21T20:01:00.000Z.

    ## Tasks

    _none_

    ## Progress notes

    _none_

    ## Latest blocker

    _none_

    ## Latest auditor feedback

    _none_

    ## Next suggested action

    _none_
    "#);
}

#[test]
fn the_header_has_its_keys_in_order() {
    let mut lines = vec![created(1, "a-1", "\u{1b}tidy\nup")];
    let keys = |rendered: &Rendered| {
        let keys: Vec<&str> = rendered.header.iter().map(|(key, _)| *key).collect();
        keys.join(" ")
    };
    let open = rendered(&state_of(&lines), None);
    assert_eq!(
        keys(&open),
        "id title status sisyphus autoContinue createdAt updatedAt path ledger revision event"
    );
    assert_eq!(open.header[1].1, "\u{fffd}tidy");
    lines.push(line(2, "goal_completed", "a-1", json!({})));
    let ended = rendered(&state_of(&lines), Some(Audited::None));
    assert_eq!(
        keys(&ended),
        "id title status sisyphus autoContinue createdAt updatedAt endedAt path ledger revision \
         event audited"
    );
    let status = section(&ended.body, "Status");
    assert!(
        status.contains("no auditor's approval is on record"),
        "{status}"
    );
}

#[test]
fn rest_and_end_are_told_with_their_reasons() {
    let goal = created(1, "a-1", "tidy");
    let pause = json!({"reason": "no key\n## Notes", "blocked": true, "suggestedAction": "ask"});
    let blocked = body(&[goal.clone(), line(2, "goal_paused", "a-1", pause)]);
    assert_eq!(
        section(&blocked, "Status"),
        "Blocked since 2026-11-21T20:02:00.000Z by the user: no key ## Notes"
    );
    assert_eq!(
        section(&blocked, "Latest blocker"),
        "no key\n\\## Notes\n\nSuggested: ask"
    );
    let aborted = body(&[
        goal,
        line(2, "goal_aborted", "a-1", json!({"reason": "moot"})),
    ]);
    assert_eq!(
        section(&aborted, "Status"),
        "Aborted since 2026-11-21T20:02:00.000Z. Reason: moot"
    );
}

#[test]
fn feedback_is_concise_and_quoted() {
    let result = |report: &str| json!({"verdict": "disapproved", "report": report});
    let with = |report: &str| {
        body(&[
            created(1, "a-1", "tidy"),
            line(2, "audit_result", "a-1", result(report)),
        ])
    };
    let short = with("1. no test\n## Notes");
    assert_eq!(
        section(&short, "Latest auditor feedback"),
        "disapproved, 2026-11-21T20:02:00.000Z.\n\n> 1. no test\n> ## Notes"
    );
    assert!(section(&short, "Next suggested action").contains("objections"));
    let long = with(&"words and\n".repeat(1000));
    let feedback = section(&long, "Latest auditor feedback");
    assert!(feedback.ends_with("The full report is in the ledger."));
    assert!(feedback.len() < 2500, "{}", feedback.len());
}

#[test]
fn tasks_of_another_tool_are_known_by_id() {
    let body = body(&[
        created(1, "a-1", "tidy"),
        line(
            2,
            "task_list_set",
            "a-1",
            json!({"taskCount": 3, "blockCompletion": false}),
        ),
        line(3, "task_complete", "a-1", json!({"taskId": "t2"})),
    ]);
    assert_eq!(
        section(&body, "Tasks"),
        "- [x] t2\n- [ ] 2 tasks that no event names"
    );
}

#[test]
fn boxes_and_labels_in_texts_stay_texts() {
    let fields = json!({
        "objective": "o", "sisyphus": false, "autoContinue": false,
        "successCriteria": ["[x] is a tick"],
        "ifBlocked": "ask\n**Checks**\n- rm",
    });
    let body = body(&[line(1, "goal_created", "a-1", fields)]);
    assert_eq!(section(&body, "Success criteria"), "- [ ] [x] is a tick");
    assert_eq!(body.lines().filter(|line| *line == "**Checks**").count(), 1);
}

fn text() -> impl Strategy<Value = String> {
    "([a-z]|# |## Notes|## Status|\n|\r|\u{2028}|\u{b}|   |\t|\\\\|- |```|> |---|\\*\\*Checks\\*\\*){0,30}"
}

proptest! {
    #[test]
    fn no_text_imitates_a_section(objective in text(), other in text()) {
        let fields = json!({
            "objective": objective, "sisyphus": true, "autoContinue": true, "title": other,
            "successCriteria": [other, objective], "boundaries": [other], "constraints": [other],
            "ifBlocked": other, "verificationContract": objective, "checks": [other],
        });
        let noted = json!({"note": other, "next": other});
        let result = json!({"verdict": "error", "report": other, "cause": other});
        let pause = json!({"reason": other, "suggestedAction": objective});
        let body = body(&[
            line(1, "goal_created", "a-1", fields),
            line(2, "goal_noted", "a-1", noted),
            line(3, "audit_result", "a-1", result),
            line(4, "goal_paused", "a-1", pause),
        ]);
        let headings: Vec<&str> = body.lines().filter(|line| line.starts_with("## ")).collect();
        prop_assert_eq!(headings, [
            "## Objective", "## Success criteria", "## Boundaries and constraints", "## Status",
            "## Tasks", "## Progress notes", "## Latest blocker", "## Latest auditor feedback",
            "## Next suggested action",
        ]);
        let titles = body.lines().filter(|line| line.starts_with('#')).count();
        prop_assert_eq!(titles, 10);
        let labels: Vec<&str> = section(&body, "Boundaries and constraints").lines().filter(|it| blocks::LABELS.contains(&it.trim_end())).collect();
        prop_assert!(labels.is_empty() || labels == blocks::LABELS, "{:?}", labels);
        prop_assert!(body.starts_with("\n# ") && body.ends_with("\n\n"));
        let control = body.contains(|c: char| c.is_control() && !"\n\t".contains(c));
        prop_assert!(!control);
    }
}
