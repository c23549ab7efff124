//! The tables: objections that came back, who approved what, all goals, cost, commits.

use minijinja::{Value, context};

use crate::domain::history::ScoreReport;
use crate::domain::objections::CameBack;
use crate::domain::report::{AuditReport, Commit, GoalReport, OwnerReport, Report};
use crate::domain::task::done::TasksDone;
use crate::domain::time::millis;
use crate::render::amounts::{lasted, usd};
use crate::render::clock::{clock, moment};
use crate::render::marks::{of_goal, of_judgement};
use crate::render::report::page::anchor;
use crate::render::report::words::{self, completed, first_line, is_proven, percent, when};
use crate::render::text::{count, one_line, short};

/// The most rows of each table but that of the goals.
const ROWS: usize = 200;
/// Most bytes of a cell, and the most pieces of evidence and verdicts in one.
const CELL: usize = 160;
const IN_CELL: usize = 8;

/// All of them.
pub(super) fn tables(report: &Report) -> Value {
    let costs = report.owners.iter().map(|it| it.cost_usd);
    let most = costs.fold(0.0, f64::max);
    let objections = report.objections.iter().take(ROWS);
    let approvals = completed(report).into_iter().take(ROWS);
    let owners = report.owners.iter().take(ROWS);
    let commits = report.commits.iter().take(ROWS);
    context! {
        objections => objections.map(|it| objection(it, report)).collect::<Vec<_>>(),
        approvals => approvals.map(|it| approval(it, report)).collect::<Vec<_>>(),
        heads => heads(),
        rows => rows(report),
        goals_more => match report.left_out.too_many {
            0 => String::new(),
            more => format!(
                "{} that are open or changed in this time are not told of one by one: \
                 `goal list --all` has them, `goal report --all` tells of them.",
                count(more, "more goal")
            ),
        },
        owners => owners.map(|it| owner(it, most)).collect::<Vec<_>>(),
        commits => commits.map(commit).collect::<Vec<_>>(),
        commits_all => report.figures.commits,
    }
}

fn objection(it: &CameBack, report: &Report) -> Value {
    let times = it.at.iter().rev().take(IN_CELL).rev();
    let times: Vec<String> = times.map(|at| when(at, report)).collect();
    context! {
        times => it.at.len(),
        about => short(it.about(), CELL),
        goal => anchor(it.goal_id.as_str()),
        title => short(&it.title, CELL),
        when => times.join(", "),
        settled => it.settled_at.as_deref().map(|at| when(at, report)),
    }
}

fn approval(goal: &GoalReport, report: &Report) -> Value {
    let ended = goal.ended_at.clone().unwrap_or_default();
    let audit = goal.audits.last().filter(|_| is_proven(goal));
    let evidence = audit.into_iter().flat_map(|it| &it.evidence).take(IN_CELL);
    let said = audit.map(|it| short(&first_line(&it.report), CELL));
    let from = audit.and_then(|it| it.auditor_from.as_deref());
    context! {
        at => when(&ended, report),
        iso => iso(&ended),
        goal => anchor(goal.goal_id.as_str()),
        title => short(&goal.title, CELL),
        by => words::approval(goal),
        proven => is_proven(goal),
        from => from.map(one_line),
        evidence => evidence.map(|it| short(it, CELL)).collect::<Vec<_>>(),
        said => said.unwrap_or_default(),
        audits => goal.audits.len(),
    }
}

fn heads() -> Vec<Value> {
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
    let heads = names.into_iter();
    heads.map(|(name, num)| context! { name, num }).collect()
}

/// What waits first and what has ended last, otherwise in order of creation.
fn rows(report: &Report) -> Vec<Value> {
    let mut goals: Vec<&GoalReport> = report.goals.iter().collect();
    goals.sort_by_key(|goal| goal.standing as u8);
    goals.into_iter().map(|goal| row(goal, report)).collect()
}

fn row(goal: &GoalReport, report: &Report) -> Value {
    let mark = of_goal(goal.standing, goal.status);
    let TasksDone { done, all: tasks } = goal.tasks_done;
    let end = goal.ended_at.as_ref().unwrap_or(&report.window.to);
    let took = millis(end).zip(millis(&goal.created_at));
    let latest = goal.scores.last().map(|it| f64::from(it.score));
    let scores = goal.scores.iter().rev().take(IN_CELL).rev();
    let scores: Vec<String> = scores
        .map(|it| format!("{:.2}", f64::from(it.score)))
        .collect();
    let verdicts = goal.audits.iter().rev().filter(|it| it.verdict.is_some());
    let verdicts = verdicts.take(IN_CELL).map(|it| badge(goal, it));
    let mut verdicts: Vec<Value> = verdicts.collect();
    verdicts.reverse();
    let owner = goal.contract.owner.as_deref().map(|it| short(it, CELL));
    context! {
        id => anchor(goal.goal_id.as_str()),
        title => short(&goal.title, CELL),
        standing => mark.word,
        class => mark.tone.name(),
        mark => mark.mark,
        // By which the column of standings is sorted.
        order => goal.standing as u8,
        owner => owner.unwrap_or_default(),
        tasks => match tasks {
            0 => String::new(),
            tasks => format!("{done}/{tasks}"),
        },
        tasks_by => tasks - done,
        scores => format!("scores {}", scores.join(", ")),
        score_by => latest.unwrap_or_default(),
        spark => spark(&goal.scores),
        verdicts,
        cost => usd(goal.usd()),
        cost_by => goal.usd(),
        took => lasted(&goal.created_at, end),
        took_by => took.map_or(0, |(end, from)| end - from),
        find => find(goal),
    }
}

/// What a goal is found by: its title, owner and id, in lower case.
pub(super) fn find(goal: &GoalReport) -> String {
    let owner = goal.contract.owner.as_deref().unwrap_or_default();
    let all = format!("{} {owner} {}", goal.title, goal.goal_id);
    short(&all, CELL).to_lowercase()
}

/// A verdict as a badge.
pub(super) fn badge(goal: &GoalReport, audit: &AuditReport) -> Value {
    let verdict = of_judgement(audit.verdict, goal.proof.as_ref());
    context! {
        class => verdict.tone.name(),
        mark => verdict.mark,
        word => verdict.word,
        at => audit.ended_at.as_deref().map(clock).unwrap_or_default(),
    }
}

/// Scores as a small curve of 84 by 20.
fn spark(scores: &[ScoreReport]) -> Option<Value> {
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
    Some(context! { points => points.join(" "), x, y })
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

fn owner(it: &OwnerReport, most: f64) -> Value {
    let owner = it.owner.as_deref().map(|it| short(it, CELL));
    context! {
        owner => owner.unwrap_or_else(|| "nobody".to_owned()),
        cost => usd(it.cost_usd),
        share => tenth(percent(it.cost_usd, most)),
        after => usd(it.cost_usd_after_objection),
        completed => it.completed,
        objections => it.objections,
    }
}

fn commit(it: &Commit) -> Value {
    context! {
        id => one_line(&it.id).chars().take(10).collect::<String>(),
        iso => iso(&it.at),
        at => moment(&it.at),
        author => short(&it.author, CELL),
        subject => short(&it.subject, CELL),
        insertions => it.insertions,
        deletions => it.deletions,
    }
}
