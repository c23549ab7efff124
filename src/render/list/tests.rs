//! Listings of goals in every state.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::domain::focus::focused;
use crate::domain::goal::header::GoalHeader;
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::state::State;
use crate::render::testing::{NOBODY, created, created_in_full, line, state_of};

fn rows_of(state: &State) -> Vec<GoalRow> {
    let focus = focused(state, None);
    let of = |goal: &Goal| {
        GoalRow::of(
            GoalHeader::of_goal(goal, None),
            Standing::Quiet,
            focus,
            None,
            None,
        )
    };
    state.in_order().into_iter().map(of).collect()
}

fn coloured(state: &State, rows: &[GoalRow]) -> String {
    list(&Listing {
        rows,
        counts: &state.counts(),
        filtered: false,
        grouped: false,
        onlooker: NOBODY,
        lost: false,
    })
}

fn plain(state: &State, rows: &[GoalRow]) -> String {
    anstream::adapter::strip_str(&coloured(state, rows)).to_string()
}

#[test]
fn every_status_and_remark() {
    let reason = json!({"reason": "no"});
    let state = state_of(&[
        created_in_full(1, "mr5cf6ch-akrg4u"),
        created(2, "b", "漢字 in the title"),
        created(3, "c", "third"),
        created(4, "d", "fourth"),
        created(5, "e", "fifth"),
        line(6, "goal_focused", "mr5cf6ch-akrg4u", reason.clone()),
        line(7, "goal_paused", "b", reason.clone()),
        line(
            8,
            "goal_paused",
            "c",
            json!({"reason": "x", "blocked": true}),
        ),
        line(
            9,
            "audit_result",
            "c",
            json!({"verdict": "disapproved", "report": "r"}),
        ),
        line(10, "goal_completed", "d", json!({})),
        line(11, "goal_aborted", "e", reason),
    ]);
    let mut rows = rows_of(&state);
    rows[3].audited = Some(Audited::None);
    rows[4].keeper = Keeper::Theirs;
    assert_snapshot!(plain(&state, &rows), @"
    mr5cf6ch-akrg4u  ● active     Tabs in the parser  [focused]
    b                ○ paused     漢字 in the title
    c                ! blocked    third  [auditor disapproved]
    d                ✓ complete   fourth  [completed outside the gate]
    e                ✗ aborted    fifth  [kept by another tool]

    3 open (1 active, 1 paused, 1 blocked), 2 ended (1 complete, 1 aborted)
    ");
}

#[test]
fn long_ids_and_headings_keep_to_their_columns() {
    let long = "x".repeat(60);
    let state = state_of(&[
        created(1, &long, &"word ".repeat(40)),
        created(2, "b", "short"),
    ]);
    assert_snapshot!(plain(&state, &rows_of(&state)), @"
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  ● active     word word word word word word word word word word word word word word w…
    b                         ● active     short

    2 open (2 active), 0 ended
    ");
}

#[test]
fn the_priority_stands_where_it_is_set_and_is_seen_in_80_columns() {
    let with = |second: u32, id: &str, priority: serde_json::Value| {
        let fields = json!({"objective": "word ".repeat(40), "sisyphus": false,
            "autoContinue": false, "priority": priority});
        line(second, "goal_created", id, fields)
    };
    let state = state_of(&[
        created(1, "mr5cf6ch-akrg4u", "has none"),
        with(2, "b", json!(0.1)),
        with(3, "c", json!(0.333_333_333)),
        with(4, "d", json!(7)),
        with(5, "e", json!(0.5)),
        with(6, "f", json!(0)),
    ]);
    let of = |goal: &Goal| GoalHeader::of(goal, None);
    let mut rows: Vec<GoalHeader> = state.in_order().into_iter().map(of).collect();
    GoalHeader::by_priority(&mut rows);
    let rows = rows
        .into_iter()
        .map(|row| GoalRow::of(row, Standing::Quiet, None, None, None));
    let text = plain(&state, &rows.collect::<Vec<_>>());
    let seen: Vec<String> = text
        .lines()
        .map(|line| line.chars().take(80).collect())
        .collect();
    assert_snapshot!(seen.join("\n"), @"
    mr5cf6ch-akrg4u  ● active                      has none
    d                ● active                      word word word word word word wor
    e                ● active     priority 0.5     word word word word word word wor
    c                ● active     priority 0.333…  word word word word word word wor
    b                ● active     priority 0.1     word word word word word word wor
    f                ● active     priority 0       word word word word word word wor

    6 open (6 active), 0 ended
    ");
}

#[test]
fn an_empty_listing_says_what_to_do() {
    assert_snapshot!(plain(&State::default(), &[]), @"No goals yet. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC` begins with a discussion.");
    let state = state_of(&[
        created(1, "a", "first"),
        line(2, "goal_aborted", "a", json!({"reason": "no"})),
    ]);
    assert_snapshot!(plain(&state, &[]), @"No goal is open: 0 open, 1 ended (1 aborted). `goal list --all` shows the ended ones.");
}

#[test]
fn stored_text_cannot_colour_or_break_a_line() {
    let state = state_of(&[created(1, "a", "\u{1b}[31mred\u{9b}2J\u{202e}\rover\u{7}")]);
    let text = coloured(&state, &rows_of(&state));
    let (_, heading) = text.lines().next().unwrap().split_once("active").unwrap();
    assert!(
        heading.contains("\u{fffd}[31mred\u{fffd}2J\u{fffd}\u{fffd}over\u{fffd}"),
        "{heading:?}"
    );
}

#[test]
fn goals_that_stand_alike_stand_together() {
    let state = state_of(&[
        created(1, "a", "one"),
        created(2, "b", "two"),
        created(3, "c", "three"),
        created(4, "d", "four"),
    ]);
    let mut rows = rows_of(&state);
    for (row, standing) in rows.iter_mut().zip([
        Standing::Quiet,
        Standing::Waiting,
        Standing::Quiet,
        Standing::Live,
    ]) {
        row.standing = standing;
    }
    let text = list(&Listing {
        rows: &rows,
        counts: &state.counts(),
        filtered: false,
        grouped: true,
        onlooker: NOBODY,
        lost: false,
    });
    assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @"
    waiting (1)
    b  ● active     two

    live (1)
    d  ● active     four

    quiet (2)
    a  ● active     one
    c  ● active     three

    4 open (4 active), 0 ended
    ");
}
