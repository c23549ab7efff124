//! What an agent is told: prompts, and the summary.

use camino::{Utf8Path, Utf8PathBuf};
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

use super::one_copy::OneCopy;
use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::input;
use crate::domain::goal::state::RECENT;
use crate::domain::id::EventId;
use crate::ops::prompt::{Reader, prompted};
use crate::ops::summary::summarise;
use crate::render::prompt::PromptKind;
use crate::render::summary::Limits;
use crate::render::surface::Surface;

/// Print a prompt for an agent, with the facts of the goal
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  goal prompt continue")]
pub struct Prompt {
    /// The purpose of the prompt
    kind: PromptKind,
    #[command(flatten)]
    reader: ForReader,
}

/// For whom a text is
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ForReader {
    /// The commands or tools that the reader can call
    #[arg(long = "as", value_name = "SURFACE", default_value = "commands")]
    surface: Surface,
    /// The revision at which the reader got the contract; a continuation then leaves the contract out
    #[arg(long, value_name = "REVISION")]
    told: Option<EventId>,
}

impl From<ForReader> for Reader {
    fn from(reader: ForReader) -> Reader {
        Reader {
            surface: reader.surface,
            told: reader.told,
            has_summary: false,
        }
    }
}

pub fn prompt(args: &Prompt, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = prompted(&call, args.kind, args.reader.into())?;
    let notices = outcome.notices.clone();
    Ok(Done::Reply(Reply {
        notices,
        ..Reply::new(outcome.prompt.clone(), outcome)
    }))
}

/// Print a deterministic summary: same ledger, same bytes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal summary --session \"$SESSION\"
  goal summary > golden.md; goal summary --compare golden.md")]
pub struct Summary {
    /// Maximum of open goals besides the focused one
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().max_goals)]
    max_goals: usize,
    /// Maximum of events of the focused goal, up to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().max_events, value_parser = events)]
    max_events: usize,
    /// Maximum of bytes without the focused goal's contract
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Limits::default().max_bytes)]
    max_bytes: usize,
    /// Compare with this file: prints a diff and exits 7 if they differ
    #[arg(long, value_name = "FILE")]
    compare: Option<Utf8PathBuf>,
    #[command(flatten)]
    copy: OneCopy,
}

fn events(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count <= RECENT => Ok(count),
        _ => Err(format!("give a number from 0 to {RECENT}")),
    }
}

pub fn summary(args: &Summary, call: Call, _: &Globals) -> Result<Done, Failure> {
    let (mut call, _kept) = args.copy.read(call)?;
    // The lines and the arguments decide, and not in which work tree it is asked for.
    call.workspace.paths = call.workspace.paths.of_any_tree();
    let limits = Limits {
        max_goals: args.max_goals,
        max_events: args.max_events,
        max_bytes: args.max_bytes,
    };
    let outcome = summarise(&call, &limits)?;
    let text = outcome.summary.clone();
    let Some(file) = &args.compare else {
        return Reply::read(text, outcome);
    };
    let expected = input::file(&call.workspace.environment.cwd.join(file));
    let expected = expected.map_err(|failure| Failure {
        hint: format!("for the first time: `goal summary > {file}`"),
        ..failure
    })?;
    if expected == text {
        return Reply::read(format!("The summary is as in {file}.\n"), outcome);
    }
    let failure = Failure::new(
        "difference",
        format!("the summary differs from {file}"),
        format!(
            "if the change is right, or an earlier version made {file}: `goal summary > {file}`"
        ),
    );
    let diff = difference(file, &expected, &text);
    Reply::judged(diff, outcome, Some(failure))
}

/// The difference of the file and the summary, as `diff -u` prints it.
fn difference(file: &Utf8Path, expected: &str, text: &str) -> String {
    let lines = InternedInput::new(expected, text);
    let mut diff = Diff::compute(Algorithm::Histogram, &lines);
    diff.postprocess_lines(&lines);
    let printer = BasicLineDiffPrinter(&lines.interner);
    let hunks = diff.unified_diff(&printer, UnifiedDiffConfig::default(), &lines);
    let end = match expected.ends_with('\n') {
        true => "",
        false => "\\ No newline at the end of the file\n",
    };
    format!("--- {file}\n+++ goal summary\n{hunks}{end}")
}
