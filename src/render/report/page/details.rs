//! One goal in full: its contract, tasks, scores, questions, audits, runs and notes.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::goal::state::Note;
use crate::domain::history::RunReport;
use crate::domain::objections::CameBack;
use crate::domain::report::{AuditReport, GoalReport, Report, TaskReport};
use crate::render::acted::acted;
use crate::render::amounts::{lasted, usd};
use crate::render::clock::{clock, moment};
use crate::render::contract::texts;
use crate::render::goal::{agreed_by, rests as rests_by, stands};
use crate::render::marks::of_task;
use crate::render::proof::completion;
use crate::render::report::page::anchor;
use crate::render::report::page::chart::chart;
use crate::render::report::page::room::Room;
use crate::render::report::page::tables::{badge, iso};
use crate::render::report::words::auditor;
use crate::render::text::{count, json_text, one_line, short};

/// The most tasks, audits, questions and runs of one goal, and the most bytes of their texts.
const TASKS: usize = 100;
const AUDITS: usize = 12;
const QUESTIONS: usize = 12;
const RUNS: usize = 8;
const REPORT: usize = 4000;
const TEXT: usize = 1500;
const LINE: usize = 300;

/// A part of a report; one that names a criterion that came back stands out.
#[derive(Debug, Serialize)]
struct Part {
    text: String,
    named: bool,
}

/// All that the page tells of a goal.
pub(super) fn details(goal: &GoalReport, report: &Report, room: &mut Room) -> Value {
    let contract = &goal.contract;
    let came_back = report.objections.iter();
    let came_back = came_back.filter(|it| it.goal_id == goal.goal_id);
    let came_back: Vec<&CameBack> = came_back.collect();
    let parts = texts(contract).into_iter();
    // The objective and the criteria stand above, the owner among the facts.
    let parts = parts.filter(|(label, _)| {
        !["Objective", "Success criteria", "Category", "Owner"].contains(&label.as_str())
    });
    let tasks = goal.tasks.iter().take(TASKS);
    let audits = goal.audits.iter().rev().take(AUDITS);
    let runs = goal.runs.iter().rev().take(RUNS);
    // In this order they take of the room that there is.
    context! {
        anchor => anchor(goal.goal_id.as_str()),
        id => goal.goal_id.to_string(),
        title => short(&goal.title, LINE),
        objective => room.take(&contract.objective, TEXT),
        facts => Serde(facts(goal, report)),
        rests => rests(goal, room),
        criteria => criteria(goal, room),
        contract => parts
            .map(|(label, text)| vec![label, room.take(&text, TEXT)])
            .collect::<Vec<_>>(),
        tasks => tasks.map(|it| task(it, room)).collect::<Vec<_>>(),
        tasks_more => more(goal.tasks.len(), TASKS, "task"),
        chart => chart(goal),
        questions => questions(goal, room),
        came_back => came_back.iter().map(|it| again(it)).collect::<Vec<_>>(),
        audits => audits.map(|it| audit(goal, it, &came_back, room)).collect::<Vec<_>>(),
        audits_more => more(goal.audits.len(), AUDITS, "earlier audit"),
        runs => runs.map(run).collect::<Vec<_>>(),
        notes => goal.notes.iter().map(|it| note(it, room)).collect::<Vec<_>>(),
    }
}

fn more(all: usize, shown: usize, noun: &str) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("And {}.", count(more as u64, noun)),
    }
}

fn facts(goal: &GoalReport, report: &Report) -> Vec<(&'static str, String)> {
    let contract = &goal.contract;
    let status = match &goal.proof {
        Some(proof) => format!(
            "complete, {}",
            completion(proof, false, goal.signer.as_deref())
        ),
        None => stands(goal.status, goal.standing),
    };
    let cost = match (goal.usd(), goal.cost.usd_after_objection) {
        (0.0, _) => None,
        (all, 0.0) => Some(usd(all)),
        (all, after) => Some(format!(
            "{} ({} after the first objection)",
            usd(all),
            usd(after)
        )),
    };
    let limits = goal.cost.limits.iter();
    let limits: Vec<String> = limits
        .map(|(limit, most)| format!("{limit} {most}"))
        .collect();
    let end = goal.ended_at.as_ref().unwrap_or(&report.window.to);
    let text = |text: &Option<String>| text.as_deref().map(|it| short(it, LINE));
    let difficulty = contract.difficulty.map(|it| it.name().to_owned());
    let parent = goal.parent_goal_id.as_ref().map(ToString::to_string);
    let agreed = goal.agreed_through.as_ref();
    let agreed = agreed.map(|it| agreed_by(it, moment));
    // What is empty is left out.
    let all = [
        ("stands", Some(status)),
        ("owner", text(&contract.owner)),
        ("worked on by", text(&goal.live)),
        ("created", Some(moment(&goal.created_at))),
        ("agreed", agreed),
        ("took", Some(lasted(&goal.created_at, end))),
        ("ended", goal.ended_at.as_deref().map(moment)),
        ("reason", text(&goal.end_reason)),
        ("cost", cost),
        ("limits", Some(limits.join(", "))),
        ("over its limits", goal.cost.over.as_deref().map(one_line)),
        ("priority", contract.priority.map(|it| it.to_string())),
        ("difficulty", difficulty),
        ("part of", parent),
    ];
    let all = all.into_iter();
    all.filter_map(|(name, value)| Some((name, value.filter(|it| !it.is_empty())?)))
        .collect()
}

fn rests(goal: &GoalReport, room: &mut Room) -> Option<String> {
    let pause = goal.pause.as_ref().filter(|_| goal.status.is_open())?;
    let reason = room.take(&pause.reason, TEXT);
    let suggested = pause.suggested_action.as_deref();
    let suggested = suggested.map(|it| format!("\nSuggested: {}", room.take(it, TEXT)));
    let suggested = suggested.unwrap_or_default();
    let heading = rests_by(goal.status, pause, moment);
    Some(format!("{heading}: {reason}{suggested}"))
}

fn criteria(goal: &GoalReport, room: &mut Room) -> Vec<Value> {
    let all = goal.contract.success_criteria.iter().enumerate();
    all.map(|(at, text)| {
        let named = goal.audits.iter().filter(|it| it.criteria.contains(&at));
        let named = named.count() as u64;
        context! {
            text => room.take(text, LINE),
            objections => (named > 0).then(|| count(named, "objection")),
        }
    })
    .collect()
}

fn task(it: &TaskReport, room: &mut Room) -> Value {
    let mark = of_task(it.status);
    context! {
        id => short(&it.id, 40),
        title => room.take(&one_line(&it.title), LINE),
        depth => it.depth.min(3),
        class => mark.tone.name(),
        mark => mark.mark,
        status => mark.word,
    }
}

fn questions(goal: &GoalReport, room: &mut Room) -> Vec<Value> {
    let latest = goal.questions.iter().rev().take(QUESTIONS);
    latest
        .map(|it| {
            let answer = it.answer.as_ref().map(json_text);
            let by = it
                .via
                .as_ref()
                .map(|via| format!(", by the {}", acted(Actor::User, Some(via))));
            let by = by.unwrap_or_default();
            context! {
                iso => iso(&it.at),
                at => moment(&it.at),
                question => room.take(&it.question, TEXT),
                answer => answer.map(|it| room.take(&it, TEXT)),
                answered => it.answered_at.as_deref().map(moment).unwrap_or_default() + &by,
            }
        })
        .collect()
}

fn note(it: &Note, room: &mut Room) -> Value {
    context! {
        iso => iso(&it.at),
        at => moment(&it.at),
        by => it.by.map(|by| acted(by, it.via.as_deref())).unwrap_or_default(),
        text => room.take(&it.text, LINE),
    }
}

fn again(it: &CameBack) -> Value {
    let when: Vec<String> = it.at.iter().map(|at| clock(at)).collect();
    context! {
        times => it.at.len(),
        about => short(it.about(), LINE),
        when => short(&when.join(", "), LINE),
    }
}

fn audit(goal: &GoalReport, it: &AuditReport, came_back: &[&CameBack], room: &mut Room) -> Value {
    let at = it.ended_at.as_ref().unwrap_or(&it.at);
    let mut by = Vec::new();
    if it.auditor.is_some() {
        let from = it.auditor_from.as_deref().map(one_line);
        let from = from.map(|from| format!(" (from the {from} configuration)"));
        by.push(format!("by {}{}", auditor(it), from.unwrap_or_default()));
    }
    let cause = it.cause.as_ref().map(|cause| one_line(cause.name()));
    by.extend(cause.map(|cause| format!("cause {cause}")));
    if let (Some(from), Some(to)) = (&it.started_at, &it.ended_at) {
        by.push(format!("took {}", lasted(from, to)));
    }
    if let Some(head) = &it.head {
        let dirty = match it.dirty {
            Some(true) => " and what was not committed",
            _ => "",
        };
        let head: String = one_line(head).chars().take(10).collect();
        by.push(format!("at commit {head}{dirty}"));
    }
    let claim = it.claim.as_deref().map(|claim| room.take(claim, TEXT));
    let evidence = it.evidence.iter().take(AUDITS);
    context! {
        verdict => badge(goal, it),
        iso => iso(at),
        at => moment(at),
        by => by.join(", "),
        claimed => match it.by {
            Some(by) => format!("the {} claimed:", acted(by, it.via.as_deref())),
            None => "claimed:".to_owned(),
        },
        claim => claim.unwrap_or_default(),
        evidence => evidence.map(|it| short(it, LINE)).collect::<Vec<_>>(),
        report => Serde(parts(&room.take(&it.report, REPORT), came_back)),
    }
}

/// A cleaned report in parts: those that name a criterion which came back, and the rest.
fn parts(report: &str, came_back: &[&CameBack]) -> Vec<Part> {
    let part = |text: &str, named| Part {
        text: text.to_owned(),
        named,
    };
    // Without cases of letters that change the number of bytes, so places are the same in both.
    let folded = report.to_ascii_lowercase();
    let found = came_back.iter().filter_map(|it| {
        let criterion = one_line(it.criterion.as_ref()?).to_ascii_lowercase();
        let at = folded.find(&criterion).filter(|_| !criterion.is_empty())?;
        Some((at, at + criterion.len()))
    });
    let mut found: Vec<(usize, usize)> = found.collect();
    found.sort_unstable();
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, to) in found {
        if at >= from {
            parts.push(part(&report[from..at], false));
            parts.push(part(&report[at..to], true));
            from = to;
        }
    }
    parts.push(part(&report[from..], false));
    parts.retain(|part| !part.text.is_empty());
    parts
}

fn run(it: &RunReport) -> String {
    let end = it.stopped_at.as_deref().map(moment);
    let cause = match (&it.cause, &it.running_on) {
        (Some(cause), _) => one_line(cause).replace('_', " "),
        (None, Some(heard)) => {
            let (place, at) = (one_line(&heard.place()), moment(&heard.last_heard));
            format!("{place}, last heard {at}")
        }
        (None, None) if it.live => "under way".to_owned(),
        (None, None) => "no end is on record".to_owned(),
    };
    format!(
        "{} to {}, {} with {}: {cause}",
        moment(&it.started_at),
        end.unwrap_or_else(|| "now".to_owned()),
        count(it.turns.len() as u64, "turn"),
        short(&it.agent, 80),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_that_came_back_stands_out_where_a_report_names_it() {
        let came_back = CameBack {
            goal_id: "a-1".parse().unwrap(),
            title: String::new(),
            criterion: Some("One Count".to_owned()),
            objection: String::new(),
            times: 2,
            at: Vec::new(),
            open: true,
            settled_at: None,
        };
        let parts = parts("é `one count` fails", &[&came_back]);
        let parts: Vec<(&str, bool)> = parts.iter().map(|it| (&*it.text, it.named)).collect();
        assert_eq!(
            parts,
            [("é `", false), ("one count", true), ("` fails", false)]
        );
    }
}
