//! The command that plays a role: which one it is, whether it may run, and how it is run. All roles
//! share this; what each is asked and how its answer is read is its own.

use std::time::Duration;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::event::{Event, Payload};
use crate::domain::rejection::Rejection;
use crate::domain::seal::is_sealed;
use crate::domain::verdict::{AuditorOutput, Cause, Exit, MARGIN, Verdict, readable, tail};
use crate::domain::wire::Decoded;
use crate::process::{self, Ending, Finished, Invocation, SpawnError};
use crate::render::audit::rule;
use crate::render::text::clean;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::workspace::Workspace;
use crate::workspace::config::{
    Choice, CommandInForce, CommandSource, Loaded, Role, Source, Sourced, resolve,
};
use crate::workspace::judge::{ONE_FILE, Runs};
use crate::workspace::readonly;
use crate::workspace::trust::{self, Part, TrustStatus};

/// Of a role's stdout as much is read, in bytes.
pub(super) const STDOUT_CAP: usize = 1024 * 1024;

/// Of its stderr as much is kept, in bytes.
pub(super) const STDERR_TAIL: usize = 4 * 1024;

/// A command that can be started, or why the one that is configured cannot.
#[derive(Debug, Clone, PartialEq)]
pub enum Choosing {
    Ready(CommandInForce),
    /// Configured, but nothing that may run: never taken for an answer.
    Unusable {
        fault: Fault,
        why: String,
    },
}

/// What is wrong with a configured command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The configuration cannot be used.
    Invalid,
    /// The project brings it, and the user has not trusted it.
    Untrusted,
    /// It is not the one of the user's last own use.
    Changed,
}

/// What one call says about a role's command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandOptions {
    /// A preset's name or one executable's path: the user's to say.
    pub command: Option<String>,
    pub timeout: Option<Duration>,
}

/// The command of a role in this call; nothing when none is configured at all.
///
/// # Errors
/// An agent that chooses it.
pub fn choose(
    workspace: &Workspace,
    actor: Actor,
    role: Role,
    wanted: &CommandOptions,
) -> Result<Option<Choosing>, Rejection> {
    let by_user = actor == Actor::User;
    if wanted.command.is_some() && !by_user {
        return Err(Rejection::HumanOwned {
            act: role.option(),
            say: role.choosing(),
        });
    }
    let unusable = |fault, why| Ok(Some(Choosing::Unusable { fault, why }));
    let loaded = match workspace.config_files() {
        Ok(loaded) => loaded,
        Err(error) => return unusable(Fault::Invalid, error.to_string()),
    };
    let environment = match role {
        Role::Auditor => workspace.environment.auditor.as_deref(),
        _ => None,
    };
    let choice = Choice {
        flag: wanted.command.as_deref(),
        environment: environment.filter(|_| by_user),
    };
    let cwd = &workspace.environment.cwd;
    let mut command = match resolve(&loaded).command(role, choice, cwd) {
        Ok(Some(command)) => command,
        Ok(None) => return Ok(None),
        Err(error) => return unusable(Fault::Invalid, error.to_string()),
    };
    let configured = Configured {
        table: CommandSource::Role(role).to_string(),
        source: command.source,
    };
    if role.judges()
        && command.source == Source::Project
        && command.preset.is_none()
        && let Runs::Untold(why) = workspace.runs(&command.argv)
    {
        return unusable(Fault::Untrusted, format!("{why}; {ONE_FILE}"));
    }
    if let Err(why) = may_run(workspace, actor, &loaded, &configured) {
        return unusable(Fault::Untrusted, why);
    }
    // A person's act that comes through an agent's host has that host's environment.
    let is_own = by_user && workspace.environment.marks.first().is_none();
    if role.judges() && !is_own {
        match as_the_user_s(workspace, &loaded, by_user, role) {
            Ok(env) => command.env = env,
            Err(why) => return unusable(Fault::Changed, why),
        }
    }
    if role == Role::Auditor
        && let Some(began) = &workspace.environment.began_with
    {
        let mut why = workspace.objections_to_auditor(&loaded, began);
        why.extend(workspace.this_use(&loaded).came_or_went(began));
        if !why.is_empty() {
            let why = format!(
                "the auditor changed while the run works: {}; look at it, put it back, or start \
                 the run again \
                 with it where it is yours",
                why.join("; ")
            );
            return unusable(Fault::Changed, why);
        }
    }
    match (role, wanted.timeout) {
        (_, Some(value)) => {
            let source = Source::Flag;
            command.timeout = Sourced { value, source };
        }
        (Role::Agent, None) => match agent_timeout(workspace, &command) {
            Ok(timeout) => command.timeout.value = timeout,
            Err(why) => return unusable(Fault::Invalid, why),
        },
        (_, None) => {}
    }
    Ok(Some(Choosing::Ready(command)))
}

/// The variables of the user's last own use with which a judge runs in a call that is not theirs,
/// where the auditor is the same. Where no use was ever noted, as on a machine on which only agents
/// work, it is, unless the ledger shows that somebody works on it of whom this state directory has no
/// note: an agent can choose that directory, and remove the note, too.
///
/// # Errors
/// Why it is another one. For another role than the auditor there is none.
fn as_the_user_s(
    workspace: &Workspace,
    loaded: &Loaded,
    by_user: bool,
    role: Role,
) -> Result<Vec<(String, String)>, String> {
    let (why, env) = match workspace.last_use().map_err(|error| error.to_string()) {
        Err(unusable) => (vec![unusable], Vec::new()),
        Ok(Some(last)) => (
            workspace.objections_to_auditor(loaded, &last),
            last.surroundings(),
        ),
        Ok(None) if by_user => (Vec::new(), Vec::new()),
        Ok(None) => {
            let unnoted = unnoted(workspace).map_err(|error| error.to_string())?;
            (unnoted.into_iter().map(str::to_owned).collect(), Vec::new())
        }
    };
    match why.is_empty() || role != Role::Auditor {
        true => Ok(env),
        false => {
            Err(why.join("; ") + "; `goal trust`, run in the same way by the user, accepts it")
        }
    }
}

/// Who works on this ledger though no use of theirs is noted here: somebody with another key, or the
/// user, who created a goal with this one. Every call that does that notes the use.
fn unnoted(workspace: &Workspace) -> Result<Option<&'static str>, SnapshotError> {
    let own = workspace.own_key();
    let (mut elsewhere, mut here) = (false, false);
    let snapshot = Snapshot::read(&workspace.paths.uncached())?;
    let is_own = |line: &[u8]| own.as_ref().is_some_and(|own| own.claims(line));
    let read = snapshot.each_line(|raw, decoded| match is_own(raw.bytes) {
        true => here |= matches!(decoded, Decoded::Event { event, .. } if is_noted(&event)),
        false => elsewhere |= is_sealed(raw.bytes),
    });
    read.map_err(|source| SnapshotError::Io {
        path: workspace.paths.events(),
        source,
    })?;
    Ok(match (elsewhere, here) {
        (true, _) => Some(
            "lines of this ledger were sealed by another machine or user, and no use of the \
             user's own is noted here",
        ),
        (_, true) => Some(
            "the user created a goal of this ledger on this machine, and no use of the user's own \
             is \
             noted here any more",
        ),
        _ => None,
    })
}

/// Whether the user's own call, which notes the use, wrote this (`ops::call::Call::note_use`).
fn is_noted(event: &Event) -> bool {
    let own = event.envelope.by == Some(Actor::User) && event.envelope.via.is_none();
    own && matches!(&event.payload, Payload::GoalCreated(it) if it.imported != Some(true))
}

/// Whether a configured command may run: one of the project's configuration only when trusted, and
/// so one of the user's own that rests on a file of the project. What the user typed may.
///
/// # Errors
/// Why not.
pub fn may_run(
    workspace: &Workspace,
    actor: Actor,
    loaded: &Loaded,
    command: &Configured,
) -> Result<(), String> {
    match command.source {
        Source::Project => trusted(workspace, actor, loaded, Part::Command(&command.table)),
        Source::User => {
            let own = trust::own(&command.table);
            trusted(workspace, actor, loaded, Part::Command(&own))
        }
        _ => Ok(()),
    }
}

/// A command of a configuration that is about to run.
#[derive(Debug, Clone)]
pub struct Configured {
    /// The table that names it, without its brackets.
    pub table: String,
    pub source: Source,
}

/// Whether a part of what the project brings is trusted, or why not.
///
/// # Errors
/// Why not: which file changed, and which command runs it.
pub fn trusted(
    workspace: &Workspace,
    actor: Actor,
    loaded: &Loaded,
    part: Part<'_>,
) -> Result<(), String> {
    let examined = workspace.trust(loaded, actor);
    let Some(examined) = examined.map_err(|error| error.to_string())? else {
        return Ok(());
    };
    let objections = examined.objections(part);
    if objections.is_empty() {
        return Ok(());
    }
    if examined.standing == TrustStatus::Unknown && workspace.environment.dirs.is_none() {
        return Err("there is no home directory in which trust could be recorded".into());
    }
    let shown = objections.iter().take(SHOWN).map(String::as_str);
    let mut why = shown.collect::<Vec<_>>().join("; ");
    if objections.len() > SHOWN {
        why += &format!("; and {} more", objections.len() - SHOWN);
    }
    Err(why + "; `goal trust` (user only) accepts it")
}

/// So many reasons are given.
const SHOWN: usize = 5;

/// Runs the command in the project's root with `prompt` on its stdin, as one that may only read
/// (docs/auditor-protocol.md#how-an-auditor-is-started). `cancel` is asked about every 50 ms.
///
/// # Errors
/// It cannot be started.
pub fn run(
    chosen: &CommandInForce,
    root: &Utf8Path,
    prompt: &str,
    cancel: &dyn Fn() -> bool,
) -> Result<Finished, SpawnError> {
    // Mostly a model: elsewhere it is an agent, here it may only read.
    let mut env = readonly::child_environment(root);
    env.push(("GOAL_ACTOR".into(), Actor::Agent.name().into()));
    env.extend(chosen.env.iter().cloned());
    let invocation = Invocation {
        argv: chosen.argv.clone(),
        cwd: root.to_owned(),
        env,
        stdin: prompt_for(chosen, prompt).into_bytes(),
        stdout_cap: STDOUT_CAP,
        stderr_tail: STDERR_TAIL + MARGIN,
        deadline: chosen.timeout.value,
        judges: chosen.judges,
        ..Invocation::default()
    };
    process::run(&invocation, cancel)
}

/// The prompt as the command reads it.
pub(super) fn prompt_for(chosen: &CommandInForce, prompt: &str) -> String {
    match chosen.preset {
        Some(preset) => preset.unmentioned(prompt),
        None => prompt.to_owned(),
    }
}

/// What a finished command left to be read.
pub(super) fn answer(finished: &Finished) -> AuditorOutput<'_> {
    AuditorOutput {
        exit: match finished.ending {
            Ending::Exited(code) => Exit::Code(code),
            Ending::Signalled(signal) => Exit::Signal(signal),
            Ending::TimedOut | Ending::Silent(_) => Exit::TimedOut,
            Ending::Cancelled => Exit::Cancelled,
        },
        stdout: &finished.stdout,
        overflow: finished.overflow,
    }
}

/// How its stderr ended, cleaned. Never an answer, but often the only word about what went wrong.
pub(super) fn complaint(finished: &Finished) -> String {
    let stderr = clean(&String::from_utf8_lossy(&finished.stderr_tail));
    tail(&stderr, STDERR_TAIL)
}

/// Why a command left nothing to be read.
#[derive(Debug)]
pub enum NoAnswer {
    NotStarted(SpawnError),
    Cancelled,
    /// Why, and how its stderr ended, cleaned.
    Unreadable(Cause, String),
}

/// What a command wrote to stdout.
///
/// # Errors
/// It did not start or did not end well, or that is no text.
pub fn answered(ran: Result<Finished, SpawnError>) -> Result<String, NoAnswer> {
    let finished = ran.map_err(NoAnswer::NotStarted)?;
    let text = readable(&answer(&finished)).map(str::to_owned);
    text.map_err(|cause| match cause {
        Cause::Cancelled => NoAnswer::Cancelled,
        cause => NoAnswer::Unreadable(cause, complaint(&finished)),
    })
}

/// Why nothing could be read, in words, with how stderr ended.
pub fn unreadable(cause: &Cause, stderr: &str) -> String {
    let rule = rule(Verdict::Error, Some(cause));
    match stderr.trim() {
        "" => rule.to_owned(),
        stderr => format!("{rule}; its stderr ended with: {stderr}"),
    }
}

/// The deadline of an iteration: the configuration's, else that of `ITERATION_TIMEOUT`, else half an hour.
///
/// # Errors
/// The variable is no number of milliseconds.
fn agent_timeout(workspace: &Workspace, command: &CommandInForce) -> Result<Duration, String> {
    let said = command.timeout;
    let variable = workspace.environment.iteration.timeout.as_deref();
    match variable.filter(|_| said.source == Source::Default) {
        None => Ok(said.value),
        Some(text) => match text.parse() {
            Ok(millis) if millis > 0 => Ok(Duration::from_millis(millis)),
            _ => Err("ITERATION_TIMEOUT is no number of milliseconds above 0".into()),
        },
    }
}
