//! Long texts at a terminal, shown page by page in the program that the person chose.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use dialoguer::console::Term;

use crate::workspace::environment::Environment;
use crate::workspace::programs;

/// What a shell says of a program that it does not find, or may not run.
const NOT_RUN: [i32; 2] = [126, 127];

/// Whether texts may go through a pager: a person looks, on a terminal that can be drawn on.
#[derive(Debug, Clone, Copy)]
pub struct Paging(bool);

impl Paging {
    /// Of the process's surroundings; nobody pages where they cannot be read.
    pub fn of(environment: Option<&Environment>, is_wanted: bool) -> Paging {
        let draws = environment.is_some_and(|it| {
            it.at_terminal() && !it.is_dumb && it.agent_because().is_none() && !it.is_of_run()
        });
        Paging(is_wanted && draws && io::stderr().is_terminal())
    }

    /// Never.
    pub const NONE: Paging = Paging(false);

    /// Shows the text in the pager, and says whether it did. A text that fits the screen needs none.
    pub fn shows(self, text: &str) -> bool {
        let (rows, _) = Term::stdout().size();
        if !self.0 || text.lines().count() < usize::from(rows) {
            return false;
        }
        let Some(pager) = chosen() else {
            return false;
        };
        // The pager decides what Ctrl-C means; it is told too.
        let flag = Arc::default();
        let _best_effort = signal_hook::flag::register(signal_hook::consts::SIGINT, flag);
        shown(pager, text).unwrap_or_default()
    }
}

/// `GOAL_PAGER`, else `PAGER`, else `less` where it is installed.
fn chosen() -> Option<OsString> {
    let named = ["GOAL_PAGER", "PAGER"].into_iter();
    let mut named = named.filter_map(std::env::var_os);
    match named.find(|it| !it.is_empty()) {
        Some(named) if named == "cat" => None,
        Some(named) => Some(named),
        None => {
            let path = std::env::var_os("PATH");
            programs::find(path.as_deref(), "less").map(|_| "less".into())
        }
    }
}

/// Whether the pager ran. That somebody leaves it before the end of the text is no failure.
fn shown(pager: OsString, text: &str) -> io::Result<bool> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // It keeps colours, leaves the text on the screen, and ends at once where all of it fits.
        command.env("LESS", "FRX");
    }
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let _left_early = stdin.write_all(text.as_bytes());
    }
    let status = child.wait()?;
    Ok(!status.code().is_some_and(|code| NOT_RUN.contains(&code)))
}
