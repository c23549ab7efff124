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

/// Score the goal, iterate, or ask for a review or a new plan
#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/runs.md has every rule.

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
    /// The command whose output it prints.
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

/// Record the state before the work
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--command names a check of the configuration: its output becomes the baseline, \
whatever its exit status is. `[baseline] check = \"NAME\"` does this for every new goal, right \
after it is created; this check is also the default if there is no argument.

Examples:
  goal progress baseline '3 of 12 tests pass; no Windows build'
  goal progress baseline --command tests"
)]
pub struct Baseline {
    /// The state, in words; `-` reads it from stdin
    text: Option<String>,
    /// A check whose output is the state
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

/// Record a score of the goal, or ask the evaluator for one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a score the evaluator is asked: `[evaluator]` in the configuration, an \
external command that reads JSON on stdin and answers with JSON (`goal schema \
evaluator-progress-input`, `evaluator-progress-reply`).

A score only leads to suggestions; it completes nothing. From 0.95 on, completion is suggested. If \
the last three scores differ by less than 0.05, an escalation is suggested. If escalations did not \
raise the score, a harder tier, one more escalation or abandoning the goal is suggested. Only the \
user can abandon it, unless the configuration has `[progress] abandon = \"auto\"`.

Examples:
  goal progress evaluate
  goal progress evaluate --score 0.4 --gap '2 of 5 tests pass; next: the parser'"
)]
pub struct Evaluate {
    /// From 0 (no criterion is met) to 1 (all are met) [default: the evaluator is asked]
    #[arg(long, value_name = "S", requires = "gap", allow_hyphen_values = true)]
    score: Option<f64>,
    /// What is met, what is not, and the next concrete step; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", requires = "score")]
    gap: Option<String>,
    /// The current plan will not reach the goal: a new plan is needed
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

/// Keep a flat list of next steps, which the prompts show
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agenda lists what the agent tries next. Unlike tasks, it does not prevent \
completion, and no auditor judges it. The planner reads it.

Examples:
  goal progress agenda set steps.json
  goal progress agenda done 2"
)]
pub struct Agenda {
    #[command(subcommand)]
    act: AgendaAct,
}

#[derive(Debug, clap::Subcommand)]
enum AgendaAct {
    /// Replace the steps; an empty list removes all
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
