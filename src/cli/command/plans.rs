//! Plans, and the procedures that they are made from.

use std::time::Duration;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline};
use crate::cli::columns::ColumnsArg;
use crate::cli::screen::tabled;
use crate::documents::procedures::Broken;
use crate::ops;
use crate::ops::plan::{Asked, Planned, What};
use crate::ops::procedure::{ProcedureView, Procedures, Relevance, list, show};
use crate::ops::transacted::Outcome;
use crate::render::table::{Column, Columns, Tabled};
use crate::render::text::{clean, one_line};

/// What one call says about the planner.
#[derive(Debug, clap::Args)]
struct PlannerArgs {
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    planner: Option<String>,
    /// The planner's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline, allow_negative_numbers = true)]
    timeout: Option<Duration>,
}

impl PlannerArgs {
    fn wanted(&self) -> CommandOptions {
        CommandOptions {
            command: self.planner.clone(),
            timeout: self.timeout,
        }
    }
}

/// Split the goal or a task, by a procedure or by the planner
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "A procedure of the project or of yours comes first (`goal plan procedures list TEXT` \
shows which applies); else `[planner]` of the configuration is asked, an external command that reads \
JSON on stdin and answers with JSON (`goal schema planner-input`, `planner-answer`). An answer that \
does not fit is refused as a whole.

No plan is recorded as `plan_failed` and exits 74: the task is then blocked; a goal is blocked after \
three of them. A revision and checkpoints always ask the planner.

Examples:
  goal plan
  goal plan 2.1
  goal plan --checkpoints
  goal plan procedures
  goal plan --revise --reason \"the host has no Python\""
)]
pub struct Plan {
    /// A task of the goal, or a goal [default: the goal itself]
    #[arg(value_name = "GOAL|TASK")]
    what: Option<String>,
    /// Plan anew what is not complete; what is complete or skipped stays, with its evidence
    #[arg(long, requires = "reason")]
    revise: bool,
    /// The reason for the new plan
    #[arg(long, value_name = "TEXT", requires = "revise")]
    reason: Option<String>,
    /// Ask for ordered checkpoints with success criteria
    #[arg(long)]
    checkpoints: bool,
    #[command(flatten)]
    planner: PlannerArgs,
    #[command(subcommand)]
    pub below: Option<BelowPlan>,
}

#[derive(Debug, clap::Subcommand)]
pub enum BelowPlan {
    Procedures(Procedure),
}

pub fn plan(args: &Plan, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let Some(BelowPlan::Procedures(asked)) = &args.below {
        return procedure(asked, call, globals);
    }
    let asked = Asked {
        what: args.what.clone().map(What::Named),
        revise: args.reason.clone().filter(|_| args.revise),
        checkpoints: args.checkpoints,
        planner: args.planner.wanted(),
        ..Asked::default()
    };
    let outcome = ops::plan::plan(&call, &asked)?;
    Reply::transacted(outcome.text(), outcome)
}

/// Ask the planner for a new plan, when the score does not rise
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The planner gets the latest gap analysis and the tier `escalated`; what is \
complete stays, what is open is planned anew (see `goal plan`). The next evaluation tells whether it \
brought something; only those that did not are counted: one for a trivial goal, two for a simple, \
three for a moderate and five for a complex one. After that only you escalate.

Example:
  goal escalate --reason 'three attempts at the parser came to nothing'"
)]
pub struct Escalate {
    /// Why going on as before will not get there
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    planner: PlannerArgs,
}

pub fn escalate(args: &Escalate, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::plan::escalate(&call, &args.reason, args.planner.wanted())?;
    Reply::transacted(escalated(&outcome), outcome)
}

fn escalated(planned: &Outcome<Planned>) -> String {
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

/// List, show and check procedures, from which plans are made
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A procedure is a markdown file in `.pi/goals/procedures/` or in your \
configuration's `goal/procedures/`: frontmatter with title, intent and parameters, then a numbered \
list of steps. It names tools and never holds commands. docs/procedures.md has the format.

Example:
  goal plan procedures list \"Book me a train to Paris\""
)]
pub struct Procedure {
    #[command(subcommand)]
    act: Option<ProcedureAct>,
}

#[derive(Debug, clap::Subcommand)]
enum ProcedureAct {
    /// List the procedures; with a text the most relevant first, with their scores
    List {
        /// What somebody asks for, such as a goal's objective
        text: Option<String>,
        #[command(flatten)]
        columns: ColumnsArg<ProcedureView>,
    },
    /// Print one procedure
    Show {
        /// The name of its file without `.md`
        id: String,
    },
    /// Say what is wrong with the files, and where; exits 7 when something is
    Check,
}

pub fn procedure(args: &Procedure, call: Call, _: &Globals) -> Result<Done, Failure> {
    match &args.act {
        None => {
            let outcome = list(&call, None)?;
            Reply::read(listed(&outcome, &call, &Columns::usual()), outcome)
        }
        Some(ProcedureAct::List { text, columns }) => {
            let shown = columns.of()?;
            let outcome = list(&call, text.as_deref())?;
            Reply::read(listed(&outcome, &call, &shown), outcome)
        }
        Some(ProcedureAct::Show { id }) => {
            let outcome = show(&call, id)?;
            let texts = outcome
                .procedures
                .iter()
                .filter_map(|it| it.text.as_deref());
            Reply::read(clean(&texts.collect::<String>()), outcome)
        }
        Some(ProcedureAct::Check) => {
            let outcome = list(&call, None)?;
            let usable = outcome.procedures.len();
            let text = format!(
                "Procedures that can be used: {usable}\n{}",
                wrong(&outcome.broken)
            );
            let failure = outcome.failure();
            Reply::judged(text, outcome, failure)
        }
    }
}

fn listed(outcome: &Procedures, call: &Call, shown: &Columns<ProcedureView>) -> String {
    let mut text = match outcome.procedures.is_empty() {
        true => "There are no procedures.\n".to_owned(),
        false => tabled(call, shown, &outcome.procedures),
    };
    let broken = outcome.broken.len();
    if broken > 0 {
        text += &format!("Files that cannot be used: {broken}; `goal procedure check` says why.\n");
    }
    text
}

impl Tabled for ProcedureView {
    const COLUMNS: &'static [Column<ProcedureView>] = &[
        Column::left("id", "The name of its file", |row: &ProcedureView, _| {
            one_line(&row.id).into()
        }),
        Column::cut("title", "Its title", |row: &ProcedureView, _| {
            one_line(&row.title).into()
        }),
        Column::right(
            "steps",
            "How many steps it has",
            |row: &ProcedureView, _| row.steps.len().to_string().into(),
        )
        .spare(1),
        Column::left(
            "source",
            "Whose it is: the project's or the user's",
            |row: &ProcedureView, _| row.source.name().into(),
        )
        .spare(2),
        Column::right(
            "score",
            "How well it fits the text, within this list",
            |row: &ProcedureView, _| row.relevance.map(|it| format!("{:.3}", it.score)).into(),
        )
        .spare(3),
        Column::right(
            "names",
            "How much of its title or of an intent the text names",
            |row: &ProcedureView, _| {
                let relevance = row.relevance;
                relevance
                    .map(|it| format!("{:.0} %", it.coverage * 100.0))
                    .into()
            },
        )
        .spare(4),
        Column::left(
            "applies",
            "Whether a plan is made from it",
            |row: &ProcedureView, _| {
                let applies = |it: Relevance| if it.applies { "yes" } else { "no" };
                row.relevance.map(applies).into()
            },
        ),
    ];
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
