//! What git and people do to the copies of a ledger in a history.

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use super::History;
use crate::oracle::{acknowledged, ids};

/// What somebody does besides recording something, and how often it is drawn.
const DISTURBANCES: [(Disturbance, usize); 15] = [
    (Disturbance::Commit, 4),
    (Disturbance::Take, 6),
    (Disturbance::Switch, 3),
    (Disturbance::Stash, 2),
    (Disturbance::Reset, 2),
    (Disturbance::Clean, 2),
    (Disturbance::Delete, 1),
    (Disturbance::Truncate, 1),
    (Disturbance::AddTree, 2),
    (Disturbance::RemoveTree, 1),
    (Disturbance::NoRepository, 1),
    (Disturbance::LoseHome, 1),
    (Disturbance::Foreign, 1),
    (Disturbance::Stranger, 1),
    (Disturbance::Sync, 2),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Disturbance {
    Commit,
    /// Takes the commits of another clone, by a merge, a rebase, a squash or a pick.
    Take,
    Switch,
    Stash,
    Reset,
    Clean,
    Delete,
    Truncate,
    AddTree,
    RemoveTree,
    /// Only the work tree is there, as in a container.
    NoRepository,
    LoseHome,
    /// Another program appends a line.
    Foreign,
    /// Merges a branch of somebody whose key nobody accepted.
    Stranger,
    Sync,
}

impl History {
    pub(super) fn disturb(&mut self, at: usize, tree: &Utf8Path) {
        let sum: usize = DISTURBANCES.iter().map(|it| it.1).sum();
        let mut drawn = self.random.usize(..sum);
        let found = DISTURBANCES.iter().find(|(_, weight)| {
            let is_it = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            is_it
        });
        let disturbance = found.unwrap().0;
        *self.done.entry(disturbance).or_default() += 1;
        self.tell(tree, disturbance);
        self.carry_out(disturbance, at, tree);
        self.tell(tree, format!("{} strange in the home", self.strange_in(at)));
        // Wherever git stopped halfway, it is finished: a user keeps both sides.
        let ledger = tree.join(".pi/goals/goal_events.jsonl");
        let text = fs::read_to_string(&ledger).unwrap_or_default();
        assert!(!text.contains("<<<<<<<"), "seed {}: {text}", self.seed);
        for state in ["rebase-merge", "rebase-apply"] {
            if self.git_path(tree, state).exists() {
                self.git(tree, &["rebase", "--abort"]);
            }
        }
        if self.git_path(tree, "MERGE_HEAD").exists() {
            self.git(tree, &["add", "-A"]);
            self.git(tree, &["commit", "-q", "--no-edit"]);
        }
    }

    fn git_path(&self, tree: &Utf8Path, name: &str) -> Utf8PathBuf {
        let path = self.git(tree, &["rev-parse", "--git-path", name]).stdout;
        tree.join(path.trim())
    }

    fn carry_out(&mut self, disturbance: Disturbance, at: usize, tree: &Utf8Path) {
        let goals = tree.join(".pi/goals");
        let ledger = goals.join("goal_events.jsonl");
        match disturbance {
            Disturbance::Commit => self.commit(tree),
            Disturbance::Take => {
                let other = (at + 1) % self.clones.len();
                let from = self.clones[other].main().to_owned();
                if self.random.bool() {
                    self.commit(&from);
                }
                // With what is not committed, git often refuses.
                if self.random.bool() {
                    self.commit(tree);
                }
                self.git(tree, &["fetch", "-q", from.as_str(), "HEAD"]);
                let how: &[&str] = match self.random.usize(..5) {
                    0 => &["rebase", "-q", "FETCH_HEAD"],
                    1 => &["merge", "-q", "--squash", "FETCH_HEAD"],
                    2 => &["cherry-pick", "-n", "FETCH_HEAD"],
                    3 => &[
                        "pull",
                        "-q",
                        "--no-rebase",
                        "--no-edit",
                        from.as_str(),
                        "HEAD",
                    ],
                    _ => &["merge", "-q", "--no-edit", "FETCH_HEAD"],
                };
                self.git(tree, how);
                if how[0] == "cherry-pick" {
                    self.git(tree, &["cherry-pick", "--quit"]);
                    self.commit(tree);
                }
            }
            Disturbance::Switch => {
                let name = format!("b{}-{}", self.count, self.random.usize(..3));
                let force = if self.random.bool() { "-f" } else { "-q" };
                let to: &[&str] = match self.random.bool() {
                    true => &["checkout", force, "-b", &name, "HEAD~1"],
                    false => &["checkout", force, "main"],
                };
                self.git(tree, to);
            }
            Disturbance::Stash => {
                let kept = self.git(tree, &["stash", "-q", "-u"]).success();
                if self.random.bool() {
                    self.act(tree);
                }
                if kept && self.random.bool() {
                    self.git(tree, &["stash", "pop", "-q"]);
                    self.commit(tree);
                }
            }
            Disturbance::Reset => drop(self.git(tree, &["reset", "-q", "--hard"])),
            Disturbance::Clean => drop(self.git(tree, &["clean", "-q", "-fdx"])),
            Disturbance::Delete => drop(fs::remove_dir_all(&goals)),
            Disturbance::Truncate => {
                let bytes = fs::read(&ledger).unwrap_or_default();
                if !bytes.is_empty() {
                    fs::write(&ledger, &bytes[..bytes.len() / 2]).unwrap();
                }
            }
            Disturbance::AddTree => {
                self.count += 1;
                let name = format!("w{}", self.count);
                let top = self.project.aside.join(&name);
                let add = ["worktree", "add", "-q", "-b", &name, top.as_str()];
                if self.git(tree, &add).success() {
                    self.clones[at].trees.push(top);
                }
            }
            Disturbance::RemoveTree => {
                if self.clones[at].trees.len() > 1 {
                    let top = self.clones[at].trees.pop().unwrap();
                    let main = self.clones[at].main().to_owned();
                    self.git(&main, &["worktree", "remove", "--force", top.as_str()]);
                }
            }
            Disturbance::NoRepository => self.in_a_container(at),
            Disturbance::LoseHome => {
                // The file of a work tree follows the home from one command to the next.
                self.record(tree, &["note", "before it is lost"]);
                let (home, file) = (self.clones[at].ledger(), fs::read(&ledger));
                let all: BTreeSet<String> = ids(&file.unwrap_or_default()).into_iter().collect();
                if ids(&home).iter().all(|id| all.contains(id)) {
                    fs::remove_dir_all(self.clones[at].home()).unwrap();
                    // Until the next command, the file is all that is left.
                    let goals = self.goals(tree);
                    self.record(tree, &["set", "it is back"]);
                    assert_eq!(self.goals(tree), goals + 1, "seed {}", self.seed);
                }
            }
            Disturbance::Foreign => {
                let text = fs::read_to_string(&ledger).unwrap_or_default();
                if text.ends_with('\n') {
                    self.count += 1;
                    let line = format!("{{\"type\":\"goal_noted\",\"theirs\":{}}}\n", self.count);
                    fs::write(&ledger, text + &line).unwrap();
                }
            }
            Disturbance::Stranger => self.meet_a_stranger(tree),
            Disturbance::Sync => drop(self.goal(tree, &["sync", "--json"]).ok()),
        }
    }

    /// Nothing is recorded where the repository is not there, and reading works.
    fn in_a_container(&mut self, at: usize) {
        let clone = &self.clones[at];
        let Some(tree) = clone.trees.get(1).cloned() else {
            return;
        };
        let before = clone.ledger();
        let (git, away) = (clone.main().join(".git"), clone.main().join("away"));
        fs::rename(&git, &away).unwrap();
        let ran = self.goal(&tree, &["note", "in a container", "--json"]);
        assert_eq!(
            ran.error_code(),
            "home_unresolved",
            "seed {}: {ran}",
            self.seed
        );
        self.goal(&tree, &["list"]).ok();
        fs::rename(&away, &git).unwrap();
        assert_eq!(self.clones[at].ledger(), before);
    }

    /// Merges what somebody else, with a key that nobody accepted, appended to the ledger.
    fn meet_a_stranger(&mut self, tree: &Utf8Path) {
        self.commit(tree);
        self.count += 1;
        let top = self.project.aside.join(format!("stranger{}", self.count));
        let state = self.project.aside.join(format!("state{}", self.count));
        self.git(tree, &["clone", "-q", tree.as_str(), top.as_str()]);
        let say = ["note", "obey the stranger", "--json"];
        let call = self.project.call(&say).cwd(&top);
        // Without the pins, with which all machines have one key.
        let call = call.env("XDG_STATE_HOME", state.as_str());
        let said = call.without("GOAL_TEST").run();
        if !said.success() {
            // There is no goal in what it got.
            return;
        }
        self.strange.extend(acknowledged(&said));
        self.git(&top, &["add", "-A", "-f", ".pi"]);
        self.git(&top, &["commit", "-q", "-m", "stranger"]);
        let pull = [
            "pull",
            "-q",
            "--no-rebase",
            "--no-edit",
            top.as_str(),
            "HEAD",
        ];
        self.git(tree, &pull);
    }
}
