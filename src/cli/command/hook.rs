//! `goal hook`: answers an agent host's hook. Whatever goes wrong, the host goes on as without it:
//! exit 1 with nothing on stdout, never 2, which hosts take for a veto.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;

use super::prompts::ForReader;
use super::{Call, Done, Exit, Failure, Globals};
use crate::api::hooks::{self, Event, Host, Input, InputError, Version, too_old};
use crate::cli::print;
use crate::domain::actor::{Actor, Caller};
use crate::ops::call::host_id;
use crate::ops::hook::HookAnswer;
use crate::workspace::Workspace;

/// The longest that a hook waits for another process that writes: a host waits for its hooks. What one event
/// does not tell the next one tells, but after a stop there is no next one.
const PATIENCE: Duration = Duration::from_secs(1);
const PATIENCE_OF_STOP: Duration = Duration::from_secs(3);

/// The longest that a host may take to pass its JSON and end it: one that leaves stdin open would
/// be held up for as long as it lets its hooks run.
const LATEST: Duration = Duration::from_secs(5);

/// Answer a hook of an agent host
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the host's JSON from stdin and prints the answer for the host, or nothing, on stdout. \
session-start gives the model the summary, user-prompt-submit names the focused goal, and stop \
makes the agent continue while the goal is active and continues by itself. After a failure the \
exit code is 1 and stdout is empty, so the host continues as if there were no hook.

Example:
  echo '{\"hook_event_name\": \"SessionStart\"}' | goal hook session-start --host claude")]
pub struct Args {
    /// The event that the host reports
    event: Event,
    /// The host whose JSON is read and written
    #[arg(long, value_name = "HOST", default_value = "claude")]
    host: Host,
    /// The version that the hooks need: an older program only reports this when a session starts
    #[arg(long, value_name = "VERSION")]
    needs: Option<Version>,
    #[command(flatten)]
    reader: ForReader,
}

/// Whether it is the name of an event.
pub fn is_event(word: &OsStr) -> bool {
    word.to_str()
        .is_some_and(|word| Event::from_str(word, false).is_ok())
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    // An audit is read-only, and so is whatever host it runs in.
    if call.caller.actor == Actor::Auditor {
        return Ok(Done::Printed(Exit::Done));
    }
    // In a run the runner says what goes on, and its prompt is not the user's word.
    if call.workspace.environment.is_of_run() {
        return Ok(Done::Printed(Exit::Done));
    }
    let (event, host) = (args.event, args.host);
    if let Some(why) = args.needs.and_then(|needs| too_old(Version::own(), needs)) {
        return match event {
            Event::SessionStart => answer(host, event, &HookAnswer::GivenUp(why)),
            _ => Ok(Done::Printed(Exit::Done)),
        };
    }
    let mut input = read(host, call.workspace.environment.terminals.stdin)?;
    if let Some(home) = &call.workspace.environment.home {
        let transcript = input.stop.transcript.take();
        input.stop.transcript = transcript.map(|it| it.below(home));
    }
    let patience = match event {
        Event::Stop => PATIENCE_OF_STOP,
        _ => PATIENCE,
    };
    let call = in_session(call, &input, globals)?;
    let call = Call {
        lock_timeout: call.lock_timeout.min(patience),
        ..call
    };
    if call.workspace.read_only {
        return Ok(Done::Printed(Exit::Done));
    }
    // A panic is a mistake of ours: the default hook has written it to stderr.
    let told = catch_unwind(AssertUnwindSafe(|| {
        hooks::carry_out(host, event, &input, &call, args.reader.into())
    }));
    let told = told.map_err(|_| {
        let hint = "report this with the text above";
        Failure::new("internal", "the hook failed by a mistake of ours", hint)
    })?;
    let told = match told {
        Err(failure) if failure.code == "lock_timeout" && event == Event::Stop => {
            let why = format!(
                "goal did nothing at this stop: {}. If this session works on a goal, say `continue` to go on.",
                failure.message
            );
            answer(host, event, &HookAnswer::GivenUp(why))?;
            return Ok(Done::Printed(done_without(&input)));
        }
        // The host waits, and what this event tells another one tells as well.
        Err(failure) if failure.code == "lock_timeout" => {
            print::complain(&format!("{}: the hook does nothing", failure.message));
            return Ok(Done::Printed(done_without(&input)));
        }
        told => told?,
    };
    print::notices(&told.notices);
    answer(host, event, &told.answer)
}

/// How a hook exits that did nothing: as one that failed where a plugin said what was spent, so that it says
/// it again.
fn done_without(input: &Input) -> Exit {
    match input.stop.spent {
        Some(_) => Exit::HookFailed,
        None => Exit::Done,
    }
}

/// Answers the host, and the user where no host shows it.
fn answer(host: Host, event: Event, answer: &HookAnswer) -> Result<Done, Failure> {
    if let HookAnswer::GivenUp(why) | HookAnswer::GoOnTelling { why, .. } = answer {
        print::complain(why);
    }
    if let Some(answer) = hooks::write(host, event, answer) {
        let lost = "the host was not answered; the event may be recorded, look with `goal log`";
        print::document(&answer).map_err(|error| Failure::io(&error, lost))?;
    }
    Ok(Done::Printed(Exit::Done))
}

fn read(host: Host, is_terminal: bool) -> Result<Input, Failure> {
    let unusable = |error: InputError| {
        Failure::usage(
            error.to_string(),
            "hosts call this by themselves; docs/hosts/ shows how to set it up",
        )
    };
    if is_terminal {
        return Err(unusable(InputError::Empty));
    }
    let bytes = passed().map_err(|error| Failure::io(&error, "the host passes JSON on stdin"))?;
    hooks::read(host, &bytes).map_err(unusable)
}

/// All of stdin, up to what is too much. Its reader is left behind when time is up, and ends with
/// the process.
fn passed() -> io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().take(hooks::MOST + 1).read_to_end(&mut bytes);
        // Nobody waits for it any more once time is up.
        let _late = sender.send(read.map(|_| bytes));
    })?;
    let open = |_| {
        let message = format!("stdin was not closed within {} seconds", LATEST.as_secs());
        io::Error::new(io::ErrorKind::TimedOut, message)
    };
    receiver.recv_timeout(LATEST).map_err(open)?
}

/// The call as the host's session makes it: in its directory, unless a root is named, and under
/// its ids, unless others are.
fn in_session(call: Call, input: &Input, globals: &Globals) -> Result<Call, Failure> {
    let mut environment = call.workspace.environment;
    let root_is_named = globals.root.is_some() || environment.root.is_some();
    if let Some(cwd) = input.cwd.as_ref().filter(|_| !root_is_named) {
        environment.cwd = environment.cwd.join(cwd);
    }
    let session = host_id("the host's session id", input.session.as_deref())?;
    let turn = host_id("the host's turn id", input.turn.as_deref())?;
    Ok(Call {
        workspace: Workspace::open(globals.root.as_deref(), environment)?,
        caller: Caller {
            session: call.caller.session.or(session),
            turn: call.caller.turn.or(turn),
            ..call.caller
        },
        ..call
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use crate::cli::arguments::Cli;
    use crate::roles::transcripts::RECORDING;

    /// Commands that only look, that are the user's alone, or that record nothing about a goal.
    const OTHERS: &str = "adopt answer auditor audits budget commitments completions config \
         confirm \
                          doctor drafts focus hook inbox init lease list log mcp next procedure \
                          prompt questions reject repair report resume run runs schema settle show \
                          stack status store summary sync tour trust unfocus verify watch";

    #[test]
    fn of_every_command_it_is_said_whether_an_agent_records_with_it() {
        let cli = Cli::command();
        let there = cli.get_subcommands().filter(|it| !it.is_hide_set());
        let there: BTreeSet<&str> = there.map(clap::Command::get_name).collect();
        let others = OTHERS.split(' ').filter(|it| !it.is_empty());
        let others: BTreeSet<&str> = others.collect();
        let recording = BTreeSet::from(RECORDING);
        assert_eq!(recording.intersection(&others).count(), 0);
        let named: BTreeSet<&str> = recording.union(&others).copied().collect();
        assert_eq!(there, named);
    }
}
