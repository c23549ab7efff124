//! Receipts: what a transaction recorded. Adapters require one; exit codes are no proof.

use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::focus::outer_of;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::transaction::TransactionError;
use crate::workspace::Paths;
use crate::writing::Batch;

/// What a transaction recorded.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The goal the events are about; nothing for drafts without a goal and for `unfocus`.
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// The goal's contract as it stood then.
    pub contract: Option<Contract>,
    /// Ids of the events, in order.
    pub ids: Vec<EventId>,
    pub events: Vec<Event>,
    /// Where they stand.
    pub lines: Vec<LineRef>,
    /// An agent must end its turn now.
    pub stop_turn: bool,
    /// The same request was answered before; nothing was appended now.
    pub repeated: bool,
    /// The goal ended, and this open one is what it was begun from.
    pub returns_to: Option<GoalId>,
    /// What else the caller should know. Nothing in it undoes the record.
    pub notices: Vec<Diagnostic>,
}

impl Receipt {
    /// The goal that the events are about, as it stands now.
    pub fn goal<'a>(&self, now: &'a Snapshot) -> Option<&'a Goal> {
        now.state.goals.get(self.goal_id.as_ref()?)
    }

    /// What the events say, in order.
    pub fn payloads(&self) -> impl Iterator<Item = &Payload> + Clone {
        self.events.iter().map(|event| &event.payload)
    }

    /// The draft that the events are about; one transaction acts on one at most.
    pub fn draft_id(&self) -> Option<String> {
        let ids = self.events.iter().filter_map(|it| it.payload.draft_id());
        ids.map(str::to_owned).next()
    }
}

/// The receipt of a batch that was appended.
pub fn of(
    after: &Snapshot,
    batch: &Batch,
    lines: &[LineRef],
    notices: Vec<Diagnostic>,
) -> io::Result<Receipt> {
    let recorded = batch.ids.iter().zip(lines).zip(&batch.events);
    let recorded = recorded
        .map(|((id, line), event)| (*id, *line, event.clone()))
        .collect();
    compose(after, recorded, false, notices)
}

/// The receipt of an earlier transaction with this request key, as it was then.
pub fn repeated(
    now: &Snapshot,
    key: &str,
    paths: &Paths,
) -> Result<Option<Receipt>, TransactionError> {
    let lines = now.answered(key)?;
    let Some((last, _)) = lines.last() else {
        return Ok(None);
    };
    let then = now.up_to(*last, paths)?;
    let recorded = lines
        .into_iter()
        .map(|(line, event)| Ok((now.id(line)?, line, event)));
    let recorded = recorded.collect::<io::Result<Vec<_>>>()?;
    Ok(Some(compose(&then, recorded, true, Vec::new())?))
}

fn compose(
    after: &Snapshot,
    recorded: Vec<(EventId, LineRef, Event)>,
    repeated: bool,
    mut notices: Vec<Diagnostic>,
) -> io::Result<Receipt> {
    let goal_id = recorded
        .iter()
        .find_map(|(_, _, event)| event.goal_id.clone());
    let goal = goal_id.as_ref().and_then(|id| after.state.goals.get(id));
    let revision = match goal {
        Some(goal) => after.revision(goal)?,
        None => None,
    };
    let besides = recorded.iter().filter_map(|(_, _, event)| {
        gave_way(goal_id.as_ref(), event).or_else(|| taken_over(event))
    });
    notices.extend(besides);
    let outer = goal
        .filter(|goal| !goal.status.is_open())
        .and_then(|goal| outer_of(&after.state, goal));
    notices.extend(outer.map(|outer| {
        let back = |(_, _, event): &(EventId, LineRef, Event)| {
            matches!(event.payload, Payload::GoalFocused(_))
                && event.goal_id.as_ref() == Some(&outer.id)
        };
        outer_goal(outer, recorded.iter().any(back))
    }));
    // What happened to another goal besides ends nobody's turn on this one.
    let ends = |event: &Event| event.goal_id == goal_id && event.payload.ends_turn();
    Ok(Receipt {
        stop_turn: recorded.iter().any(|(_, _, event)| ends(event)),
        revision,
        status: goal.map(|goal| goal.status),
        contract: goal.map(|goal| goal.contract.clone()),
        returns_to: outer.map(|outer| outer.id.clone()),
        goal_id,
        ids: recorded.iter().map(|(id, _, _)| *id).collect(),
        lines: recorded.iter().map(|(_, line, _)| *line).collect(),
        events: recorded.into_iter().map(|(_, _, event)| event).collect(),
        repeated,
        notices,
    })
}

/// That a goal waits which another one was begun from: focus is back on it, or the user's to set.
pub fn outer_goal(outer: &Goal, focused: bool) -> Diagnostic {
    let (id, heading) = (&outer.id, one_line(outer.contract.heading()));
    let (message, hint) = match focused {
        true => (
            format!("focus is back on goal {id}: {heading}"),
            "`goal status` shows how it stands".to_owned(),
        ),
        false => (
            format!("goal {id} is still open, which this one was begun from: {heading}"),
            format!("the user goes on with it by `goal focus {id}`"),
        ),
    };
    Diagnostic::new(Code::OuterGoal, message, hint)
}

/// That the act took the goal over from another tool: from here on it has one keeper.
fn taken_over(event: &Event) -> Option<Diagnostic> {
    let imported = match &event.payload {
        Payload::GoalCreated(created) => created.imported,
        Payload::GoalTweaked(tweaked) => tweaked.imported,
        _ => None,
    };
    let id = event.goal_id.as_ref().filter(|_| imported == Some(true))?;
    Some(Diagnostic::new(
        Code::TakenOver,
        format!("goal {id} was another tool's and is taken over, as it stands there"),
        "let that tool go of it: what it writes about the goal from now on changes nothing",
    ))
}

/// What the caller would not look for: goals besides theirs that were paused.
fn gave_way(goal_id: Option<&GoalId>, event: &Event) -> Option<Diagnostic> {
    let Payload::GoalPaused(paused) = &event.payload else {
        return None;
    };
    let id = event.goal_id.as_ref().filter(|id| Some(*id) != goal_id)?;
    Some(Diagnostic::new(
        Code::GaveWay,
        format!("goal {id} is paused: it {}", paused.reason),
        format!("`goal resume --goal {id}` once its owner has a free place"),
    ))
}
