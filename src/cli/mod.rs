//! The command line: arguments to request, outcome to text; the files are those of `ops`.

mod aliases;
mod arguments;
mod columns;
mod command;
mod completion;
mod editor;
mod globals;
mod help;
mod input;
mod other_words;
mod pager;
mod person;
pub mod picker;
mod print;
mod reply;
mod screen;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::api::envelope;
use crate::ops::about::{Help, Version};
use crate::ops::call::{Call, remarks};
use crate::ops::failure::{Exit, Failure};
use crate::process::watcher::watch_all;
use crate::render::text::{clean, one_line};
use crate::transaction::place;
use crate::workspace::Workspace;
use crate::workspace::environment::Environment;
use crate::workspace::root::RootSource;
use arguments::Cli;
use command::Command;
use globals::Globals;
use pager::Paging;
use reply::Done;

/// Runs the program on this process's arguments.
pub fn main() -> ExitCode {
    if completion::answered() {
        return ExitCode::SUCCESS;
    }
    ignore_file_size_signal();
    // What is run for the caller ends with this process, also when that is killed. Where the system
    // does not say where this program lies, nothing watches.
    let _unwatched = watch_all();
    let mut arguments = aliases::expand(std::env::args_os());
    let mut words = arguments.iter().take_while(|word| *word != "--");
    let says_json = words.any(|word| word == "--json");
    let wants_json = says_json || aliases::command(&arguments) == Some("tool");
    if aliases::command(&arguments) == Some("help") {
        // clap takes every word behind it for a command's name.
        arguments.retain(|word| word != "--json");
    }
    let exit = match Cli::read(&arguments) {
        Ok(cli) => run(&cli),
        Err(error) if error.use_stderr() && is_hook(&arguments) => {
            let detail = first_paragraph(&error.to_string());
            print::hook_failure(&Failure::usage(detail, "`goal hook --help` says more"))
        }
        Err(error) if says_json && is_about(&error) => about(&error),
        Err(error) => unparsed(&error, aliases::command(&arguments), wants_json),
    };
    ExitCode::from(exit as u8)
}

/// The whole definition, for manual pages.
pub fn manual() -> clap::Command {
    let words = ["goal", "--help"].map(OsString::from);
    help::dressed(Cli::command(), &words).override_help(clap::builder::Resettable::Reset)
}

/// The text of a subject of `goal help`, for manual pages.
pub fn subject(name: &str) -> Option<&'static str> {
    help::topics::text(name)
}

/// Whether arguments that make no sense are a hook's: its host must not see the code of a usage
/// error, which it would take for a veto.
fn is_hook(arguments: &[OsString]) -> bool {
    let lenient = Cli::command().ignore_errors(true);
    let matches = lenient.try_get_matches_from(arguments);
    matches.is_ok_and(|matches| matches.subcommand_name() == Some("hook"))
        // Behind an option that does not exist no command is recognised.
        || arguments.windows(2).any(|words| words[0] == "hook" && command::hook::is_event(&words[1]))
}

/// Explains arguments that make no sense, or prints the help that was asked for.
fn unparsed(error: &clap::Error, command: Option<&str>, json: bool) -> Exit {
    if let Some(failure) = other_words::answer(error, command) {
        return print::failure("error", None, &failure, json);
    }
    let help_instead = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.kind() == ErrorKind::MissingSubcommand || (json && help_instead) {
        // clap would list every command here, our hidden one too.
        let failure = Failure::usage("no command is given", "`goal help` lists them");
        return print::failure("error", None, &failure, json);
    }
    if json && error.use_stderr() {
        let detail = first_paragraph(&error.to_string());
        let more = || "`goal help` and `goal COMMAND --help` say more".to_owned();
        let failure = Failure::usage(detail, nearest(error).unwrap_or_else(more));
        return print::failure("error", None, &failure, true);
    }
    let plain = error.to_string();
    let visible = clean(&plain);
    if error.kind() == ErrorKind::DisplayHelp && is_paged(error) {
        return Exit::Done;
    }
    // Printing fails only when nobody reads it.
    let _unread = match visible == plain {
        true => error.print(),
        // What was typed steers a terminal, and clap repeats it: without colours, but harmless.
        false => writeln!(std::io::stderr(), "{}", visible.trim_end()),
    };
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}

/// Whether this help went through the pager.
fn is_paged(help: &clap::Error) -> bool {
    let environment = Environment::from_process().ok();
    let is_wanted = !std::env::args_os().any(|it| it == "--no-pager");
    Paging::of(environment.as_ref(), is_wanted).shows(&help.render().ansi().to_string())
}

/// Whether version or help was asked for. People ask for that of a tool too.
fn is_about(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayVersion | ErrorKind::DisplayHelp
    )
}

/// Version or help as one JSON document. Neither needs a project, so there is no root.
fn about(error: &clap::Error) -> Exit {
    let (name, data) = match error.kind() {
        ErrorKind::DisplayVersion => ("version", serde_json::to_value(Version::of_program())),
        _ => {
            let text = error.to_string();
            ("help", serde_json::to_value(Help { text }))
        }
    };
    let document = envelope::success(name, None, data.ok(), false);
    match print::document(&document) {
        Ok(()) => Exit::Done,
        Err(error) => print::unread(&error, Exit::Done),
    }
}

/// Runs a command that the person chose. What went wrong is on the screen, and they choose again.
fn run_chosen(arguments: &[OsString]) {
    match Cli::read(arguments) {
        Ok(cli) => {
            let _shown = run(&cli);
        }
        Err(error) => print::complain(&error.to_string()),
    }
}

/// Both names of what went wrong, behind its message.
fn complain_code(code: &str, exit: Exit) {
    print::complain(&format!("  code {code}, exit {}", exit as u8));
}

fn run(cli: &Cli) -> Exit {
    let json = cli.prints_json();
    let Globals { quiet, verbose, .. } = cli.globals;
    cli.globals.color().apply();
    let name = cli.command.name();
    let failed = |root: Option<&str>, failure: &Failure| match &cli.command {
        Command::hook(_) => print::hook_failure(failure),
        _ => print::failure(name, root, failure, json),
    };
    let failed = |root: Option<&str>, failure: &Failure| {
        let exit = failed(root, failure);
        if verbose && !json {
            complain_code(failure.code, exit);
        }
        exit
    };
    let called = cli.globals.go_there();
    let call = match called.and_then(|()| globals::call(&cli.globals)) {
        Ok(call) => call,
        Err(failure) => return failed(None, &failure),
    };
    let root = call.workspace.root.path.clone();
    let paths = call.workspace.paths.clone();
    let elsewhere = elsewhere(&call.workspace);
    let above = place::above(&call.workspace);
    if verbose {
        print::complain(&circumstances(&call));
    }
    let agent_because = call.workspace.environment.agent_because();
    let paging = Paging::of(Some(&call.workspace.environment), !cli.globals.no_pager);
    match cli.command.run(call, &cli.globals) {
        Ok(Done::Reply(reply)) => {
            // A diagnosis has them among its findings.
            let mut remarks = match &cli.command {
                Command::doctor(_) => Vec::new(),
                _ if quiet && !json => Vec::new(),
                _ => remarks(&paths, || globals::call(&cli.globals)),
            };
            let began = above.filter(|_| paths.own().is_dir() && (json || !quiet));
            remarks.extend(began);
            if let Some(place) = elsewhere.filter(|_| reply.recorded && !quiet && !json) {
                print::complain(&format!("note: recorded in the project {place}"));
            }
            let reply = if quiet { reply.hushed() } else { reply };
            let code = reply.failure.as_ref().map(|failure| failure.code);
            let exit = print::reply(name, root.as_str(), reply, &remarks, json, paging);
            if let Some(code) = code.filter(|_| verbose && !json) {
                complain_code(code, exit);
            }
            exit
        }
        Ok(Done::Printed(exit)) => {
            // Tools say it in their answers.
            if !matches!(name, "tool" | "mcp") && !quiet {
                let open = || globals::call(&cli.globals);
                print::notices(&remarks(&paths, open));
            }
            exit
        }
        Err(failure) => {
            let failure = failure.where_home_cannot_be_written(&paths);
            failed(Some(root.as_str()), &failure.of_agent(agent_because))
        }
    }
}

/// The project's root and what decided it, where it is neither the working directory nor named.
fn elsewhere(workspace: &Workspace) -> Option<String> {
    let root = &workspace.root;
    let is_found = matches!(root.source, RootSource::Goals | RootSource::Git);
    let is_here = root.path == workspace.environment.cwd;
    let words = root.source.words();
    (is_found && !is_here).then(|| format!("{} ({words})", one_line(root.path.as_str())))
}

/// Where a call acts, and as whom.
fn circumstances(call: &Call) -> String {
    let root = &call.workspace.root;
    let ledger = call.workspace.paths.events();
    let mut text = format!(
        "goal {}\nroot     {}  ({})\nledger   {ledger}\nactor    {}",
        Version::line(),
        one_line(root.path.as_str()),
        root.source.words(),
        call.caller.actor
    );
    if let Some(via) = &call.caller.via {
        text += &format!("  (found the mark of {via})");
    }
    if let Some(session) = &call.caller.session {
        text += &format!("\nsession  {}", one_line(session));
    }
    text
}

/// The nearest word that would have made sense, where clap knows one.
fn nearest(error: &clap::Error) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ];
    let found = kinds.into_iter().find_map(|kind| error.get(kind))?;
    let words = match found {
        ContextValue::String(word) => word.clone(),
        ContextValue::Strings(words) => words.join("` or `"),
        _ => return None,
    };
    Some(format!("did you mean `{words}`?"))
}

/// What clap has to say, on one line and without the usage that follows it.
fn first_paragraph(error: &str) -> String {
    let lines = error.lines().take_while(|line| !line.is_empty());
    let words: Vec<&str> = lines.map(str::trim).collect();
    let text = words.join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

/// A file that may not grow must be an error that is handled, not the end of the process.
fn ignore_file_size_signal() {
    // Without the handler the process dies, with the ledger whole but for a torn tail.
    let flag = std::sync::Arc::default();
    let _best_effort = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
}
