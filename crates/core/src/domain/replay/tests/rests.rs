//! Of acts whose writers had not seen each other: the user's rest stands, and so does the smaller
//! budget; and no line of another program is part of a revision. Over random histories, against a
//! reader that compares every act with every other one, for every order in which files are merged.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::domain::causal::Graph;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::testing::Ledger;
use crate::domain::testing::histories::{Random, id_of, ledger_of, merge};
use crate::domain::time::rfc3339;
use crate::domain::wire::decode;

/// Files of writers, each with what it took in of the others.
struct Writers {
    files: Vec<Vec<String>>,
    random: Random,
    now: i64,
    skews: Vec<i64>,
    count: usize,
}

impl Writers {
    fn of(seed: u64, leaves_open: bool) -> Writers {
        let mut random = Random(seed);
        let many = 2 + random.below(3);
        let skew = [1, 1_000_000, 90_000_000][random.below(3)];
        let skews = (0..many)
            .map(|_| random.below(skew) as i64 * 1_000)
            .collect();
        let mut writers = Writers {
            files: vec![Vec::new(); many],
            random,
            now: 1_790_000_000_000,
            skews,
            count: 0,
        };
        let created = json!({"type": "goal_created", "objective": "o", "sisyphus": false, "autoContinue": true});
        writers.write(0, created, "user");
        let base = writers.files[0].clone();
        writers.files.fill(base);
        for _ in 0..4 + writers.random.below(20) {
            let at = writers.random.below(many);
            match writers.random.below(4) {
                0 => {
                    let theirs = writers.files[writers.random.below(many)].clone();
                    let double = writers.random.below(4) == 0;
                    merge(&mut writers.files[at], &theirs, double);
                }
                _ => writers.act(at, leaves_open),
            }
        }
        writers
    }

    fn write(&mut self, at: usize, mut body: Value, by: &str) {
        self.now += 1 + self.random.below(120_000) as i64;
        let ledger = ledger_of(&self.files[at]);
        let state = ledger.replay().0;
        let prev = state.last.map_or(EventId::ZERO, |it| ledger.id(it));
        let also = state.heads.iter().map(|(_, id)| *id);
        let also: Vec<String> = also
            .filter(|id| *id != prev)
            .map(|id| id.to_string())
            .collect();
        body["goalId"] = json!("a");
        body["at"] = json!(rfc3339(self.now + self.skews[at]));
        body["by"] = json!(by);
        body["prev"] = json!(prev.to_string());
        if !also.is_empty() {
            body["also"] = json!(also);
        }
        self.files[at].push(body.to_string());
    }

    fn act(&mut self, at: usize, leaves_open: bool) {
        self.count += 1;
        let count = self.count;
        let reason = format!("r{count}");
        let rest = json!({"type": "goal_paused", "reason": reason});
        let block = json!({"type": "goal_paused", "reason": reason, "blocked": true});
        let note = json!({"type": "goal_noted", "note": reason});
        let resume = json!({"type": "goal_resumed", "reason": reason});
        match self.random.below(12) {
            0 | 1 => self.write(at, rest, "user"),
            2 => self.write(at, block, "user"),
            3 => self.write(at, rest, "agent"),
            4..=6 => self.write(at, resume, "user"),
            7 | 8 => {
                let mut limits = json!({});
                for limit in ["maxLlmCalls", "costUsd"] {
                    if self.random.below(3) > 0 {
                        limits[limit] = json!(self.random.below(9));
                    }
                }
                self.write(at, json!({"type": "budget_set", "limits": limits}), "user");
            }
            9 => {
                let tweak =
                    json!({"type": "goal_tweaked", "changeSummary": "s", "objective": reason});
                self.write(at, tweak, "user");
            }
            10 => {
                // Another program.
                let mut theirs = rest;
                theirs["goalId"] = json!("a");
                theirs["at"] = json!(rfc3339(self.now));
                self.files[at].push(theirs.to_string());
                if !leaves_open || self.random.below(2) == 0 {
                    self.write(at, note, "agent");
                }
            }
            _ => self.write(at, note, "agent"),
        }
    }

    /// The files, merged in every order.
    fn merged(&mut self) -> Vec<Vec<String>> {
        let all = orders((0..self.files.len()).collect());
        let merged = all.into_iter().map(|order| {
            let mut file = Vec::new();
            for at in order {
                merge(&mut file, &self.files[at], self.random.below(4) == 0);
            }
            file
        });
        merged.collect()
    }
}

fn orders(items: Vec<usize>) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.clone();
        let first = rest.remove(at);
        for mut order in orders(rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}

/// What the naive reader makes of a goal.
#[derive(Debug, PartialEq)]
struct Read {
    status: Status,
    reason: Option<String>,
    limits: BTreeMap<String, f64>,
    frontier: BTreeSet<EventId>,
}

impl Read {
    fn of(goal: &Goal, ledger: &Ledger) -> Read {
        Read {
            status: goal.status,
            reason: goal.pause.as_ref().map(|it| it.reason.clone()),
            limits: goal.cost.limits.written(),
            frontier: goal.frontier().map(|line| ledger.id(line)).collect(),
        }
    }
}

/// A line to the naive reader.
struct Act {
    id: EventId,
    kind: String,
    body: Value,
    ours: bool,
    /// The lines that its writer had seen.
    seen: BTreeSet<EventId>,
}

impl Act {
    fn status(&self) -> Option<Status> {
        match &*self.kind {
            "goal_resumed" => Some(Status::Active),
            "goal_paused" if self.body["blocked"] == true => Some(Status::Blocked),
            "goal_paused" => Some(Status::Paused),
            _ => None,
        }
    }

    fn is_users_rest(&self) -> bool {
        self.ours && self.kind == "goal_paused" && self.body["by"] == "user"
    }

    fn is_turn(&self) -> bool {
        self.is_users_rest() || self.status() == Some(Status::Active)
    }
}

/// Those that no other one of them has seen.
fn tips<'a>(acts: &[&'a Act]) -> Vec<&'a Act> {
    let unseen = |it: &&&Act| !acts.iter().any(|other| other.seen.contains(&it.id));
    acts.iter().filter(unseen).copied().collect()
}

/// What decides how the goal stands by these acts.
fn decides<'a>(acts: &[&'a Act]) -> Option<&'a Act> {
    let sets: Vec<&Act> = acts
        .iter()
        .filter(|it| it.status().is_some())
        .copied()
        .collect();
    let latest = sets.last().copied()?;
    if latest.status() != Some(Status::Active) {
        return Some(latest);
    }
    let turns: Vec<&Act> = sets.into_iter().filter(|it| it.is_turn()).collect();
    let rest = tips(&turns).into_iter().rfind(|it| it.is_users_rest());
    Some(rest.unwrap_or(latest))
}

fn status(acts: &[&Act]) -> Status {
    let decides = decides(acts).and_then(Act::status);
    decides.unwrap_or(Status::Active)
}

/// The lines of a ledger in their order, without second copies. What another program wrote has seen nothing:
/// a line of ours that closes it names all that stood before it.
fn acts(ledger: &Ledger) -> Vec<Act> {
    let mut graph = Graph::default();
    let mut bodies: BTreeMap<EventId, Value> = BTreeMap::new();
    for raw in &ledger.lines() {
        let id = EventId::of_line(raw.bytes);
        graph.push(raw, &decode(raw), id);
        bodies.insert(id, serde_json::from_slice(raw.bytes).unwrap());
    }
    let named = |id: &EventId| -> Vec<EventId> {
        let links = &bodies[id];
        let also = links["also"].as_array().into_iter().flatten();
        let links = also.chain([&links["prev"]]);
        let ids = links.filter_map(|it| it.as_str()?.parse().ok());
        ids.filter(|it| bodies.contains_key(it)).collect()
    };
    let in_order = graph.in_order();
    let turns = in_order.turns.iter().filter(|it| !it.double);
    let act = |id: EventId| {
        let mut seen = BTreeSet::new();
        let mut ahead = named(&id);
        while let Some(next) = ahead.pop() {
            if seen.insert(next) {
                ahead.extend(named(&next));
            }
        }
        let body = bodies[&id].clone();
        Act {
            id,
            kind: body["type"].as_str().unwrap().to_owned(),
            ours: !body["prev"].is_null(),
            body,
            seen,
        }
    };
    turns.map(|turn| act(ledger.id(turn.line))).collect()
}

fn naive(ledger: &Ledger) -> Read {
    let acts = acts(ledger);
    let (mut count, mut moves): (Vec<&Act>, Vec<&Act>) = (Vec::new(), Vec::new());
    for act in &acts {
        // Another program can only stop what is active.
        if !act.ours && status(&count) != Status::Active {
            continue;
        }
        let changes = matches!(&*act.kind, "goal_created" | "goal_tweaked");
        if act.ours && (changes || act.status().is_some()) {
            moves.push(act);
        }
        count.push(act);
    }
    let decided = decides(&count);
    let budgets: Vec<&Act> = acts.iter().filter(|it| it.kind == "budget_set").collect();
    let mut limits: BTreeMap<String, f64> = BTreeMap::new();
    for budget in tips(&budgets) {
        for (name, most) in budget.body["limits"].as_object().unwrap() {
            let most = most.as_f64().unwrap();
            let known = limits.entry(name.clone()).or_insert(most);
            *known = known.min(most);
        }
    }
    let rests = decided.filter(|it| it.status() != Some(Status::Active));
    Read {
        status: status(&count),
        reason: rests.map(|it| it.body["reason"].as_str().unwrap().to_owned()),
        limits,
        frontier: tips(&moves).into_iter().map(|it| it.id).collect(),
    }
}

fn text(ledger: &Ledger) -> String {
    String::from_utf8_lossy(&ledger.bytes).into_owned()
}

proptest! {
    #[test]
    fn the_naive_reader_says_the_same_in_whatever_order_files_are_merged(seed in any::<u64>()) {
        let mut writers = Writers::of(seed, false);
        let own = writers.files.clone();
        for file in own {
            let ledger = ledger_of(&file);
            let state = ledger.replay().0;
            let read = Read::of(state.goals.values().next().unwrap(), &ledger);
            prop_assert_eq!(read, naive(&ledger), "{}", text(&ledger));
        }
        let mut first = None;
        for file in writers.merged() {
            let ledger = ledger_of(&file);
            let state = ledger.replay().0;
            let read = Read::of(state.goals.values().next().unwrap(), &ledger);
            prop_assert_eq!(&read, &naive(&ledger), "{}", text(&ledger));
            let expected = first.get_or_insert((naive(&ledger), text(&ledger)));
            prop_assert_eq!(&read, &expected.0, "{}\n---\n{}", &expected.1, text(&ledger));
        }
    }

    #[test]
    fn no_line_of_another_program_is_part_of_a_revision(seed in any::<u64>()) {
        let mut writers = Writers::of(seed, true);
        let mut known = None;
        let mut files = writers.merged();
        for file in &files {
            let ledger = ledger_of(file);
            let goal = ledger.replay().0.goals.values().next().unwrap().clone();
            let read = Read::of(&goal, &ledger);
            let first = || (read.frontier.clone(), text(&ledger));
            let expected = known.get_or_insert_with(first);
            prop_assert_eq!(&read.frontier, &expected.0, "{}\n---\n{}", &expected.1, text(&ledger));
        }
        files.append(&mut writers.files);
        for file in files {
            let ledger = ledger_of(&file);
            let goal = ledger.replay().0.goals.values().next().unwrap().clone();
            prop_assert_eq!(Read::of(&goal, &ledger), naive(&ledger), "{}", text(&ledger));
            // Whether it comes line by line or is put in order first.
            let in_order = ledger.replayed_in_order().state;
            let in_order = in_order.goals.values().next().unwrap().clone();
            prop_assert_eq!(Read::of(&in_order, &ledger), naive(&ledger), "{}", text(&ledger));
        }
    }
}

/// A ledger of the goal `a`, and the ids of its lines by what they say.
fn ledger(lines: &[(&str, &str, &str, &[&str])]) -> Ledger {
    let mut ids: BTreeMap<&str, EventId> = BTreeMap::new();
    let mut ledger = Ledger::default();
    for (minute, (name, body, by, seen)) in lines.iter().enumerate() {
        let prev = seen.first().map_or(EventId::ZERO, |it| ids[it]);
        let also: Vec<String> = seen
            .iter()
            .skip(1)
            .map(|it| format!("\"{}\"", ids[it]))
            .collect();
        let also = match &also[..] {
            [] => String::new(),
            also => format!(",\"also\":[{}]", also.join(",")),
        };
        let line = format!(
            "{{{body},\"goalId\":\"a\",\"at\":\"2026-11-21T20:{minute:02}:00.000Z\",\"by\":\"{by}\",\
             \"prev\":\"{prev}\"{also}}}"
        );
        ids.insert(*name, id_of(&line));
        ledger.append(&line);
    }
    ledger
}

const CREATED: &str =
    r#""type":"goal_created","objective":"o","sisyphus":false,"autoContinue":true"#;
const PAUSED: &str = r#""type":"goal_paused","reason":"stop""#;
const RESUMED: &str = r#""type":"goal_resumed","reason":"go""#;

#[track_caller]
fn stands(lines: &[(&str, &str, &str, &[&str])], expected: Status) {
    let ledger = ledger(lines);
    let goal = ledger.replay().0.goals.values().next().unwrap().clone();
    assert_eq!(goal.status, expected);
    assert_eq!(goal.pause.is_some(), expected != Status::Active);
    assert_eq!(Read::of(&goal, &ledger), naive(&ledger));
}

#[test]
fn the_users_rest_stands_beside_a_resume_whatever_the_clocks_say() {
    let created = ("c", CREATED, "user", &[][..]);
    let rest = ("p", PAUSED, "user", &["c"][..]);
    let resume = ("r", RESUMED, "user", &["c"][..]);
    stands(&[created, rest, resume], Status::Paused);
    stands(&[created, resume, rest], Status::Paused);
    // An agent's rest is no word of the user.
    let agents = ("p", PAUSED, "agent", &["c"][..]);
    stands(&[created, agents, resume], Status::Active);
    stands(&[created, resume, agents], Status::Paused);
    // Whoever has seen both decides.
    let later = ("l", RESUMED, "user", &["p", "r"][..]);
    stands(&[created, rest, resume, later], Status::Active);
    // Whoever has seen it only by another line, too.
    let noted = (
        "n",
        r#""type":"goal_noted","note":"n""#,
        "agent",
        &["p"][..],
    );
    let later = ("l", RESUMED, "user", &["n", "r"][..]);
    stands(&[created, rest, resume, noted, later], Status::Active);
    // One that was lifted on its own branch stands no more.
    let lifted = ("l", RESUMED, "user", &["p"][..]);
    stands(&[created, rest, lifted, resume], Status::Active);
    // A block of the agent on top of it does not take it away.
    let blocked = (
        "b",
        r#""type":"goal_paused","reason":"b","blocked":true"#,
        "agent",
        &["p"][..],
    );
    stands(&[created, rest, blocked, resume], Status::Paused);
    stands(&[created, rest, resume, blocked], Status::Blocked);
}
