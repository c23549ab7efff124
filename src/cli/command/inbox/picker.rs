//! Settling what waits at a terminal: choose what, then what to do about it.

use std::io;

use dialoguer::Input;
use dialoguer::console::Term;

use super::{Call, Done, Failure, Globals, InboxRequest, columns, inbox};
use crate::cli::picker::{Entries, pick};
use crate::cli::print;
use crate::cli::run_chosen;
use crate::cli::screen::width;
use crate::domain::attention::{Choice, Need};
use crate::ops::failure::Exit;
use crate::ops::inbox::Inbox;
use crate::render::inbox::{Entry, counted, whole};

/// What stands for a text in a command that needs one.
const TEXT: &str = "TEXT";

/// What stands for the path of the user's agent.
const PATH: &str = "PATH";

/// Lets the person choose until nothing waits, or they leave.
///
/// # Errors
/// The terminal or the project cannot be read.
pub fn one_after_the_other(
    call: Call,
    globals: &Globals,
    asked: &InboxRequest,
    mut found: Inbox,
) -> Result<Done, Failure> {
    while found.waiting > 0 {
        if !one(&call, globals, &found)? {
            break;
        }
        found = inbox(&call, asked)?;
    }
    if found.waiting == 0 {
        print::complain(found.words(&call, columns(&call)).trim_end());
    }
    Ok(Done::Printed(Exit::Done))
}

/// Lets the person choose one thing and what to do about it; false where they leave.
///
/// # Errors
/// The terminal cannot be read.
pub fn one(call: &Call, globals: &Globals, found: &Inbox) -> Result<bool, Failure> {
    let now = call.workspace.environment.now_millis();
    let all = found.needs.iter().map(Entry::of).collect();
    let prompt = counted(found.waiting);
    let chosen = pick(&prompt, &Entries { all, now }, Some(0))?;
    match chosen.and_then(|at| found.needs.get(at)) {
        Some(need) => settle(need, now, globals).map(|_chose| true),
        None => Ok(false),
    }
}

/// Shows one thing, and does what the person chooses about it; says whether they chose.
///
/// # Errors
/// The terminal cannot be read.
pub fn settle(need: &Need, now: i64, globals: &Globals) -> Result<bool, Failure> {
    print::complain(&format!("\n{}", whole(need, now, width()).trim_end()));
    choose(&choices(need), globals)
}

/// Lets the person choose what to do, and does it; says whether they chose.
///
/// # Errors
/// The terminal cannot be read.
pub fn choose(choices: &[Choice], globals: &Globals) -> Result<bool, Failure> {
    let items: Vec<String> = (1..)
        .zip(choices)
        .map(|(number, it)| format!("{number}  {}", it.label))
        .collect();
    let chosen = pick("What now?", items.as_slice(), None)?;
    let Some(choice) = chosen.and_then(|at| choices.get(at)) else {
        return Ok(false);
    };
    act(&choice.command, globals)
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
/// Says whether it came to that.
fn act(command: &str, globals: &Globals) -> Result<bool, Failure> {
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    print::complain(&format!("$ {command}"));
    let is_asked = |word: &&mut String| *word == TEXT || *word == PATH;
    if let Some(text) = words.iter_mut().find(is_asked) {
        let what = if *text == PATH { "Path" } else { "Text" };
        let given = Input::<String>::new().with_prompt(what).interact_text();
        match left(given.map(Some))? {
            Some(given) => *text = given,
            None => return Ok(false),
        }
    }
    let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
    words.extend(same_project(globals));
    run_chosen(&words);
    Ok(true)
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
