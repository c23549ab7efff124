//! What a ledger means does not depend on who merged it with whom: over random histories.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Status;
use crate::domain::id::EventId;
use crate::domain::replay::Replayed;
use crate::domain::testing::Ledger;
use crate::domain::testing::histories::{
    History, Random, contract_of, ledger_of, merge, revision_of, shuffled, told,
};

/// Every file with all lines that the writers of a history can come to.
fn whole(history: &History, random: &mut Random) -> Vec<Vec<String>> {
    let mut files = Vec::new();
    for _ in 0..3 {
        let mut order: Vec<usize> = (0..history.files.len()).collect();
        for at in 0..order.len() {
            let other = random.below(order.len());
            order.swap(at, other);
        }
        let mut file = Vec::new();
        for at in order {
            merge(&mut file, &history.files[at], random.below(4) == 0);
        }
        files.push(file);
    }
    let shuffle = shuffled(&files[0], random);
    files.push(shuffle);
    files
}

proptest! {
    #[test]
    fn a_ledger_means_the_same_whoever_merged_it(seed in any::<u64>()) {
        let history = History::of(seed);
        let mut files = whole(&history, &mut Random(!seed)).into_iter();
        let first = ledger_of(&files.next().unwrap());
        let expected = told(&first);
        for file in files {
            let ledger = ledger_of(&file);
            let told = told(&ledger);
            let mut lines = told.lines().zip(expected.lines());
            let differ = lines.find(|(one, other)| one != other);
            prop_assert!(told == expected, "{differ:?}\n{}\n---\n{}", text(&first), text(&ledger));
        }
    }

    #[test]
    fn what_stands_before_the_first_fork_need_not_be_put_in_order(seed in any::<u64>()) {
        let history = History::of(seed);
        let mut files = whole(&history, &mut Random(!seed));
        files.extend(history.files.clone());
        for file in files {
            let ledger = ledger_of(&file);
            let replayed = ledger.replayed();
            if replayed.state.merged.is_some() {
                let expected = ledger.replayed_in_order();
                let told = |it: &Replayed| format!("{:#?}\n{:#?}", it.state, it.diagnostics);
                let (told, expected) = (told(&replayed), told(&expected));
                let mut lines = told.lines().zip(expected.lines());
                let differ = lines.find(|(one, other)| one != other);
                prop_assert!(told == expected, "{differ:?}\n{}", text(&ledger));
            }
        }
    }

    #[test]
    fn nobody_completes_another_contract_than_the_auditor_saw(seed in any::<u64>()) {
        let history = History::of(seed);
        let mut files = whole(&history, &mut Random(!seed));
        files.extend(history.files.clone());
        let mut contracts: BTreeMap<_, String> = BTreeMap::new();
        for file in files {
            let ledger = ledger_of(&file);
            let (state, _) = ledger.replay();
            for goal in state.goals.values() {
                let revision = revision_of(goal, &ledger);
                let contract = contract_of(goal);
                let known = contracts.entry(revision).or_insert_with(|| contract.clone());
                prop_assert_eq!(&*known, &contract, "one revision, {:?}, two contracts: {}", revision, text(&ledger));
                let audited = goal.audited(|line| Ok::<_, ()>(ledger.id(line))).unwrap();
                if goal.status != Status::Complete || goal.contest.is_some() {
                    continue;
                }
                prop_assert_eq!(audited, Some(Audited::Gated), "{}", text(&ledger));
                // Whoever takes a completion takes its contract; tasks of others stay.
                let settled = format!("goal_settled\",\"goalId\":\"{}\"", goal.id);
                let parts = match text(&ledger).contains(&settled) {
                    true => 1,
                    false => 2,
                };
                let told = |it: &str| it.split("} [").take(parts).collect::<Vec<_>>().join(" ");
                // Of two completions of one contract either may be the one that saw all tasks.
                let ids: BTreeSet<_> = ledger.lines().iter().map(|it| EventId::of_line(it.bytes)).collect();
                let mut audited = history.audited.iter().filter(|(id, _)| ids.contains(id));
                prop_assert!(audited.any(|(_, it)| told(it) == told(&contract)), "{}", text(&ledger));
            }
        }
    }
}

fn text(ledger: &Ledger) -> String {
    String::from_utf8_lossy(&ledger.bytes).into_owned()
}

#[test]
fn a_line_that_names_a_foreign_line_before_the_last_one_is_put_in_order() {
    let created = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:00:00.000Z"}"#;
    let mut ledger = Ledger::default().ours(created);
    let head = ledger.id(ledger.replay().0.heads[0].0);
    let foreign = |reason: &str| {
        format!(
            r#"{{"type":"goal_paused","goalId":"theirs","reason":"{reason}","at":"2026-11-21T20:01:00.000Z"}}"#
        )
    };
    ledger.append(&foreign("first"));
    let named = EventId::of_line(foreign("first").as_bytes());
    ledger.append(&foreign("second"));
    ledger.append(&format!(
        r#"{{"type":"goal_noted","goalId":"a","note":"n","at":"2026-11-21T20:02:00.000Z","prev":"{named}","also":["{head}"]}}"#
    ));
    let told = |it: Replayed| format!("{:#?}", it.state);
    assert_eq!(told(ledger.replayed()), told(ledger.replayed_in_order()));
}
