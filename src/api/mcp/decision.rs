//! What a question about a proposal says, and what the user's decision comes to. What they decide
//! on is what they were shown: a proposal that changed meanwhile is not confirmed.

use serde::Deserialize;

use crate::api::tools::{ToolAnswer, transacted};
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::draft::Draft;
use crate::domain::id::EventId;
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::drafts::{drafts, question};
use crate::ops::failure::Failure;
use crate::ops::prompt::{Reader, prompted};
use crate::ops::propose::{confirm, reject};
use crate::ops::transacted::Outcome;
use crate::render;
use crate::render::prompt::PromptKind;
use crate::render::surface::Surface;
use crate::render::text::clean;

/// What the user can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Confirm,
    Reject,
}

impl Decision {
    /// The words of the form.
    pub(super) const WORDS: [&str; 2] = ["confirm", "reject"];
}

/// A question about one proposal.
pub(super) struct Question {
    draft: String,
    revision: EventId,
    /// What the user reads.
    pub(super) words: String,
}

impl Question {
    /// # Errors
    /// The draft does not wait any more.
    pub(super) fn about(call: &Call, id: &str) -> Result<Question, Failure> {
        let (revision, draft) = waiting(call, id)?;
        Ok(Question {
            draft: id.to_owned(),
            revision,
            words: question(call, &draft)?,
        })
    }

    /// Names the draft and the revision that was shown. The client hands it back unread.
    pub(super) fn state(&self) -> String {
        format!("{} {}", self.revision, self.draft)
    }
}

fn waiting(call: &Call, id: &str) -> Result<(EventId, Draft), Failure> {
    let open = drafts(call)?.into_iter();
    let mut found = open.filter(|(_, draft)| draft.draft_id == id && draft.proposal.is_some());
    found.next().ok_or_else(|| {
        Failure::new(
            "no_draft",
            format!("no proposal waits under draft {}", clean(id)),
            "somebody has decided about it in the meantime; look with `get_goal`",
        )
    })
}

/// The draft that the question was about, as it was shown, and its revision.
fn asked(call: &Call, state: &str) -> Result<(EventId, Draft), Failure> {
    let (shown, id) = state.split_once(' ').unwrap_or_default();
    let (revision, draft) = waiting(call, id)?;
    if revision.to_string() == shown {
        return Ok((revision, draft));
    }
    Err(Failure::new(
        "stale",
        "the proposal changed while the user was asked about it, so nothing is decided",
        "propose again what it should be, and the user is asked again",
    ))
}

/// Carries the user's decision out; the call acts for them.
///
/// # Errors
/// The proposal changed or is gone, or the ledger refuses.
pub(super) fn decide(
    call: Call,
    state: &str,
    decision: Decision,
    surface: Surface,
) -> Result<ToolAnswer, Failure> {
    let (revision, draft) = asked(&call, state)?;
    // Whoever proposes something else from here on is noticed under the lock.
    let call = Call {
        expect: Some(revision),
        ..call
    };
    let id = Some(draft.draft_id.as_str());
    match decision {
        Decision::Confirm => {
            let confirmed = confirm(&call, id)?;
            let text = match confirmed.data.mode {
                DraftMode::Tweak => "The user confirmed it: the contract is changed. End the \
                                     turn: the next one begins with `get_goal`."
                    .to_owned(),
                DraftMode::Regular | DraftMode::Sisyphus => {
                    // What cannot be told here does not undo the confirmation.
                    let told = contract(&call, &confirmed, surface);
                    let told = told.ok().flatten();
                    let told = told.unwrap_or_else(|| "Read it with `get_goal`.".to_owned());
                    format!(
                        "The user confirmed it: the goal is created and focused. Begin.\n\n{told}"
                    )
                }
            };
            transacted(confirmed, text)
        }
        Decision::Reject => {
            let (rejected, _) = reject(&call, id, None)?;
            let text = "The user declined it, and nothing is in force. Ask what should be different before you propose again.";
            transacted(still_proposed(draft, rejected.events), text.into())
        }
    }
}

/// The contract that is in force now and how to work on it, which `get_goal` would tell next; nothing where
/// another goal is focused, as after a part was handed on.
fn contract(
    call: &Call,
    confirmed: &Outcome<Contracted>,
    surface: Surface,
) -> Result<Option<String>, Failure> {
    let call = Call {
        expect: None,
        ..call.clone()
    };
    let reader = Reader {
        surface,
        ..Reader::WITH_TOOLS
    };
    let told = prompted(&call, PromptKind::Active, reader)?;
    Ok((told.goal_id == confirmed.goal_id).then_some(told.prompt))
}

/// The user decided nothing: the proposal waits.
///
/// # Errors
/// It changed or is gone.
pub(super) fn undecided(call: &Call, state: &str) -> Result<ToolAnswer, Failure> {
    let (revision, draft) = asked(call, state)?;
    let decide = render::drafts::decide(&draft.draft_id);
    let text = format!(
        "The user has not decided yet, and nothing is in force. They do it with {decide}; wait."
    );
    // The call that asked recorded the proposal, and this one is its end.
    transacted(still_proposed(draft, vec![revision]), text)
}

/// What a proposal that is not in force looks like, with what the call recorded.
fn still_proposed(draft: Draft, events: Vec<EventId>) -> Outcome<Contracted> {
    Outcome {
        goal_id: draft.goal_id,
        events,
        ..Outcome::unrecorded(Contracted {
            parent_goal_id: draft.parent_goal_id,
            draft_id: Some(draft.draft_id),
            mode: draft.mode,
            proposal: draft.proposal.unwrap_or_default(),
            applied: false,
            contract: None,
        })
    }
}
