//! Lists open questions, asks the user one, and records an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::QuestionAsked;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, is_part, meant};
use crate::domain::state::State;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::question::{Question, QuestionKind, pending};
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Transacted;
use crate::render::text::{count, one_line};
use crate::snapshot::Snapshot;

/// The open questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestions {
    /// In order of their goals' creation, then of asking.
    pub questions: Vec<OpenQuestion>,
}

/// A question that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    pub question_id: String,
    pub goal_id: GoalId,
    /// The task that waits; nothing for a question about the goal itself.
    pub task_id: Option<String>,
    /// What is wanted: any text, or yes or no.
    pub kind: QuestionKind,
    pub question: String,
    pub suggestions: Vec<String>,
    /// The evidence that the answer becomes.
    pub key: Option<EvidenceKey>,
    pub at: String,
}

impl OpenQuestion {
    /// The question as it stands in a goal.
    pub fn of(goal: &Goal, question: &Question) -> OpenQuestion {
        OpenQuestion {
            question_id: question.id.to_string(),
            goal_id: goal.id.clone(),
            task_id: question.task_id.as_deref().map(str::to_owned),
            kind: question.kind,
            question: question.question.clone(),
            suggestions: question.suggestions.clone(),
            key: question.key.clone(),
            at: question.at.to_string(),
        }
    }

    /// The question for people, with how it is answered.
    pub fn text(&self) -> String {
        let suggested: Vec<String> = self.suggestions.iter().map(|it| one_line(it)).collect();
        let suggested = match suggested.is_empty() {
            true => String::new(),
            false => format!(" ({})", suggested.join(", ")),
        };
        let id = one_line(&self.question_id);
        let task = self.task_id.as_deref().map(one_line);
        let of = task.map_or_else(String::new, |task| format!(", task {task}"));
        format!(
            "{}{suggested}\n  for goal {}{of}; answer with `goal answer {id} VALUE`\n",
            one_line(&self.question),
            self.goal_id
        )
    }
}

/// The open questions of the named goal, else of all open goals.
///
/// # Errors
/// The named goal is unknown or ambiguous.
pub fn questions(call: &Call) -> Result<OpenQuestions, Failure> {
    let snapshot = call.look()?;
    let questions = open(call, &snapshot)?.into_iter();
    Ok(OpenQuestions {
        questions: questions
            .map(|(goal, it)| OpenQuestion::of(goal, it))
            .collect(),
    })
}

/// The open questions of the goal that `--goal` names, else of all open goals.
fn open<'a>(call: &Call, now: &'a Snapshot) -> Result<Vec<(&'a Goal, &'a Question)>, Rejection> {
    let goals = match call.named(now)? {
        Some(named) => vec![named],
        None => now.state.open(),
    };
    let open = goals.into_iter().filter(|goal| goal.status.is_open());
    let all = open.flat_map(|goal| {
        let pending = pending(&goal.tasks, &TaskStatuses::of(&goal.tasks)).into_iter();
        pending.map(move |question| (goal, question))
    });
    Ok(all.collect())
}

// What the user is asked: of `goal ask` and ask_user.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ask {
    /// The question.
    #[arg(help = "The question; `-` reads it from stdin")]
    pub question: String,
    /// The answer must be yes or no.
    #[arg(long, action = clap::ArgAction::SetTrue)]
    pub approval: Option<bool>,
    /// Suggested answers.
    #[arg(
        long = "suggest",
        value_name = "TEXT",
        conflicts_with = "approval",
        help = "A suggested answer; may be repeated"
    )]
    pub suggestions: Option<Vec<String>>,
    /// The task that waits for the answer; without it the whole goal waits.
    #[arg(
        long,
        value_name = "TASK",
        help = "Only this task waits for the answer: a run continues with the others"
    )]
    pub task: Option<String>,
}

/// Asks the user a question about the goal itself, or for one of its tasks.
///
/// # Errors
/// The question is empty, the goal is closed or not the caller's, or it has no such task to be done.
pub fn ask(call: &Call, asked: &Ask) -> Result<Transacted, Failure> {
    let kind = match asked.approval {
        Some(true) => QuestionKind::Approval,
        _ => QuestionKind::Info,
    };
    let suggestions = asked.suggestions.clone().unwrap_or_default();
    let mut arguments = json!({
        "goal": call.goal,
        "question": asked.question,
        "kind": kind,
        "suggestions": suggestions,
    });
    // A request without it has the key that it always had.
    if let Some(task) = &asked.task {
        arguments["task"] = json!(task);
    }
    let act = TaskCommand::Ask(QuestionAsked {
        question_id: call.fresh_id(),
        kind,
        question: asked.question.clone(),
        suggestions: Some(suggestions),
        task_id: asked.task.clone(),
        key: None,
    });
    Ok(call.request(act).key(arguments).run()?.into())
}

/// Answers a question of any goal: the answer becomes evidence for the task that asked.
///
/// # Errors
/// There is no such open question, the answer does not fit it, or the caller is an agent.
pub fn answer(
    call: &Call,
    named: Option<&str>,
    given: GivenAnswer<'_>,
) -> Result<Transacted, Failure> {
    let snapshot = call.read()?;
    let (goal, question) = match named {
        Some(named) => find(&snapshot.state, named)?,
        None => only(call, &snapshot)?,
    };
    let answer = given.text(question)?;
    if named.is_none() && answer.trim() == question.id {
        return Err(Failure::usage(
            format!("`{answer}` is the question, and no answer is given"),
            format!("`goal answer {answer} VALUE`"),
        ));
    }
    let act = TaskCommand::Answer {
        question: question.id.to_string(),
        answer: answer.clone(),
    };
    let arguments = json!({ "question": question.id, "answer": answer });
    let request = call.request(act).on(&goal.id);
    let mut outcome: Transacted = request.key(arguments).run()?.into();
    if let Some(named) = named.filter(|named| !is_part(named, &question.id)) {
        let what = format!("question {}", question.id);
        let notice = Diagnostic::named_by_title(named, &what, &question.question);
        outcome.notices.push(notice);
    }
    Ok(outcome)
}

/// The answers that would do, in the order of their numbers.
pub fn suggested(kind: QuestionKind, own: &[String]) -> Vec<&str> {
    match kind {
        QuestionKind::Info => own.iter().map(String::as_str).collect(),
        QuestionKind::Confirm | QuestionKind::Approval => vec!["yes", "no"],
    }
}

/// What the user answers.
#[derive(Debug, Clone, Copy)]
pub enum GivenAnswer<'a> {
    Text(&'a str),
    /// The answer with this number among those that would do, from 1.
    Pick(usize),
}

impl GivenAnswer<'_> {
    fn text(self, question: &Question) -> Result<String, Failure> {
        let number = match self {
            GivenAnswer::Text(text) => return Ok(text.to_owned()),
            GivenAnswer::Pick(number) => number,
        };
        let suggested = suggested(question.kind, &question.suggestions);
        let picked = number.checked_sub(1).and_then(|at| suggested.get(at));
        picked.map(|it| (*it).to_owned()).ok_or_else(|| {
            let (id, many) = (one_line(&question.id), suggested.len() as u64);
            let message = match many {
                0 => format!("question {id} suggests no answers"),
                _ => format!(
                    "question {id} suggests {}, and no number {number}",
                    count(many, "answer")
                ),
            };
            Failure::usage(
                message,
                "`goal inbox --list` shows them; or answer in your own words",
            )
        })
    }
}

/// The only open question, of the goal that `--goal` names or of all.
fn only<'a>(call: &Call, now: &'a Snapshot) -> Result<(&'a Goal, &'a Question), Failure> {
    match &open(call, now)?[..] {
        [only] => Ok(*only),
        [] => Err(Failure::usage(
            "no question is open",
            "`goal inbox` lists what needs you",
        )),
        many => Err(Failure::usage(
            format!(
                "{} questions are open, so name the one that you answer",
                many.len()
            ),
            "`goal inbox --questions --list` shows them: `goal answer QUESTION VALUE`",
        )),
    }
}

/// The question with this id, answered or not; or the open question that a part of its id names, or
/// words of it and of its goal's title.
fn find<'a>(state: &'a State, named: &str) -> Result<(&'a Goal, &'a Question), Rejection> {
    let goals = state.in_order();
    let all = goals.iter().flat_map(|goal| {
        let questions = goal.tasks.questions.all().iter();
        questions.map(|question| (*goal, question))
    });
    if let Some(found) = all.clone().find(|(_, question)| question.id == named) {
        return Ok(found);
    }
    let open = all.filter(|(goal, it)| goal.status.is_open() && it.answer.is_none());
    let words =
        |(goal, it): (&Goal, &Question)| format!("{} {}", it.question, goal.contract.heading());
    let found = meant(named, open, |(_, it)| it.id.to_string(), words);
    match &found[..] {
        [only] => Ok(*only),
        [] => Err(Rejection::UnknownQuestion {
            question: named.to_owned(),
        }),
        _ => Err(Rejection::AmbiguousQuestion {
            question: named.to_owned(),
            candidates: Candidates::of(
                found
                    .iter()
                    .map(|(_, it)| (it.id.as_str(), it.question.as_str())),
            ),
        }),
    }
}
