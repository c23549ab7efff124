//! Listings of goals in every state.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::domain::focus::focused;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::proof::{Proof, Why};
use crate::domain::state::State;
use crate::render::testing::{NOBODY, TITLES, created, created_in_full, line, state_of};
use crate::render::view::AtWork;

fn rows_of(state: &State) -> Vec<GoalRow> {
    let focus = focused(state, None);
    let of = |goal: &Goal| {
        GoalRow::of(
            Row::of(goal, None),
            Standing::Quiet,
            focus,
            AtWork::default(),
            None,
        )
    };
    state.in_order().into_iter().map(of).collect()
}

fn coloured(state: &State, rows: &[GoalRow]) -> String {
    list(&Listing {
        rows,
        counts: &state.counts(),
        standings: &BTreeMap::new(),
        filtered: false,
        grouped: false,
        columns: &Columns::usual(),
        width: 80,
        beyond: 0,
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
    rows[1].standing = Standing::Resting;
    rows[2].standing = Standing::Blocked;
    rows[3].standing = Standing::Ended;
    rows[4].standing = Standing::Ended;
    rows[3].proof = Some(Proof::unproven(Why::OutsideGate));
    rows[4].keeper = Keeper::Theirs;
    assert_snapshot!(plain(&state, &rows), @"
    ID               STATUS      STANDING  TITLE               AUDITS  AGE
    mr5cf6ch-akrg4u  ● active    quiet     Tabs in the parser          24m
        [focused]
    b                ○ paused    resting   漢字 in the title           23m
    c                ■ blocked   blocked   third               ✗       21m  [x]
    d                ✓ complete  ended     fourth                      20m
        [completed outside the gate]
    e                ✗ aborted   ended     fifth                       19m
        [kept by another tool]

    3 open (1 active, 1 paused, 1 blocked), 2 ended (1 complete, 1 aborted)
    ");
}

#[test]
fn a_remark_does_not_stand_below_the_name_of_an_empty_column() {
    let state = state_of(&[created(1, "a", "Tabs")]);
    let names = ["id", "title", "cost"].map(str::to_owned);
    let mut rows = rows_of(&state);
    rows[0].focused = true;
    let text = list(&Listing {
        rows: &rows,
        counts: &state.counts(),
        standings: &BTreeMap::new(),
        filtered: false,
        grouped: false,
        columns: &Columns::named(&names).unwrap(),
        width: 80,
        beyond: 0,
        onlooker: NOBODY,
        lost: false,
    });
    assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @"
    ID  TITLE  COST
    a   Tabs         [focused]

    1 open (1 active), 0 ended
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
    ID                        STANDING  TITLE                                    AGE
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  quiet     wo…  29m
    b                         quiet     short                                    28m

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
    let of = |goal: &Goal| Row::of(goal, None);
    let mut rows: Vec<Row> = state.in_order().into_iter().map(of).collect();
    rows.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    let rows = rows
        .into_iter()
        .map(|row| GoalRow::of(row, Standing::Quiet, None, AtWork::default(), None));
    let text = plain(&state, &rows.collect::<Vec<_>>());
    let seen: Vec<String> = text
        .lines()
        .map(|line| line.chars().take(80).collect())
        .collect();
    assert_snapshot!(seen.join("\n"), @"
    ID               STANDING  TITLE                                       PRIO  AGE
    mr5cf6ch-akrg4u  quiet     has none                                          29m
    d                quiet     word word word word word word word word…          26m
    e                quiet     word word word word word word word word…     0.5  25m
    c                quiet     word word word word word word word word…  0.333…  27m
    b                quiet     word word word word word word word word…     0.1  28m
    f                quiet     word word word word word word word word…       0  24m

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
    let heading = text.lines().nth(1).unwrap();
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
        standings: &BTreeMap::from([(Standing::Quiet, 14)]),
        filtered: false,
        grouped: true,
        columns: &Columns::usual(),
        width: 80,
        beyond: 12,
        onlooker: NOBODY,
        lost: false,
    });
    assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @"
    ID  TITLE  AGE

    waiting (1)
    b   two    28m

    live (1)
    d   four   26m

    quiet (2 of 14)
    a   one    29m
    c   three  27m

    12 more goals: `goal list --limit 0` shows all
    4 open (4 active), 0 ended
    ");
}

/// A goal of which everything is known.
fn full(second: u32, id: &str, title: &str) -> [String; 4] {
    let fields = json!({"objective": title, "sisyphus": false, "autoContinue": false,
        "owner": "claude-1", "priority": 0.9});
    let tasks = json!({"taskCount": 2, "blockCompletion": false,
        "tasks": [{"id": "1", "title": "a"}, {"id": "2", "title": "b"}]});
    let verdict = json!({"verdict": "disapproved", "report": "r"});
    let cost = json!({"counters": {"costUsd": 4.4}});
    [
        line(second, "goal_created", id, fields),
        line(second + 1, "task_list_set", id, tasks),
        line(second + 2, "audit_result", id, verdict),
        line(second + 3, "usage_recorded", id, cost),
    ]
}

#[test]
fn an_ended_goal_keeps_what_is_known_of_it() {
    let mut lines = full(1, "a", "one").to_vec();
    lines.push(line(9, "goal_aborted", "a", json!({"reason": "r"})));
    let rows = rows_of(&state_of(&lines));
    let text = super::rows(&rows, NOBODY, 200);
    for known in ["0/2", "✗", "$4.40"] {
        assert!(text.contains(known), "{known}: {text}");
    }
}

#[test]
fn what_is_right_in_every_width() {
    let [plain, joined, right_to_left, wide] = TITLES;
    let lines: Vec<String> = [
        full(1, "mr5cf6ch-akrg4u", plain),
        full(11, "mr5cf6ci-bbrg4u", joined),
        full(21, "mr5cf6cj-ccrg4u", right_to_left),
        full(31, "mr5cf6ck-ddrg4u", wide),
    ]
    .concat();
    let state = state_of(&lines);
    let mut rows = rows_of(&state);
    rows[1].standing = Standing::Waiting;
    let mut all = String::new();
    for width in [40, 80, 200] {
        let text = list(&Listing {
            rows: &rows,
            counts: &state.counts(),
            standings: &BTreeMap::new(),
            filtered: false,
            grouped: true,
            columns: &Columns::usual(),
            width,
            beyond: 1,
            onlooker: NOBODY,
            lost: false,
        });
        let text = anstream::adapter::strip_str(&text).to_string();
        for line in text.lines() {
            assert!(
                crate::render::columns::width(line) <= width,
                "{width}: {line}"
            );
        }
        all.push_str(&text.replace('\u{200e}', "<LRM>"));
        all.push('\n');
    }
    assert_snapshot!(all, @"
    ID               TITLE               AGE

    waiting (1)
    mr5cf6ci-bbrg4u  👩‍👩‍👧‍👦 family plan wi…  16m
        [auditor disapproved]

    quiet (3)
    mr5cf6ch-akrg4u  Rotate the token…   26m
        [auditor disapproved]
    mr5cf6cj-ccrg4u  می‌خواهم این را ان…<LRM>   6m
        [auditor disapproved]
    mr5cf6ck-ddrg4u  漢字の題名はとて…   now
        [auditor disapproved]

    1 more goal: `goal list --limit 0` shows
    all
    no room in 40 columns: owner, priority,
    tasks, audits, cost; `--columns` chooses
    4 open (4 active), 0 ended

    ID               TITLE                        OWNER     PRIO  TASKS  AUDITS  AGE

    waiting (1)
    mr5cf6ci-bbrg4u  👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and…  claude-1   0.9    0/2  ✗       16m

    quiet (3)
    mr5cf6ch-akrg4u  Rotate the token of the se…  claude-1   0.9    0/2  ✗       26m
    mr5cf6cj-ccrg4u  می‌خواهم این را انجام دهم و…<LRM>  claude-1   0.9    0/2  ✗        6m
    mr5cf6ck-ddrg4u  漢字の題名はとても長いので…  claude-1   0.9    0/2  ✗       now

    1 more goal: `goal list --limit 0` shows all
    no room in 80 columns: cost; `--columns` chooses
    4 open (4 active), 0 ended

    ID               TITLE                                                                     OWNER     PRIO  TASKS  AUDITS   COST  AGE

    waiting (1)
    mr5cf6ci-bbrg4u  👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer                          claude-1   0.9    0/2  ✗       $4.40  16m

    quiet (3)
    mr5cf6ch-akrg4u  Rotate the token of the service that signs in                             claude-1   0.9    0/2  ✗       $4.40  26m
    mr5cf6cj-ccrg4u  می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود<LRM>                claude-1   0.9    0/2  ✗       $4.40   6m
    mr5cf6ck-ddrg4u  漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです  claude-1   0.9    0/2  ✗       $4.40  now

    1 more goal: `goal list --limit 0` shows all
    4 open (4 active), 0 ended
    ");
}
