//! The timeline: a lane for each goal on one axis of time. Positions are shares of the axis in
//! percent, as attributes of SVG, so the page needs no inline style.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::domain::attention::{NeedKind, Standing};
use crate::domain::history::{Span, SpanKind};
use crate::domain::report::{GoalReport, Report};
use crate::domain::time::millis;
use crate::domain::verdict::Verdict;
use crate::render::amounts::usd;
use crate::render::clock::clock;
use crate::render::marks::{Mark, Tone, of_goal, of_judgement, of_need, of_verdict};
use crate::render::report::page::anchor;
use crate::render::report::page::axis::{Time, rounded};
use crate::render::report::page::tables::find;
use crate::render::text::{count, short};

/// The most bars and marks of one lane: a page with more says nothing more.
const BARS: usize = 80;
const MARKS: usize = 40;
/// The most commits on the axis.
const COMMITS: usize = 300;
/// Most bytes of a title.
const TITLE: usize = 80;

/// The axis, what its marks mean, and the lanes in groups.
pub(super) fn lanes(report: &Report) -> Value {
    let time = Time::of(report);
    let commits = report.commits.iter().take(COMMITS).filter_map(|it| {
        let title = format!("{} {}", clock(&it.at), short(&it.subject, TITLE));
        Some(context! { x => time.inside(millis(&it.at)?)?, title })
    });
    let commits: Vec<Value> = commits.collect();
    context! {
        axis => context! { ticks => Serde(time.ticks()), commits },
        legend => legend(),
        groups => groups(report, time),
    }
}

fn groups(report: &Report, time: Time) -> Vec<Value> {
    let needs = |goal: &GoalReport| {
        let id = Some(&goal.goal_id);
        report.needs.iter().any(|need| need.goal_id.as_ref() == id)
    };
    let mut lanes: [Vec<Value>; GROUPS.len()] = Default::default();
    let mut goals: Vec<&GoalReport> = report.goals.iter().collect();
    // Those that ended last stand first; the others stay in order of creation.
    goals.sort_by(|a, b| b.ended_at.cmp(&a.ended_at));
    for goal in goals {
        let needs = needs(goal);
        let place = GROUPS.iter().position(|(_, standings)| match standings {
            [] => needs && goal.standing != Standing::Ended,
            standings => standings.contains(&goal.standing),
        });
        if let Some(place) = place {
            lanes[place].push(lane(goal, needs, time));
        }
    }
    let groups = GROUPS.iter().zip(lanes);
    groups
        .filter(|(_, lanes)| !lanes.is_empty())
        .map(|((title, _), lanes)| context! { title => *title, lanes })
        .collect()
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

fn lane(goal: &GoalReport, needs: bool, time: Time) -> Value {
    let mark = of_goal(goal.standing, goal.status);
    let objections = count(goal.objections() as u64, "objection");
    context! {
        id => anchor(goal.goal_id.as_str()),
        words => format!("{}, {objections}, {}", goal.standing, usd(goal.usd())),
        class => mark.tone.name(),
        mark => mark.mark,
        needs,
        live => matches!(goal.standing, Standing::Live | Standing::Auditing),
        find => find(goal),
        bars => bars(goal, time),
        marks => marks(goal, time),
        title => short(&goal.title, TITLE),
    }
}

fn bars(goal: &GoalReport, time: Time) -> Vec<Value> {
    let mut bars = Vec::new();
    let mut push = |class: &str, from: &str, to: Option<&str>, y: u32, height: u32| {
        let to = match to {
            Some(to) => millis(to),
            None => Some(time.to),
        };
        if let (Some(from), Some(to)) = (millis(from), to)
            && let Some((x, width)) = time.part(from, to)
        {
            // What took a moment can still be seen.
            let width = match width < 0.25 {
                true => "3".to_owned(),
                false => format!("{width}%"),
            };
            bars.push(context! { class, x, width, y, height });
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
        // One whose process is gone does not go on.
        let is_over = matches!(
            goal.standing,
            Standing::Live | Standing::Stuck | Standing::Quiet
        );
        let to = audit.ended_at.as_deref().or(ended);
        push("auditing", from, to.or(is_over.then_some(from)), 7, 8);
    }
    bars.truncate(BARS);
    bars
}

fn marks(goal: &GoalReport, time: Time) -> Vec<Value> {
    let mut marks: Vec<(f64, String, Mark)> = Vec::new();
    let mut push = |at: &str, mark: Mark| {
        if let Some(x) = millis(at).and_then(|at| time.inside(at)) {
            marks.push((x, format!("{} {}", clock(at), mark.word), mark));
        }
    };
    for question in &goal.questions {
        push(&question.at, of_need(NeedKind::Question));
    }
    for escalated in &goal.escalations {
        push(&escalated.at, ESCALATED);
    }
    for audit in goal.audits.iter().rev().take(MARKS).rev() {
        if let (Some(at), Some(_)) = (&audit.ended_at, audit.verdict) {
            push(at, of_judgement(audit.verdict, goal.proof.as_ref()));
        }
    }
    if let (Some(at), None) = (&goal.ended_at, goal.audited) {
        push(at, of_goal(goal.standing, goal.status));
    }
    marks.truncate(2 * MARKS);
    marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let places = apart(marks.iter().map(|it| it.0).collect(), APART, 100.0);
    let marks = marks.into_iter().zip(places);
    marks
        .map(|((_, title, Mark { mark, tone, .. }), x)| context! { class => tone.name(), mark, x, title })
        .collect()
}

/// The least share of the axis between two marks of a lane, in percent: each can be read on a phone.
const APART: f64 = 2.6;

/// Places in ascending order, moved to be so far from each other, and none behind the last that there
/// is: marks of one moment stand side by side.
pub(super) fn apart(mut places: Vec<f64>, least: f64, last: f64) -> Vec<f64> {
    let least = least.min(last / places.len().max(1) as f64);
    let mut free = f64::MIN;
    for place in &mut places {
        *place = place.max(free);
        free = *place + least;
    }
    let mut most = last;
    for place in places.iter_mut().rev() {
        *place = rounded(place.min(most));
        most = *place - least;
    }
    places
}

/// Of a call for a new plan.
const ESCALATED: Mark = Mark {
    mark: "↥",
    word: "a new plan was called for",
    tone: Tone::Calm,
};

fn legend() -> Vec<Value> {
    let bar = |class: &str, what: &str, y: u32, height: u32| context! { class, what, y, height };
    let mark = |it: Mark| context! { class => it.tone.name(), what => it.word, mark => it.mark };
    vec![
        bar("work", "an agent works", 4, 6),
        bar("active", "active, nobody works", 6, 2),
        bar("waiting", "waits for an answer", 4, 6),
        bar("blocked", "blocked", 4, 6),
        bar("paused", "paused", 5, 4),
        bar("auditing", "audit", 3, 8),
        bar("run", "a run", 6, 2),
        mark(of_verdict(Some(Verdict::Disapproved))),
        mark(of_verdict(Some(Verdict::Approved))),
        mark(of_verdict(Some(Verdict::Error))),
        mark(of_need(NeedKind::Question)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_one_moment_stand_beside_each_other() {
        assert_eq!(apart(vec![10.0, 50.0], APART, 100.0), [10.0, 50.0]);
        assert_eq!(
            apart(vec![10.0, 10.0, 11.0], APART, 100.0),
            [10.0, 12.6, 15.2]
        );
        assert_eq!(
            apart(vec![99.0, 99.5, 100.0], APART, 100.0),
            [94.8, 97.4, 100.0]
        );
        let many = apart(vec![100.0; 80], APART, 100.0);
        assert!(many.iter().all(|place| (-0.01..=100.0).contains(place)));
        assert!(apart(Vec::new(), APART, 100.0).is_empty());
    }
}
