//! `goal tool`: the tools that agents call, with JSON in and JSON out.

use serde_json::Value;

use super::{Call, Done, Failure, Globals, Reply};
use crate::api::tools::{self, ToolList};
use crate::cli::globals;
use crate::cli::input;
use crate::cli::pager::Paging;
use crate::cli::print;
use crate::ops::call::remarks;
use crate::ops::phase::{Phase, SessionPhase, session_phase};
use crate::workspace::actor::Surface;

/// Call a tool as an agent does: JSON in, JSON out
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The caller acts as an agent. The arguments are read from stdin unless --data or \
--data-file gives them. The host gives session, turn and key, as options or beside the arguments.

Examples:
  goal tool --list --session S
  goal tool --list --all
  goal tool note_progress --session S --turn 4 --data '{\"note\": \"it parses\"}'
  echo '{\"status\": \"complete\", \"summary\": \"…\"}' | goal tool update_goal"
)]
pub struct Args {
    /// The tool
    #[arg(value_name = "NAME", required_unless_present = "list")]
    name: Option<String>,
    /// Print the tools that a model should see now, with the JSON Schemas of their arguments; none
    /// if there is no `.pi/goals`
    #[arg(long, conflicts_with_all = ["name", "data", "data_file"])]
    list: bool,
    /// With --list: print every tool with all JSON Schemas, also tools that no model sees
    #[arg(long, requires = "list", conflicts_with = "phase")]
    all: bool,
    /// With --list: print the tools of this phase
    #[arg(long, value_name = "PHASE", requires = "list")]
    phase: Option<Phase>,
    /// The arguments, a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "data_file")]
    data: Option<String>,
    /// The same from a file; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    data_file: Option<String>,
}

pub fn run(args: &Args, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    let Some(name) = &args.name else {
        return Reply::read("", listed(args, &call)?);
    };
    let tool = tools::named(name).ok_or_else(|| tools::unknown(name))?;
    call.caller.actor = call.workspace.actor(Surface::Tools)?;
    let root = call.workspace.root.path.clone();
    let paths = call.workspace.paths.clone();
    let at_terminal = call.workspace.environment.terminals.stdin;
    let exit = match arguments(args, at_terminal).and_then(|arguments| tool.call(call, arguments)) {
        Err(failure) => {
            let failure = failure.where_home_cannot_be_written(&paths);
            print::failure(tool.name, Some(root.as_str()), &failure, true)
        }
        Ok(answer) => {
            let remarks = remarks(&paths, || globals::call(globals));
            print::reply(
                tool.name,
                root.as_str(),
                reply(answer)?,
                &remarks,
                true,
                Paging::NONE,
            )
        }
    };
    Ok(Done::Printed(exit))
}

fn listed(args: &Args, call: &Call) -> Result<ToolList, Failure> {
    if args.all {
        return Ok(tools::list());
    }
    let stand = session_phase(call)?;
    Ok(tools::shown(&SessionPhase {
        phase: args.phase.or(stand.phase),
        ..stand
    }))
}

fn reply(answer: tools::ToolAnswer) -> Result<Reply, Failure> {
    Ok(Reply {
        stop_turn: answer.stop_turn,
        recorded: answer.recorded,
        failure: answer.failure,
        ..Reply::new("", answer.data)
    })
}

/// The arguments that were passed; null when there are none.
fn arguments(args: &Args, at_terminal: bool) -> Result<Value, Failure> {
    let (text, from) = match input::data(&args.data, &args.data_file)? {
        Some(given) => given,
        // A person who names a tool is not left waiting.
        None if at_terminal => return Ok(Value::Null),
        None => (input::stdin()?, "stdin"),
    };
    match text.trim() {
        "" => Ok(Value::Null),
        _ => input::json(&text, from),
    }
}
