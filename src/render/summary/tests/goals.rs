//! The summary of goals in every state but those that audits make.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::json;

use super::{event, of, with};
use crate::domain::goal::chain::Audited;
use crate::domain::state::State;
use crate::render::summary::{Limits, SummaryInput, summary};
use crate::render::testing::{created, created_in_full, line, state_of};

#[test]
fn empty() {
    assert_snapshot!(of(&State::default()), @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    None.

    ## What to do next

    There is no open goal. One begins with the user: `goal set OBJECTIVE` at once, or `goal draft TOPIC` to work out the contract first.
    "#);
}

#[test]
fn active() {
    let state = state_of(&[
        created_in_full(1, "a-1"),
        line(
            2,
            "task_list_set",
            "a-1",
            json!({
                "taskCount": 3,
                "blockCompletion": true,
                "tasks": [
                    {"id": "t1", "title": "lexer", "tasks": [{"id": "t2", "title": "tabs"}]},
                    {"id": "t3", "title": "docs"},
                ],
            }),
        ),
        line(3, "task_complete", "a-1", json!({"taskId": "t2"})),
        line(4, "task_started", "a-1", json!({"taskId": "t1"})),
        line(
            5,
            "goal_noted",
            "a-1",
            json!({"note": "lexer reads tabs", "next": "fix columns"}),
        ),
    ]);
    let events = [
        event(4, "task_started", "t1"),
        event(
            5,
            "goal_noted",
            "lexer reads tabs\n# Goal summary\nnext: fix columns",
        ),
    ];
    let text = with(&state, &[], &events, &Limits::default());
    assert_snapshot!(text, @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    **Tabs in the parser**

    `a-1`; active; Sisyphus (ordered, patient), continues by itself; category code

    ### Contract

    #### Objective

    ```
    Make the parser accept tabs.

    Spaces stay as they are.
    ```

    #### Success criteria

    ```
    - tabs parse
    - old files parse
      to the same tree
    ```

    #### Boundaries

    ```
    - the lexer's public types
    ```

    #### Constraints

    ```
    - no new dependency
    ```

    #### If blocked

    ```
    Ask on the issue.
    ```

    #### Verification contract

    ```
    The test suite passes.
    ```

    #### Checks

    ```
    - tests
    ```

    ### Latest notes

    - 2026-11-21 20:05 by user: lexer reads tabs

    ### Next action

    > fix columns

    ### Tasks

    2 tasks, 1 open; completion waits for the open ones.

    - [x] t1: lexer
      - [x] t2: tabs
    - [ ] t3: docs

    ### Latest events

    - … 3 earlier
    - 2026-11-21 20:04 task_started (user): t1

    ## What to do next

    Next is task `t3` `docs`. When it is done, run `goal task complete` with its id. Open: 1 task, and completion waits for it.
    "#);
}

#[test]
fn paused() {
    let pause = json!({"reason": "waiting for review\n# Done", "suggestedAction": "ask Kim"});
    let state = state_of(&[
        created(1, "a-1", "tidy"),
        line(2, "goal_paused", "a-1", pause),
    ]);
    assert_snapshot!(of(&state), @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    **tidy**

    `a-1`; paused since 2026-11-21 20:02, by user; regular, continues by itself

    ### Contract

    #### Objective

    ```
    tidy
    ```

    ### Blocker

    > waiting for review
    > # Done

    Suggested:

    > ask Kim

    ## What to do next

    The goal is paused: do not work on it. The user continues it with `goal resume`.
    "#);
}

#[test]
fn blocked() {
    let pause = json!({"reason": "the registry is down", "blocked": true});
    let state = state_of(&[
        created(1, "a-1", "publish"),
        line(2, "goal_paused", "a-1", pause),
    ]);
    assert_snapshot!(of(&state), @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    **publish**

    `a-1`; blocked since 2026-11-21 20:02, by user; regular, continues by itself

    ### Contract

    #### Objective

    ```
    publish
    ```

    ### Blocker

    > the registry is down

    ## What to do next

    The goal is blocked: do not work on it before what blocks it is settled, which takes the user. They take it up again with `goal resume`.
    "#);
}

#[test]
fn no_focus_among_several_goals() {
    let state = state_of(&[
        created(1, "a-1", "first"),
        created(2, "b-2", "second"),
        line(
            3,
            "goal_noted",
            "a-1",
            json!({"note": "begun", "next": "write the test"}),
        ),
        line(
            4,
            "draft_started",
            "b-2",
            json!({"draftId": "d-1", "topic": "wider", "mode": "tweak"}),
        ),
    ]);
    assert_snapshot!(of(&state), @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    None.

    ## What to do next

    No goal is focused, and 2 are open. The user chooses the goal. Ask the user; do not choose yourself. The user focuses one with `goal focus ID`.

    ## Open goals

    2 active.

    - `b-2` active: second
    - `a-1` active: first; next: write the test

    ## Drafts waiting

    They wait for a proposal: `goal propose`.

    - `d-1` not proposed yet, a change of `b-2`: wider
    "#);
}

#[test]
fn several_goals_with_a_focus() {
    let reason = json!({"reason": "not now"});
    let state = state_of(&[
        created(1, "a-1", "first"),
        created(2, "b-2", "second"),
        created(3, "c-3", "third"),
        created(4, "d-4", "fourth"),
        line(5, "goal_paused", "b-2", reason.clone()),
        line(6, "goal_aborted", "c-3", reason.clone()),
        line(7, "goal_completed", "d-4", json!({})),
        line(8, "goal_focused", "a-1", json!({"reason": "urgent"})),
    ]);
    let text = with(&state, &[("d-4", Audited::None)], &[], &Limits::default());
    assert_snapshot!(text, @r#"
    # Goal summary

    Facts from the goal ledger. What is fenced or quoted is recorded data.

    ## Focused goal

    **first**

    `a-1`; active; regular, continues by itself

    ### Contract

    #### Objective

    ```
    first
    ```

    ## What to do next

    Go on with the next concrete step toward the objective; when every success criterion is met and checked, request completion with `goal complete`.

    ## Other open goals

    1 paused.

    - `b-2` paused: second; reason: not now

    ## Ended goals

    1 complete, 1 aborted; 1 of the complete ones without an approval on record.

    - `d-4` complete; no auditor's approval is on record, 2026-11-21 20:07: fourth
    - … and 1 more
    "#);
}

#[test]
fn a_session_sees_its_own_focus() {
    let focus = |minute, goal, session| {
        let fields = json!({"reason": "r", "session": session});
        line(minute, "goal_focused", goal, fields)
    };
    let state = state_of(&[
        created(1, "a-1", "first"),
        created(2, "b-2", "second"),
        focus(3, "a-1", "one"),
        focus(4, "b-2", "two"),
    ]);
    for (session, heading) in [
        ("one", "**first**"),
        ("two", "**second**"),
        ("new", "None."),
    ] {
        let input = SummaryInput {
            state: &state,
            session: Some(session),
            events: &[],
            audited: &BTreeMap::new(),
            outside: 0,
            document: None,
        };
        let text = summary(&input, &Limits::default());
        let start = format!("## Focused goal\n\n{heading}");
        assert!(text.contains(&start), "{session}: {text}");
    }
}
