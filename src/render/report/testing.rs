//! A report for tests, with words that would break out wherever they can.

use crate::domain::attention::{Choice, Need, NeedKind, Standing};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::history::{Burst, QuestionReport, ScoreReport, Span, SpanKind};
use crate::domain::objections::{AuditOfWork, CameBack, came_back};
use crate::domain::passed_on::Agreed;
use crate::domain::proof::Proof;
use crate::domain::report::window::{Since, Window};
use crate::domain::report::{
    AuditReport, Commit, CostReport, Figures, GoalReport, LeftOut, MadeOf, OwnerReport, Report,
    SCHEMA,
};
use crate::domain::task::done::TasksDone;
use crate::domain::task::question::QuestionKind;
use crate::domain::time::{HOUR, rfc3339};
use crate::domain::verdict::Verdict;

/// Mark-up, a script's end, quotes, a template, ANSI, and a character that turns text around.
pub const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'` {{ 7*7 }} \u{1b}[31m\u{202e}";

/// A time so many hours into the report's day.
pub fn hours(hours: i64) -> String {
    rfc3339(1_795_219_200_000 + hours * HOUR)
}

/// A goal to which everything happened that a report tells of.
pub fn goal(number: usize, ended: bool) -> GoalReport {
    let audit = |hour, verdict| AuditReport {
        at: hours(hour),
        by: None,
        via: None,
        claim: Some(HOSTILE.to_owned()),
        evidence: vec![HOSTILE.to_owned()],
        started_at: Some(hours(hour)),
        auditor: Some(vec!["/usr/bin/judge".to_owned()]),
        auditor_from: Some("user".to_owned()),
        head: Some("0123456789abcdef".to_owned()),
        dirty: Some(true),
        ended_at: Some(hours(hour + 1)),
        verdict: Some(verdict),
        cause: None,
        criteria: if verdict == Verdict::Disapproved {
            vec![0]
        } else {
            Vec::new()
        },
        report: format!("1. `{HOSTILE}`: it does not hold\nand more"),
    };
    let mut audits = vec![
        audit(3, Verdict::Disapproved),
        audit(5, Verdict::Disapproved),
    ];
    if ended {
        audits.push(audit(7, Verdict::Approved));
    }
    GoalReport {
        goal_id: format!("goal-{number}").parse().unwrap(),
        title: format!("Goal {number} {HOSTILE}"),
        contract: Contract {
            objective: HOSTILE.to_owned(),
            success_criteria: vec![HOSTILE.to_owned()],
            owner: Some(HOSTILE.to_owned()),
            ..Contract::default()
        },
        status: if ended {
            Status::Complete
        } else {
            Status::Active
        },
        standing: if ended {
            Standing::Ended
        } else {
            Standing::Quiet
        },
        audited: ended.then_some(Audited::Gated),
        proof: ended.then_some(Proof::OWN),
        signer: None,
        parent_goal_id: None,
        agreed_through: Some(Agreed {
            via: HOSTILE.to_owned(),
            at: hours(1),
        }),
        created_at: hours(1),
        updated_at: hours(8),
        ended_at: ended.then(|| hours(8)),
        end_reason: None,
        pause: None,
        live: None,
        spans: vec![Span {
            kind: SpanKind::Active,
            from: hours(1),
            to: ended.then(|| hours(8)),
        }],
        work: vec![Burst {
            from: hours(2),
            to: hours(3),
        }],
        audits,
        questions: vec![QuestionReport {
            question_id: "q-1".to_owned(),
            kind: QuestionKind::Info,
            question: HOSTILE.to_owned(),
            suggestions: vec![HOSTILE.to_owned()],
            task_id: None,
            at: hours(4),
            answered_at: None,
            via: None,
            answer: None,
        }],
        scores: [(2, 0.4), (6, 0.7)]
            .map(|(hour, score)| ScoreReport {
                at: hours(hour),
                score: score.try_into().unwrap(),
                gap_analysis: HOSTILE.to_owned(),
                by: None,
                via: None,
                source: None,
            })
            .into(),
        escalations: Vec::new(),
        runs: Vec::new(),
        tasks: Vec::new(),
        tasks_done: TasksDone::default(),
        notes: Vec::new(),
        cost: CostReport::default(),
    }
}

/// The objections to this goal that came back.
fn repeated(goal: &GoalReport) -> Vec<CameBack> {
    let mut audited = Goal::implicit(goal.goal_id.clone(), 0, &goal.created_at);
    audited.contract = goal.contract.clone();
    audited.contract.title = Some(goal.title.clone());
    audited.ended_at.clone_from(&goal.ended_at);
    let judged = goal.audits.iter();
    let judged =
        judged.filter_map(|it| AuditOfWork::of(it.ended_at.as_ref()?, it.verdict?, &it.report));
    came_back(&audited, judged).collect()
}

/// A day with so many goals, of which every second ended.
pub fn report(goals: usize) -> Report {
    let goals: Vec<GoalReport> = (1..=goals)
        .map(|number| goal(number, number % 2 == 0))
        .collect();
    let need = |goal: &GoalReport| Need {
        kind: NeedKind::Question,
        goal_id: Some(goal.goal_id.clone()),
        draft_id: None,
        question_id: Some("q-1".to_owned()),
        title: goal.title.clone(),
        owner: None,
        since: Some(hours(4)),
        reason: HOSTILE.to_owned(),
        choices: vec![Choice {
            label: HOSTILE.to_owned(),
            command: "goal answer q-1 --pick 1".to_owned(),
        }],
        command: "goal answer q-1".to_owned(),
    };
    let open = goals.iter().filter(|goal| goal.status.is_open());
    let ended = goals.len() as u64 / 2;
    Report {
        schema: SCHEMA,
        made_of: MadeOf {
            project: format!("atlas {HOSTILE}"),
            at: hours(12),
            program: "1.2.3".to_owned(),
            lines: 42,
            tips: Vec::new(),
            head: None,
            findings: 0,
            redacted: false,
        },
        window: Window::of(Since::Usual, None, 1_795_219_200_000 + 12 * HOUR).unwrap(),
        figures: Figures {
            completed: ended,
            audits: 3,
            objections: 2,
            cost_usd: 12.5,
            cost_usd_after_objection: 2.5,
            through: [(HOSTILE.to_owned(), 3)].into(),
            ..Figures::default()
        },
        needs: open.map(need).collect(),
        standings: [(Standing::Quiet, goals.len() as u64 - ended)].into(),
        objections: goals.iter().flat_map(repeated).collect(),
        owners: vec![OwnerReport {
            owner: Some(HOSTILE.to_owned()),
            cost_usd: 12.5,
            ..OwnerReport::default()
        }],
        commits: vec![Commit {
            id: "0123456789abcdef".to_owned(),
            at: hours(5),
            author: HOSTILE.to_owned(),
            subject: HOSTILE.to_owned(),
            files: 1,
            insertions: 2,
            deletions: 3,
        }],
        left_out: LeftOut::default(),
        goals,
    }
}
