//! Random histories of writers that do not always know of each other: each has a file of its own,
//! appends to it, and takes the lines of others in as `git merge` does.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::goal::chain::revision_id;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::state::State;
use crate::domain::testing::Ledger;
use crate::domain::time::rfc3339;

/// Numbers from a seed (splitmix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// What the writers of a history did.
#[derive(Debug)]
pub struct History {
    /// The file of each writer at the end.
    pub files: Vec<Vec<String>>,
    /// By the id of a completion, the contract that its auditor saw.
    pub audited: BTreeMap<EventId, String>,
}

const GOALS: [&str; 2] = ["a", "b"];

/// The id of a line.
pub fn id_of(line: &str) -> EventId {
    EventId::of_line(line.as_bytes())
}

/// These lines as a ledger.
pub fn ledger_of(lines: &[String]) -> Ledger {
    let mut ledger = Ledger::default();
    lines.iter().for_each(|line| ledger.append(line));
    ledger
}

/// The lines that a line names.
pub fn named(line: &str) -> Vec<EventId> {
    let fields: serde_json::Value = serde_json::from_str(line).unwrap();
    let ids = [&fields["prev"]].into_iter();
    let ids = ids.chain(fields["also"].as_array().into_iter().flatten());
    let ids = ids.filter_map(|id| id.as_str()?.parse().ok());
    ids.filter(|id| *id != EventId::ZERO).collect()
}

/// Whether a line is ours.
pub fn is_ours(line: &str) -> bool {
    line.contains("\"prev\":")
}

/// What a goal's contract says, and which tasks it has.
pub fn contract_of(goal: &Goal) -> String {
    let tasks = goal.tasks.specs.iter().map(|task| &*task.id);
    format!("{:?} {:?}", goal.contract, tasks.collect::<Vec<_>>())
}

/// The revision of a goal in this ledger.
pub fn revision_of(goal: &Goal, ledger: &Ledger) -> Option<EventId> {
    let id = |line: LineRef| Ok::<_, ()>(ledger.id(line));
    revision_id(goal.frontier(), id).unwrap()
}

struct Writer {
    file: Vec<String>,
    /// How wrong its clock is, in milliseconds.
    skew: i64,
}

struct Acting<'r> {
    random: &'r mut Random,
    /// The key of the request that is recorded now.
    key: Option<String>,
    now: i64,
    audited: BTreeMap<EventId, String>,
    count: usize,
}

impl History {
    /// The history that follows from this seed: 2 to 8 writers, and clocks wrong by up to a day.
    pub fn of(seed: u64) -> History {
        let mut random = Random(seed);
        let most = if random.chance(4) { 7 } else { 2 };
        let writers = 2 + random.below(most);
        let skews = [0, 1_000, 60_000, 86_400_000];
        let most = skews[random.below(4)];
        let mut writers: Vec<Writer> = (0..writers)
            .map(|_| Writer {
                file: Vec::new(),
                skew: random.below(2 * most as usize + 1) as i64 - most,
            })
            .collect();
        let acts = 4 + random.below(24);
        let mut acting = Acting {
            random: &mut random,
            key: None,
            now: 1_790_000_000_000,
            audited: BTreeMap::new(),
            count: 0,
        };
        for goal in GOALS {
            acting.create(&mut writers[0], goal);
        }
        let base = writers[0].file.clone();
        for writer in &mut writers[1..] {
            writer.file.clone_from(&base);
        }
        for _ in 0..acts {
            let at = acting.random.below(writers.len());
            if acting.random.chance(4) {
                let other = acting.random.below(writers.len());
                let theirs = writers[other].file.clone();
                let double = acting.random.chance(6);
                merge(&mut writers[at].file, &theirs, double);
            } else {
                acting.act(&mut writers[at]);
            }
        }
        let audited = acting.audited;
        History {
            files: writers.into_iter().map(|writer| writer.file).collect(),
            audited,
        }
    }
}

/// Takes in what the other file has besides, as a union merge: behind what both have.
pub fn merge(file: &mut Vec<String>, theirs: &[String], double: bool) {
    let known: BTreeSet<String> = file.iter().cloned().collect();
    let new: Vec<String> = theirs
        .iter()
        .filter(|it| !known.contains(*it))
        .cloned()
        .collect();
    if double
        && let Some(last) = theirs.last()
        && known.contains(last)
        && is_ours(last)
    {
        file.push(last.clone());
    }
    file.extend(new);
}

impl Acting<'_> {
    fn state(writer: &Writer) -> (State, Ledger) {
        let ledger = ledger_of(&writer.file);
        (ledger.replay().0, ledger)
    }

    /// Appends lines of one write, as a transaction does.
    fn write(&mut self, writer: &mut Writer, bodies: &[String]) -> Vec<EventId> {
        self.now += 1 + self.random.below(120_000) as i64;
        let at = rfc3339(self.now + writer.skew);
        let (state, ledger) = Acting::state(writer);
        let last = state.last.map(|line| ledger.id(line));
        let mut prev = last.unwrap_or(EventId::ZERO);
        let also = state.heads.iter().map(|(_, id)| id.to_string());
        let mut also: Vec<String> = also.filter(|id| *id != prev.to_string()).collect();
        also.sort();
        let key = self
            .key
            .take()
            .map(|key| format!(",\"requestKey\":\"{key}\""));
        let key = key.unwrap_or_default();
        let mut ids = Vec::new();
        for body in bodies {
            let also = match std::mem::take(&mut also) {
                none if none.is_empty() => String::new(),
                some => format!(",\"also\":{}", serde_json::to_string(&some).unwrap()),
            };
            let line = format!(
                "{{{body},\"at\":\"{at}\",\"by\":\"user\"{key},\"prev\":\"{prev}\"{also}}}"
            );
            prev = id_of(&line);
            ids.push(prev);
            writer.file.push(line);
        }
        ids
    }

    fn create(&mut self, writer: &mut Writer, goal: &str) {
        let body = format!(
            "\"type\":\"goal_created\",\"goalId\":\"{goal}\",\"objective\":\"o\",\"sisyphus\":false,\
             \"autoContinue\":true"
        );
        let focus = format!("\"type\":\"goal_focused\",\"goalId\":\"{goal}\",\"reason\":\"r\"");
        self.write(writer, &[body, focus]);
    }

    /// One of a few keys that several writers use, unless this one knows of it: it would get the
    /// first answer.
    fn ask(&mut self, writer: &Writer) {
        let key = format!("k{}", self.random.below(4));
        let field = format!("\"requestKey\":\"{key}\"");
        let is_known = writer.file.iter().any(|line| line.contains(&field));
        self.key = (!is_known && self.random.chance(3)).then_some(key);
    }

    /// One act that the program would let its writer do.
    fn act(&mut self, writer: &mut Writer) {
        self.count += 1;
        let count = self.count;
        self.ask(writer);
        if self.random.chance(16) {
            self.create(writer, &format!("c{count}"));
            return;
        }
        let (state, ledger) = Acting::state(writer);
        let goals: Vec<&Goal> = state.goals.values().collect();
        let goal = goals[self.random.below(goals.len())];
        let id = goal.id.clone();
        let of = |kind: &str, more: &str| {
            let more = if more.is_empty() {
                String::new()
            } else {
                format!(",{more}")
            };
            format!("\"type\":\"{kind}\",\"goalId\":\"{id}\"{more}")
        };
        if let Some(contest) = &goal.contest
            && self.random.chance(2)
        {
            let taken = self.random.below(contest.choices.len());
            let lines = contest.choices.iter().map(|it| format!("\"{}\"", it.id));
            let lines = lines.collect::<Vec<_>>().join(",");
            let more = format!(
                "\"kind\":\"contest\",\"lines\":[{lines}],\"take\":\"{}\"",
                contest.choices[taken].id
            );
            self.write(writer, &[of("goal_settled", &more)]);
            return;
        }
        if self.random.chance(12) {
            // Another program.
            let line = format!(
                "{{{},\"at\":\"{}\"}}",
                of("goal_noted", &format!("\"note\":\"f{count}\"")),
                rfc3339(self.now)
            );
            writer.file.push(line);
            self.write(writer, &[of("goal_noted", "\"note\":\"closes\"")]);
            return;
        }
        let open = goal.status.is_open();
        let body = match self.random.below(10) {
            0 | 1 if open => of(
                "goal_tweaked",
                &format!(
                    "\"changeSummary\":\"s\",\"objective\":\"o{}\"",
                    self.random.below(5)
                ),
            ),
            2 if goal.status == Status::Active => of("goal_paused", "\"reason\":\"r\""),
            3 if open && goal.status != Status::Active && goal.contest.is_none() => {
                of("goal_resumed", "\"reason\":\"r\"")
            }
            4 if open => of(
                "task_added",
                &format!("\"tasks\":[{{\"id\":\"t{count}\",\"title\":\"t\"}}]"),
            ),
            5 if open && self.random.chance(3) => of("goal_aborted", "\"reason\":\"r\""),
            6 => of("goal_focused", "\"reason\":\"r\""),
            8 => of(
                "budget_set",
                &format!("\"limits\":{{\"costUsd\":{}}}", self.random.below(9)),
            ),
            7 if goal.status == Status::Active && goal.contest.is_none() => {
                let revision = revision_of(goal, &ledger).unwrap();
                let contract = contract_of(goal);
                let revision = format!("\"revision\":\"{revision}\"");
                let request = self.write(writer, &[of("completion_requested", &revision)])[0];
                let start = format!("{revision},\"request\":\"{request}\"");
                let start = self.write(writer, &[of("audit_started", &start)])[0];
                let result = format!(
                    "\"verdict\":\"approved\",\"report\":\"<approved/>\",{revision},\"start\":\"{start}\""
                );
                let both = [of("audit_result", &result), of("goal_completed", "")];
                let completed = self.write(writer, &both)[1];
                self.audited.insert(completed, contract);
                return;
            }
            _ => of("goal_noted", &format!("\"note\":\"n{count}\"")),
        };
        self.write(writer, &[body]);
    }
}

/// Another order of these lines, in which none stands before one that it names, no run of foreign
/// lines is torn from the line behind it, and doubles may stand anywhere behind the first.
pub fn shuffled(lines: &[String], random: &mut Random) -> Vec<String> {
    // A line of ours with the foreign ones right before it.
    let mut pieces: Vec<Vec<String>> = Vec::new();
    let mut foreign = Vec::new();
    let mut seen = BTreeSet::new();
    for line in lines {
        if is_ours(line) && !seen.insert(id_of(line)) {
            continue;
        }
        foreign.push(line.clone());
        if is_ours(line) {
            pieces.push(std::mem::take(&mut foreign));
        }
    }
    let mut out: Vec<String> = Vec::new();
    let mut there: BTreeSet<EventId> = BTreeSet::new();
    while !pieces.is_empty() {
        let is_ready = |piece: &Vec<String>| {
            let own: BTreeSet<EventId> = piece.iter().map(|line| id_of(line)).collect();
            let names = named(&piece[piece.len() - 1]);
            names
                .iter()
                .all(|id| there.contains(id) || own.contains(id))
        };
        let ready: Vec<usize> = (0..pieces.len())
            .filter(|at| is_ready(&pieces[*at]))
            .collect();
        let piece = pieces.remove(ready[random.below(ready.len())]);
        there.extend(piece.iter().map(|line| id_of(line)));
        out.extend(piece);
        if random.chance(8) {
            let again = out[random.below(out.len())].clone();
            if is_ours(&again) {
                out.push(again);
            }
        }
    }
    out
}

/// All that a replay knows, without where lines stand in the file and what was found.
pub fn told(ledger: &Ledger) -> String {
    let (state, _) = ledger.replay();
    let mut text = String::new();
    let goals: Vec<&Goal> = state.goals.values().collect();
    for goal in &goals {
        text.push_str(&format!("{goal:#?}\n"));
    }
    let saved = serde_json::to_value(&state).unwrap();
    text.push_str(&format!(
        "{}{}{}{:?}",
        saved["focus"],
        saved["drafts"],
        saved["unknown"],
        state.heads.iter().map(|(_, id)| id).collect::<Vec<_>>(),
    ));
    let places = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("offset:") && !line.starts_with("number:")
    };
    text.lines().filter(places).collect::<Vec<_>>().join("\n")
}
