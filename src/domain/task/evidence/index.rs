//! Where the pieces of evidence are, to find those under a key and those of a task, and what the
//! goal sees, hashed once until another piece comes or goes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Given;

/// By key and by task; pieces by their numbers.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_key: BTreeMap<String, Under>,
    by_task: HashMap<String, BTreeSet<u64>>,
    /// By task, the keys under which another piece came after its own: there it sees something
    /// else than the goal.
    hidden: HashMap<String, BTreeSet<String>>,
    /// Of what the goal sees: of all keys, or of those that were there at a moment.
    hashes: RefCell<HashMap<Option<u64>, String>>,
}

/// The pieces under one key, and the latest of each task.
#[derive(Debug, Default)]
struct Under {
    pieces: BTreeSet<u64>,
    of_task: HashMap<String, u64>,
}

impl Index {
    pub(super) fn of(given: &BTreeMap<u64, Given>) -> Index {
        let mut index = Index::default();
        let pieces = given.iter();
        pieces.for_each(|(at, piece)| index.add(*at, piece, given));
        index
    }

    /// Adds a piece that came after all others, which `given` has.
    pub(super) fn add(&mut self, at: u64, piece: &Given, given: &BTreeMap<u64, Given>) {
        self.hashes.get_mut().clear();
        let under = self.by_key.entry(piece.key.clone()).or_default();
        if let Some(task) = under.pieces.last().and_then(|it| task_of(*it, given)) {
            let hidden = self.hidden.entry(task.to_owned()).or_default();
            hidden.insert(piece.key.clone());
        }
        under.pieces.insert(at);
        if let Some(task) = &piece.task_id {
            under.of_task.insert(task.clone(), at);
            self.by_task.entry(task.clone()).or_default().insert(at);
            show(&mut self.hidden, task, &piece.key);
        }
    }

    /// Lets go of the pieces of a task, which `given` still has: the number of each, and whether
    /// it was the last under its key.
    pub(super) fn drop_of(&mut self, task: &str, given: &BTreeMap<u64, Given>) -> Vec<(u64, bool)> {
        self.hashes.get_mut().clear();
        self.hidden.remove(task);
        let mut dropped = Vec::new();
        for at in self.by_task.remove(task).into_iter().flatten() {
            let Some(key) = given.get(&at).map(|piece| &piece.key) else {
                continue;
            };
            let mut was_last = false;
            if let Some(under) = self.by_key.get_mut(key) {
                under.pieces.remove(&at);
                under.of_task.remove(task);
                match under.pieces.last().map(|latest| task_of(*latest, given)) {
                    Some(Some(task)) => show(&mut self.hidden, task, key),
                    Some(None) => {}
                    None => was_last = true,
                }
            }
            if was_last {
                self.by_key.remove(key);
            }
            dropped.push((at, was_last));
        }
        dropped
    }

    /// Whether anything was given to this task.
    pub(super) fn has(&self, task: &str) -> bool {
        self.by_task.contains_key(task)
    }

    /// What was given to this task, oldest first.
    pub(super) fn of_task(&self, task: &str) -> impl Iterator<Item = u64> {
        let pieces = self.by_task.get(task).into_iter();
        pieces.flatten().copied()
    }

    /// The latest piece under a key.
    pub(super) fn latest(&self, key: &str) -> Option<u64> {
        self.by_key.get(key)?.pieces.last().copied()
    }

    /// The latest piece of a task under a key.
    pub(super) fn latest_of(&self, key: &str, task: &str) -> Option<u64> {
        self.by_key.get(key)?.of_task.get(task).copied()
    }

    /// The keys that there is evidence under, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// Whether one of these tasks sees under some key something else than the goal.
    pub(super) fn has_hidden(&self, path: &[String]) -> bool {
        let hides = |task: &String| self.hidden.get(task).is_some_and(|it| !it.is_empty());
        path.iter().any(hides)
    }

    /// The hash of what the goal sees, where somebody has asked for it.
    pub(super) fn hash(&self, moment: Option<u64>) -> Option<String> {
        self.hashes.borrow().get(&moment).cloned()
    }

    /// Keeps that hash until another piece comes or goes.
    pub(super) fn keep_hash(&self, moment: Option<u64>, hash: &str) {
        self.hashes.borrow_mut().insert(moment, hash.to_owned());
    }
}

/// The task that a piece was given to.
fn task_of(at: u64, given: &BTreeMap<u64, Given>) -> Option<&str> {
    given.get(&at)?.task_id.as_deref()
}

/// The latest piece under this key is a task's own.
fn show(hidden: &mut HashMap<String, BTreeSet<String>>, task: &str, key: &str) {
    if let Some(keys) = hidden.get_mut(task) {
        keys.remove(key);
    }
}
