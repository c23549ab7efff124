//! The order of random histories, and what each line had seen, against a naive reading of the rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::causal::Graph;
use crate::domain::causal::ancestry::LineInGraph;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::testing::histories::{History, ledger_of, merge, named};
use crate::domain::testing::{Ledger, event};
use crate::domain::wire::decode;

fn graph(ledger: &Ledger) -> Graph {
    let mut graph = Graph::default();
    for raw in ledger.lines() {
        graph.push(&raw, &decode(&raw), EventId::of_line(raw.bytes));
    }
    graph
}

/// By id, the lines of ours that a line had seen: those that it names, and theirs.
fn seen(lines: &BTreeMap<EventId, String>) -> BTreeMap<EventId, BTreeSet<EventId>> {
    let mut seen: BTreeMap<EventId, BTreeSet<EventId>> = BTreeMap::new();
    while seen.len() < lines.len() {
        for (id, line) in lines {
            let named: Vec<EventId> = named(line)
                .into_iter()
                .filter(|it| lines.contains_key(it))
                .collect();
            if named.iter().all(|it| seen.contains_key(it)) {
                let behind = named.iter().flat_map(|it| &seen[it]).copied();
                let all = behind.chain(named.iter().copied()).collect();
                seen.insert(*id, all);
            }
        }
    }
    seen
}

#[test]
fn the_order_and_what_lines_had_seen_are_those_of_a_naive_reading() {
    for seed in 0..150 {
        let history = History::of(seed);
        let mut file = Vec::new();
        let others = history.files.iter();
        others.for_each(|other| merge(&mut file, other, false));
        let ledger = ledger_of(&file);
        let (ordered, ancestry) = graph(&ledger).with_ancestry();
        let ours = |line: &LineRef| event_of(&ledger, *line).envelope.is_ours();
        let turns = ordered.turns.iter().filter(|turn| !turn.double);
        let order: Vec<LineRef> = turns.map(|turn| turn.line).filter(ours).collect();
        let text = |line: &LineRef| String::from_utf8_lossy(ledger.read(*line)).into_owned();
        let lines = order.iter().map(|line| (ledger.id(*line), text(line)));
        let lines: BTreeMap<EventId, String> = lines.collect();
        assert_eq!(lines.len(), order.len(), "{seed}: each once");
        let seen = seen(&lines);
        for (at, later) in order.iter().enumerate() {
            let in_graph = LineInGraph::of(*later, Some(&ancestry));
            for earlier in &order[..at] {
                let has_seen = seen[&ledger.id(*later)].contains(&ledger.id(*earlier));
                assert_eq!(in_graph.sees(*earlier), has_seen, "{seed}: {}", text(later));
                let ahead = seen[&ledger.id(*earlier)].contains(&ledger.id(*later));
                assert!(!ahead, "{seed}: a line before one that it had seen");
            }
        }
        let named: BTreeSet<EventId> = lines.values().flat_map(|line| named(line)).collect();
        let heads = lines.keys().filter(|id| !named.contains(id));
        let found: BTreeSet<EventId> = ordered.heads.iter().map(|(_, id)| *id).collect();
        assert_eq!(found, heads.copied().collect(), "{seed}");
        assert_eq!(ordered.misplaced, [], "{seed}");
    }
}

fn event_of(ledger: &Ledger, line: LineRef) -> crate::domain::event::Event {
    event(&String::from_utf8_lossy(ledger.read(line)))
}
