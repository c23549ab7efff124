//! The status of projects.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::domain::attention::{self, Facts};
use crate::domain::focus::focused as focus;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::row::Row;
use crate::domain::state::State;
use crate::render::testing::{NOBODY, created, line, state_of};
use crate::render::view::{AuditStanding, Extras};

fn of(state: &State, audit: Option<AuditStanding>, findings: &[(Severity, u64)]) -> String {
    let goal = focus(state, None).and_then(|id| state.goals.get(id));
    let goal = goal.map(|goal| {
        let extras = Extras {
            focused: true,
            audit,
            ..Extras::default()
        };
        GoalView::of(goal, extras)
    });
    let drafts: Vec<Draft> = state.drafts.open().cloned().collect();
    let rows: Vec<Row> = state
        .in_order()
        .into_iter()
        .map(|it| Row::of(it, None))
        .collect();
    let facts = Facts {
        now: NOBODY.now,
        ..Facts::default()
    };
    let mut standings = BTreeMap::new();
    for row in rows.iter().filter(|row| row.status.is_open()) {
        *standings
            .entry(attention::standing(row, &facts))
            .or_default() += 1;
    }
    let text = status(&StatusInput {
        waiting: attention::attention(&rows, state, &facts).len() as u64,
        standings: &standings,
        root: "/project",
        goal: goal.as_ref(),
        counts: &state.counts(),
        drafts: &drafts,
        findings: &findings.iter().copied().collect(),
        remotes: &[],
        clock: Clock::of(NOBODY.now, None),
        session: None,
        lost: false,
    });
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn nothing_yet() {
    assert_snapshot!(of(&State::default(), None, &[]), @"
    /project

    No goals yet. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC` begins with a discussion.
    ");
}

#[test]
fn a_goal_under_audit_with_drafts_and_findings() {
    let state = state_of(&[
        created(1, "a-1", "# tidy up\nall of it"),
        created(2, "b-2", "other"),
        line(3, "goal_focused", "a-1", json!({"reason": "first"})),
        line(
            4,
            "audit_result",
            "a-1",
            json!({"verdict": "error", "report": "late\n\u{1b}[1m", "cause": "timeout"}),
        ),
        line(
            5,
            "goal_noted",
            "a-1",
            json!({"note": "n", "next": "ask\nagain"}),
        ),
        line(6, "completion_requested", "a-1", json!({})),
        line(7, "audit_started", "a-1", json!({})),
        line(
            8,
            "draft_started",
            "b-2",
            json!({"draftId": "d-1", "topic": "wider", "mode": "tweak"}),
        ),
        line(
            9,
            "draft_started",
            "b-2",
            json!({"draftId": "d-2", "topic": "", "mode": "tweak"}),
        ),
        line(
            9,
            "draft_proposed",
            "b-2",
            json!({"draftId": "d-2", "contract": {"objective": "more"}}),
        ),
        line(10, "goal_aborted", "c-3", json!({"reason": "no"})),
    ]);
    let findings = [
        (Severity::Information, 4),
        (Severity::Error, 1),
        (Severity::Warning, 2),
    ];
    assert_snapshot!(of(&state, Some(AuditStanding::Running), &findings), @"
    /project

    tidy up
      a-1  ● active, quiet
      completion requested: The audit is running (begun 2026-11-21T20:07:00.000Z); `goal complete` waits for it.
      next action: ask again
      latest audit: error (timeout), 2026-11-21T20:04:00.000Z: late �[1m

    2 open (2 active), 1 ended (1 aborted)
    Open goals: 1 live, 1 quiet.

    1 draft without a proposal:
      d-1  wider

    1 error and 2 warnings found; see `goal doctor`

    1 needs you: `goal inbox`
    ");
}

#[test]
fn nothing_focused() {
    let state = state_of(&[created(1, "a", "one"), created(2, "b", "two")]);
    assert_snapshot!(of(&state, None, &[(Severity::Information, 1)]), @"
    /project

    No goal is focused. `goal list` shows the open ones, `goal focus GOAL` chooses one.

    2 open (2 active), 0 ended
    Open goals: 2 quiet.
    ");
    let ended = state_of(&[
        created(1, "a", "one"),
        line(2, "goal_aborted", "a", json!({"reason": "no"})),
    ]);
    assert_snapshot!(of(&ended, None, &[]), @"
    /project

    No goal is open. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC` begins with a discussion.

    0 open, 1 ended (1 aborted)
    ");
}

#[test]
fn of_many_questions_the_oldest_are_shown() {
    let mut lines = vec![created(1, "a", "one")];
    lines.extend((2..25).map(|number| {
        let asked = json!({"questionId": format!("q{number}"), "kind": "info", "question": "why?"});
        line(number, "question_asked", "a", asked)
    }));
    let state = state_of(&lines);
    let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
    let header = Row::of(goal, None);
    let extras = Extras {
        needs: attention::attention_of(&header, &state, &Facts::default()),
        ..Extras::default()
    };
    let view = GoalView::of(goal, extras);
    assert_eq!(view.open_questions, 23);
    let said = |text: &str| {
        let text = anstream::adapter::strip_str(text).to_string();
        let lines = text.lines().filter(|it| it.contains("needs you"));
        let lines: Vec<&str> = lines.map(str::trim).collect();
        (lines.len(), lines.last().map(|it| (*it).to_owned()))
    };
    let clock = Clock::of(NOBODY.now, None);
    let more = |text: &str| Some(text.to_owned());
    assert_eq!(
        said(&brief(&blocks(&view, Reader::of(Detail::Brief, clock)))),
        (
            11,
            more("needs you: … and 13 more: `goal inbox` shows them")
        )
    );
    let shown = crate::render::show::show(&view, clock, None);
    assert_eq!(
        said(&shown),
        (
            11,
            more("needs you   … and 13 more: `goal inbox` shows them")
        )
    );
}
