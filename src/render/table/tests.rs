//! Tables of all kinds of rows, in every width.

use super::*;

#[derive(Debug)]
struct Pair(&'static str, &'static str);

impl Tabled for Pair {
    const COLUMNS: &'static [Column<Pair>] = &[
        Column::left("id", "", |row: &Pair, _| row.0.into()),
        Column::right("long", "", |row: &Pair, _| row.0.len().to_string().into()).spare(1),
        Column::cut("title", "", |row: &Pair, _| row.1.into()),
        Column::wrapped("text", "", |row: &Pair, _| row.1.into()),
        Column::left("none", "", |_: &Pair, _| "".into()),
        Column::left("now", "", |_: &Pair, now| now.to_string().into()).chosen(),
    ];
}

const PAIRS: [Pair; 2] = [
    Pair("a-1", "words that go on `in one command` below"),
    Pair("b-2", ""),
];

fn shown(names: &[&str], wide: usize) -> String {
    let names: Vec<String> = names.iter().map(|&it| it.to_owned()).collect();
    let columns = Columns::named(&names).unwrap();
    let text = Table::of(&columns, &PAIRS, wide, 7).text(&PAIRS);
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn texts_share_what_the_other_columns_leave() {
    insta::assert_snapshot!(shown(&[], 80), @"
    ID   LONG  TITLE                              TEXT
    a-1     3  words that go on `in one command…  words that go on `in one command`
                                                  below
    b-2     3
    ");
    insta::assert_snapshot!(shown(&[], 40), @"
    ID   LONG  TITLE
        TEXT
    a-1     3  words that go on `in one com…
        words that go on `in one command`
        below
    b-2     3
    ");
    insta::assert_snapshot!(shown(&["now", "text", "none", "id"], 60), @"
    NOW  TEXT                                     NONE  ID
    7    words that go on `in one command` below        a-1
    7                                                   b-2
    ");
    insta::assert_snapshot!(shown(&["text", "id", "long", "now"], 20), @"
    TEXT
        ID   LONG  NOW
    words that go on
    `in one command`
    below
        a-1     3  7
        b-2     3  7
    ");
}

#[test]
fn a_column_is_named_once_and_exists() {
    let refused = |names: [&str; 2]| Columns::<Pair>::named(&names.map(str::to_owned)).unwrap_err();
    assert_eq!(refused(["id", "id"]), "`--columns` names id twice");
    assert_eq!(
        refused(["id", "who"]),
        "no column is called \"who\"; there are id, long, title, text, none, now"
    );
}

/// Every list, with long titles of every script, in every width: the usual columns, and all.
mod every_list {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use serde_json::json;

    use super::*;
    use crate::domain::attention::Standing;
    use crate::domain::event::draft::DraftMode;
    use crate::domain::goal::draft::Draft;
    use crate::domain::goal::row::Row;
    use crate::domain::goal::state::Status;
    use crate::domain::history::RunReport;
    use crate::domain::id::EventId;
    use crate::domain::lease::LeaseStatus;
    use crate::domain::line::{LineRef, RawLine};
    use crate::domain::task::evidence::EvidenceItem;
    use crate::domain::verdict::{Cause, Verdict};
    use crate::render::audit::AuditRow;
    use crate::render::drafts::Shown;
    use crate::render::log::{LogLine, Logged};
    use crate::render::stores::StoredLedger;
    use crate::render::testing::{NOBODY, TITLES, created, state_of};
    use crate::render::view::{AtWork, Commitment, GoalRow, LeaseView, UsageRow};

    const AT: &str = "2026-11-21T20:09:00.000Z";
    const GOAL: &str = "mr5cf6ch-akrg4u";

    fn holds<R: Tabled + Debug>(row: impl Fn(&str) -> R) {
        let rows: Vec<R> = TITLES.iter().map(|title| row(title)).collect();
        let names: Vec<String> = R::names().map(str::to_owned).collect();
        for columns in [Columns::usual(), Columns::named(&names).unwrap()] {
            for wide in [40, 80, 200] {
                let table = Table::of(&columns, &rows, wide, NOBODY.now);
                let text = anstream::adapter::strip_str(&table.text(&rows)).to_string();
                for line in text.lines() {
                    assert!(width(line) <= wide, "{wide}: {line}\n{text}");
                    assert_eq!(line.trim_end(), line, "{text}");
                }
                assert!(text.lines().count() > rows.len(), "{text}");
            }
        }
        for name in &names {
            let twice = Columns::<R>::named(&[name.clone(), name.clone()]);
            let said = format!("`--columns` names {name} twice");
            assert_eq!(twice.unwrap_err(), said);
        }
    }

    #[test]
    fn goals_and_what_is_owed_of_them() {
        holds(|title| {
            let state = state_of(&[created(1, GOAL, title)]);
            let row = Row::of(state.in_order()[0], None);
            let mut row = GoalRow::of(row, Standing::Quiet, None, AtWork::default(), None);
            row.owner = Some(title.into());
            row.audits = vec![Verdict::Approved; 5];
            (row.priority, row.score, row.cost_usd) = (Some(0.25), Some(0.5), Some(1.5));
            row
        });
        holds(|title| Commitment {
            goal_id: GOAL.parse().unwrap(),
            goal: title.into(),
            owed_by: Some("ben".into()),
            owed_to: "user".into(),
            parent_goal_id: None,
            status: Status::Complete,
            priority: 0.5,
            since: AT.into(),
        });
    }

    #[test]
    fn drafts_and_leases() {
        holds(|title| Shown {
            draft: Draft {
                draft_id: GOAL.into(),
                topic: title.into(),
                mode: DraftMode::Tweak,
                goal_id: Some(GOAL.parse().unwrap()),
                parent_goal_id: None,
                intent: true,
                session: None,
                proposed_by: None,
                proposal: None,
                context: serde_json::Map::new(),
                summary: Some(title.repeat(3)),
                proposals: 0,
                created_at: AT.into(),
                updated_at: AT.into(),
                latest: LineRef::START,
            },
            revision: EventId::ZERO,
            now: None,
        });
        holds(|title| LeaseView {
            standing: LeaseStatus::Held,
            session: Some(title.into()),
            pid: Some(7_000_000),
            host: Some(title.into()),
            heartbeat_at: Some(AT.into()),
            expires_at: Some(AT.into()),
            problem: None,
            ..LeaseView::unreadable(&GOAL.parse().unwrap(), "")
        });
    }

    #[test]
    fn runs_and_audits() {
        holds(|title| RunReport {
            line: LineRef::START,
            run_id: GOAL.into(),
            goal_id: GOAL.parse().unwrap(),
            title: title.into(),
            agent: title.into(),
            started_at: AT.into(),
            stopped_at: Some("2026-11-21T20:19:00.000Z".into()),
            cause: Some("repeated_failure".into()),
            detail: Some(title.into()),
            live: false,
            running_on: None,
            resumes: None,
            max_iterations: None,
            head_before: None,
            head_after: None,
            turns: Vec::new(),
            audits: Vec::new(),
            waits: Vec::new(),
            usage: BTreeMap::from([("costUsd".to_owned(), 12.5)]),
            roles: BTreeMap::new(),
            waits_for: vec!["`goal inbox` lists what for".into()],
        });
        holds(|title| AuditRow {
            goal_id: GOAL.parse().unwrap(),
            title: title.into(),
            line: 12,
            at: AT.into(),
            verdict: Some(Verdict::Error),
            cause: Some(Cause::Timeout),
            millis: Some(3_600_000),
            auditor: vec!["claude".into(), "-p".into()],
            report: title.repeat(4),
        });
    }

    #[test]
    fn lines_of_the_log_and_of_stores() {
        holds(|title| {
            let bytes = json!({"type": "goal_paused", "goalId": GOAL, "reason": title,
                "at": AT, "by": "user", "via": "claude-code"});
            let bytes = bytes.to_string();
            let raw = RawLine {
                number: 12,
                ordinal: 12,
                offset: 0,
                bytes: bytes.as_bytes(),
                terminated: true,
                oversized: false,
            };
            Logged {
                line: LogLine::of(&raw).unwrap(),
                title: Some(title.into()),
            }
        });
        holds(|title| StoredLedger {
            ledger: title.chars().take(16).collect(),
            lines: 12,
            end: 123_456,
            at: Some(AT.into()),
        });
    }

    #[test]
    fn evidence_and_what_was_spent() {
        holds(|title| EvidenceItem {
            key: "trains".to_owned().into(),
            value: json!({ "said": title }),
            task_id: Some("2.1".into()),
            source: Some(title.into()),
            at: AT.into(),
        });
        holds(|title| UsageRow {
            goal_id: Some(GOAL.parse().unwrap()),
            name: Some(title.into()),
            counters: BTreeMap::from([("costUsd".to_owned(), 12.5), ("tokensIn".to_owned(), 1e6)]),
            goal: None,
        });
    }
}
