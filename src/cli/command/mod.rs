//! One file a command: its arguments, whose comments are the manual, and how its outcome reads.
//! The table below has a row for each.

mod contract;
mod contract_json;
mod say;

pub mod abandon;
pub mod abort;
pub mod adopt;
pub mod agenda;
pub mod answer;
pub mod ask;
pub mod auditor;
pub mod audits;
pub mod baseline;
pub mod block;
pub mod budget;
pub mod check;
pub mod commitments;
pub mod complete;
pub mod config;
pub mod confirm;
pub mod context;
pub mod delegate;
pub mod doctor;
pub mod draft;
pub mod drafts;
pub mod escalate;
pub mod evaluate;
pub mod evidence;
pub mod fail;
pub mod focus;
pub mod guard;
pub mod hook;
pub mod import;
pub mod init;
pub mod interpret;
pub mod iterate;
pub mod lease;
pub mod list;
pub mod log;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod next;
pub mod note;
pub mod pause;
pub mod plan;
pub mod procedure;
pub mod prompt;
pub mod propose;
pub mod questions;
pub mod reject;
pub mod repair;
pub mod resume;
pub mod review;
pub mod run;
pub mod schema;
pub mod set;
pub mod settle;
pub mod show;
pub mod stack;
pub mod status;
pub mod step;
pub mod summary;
pub mod supervise;
pub mod task;
pub mod tool;
pub mod tour;
pub mod trust;
pub mod tweak;
pub mod unfocus;
pub mod usage;
pub mod verify;

use clap::{Args as _, Subcommand};

use crate::api::schema::{Row, data, events, fixed};
use crate::api::tools::ToolList;
use crate::cli::globals::Globals;
use crate::cli::reply::Done;
use crate::ops;
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::failure::Failure;
use crate::ops::transacted::{Outcome, Transacted};
use crate::render::view::NextView;

/// A command is called as its module, or as the row says.
macro_rules! name {
    ($module:ident) => {
        stringify!($module)
    };
    ($module:ident $name:literal) => {
        $name
    };
}

macro_rules! commands {
    ($(
        $(#[$attr:meta])*
        $module:ident $(as $name:literal)? $(if $feature:literal)? $($place:literal $schema:expr)?;
    )*) => {
        /// The commands, in the order of the help.
        #[derive(Debug, Subcommand)]
        #[expect(non_camel_case_types, reason = "a variant is called as the command's module")]
        pub enum Command {
            $(
                $(#[cfg(feature = $feature)])?
                $(#[$attr])*
                #[command(name = name!($module $($name)?))]
                $module($module::Args),
            )*
        }

        impl Command {
            /// The same with one command only, if there is one of that name.
            pub fn only(called: &str, cli: clap::Command) -> clap::Command {
                match called {
                    $(
                        $(#[cfg(feature = $feature)])?
                        name!($module $($name)?) => cli.subcommand($module::Args::augment_args(
                            clap::Command::new(name!($module $($name)?)),
                        )),
                    )*
                    _ => cli,
                }
            }

            /// The name that the envelope's schema carries.
            pub fn name(&self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)])? Command::$module(_) => name!($module $($name)?)),*
                }
            }

            /// Runs the command.
            pub fn run(&self, call: Call, globals: &Globals) -> Result<Done, Failure> {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        Command::$module(args) => $module::run(args, call, globals)
                    ),*
                }
            }
        }

        /// The schema of each command's `data`.
        pub const SCHEMAS: &[Row] = &[$($(($place, stringify!($module), $schema),)?)*];
    };
}

// The module; the name where it is another; then the place of its schema among all schemas, which a
// new one takes behind the last, and what makes it. Commands without one print no `data`.
commands! {
    init 9 data::<ops::init::Initialised>;
    set 10 data::<Transacted>;
    draft 19 data::<Transacted>;
    propose 20 data::<Outcome<Contracted>>;
    drafts 21 data::<ops::drafts::DraftList>;
    confirm 22 data::<Outcome<Contracted>>;
    reject 23 data::<Transacted>;
    list 11 data::<ops::list::Listed>;
    show 12 data::<ops::show::Shown>;
    status 13 data::<ops::status::Overview>;
    log 14 events::logged;
    summary 67 data::<ops::summary::Summarised>;
    prompt 70 data::<ops::prompt::Prompted>;
    focus 15 data::<Transacted>;
    unfocus 16 data::<Transacted>;
    adopt 17 data::<Transacted>;
    lease 18 data::<ops::lease::Leased>;
    next 41 data::<NextView>;
    stack 42 data::<ops::tasks::Stack>;
    task 43 data::<Outcome<ops::tasks::Tasked>>;
    evidence 44 data::<Outcome<ops::tasks::Tasked>>;
    import 45 data::<ops::import::Imported>;
    note 34 data::<Transacted>;
    plan 35 data::<Outcome<ops::plan::Planned>>;
    procedure 36 data::<ops::procedure::Procedures>;
    baseline 37 data::<Outcome<ops::baseline::Baselined>>;
    evaluate 38 data::<Outcome<ops::evaluate::Evaluated>>;
    escalate 39 data::<Outcome<ops::plan::Planned>>;
    agenda 40 data::<Outcome<ops::agenda::Agenda>>;
    review 46 data::<Outcome<ops::review::Reviewed>>;
    step 47 data::<ops::step::Stepped>;
    check 48 data::<Outcome<ops::check::Checked>>;
    iterate 49 data::<ops::iterate::Iterated>;
    questions 50 data::<ops::questions::OpenQuestions>;
    ask 51 data::<Transacted>;
    answer 52 data::<Transacted>;
    interpret 53 data::<Outcome<ops::interpret::Interpreted>>;
    context 54 data::<Outcome<ops::context::Summarized>>;
    run 25 data::<ops::run::Runs>;
    pause 31 data::<Transacted>;
    resume 32 data::<Transacted>;
    block 33 data::<Transacted>;
    tweak 24 data::<Outcome<Contracted>>;
    delegate 26 data::<Outcome<Contracted>>;
    commitments 28 data::<ops::delegate::Commitments>;
    usage 29 data::<Outcome<ops::usage::Used>>;
    budget 30 data::<Outcome<ops::budget::Budgeted>>;
    complete 66 data::<complete::Answered>;
    audits 27 data::<ops::audits::Audits>;
    abort 63 data::<Transacted>;
    fail 64 data::<Transacted>;
    abandon 65 data::<Transacted>;
    doctor 72 data::<ops::doctor::Diagnosis>;
    settle 73 data::<ops::settle::Settled>;
    verify 74 data::<ops::verify::Verified>;
    repair 75 data::<ops::repair::Repaired>;
    config 78 data::<ops::config::Settings>;
    trust 76 data::<ops::trust::Trusted>;
    auditor 77 data::<ops::auditor_test::Tested>;
    schema 79 fixed::schemas;
    tool 68 data::<ToolList>;
    mcp if "mcp";
    hook 71 fixed::hook;
    tour 69 data::<ops::tour::Toured>;
    #[command(hide = true)]
    supervise as "__supervise";
    #[command(hide = true)]
    guard as "__guard";
}
