//! `goal evidence`: what was shown to be so.

use camino::Utf8PathBuf;
use serde_json::Value;

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::columns::ColumnsArg;
use crate::cli::command::task::text as say;
use crate::cli::input::{lines, text_or_stdin};
use crate::cli::screen::{fitted, tabled_or_plain};
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::evidence::EvidenceItem;
use crate::ops::tasks::{evidence, give, give_all};

/// Add evidence to the goal or to one of its tasks, or list it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Evidence of a task is also evidence of the goal. For each key a task uses its own value, else the \
value of its nearest parent that has one, else the goal's latest value. A task is complete as soon \
as all its conditions hold; nobody has to mark it.

Example:
  goal evidence add trainList '[\"06:12\",\"08:30\"]' --value-json --task 2
  goal evidence list")]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Add a value under a key
    Add {
        /// The key that conditions of tasks refer to
        #[arg(value_name = "KEY", required_unless_present = "batch")]
        name: Option<EvidenceKey>,
        /// The value, a text; `-` reads it from stdin
        #[arg(required_unless_present = "batch")]
        value: Option<String>,
        /// The value is JSON
        #[arg(long)]
        value_json: bool,
        /// Add many at once: a file with one `{"key":…,"value":…}` per line; `-` reads stdin
        #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "value", "value_json"])]
        batch: Option<Utf8PathBuf>,
        /// The task that it belongs to [default: the goal itself]
        #[arg(long, value_name = "TASK")]
        task: Option<String>,
    },
    /// List all evidence, oldest first
    List {
        /// Show only evidence of this task
        #[arg(long, value_name = "TASK")]
        task: Option<String>,
        #[command(flatten)]
        columns: ColumnsArg<EvidenceItem>,
    },
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    match &args.act {
        Act::Add {
            name,
            value,
            value_json,
            batch,
            task,
        } => {
            let task = task.as_deref();
            let outcome = match (batch, name, value) {
                (Some(path), ..) => give_all(&call, lines(path)?, task)?,
                (None, Some(name), Some(text)) => {
                    give(&call, name, value_of(text, *value_json)?, task)?
                }
                // clap asks for both.
                (None, ..) => return Err(Failure::usage("nothing is given", "name key and value")),
            };
            let text = say(("Gave evidence to", None), &outcome);
            Reply::transacted(fitted(&call, &text), outcome)
        }
        Act::List { task, columns } => {
            let shown = columns.of()?;
            let listed = evidence(&call, task.as_deref())?;
            let text = match listed.data.evidence.as_deref() {
                None | Some([]) => {
                    "No evidence. `goal evidence add KEY VALUE` gives some.\n".to_owned()
                }
                Some(given) => tabled_or_plain(&call, &shown, given),
            };
            Reply::read(text, listed)
        }
    }
}

fn value_of(text: &str, is_json: bool) -> Result<Value, Failure> {
    let text = text_or_stdin(text)?;
    if !is_json {
        return Ok(text.into());
    }
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("the value is no JSON: {error}");
        Failure::usage(message, "leave `--value-json` out to give it as text")
    })
}
