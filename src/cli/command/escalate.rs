//! `goal escalate`: calls for a new plan where the old one gets no further.

use std::time::Duration;

use crate::cli::globals::{Globals, deadline};
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::Planned;
use crate::ops::plan::escalate;
use crate::ops::transacted::Outcome;
use crate::roles::command::Wanted;

/// Call for a new plan: record that, and ask the planner with what is known of the gap
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The planner gets the latest gap analysis and the tier `escalated`; what is \
complete stays, what is open is planned anew (see `goal plan`). The next evaluation tells whether it \
brought something; only those that did not are counted: one for a trivial goal, two for a simple, \
three for a moderate and five for a complex one. After that only you escalate.

Example:
  goal escalate --reason 'three attempts at the parser came to nothing'"
)]
pub struct Args {
    /// Why going on as before will not get there
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    planner: Option<String>,
    /// The planner's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline)]
    timeout: Option<Duration>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let planner = Wanted {
        command: args.planner.clone(),
        timeout: args.timeout,
    };
    let outcome = escalate(&call, &args.reason, planner)?;
    let text = text(&outcome);
    Reply::transacted(outcome, text)
}

fn text(planned: &Outcome<Planned>) -> String {
    let mut text = String::new();
    if let Some(escalation) = &planned.data.escalation {
        let tier = escalation.upgraded_to.map(|tier| tier.name());
        let tier = tier.map_or_else(String::new, |tier| format!("; it turned out {tier}"));
        let runway = match escalation.runway_granted {
            true => "; one more is granted",
            false => "",
        };
        let before = escalation.score_before;
        text = format!("Escalated at a score of {before}{tier}{runway}.\n");
    }
    text + &planned.text()
}
