//! Random histories of branches under real git: whoever merges them in the end, in whatever order,
//! reads the same. `GOAL_HISTORIES` says how many there are, `GOAL_HISTORIES_SEED` which.

use std::fs;

use crate::support::{Project, auditor};
use crate::{from_environment, say};

const BRANCHES: [&str; 3] = ["main", "one", "two"];

/// Numbers from a seed (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

/// Takes in what git put together, whatever it made of the documents: they are rendered anew.
fn finish(project: &Project, what: &str) {
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(!ledger.contains("<<<<<<<"), "{what}: {ledger}");
    project.git(&["add", "-A"]);
    project.try_git(&["commit", "-q", "--no-edit", "-m", what]);
}

fn commit(project: &Project) {
    project.git(&["add", "-A"]);
    project.try_git(&["commit", "-q", "-m", "c"]);
}

fn act(project: &Project, random: &mut Random, count: u64) {
    let (note, way) = (format!("n{count}"), format!("way {}", random.below(4)));
    let args: &[&str] = match random.below(10) {
        0 | 1 => &["tweak", "--objective", &way],
        2 => &["pause", "--reason", "r"],
        3 => &["resume"],
        4 => &["task", "add", &note],
        5 => &["complete", "--json"],
        6 if random.below(3) == 0 => &["abort", "--reason", "r"],
        7 => &["unfocus"],
        _ => &["note", &note],
    };
    // Some are refused, as they should be.
    project.run(args);
}

/// What git does between branches.
fn exchange(project: &Project, random: &mut Random, other: &str) -> &'static str {
    match random.below(6) {
        0 => {
            project.try_git(&["cherry-pick", "-n", other]);
            finish(project, "picked");
            "cherry-pick"
        }
        1 => {
            project.try_git(&["merge", "-q", "--squash", other]);
            finish(project, "squashed");
            "squash"
        }
        2 => {
            if !project.try_git(&["rebase", "-q", other]).success() {
                project.try_git(&["rebase", "--abort"]);
            }
            "rebase"
        }
        3 => {
            project.run(&["note", "put away"]);
            project.git(&["stash", "-q", "-u"]);
            project.run(&["note", "meanwhile"]);
            commit(project);
            project.try_git(&["stash", "pop", "-q"]);
            finish(project, "popped");
            "stash"
        }
        _ => {
            project.try_git(&["merge", "-q", "-m", "m", other]);
            finish(project, "merged");
            "merge"
        }
    }
}

/// What the project is, without where its documents lie.
fn told(project: &Project, goals: &[String]) -> Vec<String> {
    project.begin_again_from(project.ledger());
    project.run(&["repair"]);
    // A union merge leaves doubles where it likes: they are counted and found by their places.
    let verified = project.run(&["verify", "--json"]).data();
    let findings = verified["findings"].as_array().unwrap().iter();
    let codes = findings.map(|it| it["code"].as_str().unwrap());
    let codes: Vec<&str> = codes.filter(|code| *code != "duplicate_line").collect();
    let mut told = vec![
        project.run(&["list", "--all", "--json"]).stdout,
        format!("{} {codes:?}", verified["tip"]),
    ];
    for goal in goals {
        let mut shown = project.run(&["show", goal, "--json"]).json();
        shown["data"]["goal"]["document"].take();
        told.push(shown.to_string());
    }
    let summary = project.run(&["summary"]).stdout;
    let lines = summary
        .lines()
        .filter(|line| !line.starts_with("- document"));
    told.push(lines.collect::<Vec<_>>().join("\n"));
    told
}

fn history(seed: u64) -> u64 {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init"]).ok();
    let goals = [project.set("first"), project.set("second")];
    commit(&project);
    for branch in &BRANCHES[1..] {
        project.git(&["branch", branch]);
    }
    for count in 0..6 + random.below(10) {
        let at = random.below(3) as usize;
        project.git(&["checkout", "-q", "-f", BRANCHES[at]]);
        project.run(&["focus", &goals[random.below(2) as usize]]);
        for act_of in 0..=random.below(2) {
            act(&project, &mut random, count * 10 + act_of);
        }
        commit(&project);
        if random.below(3) == 0 {
            exchange(&project, &mut random, BRANCHES[(at + 1) % 3]);
        }
    }
    let mut expected: Option<Vec<String>> = None;
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let [first, rest @ ..] = order.map(|at| BRANCHES[at]);
        project.git(&["checkout", "-q", "-f", "--detach", first]);
        project.git(&["clean", "-q", "-fd"]);
        for branch in rest {
            project.try_git(&["merge", "-q", "-m", "m", branch]);
            finish(&project, "merged");
        }
        let told = told(&project, &goals);
        match &expected {
            Some(expected) => {
                let differ = expected.iter().zip(&told).find(|(one, other)| one != other);
                assert!(differ.is_none(), "seed {seed}: {differ:#?}");
            }
            None => expected = Some(told),
        }
    }
    fs::read_to_string(project.ledger_path())
        .unwrap()
        .lines()
        .count() as u64
}

#[test]
fn under_git_a_history_means_the_same_whoever_merges_it() {
    let count = from_environment("GOAL_HISTORIES", 4);
    let begin = from_environment("GOAL_HISTORIES_SEED", 1);
    let lines: u64 = (begin..begin + count).map(history).sum();
    say(&format!("{count} histories, {lines} lines"));
}
