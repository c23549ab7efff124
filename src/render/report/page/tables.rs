//! The tables: objections that came back, who approved what, all goals, cost, commits.

use serde::Serialize;

use crate::domain::came_back::CameBack;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Status;
use crate::domain::report::{AuditReport, Commit, GoalReport, OwnerReport, Report, ScoreReport};
use crate::domain::time::millis;
use crate::domain::verdict::Verdict;
use crate::render::report::page::anchor;
use crate::render::report::words::{
    auditor, clock, completed, first_line, lasted, many, moment, percent, usd, verdict, when,
};
use crate::render::text::{one_line, short};

/// The most rows of each table but that of the goals.
const ROWS: usize = 200;
/// Most bytes of a cell, and the most pieces of evidence and verdicts in one.
const CELL: usize = 160;
const IN_CELL: usize = 8;

#[derive(Debug, Serialize)]
pub(super) struct Tables {
    objections: Vec<Objection>,
    approvals: Vec<Approval>,
    heads: Vec<Head>,
    rows: Vec<Row>,
    goals_more: String,
    owners: Vec<Owner>,
    commits: Vec<CommitRow>,
    commits_all: u64,
}

#[derive(Debug, Serialize)]
struct Objection {
    times: usize,
    about: String,
    goal: String,
    title: String,
    when: String,
    settled: Option<String>,
}

#[derive(Debug, Serialize)]
struct Approval {
    iso: String,
    at: String,
    goal: String,
    title: String,
    by: Option<String>,
    from: Option<String>,
    evidence: Vec<String>,
    said: String,
    audits: usize,
}

#[derive(Debug, Serialize)]
struct Head {
    name: &'static str,
    num: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    id: String,
    title: String,
    standing: &'static str,
    class: &'static str,
    mark: &'static str,
    /// By which the column of standings is sorted.
    order: u8,
    owner: String,
    tasks: String,
    tasks_by: usize,
    scores: String,
    score_by: f64,
    spark: Option<Spark>,
    verdicts: Vec<Badge>,
    cost: String,
    cost_by: f64,
    took: String,
    took_by: i64,
    find: String,
}

/// Scores as a small curve of 84 by 20.
#[derive(Debug, Serialize)]
struct Spark {
    points: String,
    x: f64,
    y: f64,
}

/// A verdict as a badge.
#[derive(Debug, Serialize)]
pub(super) struct Badge {
    pub class: &'static str,
    pub mark: &'static str,
    pub word: &'static str,
    pub at: String,
}

#[derive(Debug, Serialize)]
struct Owner {
    owner: String,
    cost: String,
    share: f64,
    after: String,
    completed: u64,
    objections: u64,
}

#[derive(Debug, Serialize)]
struct CommitRow {
    id: String,
    iso: String,
    at: String,
    author: String,
    subject: String,
    insertions: u64,
    deletions: u64,
}

impl Tables {
    pub fn of(report: &Report) -> Tables {
        let most = report
            .owners
            .iter()
            .map(|it| it.cost_usd)
            .fold(0.0, f64::max);
        let left_out = report.left_out.too_many;
        Tables {
            objections: report
                .objections
                .iter()
                .take(ROWS)
                .map(|it| objection(it, report))
                .collect(),
            approvals: completed(report)
                .into_iter()
                .take(ROWS)
                .map(|it| approval(it, report))
                .collect(),
            heads: heads(),
            rows: rows(report),
            goals_more: match left_out {
                0 => String::new(),
                more => format!(
                    "{} that are open or changed in this time are not told of one by one: \
                     `goal list --all` has them, `goal report --all` tells of them.",
                    many(more, "more goal")
                ),
            },
            owners: report
                .owners
                .iter()
                .take(ROWS)
                .map(|it| owner(it, most))
                .collect(),
            commits: report.commits.iter().take(ROWS).map(commit).collect(),
            commits_all: report.figures.commits,
        }
    }
}

fn objection(it: &CameBack, report: &Report) -> Objection {
    let times: Vec<String> = it
        .at
        .iter()
        .rev()
        .take(IN_CELL)
        .rev()
        .map(|at| when(at, report))
        .collect();
    Objection {
        times: it.at.len(),
        about: short(it.about(), CELL),
        goal: anchor(it.goal_id.as_str()),
        title: short(&it.title, CELL),
        when: times.join(", "),
        settled: it.settled_at.as_deref().map(|at| when(at, report)),
    }
}

fn approval(goal: &GoalReport, report: &Report) -> Approval {
    let ended = goal.ended_at.clone().unwrap_or_default();
    let audit = goal
        .audits
        .last()
        .filter(|_| goal.audited != Some(Audited::None));
    let evidence = audit.map(|it| it.evidence.iter().take(IN_CELL));
    Approval {
        at: when(&ended, report),
        iso: iso(&ended),
        goal: anchor(goal.goal_id.as_str()),
        title: short(&goal.title, CELL),
        by: audit.map(auditor),
        from: audit
            .and_then(|it| it.auditor_from.as_deref())
            .map(one_line),
        evidence: evidence
            .into_iter()
            .flatten()
            .map(|it| short(it, CELL))
            .collect(),
        said: audit
            .map(|it| short(&first_line(&it.report), CELL))
            .unwrap_or_default(),
        audits: goal.audits.len(),
    }
}

fn heads() -> Vec<Head> {
    let names = [
        ("stands", false),
        ("goal", false),
        ("owner", false),
        ("tasks", true),
        ("score", false),
        ("audits", false),
        ("cost", true),
        ("took", true),
    ];
    names
        .into_iter()
        .map(|(name, num)| Head { name, num })
        .collect()
}

/// What waits first and what has ended last, otherwise in order of creation.
fn rows(report: &Report) -> Vec<Row> {
    let mut rows: Vec<Row> = report.goals.iter().map(|goal| row(goal, report)).collect();
    rows.sort_by_key(|row| row.order);
    rows
}

fn row(goal: &GoalReport, report: &Report) -> Row {
    let (done, tasks) = goal.tasks_done();
    let end = goal.ended_at.as_ref().unwrap_or(&report.window.to);
    let took = millis(end).zip(millis(&goal.created_at));
    let latest = goal.scores.last().map(|it| f64::from(it.score));
    let scores = goal.scores.iter().rev().take(IN_CELL).rev();
    let scores: Vec<String> = scores
        .map(|it| format!("{:.2}", f64::from(it.score)))
        .collect();
    let verdicts = goal.audits.iter().filter(|it| it.verdict.is_some());
    let verdicts: Vec<&AuditReport> = verdicts.collect();
    Row {
        id: anchor(goal.goal_id.as_str()),
        title: short(&goal.title, CELL),
        standing: match goal.status.is_open() {
            true => goal.standing.name(),
            false => goal.status.name(),
        },
        class: class(goal),
        mark: mark(goal),
        order: goal.standing as u8,
        owner: goal
            .contract
            .owner
            .as_deref()
            .map(|it| short(it, CELL))
            .unwrap_or_default(),
        tasks: if tasks > 0 {
            format!("{done}/{tasks}")
        } else {
            String::new()
        },
        tasks_by: tasks - done,
        scores: format!("scores {}", scores.join(", ")),
        score_by: latest.unwrap_or_default(),
        spark: spark(&goal.scores),
        verdicts: verdicts
            .iter()
            .rev()
            .take(IN_CELL)
            .rev()
            .map(|it| badge(it))
            .collect(),
        cost: usd(goal.usd()),
        cost_by: goal.usd(),
        took: lasted(&goal.created_at, end),
        took_by: took.map_or(0, |(end, from)| end - from),
        find: find(goal),
    }
}

/// What a goal is shown as: how it stands, and `complete` where that is how it ended.
pub(super) fn class(goal: &GoalReport) -> &'static str {
    match goal.status {
        Status::Complete => goal.status.name(),
        _ => goal.standing.name(),
    }
}

/// The mark of how a goal stands.
pub(super) fn mark(goal: &GoalReport) -> &'static str {
    use crate::domain::attention::Standing;
    match goal.standing {
        Standing::Waiting => "?",
        Standing::Contested => "≠",
        Standing::Blocked => "■",
        Standing::Auditing => "◆",
        Standing::Live => "▶",
        Standing::Stuck => "↻",
        Standing::Quiet => "●",
        Standing::Resting => "○",
        Standing::Ended if goal.status == Status::Complete => "✓",
        Standing::Ended => "✕",
    }
}

/// What a goal is found by: its title, owner and id, in lower case.
pub(super) fn find(goal: &GoalReport) -> String {
    let owner = goal.contract.owner.as_deref().unwrap_or_default();
    let all = format!("{} {owner} {}", goal.title, goal.goal_id);
    short(&all, CELL).to_lowercase()
}

pub(super) fn badge(audit: &AuditReport) -> Badge {
    Badge {
        class: verdict_class(audit),
        mark: verdict_mark(audit),
        word: verdict(audit),
        at: audit.ended_at.as_deref().map(clock).unwrap_or_default(),
    }
}

pub(super) fn verdict_class(audit: &AuditReport) -> &'static str {
    match audit.verdict {
        Some(Verdict::Approved) => "approved",
        Some(Verdict::Disapproved) => "objected",
        Some(Verdict::Error) => "error",
        None => "open",
    }
}

pub(super) fn verdict_mark(audit: &AuditReport) -> &'static str {
    match audit.verdict {
        Some(Verdict::Approved) => "✓",
        Some(Verdict::Disapproved) => "✕",
        Some(Verdict::Error) => "!",
        None => "…",
    }
}

fn spark(scores: &[ScoreReport]) -> Option<Spark> {
    let times: Vec<i64> = scores.iter().filter_map(|it| millis(&it.at)).collect();
    let (first, last) = (times.first()?, times.last()?);
    let whole = (last - first).max(1) as f64;
    let place = |at: i64, score: f64| {
        let x = match times.len() {
            1 => 42.0,
            _ => 4.0 + (at - first) as f64 / whole * 76.0,
        };
        // 0.95, from where completion is suggested, is at 3.7.
        (tenth(x), tenth(17.0 - score * 14.0))
    };
    let points: Vec<(f64, f64)> = scores
        .iter()
        .filter_map(|it| Some(place(millis(&it.at)?, f64::from(it.score))))
        .collect();
    let (x, y) = *points.last()?;
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    Some(Spark {
        points: points.join(" "),
        x,
        y,
    })
}

/// A place with one decimal.
pub(super) fn tenth(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// A time for machines; nothing where it is none.
pub(super) fn iso(at: &str) -> String {
    millis(at)
        .map(crate::domain::time::rfc3339)
        .unwrap_or_default()
}

fn owner(it: &OwnerReport, most: f64) -> Owner {
    Owner {
        owner: it
            .owner
            .as_deref()
            .map_or_else(|| "nobody".to_owned(), |it| short(it, CELL)),
        cost: usd(it.cost_usd),
        share: tenth(percent(it.cost_usd, most)),
        after: usd(it.cost_usd_after_objection),
        completed: it.completed,
        objections: it.objections,
    }
}

fn commit(it: &Commit) -> CommitRow {
    CommitRow {
        id: one_line(&it.id).chars().take(10).collect(),
        iso: iso(&it.at),
        at: moment(&it.at),
        author: short(&it.author, CELL),
        subject: short(&it.subject, CELL),
        insertions: it.insertions,
        deletions: it.deletions,
    }
}
