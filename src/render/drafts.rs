//! Open drafts as people read them: what each is for, and who waits for whom.

use serde_json::{Map, Value};

use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::{self, Draft};
use crate::domain::id::EventId;
use crate::render::contract;
use crate::render::text::{clean, one_line, short};

/// The open drafts with their revisions, each with its proposal in full and what to do next.
pub fn drafts<'a>(drafts: impl Iterator<Item = &'a (EventId, Draft)>) -> String {
    let each: Vec<String> = drafts.map(|(id, it)| draft(it, *id)).collect();
    if each.is_empty() {
        return "No draft is open. Open one with `goal draft TOPIC`.\n".to_owned();
    }
    each.join("\n")
}

fn draft(draft: &Draft, revision: EventId) -> String {
    let id = clean(&draft.draft_id);
    let rest = match &draft.proposal {
        // Where there were several proposals, the one that is shown is named.
        Some(_) if draft.proposals > 1 => format!(
            "  waits for the user: `goal confirm {id} --expect {revision}` or `goal reject {id}`\n"
        ),
        Some(_) => format!("  waits for the user: {}\n", decide(&id)),
        None => format!("  waits for the agent: {}\n", propose(draft.mode, &id)),
    };
    format!("{}{rest}", in_full(draft))
}

/// A draft with all that is proposed for it.
pub fn in_full(draft: &Draft) -> String {
    let topic = match draft.intent {
        true => one_line(&draft.topic),
        false => "proposed without an intent of the user".to_owned(),
    };
    let mut text = format!("{}: {}\n  {topic}\n", clean(&draft.draft_id), what(draft));
    if let Some(change) = &draft.proposal {
        if let Some(summary) = &draft.summary {
            text.push_str(&format!("  why: {}\n", one_line(summary)));
        }
        text.push_str("  proposed:\n");
        let proposal = proposal(draft.mode, change) + &known(&draft.context);
        text.extend(proposal.lines().map(|line| format!("    {line}\n")));
    }
    text
}

/// What a draft is for.
pub fn what(draft: &Draft) -> String {
    let mode = draft.mode.described();
    match (&draft.goal_id, &draft.parent_goal_id) {
        (Some(goal), _) => format!("a change of goal {goal}"),
        (None, Some(parent)) => format!("a part of goal {parent} to hand on, {mode}"),
        (None, None) => format!("a new goal, {mode}"),
    }
}

/// A proposal in full: the contract of a new goal, or what would change.
pub fn proposal(mode: DraftMode, change: &ContractChange) -> String {
    match mode {
        DraftMode::Tweak => contract::change(change),
        DraftMode::Regular | DraftMode::Sisyphus => contract::proposed(change),
    }
}

/// What is known of a proposed goal, and becomes evidence of it.
pub fn known(context: &Map<String, Value>) -> String {
    let lines = draft::known(context).map(|(key, value)| {
        let value = match value {
            Value::String(text) => one_line(text),
            other => one_line(&other.to_string()),
        };
        format!("  {}: {}\n", one_line(key), short(&value, SHOWN))
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => format!("Known already, as evidence of it:\n{lines}"),
    }
}

/// Most bytes of one known value in a text; the data has all of it.
const SHOWN: usize = 400;

/// What the user does about a proposal.
pub fn decide(draft_id: &str) -> String {
    let id = clean(draft_id);
    format!("`goal confirm {id}` or `goal reject {id}`")
}

/// What an agent does about an intent.
pub fn propose(mode: DraftMode, draft_id: &str) -> String {
    match mode {
        DraftMode::Tweak => "`goal tweak` with the fields that change".to_owned(),
        _ => format!(
            "`goal propose {} OBJECTIVE` with the contract",
            clean(draft_id)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::line::LineRef;

    fn a_draft(mode: DraftMode) -> Draft {
        Draft {
            draft_id: "d1".into(),
            topic: "speed\x1b".into(),
            mode,
            goal_id: None,
            parent_goal_id: None,
            intent: true,
            session: None,
            proposal: None,
            context: serde_json::Map::new(),
            summary: None,
            proposals: 0,
            created_at: String::new(),
            updated_at: String::new(),
            latest: LineRef::START,
        }
    }

    #[test]
    fn each_draft_says_who_waits_for_whom() {
        let waiting = a_draft(DraftMode::Sisyphus);
        let proposed = Draft {
            draft_id: "d2".into(),
            goal_id: Some("g1".parse().unwrap()),
            intent: false,
            proposal: Some(ContractChange {
                title: Some("T".into()),
                ..ContractChange::default()
            }),
            ..a_draft(DraftMode::Tweak)
        };
        let text = "d1: a new goal, sisyphus\n  speed\u{fffd}\n  \
            waits for the agent: `goal propose d1 OBJECTIVE` with the contract\n\n\
            d2: a change of goal g1\n  proposed without an intent of the user\n  proposed:\n    \
            Title: T\n  waits for the user: `goal confirm d2` or `goal reject d2`\n";
        let known = |draft| (EventId::ZERO, draft);
        assert_eq!(drafts([waiting, proposed.clone()].map(known).iter()), text);
        let again = Draft {
            summary: Some("shorter".into()),
            proposals: 2,
            ..proposed
        };
        let text = drafts([again].map(known).iter());
        let zeros = "0".repeat(32);
        let command = format!("`goal confirm d2 --expect {zeros}` or `goal reject d2`");
        assert!(text.contains(&command), "{text}");
        assert!(text.contains("  why: shorter\n"), "{text}");
        assert!(drafts([].iter()).contains("goal draft TOPIC"));
    }
}
