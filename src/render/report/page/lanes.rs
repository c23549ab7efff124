//! The timeline: a lane for each goal on one axis of time. Positions are shares of the axis in
//! percent, as attributes of SVG, so the page needs no inline style.

use serde::Serialize;

use crate::domain::attention::Standing;
use crate::domain::report::{AuditReport, GoalReport, Report, Span, SpanKind};
use crate::domain::time::millis;
use crate::render::report::page::anchor;
use crate::render::report::page::axis::{Tick, Time};
use crate::render::report::page::tables::{class, find, mark, verdict_class, verdict_mark};
use crate::render::report::words::{clock, many, usd, verdict};
use crate::render::text::short;

/// The most bars and marks of one lane: a page with more says nothing more.
const BARS: usize = 80;
const MARKS: usize = 40;
/// The most commits on the axis.
const COMMITS: usize = 300;
/// Most bytes of a title.
const TITLE: usize = 80;

#[derive(Debug, Serialize)]
pub(super) struct Lanes {
    axis: Axis,
    legend: Vec<Legend>,
    groups: Vec<Group>,
}

#[derive(Debug, Serialize)]
struct Axis {
    ticks: Vec<Tick>,
    commits: Vec<CommitMark>,
}

#[derive(Debug, Serialize)]
struct CommitMark {
    x: f64,
    title: String,
}

#[derive(Debug, Serialize)]
struct Legend {
    class: &'static str,
    what: &'static str,
    mark: &'static str,
    y: u32,
    height: u32,
}

#[derive(Debug, Serialize)]
struct Group {
    title: &'static str,
    lanes: Vec<Lane>,
}

#[derive(Debug, Serialize)]
struct Lane {
    id: String,
    title: String,
    class: &'static str,
    mark: &'static str,
    needs: bool,
    live: bool,
    words: String,
    find: String,
    bars: Vec<Bar>,
    marks: Vec<Mark>,
}

#[derive(Debug, Serialize)]
struct Bar {
    class: &'static str,
    x: f64,
    width: String,
    y: u32,
    height: u32,
}

#[derive(Debug, Serialize)]
struct Mark {
    class: &'static str,
    mark: &'static str,
    x: f64,
    title: String,
}

impl Lanes {
    pub fn of(report: &Report) -> Lanes {
        let time = Time::of(report);
        let commits = report.commits.iter().take(COMMITS).filter_map(|it| {
            let title = format!("{} {}", clock(&it.at), short(&it.subject, TITLE));
            Some(CommitMark {
                x: time.inside(millis(&it.at)?)?,
                title,
            })
        });
        Lanes {
            axis: Axis {
                ticks: time.ticks(),
                commits: commits.collect(),
            },
            legend: legend(),
            groups: groups(report, time),
        }
    }
}

fn groups(report: &Report, time: Time) -> Vec<Group> {
    let needs = |goal: &GoalReport| {
        let id = Some(&goal.goal_id);
        report.needs.iter().any(|need| need.goal_id.as_ref() == id)
    };
    let mut groups: Vec<Group> = GROUPS
        .iter()
        .map(|(title, _)| Group {
            title,
            lanes: Vec::new(),
        })
        .collect();
    let mut goals: Vec<&GoalReport> = report.goals.iter().collect();
    // Those that ended last stand first; the others stay in order of creation.
    goals.sort_by(|a, b| b.ended_at.cmp(&a.ended_at));
    for goal in goals {
        let needs = needs(goal);
        let place = GROUPS.iter().position(|(_, standings)| match standings {
            [] => needs && goal.standing != Standing::Ended,
            standings => standings.contains(&goal.standing),
        });
        if let Some(group) = place.and_then(|place| groups.get_mut(place)) {
            group.lanes.push(lane(goal, needs, time));
        }
    }
    groups.retain(|group| !group.lanes.is_empty());
    groups
}

/// The groups in order, with the standings that belong to each; the first has what needs the person.
const GROUPS: [(&str, &[Standing]); 5] = [
    ("Goals that need you", &[]),
    (
        "Other goals that are worked on now",
        &[Standing::Live, Standing::Auditing],
    ),
    (
        "Other goals that nobody worked on lately",
        &[Standing::Quiet, Standing::Stuck],
    ),
    (
        "Other goals that rest",
        &[
            Standing::Resting,
            Standing::Blocked,
            Standing::Waiting,
            Standing::Contested,
        ],
    ),
    ("Ended", &[Standing::Ended]),
];

fn lane(goal: &GoalReport, needs: bool, time: Time) -> Lane {
    let title = short(&goal.title, TITLE);
    let objections = goal.objections() as u64;
    Lane {
        id: anchor(goal.goal_id.as_str()),
        words: format!(
            "{}, {}, {}",
            goal.standing,
            many(objections, "objection"),
            usd(goal.usd())
        ),
        class: class(goal),
        mark: mark(goal),
        needs,
        live: matches!(goal.standing, Standing::Live | Standing::Auditing),
        find: find(goal),
        bars: bars(goal, time),
        marks: marks(goal, time),
        title,
    }
}

fn bars(goal: &GoalReport, time: Time) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut push = |class, from: &str, to: Option<&str>, y, height| {
        let to = match to {
            Some(to) => millis(to),
            None => Some(time.to),
        };
        if let (Some(from), Some(to)) = (millis(from), to)
            && let Some((x, width)) = time.part(from, to)
        {
            bars.push(Bar {
                class,
                x,
                // What took a moment can still be seen.
                width: if width < 0.25 {
                    "3".to_owned()
                } else {
                    format!("{width}%")
                },
                y,
                height,
            });
        }
    };
    let ended = goal.ended_at.as_deref();
    for Span { kind, from, to } in &goal.spans {
        let (class, y, height) = match kind {
            SpanKind::Active => ("active", 10, 2),
            SpanKind::Paused => ("paused", 9, 4),
            SpanKind::Blocked => ("blocked", 8, 6),
        };
        push(class, from, to.as_deref(), y, height);
    }
    for question in &goal.questions {
        let to = question.answered_at.as_deref().or(ended);
        push("waiting", &question.at, to, 8, 6);
    }
    for run in &goal.runs {
        let to = run.stopped_at.as_deref().or(ended);
        push("run", &run.started_at, to, 17, 2);
    }
    for burst in &goal.work {
        push("work", &burst.from, Some(&burst.to), 8, 6);
    }
    for audit in &goal.audits {
        let from = audit.started_at.as_deref().unwrap_or(&audit.at);
        push("auditing", from, audit.ended_at.as_deref().or(ended), 7, 8);
    }
    bars.truncate(BARS);
    bars
}

fn marks(goal: &GoalReport, time: Time) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut push = |at: &str, class, mark, what: &str| {
        if let Some(x) = millis(at).and_then(|at| time.inside(at)) {
            let title = format!("{} {what}", clock(at));
            marks.push(Mark {
                class,
                mark,
                x,
                title,
            });
        }
    };
    for question in &goal.questions {
        push(&question.at, "asked", "?", "asked");
    }
    for escalated in &goal.escalations {
        push(&escalated.at, "escalated", "↥", "a new plan was called for");
    }
    for audit in goal.audits.iter().rev().take(MARKS).rev() {
        if let (
            Some(at),
            AuditReport {
                verdict: Some(_), ..
            },
        ) = (&audit.ended_at, audit)
        {
            push(
                at,
                verdict_class(audit),
                verdict_mark(audit),
                verdict(audit),
            );
        }
    }
    if let (Some(at), None) = (&goal.ended_at, goal.audited) {
        push(at, "given-up", "✕", goal.status.name());
    }
    marks.truncate(2 * MARKS);
    marks
}

fn legend() -> Vec<Legend> {
    let bar = |class, what, y, height| Legend {
        class,
        what,
        mark: "",
        y,
        height,
    };
    let mark = |class, mark, what| Legend {
        class,
        what,
        mark,
        y: 0,
        height: 0,
    };
    vec![
        bar("work", "an agent works", 4, 6),
        bar("active", "active, nobody works", 6, 2),
        bar("waiting", "waits for an answer", 4, 6),
        bar("blocked", "blocked", 4, 6),
        bar("paused", "paused", 5, 4),
        bar("auditing", "audit", 3, 8),
        bar("run", "a run", 6, 2),
        mark("objected", "✕", "objected"),
        mark("approved", "✓", "approved"),
        mark("error", "!", "no verdict"),
        mark("asked", "?", "asked"),
    ]
}
