//! `goal check`: runs checks and records what came of them.

use std::io::{self, IsTerminal};

use crate::cli::globals::Globals;
use crate::cli::print::complain;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::check::{CheckResult, Checked, check};
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::text::{clean, count, one_line};
use crate::roles::checks;

/// How many of a failed check's last lines are shown; the data has all that was kept.
const SHOWN: usize = 20;

/// Run checks side by side and record what came of them
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A check is a command of the configuration, `[checks.NAME]`. It passes with its \
exit status, and where asked for with a regular expression that its stdout or stderr matches. One \
without a command fails, naming itself. A failing check exits 7.

Without a goal, checks that are named run all the same and are recorded nowhere.

Examples:
  goal check
  goal check tests_pass lint_clean
  goal check --task 1.2"
)]
pub struct Args {
    /// Checks [default: the rules of the iteration under way, else the goal's checks]
    names: Vec<String>,
    /// The task that they are run for [default: the one to be done now]
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let checked = check(&call, &args.names, args.task.as_deref(), &progress(globals))?;
    let text = text(&checked);
    match checked.events.is_empty() {
        true => {
            let failure = checked.failure.clone();
            Reply::judged(&checked, text, failure)
        }
        false => Reply::transacted(checked, text),
    }
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

fn text(checked: &Outcome<Checked>) -> String {
    let mut text = match (checked.repeated, &checked.goal_id) {
        (true, _) => "Already recorded:\n".to_owned(),
        (false, Some(_)) => String::new(),
        (false, None) => "No goal is focused: nothing is recorded.\n".to_owned(),
    };
    for check in &checked.data.checks {
        text += &one(check);
    }
    let failed = checked
        .data
        .checks
        .iter()
        .filter(|check| !check.pass)
        .count();
    if failed == 0 {
        text += &format!(
            "{} passed.\n",
            count(checked.data.checks.len() as u64, "check")
        );
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
