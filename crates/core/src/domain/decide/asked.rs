//! What of a goal waits for the user: completion does not overtake it.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::decide::PendingEvent;
use crate::domain::event::DraftResolved;
use crate::domain::event::draft::DraftOutcome;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::pending::pending;
use crate::domain::task::question::Question;
use crate::domain::task::statuses::TaskStatuses;

/// Something that only the user settles.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// They said that the contract is to change, and nothing is proposed yet.
    Opened(&'a Draft),
    /// A change, or a part to hand on, is proposed.
    Proposed(&'a Draft),
    /// A question has no answer.
    Question(&'a Question),
}

impl Asked<'_> {
    /// What it is, in a few words, with its id.
    pub fn named(&self) -> String {
        match self {
            Asked::Opened(draft) => format!("the change that the user opened ({})", draft.draft_id),
            Asked::Proposed(draft) => format!("what is proposed ({})", draft.draft_id),
            Asked::Question(question) => format!("the question {}", question.id),
        }
    }

    /// What it says.
    pub fn text(&self) -> &str {
        match self {
            Asked::Opened(draft) => &draft.topic,
            Asked::Proposed(draft) => draft.summary.as_deref().unwrap_or_else(|| draft.about()),
            Asked::Question(question) => &question.question,
        }
    }
}

/// Everything of the goal that waits for the user, the oldest of each kind first.
pub fn asked<'a>(state: &'a State, goal: &'a Goal) -> Vec<Asked<'a>> {
    let drafts = of_goal(state, goal).filter_map(|draft| match (&draft.proposal, draft.intent) {
        (Some(_), _) => Some(Asked::Proposed(draft)),
        (None, true) => Some(Asked::Opened(draft)),
        (None, false) => None,
    });
    let standing = TaskStatuses::of(&goal.tasks);
    let questions = pending(&goal.tasks, &standing).into_iter();
    drafts.chain(questions.map(Asked::Question)).collect()
}

/// Refuses to take back what the caller did not ask or propose in their own session: `by` and `session`
/// say who did. The user may take back everything.
pub(super) fn may_withdraw(
    caller: &Caller,
    by: Option<Actor>,
    session: Option<&str>,
) -> Result<(), Rejection> {
    let is_own = by == Some(caller.actor) && caller.works_in(session);
    match caller.actor == Actor::User || is_own {
        true => Ok(()),
        false => Err(Rejection::HumanOwned {
            act: Command::WITHDRAW,
            say: "decide about it with `goal inbox`: it was not asked or proposed by an agent in \
                  this session"
                .to_owned(),
        }),
    }
}

/// The drafts that end with the goal.
fn of_goal<'a>(state: &'a State, goal: &'a Goal) -> impl Iterator<Item = &'a Draft> {
    let id = Some(&goal.id);
    let drafts = state.drafts.open();
    drafts.filter(move |it| it.goal_id.as_ref() == id || it.parent_goal_id.as_ref() == id)
}

/// The ends of these drafts.
pub(super) fn drafts_end(state: &State, goal: &Goal) -> Vec<PendingEvent> {
    let ended = of_goal(state, goal).map(|draft| {
        let draft_id = draft.draft_id.clone();
        let outcome = DraftOutcome::Cancelled;
        PendingEvent::about_no_goal(DraftResolved { draft_id, outcome })
    });
    ended.collect()
}
