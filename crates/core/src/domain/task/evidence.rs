//! Evidence: what was shown to be so, and which of it a task sees.
//!
//! What is given to a task is also the goal's. A task sees its own value for a key, else that of
//! its nearest ancestor, else the goal's latest, whoever it was given to.

mod index;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::derived::Derived;
use crate::domain::forms;
use crate::domain::task::condition::EvidenceKey;
use index::Index;

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EvidenceView")]
pub struct EvidenceItem {
    pub key: EvidenceKey,
    pub value: Value,
    /// The task that it was given to; null for the goal itself.
    pub task_id: Option<String>,
    /// Who or what gave it.
    pub source: Option<String>,
    pub at: String,
}

impl EvidenceItem {
    /// The source of the user's answer to a question.
    pub fn source_of_answer(question: &str) -> String {
        format!("{ANSWER}{question}")
    }

    /// Whether it is the user's own word: given by them, or as the answer to a question.
    pub fn is_users(&self) -> bool {
        let source = self.source.as_deref().unwrap_or_default();
        source == Actor::User.name() || source.starts_with(ANSWER)
    }
}

/// What the source of the user's answer to a question begins with.
const ANSWER: &str = "question:";

/// Whether a value can be evidence: evidence that there is nothing is none.
pub fn says_something(value: &Value) -> bool {
    !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty())
}

/// What the evaluator said of a predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionResult {
    pub satisfied: bool,
    pub reasoning: Option<String>,
    /// Of the evidence that it was said of.
    pub evidence_hash: Option<String>,
}

/// An answer of the evaluator, and when it was given: the keys that there was evidence under by
/// then are what it was about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ConditionAnswer {
    judged: ConditionResult,
    moment: u64,
}

/// The times during which there was evidence under a key, in moments. Nearly every key has only the one
/// that lasts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct KeyPresence {
    /// When each that is over began and ended.
    over: Vec<(u64, u64)>,
    /// When the one that lasts began.
    since: Option<u64>,
}

impl KeyPresence {
    fn end(&mut self, moment: u64) {
        let from = self.since.take();
        self.over.extend(from.map(|from| (from, moment)));
    }

    fn contains(&self, moment: u64) -> bool {
        let begun = self.over.partition_point(|(from, _)| *from <= moment);
        let latest = begun.checked_sub(1).and_then(|at| self.over.get(at));
        self.since.is_some_and(|from| from <= moment) || latest.is_some_and(|(_, to)| *to > moment)
    }
}

/// All evidence of one goal, and what the evaluator made of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// By the moment at which each was given. Boxed, since the nodes of a map are half empty.
    #[serde(with = "forms::pairs")]
    given: BTreeMap<u64, Box<EvidenceItem>>,
    /// By task, nothing for the goal, and predicate.
    #[serde(with = "forms::pairs")]
    answers: BTreeMap<(Option<String>, String), ConditionAnswer>,
    /// How often something was given or dropped.
    moment: u64,
    /// The latest moment at which there came to be evidence under a key, or none any more.
    turn: u64,
    /// By key, when there was evidence under it.
    lives: BTreeMap<EvidenceKey, KeyPresence>,
    #[serde(skip)]
    index: Derived<Index>,
}

impl Evidence {
    /// Records a piece.
    pub(in crate::domain) fn give(&mut self, given: EvidenceItem) {
        self.moment += 1;
        let lives = self.lives.entry(given.key.clone()).or_default();
        if lives.since.is_none() {
            lives.since = Some(self.moment);
            self.turn = self.moment;
        }
        let at = self.moment;
        if let Some(index) = self.index.known() {
            index.add(at, &given, &self.given);
        }
        self.given.insert(at, Box::new(given));
    }

    /// Records what the evaluator said.
    pub(in crate::domain) fn judge(
        &mut self,
        task_id: Option<String>,
        predicate: &Value,
        judged: ConditionResult,
    ) {
        let moment = self.moment;
        let answer = ConditionAnswer { judged, moment };
        self.answers
            .insert((task_id, predicate.to_string()), answer);
    }

    /// Forgets what was said of a task.
    fn forget_answers_of(&mut self, task_id: &str) {
        let first = (Some(task_id.to_owned()), String::new());
        let about = self.answers.range(first..).map(|(about, _)| about);
        let about: Vec<_> = about
            .take_while(|(of, _)| of.as_deref() == Some(task_id))
            .cloned()
            .collect();
        for about in about {
            self.answers.remove(&about);
        }
    }

    /// Another task has this id from now on. What was given to the one before is the goal's alone,
    /// and what was said of it is forgotten.
    pub(in crate::domain) fn release(&mut self, task_id: &str) {
        self.forget_answers_of(task_id);
        for at in self.index().of_task(task_id) {
            if let Some(given) = self.given.get_mut(&at) {
                given.task_id = None;
            }
        }
        if let Some(index) = self.index.known() {
            index.release(task_id);
        }
    }

    /// Forgets what was given to a task and said of it, which is to be done again.
    pub(in crate::domain) fn drop_of(&mut self, task_id: &str) {
        self.forget_answers_of(task_id);
        self.index();
        let Some(index) = self.index.known().filter(|it| it.has(task_id)) else {
            return;
        };
        self.moment += 1;
        for (at, gone) in index.drop_of(task_id, &self.given) {
            let Some(given) = self.given.remove(&at) else {
                continue;
            };
            if let (true, Some(lives)) = (gone, self.lives.get_mut(&given.key)) {
                lives.end(self.moment);
                self.turn = self.moment;
            }
        }
    }

    /// What was given to this task.
    pub fn given_to<'a>(&'a self, task_id: &str) -> impl Iterator<Item = &'a EvidenceItem> {
        let places = self.index().of_task(task_id).into_iter();
        places.filter_map(|at| self.given.get(&at).map(|given| &**given))
    }

    fn index(&self) -> &Index {
        self.index.get(|| Index::of(&self.given))
    }

    /// Whether there was evidence under this key then.
    fn was_there(&self, key: &EvidenceKey, moment: u64) -> bool {
        self.lives.get(key).is_some_and(|it| it.contains(moment))
    }

    /// The tasks that something was given to, or that the evaluator spoke of.
    pub fn tasks(&self) -> BTreeSet<&str> {
        let given = self.given.values().filter_map(|it| it.task_id.as_deref());
        let judged = self.answers.keys().filter_map(|(of, _)| of.as_deref());
        given.chain(judged).collect()
    }

    /// Every piece, oldest first.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &EvidenceItem> {
        self.given.values().map(|given| &**given)
    }

    /// How often something was given or dropped until now.
    pub fn moment(&self) -> u64 {
        self.moment
    }

    /// Every piece that was given behind this moment, oldest first.
    pub fn since(&self, moment: u64) -> impl Iterator<Item = &EvidenceItem> {
        let behind = self.given.range(moment.saturating_add(1)..);
        behind.map(|(_, given)| &**given)
    }

    /// Of what was given behind this moment the latest piece of each key and task, with how many there were
    /// before it; oldest first.
    pub fn latest_since(&self, moment: u64) -> Vec<(&EvidenceItem, usize)> {
        let mut latest: BTreeMap<(&EvidenceKey, Option<&str>), (usize, &EvidenceItem, usize)> =
            BTreeMap::new();
        for (at, given) in self.since(moment).enumerate() {
            let of = (&given.key, given.task_id.as_deref());
            let before = latest.get(&of).map_or(0, |(_, _, before)| before + 1);
            latest.insert(of, (at, given, before));
        }
        let mut latest: Vec<_> = latest.into_values().collect();
        latest.sort_unstable_by_key(|(at, ..)| *at);
        latest
            .into_iter()
            .map(|(_, given, before)| (given, before))
            .collect()
    }

    /// Whether the latest piece under this key, of this task or of all, has this value.
    pub fn says(&self, key: &EvidenceKey, task_id: Option<&str>, value: &Value) -> bool {
        let latest = self.latest(key, task_id);
        latest.is_some_and(|given| given.value == *value)
    }

    /// Whether there is a piece under this key, of this task or of any.
    pub fn has(&self, key: &EvidenceKey, task_id: Option<&str>) -> bool {
        self.latest(key, task_id).is_some()
    }

    fn latest(&self, key: &EvidenceKey, task_id: Option<&str>) -> Option<&EvidenceItem> {
        let index = self.index();
        let place = match task_id {
            Some(task) => index.latest_of(key, task),
            None => index.latest(key),
        };
        place.and_then(|at| self.given.get(&at).map(AsRef::as_ref))
    }

    /// What is seen at the end of `path`, task ids from the top level down; empty for the goal.
    pub fn seen_by<'a>(&'a self, path: &[&str]) -> View<'a> {
        View {
            evidence: self,
            path: path.iter().map(|id| (*id).to_owned()).collect(),
        }
    }
}

/// What one task, or the goal itself, sees.
#[derive(Debug, Clone)]
pub struct View<'a> {
    evidence: &'a Evidence,
    /// From the top level down to the task.
    path: Vec<String>,
}

impl<'a> View<'a> {
    /// The value under a key.
    pub fn value(&self, key: &EvidenceKey) -> Option<&'a Value> {
        let index = self.evidence.index();
        let mut nearest = self.path.iter().enumerate().rev();
        let own = nearest.find_map(|(at, id)| {
            // An id that a stranger used twice on the way down counts where it stands first.
            let first = !self.path[..at].contains(id);
            index.latest_of(key, id).filter(|_| first)
        });
        let place = own.or_else(|| index.latest(key))?;
        self.evidence.given.get(&place).map(|given| &given.value)
    }

    /// Every key with its value.
    pub fn values(&self) -> BTreeMap<&'a EvidenceKey, &'a Value> {
        let keys = self.evidence.index().keys();
        keys.filter_map(|key| Some((key, self.value(key)?)))
            .collect()
    }

    /// Names the evidence: the same for the same keys and values. 32 hex digits of BLAKE3 over
    /// the JSON object of them, keys in order.
    pub fn hash(&self) -> String {
        self.hash_at(None)
    }

    /// The same for the keys that there was evidence under at a moment. Where nothing is hidden
    /// from the goal by evidence of the way down, all tasks see the same, which is hashed once.
    fn hash_at(&self, moment: Option<u64>) -> String {
        let moment = moment.filter(|moment| *moment < self.evidence.turn);
        let index = self.evidence.index();
        let of_goal = !index.has_hidden(&self.path);
        if let Some(known) = index.hash(moment).filter(|_| of_goal) {
            return known;
        }
        let then = |key: &EvidenceKey| moment.is_none_or(|it| self.evidence.was_there(key, it));
        let mut hasher = blake3::Hasher::new();
        for (key, value) in self.values().iter().filter(|(key, _)| then(key)) {
            // As JSON both end where they end, so that no two objects look alike.
            hasher.update(Value::from(key.as_str()).to_string().as_bytes());
            hasher.update(canonical(value).as_bytes());
        }
        let hash = hasher.finalize().to_hex()[..32].to_owned();
        if of_goal {
            index.keep_hash(moment, &hash);
        }
        hash
    }

    /// What the evaluator said of the predicate, where it still counts. A yes stands as long as the
    /// evidence that it was about is as it was: what other tasks bring under other keys undoes no
    /// task. A no is for the evidence as it was and for no more, since more may be what it wants.
    pub fn judged(&self, predicate: &Value) -> Option<bool> {
        let key = (self.path.last().cloned(), predicate.to_string());
        let ConditionAnswer { judged, moment } = self.evidence.answers.get(&key)?;
        let said_of = judged.evidence_hash.as_deref()?;
        let hash = match judged.satisfied {
            true => self.hash_at(Some(*moment)),
            false => self.hash(),
        };
        (said_of == hash).then_some(judged.satisfied)
    }
}

/// The value as JSON with its fields sorted at every depth.
fn canonical(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

#[cfg(test)]
mod tests;
