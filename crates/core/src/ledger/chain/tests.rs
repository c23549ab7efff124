//! Ledgers of a line or so each, tampered with and merged.

use super::*;
use crate::domain::testing::event;
use crate::domain::testing::histories::{History, id_of, ledger_of, merge};

/// A line as text, with its link; a line without one is foreign.
#[derive(Clone)]
struct Line {
    text: String,
    prev: Option<EventId>,
}

impl Line {
    fn id(&self) -> EventId {
        EventId::of_line(self.text.as_bytes())
    }
}

fn foreign(text: &str) -> Line {
    Line {
        text: text.to_owned(),
        prev: None,
    }
}

fn ours(text: &str, prev: EventId) -> Line {
    Line {
        text: format!("{text} {prev}"),
        prev: Some(prev),
    }
}

/// Appends lines of ours, each linked to the one before it.
fn follow(mut lines: Vec<Line>, texts: &[&str]) -> Vec<Line> {
    for text in texts {
        let prev = lines.last().map_or(EventId::ZERO, Line::id);
        lines.push(ours(text, prev));
    }
    lines
}

fn chain(lines: &[Line]) -> LineLinks {
    let mut chain = LineLinks::new();
    let mut offset = 0;
    for (index, line) in lines.iter().enumerate() {
        let place = LinePlace {
            number: index as u64 + 1,
            offset,
        };
        chain.push(place, line.id(), line.prev, &[]);
        offset += line.text.len() as u64 + 1;
    }
    chain
}

fn report(lines: &[Line]) -> ChainReport {
    chain(lines).report()
}

fn numbers(places: &[LinePlace]) -> Vec<u64> {
    places.iter().map(|place| place.number).collect()
}

fn broken(lines: &[Line]) -> Vec<u64> {
    report(lines)
        .broken
        .iter()
        .map(|link| link.place.number)
        .collect()
}

#[test]
fn a_ledger_of_ours_alone_is_covered_up_to_its_tip() {
    let lines = follow(vec![], &["a", "b", "c"]);
    let report = report(&lines);
    assert_eq!(report.tip, Some(lines[2].id()));
    assert_eq!((report.lines, report.linked, report.covered), (3, 3, 2));
    assert_eq!(report.jumps, 0);
    assert!(report.broken.is_empty() && report.unlinked.is_empty() && report.uncovered.is_empty());
    let reach = chain(&lines).reach(lines[2].id()).unwrap();
    assert_eq!(reach.place.number, 3);
    assert!(reach.unreached.is_empty());
}

#[test]
fn links_lead_back_to_a_line_of_another_program_and_no_further() {
    let mut lines = follow(vec![], &["a", "b"]);
    lines.push(foreign("f"));
    let ledger = follow(lines, &["c", "d"]);
    let ids: Vec<EventId> = ledger.iter().map(Line::id).collect();
    let all = ids.iter().copied().collect();
    let led_to = |from: usize| chain(&ledger).leads_to(ids[from], &all);
    assert_eq!(led_to(4), ids[2..].iter().copied().collect());
    assert_eq!(led_to(1), ids[..2].iter().copied().collect());
    assert!(
        chain(&ledger)
            .leads_to(ids[1], &ids[2..].iter().copied().collect())
            .is_empty()
    );
}

#[test]
fn an_empty_ledger_has_no_tip() {
    assert_eq!(report(&[]).tip, None);
    assert_eq!(report(&[foreign("a")]).tip, None);
    assert_eq!(chain(&[]).reach(EventId::ZERO), None);
}

#[test]
fn tampering_with_a_covered_line_breaks_the_link_to_it() {
    let lines = follow(vec![], &["a", "b", "c", "d"]);
    for at in 0..3 {
        let mut edited = lines.clone();
        edited[at].text.push('!');
        assert_eq!(broken(&edited), [at as u64 + 2], "edited {at}");

        let mut removed = lines.clone();
        removed.remove(at);
        assert_eq!(broken(&removed), [at as u64 + 1], "removed {at}");

        let mut swapped = lines.clone();
        swapped.swap(at, at + 1);
        assert!(!broken(&swapped).is_empty(), "swapped {at}");

        let mut restarted = lines.clone();
        restarted[at] = ours("z", EventId::ZERO);
        assert_eq!(broken(&restarted), [at as u64 + 2], "restarted {at}");
    }
}

#[test]
fn a_broken_link_names_line_and_id() {
    let missing = EventId::of_line(b"missing");
    let found = report(&[foreign("a"), ours("b", missing)]);
    let place = LinePlace {
        number: 2,
        offset: 2,
    };
    assert_eq!(
        found.broken[..],
        [BrokenLink {
            place,
            prev: missing
        }]
    );
    assert_eq!((found.linked, found.covered), (0, 0));
    let itself = EventId::of_line(b"itself");
    let mut chain = LineLinks::new();
    let place = LinePlace {
        number: 1,
        offset: 0,
    };
    chain.push(place, itself, Some(itself), &[]);
    assert_eq!(chain.report().broken.len(), 1);
}

#[test]
fn of_a_foreign_run_only_the_last_line_is_covered() {
    let mut lines = follow(vec![], &["a", "b"]);
    lines.extend([foreign("x"), foreign("y"), foreign("z")]);
    let lines = follow(lines, &["c"]);
    let report = report(&lines);
    assert_eq!((report.linked, report.covered, report.jumps), (3, 2, 0));
    assert_eq!(numbers(&report.unlinked), [3, 4, 5]);
    assert_eq!(numbers(&report.uncovered), [2, 3, 4]);
    let reach = chain(&lines).reach(lines[5].id()).unwrap();
    assert_eq!(numbers(&reach.unreached), [1, 2, 3, 4]);
}

#[test]
fn a_foreign_ledger_taken_up_by_us_has_no_finding() {
    let lines = follow(vec![foreign("x"), foreign("y")], &["a"]);
    let report = report(&lines);
    assert!(report.broken.is_empty());
    assert_eq!((report.linked, report.covered), (1, 1));
    assert_eq!(numbers(&report.uncovered), [1]);
}

#[test]
fn a_union_merge_has_no_finding() {
    let base = follow(vec![], &["a"]);
    let left = follow(base.clone(), &["b", "c"]);
    let right = follow(base.clone(), &["d", "e"]);
    let mut merged = left.clone();
    merged.extend_from_slice(&right[1..]);
    let lines = follow(merged, &["f"]);
    let report = report(&lines);
    assert!(report.broken.is_empty());
    assert_eq!((report.linked, report.covered, report.jumps), (6, 4, 1));
    assert_eq!(numbers(&report.uncovered), [3]);
    let chain = chain(&lines);
    let reach = chain.reach(lines[5].id()).unwrap();
    assert_eq!(numbers(&reach.unreached), [2, 3]);
    let before = chain.reach(left[2].id()).unwrap();
    assert!(before.unreached.is_empty(), "the tip before the merge");
}

#[test]
fn duplicates_and_second_beginnings_have_no_finding() {
    let left = follow(vec![], &["a", "b"]);
    let right = follow(vec![], &["c", "d"]);
    let mut merged = left.clone();
    merged.extend_from_slice(&left);
    merged.extend_from_slice(&right);
    let lines = follow(merged, &["e"]);
    let report = report(&lines);
    assert!(report.broken.is_empty());
    assert_eq!(report.linked, 7);
    assert_eq!(numbers(&report.uncovered), [2, 3, 4]);
    let parts = report.covered + report.uncovered.len() as u64 + 1;
    assert_eq!(parts, report.lines);
}

#[test]
fn an_anchor_that_is_gone_is_not_found() {
    let lines = follow(vec![], &["a", "b", "c"]);
    assert_eq!(chain(&lines[..2]).reach(lines[2].id()), None);
    assert_eq!(chain(&lines).reach(EventId::ZERO), None);
}

/// After a merge one more line covers all others: no other can be changed or removed unnoticed.
#[test]
fn after_a_merge_and_one_more_line_every_change_is_found() {
    let chain = |lines: &[String]| {
        let mut chain = LineLinks::new();
        for (number, line) in (1..).zip(lines) {
            let event = event(line).envelope;
            let place = LinePlace { number, offset: 0 };
            chain.push(place, id_of(line), event.prev, &event.also);
        }
        chain.report()
    };
    for seed in 0..40 {
        let history = History::of(seed);
        let mut file = Vec::new();
        history
            .files
            .iter()
            .for_each(|other| merge(&mut file, other, false));
        let mut seen = BTreeSet::new();
        file.retain(|line| seen.insert(line.clone()));
        let ledger = ledger_of(&file);
        let (state, _) = ledger.replay();
        let last = ledger.id(state.last.unwrap());
        let also = state.heads.iter().map(|(_, id)| *id);
        let also: Vec<EventId> = also.filter(|id| *id != last).collect();
        let also = serde_json::to_string(&also).unwrap();
        file.push(format!(
            r#"{{"type":"goal_noted","goalId":"a","note":"n","at":"t","prev":"{last}","also":{also}}}"#
        ));
        let whole = chain(&file);
        assert_eq!(
            (whole.uncovered.count, whole.broken.count),
            (0, 0),
            "{seed}"
        );
        for at in 0..file.len() - 1 {
            let mut removed = file.clone();
            removed.remove(at);
            assert!(
                chain(&removed).broken.count > 0,
                "{seed}: line {at} removed"
            );
            let mut changed = file.clone();
            changed[at] = changed[at].replacen("\"type\"", "\"was\":1,\"type\"", 1);
            assert!(
                chain(&changed).broken.count > 0,
                "{seed}: line {at} changed"
            );
        }
    }
}

/// For `scripts/compare`: a folder for each history, with the file of each writer.
#[test]
fn histories_are_written_where_they_are_asked_for() {
    let Some(dir) = std::env::var_os("GOAL_HISTORIES") else {
        return;
    };
    for seed in 0..1_000 {
        let folder = std::path::Path::new(&dir).join(seed.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        for (writer, lines) in History::of(seed).files.iter().enumerate() {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(folder.join(format!("{writer}.jsonl")), text).unwrap();
        }
    }
}
