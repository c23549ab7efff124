//! `goal import`: a plan file becomes tasks, or goals.

use camino::Utf8PathBuf;
use clap::ValueEnum;

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::command::task;
use crate::cli::input::file_or_stdin;
use crate::ops::import::{Imported, as_goals, as_tasks};
use crate::render::text::{count, one_line, short};

/// Read a plan file: add its items to the goal's tasks, or make each a goal
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Items with a checkbox and numbered items are read, with headings above them as groups; where there \
are none, plain bullets, and without any list, the headings. An item with `[x]` is done: it becomes \
a task that is done, and no goal.

A plan that is imported again adds only what is new: an item is left out where a task has its title, \
or where a goal ever had its objective.

`goal task set FILE` replaces the tasks instead, and keeps those under the same titles.")]
pub struct Args {
    /// A Markdown file; `-` reads it from stdin
    file: Utf8PathBuf,
    /// What its items become; goals are yours to create, not an agent's
    #[arg(long = "as", value_enum, default_value = "tasks", value_name = "WHAT")]
    into: Into,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Into {
    /// Tasks of the goal
    Tasks,
    /// A goal for each top-level item, with what is below it as its tasks
    Goals,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let text = file_or_stdin(&args.file)?;
    let outcome = match args.into {
        Into::Tasks => as_tasks(&call, &text)?,
        Into::Goals => as_goals(&call, &text)?,
    };
    Reply::transacted(said(&outcome), outcome)
}

fn said(outcome: &Imported) -> String {
    let mut text = match &outcome.tasks {
        Some(tasked) => task::text(("Imported", None), tasked),
        None => {
            let head = say::head("Created", outcome.repeated);
            let goals = count(outcome.goals.len() as u64, "goal");
            let mut text = format!("{head} {goals}; `goal list` shows which one is focused.\n");
            for goal in &outcome.goals {
                let tasks = match goal.tasks {
                    0 => String::new(),
                    tasks => format!("  ({})", count(tasks as u64, "task")),
                };
                let objective = one_line(&goal.objective);
                text.push_str(&format!("  {}  {objective}{tasks}\n", goal.goal_id));
            }
            text
        }
    };
    if outcome.left_out > 0 {
        let items = count(outcome.left_out as u64, "item");
        text.push_str(&format!(
            "Left out: {items} of the plan, since only open tasks become goals.\n"
        ));
    }
    if !outcome.already_there.is_empty() {
        let items = count(outcome.already_there.len() as u64, "item");
        let titles: Vec<String> = outcome
            .already_there
            .iter()
            .map(|it| one_line(it))
            .collect();
        let titles = short(&titles.join("; "), 200);
        text.push_str(&format!("There already: {items} of the plan: {titles}\n"));
    }
    text
}
