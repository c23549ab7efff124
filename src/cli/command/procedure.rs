//! `goal procedure`: the procedures that plans are made from.

use std::fmt::Write;

use super::{Call, Done, Failure, Globals, Reply};
use crate::documents::procedures::Broken;
use crate::ops::procedure::{ProcedureView, Procedures, list, show};
use crate::render::text::{clean, one_line};

/// List, show and check procedures: how things are done here, from which `goal plan` makes tasks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A procedure is a markdown file in `.pi/goals/procedures/` or in your \
configuration's `goal/procedures/`: frontmatter with title, intent and parameters, then a numbered \
list of steps. It names tools and never holds commands. docs/procedures.md has the format.

Example:
  goal procedure list \"Book me a train to Paris\""
)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// List the procedures; with a text the most relevant first, with their scores
    List {
        /// What somebody asks for, such as a goal's objective
        text: Option<String>,
    },
    /// Print one procedure
    Show {
        /// The name of its file without `.md`
        id: String,
    },
    /// Say what is wrong with the files, and where; exits 7 when something is
    Check,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    match &args.act {
        Act::List { text } => {
            let outcome = list(&call, text.as_deref())?;
            Reply::read(listed(&outcome), &outcome)
        }
        Act::Show { id } => {
            let outcome = show(&call, id)?;
            let texts = outcome
                .procedures
                .iter()
                .filter_map(|it| it.text.as_deref());
            Reply::read(clean(&texts.collect::<String>()), &outcome)
        }
        Act::Check => {
            let outcome = list(&call, None)?;
            let usable = outcome.procedures.len();
            let text = format!(
                "Procedures that can be used: {usable}\n{}",
                wrong(&outcome.broken)
            );
            let failure = outcome.failure();
            Reply::judged(text, &outcome, failure)
        }
    }
}

fn listed(outcome: &Procedures) -> String {
    let mut text: String = outcome.procedures.iter().map(line).collect();
    if outcome.procedures.is_empty() {
        text.push_str("There are no procedures.\n");
    }
    let broken = outcome.broken.len();
    if broken > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "Files that cannot be used: {broken}; `goal procedure check` says why."
        );
    }
    text
}

fn line(procedure: &ProcedureView) -> String {
    let relevance = procedure.relevance.map(|it| {
        let applies = match it.applies {
            true => "applies",
            false => "does not apply",
        };
        format!(
            "  {:.3}  names {:.0} %, {applies}",
            it.score,
            it.coverage * 100.0
        )
    });
    format!(
        "{}  {}  ({} steps, {}){}\n",
        one_line(&procedure.id),
        one_line(&procedure.title),
        procedure.steps.len(),
        procedure.source.name(),
        relevance.unwrap_or_default()
    )
}

fn wrong(broken: &[Broken]) -> String {
    let lines = broken.iter().flat_map(|file| {
        file.problems.iter().map(|problem| {
            let (path, message) = (one_line(file.path.as_str()), one_line(&problem.message));
            format!("{path}:{}: {message}\n", problem.line)
        })
    });
    lines.collect()
}
