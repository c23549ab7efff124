//! Deciding the steps of the gate (docs/design/gate.md): request, start of the audit, and its
//! result.
//!
//! The result is decided in full again: a goal that could not be requested now, or whose revision
//! moved, gets `error, cause: stale` instead of what the auditor said, and so does a second result
//! of one request.
//!
//! What of a goal waits for the user: completion does not overtake it.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::decide::{PendingEvent, Target};
use crate::domain::event::draft::DraftOutcome;
use crate::domain::event::{
    AuditResult, AuditStarted, CompletionRequested, DraftResolved, GoalCompleted, Payload,
};
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::question::{Question, pending};
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::{Cause, Verdict};

/// Decides a step of the gate on an open goal.
pub fn decide(
    state: &State,
    target: Target<'_>,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let goal = target.goal;
    match command {
        Command::RequestCompletion {
            requested,
            auditor_configured,
        } => {
            let evidence = requested.evidence.clone().filter(|it| !it.is_empty());
            requestable(goal, evidence.is_some())?;
            if caller.actor != Actor::User {
                overtakes_nothing(state, goal)?;
            }
            if !auditor_configured {
                return Err(Rejection::NoAuditor);
            }
            let requested = CompletionRequested {
                summary: requested.summary.clone(),
                evidence,
                revision: target.revision,
                awaits_signature: requested.awaits_signature,
            };
            Ok(vec![requested.into()])
        }
        Command::StartAudit(started) => {
            let started = AuditStarted {
                request: target.pending.request,
                ..(**started).clone()
            };
            Ok(vec![started.into()])
        }
        Command::RecordAudit(result) => Ok(record(state, target, result)),
        _ => Ok(Vec::new()),
    }
}

/// Refuses to complete what the user is asked about. Their own request may: they know what they leave
/// unanswered.
fn overtakes_nothing(state: &State, goal: &Goal) -> Result<(), Rejection> {
    let asked = asked(state, goal);
    if asked.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = asked
        .iter()
        .take(MOST_NAMED)
        .map(OpenForUser::named)
        .collect();
    let more = match asked.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(Rejection::UserIsAsked {
        asked: names.join(", ") + &more,
    })
}

/// How many things that wait for the user are named.
const MOST_NAMED: usize = 5;

/// Whether completion may be requested at all, apart from the auditor.
pub(in crate::domain) fn requestable(goal: &Goal, evidence: bool) -> Result<(), Rejection> {
    let open = goal.tasks.open();
    if goal.tasks.block_completion && open > 0 {
        return Err(Rejection::TasksOpen {
            id: goal.id.clone(),
            open,
        });
    }
    let needs_evidence = goal.contract.verification_contract.is_some();
    if needs_evidence && !evidence && !goal.gate.evidence {
        return Err(Rejection::NoEvidence {
            id: goal.id.clone(),
        });
    }
    Ok(())
}

fn record(state: &State, target: Target<'_>, result: &AuditResult) -> Vec<Payload> {
    let goal = target.goal;
    let audited = result.revision;
    let request = goal.gate.requested.as_ref();
    let requested_evidence = request.is_some_and(|request| !request.evidence.is_empty());
    let moved = audited.is_none() || audited != target.revision;
    // An audit whose lock was removed under it may come back after another call recorded its
    // interruption, or even after the verdict of a later audit.
    let answered = !request.is_some_and(|request| {
        request.ours && request.revision.is_none_or(|of| Some(of) == audited)
    });
    // An approval is the result of an audit of this revision that is on record: one start has one
    // result.
    let begun = target.pending.start;
    let running = goal.gate.running.as_ref();
    let is_begun = running.is_some_and(|running| running.ours && running.revision == audited);
    // After a merge another audit can have taken its place in the chain.
    let in_chain = running.map(|running| running.line) == goal.chain.begun_at();
    let unstarted = result.verdict == Verdict::Approved
        && (!is_begun || !in_chain || result.start.is_some_and(|start| Some(start) != begun));
    let by_user = request.is_some_and(|request| request.by == Some(Actor::User));
    let overtaken = match by_user || result.verdict != Verdict::Approved {
        true => None,
        false => overtakes_nothing(state, goal).err(),
    };
    let result = match requestable(goal, requested_evidence) {
        // What failed anyway keeps its own cause.
        _ if result.verdict == Verdict::Error => result.clone(),
        _ if goal.contest.is_some() => stale(result, "the goal is contested since"),
        _ if moved => stale(result, "the goal changed while it was audited"),
        _ if answered => stale(result, "the request had got its result before"),
        _ if unstarted => stale(
            result,
            "another audit has begun since then, or this one never began",
        ),
        Err(reason) => stale(result, &reason.to_string()),
        Ok(()) => match overtaken {
            Some(asked) => stale(result, &asked.to_string()),
            None => result.clone(),
        },
    };
    let result = AuditResult {
        start: begun,
        ..result
    };
    // The transaction fills in where the document goes and how the work tree stands.
    let completes = result.verdict == Verdict::Approved;
    let completed = completes.then(|| GoalCompleted::default().into());
    [result.into()].into_iter().chain(completed).collect()
}

/// What the auditor said, but about a goal that is no longer so.
fn stale(result: &AuditResult, why: &str) -> AuditResult {
    let said = match result.report.trim() {
        "" => String::new(),
        report => format!("; the auditor had said:\n\n{report}"),
    };
    AuditResult {
        verdict: Verdict::Error,
        cause: Some(Cause::Stale),
        report: format!("{why}{said}"),
        // It was made for another verdict.
        signature: None,
        signer: None,
        signed_at: None,
        ..result.clone()
    }
}

/// Something that waits for the user's decision: only the user can settle it.
#[derive(Debug, Clone, Copy)]
pub enum OpenForUser<'a> {
    /// They said that the contract is to change, and nothing is proposed yet.
    Opened(&'a Draft),
    /// A change, or a part to hand on, is proposed.
    Proposed(&'a Draft),
    /// A question has no answer.
    Question(&'a Question),
}

impl OpenForUser<'_> {
    /// What it is, in a few words, with its id.
    pub fn named(&self) -> String {
        match self {
            OpenForUser::Opened(draft) => {
                format!("the change that the user opened ({})", draft.draft_id)
            }
            OpenForUser::Proposed(draft) => format!("what is proposed ({})", draft.draft_id),
            OpenForUser::Question(question) => format!("the question {}", question.id),
        }
    }

    /// What it says.
    pub fn text(&self) -> &str {
        match self {
            OpenForUser::Opened(draft) => &draft.topic,
            OpenForUser::Proposed(draft) => {
                draft.summary.as_deref().unwrap_or_else(|| draft.about())
            }
            OpenForUser::Question(question) => &question.question,
        }
    }
}

/// Everything of the goal that waits for the user, the oldest of each kind first.
pub fn asked<'a>(state: &'a State, goal: &'a Goal) -> Vec<OpenForUser<'a>> {
    let drafts = of_goal(state, goal).filter_map(|draft| match (&draft.proposal, draft.intent) {
        (Some(_), _) => Some(OpenForUser::Proposed(draft)),
        (None, true) => Some(OpenForUser::Opened(draft)),
        (None, false) => None,
    });
    let standing = TaskStatuses::of(&goal.tasks);
    let questions = pending(&goal.tasks, &standing).into_iter();
    drafts.chain(questions.map(OpenForUser::Question)).collect()
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
        PendingEvent::about_no_goal(DraftResolved {
            draft_id,
            outcome: DraftOutcome::Cancelled,
            reason: None,
        })
    });
    ended.collect()
}
