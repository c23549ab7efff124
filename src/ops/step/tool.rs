//! A step that runs a tool.

use crate::domain::goal::state::Goal;
use crate::domain::task::command::StepOutcome;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::TaskStatus;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::ops::step::{Did, StepSession, Stepped, WaitsFor};
use crate::render::text::one_line;
use crate::roles::tool::{Ran, ToolFound, arguments, named, run};

/// Runs the tool on what the task sees, and records what came of it. That the task is under way
/// is recorded before, since a tool may do what cannot be undone.
pub(super) fn take(
    session: &mut StepSession<'_>,
    goal: &Goal,
    task: &TaskSpec,
    (name, key): (&str, &EvidenceKey),
) -> Result<Stepped, Failure> {
    let call = session.call;
    let tool = match named(&call.workspace, call.caller.actor, name)? {
        ToolFound::Ready(tool) => tool,
        ToolFound::Unusable(reason) => return blocked(session, task, reason),
    };
    let cancel = interrupt::asked()?;
    if goal.tasks.mark(&task.id).status != TaskStatus::Active {
        session.begin(task)?;
    }
    let path = goal.tasks.path(&task.id);
    let arguments = arguments(&tool, &goal.tasks.evidence.seen_by(&path));
    let shown = one_line(name);
    match run(&tool, &call.workspace.root.path, &arguments, &cancel) {
        Ran::Result(value) => {
            let items = vec![(key.clone(), value)];
            session.perform(task, items, &source(name), Did::Performed)
        }
        Ran::Failed(why) => failed(session, task, format!("tool `{shown}` failed: {why}")),
        // Whatever it did is done: the task waits for the user instead of running it once more.
        Ran::TooLong(bytes) => {
            let most = tool.max_result.value;
            let reason = format!(
                "tool `{shown}` answered with {bytes} bytes, and {most} are the most that the \
                 ledger takes of it; let it print less, or set `maxResult` of `[tools.{shown}]`, \
                 and reopen the task"
            );
            blocked(session, task, reason)
        }
        Ran::NotStarted(why) => {
            let reason = format!("tool `{shown}` cannot be started: {why}");
            blocked(session, task, reason)
        }
        Ran::Cancelled => Err(Failure::new(
            "interrupted",
            format!("tool `{shown}` was stopped; that its task is under way is all on record"),
            "find out what it has done already, and take the step again with `goal task step`",
        )),
    }
}

/// That the task's tool has answered already, in words with why that was not enough; nothing where
/// it has not. What a reopened task was given is forgotten, so its tool runs as if for the first
/// time.
pub(super) fn answer(
    goal: &Goal,
    task: &TaskSpec,
    name: &str,
    key: &EvidenceKey,
) -> Option<String> {
    let source = source(name);
    let mut given = goal.tasks.evidence.given_to(&task.id);
    given.find(|it| it.key == *key && it.source.as_deref() == Some(&*source))?;
    let mark = goal.tasks.mark(&task.id);
    (mark.status == TaskStatus::Failed).then(|| {
        let why = mark
            .reason
            .map_or_else(String::new, |why| format!(", but {why}"));
        format!(
            "tool `{}` brought `{}`{why}",
            one_line(name),
            one_line(key.as_str())
        )
    })
}

fn source(name: &str) -> String {
    format!("tool:{name}")
}

pub(super) fn failed(
    session: &mut StepSession<'_>,
    task: &TaskSpec,
    reason: String,
) -> Result<Stepped, Failure> {
    let came_to = StepOutcome::Failed {
        reason: reason.clone(),
    };
    session.record(task, came_to)?;
    session.failed(task, reason)
}

pub(super) fn blocked(
    session: &mut StepSession<'_>,
    task: &TaskSpec,
    reason: String,
) -> Result<Stepped, Failure> {
    let came_to = StepOutcome::Blocked {
        reason: reason.clone(),
    };
    session.record(task, came_to)?;
    session.waits(Some(task), Did::Blocked, WaitsFor::Lift, Some(reason))
}
