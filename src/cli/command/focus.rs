//! `goal focus`: chooses what is worked on.

use std::io;
use std::sync::Arc;

use dialoguer::Select;
use dialoguer::console::Term;

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::command::lifecycle::name_goal;
use crate::cli::person::{can_be_asked, no_answer};
use crate::domain::actor::Actor;
use crate::domain::candidates::{Candidates, MOST_SHOWN};
use crate::domain::rejection::Rejection;
use crate::ops::lifecycle::focus;
use crate::ops::list::{Asked, Listed, list};
use crate::render::columns::unstyled;
use crate::render::list::rows;

/// Choose the goal to work on (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --session the focus is that session's only. Without a goal, on a terminal, it asks which one; \
elsewhere it lists the open goals and exits 2.")]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it [default: --goal]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "chosen by the user")]
    reason: String,
}

pub fn run(args: &Args, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    name_goal(&mut call, args.named.as_ref())?;
    // Anybody else is refused, and needs no list to be refused.
    if call.goal.is_none() && call.caller.actor == Actor::User {
        let listed = list(&call, &Asked::default())?;
        if listed.goals.is_empty() {
            return Err(Rejection::NoFocus {
                open: Candidates::default(),
            }
            .into());
        }
        if !can_be_asked(&call, globals) {
            return unchosen(&listed, &call);
        }
        call.goal = Some(pick(&listed, &call)?);
    }
    say::did("Focused", focus(&call, &args.reason)?)
}

/// The candidates, for whoever cannot be asked.
fn unchosen(listed: &Listed, call: &Call) -> Result<Done, Failure> {
    let failure = Failure::usage(
        "which goal? without a terminal it must be named",
        "run `goal focus GOAL` with one of these ids",
    );
    // The listing is for people: the data of `focus` is a receipt, and there is none.
    let first = &listed.goals[..listed.goals.len().min(MOST_SHOWN)];
    let mut text = rows(first, call.onlooker());
    let more = listed.goals.len() - first.len();
    if more > 0 {
        text.push_str(&format!("… and {more} more: `goal list` shows them\n"));
    }
    Reply::judged(text, &(), Some(failure))
}

fn pick(listed: &Listed, call: &Call) -> Result<String, Failure> {
    let lines = rows(&listed.goals, call.onlooker());
    // The codes of colours would be counted as columns.
    let lines = unstyled(&lines);
    let items: Vec<&str> = lines.lines().collect();
    let focused = listed.goals.iter().position(|goal| goal.focused);
    // Ctrl-C must leave by the way below: the list hides the cursor while it is shown.
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default())?;
    let chosen = Select::new()
        .with_prompt("Work on which goal? Arrows and enter choose, escape changes nothing")
        .items(&items)
        .default(focused.unwrap_or(0))
        .interact_opt();
    let goal = match chosen.map_err(io::Error::from) {
        Ok(chosen) => chosen.and_then(|at| listed.goals.get(at)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            Term::stderr().show_cursor()?;
            None
        }
        Err(error) => return Err(error.into()),
    };
    let goal = goal.ok_or_else(|| no_answer("no goal was chosen; nothing changed", ""))?;
    Ok(goal.goal_id.to_string())
}
