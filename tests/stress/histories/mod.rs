//! Random histories of a ledger's copies under real git: clones, work trees, branches, and all that git and
//! people do to files. What was acknowledged is nowhere lost and nowhere twice, no link breaks, no honest
//! completion is refused, nobody's lines count that nobody accepted, and after one exchange every clone
//! reads the same. `GOAL_HISTORIES` says how many there are, `GOAL_HISTORIES_SEED` which.

mod disturb;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use self::disturb::Disturbance;
use crate::oracle::{acknowledged, ids};
use crate::support::{Project, Ran, auditor};
use crate::{from_environment, say};

/// What no command may answer here: nobody took a line away, and nobody forged one.
const DISHONEST: [&str; 6] = [
    "contract_unproven",
    "history_unproven",
    "home_unresolved",
    "internal",
    "ledger_missing",
    "ledger_moved",
];

/// A clone with its work trees, the main one first.
struct Clone {
    trees: Vec<Utf8PathBuf>,
}

impl Clone {
    fn main(&self) -> &Utf8Path {
        &self.trees[0]
    }

    fn home(&self) -> Utf8PathBuf {
        self.main().join(".git/goal")
    }

    fn ledger(&self) -> Vec<u8> {
        fs::read(self.home().join("goal_events.jsonl")).unwrap_or_default()
    }
}

struct History {
    seed: u64,
    random: fastrand::Rng,
    project: Project,
    clones: Vec<Clone>,
    acknowledged: BTreeSet<String>,
    /// Lines of somebody whose key nobody accepted.
    strange: BTreeSet<String>,
    done: BTreeMap<Disturbance, usize>,
    count: usize,
    journal: RefCell<Vec<String>>,
}

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            say(&self.journal.borrow().join("\n"));
        }
    }
}

impl History {
    fn begin(seed: u64) -> History {
        let mut random = fastrand::Rng::with_seed(seed);
        let project = Project::new();
        project.auditor(auditor::APPROVE);
        let remote = project.aside.join("remote.git");
        project.git(&["init", "-q", "--bare", "-b", "main", remote.as_str()]);
        project.git(&["init", "-q", "-b", "main"]);
        project.git(&["remote", "add", "origin", remote.as_str()]);
        fs::write(project.root.join("code"), "one\n").unwrap();
        if random.bool() {
            project.run(&["init", "--commits"]).ok();
        }
        let mut history = History {
            seed,
            random,
            clones: vec![Clone {
                trees: vec![project.root.clone()],
            }],
            project,
            acknowledged: BTreeSet::new(),
            strange: BTreeSet::new(),
            done: BTreeMap::new(),
            count: 0,
            journal: RefCell::default(),
        };
        let root = history.project.root.clone();
        history.record(&root, &["set", "first"]);
        history.record(&root, &["set", "second"]);
        history.commit(&root);
        history.goal(&root, &["sync"]).ok();
        history.git(&root, &["push", "-q", "origin", "main"]);
        for number in 1..2 + history.random.usize(..2) {
            let top = history.project.aside.join(format!("clone{number}"));
            history.git(&root, &["clone", "-q", remote.as_str(), top.as_str()]);
            history.goal(&top, &["sync"]).ok();
            history.clones.push(Clone { trees: vec![top] });
        }
        history
    }

    fn goal(&self, tree: &Utf8Path, args: &[&str]) -> Ran {
        self.project.call(args).cwd(tree).run()
    }

    fn git(&self, tree: &Utf8Path, args: &[&str]) -> Ran {
        let args = [&["-C", tree.as_str()][..], args].concat();
        self.project.try_git(&args)
    }

    fn commit(&self, tree: &Utf8Path) {
        self.git(tree, &["add", "-A"]);
        self.git(tree, &["commit", "-q", "-m", "c"]);
    }

    /// Records something, and remembers what was acknowledged. Some is refused, as it should be.
    fn record(&mut self, tree: &Utf8Path, args: &[&str]) {
        let args = [args, &["--json"]].concat();
        let ran = self.goal(tree, &args);
        let told = ran.success().then(|| acknowledged(&ran));
        self.tell(tree, (&args, ran.code, told));
        match ran.success() {
            true => self.acknowledged.extend(acknowledged(&ran)),
            false => {
                let code = ran.error_code();
                let is_honest = !DISHONEST.contains(&code.as_str());
                assert!(is_honest, "seed {}: {args:?}\n{ran}", self.seed);
            }
        }
    }

    fn act(&mut self, tree: &Utf8Path) {
        self.count += 1;
        let (note, way) = (
            format!("n{}", self.count),
            format!("way {}", self.random.usize(..4)),
        );
        let listed = self
            .goal(tree, &["list", "--limit", "0", "--json"])
            .ok()
            .data();
        let goals = listed["goals"].as_array().unwrap();
        let one = self.random.usize(..goals.len().max(1));
        let goal = goals.get(one).map(|it| it["goalId"].as_str().unwrap());
        let on = goal.map_or(vec![], |goal| vec!["--goal", goal]);
        let args: &[&str] = match self.random.usize(..12) {
            0 | 1 => &["tweak", "--objective", &way],
            2 => &["pause", "--reason", "r"],
            3 => &["resume"],
            4 => &["task", "add", &note],
            5 | 6 => &["complete", "--summary", "s"],
            7 if self.random.usize(..3) == 0 => &["abort", "--reason", "r"],
            8 => return self.record(tree, &["set", &note]),
            _ => &["note", &note],
        };
        self.record(tree, &[args, &on].concat());
    }

    /// Remembers what happened, for whoever looks into a failure.
    fn tell(&self, tree: &Utf8Path, what: impl Debug) {
        let line = format!("{}: {what:?}", tree.file_name().unwrap());
        self.journal.borrow_mut().push(line);
    }

    /// How many lines of strangers the home of a clone has.
    fn strange_in(&self, at: usize) -> usize {
        let here = ids(&self.clones[at].ledger()).into_iter();
        here.filter(|id| self.strange.contains(id)).count()
    }

    /// How many goals a work tree shows.
    fn goals(&self, tree: &Utf8Path) -> usize {
        let listed = self.goal(tree, &["list", "--all", "--limit", "0", "--json"]);
        listed.ok().data()["goals"].as_array().unwrap().len()
    }

    /// What everybody must be told in the same way.
    fn told(&self, tree: &Utf8Path) -> Vec<String> {
        let goals = self
            .goal(tree, &["list", "--all", "--limit", "0", "--json"])
            .ok()
            .data();
        let goals = goals["goals"].as_array().unwrap();
        let goals = goals.iter().map(|it| it["goalId"].as_str().unwrap());
        let mut asked: Vec<Vec<&str>> = vec![
            vec!["summary"],
            vec!["list", "--all"],
            vec!["audits"],
            vec!["runs"],
            vec!["drafts"],
            vec!["commitments", "--all"],
        ];
        asked.extend(goals.map(|goal| vec!["show", goal]));
        let here = |args: Vec<&str>| {
            let ran = self.goal(tree, &[&args[..], &["--json"]].concat());
            let mut value = ran.json();
            without_own(&mut value);
            value.to_string()
        };
        asked.into_iter().map(here).collect()
    }

    /// After one exchange all clones have the same lines, and tell the same.
    fn end(mut self) -> (usize, BTreeMap<Disturbance, usize>) {
        let seed = self.seed;
        for at in 0..self.clones.len() {
            let main = self.clones[at].main().to_owned();
            self.git(&main, &["checkout", "-q", "-f", "main"]);
            self.record(&main, &["set", &format!("last {at}")]);
            assert_eq!(self.strange_in(at), 0, "seed {seed}");
        }
        for _ in 0..2 {
            for clone in &self.clones {
                let ran = self.goal(clone.main(), &["sync", "--json"]);
                assert!(ran.success(), "seed {seed}: {ran}");
            }
        }
        let mut expected: Option<Vec<String>> = None;
        for clone in &self.clones {
            let all = ids(&clone.ledger());
            let here: BTreeSet<String> = all.iter().cloned().collect();
            assert_eq!(here.len(), all.len(), "seed {seed}: a line twice");
            let lost: Vec<&String> = self.acknowledged.difference(&here).collect();
            assert!(lost.is_empty(), "seed {seed}: lost {lost:?}");
            let verified = self.goal(clone.main(), &["verify", "--json"]).data();
            let findings = verified["findings"].as_array().unwrap();
            let broken = findings.iter().find(|it| {
                ["broken_link", "ledger_rewound"].contains(&it["code"].as_str().unwrap())
            });
            assert_eq!(broken, None, "seed {seed}");
            let told = self.told(clone.main());
            match &expected {
                Some(expected) => {
                    for (one, other) in expected.iter().zip(&told) {
                        similar(one, other, seed);
                    }
                }
                None => expected = Some(told),
            }
        }
        (self.acknowledged.len(), std::mem::take(&mut self.done))
    }
}

/// Takes away what is each work tree's own: where it and its documents lie, what its user looks at, and
/// whether an audit was about another one.
fn without_own(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| {
                ![
                    "root",
                    "focused",
                    "elsewhere",
                    "document",
                    "warnings",
                    "notices",
                ]
                .contains(&key.as_str())
            });
            map.values_mut().for_each(without_own);
        }
        Value::Array(all) => all.iter_mut().for_each(without_own),
        _ => {}
    }
}

/// Two clones tell the same; else what differs is shown from where it begins.
fn similar(one: &str, other: &str, seed: u64) {
    let is_equal = |(one, other): &(char, char)| one == other;
    let same = one.chars().zip(other.chars()).take_while(is_equal).count();
    let around = |text: &str| {
        text.chars()
            .skip(same.saturating_sub(200))
            .take(300)
            .collect::<String>()
    };
    assert!(
        one == other,
        "seed {seed}:\n{}\n\n{}",
        around(one),
        around(other)
    );
}

fn history(seed: u64) -> (usize, BTreeMap<Disturbance, usize>) {
    let mut history = History::begin(seed);
    for _ in 0..10 + history.random.usize(..15) {
        let at = history.random.usize(..history.clones.len());
        let trees = history.clones[at].trees.len();
        let tree = history.clones[at].trees[history.random.usize(..trees)].clone();
        for _ in 0..=history.random.usize(..3) {
            history.act(&tree);
        }
        if history.random.bool() {
            history.disturb(at, &tree);
        }
    }
    history.end()
}

#[test]
fn whatever_happens_to_copies_nothing_is_lost_and_all_read_the_same() {
    let count = from_environment("GOAL_HISTORIES", 4);
    let begin = from_environment("GOAL_HISTORIES_SEED", 1);
    let mut sums = BTreeMap::new();
    let mut events = 0;
    for (acknowledged, done) in (begin..begin + count).map(history) {
        events += acknowledged;
        for (disturbance, times) in done {
            *sums.entry(disturbance).or_insert(0) += times;
        }
    }
    say(&format!(
        "{count} histories, {events} events acknowledged, {sums:?}"
    ));
}
