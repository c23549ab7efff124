//! Open drafts as people read them: what each is for, and who waits for whom.

use serde_json::{Map, Value};

use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::difference::{difference, loss};
use crate::domain::goal::draft::{self, Draft};
use crate::domain::id::EventId;
use crate::render::amounts::age;
use crate::render::columns::{HEADING, fit};
use crate::render::contract;
use crate::render::table::{Column, ID, Tabled};
use crate::render::text::{clean, json_text, one_line, short};

/// An open draft, and what is known of the goal that it would change.
#[derive(Debug, Clone)]
pub struct Shown {
    pub draft: Draft,
    /// The latest event about it.
    pub revision: EventId,
    /// The goal's contract as it is now.
    pub now: Option<Contract>,
}

impl Shown {
    /// The title of the goal that would change, else what the draft is about.
    pub fn title(&self) -> &str {
        match &self.now {
            Some(now) => now.heading(),
            None => self.draft.about(),
        }
    }
}

impl Tabled for Shown {
    const COLUMNS: &'static [Column<Shown>] = &[
        Column::left("draft", "The draft's id", |row: &Shown, _| {
            one_line(&row.draft.draft_id).into()
        })
        .most(ID),
        Column::left(
            "for",
            "What it is for: a goal, a part of one, or a change",
            |row: &Shown, _| {
                match (&row.draft.goal_id, &row.draft.parent_goal_id) {
                    (Some(_), _) => "change",
                    (None, Some(_)) => "part",
                    (None, None) => "goal",
                }
                .into()
            },
        ),
        Column::left(
            "goal",
            "The goal that it changes, or is a part of",
            |row: &Shown, _| {
                let goal = row.draft.goal_id.as_ref();
                let goal = goal.or(row.draft.parent_goal_id.as_ref());
                goal.map(ToString::to_string).into()
            },
        )
        .most(ID),
        Column::left(
            "waits",
            "For whom it waits: the user or the agent",
            |row: &Shown, _| {
                match row.draft.proposal {
                    Some(_) => "user",
                    None => "agent",
                }
                .into()
            },
        ),
        Column::right(
            "age",
            "How long ago something happened to it",
            |row: &Shown, now| age(&row.draft.updated_at, now).into(),
        ),
        Column::cut(
            "title",
            "The title of the goal that changes, or the topic",
            |row: &Shown, _| fit(row.title(), HEADING).into(),
        ),
        Column::wrapped("why", "Why, as the proposal says", |row: &Shown, _| {
            row.draft.summary.as_deref().map(one_line).into()
        }),
    ];
}

/// The open drafts, each with its proposal in full and what to do next.
pub fn drafts(drafts: &[Shown]) -> String {
    let each: Vec<String> = drafts.iter().map(draft).collect();
    if each.is_empty() {
        return "No draft is open. Open one with `goal draft TOPIC`.\n".to_owned();
    }
    each.join("\n")
}

fn draft(shown: &Shown) -> String {
    let Shown {
        draft, revision, ..
    } = shown;
    let id = clean(&draft.draft_id);
    let rest = match &draft.proposal {
        // Where there were several proposals, the one that is shown is named.
        Some(_) if draft.proposals > 1 => format!(
            "  waits for the user: `goal confirm {id} --expect {revision}` or `goal reject {id}`\n"
        ),
        Some(_) => format!("  waits for the user: {}\n", decide(&id)),
        None => format!("  waits for the agent: {}\n", propose(draft.mode, &id)),
    };
    format!("{}{rest}", in_full(draft, shown.now.as_ref()))
}

/// A draft with all that is proposed for it; `now` is the contract of the goal that it would change.
pub fn in_full(draft: &Draft, now: Option<&Contract>) -> String {
    let topic = match draft.intent {
        true => one_line(&draft.topic),
        false => "the user did not ask for it".to_owned(),
    };
    let loss = match (&draft.proposal, now) {
        (Some(change), Some(now)) => format!(": {}", loss(&difference(now, change))),
        _ => String::new(),
    };
    let (id, what) = (clean(&draft.draft_id), what(draft));
    let mut text = format!("{id}: {what}{loss}\n  {topic}\n");
    if let Some(now) = now {
        text.push_str(&format!("  goal: {}\n", one_line(now.heading())));
    }
    if let Some(change) = &draft.proposal {
        if let Some(summary) = &draft.summary {
            text.push_str(&format!("  why: {}\n", one_line(summary)));
        }
        text.push_str("  proposed:\n");
        let proposal = proposal(draft.mode, change, now) + &known(&draft.context);
        text.extend(proposal.lines().map(|line| format!("    {line}\n")));
    }
    text
}

/// What a draft is for.
pub fn what(draft: &Draft) -> String {
    let mode = match draft.mode {
        DraftMode::Sisyphus => ", worked on in order and with patience (sisyphus)",
        DraftMode::Regular | DraftMode::Tweak => "",
    };
    match (&draft.goal_id, &draft.parent_goal_id) {
        (Some(goal), _) => format!("a change of goal {goal}"),
        (None, Some(parent)) => format!("a part of goal {parent} to hand on{mode}"),
        (None, None) => format!("a new goal{mode}"),
    }
}

/// A proposal as the user decides about it, the same wherever they do. Some hosts show the first two
/// lines only, so these say what is to be achieved and by what that is seen, or what would change;
/// `now` is the contract of the goal that would change. The draft's id comes last.
pub fn to_decide(draft: &Draft, now: Option<&Contract>) -> String {
    let change = draft.proposal.clone().unwrap_or_default();
    let (head, rest) = match now {
        Some(now) => to_change(&change, now),
        None => contract::in_two_lines(&contract::of_proposal(&change)),
    };
    let mut about = String::new();
    if draft.intent && !draft.topic.is_empty() {
        about.push_str(&format!("The user asked for: {}\n", one_line(&draft.topic)));
    }
    if let Some(summary) = &draft.summary {
        about.push_str(&format!("Why: {}\n", one_line(summary)));
    }
    let parts = [head, rest, known(&draft.context), about];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    format!(
        "{}\nProposed: {}. Nothing is in force until you confirm it (draft {}).\n",
        parts.collect::<Vec<_>>().join("\n"),
        what(draft),
        clean(&draft.draft_id)
    )
}

/// The first two lines of a change, which say what goes, and the change in full.
fn to_change(change: &ContractChange, now: &Contract) -> (String, String) {
    let differences = difference(now, change);
    let title = one_line(now.heading());
    if differences.is_empty() {
        return (
            format!("Change of `{title}`: nothing changes.\n"),
            String::new(),
        );
    }
    let head = format!(
        "Change of `{title}`: {}.\n{}\n",
        loss(&differences),
        contract::difference_line(&differences)
    );
    (head, contract::difference(&differences))
}

/// A proposal in full: the contract of a new goal, or what becomes of that of the goal.
pub fn proposal(mode: DraftMode, change: &ContractChange, now: Option<&Contract>) -> String {
    match (mode, now) {
        (DraftMode::Tweak, Some(now)) => to_change(change, now).1,
        (DraftMode::Tweak, None) => contract::change(change),
        _ => contract::proposed(change),
    }
}

/// What is known of a proposed goal, and becomes evidence of it.
pub fn known(context: &Map<String, Value>) -> String {
    let lines = draft::known(context)
        .map(|(key, value)| (one_line(key.as_str()), short(&json_text(value), SHOWN)))
        .map(|(key, value)| format!("  {key}: {value}\n"));
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
            proposed_by: None,
            proposal: None,
            context: serde_json::Map::new(),
            summary: None,
            proposals: 0,
            created_at: String::new(),
            updated_at: String::new(),
            latest: LineRef::START,
        }
    }

    fn proposing(proposal: ContractChange) -> Draft {
        Draft {
            proposal: Some(proposal),
            ..a_draft(DraftMode::Regular)
        }
    }

    #[test]
    fn two_lines_are_enough_to_know_what_a_goal_is_about() {
        let draft = proposing(ContractChange {
            objective: Some("halve\x1b the time".into()),
            success_criteria: Some(vec!["under five minutes".into(), "all green".into()]),
            boundaries: Some(vec!["no test is removed".into()]),
            title: Some("Speed".into()),
            ..ContractChange::default()
        });
        insta::assert_snapshot!(to_decide(&draft, None), @r"
        Objective: halve� the time
        Success criteria: (1) under five minutes (2) all green

        Boundaries:
          - no test is removed
        Title: Speed

        The user asked for: speed�

        Proposed: a new goal. Nothing is in force until you confirm it (draft d1).
        ");
        let lines = proposing(ContractChange {
            objective: Some("halve\nthe time".into()),
            ..ContractChange::default()
        });
        insta::assert_snapshot!(to_decide(&lines, None), @r"
        Objective: halve the time
        Success criteria: none

        Objective:
          halve
          the time

        The user asked for: speed�

        Proposed: a new goal. Nothing is in force until you confirm it (draft d1).
        ");
    }

    #[test]
    fn two_lines_are_enough_to_know_what_would_change() {
        let now = Contract {
            objective: "halve the time".into(),
            success_criteria: vec!["all green".into(), "under five minutes".into()],
            constraints: vec!["in Rust".into()],
            ..Contract::default()
        };
        let draft = Draft {
            goal_id: Some("g1".parse().unwrap()),
            intent: false,
            summary: Some("no machine is faster".into()),
            ..proposing(ContractChange {
                success_criteria: Some(vec!["all green".into(), "under six minutes".into()]),
                constraints: Some(vec![]),
                ..ContractChange::default()
            })
        };
        insta::assert_snapshot!(to_decide(&draft, Some(&now)), @r"
        Change of `halve the time`: 1 success criterion is removed, 1 constraint is removed.
        Success criteria: - under five minutes, + under six minutes; constraints: - in Rust

        Success criteria (1 stays):
          - under five minutes
          + under six minutes
        Constraints:
          - in Rust

        Why: no machine is faster

        Proposed: a change of goal g1. Nothing is in force until you confirm it (draft d1).
        ");
        let whole = Draft {
            proposal: Some(ContractChange {
                objective: Some("a third".into()),
                ..ContractChange::default()
            }),
            ..draft
        };
        insta::assert_snapshot!(to_decide(&whole, Some(&now)), @r"
        Change of `halve the time`: the objective is replaced.
        Objective: - halve the time, + a third

        Objective:
          - halve the time
          + a third

        Why: no machine is faster

        Proposed: a change of goal g1. Nothing is in force until you confirm it (draft d1).
        ");
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
        let text = "d1: a new goal, worked on in order and with patience (sisyphus)\n  speed\u{fffd}\n  \
            waits for the agent: `goal propose d1 OBJECTIVE` with the contract\n\n\
            d2: a change of goal g1\n  the user did not ask for it\n  proposed:\n    \
            Title: T\n  waits for the user: `goal confirm d2` or `goal reject d2`\n";
        let known = |draft| Shown {
            draft,
            revision: EventId::ZERO,
            now: None,
        };
        assert_eq!(drafts(&[waiting, proposed.clone()].map(known)), text);
        let again = Draft {
            summary: Some("shorter".into()),
            proposals: 2,
            ..proposed
        };
        let text = drafts(&[again].map(known));
        let zeros = "0".repeat(32);
        let command = format!("`goal confirm d2 --expect {zeros}` or `goal reject d2`");
        assert!(text.contains(&command), "{text}");
        assert!(text.contains("  why: shorter\n"), "{text}");
        assert!(drafts(&[]).contains("goal draft TOPIC"));
    }
}
