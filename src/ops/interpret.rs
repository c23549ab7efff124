//! Interpreting a message: the interpreter says what it means for the goal, and what follows is
//! done as the caller. No interpretation creates a goal, ends one, or answers for the user where
//! an agent passes the message on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::domain::actor::Actor;
use crate::domain::command::{Command, MessageEffect, Outside};
use crate::domain::event::Payload;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::order::{Step, next};
use crate::domain::task::question::{ABANDON, Question, QuestionKind, pending};
use crate::domain::task::spec::{Limits, TaskSpec};
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::asking::asked;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::{Outcome, again};
use crate::render::drafts;
use crate::render::text::one_line;
use crate::roles::interpreter::{Action, CurrentGoal, Interpretation, Interpreting, OpenQuestion};
use crate::transaction::Receipt;
use crate::workspace::config::Role;

/// The outcome of `interpret`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interpreted {
    /// What the message means: `new_goal`, `add_evidence`, `abandon_goal` or `continue`.
    pub action: String,
    /// Why, as the interpreter says; empty in a repeated answer about no goal, of which only what
    /// follows is on record.
    pub reasoning: String,
    /// The draft that a new goal became; only the user's confirmation creates it.
    pub draft_id: Option<String>,
    /// The new goal, as it waits for the user.
    pub goal: Option<NewGoal>,
    /// The question that was answered, or that was asked of the user.
    pub question_id: Option<String>,
    /// The key of the evidence that was given.
    pub evidence_key: Option<String>,
}

/// A goal that a message asks for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewGoal {
    /// What it is, in a sentence.
    pub gloss: String,
    /// What is known of it, by key: evidence of the goal once the user confirms it.
    pub context: Map<String, Value>,
}

impl Outcome<Interpreted> {
    /// What the message was taken for, and what comes now, for people and for models.
    pub fn text(&self) -> String {
        let meant = &self.data;
        let draft = meant.draft_id.as_deref().map(one_line);
        let question = meant.question_id.as_deref().map(one_line);
        let key = meant.evidence_key.as_deref().map(one_line);
        let done = match (meant.action.as_str(), draft, question, key) {
            (_, Some(draft), _, _) => format!("a new goal (draft {draft})"),
            ("add_evidence", _, Some(question), _) => format!("the answer to question {question}"),
            ("add_evidence", _, None, Some(key)) => format!("evidence `{key}`"),
            ("abandon_goal", _, Some(question), _) => {
                format!("a wish to give the goal up, which `goal answer {question} yes` does")
            }
            ("abandon_goal", ..) => {
                "a wish to give the goal up; you were asked about that already".to_owned()
            }
            ("new_goal", ..) => "a new goal".to_owned(),
            _ => "nothing that changes the goal".to_owned(),
        };
        let again = again(self.repeated);
        let why = match one_line(&meant.reasoning) {
            why if why.is_empty() => why,
            why => format!("  {why}\n"),
        };
        format!("{again}Taken as {done}.\n{why}{}", meant.waiting())
    }
}

impl Interpreted {
    /// The new goal in full, and what the user does about it.
    fn waiting(&self) -> String {
        let (Some(goal), Some(draft)) = (&self.goal, &self.draft_id) else {
            return String::new();
        };
        format!(
            "\n{}\n{}\nNothing is in force before the user decides: {}.\n",
            one_line(&goal.gloss),
            drafts::known(&goal.context),
            drafts::decide(draft)
        )
    }
}

/// Asks the interpreter what the message means for the goal, or where none is focused what it
/// begins, and does what follows.
///
/// # Errors
/// No interpreter or no fitting answer of it, and whatever refuses what follows.
pub fn interpret(call: &Call, message: &str) -> Result<Outcome<Interpreted>, Failure> {
    call.refuse_auditor()?;
    let arguments = json!({ "goal": call.goal, "message": message });
    if let Some(recorded) = call.answer_again(Command::INTERPRET, &arguments)? {
        return Ok(recorded.into());
    }
    if message.trim().is_empty() {
        return Err(Rejection::EmptyField { field: "message" }.into());
    }
    let snapshot = call.read()?;
    let goal = about(call, &snapshot.state)?;
    // What would be refused in the end is refused before anybody is asked.
    let on_goal = goal.is_some();
    call.may(match on_goal {
        true => Outside::OnGoal,
        false => Outside::Anywhere,
    })?;
    let standing = goal.map(|goal| TaskStatuses::of(&goal.tasks));
    let of = goal.zip(standing.as_ref());
    let mut open = of.map_or_else(Vec::new, |(goal, standing)| pending(&goal.tasks, standing));
    // Only the user's own command answers an approval: no interpreter is offered its key.
    open.retain(|question| question.kind != QuestionKind::Approval);
    let task = of.and_then(|(goal, standing)| current(goal, standing));
    let question = question(goal, task, &open, message);
    let told = asked(call, Role::Interpreter, goal, &question)?;
    let reply = told.said;
    let given = reply.evidence.as_ref().map(|it| &it.key);
    if given == Some(&EvidenceKey::from(ABANDON)) {
        return Err(Failure::new(
            "role_failed",
            "the interpreter answered `abandon_goal`, which is no evidence: a goal is given up by the user's \
             own words",
            "`goal questions` shows the question; the user answers it with `goal answer`",
        ));
    }
    if goal.is_none() && reply.action == Action::Continue {
        return Ok(Outcome::unrecorded(Interpreted {
            action: reply.action.name().to_owned(),
            reasoning: reply.reasoning,
            ..Interpreted::default()
        }));
    }
    let command = Command::Interpret {
        action: reply.action.name(),
        reasoning: reply.reasoning.clone(),
        on_goal,
        then: following(call, &reply, &open, task),
    };
    let mut request = call.request(command).key(arguments);
    if let Some(goal) = goal {
        request = request.on(&goal.id).costing(Some(told.cost));
    }
    let mut outcome: Outcome<Interpreted> = request.run()?.into();
    if outcome.data.reasoning.is_empty() && !outcome.repeated {
        outcome.data.reasoning = reply.reasoning;
    }
    Ok(outcome)
}

/// The goal that the message may be about; nothing where none is focused, unless the caller says
/// that there is one.
fn about<'a>(call: &Call, state: &'a State) -> Result<Option<&'a Goal>, Rejection> {
    let named = call.goal.is_some() || call.expects();
    match select::target(state, call.goal.as_deref(), &call.caller) {
        Err(Rejection::NoFocus { .. }) if !named => Ok(None),
        found => found.map(Some),
    }
}

/// The task that the message may be about.
fn current<'a>(goal: &'a Goal, standing: &TaskStatuses) -> Option<&'a TaskSpec> {
    match next(&goal.tasks, standing) {
        Step::Work(task) | Step::Plan(task) | Step::Prove(task, _) | Step::Stuck(task) => {
            Some(task)
        }
        Step::NoTasks | Step::Ready => None,
    }
}

fn question(
    goal: Option<&Goal>,
    task: Option<&TaskSpec>,
    open: &[&Question],
    message: &str,
) -> Interpreting {
    let open = open.iter().map(|question| OpenQuestion {
        key: question.key.clone(),
        question: question.question.clone(),
    });
    Interpreting {
        user_message: message.to_owned(),
        current_goal: goal.map(|goal| CurrentGoal {
            goal_id: goal.id.to_string(),
            gloss: goal.contract.objective.clone(),
            current_task: task.map(|task| task.title.clone()),
            questions: open.collect(),
        }),
        evidence: goal.map_or_else(BTreeMap::new, |goal| {
            let path = task.map(|task| goal.tasks.path(&task.id));
            let seen = goal.tasks.evidence.seen_by(&path.unwrap_or_default());
            let values = seen.values().into_iter();
            values
                .map(|(key, value)| (key.to_string(), (*value).clone()))
                .collect()
        }),
    }
}

/// What follows from the reply. Evidence is an answer where the user's own message answers an open
/// question.
fn following(
    call: &Call,
    reply: &Interpretation,
    open: &[&Question],
    task: Option<&TaskSpec>,
) -> MessageEffect {
    let act = match (reply.action, &reply.evidence, &reply.goal) {
        (Action::NewGoal, _, Some(wanted)) => {
            return MessageEffect::NewGoal {
                fresh: call.fresh_id(),
                gloss: wanted.gloss.clone(),
                context: wanted.context.clone().unwrap_or_default(),
            };
        }
        (Action::AddEvidence, Some(evidence), _) => {
            // An agent answers nothing for the user.
            let answers = |question: &&&Question| {
                call.caller.actor == Actor::User && question.key.as_ref() == Some(&evidence.key)
            };
            match open.iter().find(answers) {
                Some(question) => TaskCommand::Answer {
                    question: question.id.to_string(),
                    answer: match &evidence.value {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    },
                },
                None => TaskCommand::Give {
                    task: task.map(|task| task.id.clone()),
                    items: vec![(evidence.key.clone(), evidence.value.clone())],
                    source: "interpreter".to_owned(),
                },
            }
        }
        (Action::AbandonGoal, _, _) => TaskCommand::AskToAbandon {
            fresh: call.fresh_id(),
            reason: reply.reasoning.clone(),
        },
        _ => return MessageEffect::Nothing,
    };
    MessageEffect::Act {
        act: Box::new(act),
        limits: Limits::default(),
    }
}

impl From<&Receipt> for Interpreted {
    fn from(receipt: &Receipt) -> Interpreted {
        let mut interpreted = Interpreted {
            action: Action::NewGoal.name().to_owned(),
            draft_id: receipt.draft_id(),
            ..Interpreted::default()
        };
        for event in receipt.events.clone() {
            match event.payload {
                Payload::MessageInterpreted(it) => {
                    (interpreted.action, interpreted.reasoning) = (it.action, it.reasoning);
                }
                Payload::DraftProposed(it) => {
                    interpreted.goal = Some(NewGoal {
                        gloss: it.contract.objective.unwrap_or_default(),
                        context: it.context.unwrap_or_default(),
                    });
                }
                Payload::QuestionAsked(it) => interpreted.question_id = Some(it.question_id),
                Payload::QuestionAnswered(it) => interpreted.question_id = Some(it.question_id),
                Payload::EvidenceAdded(it) => interpreted.evidence_key = Some(it.key.to_string()),
                _ => {}
            }
        }
        interpreted
    }
}
