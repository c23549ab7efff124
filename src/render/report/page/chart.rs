//! Scores over time, with the audits between them.

use minijinja::{Value, context};

use crate::domain::actor::Actor;
use crate::domain::history::ScoreReport;
use crate::domain::report::{AuditReport, GoalReport};
use crate::domain::time::{millis, rfc3339};
use crate::render::acted::acted;
use crate::render::clock::{clock, moment};
use crate::render::marks::of_judgement;
use crate::render::report::page::lanes::apart;
use crate::render::report::page::tables::tenth;
use crate::render::text::short;

/// How far the marks of two audits are apart at least.
const MARK: f64 = 10.0;
/// Most bytes of what an evaluation said.
const LINE: usize = 300;

/// The chart of a goal with at least two scores, 560 by 130.
pub(super) fn chart(goal: &GoalReport) -> Option<Value> {
    let at = |it: &str| millis(it);
    let scores: Vec<(i64, f64, &ScoreReport)> = goal
        .scores
        .iter()
        .filter_map(|it| Some((at(&it.at)?, f64::from(it.score), it)))
        .collect();
    if scores.len() < 2 {
        return None;
    }
    let first = at(&goal.created_at)
        .into_iter()
        .chain(scores.iter().map(|it| it.0))
        .min()?;
    let audits = goal
        .audits
        .iter()
        .filter_map(|it| Some((at(it.ended_at.as_ref()?)?, it)));
    let mut audits: Vec<(i64, &AuditReport)> = audits.collect();
    let last = audits
        .iter()
        .map(|it| it.0)
        .chain(scores.iter().map(|it| it.0))
        .max()?;
    let x = |at: i64| tenth(34.0 + (at - first) as f64 / (last - first).max(1) as f64 * 518.0);
    let y = |score: f64| tenth(8.0 + (1.0 - score) * 96.0);
    let points: Vec<String> = scores
        .iter()
        .map(|it| format!("{},{}", x(it.0), y(it.1)))
        .collect();
    let words: Vec<String> = scores.iter().map(|it| format!("{:.2}", it.1)).collect();
    let grid = |class: &str, score, label: &str| context! { class, y => y(score), label };
    audits.sort_by_key(|it| it.0);
    let places = apart(audits.iter().map(|it| x(it.0)).collect(), MARK, 552.0);
    let mark = |((at, it), place): (&(i64, &AuditReport), f64)| {
        let mark = of_judgement(it.verdict, goal.proof.as_ref());
        context! { x => x(*at), place, class => mark.tone.name(), mark => mark.mark }
    };
    let dot = |(at, score, it): &(i64, f64, &ScoreReport)| {
        let via = it.via.as_deref();
        let by = via.map(|_| format!(" by the {}", acted(Actor::User, via)));
        let (time, by, gap) = (
            clock(&rfc3339(*at)),
            by.unwrap_or_default(),
            &it.gap_analysis,
        );
        let title = format!("{time} {score:.2}{by}: {}", short(gap, LINE));
        context! { x => x(*at), y => y(*score), title }
    };
    Some(context! {
        words => format!("scores {}", words.join(", ")),
        grid => vec![
            grid("", 0.0, "0"),
            grid("", 0.5, "0.5"),
            grid("aim", 0.95, "0.95"),
        ],
        audits => audits.iter().zip(places).map(mark).collect::<Vec<_>>(),
        points => points.join(" "),
        dots => scores.iter().map(dot).collect::<Vec<_>>(),
        from => moment(&rfc3339(first)),
        to => moment(&rfc3339(last)),
    })
}
