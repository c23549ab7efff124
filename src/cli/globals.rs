//! The options that every command takes, and the call they make.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::print;
use crate::domain::actor::Caller;
use crate::domain::id::EventId;
use crate::ops::call::{Call, host_id};
use crate::ops::failure::Failure;
use crate::workspace::actor::Surface;
use crate::workspace::{Environment, Workspace};

/// A session continues at most so many others.
const MOST_CONTINUED: usize = 16;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Globals {
    /// Run as if started in this directory
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<String>,
    /// The project's root [default: GOAL_ROOT, the nearest directory with .pi/goals, git's top]
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<String>,
    /// The goal to act on: its id, a beginning or end of it, or words of its title [default: the focused goal]
    #[arg(long, global = true, value_name = "GOAL")]
    pub goal: Option<String>,
    /// Print exactly one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// The host's session id: focus and turns belong to it [default: GOAL_SESSION]
    #[arg(long, global = true, value_name = "ID")]
    pub session: Option<String>,
    /// A session that this one continues, such as the one it was forked from: this session has its
    /// drafts and goals too. May be repeated, the nearest first
    #[arg(long, global = true, value_name = "ID")]
    pub continues: Vec<String>,
    /// The host's turn id: after a turn has ended, its agent can change nothing [default: GOAL_TURN]
    #[arg(long, global = true, value_name = "ID")]
    pub turn: Option<String>,
    /// Idempotency key: the same request with the same key returns the first result
    #[arg(long, global = true, value_name = "KEY")]
    pub key: Option<String>,
    /// Refuse unless the goal (for `confirm` the draft, for `settle` the list) still has this
    /// revision
    #[arg(long, global = true, value_name = "REV")]
    pub expect: Option<EventId>,
    /// Refuse if the command would act on another goal
    #[arg(long, global = true, value_name = "GOAL")]
    pub expect_goal: Option<String>,
    /// Print no confirmations, only results that were asked for, and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print project and actor on stderr, and the code of an error
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Replay the whole ledger and do not use the saved state [env: GOAL_NO_CACHE=1]
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// The same as `--color never`
    #[arg(long, global = true, conflicts_with = "color")]
    pub no_color: bool,
    /// Print long texts at once, and never through a pager [env: GOAL_PAGER=cat]
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// How many seconds to wait while another process writes
    #[arg(long, global = true, value_name = "S", default_value = "5", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    pub lock_timeout: Duration,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Seconds as an option's value: a number from 0 on, fractions allowed.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "give a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "give a number of seconds from 0 on".into())
}

/// A deadline as an option's value: with none at all nothing could ever answer in time.
pub fn deadline(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        Duration::ZERO => Err("give a number of seconds above 0".into()),
        deadline => Ok(deadline),
    }
}

impl Globals {
    /// When to colour, by the option or its short form.
    pub fn color(&self) -> Color {
        match self.no_color {
            true => Color::Never,
            false => self.color,
        }
    }

    /// Goes to the directory that was asked for. Everything after it sees only that one.
    ///
    /// # Errors
    /// There is no such directory.
    pub fn go_there(&self) -> Result<(), Failure> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        std::env::set_current_dir(directory).map_err(|error| {
            let message = format!("cannot go to {directory}: {error}");
            Failure::usage(message, "name a directory behind -C")
        })
    }
}

impl Color {
    /// Makes it the choice of everything that this process prints.
    pub fn apply(self) {
        match self {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// An id that an option gives, else the environment.
fn said(
    option: &str,
    given: Option<&String>,
    variable: &str,
    found: &Option<String>,
) -> Result<Option<String>, Failure> {
    match given {
        Some(id) => host_id(option, Some(id)),
        None => host_id(variable, found.as_deref()),
    }
}

/// The sessions that this one continues.
fn continued(named: &[String], session: Option<&str>) -> Result<Vec<String>, Failure> {
    let refuse = |message: &str, hint: &str| Err(Failure::usage(message, hint));
    if !named.is_empty() && session.is_none() {
        let message = "--continues needs the id of this session too";
        return refuse(message, "name this session with --session or GOAL_SESSION");
    }
    if named.len() > MOST_CONTINUED {
        let message = format!("--continues names more than {MOST_CONTINUED} sessions");
        return refuse(&message, "name the nearest ones");
    }
    for id in named {
        host_id("--continues", Some(id))?;
    }
    Ok(named.to_vec())
}

/// The call that these options make in this process.
pub fn call(globals: &Globals) -> Result<Call, Failure> {
    let mut environment = Environment::from_process()?;
    environment.may_cache &= !globals.no_cache;
    let own = |_: &&String| !environment.is_of_run();
    let mut caller = Caller {
        actor: environment.actor(Surface::CommandLine)?,
        session: said(
            "--session",
            globals.session.as_ref().filter(own),
            "GOAL_SESSION",
            &environment.session,
        )?,
        continues: Vec::new(),
        turn: said(
            "--turn",
            globals.turn.as_ref().filter(own),
            "GOAL_TURN",
            &environment.turn,
        )?,
        via: environment.marks.via(),
    };
    if !environment.is_of_run() {
        caller.continues = continued(&globals.continues, caller.session.as_deref())?;
    }
    let workspace = Workspace::open(globals.root.as_deref(), environment)?;
    caller.actor = workspace.actor(Surface::CommandLine)?;
    Ok(Call {
        workspace,
        caller,
        goal: globals.goal.clone(),
        expect: globals.expect,
        expect_goal: globals.expect_goal.clone(),
        key: host_id("--key", globals.key.as_deref())?,
        lock_timeout: globals.lock_timeout,
        status_line: print::status_line(!globals.json && !globals.quiet),
    })
}
