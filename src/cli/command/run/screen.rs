//! What is shown while a run goes on: at a terminal two lines that change, how the run stands and the last
//! line that its agent wrote; elsewhere a line for each thing that happens.

use std::io;

use serde::Serialize;

use super::{Call, Globals};
use crate::cli::print;
use crate::ops::run::{RunUpdate, RunnerEventKind};
use crate::render::agent_output::last_lines;
use crate::render::columns::{fit, width};
use crate::render::text::{bracketed, clean, one_line};
use crate::workspace::turns::Streams;

/// What is shown while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// One JSON document a line.
    Events,
    /// Lines that change.
    Bar,
    /// A line for each thing that happens.
    Lines,
    Nothing,
}

impl Show {
    /// What suits whoever looks.
    pub fn for_people(call: &Call, globals: &Globals) -> Show {
        let is_terminal = call.workspace.environment.terminals.stdout;
        match (globals.json || globals.quiet, is_terminal) {
            (true, _) => Show::Nothing,
            (false, true) if print::can_replace_lines() => Show::Bar,
            (false, _) => Show::Lines,
        }
    }
}

/// Of how many bytes of an agent's output the last line is taken: an event of its host is one line.
const OUTPUT: u64 = 32 * 1024;

pub struct Screen {
    show: Show,
    /// The lines that stand on the terminal now.
    lines: Vec<String>,
    /// Nobody reads the events any more.
    gone: bool,
}

impl Screen {
    pub fn new(show: Show) -> Screen {
        Screen {
            show,
            lines: Vec::new(),
            gone: false,
        }
    }

    pub fn tell(&mut self, told: &RunUpdate) {
        match (self.show, told) {
            (Show::Events, RunUpdate::Line(line)) => {
                // A line that cannot be written as JSON is none that another could read.
                if let Ok(json) = line.json() {
                    self.printed(&print::stdout(&json));
                }
            }
            (Show::Events, RunUpdate::RunnerEvent(own)) => self.line(own),
            (Show::Bar, RunUpdate::Bar(bar, elapsed, streams)) => {
                let columns = print::status_columns();
                let mut lines = vec![bar.line(*elapsed, columns)];
                lines.extend(streams.as_ref().and_then(|streams| said(streams, columns)));
                self.replace(lines);
            }
            (Show::Bar | Show::Lines, RunUpdate::RunnerEvent(own)) => {
                let what = match own.kind {
                    RunnerEventKind::CheckpointStarted => "Began",
                    RunnerEventKind::CheckpointCompleted => "Completed",
                    RunnerEventKind::CheckpointFailed => "Failed",
                    RunnerEventKind::Evaluation => "Evaluated",
                };
                let task = own.task_id.as_deref();
                let task = task.map_or_else(String::new, |task| format!(" {}", one_line(task)));
                let score = own.score;
                let score = score.map_or_else(String::new, |score| format!(" at {score:.2}"));
                let why = own.reason.as_deref().filter(|why| !why.is_empty());
                let why = bracketed(why.map(one_line).as_deref());
                let title = one_line(&own.title);
                self.say(&format!("{what}{task}{score}: {title}{why}"));
            }
            (Show::Lines, RunUpdate::Turn(text))
            | (Show::Bar | Show::Lines, RunUpdate::Say(text)) => {
                self.say(&clean(text));
            }
            _ => {}
        }
    }

    /// Prints a document of its own.
    pub fn line(&mut self, value: &impl Serialize) {
        self.printed(&print::document(value));
    }

    /// Takes the lines off the terminal.
    pub fn wipe(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        print::replace_lines(lines.len(), &[]);
        lines
    }

    /// A reader that went away does not stop the work.
    fn printed(&mut self, printed: &io::Result<()>) {
        self.gone |= printed.is_err();
        if self.gone {
            self.show = Show::Nothing;
        }
    }

    fn say(&mut self, text: &str) {
        let again = self.wipe();
        print::complain(text);
        self.replace(again);
    }

    fn replace(&mut self, lines: Vec<String>) {
        if lines != self.lines {
            print::replace_lines(self.lines.len(), &lines);
            self.lines = lines;
        }
    }
}

/// The last line that the agent wrote, if it wrote any yet.
fn said(streams: &Streams, columns: usize) -> Option<String> {
    let last = last_lines(&streams.end(OUTPUT)?, 1).pop()?;
    let mark = "  │ ";
    let last = fit(&last, columns.saturating_sub(width(mark)));
    Some(format!("{mark}{last}"))
}
