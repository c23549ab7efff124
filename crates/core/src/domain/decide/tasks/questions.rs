//! Deciding on questions: they are asked once, and only the user answers them
//! (docs/design/goals.md#tasks-and-questions).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::completion::may_withdraw;
use crate::domain::decide::tasks::steps::performed;
use crate::domain::decide::tasks::{ended, open};
use crate::domain::decide::{lifecycle, require_text};
use crate::domain::event::{
    Payload, QuestionAnswered, QuestionAsked, QuestionWithdrawn, TaskBlocked,
};
use crate::domain::goal::state::Goal;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::rejection::Rejection;
use crate::domain::task::after::Waiting;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::evidence::EvidenceItem;
use crate::domain::task::order::stack;
use crate::domain::task::primitive::{Ask, Primitive};
use crate::domain::task::question::{ABANDON, Question, QuestionKind, pending};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// Refuses anybody but the user what would stand for their word: evidence that a task is to get
/// from their confirmation, and the completion of such a task.
pub fn leaves_to_user(
    goal: &Goal,
    command: &TaskCommand,
    caller: &Caller,
) -> Result<(), Rejection> {
    if caller.actor == Actor::User {
        return Ok(());
    }
    let mut confirming = confirming(&goal.tasks).into_iter();
    let found = match command {
        TaskCommand::Give { items, .. } => {
            confirming.find(|(_, ask)| items.iter().any(|(given, _)| *given == ask.key))
        }
        TaskCommand::Mark {
            task,
            becomes: TaskStatus::Complete,
            ..
        } => confirming.find(|(waits, _)| waits.id == *task),
        _ => None,
    };
    match found {
        None => Ok(()),
        Some((task, _)) => Err(yours(&task.id)),
    }
}

/// Refuses anybody but the user to begin or to end what is to come after the user's answer.
pub fn keeps_order(goal: &Goal, command: &TaskCommand, caller: &Caller) -> Result<(), Rejection> {
    let TaskCommand::Mark { task, becomes, .. } = command else {
        return Ok(());
    };
    let begins = matches!(becomes, TaskStatus::Active | TaskStatus::Complete);
    if caller.actor == Actor::User || !begins {
        return Ok(());
    }
    let standing = TaskStatuses::of(&goal.tasks);
    let waiting = Waiting::of(&goal.tasks, &standing);
    let mut before: Vec<&str> = vec![task];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = before.pop() {
        let along = goal.tasks.along(id).into_iter();
        for holder in along.flat_map(|above| waiting.holders(above)) {
            let holding = goal.tasks.find(holder).into_iter();
            let parts = holding.flat_map(|it| Tasks::flat_of(std::slice::from_ref(it)));
            let parts = parts.map(|(_, part)| part);
            for part in parts.filter(|part| seen.insert(&part.id)) {
                let is_open = standing.status(&part.id).is_open() || part.id == holder;
                if is_open && matches!(Primitive::of(part), Primitive::Ask(_)) {
                    return Err(comes_after(task, &part.id));
                }
                before.push(&part.id);
            }
        }
    }
    Ok(())
}

fn comes_after(task: &str, answered: &str) -> Rejection {
    Rejection::HumanOwned {
        act: "answer",
        say: format!(
            "task {task} is to come after task {answered}, which waits for your answer: `goal task \
             step` asks, `goal answer` answers"
        ),
    }
}

/// The open tasks that wait for the user's confirmation, each with what it asks.
fn confirming(tasks: &Tasks) -> Vec<(&TaskSpec, Ask)> {
    let frames = stack(tasks, &TaskStatuses::of(tasks)).into_iter();
    let confirming = frames.filter_map(|frame| match Primitive::of(frame.task) {
        Primitive::Ask(ask) if ask.kind == QuestionKind::Confirm => Some((frame.task, ask)),
        _ => None,
    });
    confirming.collect()
}

/// Refuses anybody but the user a definition that completes by a tick what the user is to confirm,
/// and a definition or a skip after which they are no longer asked, or asked something else: what
/// comes after a confirmation is done at once, and no auditor undoes it.
pub fn keeps_confirmations(
    goal: &Goal,
    payloads: &[Payload],
    caller: &Caller,
) -> Result<(), Rejection> {
    let arranges = |payload: &Payload| {
        matches!(
            payload,
            Payload::TaskListSet(_)
                | Payload::TaskAdded(_)
                | Payload::TaskExpanded(_)
                | Payload::TaskSkipped(_)
        )
    };
    if caller.actor == Actor::User || !payloads.iter().any(arranges) {
        return Ok(());
    }
    let after = goal.tasks.after(payloads);
    let asked = confirming(&after);
    let before = confirming(&goal.tasks);
    let still = |(task, ask): &(&TaskSpec, Ask)| {
        asked.iter().any(|(now, it)| now.id == task.id && it == ask)
    };
    let lost = before.iter().find(|it| !still(it)).map(|it| &it.0.id);
    let ticked = payloads.iter().find_map(|payload| match payload {
        Payload::TaskComplete(complete) => {
            let task = after.find(&complete.task_id)?;
            let primitive = Primitive::of(task);
            primitive.confirms().is_some().then_some(&complete.task_id)
        }
        _ => None,
    });
    match lost.or(ticked) {
        None => Ok(()),
        Some(task) => Err(yours(task)),
    }
}

pub(super) fn yours(task: &str) -> Rejection {
    Rejection::HumanOwned {
        act: "answer",
        say: format!(
            "task {task} waits for your own yes or no: `goal task step` asks, `goal answer` answers"
        ),
    }
}

/// The question of a task, unless it is asked already.
pub fn ask(goal: &Goal, task: &TaskSpec, fresh: &str) -> Result<Payload, Rejection> {
    let Primitive::Ask(ask) = Primitive::of(task) else {
        return Err(ended(task, "nothing that asks the user"));
    };
    let standing = TaskStatuses::of(&goal.tasks);
    let mut open = pending(&goal.tasks, &standing).into_iter();
    if open.any(|question| question.task_id.as_deref() == Some(&*task.id)) {
        return Err(ended(
            task,
            "waiting for an answer; `goal questions` shows to what",
        ));
    }
    let asked = QuestionAsked {
        question_id: fresh.to_owned(),
        kind: ask.kind,
        question: ask.question,
        suggestions: Some(ask.suggestions).filter(|it| !it.is_empty()),
        task_id: Some(task.id.clone()),
        key: Some(ask.key),
    };
    Ok(asked.into())
}

/// A question about the goal itself, or for one of its tasks.
pub fn ask_user(goal: &Goal, asked: &QuestionAsked) -> Result<Payload, Rejection> {
    let task = asked.task_id.as_deref().map(|task| open(goal, task));
    let task = task.transpose()?;
    let suggestions = asked.suggestions.iter().flatten();
    let suggestions = suggestions.map(|text| require_text("suggest", text));
    let suggestions: Vec<String> = suggestions.collect::<Result<_, _>>()?;
    let asked = QuestionAsked {
        question_id: asked.question_id.clone(),
        kind: asked.kind,
        question: require_text("question", &asked.question)?,
        suggestions: Some(suggestions).filter(|it| !it.is_empty()),
        task_id: task.map(|task| task.id.clone()),
        key: None,
    };
    Ok(asked.into())
}

/// The question whether the goal is to be given up; nothing more while it is open.
pub fn ask_to_abandon(goal: &Goal, fresh: &str, reason: &str) -> Result<Vec<Payload>, Rejection> {
    let standing = TaskStatuses::of(&goal.tasks);
    let mut open = pending(&goal.tasks, &standing).into_iter();
    if open.any(is_about_abandoning) {
        return Ok(Vec::new());
    }
    let reason = require_text("reason", reason)?;
    let asked = QuestionAsked {
        question_id: fresh.to_owned(),
        kind: QuestionKind::Approval,
        question: format!("Give the goal up for good? {reason}"),
        suggestions: Some(vec!["yes".into(), "no".into()]),
        task_id: None,
        key: Some(ABANDON.into()),
    };
    Ok(vec![asked.into()])
}

fn is_about_abandoning(question: &Question) -> bool {
    question.kind == QuestionKind::Approval && question.key == Some(ABANDON.into())
}

/// The user's answer and what follows from it: evidence under the question's key; for a no to a
/// confirmation the end of its task, which only who reopens it asks again; for a yes to giving up the goal's end.
pub fn answer(goal: &Goal, id: &str, text: &str) -> Result<Vec<Payload>, Rejection> {
    let question = waiting(goal, id)?;
    let answer = match question.kind {
        QuestionKind::Info => Value::from(require_text("answer", text)?.trim()),
        QuestionKind::Confirm | QuestionKind::Approval => Value::from(yes_or_no(text)?),
    };
    let answered = QuestionAnswered {
        question_id: question.id.to_string(),
        answer: answer.clone(),
    };
    let mut payloads = vec![answered.into()];
    let task = question.task_id.as_deref();
    // What a blocked task waits for may be this answer.
    let task = task.map(|task| open(goal, task)).transpose()?;
    match (task, &question.key) {
        (None, _) if is_about_abandoning(question) && answer == json!(true) => {
            let reason = format!("the user answered yes to: {}", question.question);
            payloads.push(lifecycle::end(&reason, Some(AbortOutcome::Abandoned))?);
        }
        (Some(task), _) if answer == json!(false) => {
            // They were asked and said no: the same question again would not be heard.
            let blocked = TaskBlocked {
                task_id: task.id.clone(),
                reason: Some(format!("the user answered no to: {}", question.question)),
            };
            payloads.push(blocked.into());
        }
        (Some(task), Some(key)) => {
            let items = [(key.clone(), answer)];
            let source = EvidenceItem::source_of_answer(&question.id);
            payloads.extend(performed(goal, task, &items, &source)?);
        }
        _ => {}
    }
    Ok(payloads)
}

/// The question with this id, if it waits for the user.
fn waiting<'a>(goal: &'a Goal, id: &str) -> Result<&'a Question, Rejection> {
    let standing = TaskStatuses::of(&goal.tasks);
    let mut waiting = pending(&goal.tasks, &standing).into_iter();
    let question = waiting.find(|question| question.id == id);
    question.ok_or_else(|| Rejection::UnknownQuestion {
        question: id.to_owned(),
    })
}

/// Takes back a question: who asked needs no answer any more.
pub fn withdraw(goal: &Goal, id: &str, caller: &Caller) -> Result<Payload, Rejection> {
    let question = waiting(goal, id)?;
    may_withdraw(caller, question.by, question.session.as_deref())?;
    let question_id = question.id.to_string();
    Ok(QuestionWithdrawn { question_id }.into())
}

fn yes_or_no(text: &str) -> Result<bool, Rejection> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" => Ok(true),
        "no" | "n" | "false" => Ok(false),
        _ => Err(Rejection::invalid(
            "answer",
            "must be yes or no: that is what the question asks",
        )),
    }
}
