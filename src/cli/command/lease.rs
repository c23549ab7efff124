//! `goal lease`: which long-lived process works a goal.

use std::time::Duration;

use super::{Call, Done, Failure, Globals, Reply, seconds};
use crate::cli::columns::ColumnsArg;
use crate::cli::screen::{fitted, tabled_or_plain};
use crate::ops::lease::{self, Leased, Term, acquire, list, release, renew};
use crate::render::view::LeaseView;
use crate::render::work::standing;

/// Lease a goal to a session's process
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A lease is held while its process is alive, until it expires. It prevents only other leases: every \
other command still works, also for an agent. `goal list`, `status` and `show` name its holder. A \
lease is a file in `.pi/goals/.locks`, shared with the older extensions; it is not an event.

Example, in a long-running worker:
  goal lease acquire --session S --pid $$
  goal lease renew --session S --pid $$     every 40 seconds or so
  goal lease release --session S --pid $$")]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Lease the goal to the session; exits 4, `lease_held`, while another session holds it
    #[command(
        after_help = "A lease whose process has ended, or that has expired, is removed. If the \
session already holds the goal, the lease gets the new process and the new duration."
    )]
    Acquire {
        #[command(flatten)]
        term: TermArgs,
        /// Replace the live lease of another session (user only)
        #[arg(long)]
        take_over: bool,
    },
    /// Extend the lease of this session and process; exits 4 if it no longer exists
    Renew {
        #[command(flatten)]
        term: TermArgs,
    },
    /// Release the session's lease; anybody may release a stale one, and the user, without
    /// --session, any
    Release {
        /// Only if this process holds it
        #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..), allow_negative_numbers = true)]
        pid: Option<i32>,
    },
    /// Show the leases of the project, also stale ones; with --goal only those of that goal
    List(ColumnsArg<LeaseView>),
}

#[derive(Debug, clap::Args)]
struct TermArgs {
    /// The process on this machine that works on the goal: the lease ends when it ends
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..), allow_negative_numbers = true)]
    pid: i32,
    /// How many seconds it lasts unless it is renewed, from 1 to 86400
    #[arg(allow_negative_numbers = true)]
    #[arg(long, value_name = "S", default_value = "120", value_parser = ttl)]
    ttl: Duration,
}

impl From<&TermArgs> for Term {
    fn from(args: &TermArgs) -> Term {
        Term {
            pid: args.pid,
            ttl: args.ttl,
        }
    }
}

/// A worker that hangs for a day is no worker.
fn ttl(text: &str) -> Result<Duration, String> {
    let range = Duration::from_secs(1)..=Duration::from_secs(86_400);
    let ttl = seconds(text)?;
    match range.contains(&ttl) {
        true => Ok(ttl),
        false => Err("give a number of seconds from 1 to 86400".into()),
    }
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        Act::Acquire { term, take_over } => acquire(&call, term.into(), *take_over)?,
        Act::Renew { term } => renew(&call, term.into())?,
        Act::Release { pid } => release(&call, *pid)?,
        Act::List(columns) => {
            let shown = columns.of()?;
            let outcome = list(&call)?;
            let text = match outcome.leases.is_empty() {
                true => "No leases.\n".to_owned(),
                false => tabled_or_plain(&call, &shown, &outcome.leases),
            };
            return Reply::read(text, outcome);
        }
    };
    let text = text(&outcome, call.workspace.environment.now_millis());
    Reply::read(fitted(&call, &text), outcome)
}

fn text(outcome: &Leased, now: i64) -> String {
    let line = |lease: &LeaseView| format!("{}  {}\n", lease.goal_id, standing(lease, now));
    let all: String = outcome.leases.iter().map(line).collect();
    let before = outcome.previous.as_ref();
    let before = before.map(|lease| format!("  before: {}\n", standing(lease, now)));
    match (outcome.act, before) {
        (lease::Act::Listed, _) => all,
        (lease::Act::Renewed, _) => format!("Renewed.\n{all}"),
        (lease::Act::Acquired, before) => format!("Acquired.\n{all}{}", before.unwrap_or_default()),
        (lease::Act::Released, Some(before)) => format!("Released.\n{before}"),
        (lease::Act::Released, None) => "There was no lease to release.\n".to_owned(),
    }
}
