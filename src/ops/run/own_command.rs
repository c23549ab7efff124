//! A command that the configuration wants run around a run: to set a work tree up, or behind it.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::Signals;
use crate::process::{self, Ending, Invocation};
use crate::render::text::{clean, one_line, shell_word, short};
use crate::workspace::judge::located;

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Most bytes of what it writes that are read; its logs have all.
const OUTPUT: usize = 16 * 1024;

/// Most characters of its last line that are told.
const LAST: usize = 300;

/// A command, and where it runs.
pub(super) struct OwnCommand<'a> {
    pub argv: &'a [String],
    pub tree: &'a Utf8Path,
    pub env: Vec<(String, String)>,
    /// What it writes to stdout and to stderr goes there.
    pub logs: [Utf8PathBuf; 2],
}

/// Why it did not run to a good end.
pub(super) enum NotDone {
    /// The run was told to stop.
    Interrupted,
    Failed(String),
}

impl OwnCommand<'_> {
    /// As it is typed.
    pub fn shown(&self) -> String {
        let words: Vec<String> = self.argv.iter().map(|it| shell_word(it)).collect();
        one_line(&words.join(" "))
    }

    /// Where what it wrote is.
    pub fn where_to_look(&self) -> String {
        format!("{} and {}", self.logs[0], self.logs[1])
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot be started, ended badly, or was broken off.
    pub fn run(&self, signals: &Signals) -> Result<(), NotDone> {
        let mut argv = self.argv.to_vec();
        let search_path = std::env::var_os("PATH");
        if let Some(program) = argv.first_mut()
            && let Some(found) = located(program, self.tree, search_path.as_deref())
        {
            *program = found.into_string();
        }
        let invocation = Invocation {
            argv,
            cwd: self.tree.to_owned(),
            env: self.env.clone(),
            stdout_cap: OUTPUT,
            only_end: true,
            stderr_tail: OUTPUT,
            written_to: Some(self.logs.clone()),
            deadline: PATIENCE,
            ..Invocation::default()
        };
        let finished = process::run(&invocation, &|| signals.interrupted())
            .map_err(|error| NotDone::Failed(error.to_string()))?;
        match finished.ending {
            Ending::Exited(0) => Ok(()),
            Ending::Cancelled => Err(NotDone::Interrupted),
            ending => {
                let text = |bytes: &[u8]| clean(&String::from_utf8_lossy(bytes));
                let said = [text(&finished.stdout), text(&finished.stderr_tail)].concat();
                let last = said.lines().rev().find(|it| !it.trim().is_empty());
                let last =
                    last.map_or_else(String::new, |it| format!(": {}", short(it.trim(), LAST)));
                let (shown, ending) = (self.shown(), ending.said(PATIENCE));
                Err(NotDone::Failed(format!(
                    "`{shown}` ended with {ending}{last}"
                )))
            }
        }
    }
}
