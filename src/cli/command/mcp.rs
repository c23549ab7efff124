//! `goal mcp`: the tools for a host that speaks the Model Context Protocol.

use std::sync::Arc;

use super::{Call, Done, Exit, Failure, Globals};
use crate::api::mcp;
use crate::cli::globals;
use crate::domain::actor::Actor;
use crate::render::surface;
use crate::workspace::actor::Surface;

/// Serve the tools to an agent host over MCP, on stdin and stdout
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A host starts this command. A caller of a tool acts as an agent. If the host's \
configuration gives the server GOAL_ACTOR=user, the host shows you a form in which you confirm a \
proposal.

Examples:
  claude mcp add --scope project goal -- goal mcp
  codex mcp add goal -- goal mcp
  pi mcp add goal --exposure direct -- goal mcp
  {\"mcpServers\": {\"goal\": {\"command\": \"goal\", \"args\": [\"mcp\"]}}}"
)]
pub struct Args {
    /// How the host's model calls the tools [default: as the host with this client name does]
    #[arg(long = "as", value_name = "SURFACE")]
    surface: Option<surface::Surface>,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    refuse_what_is_of_one_call(&call)?;
    let actor = call.workspace.actor(Surface::Tools)?;
    let forms = call.workspace.actor(Surface::CommandLine)? == Actor::User;
    let globals = globals.clone();
    mcp::serve(
        actor,
        forms,
        args.surface,
        Arc::new(move || globals::call(&globals)),
    )?;
    Ok(Done::Printed(Exit::Done))
}

/// Said once for all calls, these would refuse or repeat every one after the first.
fn refuse_what_is_of_one_call(call: &Call) -> Result<(), Failure> {
    let options = [
        ("--goal", call.goal.is_some()),
        ("--turn", call.caller.turn.is_some()),
        ("--key", call.key.is_some()),
        ("--expect", call.expect.is_some()),
        ("--expect-goal", call.expect_goal.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(
            format!("`{option}` is about one call, and a server answers many"),
            format!("leave `{option}` out; the tools have arguments for it"),
        )),
    }
}
