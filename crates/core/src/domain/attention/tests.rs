//! What waits and how goals stand, row by row.

use serde_json::{Value, json};

use super::*;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Status;
use crate::domain::testing::Ledger;
use crate::domain::time::{MINUTE, rfc3339};

mod rest;

const NOW: i64 = 1_795_293_000_000;

/// A line about `goal` so many minutes ago.
fn line(ago: i64, kind: &str, goal: &str, fields: Value) -> String {
    let mut line = json!({ "type": kind, "goalId": goal, "at": rfc3339(NOW - ago * MINUTE) });
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    line.to_string()
}

fn created(ago: i64, goal: &str) -> String {
    let fields = json!({"objective": goal, "sisyphus": false, "autoContinue": true, "by": "user"});
    line(ago, "goal_created", goal, fields)
}

fn asked(ago: i64, kind: &str) -> String {
    let fields = json!({
        "questionId": "q-1", "kind": kind, "question": "Which?", "suggestions": ["a", "b; rm"],
        "by": "agent",
    });
    line(ago, "question_asked", "g", fields)
}

fn objected(ago: i64) -> String {
    let fields = json!({"verdict": "disapproved", "report": "no", "by": "auditor"});
    line(ago, "audit_result", "g", fields)
}

fn run(ago: i64, kind: &str, fields: Value) -> String {
    let mut all = json!({"runId": "r-1", "by": "system"});
    if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
        all.extend(fields);
    }
    line(ago, kind, "g", all)
}

fn started(ago: i64) -> String {
    run(ago, "run_started", json!({"until": "goal", "agent": "a"}))
}

fn stopped(ago: i64, cause: &str) -> String {
    run(ago, "run_stopped", json!({"cause": cause}))
}

fn paused(ago: i64, fields: Value) -> String {
    line(ago, "goal_paused", "g", fields)
}

fn state_of(lines: &[String]) -> State {
    let ledger = lines
        .iter()
        .fold(Ledger::default(), |it, line| it.ours(line));
    ledger.replay().0
}

fn rows_of(state: &State) -> Vec<Row> {
    let all = state.in_order().into_iter();
    all.map(|goal| Row::of(goal, None)).collect()
}

fn facts(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = Facts {
        now: NOW,
        ..Facts::default()
    };
    change(&mut facts);
    facts
}

fn id() -> GoalId {
    "g".parse().unwrap()
}

fn lease(facts: &mut Facts) {
    facts.leased = BTreeSet::from([id()]);
}

/// How the goal `g` stands, and what waits, in words.
#[track_caller]
fn check(lines: &[String], change: impl FnOnce(&mut Facts), stands: Standing, waits: &[&str]) {
    let (state, facts) = (state_of(lines), facts(change));
    let rows = rows_of(&state);
    let row = rows.iter().find(|row| row.id.as_str() == "g").unwrap();
    assert_eq!(standing(row, &facts), stands);
    let needs = attention(&rows, &state, &facts);
    let said: Vec<String> = needs
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it.kind,
                it.since.as_deref().unwrap_or("-"),
                it.command
            )
        })
        .collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    assert_eq!(said, waits);
    let of_goal = attention_of(row, &state, &facts);
    assert_eq!(
        of_goal.iter().collect::<Vec<_>>(),
        needs,
        "the same goal by itself"
    );
}

fn nothing(_: &mut Facts) {}

#[test]
fn a_goal_is_live_for_two_hours_or_while_it_is_leased() {
    let worked = |ago| {
        let note = json!({"note": "n", "by": "agent"});
        [created(500, "g"), line(ago, "goal_noted", "g", note)]
    };
    check(&worked(119), nothing, Standing::Live, &[]);
    check(&worked(120), nothing, Standing::Quiet, &[]);
    check(&[created(500, "g")], lease, Standing::Live, &[]);
    let hour = |facts: &mut Facts| facts.thresholds.quiet_after = Duration::from_secs(3600);
    check(&worked(119), hour, Standing::Quiet, &[]);
    let odd = line(
        1,
        "goal_noted",
        "g",
        json!({"note": "n", "at": "yesterday"}),
    );
    check(&[created(5, "g"), odd], nothing, Standing::Quiet, &[]);
}

#[test]
fn to_set_to_focus_and_to_change_is_no_work_but_a_prompt_is() {
    let focused = json!({"reason": "r", "by": "agent"});
    let tweaked = json!({"changeSummary": "s", "title": "t", "by": "user"});
    let mut lines = vec![
        created(4, "g"),
        line(3, "goal_focused", "g", focused),
        line(2, "goal_tweaked", "g", tweaked),
    ];
    check(&lines, nothing, Standing::Quiet, &[]);
    lines.push(line(1, "user_prompted", "g", json!({"by": "user"})));
    check(&lines, nothing, Standing::Live, &[]);
}

#[test]
fn a_question_waits_until_it_is_answered() {
    let mut lines = vec![created(90, "g"), asked(80, "info")];
    let waits = ["question 2026-11-21T19:10:00.000Z goal answer q-1"];
    check(&lines, lease, Standing::Waiting, &waits);
    let needs = attention(
        &rows_of(&state_of(&lines)),
        &state_of(&lines),
        &facts(nothing),
    );
    let commands: Vec<&str> = needs[0]
        .choices
        .iter()
        .map(|it| it.command.as_str())
        .collect();
    assert_eq!(
        commands,
        ["goal answer q-1 --pick 1", "goal answer q-1 --pick 2"]
    );
    let answer = json!({"questionId": "q-1", "answer": "a", "by": "user"});
    lines.push(line(10, "question_answered", "g", answer));
    check(&lines, nothing, Standing::Live, &[]);
    let approval = [created(90, "g"), asked(80, "approval")];
    let waits = ["approval 2026-11-21T19:10:00.000Z goal answer q-1"];
    check(&approval, nothing, Standing::Waiting, &waits);
}

#[test]
fn no_command_holds_what_another_program_called_a_question() {
    for evil in ["a'; touch PWNED; '", "-rf", "a b", "", "a\nb"] {
        let question =
            json!({"questionId": evil, "kind": "info", "question": "?", "suggestions": ["x"]});
        let state = state_of(&[created(9, "g"), line(8, "question_asked", "g", question)]);
        for need in attention(&rows_of(&state), &state, &facts(nothing)) {
            // Without an id a command could answer another question.
            assert_eq!(need.command, "goal questions", "{evil}");
            assert_eq!(need.choices, []);
        }
    }
}

#[test]
fn a_wait_that_is_over_for_long_asks_where_nobody_works() {
    let until = rfc3339(NOW - 300 * MINUTE);
    let wait = json!({"reason": "CI", "until": until, "by": "agent"});
    let mut lines = vec![created(900, "g"), line(600, "goal_waiting", "g", wait)];
    let asks = ["stuck 2026-11-21T15:30:00.000Z goal run --goal g"];
    check(&lines, nothing, Standing::Stuck, &asks);
    check(&lines, lease, Standing::Live, &[]);
    let work = json!({"revision": "1".repeat(32), "by": "system"});
    lines.push(line(119, "goal_continued", "g", work));
    check(&lines, nothing, Standing::Live, &[]);
}

#[test]
fn objections_in_a_row_make_a_goal_stuck() {
    let mut lines = vec![created(90, "g"), objected(50), objected(40)];
    check(&lines, nothing, Standing::Live, &[]);
    let error = json!({"verdict": "error", "report": "", "by": "auditor"});
    lines.push(line(35, "audit_result", "g", error));
    lines.push(objected(30));
    let waits = ["stuck 2026-11-21T20:00:00.000Z goal audits --goal g"];
    check(&lines, nothing, Standing::Stuck, &waits);
    check(&lines, lease, Standing::Live, &waits);
    let five = |facts: &mut Facts| facts.thresholds.stuck_after = 5;
    check(&lines, five, Standing::Live, &[]);
    let tweaked = json!({"changeSummary": "s", "objective": "less", "by": "user"});
    lines.push(line(20, "goal_tweaked", "g", tweaked));
    check(&lines, nothing, Standing::Live, &[]);
}

#[test]
fn a_run_that_stopped_waits_until_somebody_works_again() {
    let mut lines = vec![created(90, "g"), started(80), stopped(70, "no_progress")];
    let waits = ["run_stopped 2026-11-21T19:20:00.000Z goal run --goal g"];
    check(&lines, nothing, Standing::Live, &waits);
    let named = ["run_stopped 2026-11-21T19:20:00.000Z goal run --goal g --agent pi"];
    let other = |facts: &mut Facts| facts.agents = [(id(), " --agent pi".to_owned())].into();
    check(&lines, other, Standing::Live, &named);
    check(&lines, lease, Standing::Live, &[]);
    let note = json!({"note": "n", "by": "agent"});
    lines.push(line(60, "goal_noted", "g", note));
    check(&lines, nothing, Standing::Live, &[]);
    for cause in ["complete", "checkpoint", "lease_lost"] {
        let lines = [created(90, "g"), started(80), stopped(70, cause)];
        check(&lines, nothing, Standing::Live, &[]);
    }
}

/// Whatever the run before came to.
#[test]
fn a_run_that_was_refused_waits_until_somebody_works_again() {
    let refused = json!({"code": "tree_busy", "reason": "another run works in /p"});
    let refused = || line(60, "run_refused", "g", refused.clone());
    let alone = ["run_stopped 2026-11-21T19:30:00.000Z goal run --goal g"];
    let mut lines = vec![created(90, "g"), refused()];
    check(&lines, nothing, Standing::Live, &alone);
    let note = json!({"note": "n", "by": "agent"});
    lines.push(line(50, "goal_noted", "g", note));
    check(&lines, nothing, Standing::Live, &[]);
    let after = |cause: &str| [created(90, "g"), started(80), stopped(70, cause), refused()];
    check(&after("checkpoint"), nothing, Standing::Live, &alone);
    let both = ["run_stopped 2026-11-21T19:20:00.000Z goal run --goal g"];
    check(&after("no_progress"), nothing, Standing::Live, &both);
    let state = state_of(&after("no_progress"));
    let needs = attention(&rows_of(&state), &state, &facts(nothing));
    assert_eq!(
        needs[0].reason,
        "its run stopped: several iterations in a row made no progress; the next was refused: \
         another run works in /p"
    );
}

#[test]
fn a_run_whose_runner_died_waits() {
    let lines = [created(90, "g"), started(80)];
    let waits = ["run_stopped 2026-11-21T19:10:00.000Z goal run --goal g"];
    let dead = |facts: &mut Facts| {
        facts.dead.insert(id());
    };
    check(&lines, dead, Standing::Live, &waits);
    let leased = |facts: &mut Facts| {
        dead(facts);
        lease(facts);
    };
    check(&lines, leased, Standing::Live, &[]);
    // Nobody who saw it says that it died.
    check(&lines, nothing, Standing::Live, &[]);
}

#[test]
fn a_run_that_waits_for_an_answer_waits_once() {
    let mut lines = vec![
        created(90, "g"),
        started(80),
        asked(75, "info"),
        stopped(70, "waiting"),
    ];
    let waits = ["question 2026-11-21T19:15:00.000Z goal answer q-1"];
    check(&lines, nothing, Standing::Waiting, &waits);
    let answer = json!({"questionId": "q-1", "answer": "a", "by": "user"});
    lines.push(line(10, "question_answered", "g", answer));
    let waits = ["run_stopped 2026-11-21T19:20:00.000Z goal run --goal g"];
    check(&lines, nothing, Standing::Live, &waits);
}

#[test]
fn a_goal_that_is_not_continued_any_more_is_stuck() {
    let mut lines = vec![created(90, "g")];
    for ago in [30, 20, 10] {
        lines.push(line(
            ago,
            "goal_continued",
            "g",
            json!({"revision": "0".repeat(32)}),
        ));
    }
    // No audit is on record.
    let waits = ["stuck 2026-11-21T20:20:00.000Z goal run --goal g"];
    check(&lines, nothing, Standing::Stuck, &waits);
    lines.push(line(5, "user_prompted", "g", json!({"by": "user"})));
    check(&lines, nothing, Standing::Live, &[]);
}

#[test]
fn what_the_ledger_does_not_say_counts_too() {
    let lines = [created(90, "g")];
    let waiting = |count| Lines {
        count,
        since: Some("2026-11-21T19:00:00.000Z".into()),
    };
    check(
        &lines,
        |facts| {
            facts.unproven.insert(id(), waiting(1));
            facts.foreign.insert(id(), waiting(2));
        },
        Standing::Quiet,
        &[
            "unproven 2026-11-21T19:00:00.000Z goal settle g",
            "foreign 2026-11-21T19:00:00.000Z goal settle g",
        ],
    );
    let auditing = |facts: &mut Facts| {
        facts.auditing.insert(id());
    };
    check(&lines, auditing, Standing::Auditing, &[]);
    let interrupted = |facts: &mut Facts| {
        facts.interrupted.insert(id());
    };
    let waits = ["audit_interrupted 2026-11-21T19:00:00.000Z goal complete --goal g"];
    check(&lines, interrupted, Standing::Stuck, &waits);
    let leased = |facts: &mut Facts| {
        interrupted(facts);
        facts.leased = [id()].into();
    };
    check(&lines, leased, Standing::Live, &[]);
    let unsigned = |facts: &mut Facts| {
        facts.unsigned.insert(id());
    };
    let waits = ["signature 2026-11-21T19:00:00.000Z goal complete --pending"];
    check(&lines, unsigned, Standing::Waiting, &waits);
    let state = state_of(&lines);
    let behind = |lines, not_taken_in| {
        let behind = facts(|facts| {
            facts.unsynced = vec![Unsynced {
                remote: "origin".into(),
                lines,
                not_taken_in,
                since: None,
            }];
        });
        let need = attention(&rows_of(&state), &state, &behind).remove(0);
        format!("{}: {}", need.command, need.reason)
    };
    assert_eq!(behind(1, 0), "goal sync origin: 1 line has not reached it");
    assert_eq!(
        behind(0, 5),
        "goal sync origin --join: 5 lines there were not taken in: they follow one that nobody has"
    );
}

#[test]
fn proposals_wait_and_drafts_without_one_do_not() {
    let draft = |ago, id: &str, goal: Option<&str>| {
        let fields = json!({"draftId": id, "contract": {"objective": "o"}, "summary": "why"});
        let mut line: Value =
            serde_json::from_str(&line(ago, "draft_proposed", "g", fields)).unwrap();
        match goal {
            Some(goal) => line["goalId"] = json!(goal),
            None => drop(line.as_object_mut().unwrap().remove("goalId")),
        }
        line.to_string()
    };
    let started = json!({"type": "draft_started", "draftId": "d-3", "topic": "t", "mode": "regular", "at": rfc3339(NOW)});
    let state = state_of(&[
        created(90, "g"),
        draft(30, "d-1", Some("g")),
        draft(20, "d-2", None),
        started.to_string(),
    ]);
    let needs = attention(&rows_of(&state), &state, &facts(nothing));
    let said: Vec<(NeedKind, &str, &str)> = needs
        .iter()
        .map(|it| (it.kind, it.reason.as_str(), it.command.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                NeedKind::Tweak,
                "a change is proposed: the objective is replaced\n- objective: g\n+ objective: o\nwhy: why",
                "goal confirm d-1"
            ),
            (
                NeedKind::Draft,
                "a contract is proposed\n+ objective: o\nwhy: why",
                "goal confirm d-2"
            )
        ]
    );
}

#[test]
fn a_proposal_waits_with_all_that_is_agreed_to() {
    let proposed = json!({
        "type": "draft_proposed", "draftId": "d", "contract": {"objective": "o", "boundaries": ["b"]},
        "context": {"city": "Paris"}, "at": rfc3339(NOW),
    });
    let state = state_of(&[proposed.to_string()]);
    let needs = attention(&rows_of(&state), &state, &facts(nothing));
    assert_eq!(
        needs[0].reason,
        "a contract is proposed\n+ objective: o\n+ boundary: b\n+ known: city = \"Paris\""
    );
    assert_eq!(needs[0].gist(), "a contract is proposed");
    assert!(needs[0].is_agreed_to());
}

#[test]
fn a_completion_outside_the_gate_waits_until_it_is_settled() {
    let state = state_of(&[created(90, "g"), line(10, "goal_completed", "g", json!({}))]);
    let goal = &state.goals[&id()];
    let row = Row::of(goal, Some(Audited::None));
    assert!(row.waits_though_ended());
    assert_eq!(standing(&row, &facts(nothing)), Standing::Ended);
    let needs = attention([&row], &state, &facts(nothing));
    assert_eq!(needs[0].kind, NeedKind::OutsideGate);
    assert_eq!(
        needs[0].command,
        "goal settle --finding unaudited_completion@2 --reason seen"
    );
    let known = facts(|facts| {
        facts.known_outside.insert(id());
    });
    assert_eq!(attention([&row], &state, &known), []);
}

#[test]
fn an_ended_goal_waits_for_nothing_else() {
    let lines = [
        created(90, "g"),
        asked(80, "info"),
        line(
            10,
            "goal_aborted",
            "g",
            json!({"reason": "r", "by": "user"}),
        ),
    ];
    assert_eq!(state_of(&lines).goals[&id()].status, Status::Aborted);
    check(&lines, nothing, Standing::Ended, &[]);
}

#[test]
fn the_oldest_stands_first_and_what_has_no_time_last() {
    let mut lines = vec![created(90, "g")];
    for (ago, goal) in [(30, "a"), (60, "b"), (45, "c")] {
        lines.push(created(ago + 1, goal));
        lines.push(line(
            ago,
            "goal_paused",
            goal,
            json!({"reason": "r", "blocked": true}),
        ));
    }
    let state = state_of(&lines);
    let facts = facts(|facts| {
        let lines = Lines {
            count: 1,
            since: None,
        };
        facts.foreign.insert(id(), lines);
    });
    let needs = attention(&rows_of(&state), &state, &facts);
    let order: Vec<&str> = needs.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(order, ["b", "c", "a", "g"]);
}
