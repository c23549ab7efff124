//! Checks, and iterations that go on until checks pass.

use std::io::{self, IsTerminal};

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::input::bytes;
use crate::cli::print::complain;
use crate::ops;
use crate::ops::check::{CheckResult, Checked};
use crate::ops::iterate::{
    Complete, Iterated, Next, Start, complete, next, start, stats, validate,
};
use crate::ops::transacted::Outcome;
use crate::render::iteration;
use crate::render::text::{clean, count, one_line};
use crate::roles::checks;

/// How many of a failed check's last lines are shown; the data has all that was kept.
const SHOWN: usize = 20;

/// Run checks in parallel and record their results
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A check is a command of the configuration, `[checks.NAME]`. It passes when its \
exit status is right and, if the configuration has a regular expression, when its stdout or stderr \
matches it. A check that has no command fails. If a check fails, the exit code is 7.

If there is no goal, named checks run, but nothing is recorded.

Examples:
  goal check
  goal check tests_pass lint_clean
  goal check --task 1.2"
)]
pub struct Check {
    /// Names of checks [default: the rules of the current iteration, else the goal's checks]
    names: Vec<String>,
    /// The task that they are run for [default: the current task]
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

pub fn check(args: &Check, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let checked = ops::check::check(&call, &args.names, args.task.as_deref(), &progress(globals))?;
    let recorded = !checked.events.is_empty();
    Reply::maybe_transacted(checked_text(&checked), checked, recorded)
}

/// Says at a terminal which check has ended, while others run.
pub(super) fn progress(globals: &Globals) -> impl Fn(&checks::Outcome) + Sync + use<> {
    let shown = io::stderr().is_terminal() && !globals.json;
    move |outcome| {
        if shown {
            let seconds = outcome.duration.as_secs_f64();
            complain(&format!(
                "  … {} ended, {seconds:.1} s",
                one_line(&outcome.name)
            ));
        }
    }
}

fn checked_text(checked: &Outcome<Checked>) -> String {
    let mut text = match (checked.repeated, &checked.goal_id) {
        (true, _) => "Already recorded:\n".to_owned(),
        (false, Some(_)) => String::new(),
        (false, None) => "No goal is focused: nothing is recorded.\n".to_owned(),
    };
    let checks = &checked.data.checks;
    text.extend(checks.iter().map(one));
    if checks.iter().all(|check| check.pass) {
        text += &format!("{} passed.\n", count(checks.len() as u64, "check"));
    }
    text
}

fn one(check: &CheckResult) -> String {
    let (name, message) = (one_line(&check.name), one_line(&check.message));
    if check.pass {
        return format!("passed  {name}\n");
    }
    let output = clean(&check.output);
    let lines: Vec<&str> = output.lines().skip(1).collect();
    let last = lines.len().saturating_sub(SHOWN);
    let shown = lines[last..].iter().map(|line| format!("    {line}\n"));
    format!("failed  {name}: {message}\n{}", shown.collect::<String>())
}

/// Repeat work until its checks pass
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A validation runs the rules and reads promises. The first row that applies is the result:

  there are rules, and all pass             COMPLETE, whatever is promised
  a promise says that the work is blocked   BLOCKED
  no rules, and a promise says complete     COMPLETE
  the maximum of iterations is reached      the loop ends
  otherwise                                 another iteration follows

BLOCKED and the maximum end the loop and block its task; if it has no task, they block the goal.

Example:
  goal progress iterate start --task 1 --rule tests_pass --rule lint_clean
  goal progress iterate validate --output transcript.txt
  goal progress iterate next --learned 'the cache has to be emptied first'
  goal progress iterate complete --outcome success --summary 'the cache is gone'")]
pub struct Iterate {
    #[command(subcommand)]
    act: IterateAct,
}

#[derive(Debug, clap::Subcommand)]
enum IterateAct {
    /// Start an iteration loop
    Start(Start),
    /// Read promises, run the rules, and judge
    Validate {
        /// The iteration [default: the only open one]
        #[arg(long, value_name = "ID")]
        iteration: Option<String>,
        /// The agent's output. A promise counts if it is alone on a line, outside code fences,
        /// quotations and HTML comments; `-` reads it from stdin
        #[arg(long, value_name = "FILE")]
        output: Option<String>,
    },
    /// Start the next iteration
    Next(Next),
    /// End the loop
    Complete(Complete),
    /// Show statistics of iterations: in total, by rule, by agent and by goal
    Stats,
}

pub fn iterate(args: &Iterate, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        IterateAct::Start(asked) => start(&call, asked)?,
        IterateAct::Validate { iteration, output } => {
            let output = output.as_deref().map(bytes).transpose()?;
            let done = progress(globals);
            validate(&call, iteration.as_deref(), output.as_deref(), &done)?
        }
        IterateAct::Next(asked) => next(&call, asked)?,
        IterateAct::Complete(asked) => complete(&call, asked)?,
        IterateAct::Stats => stats(&call)?,
    };
    let text = match &outcome.stats {
        Some(stats) => iteration::stats(stats),
        None => outcome.text(),
    };
    let recorded = !outcome.events.is_empty();
    let failed = rules_failed(&outcome);
    Ok(match Reply::maybe_transacted(text, outcome, recorded)? {
        Done::Reply(reply) => Done::Reply(Reply {
            failure: reply.failure.clone().or(failed),
            ..reply
        }),
        printed => printed,
    })
}

/// As `goal check` fails: for scripts, which look at the exit code.
fn rules_failed(outcome: &Iterated) -> Option<Failure> {
    let results = outcome.validation_results.as_ref()?;
    let failed = results.iter().filter(|(_, result)| !result.pass);
    let failed: Vec<String> = failed.map(|(rule, _)| one_line(rule)).collect();
    (!failed.is_empty()).then(|| {
        Failure::new(
            "check_failed",
            format!(
                "{} of {} rules failed: {}",
                failed.len(),
                results.len(),
                failed.join(", ")
            ),
            "fix what they show, then validate again",
        )
    })
}
