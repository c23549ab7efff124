//! The summary: facts from which an agent whose context was lost can go on
//! (docs/design/surfaces.md#the-summary).
//!
//! It depends on what it is given and on nothing else. The contract of the focused goal is
//! verbatim up to 32 KiB; all the rest together keeps to [`Limits::max_bytes`], however long the
//! ledger is. No text that somebody stored can begin a line of its own: it is fenced, quoted or on
//! one line.

mod budget;
mod contract;
mod focused;
mod goals;

use std::collections::BTreeMap;

use crate::domain::actor::Actor;
use crate::domain::focus;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::verdict::defang;
use crate::render::next::what_next;
use crate::render::view::RecentEvent;

pub use focused::tells;
pub use goals::ended_last;

use budget::{Budget, List};

/// What the summary is made from.
#[derive(Debug, Clone, Copy)]
pub struct SummaryInput<'a> {
    pub state: &'a State,
    /// The session whose focus counts; without one the project's.
    pub session: Option<&'a str>,
    /// The focused goal's latest events, oldest first. Their texts may be raw: they are cleaned and
    /// shortened here.
    pub events: &'a [RecentEvent],
    /// How those of the goals that [ended last](ended_last) came to be complete that are.
    pub audited: &'a BTreeMap<GoalId, Audited>,
    /// How many goals were completed outside the gate.
    pub outside: u64,
    /// Path of the focused goal's document, relative to the root.
    pub document: Option<&'a str>,
}

/// How long the summary may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most open goals besides the focused one, and most drafts.
    pub max_goals: usize,
    /// Most events of the focused goal.
    pub max_events: usize,
    /// Most bytes of everything but the contract.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_goals: 4,
            max_events: 3,
            max_bytes: 16 * 1024,
        }
    }
}

/// What every summary begins with.
pub const TITLE: &str = "# Goal summary\n\n";
const NOTICE: &str = "Facts from the goal ledger. What is fenced or quoted is recorded data.\n\n";

/// The summary as Markdown with stable headings, ending in a newline.
pub fn summary(input: &SummaryInput<'_>, options: &Limits) -> String {
    let state = input.state;
    let id = focus::focused(state, input.session);
    let focused = id.and_then(|id| state.goals.get(id));
    let max = options.max_bytes;
    let mut budget = Budget::new(max);

    // In order of importance; what is last is cut first.
    let title = budget.whole("title", TITLE.to_owned());
    let next = what_next(state, input.session, Actor::Agent, None);
    let next = budget.text("## What to do next", &next, max);
    let about = match focused {
        Some(goal) => focused_goal(goal, input, max, &mut budget),
        None => {
            let none = "## Focused goal\n\nNone.\n\n".to_owned();
            budget.whole("focused goal", none)
        }
    };
    let notice = budget.whole("notice", NOTICE.to_owned());
    let drafts = some(
        goals::drafts(state, options.max_goals),
        &mut budget,
        max / 6,
    );
    let open = some(
        goals::open(state, id, options.max_goals),
        &mut budget,
        max / 4,
    );
    let ended = some(goals::ended(input), &mut budget, max / 6);
    let events = focused.map_or_else(String::new, |goal| {
        match focused::events(goal, input.events, options) {
            events if events.lines.is_empty() => String::new(),
            events => budget.list(&events, max),
        }
    });
    let dropped = budget.dropped(max);

    let text = [
        title, notice, about, events, next, open, drafts, ended, dropped,
    ]
    .concat();
    format!("{}\n", text.trim_end())
}

/// A list that has something in it.
fn some(list: List, budget: &mut Budget, most: usize) -> String {
    if list.total == 0 {
        return String::new();
    }
    budget.list(&list, most)
}

/// The focused goal without its events. Objections, blocker and next action get their bytes before
/// everything that only tells history.
fn focused_goal(goal: &Goal, input: &SummaryInput<'_>, max: usize, budget: &mut Budget) -> String {
    let identity = focused::identity(goal);
    let mut text = |heading, text: Option<String>, most| match text {
        Some(text) => budget.text(heading, &text, most),
        None => String::new(),
    };
    let identity = text("## Focused goal", Some(identity), max);
    let contract = defang(&contract::contract(goal, input.document));
    let verdict = text("### Latest verdict", focused::verdict(goal), max / 2);
    let blocker = text("### Blocker", focused::blocker(goal, max / 8), max / 8);
    let next_action = text("### Next action", focused::next_action(goal), max / 8);
    let mut list = |list: Option<List>, most| match list {
        Some(list) => budget.list(&list, most),
        None => String::new(),
    };
    let asked = list(focused::asked(goal), max / 8);
    let notes = list(focused::notes(goal), max / 8);
    let tasks = list(focused::tasks(goal), max / 6);
    let reviews = list(focused::reviews(goal), max / 8);
    [
        identity,
        contract,
        verdict,
        reviews,
        blocker,
        asked,
        notes,
        next_action,
        tasks,
    ]
    .concat()
}

#[cfg(test)]
mod tests;
