//! How transactions read: one line that says what is so now, and the event that made it so; for
//! those about a contract, the contract as well.

use super::{Done, Failure, Reply};
use crate::domain::event::draft::DraftMode;
use crate::domain::id::GoalId;
use crate::ops::contracted::Contracted;
use crate::ops::rehearse::Rehearsal;
use crate::ops::transacted::{Outcome, Transacted, again};
use crate::render::tasks::tree;
use crate::render::text::{clean, count, one_line, short};
use crate::render::view::PlanFileView;
use crate::render::{contract, drafts};

/// `Paused goal mr5cf6ch-akrg4u (revision 0123abcd…).`
pub fn done<T>(verb: &str, outcome: &Outcome<T>) -> String {
    let goal = goal(outcome.goal_id.as_ref());
    let revision = outcome.revision.map(|id| id.to_string());
    let revision = revision.map_or_else(String::new, |id| format!(" (revision {}…)", &id[..8]));
    let again = again(outcome.repeated);
    format!("{again}{verb}{goal}{revision}.\n")
}

/// The reply of an act that [`done`] says in full.
pub fn did(verb: &str, outcome: Transacted) -> Result<Done, Failure> {
    Reply::transacted(done(verb, &outcome), outcome)
}

/// A draft's id; other programs may have chosen it.
pub fn draft(id: Option<&str>) -> String {
    clean(id.unwrap_or_default())
}

fn goal(id: Option<&GoalId>) -> String {
    id.map_or_else(String::new, |id| format!(" goal {id}"))
}

/// The first words of an answer, behind [`again`] without their capital.
pub fn head(words: &str, repeated: bool) -> String {
    match repeated {
        true => format!("{}{}", again(true), words.to_lowercase()),
        false => words.to_owned(),
    }
}

/// The id of the goal that an outcome is about; empty without one.
pub fn id<T>(outcome: &Outcome<T>) -> &str {
    outcome.goal_id.as_ref().map_or("", GoalId::as_str)
}

/// What is in force now, with the contract in full.
pub fn contracted(verb: &str, outcome: &Outcome<Contracted>) -> String {
    let contract = outcome.data.contract.as_ref().map(contract::contract);
    let contract = contract.unwrap_or_default();
    format!("{}\n{contract}", done(verb, outcome))
}

/// What is proposed, in full, and what the user does about it; or that it is in force already.
pub fn proposed(outcome: &Outcome<Contracted>) -> String {
    if outcome.data.applied {
        return contracted("Changed the contract of", outcome);
    }
    let id = draft(outcome.data.draft_id.as_deref());
    let what = match (outcome.data.mode, &outcome.data.parent_goal_id) {
        (_, Some(parent)) => format!("to hand on a part of goal {parent}"),
        (DraftMode::Tweak, _) => format!("a change of{}", goal(outcome.goal_id.as_ref())),
        (DraftMode::Sisyphus, _) => "a new goal in mode sisyphus".to_owned(),
        (DraftMode::Regular, _) => "a new goal".to_owned(),
    };
    let again = again(outcome.repeated);
    let mode = outcome.data.mode;
    let now = outcome.data.contract.as_ref();
    let now = now.filter(|_| mode == DraftMode::Tweak);
    let proposal = drafts::proposal(mode, &outcome.data.proposal, now);
    let decide = drafts::decide(&id);
    format!(
        "{again}Proposed {what} (draft {id}).\n\n{proposal}\nNothing is in force before the user \
         decides: {decide}.\n"
    )
}

/// What would be recorded.
pub fn rehearsed(rehearsal: Rehearsal) -> Result<Done, Failure> {
    let events = &rehearsal.would_record;
    let mut text = format!(
        "Nothing is recorded; without --dry-run it would be {}:\n",
        count(events.len() as u64, "event")
    );
    for event in events {
        let gist = short(&one_line(&event.text), 100);
        text += format!("  {}  {gist}", event.name).trim_end();
        text.push('\n');
    }
    text.extend(rehearsal.tasks.as_ref().map(tree));
    text.extend(rehearsal.plan.as_ref().map(PlanFileView::text));
    Reply::read(text, rehearsal)
}
