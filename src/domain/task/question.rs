//! Questions to the user: asked, pending, answered.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::derived::Derived;
use crate::domain::event::question::QuestionKind;
use crate::domain::event::{QuestionAnswered, QuestionAsked};
use crate::domain::forms;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// The key of a question whether the goal is to be given up: a yes ends the goal.
pub const ABANDON: &str = "abandon_goal";

/// A question and, once there is one, its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub kind: QuestionKind,
    pub question: String,
    pub suggestions: Vec<String>,
    /// The evidence that the answer becomes; another program's question may name none.
    pub key: Option<String>,
    /// The task that waits for the answer.
    pub task_id: Option<String>,
    pub at: String,
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
    pub(in crate::domain) fn ask(&mut self, asked: &QuestionAsked, at: &str) {
        if self.place(&asked.question_id).is_some() {
            return;
        }
        let at_end = self.asked.len();
        if let Some(places) = self.places.known() {
            places.insert(asked.question_id.clone(), at_end);
        }
        self.asked.push(Question {
            id: asked.question_id.clone(),
            kind: asked.kind,
            question: asked.question.clone(),
            suggestions: asked.suggestions.clone().unwrap_or_default(),
            key: asked.key.clone(),
            task_id: asked.task_id.clone(),
            at: at.to_owned(),
            answer: None,
        });
    }

    /// Records an answer; the first one counts.
    pub(in crate::domain) fn answer(&mut self, answered: &QuestionAnswered) {
        let place = self.place(&answered.question_id);
        if let Some(question) = place.and_then(|at| self.asked.get_mut(at)) {
            question
                .answer
                .get_or_insert_with(|| Box::new(answered.answer.clone()));
        }
    }

    /// Lets go of what is only needed while more is asked and answered.
    pub(in crate::domain) fn rest(&mut self) {
        self.places.forget();
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

/// How many questions of a goal still want an answer.
pub fn open_count(tasks: &Tasks) -> u64 {
    match tasks.questions.all() {
        [] => 0,
        _ => pending(tasks, &TaskStatuses::of(tasks)).len() as u64,
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
