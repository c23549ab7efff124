//! `goal completions`: what a shell needs to complete the command line.

use std::io;

use clap::ValueEnum;
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use serde::Serialize;

use super::{Call, Done, Failure, Globals, Reply};

/// The variable by which a script says that it asks, and for which shell.
pub const VARIABLE: &str = "GOAL_COMPLETE";

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It completes commands, options, and the goals, drafts, questions, tasks, checks \
and runs of the project, with their titles if the shell can show them. The script asks the \
installed `goal` each time, so an update needs no new script.

Examples:
  eval \"$(goal completions bash)\"     in ~/.bashrc
  eval \"$(goal completions zsh)\"      in ~/.zshrc, after compinit
  goal completions fish > ~/.config/fish/completions/goal.fish"
)]
pub struct Args {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// The script of one shell.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Script {
    pub script: String,
}

pub fn run(args: &Args, _: Call, _: &Globals) -> Result<Done, Failure> {
    let script = script(args.shell)?;
    Reply::read(script.clone(), Script { script })
}

fn script(shell: Shell) -> io::Result<String> {
    let shell: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "goal", "goal", "goal", &mut script)?;
    String::from_utf8(script).map_err(io::Error::other)
}
