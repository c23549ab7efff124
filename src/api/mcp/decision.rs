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
use crate::render::pages::{Window, pages};
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
    /// What the user reads, a form each. The last one asks.
    pub(super) pages: Vec<String>,
}

/// The most forms that one question has: longer contracts are read elsewhere.
const MOST: usize = 9;

impl Question {
    /// `window` is what the client shows of a form, where it is known to cut.
    ///
    /// # Errors
    /// The draft does not wait any more, or its contract takes too many forms.
    pub(super) fn about(
        call: &Call,
        id: &str,
        window: Option<Window>,
    ) -> Result<Question, Failure> {
        let (revision, draft) = waiting(call, id)?;
        let words = question(call, &draft)?;
        let pages = match window {
            Some(window) => pages(&words, window),
            None => vec![words],
        };
        if pages.len() > MOST {
            let message = "the contract is too long for the forms of this host";
            let hint = format!("the user decides with {}", render::drafts::decide(id));
            return Err(Failure::usage(message, hint));
        }
        Ok(Question {
            draft: id.to_owned(),
            revision,
            pages,
        })
    }

    /// Names the draft, the revision that is shown, and this page of it. The client hands it back
    /// unread.
    pub(super) fn state(&self, page: usize) -> String {
        format!("{} {page} {}", self.revision, self.draft)
    }

    /// The page to show after an answer with this state: the next one, or the first one of another question.
    /// Nothing where the last one was answered.
    pub(super) fn page_after(&self, state: &str) -> Option<usize> {
        let (revision, page, _) = shown(state)?;
        if revision != self.revision.to_string() {
            return Some(0);
        }
        Some(page + 1).filter(|next| *next < self.pages.len())
    }

    /// Whether the user reads the same in both.
    pub(super) fn is_as(&self, other: &Question) -> bool {
        self.revision == other.revision && self.pages == other.pages
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

/// The revision that a state names, the page, and the draft.
pub(super) fn shown(state: &str) -> Option<(&str, usize, &str)> {
    let (revision, rest) = state.split_once(' ')?;
    let (page, draft) = rest.split_once(' ')?;
    Some((revision, page.parse().ok()?, draft))
}

/// The draft that the question was about, as it was shown, and its revision.
fn asked(call: &Call, state: &str) -> Result<(EventId, Draft), Failure> {
    let (shown, _, id) = shown(state).unwrap_or_default();
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
