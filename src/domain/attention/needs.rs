//! All that waits about one goal.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::domain::attention::need::{Choice, Need, NeedKind, answer_command, oldest_first, safe};
use crate::domain::goal::contract::heading;
use crate::domain::goal::header::GoalHeader;
use crate::domain::id::GoalId;
use crate::domain::task::question::{Question, QuestionKind};

/// All that waits about one goal, oldest first. A goal can have tens of thousands of questions, so this
/// list shares them with the goal, and makes a [`Need`] of each when somebody looks at it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs {
    about: About,
    waiting: Vec<Waiting>,
}

/// What all needs about a goal say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct About {
    id: Option<GoalId>,
    title: String,
    owner: Option<String>,
}

/// One thing that waits about a goal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Waiting {
    Question(Arc<Question>),
    Other(Box<Need>),
}

impl Needs {
    pub(super) fn of(header: &GoalHeader, mut waiting: Vec<Waiting>) -> Needs {
        oldest_first(&mut waiting, Waiting::since);
        Needs {
            about: About::of(header),
            waiting,
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Need> {
        self.waiting.iter().map(|it| it.need(&self.about))
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many of them are questions.
    pub fn questions(&self) -> usize {
        let is_question = |it: &&Waiting| matches!(it, Waiting::Question(_));
        self.waiting.iter().filter(is_question).count()
    }
}

/// Serialised as a list of needs.
impl Serialize for Needs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl About {
    pub(super) fn of(header: &GoalHeader) -> About {
        About {
            id: Some(header.id.clone()),
            title: heading(header.title.as_deref(), &header.objective).to_owned(),
            owner: header.owner.clone(),
        }
    }

    /// A need about the goal, of which the rest is to be said.
    pub(super) fn need(&self, kind: NeedKind) -> Need {
        Need {
            kind,
            goal_id: self.id.clone(),
            draft_id: None,
            question_id: None,
            title: self.title.clone(),
            owner: self.owner.clone(),
            since: None,
            reason: String::new(),
            command: String::new(),
            choices: Vec::new(),
        }
    }
}

impl Waiting {
    fn need(&self, about: &About) -> Need {
        match self {
            Waiting::Question(asked) => question(about, asked),
            Waiting::Other(need) => (**need).clone(),
        }
    }

    fn since(&self) -> Option<&str> {
        match self {
            Waiting::Question(asked) => Some(&asked.at),
            Waiting::Other(need) => need.since.as_deref(),
        }
    }
}

/// The need that an open question is.
pub(super) fn question(about: &About, asked: &Question) -> Need {
    let command = answer_command(&asked.id);
    let nameable = safe(&asked.id).is_some();
    let (kind, mut choices) = match asked.kind {
        QuestionKind::Info => {
            let picks = asked.suggestions.iter().zip(1..);
            let picks = picks.map(|(text, n)| Choice::new(text, format!("{command} --pick {n}")));
            (NeedKind::Question, picks.collect())
        }
        QuestionKind::Confirm | QuestionKind::Approval => {
            let of = |word: &str| Choice::new(word, format!("{command} {word}"));
            (NeedKind::Approval, vec![of("yes"), of("no")])
        }
    };
    if !nameable {
        choices.clear();
    }
    Need {
        question_id: Some(asked.id.clone()),
        since: Some(asked.at.clone()),
        reason: asked.question.clone(),
        command,
        choices,
        ..about.need(kind)
    }
}
