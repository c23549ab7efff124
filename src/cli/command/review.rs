//! `goal review`: asks a reviewer about the goal and records its opinion.

use std::time::Duration;

use clap::ValueEnum;

use crate::cli::globals::{Globals, deadline};
use crate::cli::reply::{Done, Reply};
use crate::domain::review::ReviewRole;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::review::{Reviewed, review};
use crate::ops::transacted::Outcome;
use crate::render::text::{clean, one_line};
use crate::roles::command::Wanted;

/// Ask a reviewer about the goal and record its opinion, which decides nothing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The reviewer is an external command: `[reviewer.ROLE]` in the configuration. Its \
stdout is the review, whose last line may be `Verdict: WORDS`. The review goes into the next \
prompts, the summary and the document; it completes and stops nothing. A reviewer that fails \
leaves nothing on record and exits 74.

Example:
  goal review --role plan-critic"
)]
pub struct Args {
    /// What it looks for
    #[arg(long)]
    role: RoleArg,
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    reviewer: Option<String>,
    /// The reviewer's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline)]
    timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// What can go wrong
    Risk,
    /// Whether what is done could go out
    Release,
    /// Whether contract and plan lead to the objective
    PlanCritic,
    /// Whether anybody still needs the goal
    StaleGoal,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let role = match args.role {
        RoleArg::Risk => ReviewRole::Risk,
        RoleArg::Release => ReviewRole::Release,
        RoleArg::PlanCritic => ReviewRole::PlanCritic,
        RoleArg::StaleGoal => ReviewRole::StaleGoal,
    };
    let wanted = Wanted {
        command: args.reviewer.clone(),
        timeout: args.timeout,
    };
    let outcome = review(&call, role, &wanted)?;
    let text = text(&outcome);
    Reply::transacted(outcome, text)
}

fn text(reviewed: &Outcome<Reviewed>) -> String {
    let id = reviewed.goal_id.as_ref().map(ToString::to_string);
    let verdict = reviewed.data.verdict.as_deref().map(one_line);
    let verdict = verdict.map_or("no verdict".to_owned(), |it| format!("verdict: {it}"));
    let again = match reviewed.repeated {
        true => "Already recorded: ",
        false => "",
    };
    let head = format!(
        "{again}Review ({}) of goal {}, {verdict}. It decides nothing.\n",
        reviewed.data.role,
        id.unwrap_or_default()
    );
    match clean(&reviewed.data.report).trim() {
        "" => head,
        report => format!("{head}\n{report}\n"),
    }
}
