//! How the project stands, in a few lines.

use std::collections::BTreeMap;

use crate::domain::attention::Standing;
use crate::domain::cost::state::{SECONDS, TOKENS_IN, TOKENS_OUT};
use crate::domain::diagnostic::Severity;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Status;
use crate::domain::select::MOST_SHOWN;
use crate::render::amounts::spent_seconds;
use crate::render::clock::Clock;
use crate::render::columns::{BAD, BOLD, DIM, fit, styled, width};
use crate::render::goal::{Detail, Reader, blocks, brief};
use crate::render::inbox::{counted, standings};
use crate::render::list::{counts, no_goals};
use crate::render::marks::of_goal;
use crate::render::sync::{self, RemoteStanding};
use crate::render::text::{count, one_line};
use crate::render::view::GoalView;

/// What the text is made of.
#[derive(Debug, Clone, Copy)]
pub struct StatusInput<'a> {
    /// Absolute path of the project.
    pub root: &'a str,
    /// The goal that is told of: the named one, else the focused one.
    pub goal: Option<&'a GoalView>,
    pub counts: &'a BTreeMap<Status, u64>,
    pub drafts: &'a [Draft],
    /// How many things wait for the person.
    pub waiting: u64,
    pub standings: &'a BTreeMap<Standing, u64>,
    /// How many findings of each severity reading made.
    pub findings: &'a BTreeMap<Severity, u64>,
    /// How the ledger stands with the remotes that it is synced with.
    pub remotes: &'a [RemoteStanding],
    pub clock: Clock<'a>,
    /// The caller's own session, of which it need not be told.
    pub session: Option<&'a str>,
    /// The project had a ledger, which is not here.
    pub lost: bool,
}

/// The focused goal with what it waits for, the counts, the drafts, and what is wrong.
pub fn status(input: &StatusInput<'_>) -> String {
    let mut text = format!("{}\n\n", styled(&one_line(input.root), DIM));
    match input.goal {
        Some(view) => {
            let reader = Reader {
                session: input.session,
                ..Reader::of(Detail::Brief, input.clock)
            };
            text.push_str(&brief(&blocks(view, reader)));
        }
        None => text.push_str(unfocused(input)),
    }
    if !input.counts.is_empty() {
        text.push_str(&format!("\n{}\n", counts(input.counts)));
    }
    if let Some(standings) = standings(input.standings) {
        text.push_str(&format!("Open goals: {standings}.\n"));
    }
    // What is proposed is among what needs the person.
    let discussed = || input.drafts.iter().filter(|it| it.proposal.is_none());
    let drafts = discussed().count();
    if drafts > 0 {
        let counted = count(drafts as u64, "draft");
        text.push_str(&format!("\n{counted} without a proposal:\n"));
        text.extend(discussed().take(MOST_SHOWN).map(draft));
        let more = drafts.saturating_sub(MOST_SHOWN);
        if more > 0 {
            text.push_str(&format!(
                "  … and {more} more: `goal draft --list` shows them\n"
            ));
        }
    }
    let unsynced = input.remotes.iter().filter(|it| it.is_behind());
    let unsynced = unsynced.map(|it| format!("\n{}\n", sync::standing(it, input.clock.now)));
    text.extend(unsynced);
    let found: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning")]
        .into_iter()
        .filter_map(|(severity, noun)| Some(count(*input.findings.get(&severity)?, noun)))
        .collect();
    if !found.is_empty() {
        let found = format!("{} found; see `goal doctor`", found.join(" and "));
        text.push_str(&format!("\n{}\n", styled(&found, BAD)));
    }
    if input.waiting > 0 {
        let counted = format!("{}: `goal inbox`", counted(input.waiting));
        text.push_str(&format!("\n{}\n", styled(&counted, BOLD)));
    }
    text
}

/// The widest that [`line()`] is, in columns.
const WIDEST: usize = 80;

/// The same in one line of at most 80 columns, for a host's status line: how the goal stands, how long it was worked on,
/// what that took, what waits, and its title. Empty where there is nothing to say.
pub fn line(input: &StatusInput<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(view) = input.goal {
        let mark = of_goal(view.standing, view.status);
        parts.push(format!("{} {}", mark.mark, status_words(view)));
        if let Some(seconds) = view.usage.get(SECONDS) {
            parts.push(spent_seconds(*seconds));
        }
        let tokens = [TOKENS_IN, TOKENS_OUT].map(|it| view.usage.get(it).copied());
        if tokens.iter().any(Option::is_some) {
            let tokens = short_number(tokens.iter().flatten().sum());
            let word = if tokens == "1" { "token" } else { "tokens" };
            parts.push(format!("{tokens} {word}"));
        }
    }
    match input.waiting {
        0 => {}
        1 => parts.push("1 waits for you".to_owned()),
        many => parts.push(format!("{many} wait for you")),
    }
    if parts.is_empty() {
        return String::new();
    }
    let said = format!("goal: {}", parts.join("  "));
    let room = WIDEST.saturating_sub(width(&said) + 2);
    let title = input.goal.map(|view| fit(view.contract.heading(), room));
    let title = title.filter(|_| room > 8);
    title.map_or(format!("{said}\n"), |title| format!("{said}  {title}\n"))
}

/// `active`, or `active, stuck`: what a person should know of it besides.
fn status_words(view: &GoalView) -> String {
    let status = view.status.name();
    match view.standing {
        Standing::Live | Standing::Auditing | Standing::Stuck | Standing::Contested => {
            format!("{status}, {}", view.standing.name())
        }
        _ => status.to_owned(),
    }
}

/// `950`, `45k`, `1.2M`.
fn short_number(number: f64) -> String {
    match number {
        ..1e3 => format!("{number:.0}"),
        1e3..1e6 => format!("{:.0}k", number / 1e3),
        _ => format!("{:.1}M", number / 1e6),
    }
}

fn unfocused(input: &StatusInput<'_>) -> &'static str {
    let open = input.counts.keys().any(|status| status.is_open());
    match (open, input.counts.is_empty()) {
        (true, _) => {
            "No goal is focused. `goal list` shows the open ones, `goal focus GOAL` \
                      chooses one.\n"
        }
        (false, false) => {
            "No goal is open. `goal set OBJECTIVE` creates one at once, `goal draft \
                           TOPIC` begins with a discussion.\n"
        }
        (false, true) => no_goals(input.lost),
    }
}

fn draft(draft: &Draft) -> String {
    let about = match (draft.about(), &draft.goal_id) {
        ("", Some(goal)) => format!("a change of goal {goal}"),
        (topic, _) => fit(topic, 72),
    };
    format!("  {}  {about}\n", one_line(&draft.draft_id))
}

#[cfg(test)]
mod tests;
