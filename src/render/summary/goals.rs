//! The goals besides the focused one, and the drafts that wait.

use std::cmp::Reverse;

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
use crate::render::text::short;
use crate::render::work::kept;

/// How many ended goals are shown besides their counts.
const ENDED: usize = 5;

/// The open goals but `focused`, those touched last first, a line or two each.
pub(super) fn open(state: &State, focused: Option<&GoalId>, max_goals: usize) -> List {
    let mut goals = state.goals.list(Status::is_open);
    goals.retain(|goal| Some(goal.id()) != focused);
    goals.sort_by_key(|goal| (Reverse(goal.latest()), goal.ordinal()));
    let shown = goals.iter().take(max_goals);
    List {
        heading: match focused {
            Some(_) => "## Other open goals",
            None => "## Open goals",
        },
        head: String::new(),
        total: goals.len() as u64,
        lines: shown
            .filter_map(|goal| state.goals.get(goal.id()))
            .map(open_goal)
            .collect(),
        kept: Kept::First,
    }
}

fn open_goal(goal: &Goal) -> String {
    let kept = kept(goal.keeper).map_or_else(String::new, |it| format!(", {it}"));
    let heading = short(goal.contract.heading(), 160);
    let status = goal.status.name();
    let line = format!("- `{}` {status}{kept}: {heading}", goal.id);
    match state_of_affairs(goal) {
        Some(second) => format!("{line}\n  {second}"),
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
        let question = short(&asked.question, 160);
        return Some(format!("waits for the user's answer: {question}"));
    }
    if let Some(pause) = &goal.pause {
        return Some(format!("reason: {}", short(&pause.reason, 160)));
    }
    if let Some(result) = &goal.gate.result
        && result.verdict != Verdict::Approved
    {
        let report = short(&result.report, 160);
        return Some(format!("latest audit {}: {report}", result.verdict));
    }
    let next = goal.next_action.as_deref()?;
    Some(format!("next: {}", short(next, 160)))
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
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(status, count)| match (status, outside) {
            (Status::Complete, 1..) => {
                format!("{count} complete ({outside} without an approval on record)")
            }
            _ => format!("{count} {}", status.name()),
        })
        .collect();
    let latest = ended_last(state).into_iter();
    List {
        heading: "## Ended goals",
        head: format!("{}.\n\n", counts.join(", ")),
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
    let at = goal.ended_at.as_deref().unwrap_or(&goal.updated_at);
    let heading = short(goal.contract.heading(), 160);
    let (status, at) = (goal.status.name(), short(at, 40));
    let line = format!("- `{}` {status}{how}, {at}: {heading}", goal.id);
    match &goal.end_reason {
        Some(reason) => format!("{line}\n  reason: {}", short(reason, 160)),
        None => line,
    }
}

/// The drafts that wait for a proposal or for the user.
pub(super) fn drafts(state: &State, max_goals: usize) -> List {
    let drafts = state.drafts.open();
    List {
        heading: "## Drafts waiting",
        head: String::new(),
        total: drafts.len() as u64,
        lines: drafts.take(max_goals).map(|it| draft(state, it)).collect(),
        kept: Kept::First,
    }
}

fn draft(state: &State, draft: &Draft) -> String {
    let id = short(&draft.draft_id, 80);
    let about = match (&draft.goal_id, draft.mode) {
        (Some(goal), _) => format!("a change of `{goal}`"),
        (None, DraftMode::Sisyphus) => "a new Sisyphus goal".to_owned(),
        (None, _) => "a new goal".to_owned(),
    };
    let waits = if draft.proposal.is_some() {
        format!("proposed, waits for the user: `goal confirm {id}` or `goal reject {id}`")
    } else {
        "waits for a proposal: `goal propose`".to_owned()
    };
    let goal = draft.goal_id.as_ref().and_then(|id| state.goals.get(id));
    let topic = match (draft.about(), goal) {
        ("", Some(goal)) => goal.contract.heading(),
        (about, _) => about,
    };
    format!("- `{id}` {about}: {}\n  {waits}", short(topic, 160))
}
