//! Interpreting a message: the interpreter says what it means for the goal, and what follows is
//! done as the caller. No interpretation creates a goal, ends one, or answers for the user where
//! an agent passes the message on.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Payload;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::events::DraftMode;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::select;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::events::{QuestionKind, TaskSpec};
use crate::domain::task::limits::Limits;
use crate::domain::task::order::{Step, next};
use crate::domain::task::question::{Question, pending};
use crate::domain::task::standing::Standing;
use crate::ops::asking::asked;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::roles::interpreter::{
    Action, CurrentGoal, FoundEvidence, Interpretation, Interpreting, OpenQuestion,
};
use crate::transaction::Receipt;
use crate::workspace::config::Role;

/// The outcome of `interpret`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interpreted {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// What the message means: `new_goal`, `add_evidence`, `abandon_goal` or `continue`.
    pub action: String,
    /// Why, as the interpreter says.
    pub reasoning: String,
    /// The draft or proposal that a new goal became; only the user's confirmation creates it.
    pub draft_id: Option<String>,
    /// The question that was answered, or that was asked of the user.
    pub question_id: Option<String>,
    /// The key of the evidence that was given.
    pub evidence_key: Option<String>,
    /// The same request was answered before; nobody was asked now.
    pub repeated: bool,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

impl Record for Interpreted {
    fn stops_turn(&self) -> bool {
        false
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// Asks the interpreter what the message means for the goal, and does what follows.
///
/// # Errors
/// No goal, no interpreter or no fitting answer of it, and whatever refuses what follows.
pub fn interpret(call: &Call, message: &str) -> Result<Interpreted, Failure> {
    call.refuse_auditor()?;
    let arguments = json!({ "goal": call.goal, "message": message });
    let answered = call.answered(Command::INTERPRET, &arguments)?;
    if let Some(id) = answered.iter().find_map(|(_, event)| event.goal_id.clone()) {
        // Its own request is answered from the record; what is passed here is not looked at.
        let receipt =
            call.transact_on(&id, command(Action::Continue, "repeated", None), arguments)?;
        return Ok(of(receipt));
    }
    // What would be refused in the end is refused before anybody is asked.
    call.check(command(Action::Continue, "checked", None))?;
    if message.trim().is_empty() {
        return Err(crate::domain::rejection::Rejection::EmptyField { field: "message" }.into());
    }
    let snapshot = call.read()?;
    let goal = select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?;
    let standing = Standing::of(&goal.tasks);
    let open = pending(&goal.tasks, &standing);
    let task = current(goal, &standing);
    let reply = asked(
        call,
        Role::Interpreter,
        &question(goal, task, &open, message),
    )?;
    let then = following(call, &reply, &open, task);
    let command = command(reply.action, &reply.reasoning, then);
    let receipt = call.transact_on(&goal.id, command, arguments)?;
    Ok(of(receipt))
}

fn command(action: Action, reasoning: &str, then: Option<Command>) -> Command {
    Command::Interpret {
        action: action.name(),
        reasoning: reasoning.to_owned(),
        then: then.map(Box::new),
    }
}

/// The task that the message may be about.
fn current<'a>(goal: &'a Goal, standing: &Standing) -> Option<&'a TaskSpec> {
    match next(&goal.tasks, standing) {
        Step::Work(task) | Step::Plan(task) | Step::Prove(task, _) | Step::Stuck(task) => {
            Some(task)
        }
        Step::NoTasks | Step::Ready => None,
    }
}

fn question(
    goal: &Goal,
    task: Option<&TaskSpec>,
    open: &[&Question],
    message: &str,
) -> Interpreting {
    let path = task.map(|task| goal.tasks.path(&task.id));
    let seen = goal.tasks.evidence.seen_by(&path.unwrap_or_default());
    let evidence = seen.values().iter();
    Interpreting {
        user_message: message.to_owned(),
        current_goal: CurrentGoal {
            goal_id: goal.id.to_string(),
            gloss: goal.contract.objective.clone(),
            current_task: task.map(|task| task.title.clone()),
            questions: open
                .iter()
                .map(|question| OpenQuestion {
                    key: question.key.clone(),
                    question: question.question.clone(),
                })
                .collect(),
        },
        evidence: evidence
            .map(|(key, value)| ((*key).to_owned(), (*value).clone()))
            .collect(),
    }
}

/// What follows from the reply.
fn following(
    call: &Call,
    reply: &Interpretation,
    open: &[&Question],
    task: Option<&TaskSpec>,
) -> Option<Command> {
    let act = match (reply.action, &reply.evidence, &reply.goal) {
        (Action::NewGoal, _, Some(wanted)) => return Some(drafted(call, &wanted.gloss)),
        (Action::AddEvidence, Some(evidence), _) => gives(call, evidence, open, task),
        (Action::AbandonGoal, _, _) => TaskCommand::AskToAbandon {
            fresh: call.fresh_id(),
            reason: reply.reasoning.clone(),
        },
        _ => return None,
    };
    Some(Command::Task {
        act: Box::new(act),
        limits: Limits::default(),
    })
}

/// An answer where the user's own message answers an open question, else evidence. Whether the
/// goal is given up is never answered so.
fn gives(
    call: &Call,
    evidence: &FoundEvidence,
    open: &[&Question],
    task: Option<&TaskSpec>,
) -> TaskCommand {
    let answers = |question: &&&Question| {
        question.kind != QuestionKind::Approval && question.key.as_deref() == Some(&evidence.key)
    };
    if call.caller.actor == Actor::User
        && let Some(question) = open.iter().find(answers)
    {
        return TaskCommand::Answer {
            question: question.id.clone(),
            answer: match &evidence.value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        };
    }
    TaskCommand::Give {
        task: task.map(|task| task.id.clone()),
        items: vec![(evidence.key.clone(), evidence.value.clone())],
        source: "interpreter".to_owned(),
    }
}

/// The user's new goal becomes an intent to be talked over, an agent's a proposal.
fn drafted(call: &Call, gloss: &str) -> Command {
    let fresh = call.fresh_id();
    if call.caller.actor == Actor::User {
        return Command::OpenDraft {
            draft_id: fresh,
            topic: gloss.to_owned(),
            mode: DraftMode::Regular,
        };
    }
    let contract = ContractChange {
        objective: Some(gloss.to_owned()),
        ..ContractChange::default()
    };
    Command::Propose {
        draft: None,
        fresh,
        mode: None,
        contract: Box::new(contract),
    }
}

fn of(receipt: Receipt) -> Interpreted {
    let draft_id = receipt.draft_id();
    let mut interpreted = Interpreted {
        goal_id: receipt.goal_id,
        revision: receipt.revision,
        status: receipt.status,
        events: receipt.ids,
        action: String::new(),
        reasoning: String::new(),
        draft_id,
        question_id: None,
        evidence_key: None,
        repeated: receipt.repeated,
        notices: receipt.notices,
    };
    for event in receipt.events {
        match event.payload {
            Payload::MessageInterpreted(it) => {
                (interpreted.action, interpreted.reasoning) = (it.action, it.reasoning);
            }
            Payload::QuestionAsked(it) => interpreted.question_id = Some(it.question_id),
            Payload::QuestionAnswered(it) => interpreted.question_id = Some(it.question_id),
            Payload::EvidenceAdded(it) => interpreted.evidence_key = Some(it.key),
            _ => {}
        }
    }
    interpreted
}
