//! One goal in full, for a person. Stored text is always indented, so that none of it can pass
//! for a heading of ours.

mod history;

pub(super) use history::{standing, tree};

use crate::domain::actor::Actor;
use crate::domain::attention::{Need, NeedKind, Standing};
use crate::domain::cost::amount::shown;
use crate::domain::goal::state::Keeper;
use crate::domain::id::GoalId;
use crate::domain::proof::Proof;
use crate::domain::select::MOST_SHOWN;
use crate::render::acted::acted;
use crate::render::clock::Clock;
use crate::render::columns::{BOLD, HEADING, fit, padded, sealed, status, styled, within};
use crate::render::contract::{mode, texts};
use crate::render::cost::counters;
use crate::render::inbox::brief;
use crate::render::proof::{completion, help};
use crate::render::text::one_line;
use crate::render::view::GoalView;
use crate::render::work::{holder, worked};

/// What is said while a planner is asked.
pub(super) const PLANNING: &str = "a planner is being asked";

/// Everything that the view holds, in the order in which a person asks: how it stands and what waits,
/// what happened last, what it is about, what is done of it, what was said of it, and what it cost. What is
/// empty is left out. No line is wider than so many columns, where these are known, but a word that is.
pub fn show(goal: &GoalView, clock: Clock<'_>, columns: Option<usize>) -> String {
    let mut text = format!("{}\n\n{}", head(goal, columns), stands(goal, clock));
    text.push_str(&history::pause(goal, clock));
    text.push_str(&history::events(goal, clock, columns));
    text.push_str(&contract(goal));
    text.push_str(&history::tasks(&goal.tasks));
    text.push_str(&history::notes(goal, clock));
    text.push_str(&history::audits(goal, clock));
    text.push_str(&history::reviews(goal, clock));
    text.push_str(&history::progress(goal, clock));
    let rest = facts(rest(goal));
    if !rest.is_empty() {
        text.extend(["\n", &rest]);
    }
    match columns {
        Some(columns) => within(&text, columns),
        None => text,
    }
}

fn head(goal: &GoalView, columns: Option<usize>) -> String {
    let most = columns.unwrap_or(HEADING).min(HEADING);
    let heading = styled(&sealed(&fit(goal.heading(), most)), BOLD);
    let focused = if goal.focused { "  [focused]" } else { "" };
    // Where its name says no more than the status it is left out.
    let standing = match goal.standing {
        Standing::Ended | Standing::Resting | Standing::Blocked => String::new(),
        standing => format!(", {standing}"),
    };
    format!(
        "{heading}\n{}  {}{standing}{focused}",
        goal.goal_id,
        status(goal.status)
    )
}

type Facts = Vec<(&'static str, Option<String>)>;

/// Those of the facts that there are, a line each.
fn facts(all: Facts) -> String {
    let lines = all
        .into_iter()
        .filter_map(|(name, value)| Some(format!("  {}{}\n", padded(name, 12), value?)));
    lines.collect()
}

/// What waits about it, who works on it, how it came to stand so.
fn stands(goal: &GoalView, clock: Clock<'_>) -> String {
    let now = clock.now;
    let kept = match goal.keeper {
        Keeper::Ours => None,
        Keeper::Theirs => Some("by another tool so far; the user's next act on it adopts it"),
        Keeper::Lost => Some("in a ledger that is missing: this is what its document says"),
    };
    let ended = goal.ended_at.as_deref().map(|at| clock.time(at));
    let agreed = goal.agreed_through.as_ref().map(|it| {
        let user = acted(Actor::User, Some(&it.via));
        format!("by the {user}, {}", clock.time(&it.at))
    });
    let (needs, more) = needs(goal);
    let needs = needs.iter().map(|need| ("needs you", Some(brief(need))));
    let all = [
        (
            "completed",
            goal.proof.as_ref().map(|proof| completed(goal, proof)),
        ),
        ("ended", ended),
        ("reason", goal.end_reason.as_deref().map(one_line)),
        ("worked by", goal.worker.as_ref().map(|it| worked(it, now))),
        ("run", goal.run.as_ref().map(|it| it.said(now))),
        ("leased to", goal.lease.as_ref().map(|it| holder(it, now))),
        ("planning", goal.planning.then(|| PLANNING.to_owned())),
        ("updated", Some(clock.time(&goal.updated_at))),
        ("created", Some(clock.time(&goal.created_at))),
        ("agreed", agreed),
        ("kept", kept.map(str::to_owned)),
    ];
    facts(needs.chain([("needs you", more)]).chain(all).collect())
}

/// What else is known of it: its place among goals, what it cost, where it is.
fn rest(goal: &GoalView) -> Facts {
    let text = |text: &Option<String>| text.as_deref().map(one_line);
    let id = |id: &Option<GoalId>| id.as_ref().map(GoalId::to_string);
    let contract = &goal.contract;
    let came_from = goal.source.and_then(|it| it.said().map(str::to_owned));
    vec![
        ("owner", text(&contract.owner)),
        ("priority", contract.priority.map(|it| it.to_string())),
        ("category", text(&contract.category)),
        (
            "difficulty",
            contract.difficulty.map(|it| it.name().to_owned()),
        ),
        ("mode", Some(mode(contract).to_owned())),
        ("came from", came_from),
        ("part of", id(&goal.parent_goal_id)),
        ("returns to", id(&goal.returns_to)),
        ("like", id(&goal.like)),
        ("owed to", text(&goal.delegated_from)),
        ("handed on", handed_on(goal)),
        ("usage", usage(goal)),
        ("budget", budget(goal)),
        ("document", text(&goal.document)),
        ("revision", goal.revision.map(|it| it.to_string())),
    ]
}

/// What its completion is worth here, and the command that helps where it is not proven.
fn completed(goal: &GoalView, proof: &Proof) -> String {
    let said = completion(proof, goal.approved_without_report, goal.signer.as_deref());
    match help(proof) {
        Some(command) => format!("{said}; `{command}` accepts it"),
        None => said,
    }
}

fn handed_on(goal: &GoalView) -> Option<String> {
    let all = goal.delegated.iter();
    let all: Vec<String> = all
        .map(|it| format!("{} to {}", it.goal_id, one_line(&it.to)))
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn usage(goal: &GoalView) -> Option<String> {
    (!goal.usage.is_empty()).then(|| counters(&goal.usage))
}

fn budget(goal: &GoalView) -> Option<String> {
    let all = goal.budget.iter();
    let all: Vec<String> = all
        .map(|it| {
            let over = if it.over { " (over)" } else { "" };
            let (spent, most) = (shown(it.spent), shown(it.most));
            format!("{} {spent} of {most}{over}", it.limit.name())
        })
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn contract(goal: &GoalView) -> String {
    let unknown = match goal.contract.objective.is_empty() {
        true => section("Objective", "Unknown: no line of the ledger records it."),
        false => String::new(),
    };
    // Category and owner stand among the facts.
    let texts = texts(&goal.contract).into_iter();
    let texts = texts.filter(|(label, _)| label != "Category" && label != "Owner");
    let texts = texts.map(|(label, text)| section(&label, &text));
    unknown + &texts.collect::<String>()
}

/// How far in the text below a heading stands.
const INDENT: usize = 2;

/// A heading and an indented text, after a blank line.
fn section(heading: &str, text: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!("{:INDENT$}{line}", ""),
        })
        .collect();
    format!("\n{}\n{}\n", styled(heading, BOLD), lines.join("\n"))
}

/// ` by the user`, or nothing.
fn by(actor: Option<Actor>) -> String {
    actor.map_or_else(String::new, |actor| format!(" by the {actor}"))
}

/// What waits for the person about the goal, but for what the reason of its pause says already; and
/// that there is more, where that is not all.
pub(super) fn needs(view: &GoalView) -> (Vec<Need>, Option<String>) {
    let is_said = |kind| matches!(kind, NeedKind::Blocked | NeedKind::Budget);
    let mut needs = view.needs.iter().filter(move |it| !is_said(it.kind));
    let shown = needs.by_ref().take(MOST_SHOWN).collect();
    let more = match needs.count() {
        0 => None,
        more => Some(format!("… and {more} more: `goal inbox` shows them")),
    };
    (shown, more)
}

#[cfg(test)]
mod tests;
