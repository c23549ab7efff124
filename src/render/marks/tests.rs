//! Every surface shows the same mark and the same word.

use super::*;
use crate::domain::attention::Need;
use crate::domain::goal::row::Row;
use crate::domain::report::TaskReport;
use crate::render::columns::width;
use crate::render::report::{markdown, page, testing};
use crate::render::testing::{NOBODY, created, state_of};
use crate::render::view::{AtWork, GoalRow};
use crate::render::watch::{Scene, Screen};
use crate::render::{list, task};

const VERDICTS: [Verdict; 3] = [Verdict::Approved, Verdict::Disapproved, Verdict::Error];

const TASKS: [TaskStatus; 6] = [
    TaskStatus::Pending,
    TaskStatus::Active,
    TaskStatus::Blocked,
    TaskStatus::Complete,
    TaskStatus::Failed,
    TaskStatus::Skipped,
];

const NEEDS: [NeedKind; 19] = [
    NeedKind::Question,
    NeedKind::Approval,
    NeedKind::Draft,
    NeedKind::Tweak,
    NeedKind::Contested,
    NeedKind::Unproven,
    NeedKind::Foreign,
    NeedKind::Blocked,
    NeedKind::Paused,
    NeedKind::Budget,
    NeedKind::Signature,
    NeedKind::AuditInterrupted,
    NeedKind::RunStopped,
    NeedKind::TaskLeft,
    NeedKind::NotCommitted,
    NeedKind::Stuck,
    NeedKind::OutsideGate,
    NeedKind::Untrusted,
    NeedKind::Unsynced,
];

/// A goal of this standing and status with an audit of each verdict.
fn row(standing: Standing, status: Status) -> GoalRow {
    let state = state_of(&[created(1, "a", "one")]);
    let row = Row::of(state.in_order()[0], None);
    let mut row = GoalRow::of(row, standing, None, AtWork::default(), None);
    (row.status, row.audits) = (status, VERDICTS.to_vec());
    row
}

fn page_of(standing: Standing, status: Status) -> String {
    let mut report = testing::report(1);
    report.goals.truncate(1);
    let goal = &mut report.goals[0];
    (goal.standing, goal.status) = (standing, status);
    page(&report).unwrap() + &markdown(&report)
}

#[test]
fn a_goal_has_one_mark_and_one_word_in_list_screen_and_page() {
    for standing in Standing::ALL {
        for status in Status::ALL {
            let (row, mark) = (row(standing, status), of_goal(standing, status));
            let scene = Scene {
                goals: vec![row.clone()],
                ..Scene::default()
            };
            let on_screen = Screen::new(&scene).rows;
            assert_eq!(on_screen[0].mark.0, mark.mark, "{standing} {status}");
            let page = page_of(standing, status);
            let cell = format!(
                "<span class=\"st {}\" aria-hidden=\"true\">{}</span> {}</td>",
                mark.tone.name(),
                mark.mark,
                mark.word
            );
            assert!(page.contains(&cell), "{standing} {status}: {cell}");
            assert!(
                page.contains(&format!("| {} |", mark.word)),
                "{standing} {status}"
            );
            if standing == Standing::Ended {
                let listed = list::rows(&[row], NOBODY, 200);
                let it = of_status(status);
                let listed = anstream::adapter::strip_str(&listed).to_string();
                assert!(
                    listed.contains(&format!("{} {}", it.mark, it.word)),
                    "{listed}"
                );
            }
        }
    }
}

#[test]
fn a_verdict_has_one_mark_in_list_screen_and_page() {
    let row = row(Standing::Quiet, Status::Active);
    let marks = verdicts(&VERDICTS);
    let scene = Scene {
        goals: vec![row.clone()],
        ..Scene::default()
    };
    assert!(Screen::new(&scene).rows[0].note.contains(&marks));
    assert!(list::rows(&[row], NOBODY, 200).contains(&marks));
    for verdict in VERDICTS {
        let mut report = testing::report(1);
        report.goals[0].audits.truncate(1);
        report.goals[0].audits[0].verdict = Some(verdict);
        let it = of_verdict(Some(verdict));
        let badge = format!(
            "<span aria-hidden=\"true\">{}</span><span class=\"sr\">{}</span>",
            it.mark, it.word
        );
        assert!(page(&report).unwrap().contains(&badge), "{badge}");
        assert!(markdown(&report).contains(&format!("| {} |", it.word)));
    }
}

#[test]
fn what_waits_has_one_mark_and_one_word_on_screen_and_page() {
    for kind in NEEDS {
        let mut report = testing::report(1);
        report.needs.truncate(1);
        report.needs[0].kind = kind;
        let needs: Vec<Need> = report.needs.clone();
        let it = of_need(kind);
        let scene = Scene {
            needs,
            ..Scene::default()
        };
        let row = &Screen::new(&scene).rows[0];
        assert_eq!((row.mark.0, &*row.note), (it.mark, it.word));
        let shown = format!(
            "<span aria-hidden=\"true\">{}</span> {}</span>",
            it.mark, it.word
        );
        assert!(page(&report).unwrap().contains(&shown), "{shown}");
        assert!(markdown(&report).contains(&format!("| {} |", it.word)));
    }
}

#[test]
fn a_task_has_one_mark_in_lists_and_on_the_page() {
    for status in TASKS {
        let mut report = testing::report(1);
        report.goals[0].tasks = vec![TaskReport {
            id: "1".to_owned(),
            title: "one".to_owned(),
            depth: 0,
            status,
            proof: None,
        }];
        let it = of_task(status);
        assert_eq!(task::mark(status), format!("[{}]", it.mark));
        let shown = format!(
            "<span class=\"box\" aria-hidden=\"true\">{}</span> <span class=\"sr\">{}:</span>",
            it.mark, it.word
        );
        assert!(page(&report).unwrap().contains(&shown), "{shown}");
    }
}

#[test]
fn every_mark_is_one_column_wide() {
    let marks = Status::ALL.into_iter().map(of_status);
    let marks = marks.chain(NEEDS.into_iter().map(of_need));
    let marks = marks.chain(VERDICTS.into_iter().map(|it| of_verdict(Some(it))));
    let marks = marks.chain(TASKS.into_iter().map(of_task));
    let standing = |it| of_goal(it, Status::Active);
    for it in marks.chain(Standing::ALL.into_iter().map(standing)) {
        assert_eq!(width(it.mark), 1, "{it:?}");
    }
}
