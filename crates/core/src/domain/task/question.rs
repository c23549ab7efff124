//! Questions to the user: asked, pending, answered; and those that wait.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::derived::Derived;
use crate::domain::forms;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// The key of a question whether the goal is to be given up: a yes ends the goal.
pub const ABANDON: &str = "abandon_goal";

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    Info,
    Confirm,
    Approval,
}

/// A question and, once there is one, its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub kind: QuestionKind,
    pub question: String,
    pub suggestions: Vec<String>,
    /// The evidence that the answer becomes; another program's question may name none.
    pub key: Option<EvidenceKey>,
    /// The task that waits for the answer.
    pub task_id: Option<String>,
    pub at: String,
    /// Who asked it, and in which session.
    pub by: Option<Actor>,
    pub session: Option<String>,
    #[serde(with = "forms::maybe")]
    pub answer: Option<Box<Value>>,
}

/// All questions of one goal, in the order in which they were asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Questions {
    asked: Vec<Question>,
    /// Where the question with each id is.
    #[serde(skip)]
    places: Derived<HashMap<String, usize>>,
}

impl Questions {
    /// Records a question; one that was asked under this id before stays as it is.
    pub(in crate::domain) fn ask(&mut self, asked: Question) {
        if self.place(&asked.id).is_some() {
            return;
        }
        let at_end = self.asked.len();
        if let Some(places) = self.places.known() {
            places.insert(asked.id.clone(), at_end);
        }
        self.asked.push(asked);
    }

    /// Records an answer; the first one counts.
    pub(in crate::domain) fn answer(&mut self, id: &str, answer: &Value) {
        let place = self.place(id);
        if let Some(question) = place.and_then(|at| self.asked.get_mut(at)) {
            let first = || Box::new(answer.clone());
            question.answer.get_or_insert_with(first);
        }
    }

    /// Another task has this id from now on: what the one before asked is not asked any more.
    pub(in crate::domain) fn release(&mut self, task_id: &str) {
        self.drop_open(|it| it.task_id.as_deref() == Some(task_id));
    }

    /// The question with this id is not asked any more. An answered one stays as it is.
    pub(in crate::domain) fn withdraw(&mut self, id: &str) {
        self.drop_open(|it| it.id == id);
    }

    fn drop_open(&mut self, is_over: impl Fn(&Question) -> bool) {
        let is_over = |it: &Question| it.answer.is_none() && is_over(it);
        if self.asked.iter().any(is_over) {
            self.asked.retain(|it| !is_over(it));
            self.places.forget();
        }
    }

    fn place(&self, id: &str) -> Option<usize> {
        let places = self.places.get(|| {
            let asked = self.asked.iter().enumerate();
            asked.map(|(at, it)| (it.id.clone(), at)).collect()
        });
        places.get(id).copied()
    }

    /// Every question, oldest first.
    pub fn all(&self) -> &[Question] {
        &self.asked
    }
}

/// The questions that still want an answer: those of tasks that are still to be done, and those
/// of the goal itself. What a task no longer needs to know is not asked any more.
pub fn pending<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<&'a Question> {
    let wanted = |question: &&Question| {
        question.answer.is_none()
            && match question.task_id.as_deref() {
                None => true,
                Some(task) => tasks.find(task).is_some() && standing.status(task).is_open(),
            }
    };
    tasks.questions.all().iter().filter(wanted).collect()
}

/// The checkpoints that alone wait for an answer: who asked said so, and the others can be worked.
pub fn held<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> BTreeSet<&'a str> {
    let of_one = pending(tasks, standing).into_iter().filter(is_of_one);
    let task = of_one.filter_map(|question| question.task_id.as_deref());
    task.filter_map(|task| Some(&*tasks.find(tasks.path(task).first()?)?.id))
        .collect()
}

/// Whether a question holds its task alone. What a step asks for becomes evidence, which later steps may
/// need; and a question without a task is about the whole goal.
pub(super) fn is_of_one(question: &&Question) -> bool {
    question.task_id.is_some() && question.key.is_none()
}
