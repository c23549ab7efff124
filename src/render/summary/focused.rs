//! The focused goal: what it is, how it stands, what happened to it last.

use crate::domain::actor::Actor;
use crate::domain::event::Payload;
use crate::domain::goal::row::questions;
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::task::question::Question;
use crate::domain::verdict::Verdict;
use crate::render::acted::acted;
use crate::render::audit::{unreported, with_cause};
use crate::render::clock::moment;
use crate::render::contest;
use crate::render::contract::mode;
use crate::render::notes;
use crate::render::review;
use crate::render::summary::Limits;
use crate::render::summary::budget::{Kept, List};
use crate::render::task::{Listed, brief, counted};
use crate::render::text::{bracketed, cut, quote, short};
use crate::render::view::RecentEvent;
use crate::render::view::TasksView;

/// Title, id, status and the other facts, in few lines.
pub(super) fn identity(goal: &Goal) -> String {
    let contract = &goal.contract;
    let mut facts = vec![
        format!("`{}`", goal.id),
        status(goal),
        mode(contract).to_owned(),
    ];
    facts.extend(contract.priority.map(|it| format!("priority {it}")));
    facts.extend(contract.difficulty.map(|it| it.name().to_owned()));
    let named = [("category", &contract.category), ("owner", &contract.owner)];
    facts.extend(named.iter().filter_map(|(name, value)| {
        let value = value.as_deref()?;
        Some(format!("{name} {}", short(value, 80)))
    }));
    facts.extend(
        goal.parent
            .as_ref()
            .map(|it| format!("part of goal `{it}`")),
    );
    let title = short(contract.heading(), 200);
    let facts = facts.join("; ");
    let kept = match goal.keeper {
        Keeper::Ours => "",
        Keeper::Theirs => "\n\nAnother tool keeps it so far; the user's next act on it adopts it.",
        Keeper::Lost => "\n\nIts ledger is missing: this is what its document says.",
    };
    format!("**{title}**\n\n{facts}{kept}")
}

fn status(goal: &Goal) -> String {
    let Some(pause) = &goal.pause else {
        return goal.status.name().to_owned();
    };
    let by = pause.by.map(|by| acted(by, pause.via.as_deref()));
    let by = by.unwrap_or_else(|| "another tool".to_owned());
    let at = pause.at.as_deref();
    let at = at.map_or_else(String::new, |at| format!(" since {}", minute(at)));
    format!("{}{at}, by {by}", goal.status.name())
}

/// A recorded time to the minute, in UTC; of bounded length where it is none.
pub(super) fn minute(at: &str) -> String {
    short(&moment(at), 40)
}

/// The latest verdict with its objections; nothing before the first audit.
pub(super) fn verdict(goal: &Goal) -> Option<String> {
    let result = goal.gate.result.as_ref()?;
    let cause = with_cause(result.cause.as_ref());
    let meaning = match result.verdict {
        Verdict::Approved => "",
        Verdict::Disapproved => " The goal stays open; the objections are:",
        Verdict::Error => " No verdict was reached; the goal stays open. The report:",
    };
    let how = unreported(result.verdict, &result.report);
    let head = format!(
        "{}{how}{cause}, {}.{meaning}",
        result.verdict,
        minute(&result.at)
    );
    Some(if result.report.trim().is_empty() {
        format!("{head}\n\n> (no report)")
    } else {
        format!("{head}\n\n{}", quote(&result.report))
    })
}

/// What the work waits for; nothing while it does not. A long reason leaves half of `most` bytes
/// to what is suggested.
pub(super) fn blocker(goal: &Goal, most: usize) -> Option<String> {
    let choice = contest::choice(goal);
    let Some(pause) = &goal.pause else {
        return choice;
    };
    let before = choice.map_or_else(String::new, |it| it + "\n\n");
    let reason = quote(&pause.reason);
    let Some(action) = &pause.suggested_action else {
        return Some(format!("{before}{reason}"));
    };
    let (reason, action) = (cut(&reason, most / 2), quote(action));
    Some(format!("{before}{reason}\n\nSuggested:\n\n{action}"))
}

/// The questions that wait for the user's answer; nothing when there are none.
pub(super) fn asked(goal: &Goal) -> Option<List> {
    let asked = questions(goal);
    let line = |it: &&Question| format!("- `{}`: {}", short(&it.id, 80), short(&it.question, 300));
    (!asked.is_empty()).then(|| List {
        heading: "### Asked of the user, and not answered yet",
        head: String::new(),
        total: asked.len() as u64,
        lines: asked.iter().map(line).collect(),
        kept: Kept::First,
    })
}

/// The next action that a note named.
pub(super) fn next_action(goal: &Goal) -> Option<String> {
    goal.next_action.as_deref().map(quote)
}

/// Most bytes of a note.
const NOTE: usize = 240;

/// The latest notes; nothing when there are none.
pub(super) fn notes(goal: &Goal) -> Option<List> {
    let latest = notes::latest(goal, NOTE).into_iter();
    let lines: Vec<String> = latest.map(|note| format!("- {note}")).collect();
    (!lines.is_empty()).then(|| List {
        heading: "### Latest notes",
        head: String::new(),
        total: lines.len() as u64,
        lines,
        kept: Kept::Last,
    })
}

/// The tasks; nothing when there are none.
pub(super) fn tasks(goal: &Goal) -> Option<List> {
    let tasks = &goal.tasks;
    let view = TasksView::of(tasks);
    let listed = match tasks.specs.is_empty() {
        true => Vec::new(),
        false => Listed::of(&view).tasks,
    };
    let total = view.count;
    if total == 0 {
        return None;
    }
    Some(List {
        heading: "### Tasks",
        head: format!("{}.\n\n", counted(&view)),
        total: match listed.is_empty() {
            true => 0,
            false => view.flat().len() as u64,
        },
        lines: listed
            .into_iter()
            .map(|(depth, task)| brief(depth, task))
            .collect(),
        kept: Kept::First,
    })
}

/// What reviewers said last; nothing when nobody did.
pub(super) fn reviews(goal: &Goal) -> Option<List> {
    let lines = review::lines(goal);
    (!lines.is_empty()).then(|| List {
        heading: "### Latest reviews",
        head: "Opinions to weigh; they decide nothing.\n\n".into(),
        total: lines.len() as u64,
        lines,
        kept: Kept::First,
    })
}

/// Whether an event is worth a line: it says something that the summary does not say elsewhere. What the work
/// cost is nothing to go on from.
pub fn tells(event: &RecentEvent) -> bool {
    let elsewhere = ["goal_focused", "goal_noted", "usage_recorded"];
    let elsewhere = elsewhere.contains(&event.name.as_str());
    !Payload::tells_nothing(&event.name) && !elsewhere
}

/// The latest events that are worth a line, oldest first.
pub(super) fn events(goal: &Goal, events: &[RecentEvent], options: &Limits) -> List {
    let telling = events.iter().enumerate().filter(|(_, it)| tells(it));
    let mut shown: Vec<_> = telling.rev().take(options.max_events).collect();
    shown.reverse();
    // What came before the first one that is shown.
    let first = shown.first().map_or(events.len(), |(at, _)| *at);
    let before = goal.events.max(events.len() as u64) - (events.len() - first) as u64;
    List {
        heading: "### Latest events",
        head: String::new(),
        total: before + shown.len() as u64,
        lines: shown.into_iter().map(|(_, it)| event(it)).collect(),
        kept: Kept::Last,
    }
}

fn event(event: &RecentEvent) -> String {
    let (at, name) = (minute(&event.at), short(&event.name, 60));
    let who = bracketed(event.by.map(Actor::name));
    match short(&event.summary, 120) {
        text if text.is_empty() => format!("- {at} {name}{who}"),
        text => format!("- {at} {name}{who}: {text}"),
    }
}
