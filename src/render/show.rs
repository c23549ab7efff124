//! One goal in full, for a person. Stored text is always indented, so that none of it can pass
//! for a heading of ours.

mod history;

pub(super) use history::{standing, tree};

use crate::domain::actor::Actor;
use crate::domain::attention::{Need, NeedKind};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Keeper;
use crate::domain::id::GoalId;
use crate::render::audit::{completed, signed, unapproved, unattested};
use crate::render::columns::{BOLD, fit, padded, status, styled};
use crate::render::contract::{mode, texts};
use crate::render::cost::counters;
use crate::render::inbox::brief;
use crate::render::text::one_line;
use crate::render::view::{GoalView, RunView};
use crate::render::work::{holder, worked};

/// What is said while a planner is asked.
pub(super) const PLANNING: &str = "a planner is being asked";

/// Everything that the view holds, section by section; what is empty is left out. `now`, in
/// milliseconds, is for ages.
pub fn show(goal: &GoalView, now: i64) -> String {
    let mut text = format!("{}\n\n{}", head(goal), facts(goal, now));
    text.push_str(&contract(goal));
    text.push_str(&history::pause(goal));
    text.push_str(&history::audits(goal));
    text.push_str(&history::reviews(goal));
    text.push_str(&history::tasks(&goal.tasks));
    text.push_str(&history::progress(goal));
    text.push_str(&history::notes(goal));
    text.push_str(&history::events(goal));
    text
}

fn head(goal: &GoalView) -> String {
    let heading = styled(&fit(goal.heading(), 100), BOLD);
    let focused = if goal.focused { "  [focused]" } else { "" };
    format!(
        "{heading}\n{}  {}{focused}",
        goal.goal_id,
        status(goal.status)
    )
}

fn facts(goal: &GoalView, now: i64) -> String {
    let text = |text: &Option<String>| text.as_deref().map(one_line);
    let id = |id: &Option<GoalId>| id.as_ref().map(GoalId::to_string);
    let contract = &goal.contract;
    let kept = match goal.keeper {
        Keeper::Ours => None,
        Keeper::Theirs => Some("by another tool so far; the user's next act on it adopts it"),
        Keeper::Lost => Some("in a ledger that is missing: this is what its document says"),
    };
    let difficulty = contract.difficulty.map(|it| it.name().to_owned());
    let all = [
        ("completed", goal.audited.map(|how| completion(goal, how))),
        ("revision", goal.revision.map(|it| it.to_string())),
        ("created", Some(one_line(&goal.created_at))),
        ("updated", Some(one_line(&goal.updated_at))),
        ("ended", text(&goal.ended_at)),
        ("reason", text(&goal.end_reason)),
        ("mode", Some(mode(contract).to_owned())),
        ("category", text(&contract.category)),
        ("priority", contract.priority.map(|it| it.to_string())),
        ("difficulty", difficulty),
        ("owner", text(&contract.owner)),
        (
            "came from",
            goal.source.and_then(|it| it.said().map(str::to_owned)),
        ),
        ("part of", id(&goal.parent_goal_id)),
        ("returns to", id(&goal.returns_to)),
        ("like", id(&goal.like)),
        ("owed to", text(&goal.delegated_from)),
        ("handed on", handed_on(goal)),
        ("usage", usage(goal)),
        ("budget", budget(goal)),
        ("document", text(&goal.document)),
        ("worked by", goal.worker.as_ref().map(|it| worked(it, now))),
        ("run", goal.run.as_ref().map(RunView::said)),
        ("leased to", goal.lease.as_ref().map(|it| holder(it, now))),
        ("planning", goal.planning.then(|| PLANNING.to_owned())),
        ("kept", kept.map(str::to_owned)),
    ];
    let needs = needs(goal).map(|need| ("needs you", Some(brief(need))));
    let lines = needs
        .chain(all)
        .filter_map(|(name, value)| Some(format!("  {}{}\n", padded(name, 12), value?)));
    lines.collect()
}

/// How the goal came to be complete.
fn completion(goal: &GoalView, how: Audited) -> String {
    if how == Audited::None {
        return "outside the gate: no auditor's approval stands before the completion".to_owned();
    }
    if let Some(not) = unapproved(goal.signature) {
        return not.to_owned();
    }
    let how = completed(how, goal.approved_without_report);
    let signed = signed(goal.signature, goal.signer.as_deref());
    let remark = unattested(goal.attestation).map(|it| format!(", {it}"));
    format!("{how}{signed}{}", remark.unwrap_or_default())
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
            format!("{} {} of {}{over}", it.limit.name(), it.spent, it.most)
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

/// A heading and an indented text, after a blank line.
fn section(heading: &str, text: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!("  {line}"),
        })
        .collect();
    format!("\n{}\n{}\n", styled(heading, BOLD), lines.join("\n"))
}

/// ` by the user`, or nothing.
fn by(actor: Option<Actor>) -> String {
    actor.map_or_else(String::new, |actor| format!(" by the {actor}"))
}

/// What waits for the person about the goal, but for what the reason of its pause says already.
pub(super) fn needs(view: &GoalView) -> impl Iterator<Item = &Need> {
    let is_said = |kind| matches!(kind, NeedKind::Blocked | NeedKind::Budget);
    view.needs.iter().filter(move |it| !is_said(it.kind))
}

#[cfg(test)]
mod tests;
