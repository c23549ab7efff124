//! The goals besides the focused one, and the drafts that wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::domain::event::draft::DraftMode;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::row::questions;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::verdict::Verdict;
use crate::render::audit::completed;
use crate::render::contest;
use crate::render::summary::SummaryInput;
use crate::render::summary::budget::{Kept, List};
use crate::render::summary::focused::minute;
use crate::render::text::short;
use crate::render::work::kept;

/// How many ended goals are shown besides their counts.
const ENDED: usize = 1;

/// Most drafts that are shown besides their count.
const DRAFTS: usize = 1;

/// Most characters of what is told of a goal that is not focused.
const AFFAIRS: usize = 50;

/// The open goals but `focused`: how many stand how, and a line for each of those touched last.
pub(super) fn open(state: &State, focused: Option<&GoalId>, max_goals: usize) -> List {
    let mut goals = state.goals.list(Status::is_open);
    goals.retain(|goal| Some(goal.id()) != focused);
    goals.sort_by_key(|goal| (Reverse(goal.latest()), goal.ordinal()));
    let mut counts: BTreeMap<Status, u64> = BTreeMap::new();
    for goal in &goals {
        *counts.entry(goal.status()).or_default() += 1;
    }
    let shown = goals.iter().take(max_goals);
    List {
        heading: match focused {
            Some(_) => "## Other open goals",
            None => "## Open goals",
        },
        head: format!("{}.\n\n", counted(&counts)),
        total: goals.len() as u64,
        lines: shown
            .filter_map(|goal| state.goals.get(goal.id()))
            .map(open_goal)
            .collect(),
        kept: Kept::First,
    }
}

/// `15 active, 3 paused`.
fn counted(counts: &BTreeMap<Status, u64>) -> String {
    let counts = counts.iter();
    let counts: Vec<String> = counts
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    counts.join(", ")
}

fn open_goal(goal: &Goal) -> String {
    let kept = kept(goal.keeper).map_or_else(String::new, |it| format!(", {it}"));
    let heading = short(goal.contract.heading(), 80);
    let status = goal.status.name();
    let line = format!("- `{}` {status}{kept}: {heading}", goal.id);
    match state_of_affairs(goal) {
        Some(affairs) => format!("{line}; {affairs}"),
        None => line,
    }
}

/// The one thing most worth knowing about an open goal.
fn state_of_affairs(goal: &Goal) -> Option<String> {
    if let Some(contest) = &goal.contest {
        return Some(format!(
            "contested: {}",
            contest::open(&goal.id, contest.kind())
        ));
    }
    if let Some(asked) = questions(goal).first() {
        let question = short(&asked.question, AFFAIRS);
        return Some(format!("waits for the user's answer: {question}"));
    }
    if let Some(pause) = &goal.pause {
        return Some(format!("reason: {}", short(&pause.reason, AFFAIRS)));
    }
    if let Some(result) = &goal.gate.result
        && result.verdict != Verdict::Approved
    {
        let report = short(&result.report, AFFAIRS);
        return Some(format!("latest audit {}: {report}", result.verdict));
    }
    let next = goal.next_action.as_deref()?;
    Some(format!("next: {}", short(next, AFFAIRS)))
}

/// The goals that ended last, the latest first: those that are shown besides the counts.
pub fn ended_last(state: &State) -> Vec<GoalId> {
    let mut ended = state.goals.list(|status| !status.is_open());
    // The status is final, so an ended goal's revision is where it ended.
    ended.sort_by_key(|goal| Reverse((goal.revision(), goal.ordinal())));
    let latest = ended.into_iter().take(ENDED);
    latest.map(|goal| goal.id().clone()).collect()
}

/// Counts of the ended goals, and the latest few.
pub(super) fn ended(input: &SummaryInput<'_>) -> List {
    let (state, outside) = (input.state, input.outside);
    let mut counts = state.counts();
    counts.retain(|status, _| !status.is_open());
    let total = counts.values().sum();
    let without = match outside {
        0 => String::new(),
        _ => format!("; {outside} of the complete ones without an approval on record"),
    };
    let latest = ended_last(state).into_iter();
    List {
        heading: "## Ended goals",
        head: format!("{}{without}.\n\n", counted(&counts)),
        total,
        lines: latest
            .filter_map(|id| state.goals.get(&id))
            .map(|goal| ended_goal(goal, input.audited.get(&goal.id).copied()))
            .collect(),
        kept: Kept::First,
    }
}

fn ended_goal(goal: &Goal, audited: Option<Audited>) -> String {
    let how = audited.map_or_else(String::new, |it| {
        format!("; {}", completed(it, goal.is_wordless()))
    });
    let at = minute(goal.ended_at.as_deref().unwrap_or(&goal.updated_at));
    let heading = short(goal.contract.heading(), 80);
    let status = goal.status.name();
    let line = format!("- `{}` {status}{how}, {at}: {heading}", goal.id);
    match &goal.end_reason {
        Some(reason) => format!("{line}; reason: {}", short(reason, AFFAIRS)),
        None => line,
    }
}

/// The drafts that wait for a proposal or for the user.
pub(super) fn drafts(state: &State, max_goals: usize) -> List {
    let drafts = state.drafts.open();
    let proposed = state.drafts.open();
    let proposed = proposed.filter(|it| it.proposal.is_some()).count();
    let head = match proposed {
        0 => "They wait for a proposal: `goal propose`.\n\n".to_owned(),
        _ => format!(
            "{proposed} proposed, which the user confirms or rejects: `goal confirm ID`, `goal \
             reject ID`.\n\n"
        ),
    };
    List {
        heading: "## Drafts waiting",
        head,
        total: drafts.len() as u64,
        lines: drafts
            .take(max_goals.min(DRAFTS))
            .map(|it| draft(state, it))
            .collect(),
        kept: Kept::First,
    }
}

fn draft(state: &State, draft: &Draft) -> String {
    let id = short(&draft.draft_id, 80);
    let about = match (&draft.goal_id, draft.mode) {
        (Some(goal), _) => format!(", a change of `{goal}`"),
        (None, DraftMode::Sisyphus) => ", a Sisyphus goal".to_owned(),
        (None, _) => String::new(),
    };
    let waits = match draft.proposal.is_some() {
        true => "proposed",
        false => "not proposed yet",
    };
    let goal = draft.goal_id.as_ref().and_then(|id| state.goals.get(id));
    let topic = match (draft.about(), goal) {
        ("", Some(goal)) => goal.contract.heading(),
        (about, _) => about,
    };
    format!("- `{id}` {waits}{about}: {}", short(topic, 80))
}
