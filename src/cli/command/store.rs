//! `goal store`: the ledger in a store for many machines.

use std::time::Duration;

use super::{Call, Done, Failure, Globals, Reply, seconds};
use crate::cli::print::complain;
use crate::ops::store::{self, Stored};
use crate::render::stores::read;
use crate::render::text::{count, one_line};

/// Keep the ledger in a store that many machines share
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A store needs a helper: a separate program, which you name as `command` below [store] in your own \
configuration. The file stays in its place as a copy. Commands read the file; to write, they need \
a turn in the store. If the store cannot be reached, nothing is written anywhere (exit 75).

Examples:
  goal store init acme/web
  goal store pull acme/web      in a project without a ledger, on another machine
  goal store status")]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Put the ledger into the store under this name
    Init {
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Update the file from the store; with a name, create a project's ledger from the store
    Pull {
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Send the lines that the store does not have
    Push,
    /// Show the ledger's store, and which lines the file and the store have
    Status,
    /// Test whether a helper follows the rules for helpers; exits 7 if it does not
    #[command(
        after_help = "For authors of a helper (docs/stores.md). It runs several helpers at once, \
kills some of them, and uses its own ledgers with random names below goal-store-check/, which stay \
in the store.\n\nExample:\n  goal store check -- ./my-helper --to db.example"
    )]
    Check {
        /// The longest turn that the store allows a helper, in seconds
        #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
        most_turn: Duration,
        /// Only the rules that contain these words
        #[arg(long, value_name = "WORDS", default_value = "")]
        only: String,
        /// The helper's command
        #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
        command: Vec<String>,
    },
    /// Take the ledger out of the store: the file is the ledger again
    #[command(
        after_help = "The store records this too. From then on other machines can record nothing \
(`store_left`) until their user also runs `goal store leave`, or puts the ledger into the store \
again with `goal store init NAME`."
    )]
    Leave {
        /// Record this in the file only, because the store is lost for good
        #[arg(long)]
        alone: bool,
    },
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let now = call.workspace.environment.now_millis();
    match &args.act {
        Act::Init { name } => {
            let outcome = store::init(&call, name)?;
            let text = format!(
                "The ledger is in the store as {}: {} sent.\n",
                named(&outcome),
                count(outcome.sent, "line")
            );
            Reply::transacted(text + &warned(&outcome), outcome)
        }
        Act::Pull { name } => {
            let outcome = store::pull(&call, name.as_deref())?;
            let came = match outcome.taken {
                0 => "nothing is new".to_owned(),
                lines => format!("{} came in", count(lines, "line")),
            };
            let text = format!("Read the store's {}: {came}.\n", named(&outcome));
            Reply::read(text + &warned(&outcome), outcome)
        }
        Act::Push => {
            let outcome = store::push(&call)?;
            let sent = match outcome.sent {
                0 => "the store has everything".to_owned(),
                lines => format!("{} sent", count(lines, "line")),
            };
            let text = format!("Store {}: {sent}.\n", named(&outcome));
            Reply::read(text + &warned(&outcome), outcome)
        }
        Act::Status => {
            let (known, failure) = store::status(&call);
            Reply::judged(standing(&known, now), known, failure)
        }
        Act::Check {
            most_turn,
            only,
            command,
        } => check(&call, command, *most_turn, only),
        Act::Leave { alone } => {
            let outcome = store::leave(&call, *alone)?;
            let text = format!(
                "The ledger is the file again; it was {} in the store.\n",
                named(&outcome)
            );
            Reply::transacted(text, outcome)
        }
    }
}

fn check(
    call: &Call,
    command: &[String],
    most_turn: Duration,
    only: &str,
) -> Result<Done, Failure> {
    let shown = call.status_line.is_shown();
    let rules = store::check::check(call, command, most_turn, only, &|rule| {
        if shown {
            complain(&format!("  … {rule}"));
        }
    })?;
    let failed = rules.iter().filter(|it| it.passed == Some(false)).count();
    let mut text = String::new();
    for ruled in &rules {
        let outcome = match ruled.passed {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "not tried",
        };
        text += &format!("{outcome:9}  {}\n", ruled.rule);
        if let Some(why) = &ruled.why {
            text += &format!("           {}\n", one_line(why));
        }
    }
    let failure = (failed > 0).then(|| {
        Failure::new(
            "findings",
            format!("the helper does not hold {}", count(failed as u64, "rule")),
            "docs/stores.md says what a helper must hold",
        )
    });
    let outcome = Stored {
        rules,
        ..Stored::default()
    };
    Reply::judged(text, outcome, failure)
}

fn named(outcome: &Stored) -> String {
    one_line(outcome.ledger.as_deref().unwrap_or_default())
}

fn standing(outcome: &Stored, now: i64) -> String {
    if outcome.ledger.is_none() {
        return "This ledger belongs to no store: `goal store init NAME` puts it into one.\n"
            .into();
    }
    let mut text = format!("store {}", named(outcome));
    if let Some(helper) = &outcome.helper {
        text += &format!(" ({})", one_line(helper));
    }
    text += &match outcome.store_end {
        Some(end) if end > outcome.file_end => format!(
            ": the file lacks {}; `goal store pull` brings them",
            count(end - outcome.file_end, "byte")
        ),
        Some(_) => format!(": the file has all {}", count(outcome.file_end, "byte")),
        None => ": not reached".to_owned(),
    };
    text += &format!("\n{}\n", read(outcome.read_at.as_deref(), now));
    text + &warned(outcome)
}

fn warned(outcome: &Stored) -> String {
    let warning = |it: &crate::store::protocol::Warning| {
        format!(
            "warning: {} ({})\n",
            one_line(&it.message),
            one_line(&it.code)
        )
    };
    outcome.warnings.iter().map(warning).collect()
}
