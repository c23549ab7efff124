//! Settling what waits at a terminal: choose what, then what to do about it. Nothing is acted on that
//! is not on the screen: a line that is too long is cut, one that has no room is on the next page.

use std::io;
use std::sync::Arc;

use dialoguer::console::Term;
use dialoguer::{Input, Select};

use super::{Asked, Call, Done, Failure, Globals, Inbox, inbox};
use crate::cli::arguments::Cli;
use crate::cli::print;
use crate::cli::screen::room_for_items;
use crate::domain::attention::{Choice, Need};
use crate::ops::failure::Exit;
use crate::render::columns::fit;
use crate::render::inbox::{counted, row, whole};

/// What stands for a text in a command that needs one.
const TEXT: &str = "TEXT";

/// Columns of `[Page 1/2] ` beside the prompt.
const PAGE: usize = 12;

/// Lets the person choose until nothing waits, or they leave.
///
/// # Errors
/// The terminal or the project cannot be read.
pub fn one_after_the_other(
    call: Call,
    globals: &Globals,
    asked: &Asked,
    mut found: Inbox,
) -> Result<Done, Failure> {
    // Ctrl-C must leave by the way below: the list hides the cursor while it is shown.
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default())?;
    while found.waiting > 0 {
        let now = call.workspace.environment.now_millis();
        let (columns, _) = room_for_items();
        let items: Vec<String> = found
            .needs
            .iter()
            .map(|need| row(need, now, columns))
            .collect();
        let prompt = format!("{}; choose one", counted(found.waiting));
        let Some(at) = pick(&prompt, &items)? else {
            break;
        };
        if let Some(need) = found.needs.get(at) {
            settle(need, now, globals)?;
        }
        found = inbox(&call, asked)?;
    }
    if found.waiting == 0 {
        print::complain("Nothing needs you.");
    }
    Ok(Done::Printed(Exit::Done))
}

/// Shows one thing, and does what the person chooses about it.
fn settle(need: &Need, now: i64, globals: &Globals) -> Result<(), Failure> {
    let (columns, _) = room_for_items();
    print::complain(&format!("\n{}", whole(need, now, columns).trim_end()));
    let choices = choices(need);
    let items: Vec<String> = (1..)
        .zip(&choices)
        .map(|(number, it)| fit(&format!("{number}  {}", it.label), columns))
        .collect();
    let Some(at) = pick("What now", &items)? else {
        return Ok(());
    };
    match choices.get(at) {
        Some(choice) => act(&choice.command, globals),
        None => Ok(()),
    }
}

/// What can be done: what is suggested, and for a question an answer in one's own words.
fn choices(need: &Need) -> Vec<Choice> {
    let mut choices = need.choices.clone();
    if need.can_be_answered() {
        choices.push(Choice {
            label: "answer in my own words".to_owned(),
            command: format!("{} {TEXT}", need.command),
        });
    }
    choices
}

/// Runs a command of the program, which is shown first; a text that it needs is asked for.
fn act(command: &str, globals: &Globals) -> Result<(), Failure> {
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    print::complain(&format!("$ {command}"));
    if let Some(text) = words.iter_mut().find(|word| *word == TEXT) {
        let given = Input::<String>::new().with_prompt("Text").interact_text();
        match left(given.map(Some))? {
            Some(given) => *text = given,
            None => return Ok(()),
        }
    }
    let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
    words.extend(same_project(globals));
    match Cli::read(&words) {
        Ok(cli) => {
            // What went wrong is on the screen, and the person chooses again.
            let _shown = crate::cli::run(&cli);
        }
        Err(error) => print::complain(&error.to_string()),
    }
    Ok(())
}

/// The options of this call that say which project and session are meant.
fn same_project(globals: &Globals) -> Vec<std::ffi::OsString> {
    let named = [("--root", &globals.root), ("--session", &globals.session)];
    let given = named.into_iter().filter_map(|(name, value)| {
        let value = value.as_ref()?;
        Some(format!("{name}={value}").into())
    });
    given.collect()
}

fn pick(prompt: &str, items: &[String]) -> Result<Option<usize>, Failure> {
    let (columns, rows) = room_for_items();
    let chosen = Select::new()
        .with_prompt(fit(prompt, columns.saturating_sub(PAGE)))
        .items(items)
        .default(0)
        .max_length(rows)
        .report(false)
        .interact_opt();
    left(chosen)
}

/// What was chosen; nothing where the person left.
fn left<T>(chosen: dialoguer::Result<Option<T>>) -> Result<Option<T>, Failure> {
    match chosen.map_err(io::Error::from) {
        Ok(chosen) => Ok(chosen),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            Term::stderr().show_cursor()?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
