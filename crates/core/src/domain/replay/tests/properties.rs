//! Ledgers nobody thought of: replay against a naive reading of the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use crate::domain::focus::focused;
use crate::domain::goal::state::Status;
use crate::domain::goal::status::Keeper;
use crate::domain::id::GoalId;
use crate::domain::replay::Replay;
use crate::domain::testing::Ledger;
use crate::domain::wire::{Decoded, decode};

const KINDS: [&str; 23] = [
    r#""type":"task_added","tasks":[]"#,
    r#""type":"task_list_set","taskCount":2,"blockCompletion":true"#,
    r#""type":"task_list_set","taskCount":1,"blockCompletion":true,"tasks":[{"id":"1","title":"t"}]"#,
    r#""type":"task_added","tasks":[{"id":"2","title":"t"}]"#,
    r#""type":"audit_result","verdict":"disapproved","report":"r\n""#,
    r#""type":"goal_created","objective":"o","sisyphus":false,"autoContinue":true"#,
    r#""type":"goal_focused","reason":"r""#,
    r#""type":"goal_unfocused","reason":"r""#,
    r#""type":"goal_paused","reason":"r""#,
    r#""type":"goal_paused","reason":"r","blocked":true"#,
    r#""type":"goal_resumed","reason":"r""#,
    r#""type":"goal_tweaked","changeSummary":"c""#,
    r#""type":"goal_noted","note":"n""#,
    r#""type":"goal_blocked","reason":"r""#,
    r#""type":"audit_result","verdict":"approved","report":"r""#,
    r#""type":"goal_completed""#,
    r#""type":"goal_aborted","reason":"r""#,
    r#""type":"goal_aborted","reason":"r","outcome":"failed""#,
    r#""type":"goal_archived","archivePath":"p""#,
    r#""type":"draft_started","draftId":"d","topic":"t","mode":"tweak""#,
    r#""type":"never_heard_of""#,
    r#""type":"goal_created","objective":"o","sisyphus":false,"autoContinue":true,"imported":true"#,
    r#""type":"goal_tweaked","changeSummary":"c","objective":"p""#,
];

/// Which of them is a creation.
const CREATION: usize = 5;

const NOISE: [&str; 7] = [
    "",
    "not json",
    "[]",
    "{\"type\":\"goal_paused\"",
    "<<<<<<< HEAD",
    "{\"at\":\"t\"}\r",
    "null",
];

#[derive(Debug, Clone)]
enum Step {
    Event {
        kind: usize,
        goal: char,
        session: Option<char>,
        ours: bool,
    },
    Again(prop::sample::Index),
    Noise(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let goal = || prop::sample::select(vec!['a', 'b', 'c']);
    let session = prop::option::of(prop::sample::select(vec!['s', 't']));
    let event =
        (0..KINDS.len(), goal(), session, any::<bool>()).prop_map(|(kind, goal, session, ours)| {
            Step::Event {
                kind,
                goal,
                session,
                ours,
            }
        });
    let creation = (goal(), any::<bool>()).prop_map(|(goal, ours)| Step::Event {
        kind: CREATION,
        goal,
        session: None,
        ours,
    });
    prop_oneof![
        8 => event,
        2 => creation,
        1 => any::<prop::sample::Index>().prop_map(Step::Again),
        1 => (0..NOISE.len()).prop_map(Step::Noise),
    ]
}

fn ledger_of(steps: &[Step]) -> Ledger {
    let mut ledger = Ledger::default();
    for step in steps {
        match step {
            Step::Event {
                kind,
                goal,
                session,
                ours,
            } => {
                let session = session.map(|name| format!(r#","session":"{name}""#));
                let session = session.unwrap_or_default();
                let line = format!(
                    r#"{{{},"goalId":"{goal}","at":"t"{session}}}"#,
                    KINDS[*kind]
                );
                ledger = if *ours {
                    ledger.ours(&line)
                } else {
                    ledger.theirs(&line)
                };
            }
            Step::Again(which) => {
                let text = String::from_utf8(ledger.bytes.clone()).unwrap();
                let lines: Vec<&str> = text.lines().collect();
                if !lines.is_empty() {
                    ledger.append(lines[which.index(lines.len())]);
                }
            }
            Step::Noise(which) => ledger.append(NOISE[*which]),
        }
    }
    ledger
}

/// Statuses by goal, and the word on focus by session (`""`: the project).
#[derive(Default)]
struct Oracle {
    status: BTreeMap<String, &'static str>,
    /// Goals that a line of ours is about.
    ours: BTreeSet<String>,
    created: BTreeSet<String>,
    /// Goals of which only other programs have said what they are about, or what became of them.
    claimed: BTreeSet<String>,
    /// A line of ours has said what the project works on.
    chosen: bool,
    focus: BTreeMap<String, Option<String>>,
}

fn naive(ledger: &Ledger) -> Oracle {
    let mut oracle = Oracle::default();
    let mut seen = BTreeSet::new();
    for line in String::from_utf8(ledger.bytes.clone()).unwrap().split('\n') {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let text = |field: &str| event[field].as_str().map(str::to_owned);
        let Some(kind) = text("type") else { continue };
        if text("prev").is_some() && !seen.insert(line.to_owned()) {
            continue;
        }
        let Some(goal) = text("goalId") else { continue };
        let session = text("session").unwrap_or_default();
        let by_us = text("prev").is_some();
        let focuses = kind == "goal_focused" || kind == "goal_unfocused";
        if focuses && (by_us || (session.is_empty() && !oracle.chosen)) {
            oracle.chosen |= by_us && session.is_empty();
            let to = Some(goal.clone()).filter(|_| kind == "goal_focused");
            oracle.focus.insert(session, to);
        }
        // It is about no goal, whatever it names.
        if kind == "goal_unfocused" {
            continue;
        }
        let is_known = oracle.status.contains_key(&goal);
        let is_talk = kind == "draft_started" || focuses && !by_us;
        if kind == "never_heard_of" || is_talk && !is_known {
            continue;
        }
        let creates = by_us && kind == "goal_created";
        if creates && event["imported"] != true && oracle.claimed.remove(&goal) {
            oracle.status.insert(goal.clone(), "active");
            oracle.created.remove(&goal);
        }
        if by_us && kind != "draft_started" {
            oracle.ours.insert(goal.clone());
        }
        let is_ours = oracle.ours.contains(&goal);
        let says_nothing = [
            "goal_focused",
            "goal_paused",
            "goal_blocked",
            "goal_archived",
        ];
        if !by_us && !is_ours && !says_nothing.contains(&&*kind) {
            oracle.claimed.insert(goal.clone());
        }
        let heeded = by_us || !is_ours;
        let is_first = heeded && kind == "goal_created" && oracle.created.insert(goal.clone());
        let status = oracle.status.entry(goal.clone()).or_insert("active");
        let open = ["active", "paused", "blocked"].contains(status);
        let agreed = open && by_us && kind == "goal_tweaked" && text("objective").is_some();
        if agreed || is_first && creates {
            oracle.claimed.remove(&goal);
        }
        let stops = match kind.as_str() {
            "goal_paused" | "goal_blocked" => *status == "active",
            other => other == "goal_aborted",
        };
        if is_ours && !by_us && !stops {
            continue;
        }
        if !open {
            continue;
        }
        *status = match kind.as_str() {
            "goal_paused" if event["blocked"] == true => "blocked",
            "goal_paused" => "paused",
            "goal_blocked" => "blocked",
            "goal_resumed" => "active",
            "goal_completed" => "complete",
            "goal_aborted" if event["outcome"] == "failed" => "failed",
            "goal_aborted" => "aborted",
            _ => *status,
        };
    }
    oracle
}

impl Oracle {
    /// Whether the latest word of some session was that it works on nothing.
    fn was_left(&self) -> bool {
        let mut sessions = self.focus.iter().filter(|(session, _)| !session.is_empty());
        sessions.any(|(_, word)| word.is_none())
    }

    fn focused(&self, session: &str) -> Option<String> {
        let is_open = |goal: &String| {
            let status = self.status.get(goal);
            status.is_some_and(|it| ["active", "paused", "blocked"].contains(it))
        };
        match self.focus.get(session).or(self.focus.get("")) {
            Some(Some(goal)) => Some(goal.clone()).filter(is_open),
            Some(None) => None,
            None if self.was_left() => None,
            None => {
                let open: Vec<&String> = self.status.keys().filter(|goal| is_open(goal)).collect();
                (open.len() == 1).then(|| open[0].clone())
            }
        }
    }
}

proptest! {
    #[test]
    fn replay_agrees_with_a_naive_reading(steps in prop::collection::vec(step(), 0..40)) {
        let ledger = ledger_of(&steps);
        let (state, _) = ledger.replay();
        let oracle = naive(&ledger);
        let statuses: BTreeMap<String, &str> =
            state.goals.values().map(|goal| (goal.id.to_string(), goal.status.name())).collect();
        prop_assert_eq!(&statuses, &oracle.status);
        for session in ["", "s", "t", "new"] {
            let focus = focused(&state, Some(session).filter(|name| !name.is_empty()));
            prop_assert_eq!(focus.map(ToString::to_string), oracle.focused(session));
        }
    }

    #[test]
    fn a_terminal_status_is_final_and_revisions_move_with_a_reason(
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let ledger = ledger_of(&steps);
        let mut replay = Replay::new(Arc::new(ledger.bytes.clone()));
        for raw in ledger.lines() {
            let before = replay.state().clone();
            let Decoded::Event { event, .. } = decode(&raw) else { continue };
            replay.push(&raw);
            for (id, was) in before.goals.values().map(|it| (&it.id, it)) {
                let is = &replay.state().goals[id];
                let of_goal = event.goal_id.as_ref() == Some(id);
                let replaced = of_goal && was.is_replaced_by(&event);
                prop_assert!(was.status.is_open() || is.status == was.status || replaced);
                // What another program does to a goal of ours moves no revision.
                if is.status != was.status && (event.is_ours() || was.keeper == Keeper::Theirs) {
                    prop_assert_eq!(is.revision.unwrap().number, raw.number);
                }
                if is.contract != was.contract {
                    prop_assert_eq!(is.revision.unwrap().number, raw.number);
                }
                if is.revision != was.revision {
                    let moved = is.status != was.status || is.created != was.created;
                    let defined = ["goal_tweaked", "task_list_set", "task_added"].contains(&event.payload.name());
                    let is_act = event.is_ours() && event.payload.status().is_some();
                    prop_assert!(moved || defined || replaced || is_act);
                }
            }
        }
    }

    #[test]
    fn goals_that_are_not_settled_are_counted(steps in prop::collection::vec(step(), 0..40)) {
        let (state, _) = ledger_of(&steps).replay();
        let unsettled = state.goals.values().filter(|goal| !goal.has_contract_of_ours()).count();
        prop_assert_eq!(state.goals.unsettled(), unsettled as u64);
    }

    #[test]
    fn any_bytes_and_any_cut_replay_and_replay_the_same(
        steps in prop::collection::vec(step(), 0..12),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut ledger = ledger_of(&steps);
        let at = cut.index(ledger.bytes.len() + 1);
        ledger.bytes.splice(at..at, noise);
        let mut prefix = ledger.clone();
        prefix.bytes.truncate(cut.index(ledger.bytes.len() + 1));
        for ledger in [ledger, prefix] {
            let (first, found) = ledger.replay();
            let (second, again) = ledger.replay();
            prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
            prop_assert_eq!(found, again);
        }
    }

    #[test]
    fn a_cut_last_line_costs_nothing_before_it(
        steps in prop::collection::vec(step(), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = ledger_of(&steps[..steps.len() - 1]);
        let mut longer = ledger_of(&steps);
        let tail = longer.bytes.len() - whole.bytes.len();
        longer.bytes.truncate(whole.bytes.len() + cut.index(tail.max(1)));
        let ids = |ledger: &Ledger| -> Vec<(GoalId, Status)> {
            let (state, _) = ledger.replay();
            state.goals.values().map(|goal| (goal.id.clone(), goal.status)).collect()
        };
        let (before, after) = (ids(&whole), ids(&longer));
        // Cut right before its line end the last line is whole, and counts.
        if longer.bytes.last() != Some(&b'}') {
            prop_assert_eq!(before, after);
        }
    }
}
