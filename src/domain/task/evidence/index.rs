//! Where the pieces of evidence are, to find those under a key and those of a task, and what the
//! goal sees, hashed once until another piece comes or goes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Given;

/// The numbers of the pieces, which grow as they come, by key and by task.
#[derive(Debug, Default)]
pub(super) struct Index {
    of_key: BTreeMap<String, BTreeSet<u64>>,
    /// Of every task, by key.
    of_task: HashMap<String, BTreeMap<String, BTreeSet<u64>>>,
    /// Of what the goal sees: of all keys, or of those that were there at a moment.
    hashes: RefCell<HashMap<Option<u64>, String>>,
}

impl Index {
    pub(super) fn of(given: &BTreeMap<u64, Box<Given>>) -> Index {
        let mut index = Index::default();
        let pieces = given.iter();
        pieces.for_each(|(at, piece)| index.add(*at, piece));
        index
    }

    /// Adds a piece that came after all others.
    pub(super) fn add(&mut self, at: u64, piece: &Given) {
        self.hashes.get_mut().clear();
        let key = piece.key.clone();
        if let Some(task) = &piece.task_id {
            let of_task = self.of_task.entry(task.clone()).or_default();
            of_task.entry(key.clone()).or_default().insert(at);
        }
        self.of_key.entry(key).or_default().insert(at);
    }

    /// Lets go of the pieces of a task: the number of each, and whether none is left under its key.
    pub(super) fn drop_of(&mut self, task: &str) -> Vec<(u64, bool)> {
        self.hashes.get_mut().clear();
        let mut dropped = Vec::new();
        for (key, pieces) in self.of_task.remove(task).unwrap_or_default() {
            let left = self.of_key.entry(key.clone()).or_default();
            pieces.iter().for_each(|at| {
                left.remove(at);
            });
            let is_last = left.is_empty();
            if is_last {
                self.of_key.remove(&key);
            }
            dropped.extend(pieces.into_iter().map(|at| (at, is_last)));
        }
        dropped
    }

    /// Whether anything was given to this task.
    pub(super) fn has(&self, task: &str) -> bool {
        self.of_task.contains_key(task)
    }

    /// What was given to this task, oldest first.
    pub(super) fn of_task(&self, task: &str) -> BTreeSet<u64> {
        let pieces = self.of_task.get(task).into_iter();
        pieces
            .flat_map(BTreeMap::values)
            .flatten()
            .copied()
            .collect()
    }

    /// The latest piece under a key.
    pub(super) fn latest(&self, key: &str) -> Option<u64> {
        self.of_key.get(key)?.last().copied()
    }

    /// The latest piece of a task under a key.
    pub(super) fn latest_of(&self, key: &str, task: &str) -> Option<u64> {
        self.of_task.get(task)?.get(key)?.last().copied()
    }

    /// The keys that there is evidence under, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.of_key.keys().map(String::as_str)
    }

    /// Whether one of these tasks sees under some key something else than the goal.
    pub(super) fn has_hidden(&self, path: &[String]) -> bool {
        let mut of_tasks = path.iter().filter_map(|task| self.of_task.get(task));
        of_tasks.any(|keys| {
            let mut keys = keys.iter();
            keys.any(|(key, pieces)| pieces.last().copied() != self.latest(key))
        })
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
