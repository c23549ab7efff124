//! `goal agenda`: an agent's own list of steps.

use camino::Utf8PathBuf;

use crate::cli::globals::Globals;
use crate::cli::input::{file, stdin};
use crate::cli::reply::{Done, Reply};
use crate::ops::agenda::{done, read, set};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::progress::agenda as lines;

/// Keep a flat list of the next steps, which prompts show with its marks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agenda says what is tried next; unlike tasks it holds nothing up, and nobody \
judges it. A planner that is asked for a plan reads it.

Examples:
  goal agenda set steps.json
  goal agenda done 2"
)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Put these steps in place of what is there; an empty list empties it
    #[command(after_help = "\
JSON: [{\"skill\": \"test\", \"target\": \"src/a.rs\", \"purpose\": \"see what fails\"}]; `target` \
and `done` may be left out.")]
    Set {
        /// A JSON list; `-` reads it from stdin
        #[arg(default_value = "-")]
        file: Utf8PathBuf,
    },
    /// Mark a step as done
    Done {
        /// Its number, from 1
        #[arg(value_name = "N")]
        step: usize,
    },
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        Act::Set { file: path } => {
            let text = match path.as_str() {
                "-" => stdin()?,
                _ => file(path)?,
            };
            set(&call, read(&text)?)?
        }
        Act::Done { step } => done(&call, *step)?,
    };
    let goal = outcome.goal_id.as_ref().map(ToString::to_string);
    let again = match outcome.repeated {
        true => "Already recorded: the agenda",
        false => "The agenda",
    };
    let steps = match outcome.data.steps.is_empty() {
        true => "  (empty)\n".to_owned(),
        false => lines(&outcome.data.steps)
            .iter()
            .map(|line| format!("  {line}\n"))
            .collect(),
    };
    let text = format!("{again} of goal {}:\n{steps}", goal.unwrap_or_default());
    Reply::transacted(outcome, text)
}
