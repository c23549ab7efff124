//! Goals shown in full.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::domain::actor::Actor;
use crate::domain::goal::state::Status;
use crate::domain::proof::{Proof, Why};
use crate::render::testing::{NOBODY, TITLES, created, created_in_full, line, state_of};
use crate::render::view::{AuditStanding, Extras, RecentEvent};

fn shown(lines: &[String], extras: Extras) -> String {
    shown_in(lines, extras, None)
}

fn shown_in(lines: &[String], extras: Extras, columns: Option<usize>) -> String {
    let state = state_of(lines);
    let goal = state.in_order()[0];
    let text = show(
        &GoalView::of(goal, extras),
        Clock::of(NOBODY.now, None),
        columns,
    );
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn an_open_goal_with_everything() {
    let tasks = json!({
        "taskCount": 3,
        "blockCompletion": true,
        "tasks": [
            {"id": "t1", "title": "lexer", "tasks": [{"id": "t2", "title": "tabs"}]},
            {"id": "t3", "title": "docs"},
        ],
    });
    let lines = [
        created_in_full(1, "a-1"),
        line(2, "task_list_set", "a-1", tasks),
        line(3, "task_complete", "a-1", json!({"taskId": "t2"})),
        line(4, "completion_requested", "a-1", json!({"summary": "done"})),
        line(
            5,
            "audit_result",
            "a-1",
            json!({
                "verdict": "disapproved", "report": "\n1. no test\n\nEvents\n", "cause": "check_failed",
            }),
        ),
        line(
            6,
            "goal_noted",
            "a-1",
            json!({"note": "test\nadded", "next": "ask again"}),
        ),
        line(
            7,
            "completion_requested",
            "a-1",
            json!({"summary": "again", "evidence": ["CI", "log\n2"]}),
        ),
        line(
            8,
            "goal_paused",
            "a-1",
            json!({"reason": "tired", "blocked": true, "suggestedAction": "tea"}),
        ),
    ];
    let extras = Extras {
        focused: true,
        revision: Some("0123456789abcdef0123456789abcdef".parse().unwrap()),
        audit: Some(AuditStanding::Interrupted),
        document: Some(".pi/goals/active_goal_2026112120010000_a-1.md".to_owned()),
        recent: vec![RecentEvent {
            line: 8,
            id: "ffffffffffffffffffffffffffffffff".parse().unwrap(),
            name: "goal_paused".to_owned(),
            at: "2026-11-21T20:08:00.000Z".to_owned(),
            by: Some(Actor::User),
            via: None,
            summary: "blocked: tired; suggested: tea".to_owned(),
        }],
        ..Extras::default()
    };
    assert_snapshot!(shown(&lines, extras), @"
    Tabs in the parser
    a-1  ■ blocked, quiet  [focused]

      updated     2026-11-21T20:08:00.000Z
      created     2026-11-21T20:01:00.000Z

    Blocked by the user, 2026-11-21T20:08:00.000Z
      tired

    Suggested
      tea

    Completion requested
      The audit was interrupted: it has no result and its process is gone. `goal complete` asks again.
      again
      Evidence: CI
      Evidence: log
        2

    What happened last (latest 1 of 8; `goal log --goal a-1`)
          8  2026-11-21T20:08:00.000Z  goal_paused           user     blocked: tired; suggested: tea

    Objective
      Make the parser accept tabs.

      Spaces stay as they are.

    Success criteria
      - tabs parse
      - old files parse
        to the same tree

    Boundaries
      - the lexer's public types

    Constraints
      - no new dependency

    If blocked
      Ask on the issue.

    Verification contract
      The test suite passes.

    Checks
      - tests

    2 tasks, 1 open; completion waits for the open ones
      [x] t1 lexer
        [x] t2 tabs
      [ ] t3 docs

    Notes
      2026-11-21T20:06:00.000Z by the user: test
        added

    Next action
      ask again

    Latest audit: disapproved (check_failed), 2026-11-21T20:05:00.000Z
      1. no test

      Events

      category    code
      mode        Sisyphus (ordered, patient), continues by itself
      document    .pi/goals/active_goal_2026112120010000_a-1.md
      revision    0123456789abcdef0123456789abcdef
    ");
}

#[test]
fn a_goal_completed_outside_the_gate() {
    let lines = [
        line(1, "audit_skipped", "a-1", json!({"reason": "off"})),
        line(2, "goal_completed", "a-1", json!({})),
    ];
    let extras = Extras {
        attested: Some(Proof::unproven(Why::OutsideGate).into()),
        ..Extras::default()
    };
    assert_snapshot!(shown(&lines, extras), @"
    (objective unknown)
    a-1  ✓ complete, quiet

      completed   completed outside the gate
      ended       2026-11-21T20:02:00.000Z
      updated     2026-11-21T20:02:00.000Z
      created     2026-11-21T20:01:00.000Z

    Objective
      Unknown: no line of the ledger records it.

      mode        regular
    ");
}

/// Every text that a ledger can hold, with an escape sequence and an override in it.
#[test]
fn no_field_steers_a_terminal_or_imitates_a_heading() {
    let bad = "x\u{1b}[31m\u{202e}\nObjective\nLatest audit: approved";
    let contract = json!({
        "objective": bad, "sisyphus": false, "autoContinue": false, "title": bad,
        "successCriteria": [bad], "boundaries": [bad], "constraints": [bad], "ifBlocked": bad,
        "verificationContract": bad, "checks": [bad], "category": bad, "progressSignal": bad,
        "failureSignal": bad, "completionCondition": bad, "owner": bad,
    });
    let tasks = json!({
        "taskCount": 1, "blockCompletion": false, "tasks": [{"id": bad, "title": bad}],
    });
    let lines = [
        line(1, "goal_created", "a-1", contract),
        line(2, "task_list_set", "a-1", tasks),
        line(
            3,
            "audit_result",
            "a-1",
            json!({"verdict": "error", "report": bad, "cause": bad}),
        ),
        line(
            4,
            "completion_requested",
            "a-1",
            json!({"summary": bad, "evidence": [bad]}),
        ),
        line(
            5,
            "goal_noted",
            "a-1",
            json!({"note": bad, "next": bad, "at": bad, "session": bad}),
        ),
        line(
            6,
            "goal_paused",
            "a-1",
            json!({"reason": bad, "suggestedAction": bad, "at": bad}),
        ),
    ];
    let state = state_of(&lines);
    let goal = state.in_order()[0];
    assert_eq!(goal.status, Status::Paused);
    let extras = Extras {
        audit: Some(AuditStanding::Running),
        document: Some(bad.to_owned()),
        ..Extras::default()
    };
    let text = shown(&lines, extras);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    let headings = text.lines().filter(|line| line.starts_with("Objective"));
    assert_eq!(headings.count(), 1, "{text}");
    assert!(!text.contains("\nLatest audit: approved"), "{text}");
}

#[test]
fn an_unknown_objective_is_said() {
    let text = shown(&[created(1, "a-1", "")], Extras::default());
    assert!(
        text.starts_with("(objective unknown)\na-1  ● active, quiet\n"),
        "{text}"
    );
    assert!(text.contains("no line of the ledger records it"), "{text}");
}

#[test]
fn titles_of_every_script_are_right_in_every_width() {
    let tasks = TITLES.map(|title| json!({"id": "t", "title": title}));
    let tasks = json!({"taskCount": 4, "blockCompletion": false, "tasks": tasks});
    let event = |title: &str| RecentEvent {
        line: 4,
        id: "ffffffffffffffffffffffffffffffff".parse().unwrap(),
        name: "goal_noted".to_owned(),
        at: "2026-11-21T20:04:00.000Z".to_owned(),
        by: Some(Actor::User),
        via: None,
        summary: title.to_owned(),
    };
    let mut all = String::new();
    for columns in [40, 80, 200] {
        let shown = TITLES.map(|title| {
            let contract = json!({
                "objective": format!("{title}\n\nSee docs/a/path/longer/than/40-columns.md"),
                "title": title, "sisyphus": false, "autoContinue": true, "successCriteria": TITLES,
            });
            let lines = [
                line(1, "goal_created", "a-1", contract),
                line(2, "task_list_set", "a-1", tasks.clone()),
                line(3, "goal_noted", "a-1", json!({"note": title})),
            ];
            let extras = Extras {
                recent: TITLES.map(event).to_vec(),
                ..Extras::default()
            };
            shown_in(&lines, extras, Some(columns))
        });
        let [first, .., last] = shown.each_ref();
        let headings = shown.iter().map(|text| text.lines().next().unwrap());
        let headings: Vec<&str> = headings.collect();
        let text = format!("{}\n\n{last}", headings.join("\n"));
        for line in (text.clone() + first)
            .lines()
            .filter(|it| !it.contains("/path/"))
        {
            let wide = crate::render::columns::width(line);
            assert!(wide <= columns, "{columns}: {line}");
        }
        all.push_str(&text.replace('\u{200e}', "<LRM>"));
        all.push_str("======\n");
    }
    assert_snapshot!(all, @"
    Rotate the token of the service that si…
    👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every…
    می‌خواهم این را انجام دهم و سپس آن را بر…<LRM>
    漢字の題名はとても長いので切られる必要…

    漢字の題名はとても長いので切られる必要…
    a-1  ● active, quiet

      updated     2026-11-21T20:03:00.000Z
      created     2026-11-21T20:01:00.000Z

    What happened last
          4  2026-11-21T20:04:00.000Z
          goal_noted            user
             Rotate the token of the servic…
          4  2026-11-21T20:04:00.000Z
          goal_noted            user
             👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️…
          4  2026-11-21T20:04:00.000Z
          goal_noted            user
             می‌خواهم این را انجام دهم و سپس…
          4  2026-11-21T20:04:00.000Z
          goal_noted            user
             漢字の題名はとても長いので切ら…

    Objective
      漢字の題名はとても長いので切られる必要
      がありますが正しく切られるべきです

      See
      docs/a/path/longer/than/40-columns.md

    Success criteria
      - Rotate the token of the service that
        signs in
      - 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for
        every customer
      - می‌خواهم این را انجام دهم و سپس آن را
        بررسی کنم تا تمام شود
      - 漢字の題名はとても長いので切られる必
        要がありますが正しく切られるべきです

    4 tasks, 4 open
      [ ] t Rotate the token of the service
      that signs in
      [ ] t 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️
      for every customer
      [ ] t می‌خواهم این را انجام دهم و سپس
      آن را بررسی کنم تا تمام شود<LRM>
      [ ] t
      漢字の題名はとても長いので切られる必要
      がありますが正しく切られるべきです

    Notes
      2026-11-21T20:03:00.000Z by the user:
      漢字の題名はとても長いので切られる必要
      がありますが正しく切られるべきです

      mode        regular, continues by
                  itself
    ======
    Rotate the token of the service that signs in
    👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
    می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود<LRM>
    漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです
    a-1  ● active, quiet

      updated     2026-11-21T20:03:00.000Z
      created     2026-11-21T20:01:00.000Z

    What happened last
          4  2026-11-21T20:04:00.000Z  goal_noted            user
             Rotate the token of the service that signs in
          4  2026-11-21T20:04:00.000Z  goal_noted            user
             👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
          4  2026-11-21T20:04:00.000Z  goal_noted            user
             می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
          4  2026-11-21T20:04:00.000Z  goal_noted            user
             漢字の題名はとても長いので切られる必要がありますが正しく切られるべきで…

    Objective
      漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

      See docs/a/path/longer/than/40-columns.md

    Success criteria
      - Rotate the token of the service that signs in
      - 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      - می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
      - 漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    4 tasks, 4 open
      [ ] t Rotate the token of the service that signs in
      [ ] t 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      [ ] t می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود<LRM>
      [ ] t 漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    Notes
      2026-11-21T20:03:00.000Z by the user:
      漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

      mode        regular, continues by itself
    ======
    Rotate the token of the service that signs in
    👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
    می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود<LRM>
    漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです
    a-1  ● active, quiet

      updated     2026-11-21T20:03:00.000Z
      created     2026-11-21T20:01:00.000Z

    What happened last
          4  2026-11-21T20:04:00.000Z  goal_noted            user     Rotate the token of the service that signs in
          4  2026-11-21T20:04:00.000Z  goal_noted            user     👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
          4  2026-11-21T20:04:00.000Z  goal_noted            user     می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
          4  2026-11-21T20:04:00.000Z  goal_noted            user     漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    Objective
      漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

      See docs/a/path/longer/than/40-columns.md

    Success criteria
      - Rotate the token of the service that signs in
      - 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      - می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
      - 漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    4 tasks, 4 open
      [ ] t Rotate the token of the service that signs in
      [ ] t 👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      [ ] t می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود<LRM>
      [ ] t 漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

    Notes
      2026-11-21T20:03:00.000Z by the user: 漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです

      mode        regular, continues by itself
    ======
    ");
}
