//! An index of evidence by key and by task, and hashes of the evidence that the goal sees. A hash
//! is kept until evidence is added or removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::EvidenceItem;
use crate::domain::task::condition::EvidenceKey;

/// The pieces of evidence by key and by task. Keys and tasks get numbers when they are first used,
/// and pieces have numbers too. So an entry takes a few words of memory; a set for each key and
/// task would take hundreds of bytes.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The number of each key that there is evidence under.
    keys: BTreeMap<EvidenceKey, u32>,
    tasks: HashMap<String, u32>,
    /// Each key with each of its pieces.
    of_key: BTreeSet<(u32, u64)>,
    /// Each task with its keys, and each of its pieces under them.
    of_task: BTreeSet<(u32, u32, u64)>,
    /// Each task with the keys under which another piece came after its own: there the task sees
    /// another value than the goal.
    hidden: BTreeSet<(u32, u32)>,
    /// The number of the key that got one last.
    numbered: u32,
    /// Hashes of what the goal sees.
    hashes: Mutex<Hashes>,
}

/// By moment: what the goal saw then, or `None` for what it sees now.
type Hashes = HashMap<Option<u64>, String>;

impl Index {
    pub(super) fn of(given: &BTreeMap<u64, Box<EvidenceItem>>) -> Index {
        let mut index = Index::default();
        let pieces = given.iter();
        pieces.for_each(|(at, piece)| index.add(*at, piece, given));
        index
    }

    /// Adds a piece that came after all others, which `given` has.
    pub(super) fn add(
        &mut self,
        at: u64,
        piece: &EvidenceItem,
        given: &BTreeMap<u64, Box<EvidenceItem>>,
    ) {
        self.hashes().clear();
        let key = match self.keys.get(&piece.key) {
            Some(key) => *key,
            None => {
                self.numbered += 1;
                self.keys.insert(piece.key.clone(), self.numbered);
                self.numbered
            }
        };
        if let Some(task) = self.last(key).and_then(|it| self.task_of(it, given)) {
            self.hidden.insert((task, key));
        }
        self.of_key.insert((key, at));
        if let Some(task) = &piece.task_id {
            let next = self.tasks.len() as u32;
            let task = *self.tasks.entry(task.clone()).or_insert(next);
            self.of_task.insert((task, key, at));
            self.hidden.remove(&(task, key));
        }
    }

    /// Removes the pieces of a task; `given` still has them. Returns the number of each, and
    /// whether it was the last one under its key.
    pub(super) fn drop_of(
        &mut self,
        task: &str,
        given: &BTreeMap<u64, Box<EvidenceItem>>,
    ) -> Vec<(u64, bool)> {
        self.hashes().clear();
        let places = self.of_task(task);
        let Some(task) = self.tasks.get(task).copied() else {
            return Vec::new();
        };
        let mut dropped = Vec::new();
        for at in places {
            let piece = given.get(&at);
            let Some((name, key)) = piece.and_then(|it| self.keys.get_key_value(&it.key)) else {
                continue;
            };
            let (name, key) = (name.clone(), *key);
            self.of_key.remove(&(key, at));
            self.of_task.remove(&(task, key, at));
            self.hidden.remove(&(task, key));
            let left = self.last(key);
            if let Some(task) = left.and_then(|latest| self.task_of(latest, given)) {
                self.hidden.remove(&(task, key));
            }
            if left.is_none() {
                self.keys.remove(&name);
            }
            dropped.push((at, left.is_none()));
        }
        dropped
    }

    /// The pieces of a task are no longer its own.
    pub(super) fn release(&mut self, task: &str) {
        let Some(task) = self.tasks.get(task).copied() else {
            return;
        };
        let own = self
            .of_task
            .range((task, 0, 0)..=(task, u32::MAX, u64::MAX));
        for (task, key, at) in own.copied().collect::<Vec<_>>() {
            self.of_task.remove(&(task, key, at));
            self.hidden.remove(&(task, key));
        }
    }

    /// Whether anything was given to this task.
    pub(super) fn has(&self, task: &str) -> bool {
        self.pieces(task).next().is_some()
    }

    /// What was given to this task, oldest first.
    pub(super) fn of_task(&self, task: &str) -> Vec<u64> {
        let mut pieces: Vec<u64> = self.pieces(task).collect();
        pieces.sort_unstable();
        pieces
    }

    fn pieces(&self, task: &str) -> impl Iterator<Item = u64> {
        let task = self.tasks.get(task).into_iter();
        let all = |task: &u32| (*task, 0, 0)..=(*task, u32::MAX, u64::MAX);
        let pieces = task.flat_map(move |task| self.of_task.range(all(task)));
        pieces.map(|(.., at)| *at)
    }

    /// The latest piece under a key.
    pub(super) fn latest(&self, key: &EvidenceKey) -> Option<u64> {
        self.last(*self.keys.get(key)?)
    }

    fn last(&self, key: u32) -> Option<u64> {
        let mut pieces = self.of_key.range((key, 0)..=(key, u64::MAX));
        pieces.next_back().map(|(_, at)| *at)
    }

    /// The latest piece of a task under a key.
    pub(super) fn latest_of(&self, key: &EvidenceKey, task: &str) -> Option<u64> {
        let (key, task) = (*self.keys.get(key)?, *self.tasks.get(task)?);
        let mut pieces = self.of_task.range((task, key, 0)..=(task, key, u64::MAX));
        pieces.next_back().map(|(.., at)| *at)
    }

    /// The keys that there is evidence under, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &EvidenceKey> {
        self.keys.keys()
    }

    /// Whether one of these tasks sees under some key something else than the goal.
    pub(super) fn has_hidden(&self, path: &[String]) -> bool {
        let numbers = path.iter().filter_map(|task| self.tasks.get(task.as_str()));
        let hides = |task: &u32| self.hidden.range((*task, 0)..=(*task, u32::MAX)).next();
        numbers.filter_map(hides).next().is_some()
    }

    /// The hash of what the goal sees, if it was computed before.
    pub(super) fn hash(&self, moment: Option<u64>) -> Option<String> {
        self.hashes().get(&moment).cloned()
    }

    /// Keeps that hash until another piece comes or goes.
    pub(super) fn keep_hash(&self, moment: Option<u64>, hash: &str) {
        self.hashes().insert(moment, hash.to_owned());
    }

    fn hashes(&self) -> MutexGuard<'_, Hashes> {
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task that a piece was given to.
    fn task_of(&self, at: u64, given: &BTreeMap<u64, Box<EvidenceItem>>) -> Option<u32> {
        let task = given.get(&at)?.task_id.as_ref()?;
        self.tasks.get(task).copied()
    }
}
