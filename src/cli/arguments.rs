//! The command line as a whole: its commands, and where each is run.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args, FromArgMatches, Parser, Subcommand};

use crate::cli::globals::Globals;
use crate::cli::reply::Done;
use crate::cli::{aliases, command};
use crate::ops::call::Call;
use crate::ops::failure::Failure;

const EXIT_CODES: &str = "\
Exit codes:
  0  done                          6  completion not approved, or not yet judged
  1  a hook failed                 7  findings, or a difference
  2  the arguments make no sense  70  internal error
  3  not found, ambiguous,        74  input or output failed
     or no goal is focused        75  another process held the lock too long
  4  stale or conflicting        130  interrupted, or your answer was no
  5  refused by policy

Start with `goal tour`: it shows every step in a temporary directory.";

/// Keeps coding agents honest: an append-only ledger of goals, completed only past an auditor.
#[derive(Debug, Parser)]
#[command(name = "goal", version, after_help = EXIT_CODES, disable_help_subcommand = false)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the arguments. Defining what every command takes, and that each takes the options of
    /// every command, costs more than most commands do, so only the one that is called is defined,
    /// until something is wrong or help is asked for.
    pub fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        let alone = clap::Command::new("goal").version(env!("CARGO_PKG_VERSION"));
        let quick = Command::only(
            aliases::command(arguments).unwrap_or_default(),
            Globals::augment_args(alone),
        );
        match quick.try_get_matches_from(arguments) {
            Ok(matches) => match Cli::from_arg_matches(&matches) {
                Ok(cli) => Ok(cli),
                Err(_) => Cli::try_parse_from(arguments),
            },
            Err(version) if version.kind() == ErrorKind::DisplayVersion => Err(version),
            Err(_) => Cli::try_parse_from(arguments),
        }
    }

    /// Whether stdout gets one JSON document: a tool prints nothing else.
    pub fn prints_json(&self) -> bool {
        match &self.command {
            Command::Tool(_) => true,
            Command::Run(args) => self.globals.json || args.events,
            _ => self.globals.json,
        }
    }
}

macro_rules! commands {
    ($($(#[$attr:meta])* $variant:ident $name:literal $module:ident $(if $feature:literal)?;)*) => {
        /// The commands.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $(
                $(#[cfg(feature = $feature)])?
                $(#[$attr])*
                #[command(name = $name)]
                $variant(command::$module::Args),
            )*
        }

        impl Command {
            /// The same with one command only, if there is one of that name.
            fn only(called: &str, cli: clap::Command) -> clap::Command {
                match called {
                    $(
                        $(#[cfg(feature = $feature)])?
                        $name => cli.subcommand(
                            command::$module::Args::augment_args(clap::Command::new($name)),
                        ),
                    )*
                    _ => cli,
                }
            }

            /// The name that the envelope's schema carries.
            pub fn name(&self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)])? Command::$variant(_) => $name),*
                }
            }

            /// Runs the command.
            pub fn run(&self, call: Call, globals: &Globals) -> Result<Done, Failure> {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        Command::$variant(args) => command::$module::run(args, call, globals)
                    ),*
                }
            }
        }
    };
}

commands! {
    Init "init" init;
    Set "set" set;
    Draft "draft" draft;
    Propose "propose" propose;
    Drafts "drafts" drafts;
    Confirm "confirm" confirm;
    Reject "reject" reject;
    List "list" list;
    Show "show" show;
    Status "status" status;
    Log "log" log;
    Summary "summary" summary;
    Prompt "prompt" prompt;
    Focus "focus" focus;
    Unfocus "unfocus" unfocus;
    Adopt "adopt" adopt;
    Lease "lease" lease;
    Next "next" next;
    Stack "stack" stack;
    Task "task" task;
    Evidence "evidence" evidence;
    Import "import" import;
    Note "note" note;
    Plan "plan" plan;
    Procedure "procedure" procedure;
    Baseline "baseline" baseline;
    Evaluate "evaluate" evaluate;
    Escalate "escalate" escalate;
    Agenda "agenda" agenda;
    Review "review" review;
    Step "step" step;
    Check "check" check;
    Iterate "iterate" iterate;
    Questions "questions" questions;
    Ask "ask" ask;
    Answer "answer" answer;
    Interpret "interpret" interpret;
    Context "context" context;
    Run "run" run;
    Pause "pause" pause;
    Resume "resume" resume;
    Block "block" block;
    Tweak "tweak" tweak;
    Delegate "delegate" delegate;
    Commitments "commitments" commitments;
    Usage "usage" usage;
    Budget "budget" budget;
    Complete "complete" complete;
    Audits "audits" audits;
    Abort "abort" abort;
    Fail "fail" fail;
    Abandon "abandon" abandon;
    Doctor "doctor" doctor;
    Settle "settle" settle;
    Verify "verify" verify;
    Repair "repair" repair;
    Config "config" config;
    Trust "trust" trust;
    Auditor "auditor" auditor;
    Schema "schema" schema;
    Tool "tool" tool;
    Mcp "mcp" mcp if "mcp";
    Hook "hook" hook;
    Tour "tour" tour;
    #[command(hide = true)]
    Supervise "__supervise" supervise;
    #[command(hide = true)]
    Guard "__guard" guard;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_the_short_way_is_what_the_whole_definition_reads() {
        for line in [
            "goal list",
            "goal --json list --all --root /p",
            "goal note --goal g --key k text",
            "goal task add --under 1 one two --session s",
            "goal lease",
            "goal --lock-timeout 0.5 set an objective",
            "goal tool get_goal --data {}",
            "goal --color never status",
            "goal hook stop",
            "goal --goal list --session=list status",
            "goal --goal=list next --json",
            "goal note -- --goal",
            "goal __guard 1 -- true",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let (short, whole) = (Cli::read(&words), Cli::try_parse_from(&words));
            match (short, whole) {
                (Ok(short), Ok(whole)) => {
                    assert_eq!(format!("{short:?}"), format!("{whole:?}"), "{line}");
                }
                (short, whole) => assert_eq!(
                    short.map_err(|it| it.to_string()).err(),
                    whole.map_err(|it| it.to_string()).err(),
                    "{line}"
                ),
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_as_the_whole_definition_says_it() {
        for line in [
            "goal",
            "goal help",
            "goal help task",
            "goal --version",
            "goal -V",
            "goal --json --version",
            "goal --nothing --version",
            "goal list --version",
            "goal help nothing",
            "goal -- list",
            "goal --goal",
            "goal lsit",
            "goal list --al",
            "goal task",
            "goal note --goal",
            "goal --nothing",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let said = |read: Result<Cli, clap::Error>| read.err().map(|it| it.to_string());
            let whole = said(Cli::try_parse_from(&words));
            assert!(whole.is_some(), "{line}");
            assert_eq!(said(Cli::read(&words)), whole, "{line}");
        }
    }
}
