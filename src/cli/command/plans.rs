//! Plans, and the procedures that they are made from.

use std::time::Duration;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline};
use crate::cli::columns::ColumnsArg;
use crate::cli::screen::tabled;
use crate::documents::procedures::Broken;
use crate::ops;
use crate::ops::plan::{PlanOptions, Planned, What};
use crate::ops::procedure::{ProcedureView, Procedures, Relevance, list, show};
use crate::ops::transacted::Outcome;
use crate::render::table::{Column, Columns, Tabled};
use crate::render::text::{clean, one_line};

/// What one call says about the planner.
#[derive(Debug, clap::Args)]
struct PlannerArgs {
    /// A preset (pi, claude, codex, gemini) or the path of one executable (user only)
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
    after_help = "The planner is asked: `[planner]` of the configuration, an external command that \
reads JSON on stdin and answers with JSON (`goal schema planner-input`, `planner-answer`). It is \
shown the procedures that resemble the goal, and takes one of them or writes its own plan. An \
invalid answer is refused as a whole. With --procedure the procedure makes the plan. Without a \
planner, the procedure that may apply is named (`goal plan procedures list TEXT` shows which), and \
taken only with --procedure.

If there is no plan, `plan_failed` is recorded and the exit code is 74. The task is then blocked; \
the goal itself is blocked after three failures. --revise and --checkpoints always ask the \
planner.

Examples:
  goal plan
  goal plan 2.1
  goal plan --checkpoints
  goal plan --procedure train
  goal plan procedures
  goal plan --revise --reason \"the host has no Python\""
)]
pub struct Plan {
    /// A task of the goal, or a goal [default: the goal itself]
    #[arg(value_name = "GOAL|TASK")]
    what: Option<String>,
    /// Make a new plan for the tasks that are not complete; complete and skipped tasks stay, with
    /// their evidence
    #[arg(long, requires = "reason")]
    revise: bool,
    /// The reason for the new plan
    #[arg(long, value_name = "TEXT", requires = "revise")]
    reason: Option<String>,
    /// Ask for ordered checkpoints with success criteria
    #[arg(long)]
    checkpoints: bool,
    /// Make the plan from this procedure, without asking the planner
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revise", "checkpoints", "planner"])]
    procedure: Option<String>,
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
    let asked = PlanOptions {
        what: args.what.clone().map(What::Named),
        revise: args.reason.clone().filter(|_| args.revise),
        checkpoints: args.checkpoints,
        procedure: args.procedure.clone(),
        planner: args.planner.wanted(),
        ..PlanOptions::default()
    };
    let outcome = ops::plan::plan(&call, &asked)?;
    Reply::transacted(outcome.text(), outcome)
}

/// Ask the planner for a new plan when the score does not rise
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The planner gets the latest gap analysis and the tier `escalated`. Complete \
tasks stay, open tasks are planned again (see `goal plan`). The next evaluation shows whether the \
escalation raised the score; only escalations that did not are counted. A trivial goal may have \
one of them, a \
simple goal two, a moderate goal three and a complex goal five. After that only the user can \
escalate.

Example:
  goal progress escalate --reason 'three attempts at the parser came to nothing'"
)]
pub struct Escalate {
    /// Why the current plan will not reach the goal
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

/// List, show and check procedures, which are templates of plans
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A procedure is a Markdown file in `.pi/goals/procedures/`, or in \
`goal/procedures/` of your configuration directory: frontmatter with title, intent and parameters, \
then a numbered list of steps. It names tools and contains no commands. docs/work.md has the \
format.

Example:
  goal plan procedures list \"Book me a train to Paris\""
)]
pub struct Procedure {
    #[command(subcommand)]
    act: Option<ProcedureAct>,
}

#[derive(Debug, clap::Subcommand)]
enum ProcedureAct {
    /// List the procedures; with a text, the most relevant first, with their scores
    List {
        /// A request, such as a goal's objective
        text: Option<String>,
        #[command(flatten)]
        columns: ColumnsArg<ProcedureView>,
    },
    /// Print one procedure
    Show {
        /// The name of its file without `.md`
        id: String,
    },
    /// Report errors in the files, with their places; exits 7 if there are any
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
        true => "No procedure can be used.\n".to_owned(),
        false => tabled(call, shown, &outcome.procedures),
    };
    let broken = outcome.broken.len();
    if broken > 0 {
        text += &format!(
            "Files that cannot be used: {broken}; `goal plan procedures check` says why.\n"
        );
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
            "Whether it is suggested for the text",
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
