//! How far a goal is: where it began, what was scored, and what is tried next.

use camino::Utf8PathBuf;

use super::asking::{Review, review};
use super::checks::{Iterate, iterate};
use super::plans::{Escalate, escalate};
use super::{Call, Done, Failure, Globals, Reply, say, text_or_stdin};
use crate::cli::input::file_or_stdin;
use crate::ops;
use crate::ops::agenda::{done, read, set};
use crate::ops::baseline::BaselineFrom;
use crate::ops::evaluate::{Evaluated, GivenScore};
use crate::ops::transacted::Outcome;
use crate::render::progress::{agenda as lines, facts};
use crate::render::text::{clean, one_line, quote};

/// Score the goal, iterate, ask for a review or for a new plan
#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/progress.md and docs/iterations.md have every rule.

Examples:
  goal progress evaluate --score 0.4 --gap '2 of 5 tests pass; next: the parser'
  goal progress iterate stats
  goal progress review --role risk")]
pub struct Progress {
    #[command(subcommand)]
    below: Below,
}

#[derive(Debug, clap::Subcommand)]
enum Below {
    Evaluate(Evaluate),
    Baseline(Baseline),
    Agenda(Agenda),
    Iterate(Iterate),
    Escalate(Escalate),
    Review(Review),
}

impl Progress {
    /// The command whose answer it gives.
    pub fn stands_for(&self) -> &'static str {
        match self.below {
            Below::Evaluate(_) => "evaluate",
            Below::Baseline(_) => "baseline",
            Below::Agenda(_) => "agenda",
            Below::Iterate(_) => "iterate",
            Below::Escalate(_) => "escalate",
            Below::Review(_) => "review",
        }
    }
}

pub fn progress(args: &Progress, call: Call, globals: &Globals) -> Result<Done, Failure> {
    match &args.below {
        Below::Evaluate(args) => evaluate(args, call, globals),
        Below::Baseline(args) => baseline(args, call, globals),
        Below::Agenda(args) => agenda(args, call, globals),
        Below::Iterate(args) => iterate(args, call, globals),
        Below::Escalate(args) => escalate(args, call, globals),
        Below::Review(args) => review(args, call, globals),
    }
}

/// Say how things stood before the work
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A command is a check of the configuration, by its name; however it exits, its \
output is the baseline. `[baseline] check = \"NAME\"` takes it for every new goal, right after it is \
created, and is what is taken without an argument.

Examples:
  goal baseline '3 of 12 tests pass; no Windows build'
  goal baseline --command tests"
)]
pub struct Baseline {
    /// How things stand; `-` reads it from stdin
    text: Option<String>,
    /// A check whose output says it
    #[arg(long, value_name = "NAME", conflicts_with = "text")]
    command: Option<String>,
}

pub fn baseline(args: &Baseline, call: Call, _: &Globals) -> Result<Done, Failure> {
    let from = match (&args.text, &args.command) {
        (Some(text), _) => BaselineFrom::Text(text_or_stdin(text)?),
        (None, Some(name)) => BaselineFrom::Check(name.clone()),
        (None, None) => BaselineFrom::Configured,
    };
    let outcome = ops::baseline::baseline(&call, &from)?;
    let goal = say::id(&outcome);
    let of = outcome.data.command.as_deref();
    let of = of.map_or_else(String::new, |name| {
        format!(", from check {}", one_line(name))
    });
    let head = say::head("The baseline", outcome.repeated);
    let text = format!(
        "{head} of goal {}{of}:\n\n{}\n",
        goal,
        quote(clean(&outcome.data.text).trim())
    );
    Reply::transacted(text, outcome)
}

/// Record how far the goal is, or ask the evaluator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a score the evaluator is asked: `[evaluator]` in the configuration, an \
external command that reads JSON on stdin and answers with JSON (`goal schema \
evaluator-progress-input`, `evaluator-progress-reply`).

A score suggests and completes nothing: from 0.95 on, completion; where the last three differ by \
less than 0.05, an escalation; where escalations brought nothing, a harder tier, one more, or giving \
the goal up, which is yours unless the configuration says `[progress] abandon = \"auto\"`.

Examples:
  goal evaluate
  goal evaluate --score 0.4 --gap '2 of 5 tests pass; next: the parser'"
)]
pub struct Evaluate {
    /// From 0 (nothing of it) to 1 (every criterion holds) [default: the evaluator is asked]
    #[arg(long, value_name = "S", requires = "gap", allow_hyphen_values = true)]
    score: Option<f64>,
    /// What is met, what is not, and the next concrete step; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", requires = "score")]
    gap: Option<String>,
    /// Going on as before will not get there: a new plan is needed
    #[arg(long, requires = "score")]
    escalate: bool,
}

pub fn evaluate(args: &Evaluate, call: Call, _: &Globals) -> Result<Done, Failure> {
    let given = match (args.score, &args.gap) {
        (Some(score), Some(gap)) => Some(GivenScore {
            score,
            gap: text_or_stdin(gap)?,
            escalate: args.escalate,
        }),
        _ => None,
    };
    let outcome = ops::evaluate::evaluate(&call, given.as_ref())?;
    Reply::transacted(evaluated(&outcome), outcome)
}

fn evaluated(outcome: &Outcome<Evaluated>) -> String {
    let goal = say::id(outcome);
    let head = say::head("Evaluated", outcome.repeated);
    let score = outcome.data.score.map(|score| score.to_string());
    let by = match outcome.data.by_evaluator {
        true => " by the evaluator",
        false => "",
    };
    let gap = clean(&outcome.data.gap_analysis);
    let mut text = format!(
        "{head} goal {}{by}: {} of 1.\n\n{}\n",
        goal,
        score.unwrap_or_default(),
        quote(gap.trim())
    );
    if let Some(tier) = outcome.data.upgraded_to {
        text += &format!("\nIt turned out {}.\n", tier.name());
    }
    if outcome.data.runway_granted {
        text.push_str("\nOne more escalation is granted.\n");
    }
    if outcome.data.abandoned {
        text.push_str("\nThe goal is given up, as the configuration says.\n");
        return text;
    }
    if let Some(progress) = &outcome.data.progress {
        text += &format!("\n{}\n", facts(progress).join("\n"));
    }
    text
}

/// Keep a flat list of the next steps, which prompts show
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agenda says what is tried next; unlike tasks it holds nothing up, and nobody \
judges it. A planner that is asked for a plan reads it.

Examples:
  goal agenda set steps.json
  goal agenda done 2"
)]
pub struct Agenda {
    #[command(subcommand)]
    act: AgendaAct,
}

#[derive(Debug, clap::Subcommand)]
enum AgendaAct {
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
        #[arg(value_name = "N", allow_negative_numbers = true)]
        step: usize,
    },
}

pub fn agenda(args: &Agenda, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        AgendaAct::Set { file: path } => set(&call, read(&file_or_stdin(path)?)?)?,
        AgendaAct::Done { step } => done(&call, *step)?,
    };
    let goal = say::id(&outcome);
    let head = say::head("The agenda", outcome.repeated);
    let steps = match outcome.data.steps.is_empty() {
        true => "  (empty)\n".to_owned(),
        false => lines(&outcome.data.steps)
            .iter()
            .map(|line| format!("  {line}\n"))
            .collect(),
    };
    Reply::transacted(format!("{head} of goal {}:\n{steps}", goal), outcome)
}
