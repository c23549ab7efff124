//! The agent: the command that works a goal for one iteration of a run. What it says is read for
//! promises elsewhere; what it does, it records by itself.

use std::env;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::Actor;
use crate::domain::lease::Claim;
use crate::domain::verdict::MARGIN;
use crate::process::{self, Ending, Finished, Invocation, SpawnError};
use crate::roles::command::{STDERR_TAIL, prompt_for};
use crate::roles::hosts::unneeded;
use crate::workspace::config::CommandInForce;
use crate::workspace::programs;

/// The hidden command by which the program starts itself as an agent's guard.
pub const GUARD: &str = "__guard";

/// Most bytes of an agent's stdout that are read: the last ones, where it writes more. What it cost and
/// what it says last is at the end.
const STDOUT: usize = 16 * 1024 * 1024;

/// One iteration's work, as the agent's environment says it.
#[derive(Debug, Clone)]
pub struct AgentTurn<'a> {
    /// `GOAL_SESSION`
    pub session: &'a str,
    /// `GOAL_TURN`
    pub turn: &'a str,
    /// `GOAL_LEASE`
    pub lease: Option<&'a Claim>,
    /// Held while anything of the agent runs.
    pub lock: &'a Utf8Path,
    pub prompt: &'a str,
    /// How long it may write nothing, where that is bounded.
    pub silence: Option<Duration>,
    /// Where its stdout and stderr are written as they come.
    pub written_to: Option<[Utf8PathBuf; 2]>,
}

/// Lets the agent work in the project's root with the prompt on its stdin. Nothing of it is left
/// afterwards, and nothing of it outlives this process. `cancel` is asked about every 50 ms.
///
/// # Errors
/// It cannot be started.
pub fn run(
    chosen: &CommandInForce,
    root: &Utf8Path,
    turn: AgentTurn<'_>,
    cancel: &dyn Fn() -> bool,
) -> Result<Finished, SpawnError> {
    let unstarted = |source: io::Error| SpawnError::Other {
        program: chosen.argv.first().cloned().unwrap_or_default(),
        cwd: root.to_owned(),
        source,
    };
    let guard = env::current_exe().map_err(unstarted)?;
    let guard = guard
        .to_str()
        .ok_or_else(|| unstarted(io::Error::other("the path of this program is no UTF-8")))?;
    let mut argv: Vec<String> = [guard, GUARD, turn.lock.as_str()].map(str::to_owned).into();
    argv.push(std::process::id().to_string());
    argv.push("--".to_owned());
    argv.extend(located(&chosen.argv)?);
    let lease = turn.lease.map(Claim::to_string);
    let variables = [
        ("GOAL_ACTOR", Some(Actor::Agent.name())),
        ("GOAL_SESSION", Some(turn.session)),
        ("GOAL_TURN", Some(turn.turn)),
        ("GOAL_LEASE", lease.as_deref()),
        ("GOAL_ROOT", Some(root.as_str())),
    ];
    let given = variables
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let invocation = Invocation {
        argv,
        cwd: root.to_owned(),
        env: given
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        stdin: prompt_for(chosen, turn.prompt).into_bytes(),
        stdout_cap: STDOUT,
        only_end: true,
        unneeded: unneeded(chosen.preset),
        stderr_tail: STDERR_TAIL + MARGIN,
        written_to: turn.written_to,
        deadline: chosen.timeout.value,
        silence: turn.silence,
        judges: false,
    };
    process::run(&invocation, cancel)
}

/// Whether the agent's program is there to be started.
///
/// # Errors
/// It is not.
pub fn is_there(chosen: &CommandInForce, root: &Utf8Path) -> Result<(), SpawnError> {
    let program = located(&chosen.argv)?.swap_remove(0);
    match root.join(&program).exists() {
        true => Ok(()),
        false => Err(SpawnError::Missing { program }),
    }
}

/// The command line with its program found on the `PATH`, as `process::run` would find it.
fn located(argv: &[String]) -> Result<Vec<String>, SpawnError> {
    let missing = |program: &str| SpawnError::Missing {
        program: program.to_owned(),
    };
    let (program, arguments) = argv.split_first().ok_or_else(|| missing(""))?;
    let found = match program.contains('/') {
        true => program.clone(),
        false => {
            let path = programs::find(env::var_os("PATH").as_deref(), program);
            let path = path.ok_or_else(|| missing(program))?;
            let path = path.into_os_string().into_string();
            path.map_err(|_| missing(program))?
        }
    };
    Ok([vec![found], arguments.to_vec()].concat())
}

/// How the agent's process ended, where it did not end well.
pub fn failed(finished: &Finished, deadline: Duration) -> Option<String> {
    match finished.ending {
        Ending::Exited(0) => None,
        ending => Some(ending.said(deadline)),
    }
}
