//! `goal baseline`: how things stood before the work.

use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::baseline::{BaselineFrom, baseline};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::{clean, one_line, quote};

/// Say how things stood before the work, so that only progress since is credited (yours to do, not
/// an agent's)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A command is a check of the configuration, by its name; however it exits, its \
output is the baseline. `[baseline] check = \"NAME\"` takes it for every new goal, right after it is \
created, and is what is taken without an argument.

Examples:
  goal baseline '3 of 12 tests pass; no Windows build'
  goal baseline --command tests"
)]
pub struct Args {
    /// How things stand; `-` reads it from stdin
    text: Option<String>,
    /// A check whose output says it
    #[arg(long, value_name = "NAME", conflicts_with = "text")]
    command: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let from = match (&args.text, &args.command) {
        (Some(text), _) => BaselineFrom::Text(text_or_stdin(text)?),
        (None, Some(name)) => BaselineFrom::Check(name.clone()),
        (None, None) => BaselineFrom::Configured,
    };
    let outcome = baseline(&call, &from)?;
    let goal = outcome.goal_id.as_ref().map(ToString::to_string);
    let of = outcome.data.command.as_deref();
    let of = of.map_or_else(String::new, |name| {
        format!(", from check {}", one_line(name))
    });
    let again = match outcome.repeated {
        true => "Already recorded: the baseline",
        false => "The baseline",
    };
    let text = format!(
        "{again} of goal {}{of}:\n\n{}\n",
        goal.unwrap_or_default(),
        quote(clean(&outcome.data.text).trim())
    );
    Reply::transacted(outcome, text)
}
