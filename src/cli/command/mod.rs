//! Commands: their arguments, whose comments are the manual, and how their outcomes read. The table
//! below has a row for each; commands on one subject share a file.

mod contract;
mod one_copy;
mod say;

pub mod asking;
pub mod checks;
pub mod complete;
pub mod completions;
pub mod contracts;
pub mod cost;
pub mod drafts;
pub mod evidence;
pub mod goals;
pub mod health;
pub mod hidden;
pub mod hook;
pub mod inbox;
pub mod lease;
pub mod lifecycle;
pub mod list;
pub mod log;
pub mod mcp;
pub mod plans;
pub mod progress;
pub mod prompts;
pub mod questions;
pub mod report;
pub mod run;
pub mod runs;
pub mod schema;
pub mod settle;
pub mod setup;
pub mod store;
pub mod sync;
pub mod task;
pub mod tool;
pub mod trust;
pub mod watch;

use clap::{Args as _, Subcommand};

use crate::api::schema::{Row, data, events, fixed};
use crate::api::tools::ToolList;
use crate::ops;
use crate::ops::contracted::Contracted;
use crate::ops::transacted::{Outcome, Transacted};
use crate::render::view::NextView;

// What commands are made of: their files take it from here.
use crate::cli::globals::{Globals, deadline, seconds};
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::roles::command::CommandOptions;

/// A command that takes no arguments of its own.
#[derive(Debug, clap::Args)]
pub struct Nothing {}

/// A command is called as its row, or as the row says.
macro_rules! name {
    ($command:ident) => {
        stringify!($command)
    };
    ($command:ident $name:literal) => {
        $name
    };
}

macro_rules! commands {
    ($(
        $(#[$attr:meta])*
        $command:ident $(as $name:literal)? : $args:ty => $run:path
            $(, $place:literal $schema:expr)?;
    )*) => {
        /// The commands, in the order of the help.
        #[derive(Debug, Subcommand)]
        #[expect(non_camel_case_types, reason = "a variant is called as its command")]
        pub enum Command {
            $(
                $(#[$attr])*
                #[command(name = name!($command $($name)?))]
                $command($args),
            )*
        }

        impl Command {
            /// The same with one command only, if there is one of that name.
            pub fn only(called: &str, cli: clap::Command) -> clap::Command {
                match called {
                    $(
                        name!($command $($name)?) => cli.subcommand(<$args>::augment_args(
                            clap::Command::new(name!($command $($name)?)),
                        )),
                    )*
                    _ => cli,
                }
            }

            /// What it is called.
            fn called(&self) -> &'static str {
                match self {
                    $(Command::$command(_) => name!($command $($name)?)),*
                }
            }

            /// Runs the command.
            pub fn run(&self, call: Call, globals: &Globals) -> Result<Done, Failure> {
                match self {
                    $(
                        Command::$command(args) => $run(args, call, globals)
                    ),*
                }
            }
        }

        /// The schema of each command's `data`.
        pub const SCHEMAS: &[Row] = &[$($(($place, stringify!($command), $schema),)?)*];
    };
}

impl Command {
    /// The name that the envelope's schema carries: that of the command which has the data, where
    /// several spellings stand for one.
    pub fn name(&self) -> &'static str {
        let other = match self {
            Command::set(args) if args.dry_run => Some("dry-run"),
            Command::import(args) if args.dry_run => Some("dry-run"),
            Command::list(args) if args.store => Some("store"),
            Command::draft(args) if args.list => Some("drafts"),
            Command::focus(args) if args.none => Some("unfocus"),
            Command::doctor(args) if args.repair => Some("repair"),
            Command::plan(args) if args.below.is_some() => Some("procedure"),
            Command::abort(args) => args.stands_for(),
            Command::task(args) => args.stands_for(),
            Command::progress(args) => Some(args.stands_for()),
            _ => None,
        };
        other.unwrap_or_else(|| self.called())
    }
}

// The command; the name where it is another; its arguments and what runs it; then the place of its
// schema among all schemas, which a new one takes behind the last, and what makes it. Commands
// without one print no `data`.
commands! {
    init: setup::Init => setup::init, 9 data::<ops::init::Initialised>;
    set: contracts::Set => contracts::set, 10 data::<Transacted>;
    draft: drafts::Draft => drafts::draft, 19 data::<Transacted>;
    propose: drafts::Propose => drafts::propose, 20 data::<Outcome<Contracted>>;
    drafts: drafts::Drafts => drafts::drafts, 21 data::<ops::drafts::DraftList>;
    confirm: drafts::Confirm => drafts::confirm, 22 data::<Outcome<Contracted>>;
    reject: drafts::Reject => drafts::reject, 23 data::<Transacted>;
    list: list::List => list::list, 11 data::<ops::list::Listed>;
    show: goals::Show => goals::show, 12 data::<ops::show::Shown>;
    status: goals::Status => goals::status, 13 data::<ops::status::Overview>;
    log: log::Args => log::run, 14 events::logged;
    summary: prompts::Summary => prompts::summary, 67 data::<ops::summary::Summarised>;
    prompt: prompts::Prompt => prompts::prompt, 70 data::<ops::prompt::Prompted>;
    focus: lifecycle::Focus => lifecycle::focus, 15 data::<Transacted>;
    unfocus: lifecycle::Unfocus => lifecycle::unfocus, 16 data::<Transacted>;
    adopt: lifecycle::Adopt => lifecycle::adopt, 17 data::<Transacted>;
    lease: lease::Args => lease::run, 18 data::<ops::lease::Leased>;
    /// Show the next task, and why it is next
    #[command(after_help = "Example:\n  goal next")]
    next: Nothing => task::next, 41 data::<NextView>;
    /// Show the open tasks as a stack, the current one first
    #[command(after_help = "A task stands above the task that it is part of.\n\nExample:\n  goal task stack")]
    stack: Nothing => task::stack, 42 data::<ops::tasks::Stack>;
    task: task::Task => task::task, 43 data::<Outcome<ops::tasks::Tasked>>;
    evidence: evidence::Args => evidence::run, 44 data::<Outcome<ops::tasks::Tasked>>;
    import: task::Import => task::import, 45 data::<ops::import::Imported>;
    /// Record a note about the goal
    #[command(after_help = "Example:\n  goal note 'the old README is in the wiki' --next 'copy its examples'")]
    note: ops::lifecycle::Note => lifecycle::note, 34 data::<Transacted>;
    plan: plans::Plan => plans::plan, 35 data::<Outcome<ops::plan::Planned>>;
    procedure: plans::Procedure => plans::procedure, 36 data::<ops::procedure::Procedures>;
    progress: progress::Progress => progress::progress;
    baseline: progress::Baseline => progress::baseline, 37 data::<Outcome<ops::baseline::Baselined>>;
    evaluate: progress::Evaluate => progress::evaluate, 38 data::<Outcome<ops::evaluate::Evaluated>>;
    escalate: plans::Escalate => plans::escalate, 39 data::<Outcome<ops::plan::Planned>>;
    agenda: progress::Agenda => progress::agenda, 40 data::<Outcome<ops::agenda::Agenda>>;
    review: asking::Review => asking::review, 46 data::<Outcome<ops::review::Reviewed>>;
    step: questions::Step => questions::step, 47 data::<ops::step::Stepped>;
    check: checks::Check => checks::check, 48 data::<Outcome<ops::check::Checked>>;
    iterate: checks::Iterate => checks::iterate, 49 data::<ops::iterate::Iterated>;
    inbox: inbox::Args => inbox::run, 84 data::<ops::inbox::Inbox>;
    /// List the questions that need your answer
    #[command(after_help = "Of all open goals, or of the one that --goal names.\n\nExample:\n  goal questions")]
    questions: Nothing => questions::questions, 50 data::<ops::questions::OpenQuestions>;
    ask: questions::Asking => questions::ask, 51 data::<Transacted>;
    withdraw: questions::Withdraw => questions::withdraw, 88 data::<Transacted>;
    answer: questions::Answer => questions::answer, 52 data::<Transacted>;
    interpret: asking::Interpret => asking::interpret, 53 data::<Outcome<ops::interpret::Interpreted>>;
    context: asking::Context => asking::context, 54 data::<Outcome<ops::context::Summarized>>;
    run: run::Args => run::run, 25 data::<ops::run::Runs>;
    runs: runs::Args => runs::run, 81 data::<runs::Reported>;
    watch: watch::Args => watch::run;
    report: report::Args => report::run, 85 data::<report::Reported>;
    /// Pause the goal
    #[command(after_help = "This ends an agent's turn.\n\nExample:\n  goal pause --reason 'the API may still change' --suggest 'decide on the API'")]
    pause: ops::lifecycle::Pause => lifecycle::pause, 31 data::<Transacted>;
    /// Say that work waits for something outside
    #[command(after_help = "Until then a host lets its agent stop, and `goal run` takes no turn. The wait ends with its time, with your next message in a session that works on the goal, or with the next thing that you or an agent does on the goal. An agent can wait for at most 7 days, you for 365.\nWith --on the call itself runs the command until it succeeds, or the wait is over (exit 75): start it in the background.\n\nExamples:\n  goal wait --for 'CI of #12' --until 45m\n  goal wait --for 'CI of #12' --until 2h --on gh run watch 12 --exit-status\n  goal wait --for 'the review'")]
    wait: ops::lifecycle::Wait => lifecycle::wait, 89 data::<Transacted>;
    resume: lifecycle::Resume => lifecycle::resume, 32 data::<Transacted>;
    /// Block the goal until the user acts
    #[command(after_help = "This ends an agent's turn.\n\nExample:\n  goal block --reason 'the token has expired' --suggest 'make a new one'")]
    block: ops::lifecycle::Pause => lifecycle::block, 33 data::<Transacted>;
    tweak: contracts::Tweak => contracts::tweak, 24 data::<Outcome<Contracted>>;
    delegate: contracts::Delegate => contracts::delegate, 26 data::<Outcome<Contracted>>;
    commitments: contracts::Commitments => contracts::commitments, 28 data::<ops::delegate::Commitments>;
    usage: cost::Usage => cost::usage, 29 data::<Outcome<ops::usage::Used>>;
    budget: cost::Budget => cost::budget, 30 data::<Outcome<ops::budget::Budgeted>>;
    complete: complete::Complete => complete::complete, 66 data::<complete::Answered>;
    audits: complete::Audits => complete::audits, 27 data::<ops::audits::Audits>;
    abort: lifecycle::Abort => lifecycle::abort, 63 data::<Transacted>;
    /// End the goal as failed
    #[command(after_help = "Example:\n  goal abort --as failed --reason 'the host has no GPU'")]
    fail: lifecycle::Because => lifecycle::fail, 64 data::<Transacted>;
    /// End the goal as abandoned
    #[command(after_help = "Example:\n  goal abort --as abandoned --reason 'nobody needs it any more'")]
    abandon: lifecycle::Because => lifecycle::abandon, 65 data::<Transacted>;
    doctor: health::Doctor => health::doctor, 72 data::<ops::doctor::Diagnosis>;
    sync: sync::Sync => sync::sync, 80 data::<ops::sync::Synchronised>;
    store: store::Args => store::run, 87 data::<ops::store::Stored>;
    settle: settle::Settle => settle::settle, 73 data::<ops::settle::Settled>;
    verify: health::Verify => health::verify, 74 data::<ops::verify::Verified>;
    repair: health::Repair => health::repair, 75 data::<ops::repair::Repaired>;
    config: setup::Config => setup::config, 78 data::<ops::config::Settings>;
    trust: trust::Args => trust::run, 76 data::<ops::trust::Trusted>;
    completions: completions::Args => completions::run, 82 data::<completions::Script>;
    auditor: complete::Auditor => complete::auditor, 77 data::<ops::auditor_test::Tested>;
    schema: schema::Args => schema::run, 79 fixed::schemas;
    tool: tool::Args => tool::run, 68 data::<ToolList>;
    mcp: mcp::Args => mcp::run;
    hook: hook::Args => hook::run, 71 fixed::hook;
    tour: setup::Tour => setup::tour, 69 data::<ops::tour::Toured>;
    #[command(hide = true)]
    supervise as "__supervise": hidden::Supervise => hidden::supervise;
    #[command(hide = true)]
    guard as "__guard": hidden::Guard => hidden::guard;
    #[command(hide = true)]
    watcher as "__watch": hidden::Watcher => hidden::watcher;
    #[command(hide = true)]
    notify as "__notify": hidden::Notify => hidden::notify;
}
