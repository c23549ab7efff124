//! One step: performs the next primitive task of a goal, or says what it waits for.
//!
//! Two processes take no step on the same goal at once: a tool may do what cannot be done twice.

mod expand;
mod further;
mod judge;
mod outcome;
mod tool;

use serde_json::{Value, json};

use crate::domain::command::Outside;
use crate::domain::event::{Payload, UsageRecorded};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::select;
use crate::domain::task::command::{StepOutcome, TaskCommand};
use crate::domain::task::condition::{EvidenceKey, missing};
use crate::domain::task::order::{Step, next};
use crate::domain::task::primitive::{Ask, Primitive, key, shown};
use crate::domain::task::question::{QuestionKind, pending};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::OpenQuestion;
use crate::ops::two_steps::FirstStep;
use crate::ops::usage::enforce;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::transaction::{Receipt, Recorded};

pub use further::until_waits;
pub use outcome::{Did, EarlierStep, StepJudged, StepPlanned, Stepped, SteppedTask, WaitsFor};

/// What a step is asked for.
#[derive(Debug, Clone, Default)]
pub struct StepOptions {
    /// A tool that has answered already runs once more: it may do what cannot be done twice.
    pub again: bool,
    /// The procedure, by its id, that what is to be decomposed is decomposed by.
    pub procedure: Option<String>,
}

/// Takes the next step on the goal.
///
/// # Errors
/// Refusals before anything is performed; another step that is under way; an evaluator that gives
/// no answer. A tool that fails, or that there is not, is an outcome.
pub fn step(call: &Call, asked: &StepOptions) -> Result<Stepped, Failure> {
    call.refuse_auditor()?;
    let mut arguments = json!({ "goal": call.goal });
    if asked.again {
        arguments["again"] = true.into();
    }
    if let Some(name) = &asked.procedure {
        arguments["procedure"] = name.as_str().into();
    }
    if let Some(stepped) = repeated(call, &arguments)? {
        return Ok(stepped);
    }
    // What would be refused in the end is refused before anything is performed.
    let snapshot = call.may(Outside::OnGoal)?;
    let id = call.target(&snapshot)?;
    let id = id.id.clone();
    call.settle_home()?;
    let lock = call.workspace.paths.step_lock(&id);
    let Some(_held) = FileLock::try_acquire(&lock)? else {
        return Err(Failure::new(
            "step_running",
            format!("another step on goal {id} is under way"),
            "wait for it, then take the next one",
        ));
    };
    // Another step may have ended just before the lock was taken.
    let snapshot = call.read()?;
    let goal = select::by_id(&snapshot.state, &id)?;
    let mut session = StepSession {
        call,
        id,
        asked,
        arguments,
        before: &snapshot,
        receipts: Vec::new(),
        after: None,
    };
    take(&mut session, goal)
}

fn take(session: &mut StepSession<'_>, goal: &Goal) -> Result<Stepped, Failure> {
    if goal.status != Status::Active {
        let reason = goal.pause.as_ref().map(|pause| pause.reason.clone());
        return session.nothing(None, WaitsFor::Resume, reason);
    }
    if let Some((why, recorded)) = enforce(session.call, goal)? {
        session.keep(recorded);
        return session.nothing(None, WaitsFor::Resume, Some(why));
    }
    let next = next(&goal.tasks, &TaskStatuses::of(&goal.tasks));
    if session.asked.procedure.is_some() && !matches!(next, Step::NoTasks | Step::Plan(_)) {
        return Err(Failure::usage(
            "a procedure decomposes a goal or a task, and nothing is to be decomposed now",
            "take the step without `--procedure`",
        ));
    }
    match next {
        Step::NoTasks => expand::take(session, goal, None),
        Step::Ready => session.nothing(None, WaitsFor::Audit, None),
        Step::Plan(task) => expand::take(session, goal, Some(task)),
        Step::Stuck(task) => {
            let reason = goal.tasks.mark(&task.id).reason;
            session.nothing(Some(task), WaitsFor::Lift, reason)
        }
        Step::Prove(task, unmet) => match judge::predicates(&unmet) {
            Some(predicates) => judge::take(session, goal, task, &predicates),
            None => {
                let reason = unmet.first().map(ToString::to_string);
                session.nothing(Some(task), WaitsFor::Evidence, reason)
            }
        },
        Step::Work(task) => work(session, goal, task),
    }
}

fn work(session: &mut StepSession<'_>, goal: &Goal, task: &TaskSpec) -> Result<Stepped, Failure> {
    let path = goal.tasks.path(&task.id);
    let seen = goal.tasks.evidence.seen_by(&path);
    let unmet = missing(&goal.tasks, task, &path);
    let primitive = Primitive::of(task);
    let answered = match &primitive {
        Primitive::UseTool { tool, key } if !session.asked.again => {
            tool::answer(goal, task, tool, key)
        }
        _ => None,
    };
    if let Some(predicates) = judge::predicates(&unmet) {
        let fresh = predicates.iter().any(|it| seen.judged(it).is_none());
        if is_performed(goal, task, &primitive) || (answered.is_some() && fresh) {
            return judge::take(session, goal, task, &predicates);
        }
    }
    if let Some(why) = answered {
        return session.nothing(Some(task), WaitsFor::Again, Some(why));
    }
    match primitive {
        Primitive::Execute => {
            if goal.tasks.mark(&task.id).status != TaskStatus::Active {
                session.begin(task)?;
            }
            session.waits(Some(task), Did::Handed, WaitsFor::Agent, None)
        }
        Primitive::UseTool { tool, key } => tool::take(session, goal, task, (&tool, &key)),
        Primitive::Ask(ask) => asks(session, goal, task, &ask),
        Primitive::Present => match shown(task, &seen) {
            Ok(data) => {
                let value = Value::Object(data.clone().into_iter().collect());
                let items = key(task).map(|key| (key, value)).into_iter().collect();
                Ok(Stepped {
                    presented: Some(data),
                    evidence: None,
                    ..session.perform(task, items, "presented", Did::Presented)?
                })
            }
            Err(key) => {
                let reason = format!("there is no evidence `{key}` to be shown");
                tool::failed(session, task, reason)
            }
        },
        Primitive::Unusable { problem } => tool::blocked(session, task, problem),
    }
}

/// Whether a task that waits for the evaluator alone has done its part.
fn is_performed(goal: &Goal, task: &TaskSpec, primitive: &Primitive) -> bool {
    let key = match primitive {
        Primitive::UseTool { key, .. } => Some(key),
        Primitive::Ask(ask) => Some(&ask.key),
        Primitive::Present | Primitive::Execute | Primitive::Unusable { .. } => None,
    };
    let mut given = goal.tasks.evidence.given_to(&task.id);
    let has = key.is_none_or(|key| given.any(|it| it.key == *key));
    has && goal.tasks.mark(&task.id).status == TaskStatus::Active
}

fn asks(
    session: &mut StepSession<'_>,
    goal: &Goal,
    task: &TaskSpec,
    ask: &Ask,
) -> Result<Stepped, Failure> {
    let path = goal.tasks.path(&task.id);
    let known = goal.tasks.evidence.seen_by(&path).value(&ask.key).is_some();
    // What somebody has said already is not asked; a yes is wanted from the user all the same.
    if known && missing(&goal.tasks, task, &path).is_empty() && ask.kind == QuestionKind::Info {
        return session.perform(task, Vec::new(), "known", Did::Performed);
    }
    let standing = TaskStatuses::of(&goal.tasks);
    let mut open = pending(&goal.tasks, &standing).into_iter();
    if open.any(|it| it.task_id.as_deref() == Some(&task.id)) {
        return session.nothing(Some(task), WaitsFor::Answer, None);
    }
    let fresh = session.call.fresh_id();
    session.record(task, StepOutcome::Asked { fresh })?;
    session.waits(Some(task), Did::Asked, WaitsFor::Answer, None)
}

/// A step that is being taken: what was recorded of it so far.
struct StepSession<'a> {
    call: &'a Call,
    id: GoalId,
    asked: &'a StepOptions,
    arguments: Value,
    before: &'a Snapshot,
    receipts: Vec<Receipt>,
    /// The project right after the latest of them.
    after: Option<Snapshot>,
}

impl StepSession<'_> {
    fn keep(&mut self, (receipt, now): Recorded) {
        self.receipts.push(receipt);
        self.after = Some(now);
    }

    /// Records that the task is under way. The request's answer is still to come, so its key does
    /// not go with it.
    fn begin(&mut self, task: &TaskSpec) -> Result<(), Failure> {
        let command = step_on(&task.id, StepOutcome::Begun);
        self.keep(self.call.request(command).on(&self.id).run()?);
        Ok(())
    }

    /// Records what the step came to.
    fn record(&mut self, task: &TaskSpec, came_to: StepOutcome) -> Result<(), Failure> {
        self.record_costing(task, came_to, None)
    }

    /// Records it with what it cost to ask a role about it.
    fn record_costing(
        &mut self,
        task: &TaskSpec,
        came_to: StepOutcome,
        cost: Option<UsageRecorded>,
    ) -> Result<(), Failure> {
        let command = step_on(&task.id, came_to);
        let arguments = self.arguments.clone();
        let request = self.call.request(command).on(&self.id).costing(cost);
        let recorded = request.key(arguments).run();
        let recorded = recorded.map_err(|error| match self.receipts.is_empty() {
            true => error.into(),
            false => FirstStep {
                says: &format!("task `{}` is under way", one_line(&task.id)),
                again: "find out what its tool has done already, fix the cause, and take the step \
                        again with `goal task step`",
            }
            .alone(error),
        })?;
        self.keep(recorded);
        Ok(())
    }

    fn nothing(
        &mut self,
        task: Option<&TaskSpec>,
        waits_for: WaitsFor,
        reason: Option<String>,
    ) -> Result<Stepped, Failure> {
        self.waits(task, Did::Nothing, waits_for, reason)
    }

    /// What was done, after which the next step has to wait.
    fn waits(
        &mut self,
        task: Option<&TaskSpec>,
        did: Did,
        waits_for: WaitsFor,
        reason: Option<String>,
    ) -> Result<Stepped, Failure> {
        Ok(Stepped {
            waits_for: Some(waits_for),
            reason,
            ..self.stepped(task, did)?
        })
    }

    /// Records what the task brought, and says so.
    fn perform(
        &mut self,
        task: &TaskSpec,
        items: Vec<(EvidenceKey, Value)>,
        source: &str,
        did: Did,
    ) -> Result<Stepped, Failure> {
        let source = source.to_owned();
        self.record(task, StepOutcome::Performed { items, source })?;
        self.performed(task, did)
    }

    /// What was done, which may have failed the task all the same: it did not bring what it was
    /// for.
    fn performed(&mut self, task: &TaskSpec, did: Did) -> Result<Stepped, Failure> {
        let mut events = self.receipts.iter().flat_map(|receipt| &receipt.events);
        let failed = events.find_map(|event| match &event.payload {
            Payload::TaskFailed(failed) => failed.reason.clone(),
            _ => None,
        });
        match failed {
            Some(reason) => self.failed(task, reason),
            None => self.stepped(Some(task), did),
        }
    }

    fn failed(&mut self, task: &TaskSpec, reason: String) -> Result<Stepped, Failure> {
        let stepped = self.stepped(Some(task), Did::Failed)?;
        let waits = stepped.status != Status::Active;
        Ok(Stepped {
            reason: Some(reason),
            waits_for: waits.then_some(WaitsFor::Lift),
            ..stepped
        })
    }

    /// The outcome, with the task and its question as they stand now.
    fn stepped(&mut self, task: Option<&TaskSpec>, did: Did) -> Result<Stepped, Failure> {
        let task = task.map(|task| task.id.as_str());
        let receipts = std::mem::take(&mut self.receipts);
        let now = self.after.as_ref().unwrap_or(self.before);
        of(now, &self.id, task, did, receipts)
    }
}

fn of(
    snapshot: &Snapshot,
    id: &GoalId,
    task: Option<&str>,
    did: Did,
    receipts: Vec<Receipt>,
) -> Result<Stepped, Failure> {
    let goal = select::by_id(&snapshot.state, id)?;
    let standing = TaskStatuses::of(&goal.tasks);
    let mut open = pending(&goal.tasks, &standing).into_iter();
    let question = open.find(|it| it.task_id.as_deref() == task && task.is_some());
    let given = receipts.iter().flat_map(|receipt| &receipt.events);
    let evidence = given.filter_map(|event| match &event.payload {
        Payload::EvidenceAdded(added) => Some((added.key.to_string(), added.value.clone())),
        _ => None,
    });
    let evidence: std::collections::BTreeMap<_, _> = evidence.collect();
    Ok(Stepped {
        goal_id: id.clone(),
        revision: snapshot.revision(goal)?,
        status: goal.status,
        events: receipts.iter().flat_map(|it| it.ids.clone()).collect(),
        did,
        task: task
            .and_then(|task| goal.tasks.find(task))
            .map(|task| SteppedTask::of(goal, task)),
        waits_for: None,
        reason: None,
        question: question.map(|question| OpenQuestion::of(goal, question)),
        presented: None,
        evidence: (!evidence.is_empty()).then_some(evidence),
        judged: None,
        planned: None,
        procedure: None,
        earlier: Vec::new(),
        failure: None,
        repeated: receipts.iter().any(|receipt| receipt.repeated),
        stop_turn: receipts.iter().any(|receipt| receipt.stop_turn),
        notices: receipts.into_iter().flat_map(|it| it.notices).collect(),
    })
}

/// The outcome of the same request, if it was answered before.
fn repeated(call: &Call, arguments: &Value) -> Result<Option<Stepped>, Failure> {
    if let Some(stepped) = expand::repeated(call, arguments)? {
        return Ok(Some(stepped));
    }
    let Some((receipt, now)) = call.answer_again(TaskCommand::STEP, arguments)? else {
        return Ok(None);
    };
    let Some(id) = receipt.goal_id.clone() else {
        return Ok(None);
    };
    let mut task = None;
    let mut did = Did::Performed;
    for event in &receipt.events {
        match &event.payload {
            Payload::TaskStarted(it) => task = Some(it.task_id.clone()),
            Payload::EvidenceAdded(it) => task.clone_from(&it.task_id),
            Payload::TaskComplete(it) => task = Some(it.task_id.clone()),
            Payload::TaskFailed(it) => (task, did) = (Some(it.task_id.clone()), Did::Failed),
            Payload::TaskBlocked(it) => (task, did) = (Some(it.task_id.clone()), Did::Blocked),
            Payload::QuestionAsked(it) => (task, did) = (it.task_id.clone(), Did::Asked),
            Payload::ConditionChecked(it) => (task, did) = (it.task_id.clone(), Did::Judged),
            _ => {}
        }
    }
    Ok(Some(of(&now, &id, task.as_deref(), did, vec![receipt])?))
}

fn step_on(task: &str, came_to: StepOutcome) -> TaskCommand {
    TaskCommand::Step {
        task: task.to_owned(),
        came_to: Box::new(came_to),
    }
}
