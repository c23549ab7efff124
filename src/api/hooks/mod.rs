//! Hooks of agent hosts: their JSON read, what they report carried out, their JSON written.
//!
//! | event | Claude Code, Codex | Gemini CLI | Cursor | what the host is answered |
//! |---|---|---|---|---|
//! | `session-start` | `SessionStart` | `SessionStart` | `sessionStart` | summary and how to work |
//! | `user-prompt-submit` | `UserPromptSubmit` | `BeforeAgent` | `beforeSubmitPrompt` | one line on the focused goal (not Cursor) |
//! | `stop` | `Stop` | `AfterAgent` | `stop` | the next prompt, while the goal goes on by itself |
//! | `pre-compact`, `post-compact` | `PreCompact`, `PostCompact` | `PreCompress` | `preCompact` | nothing: no host takes context there |
//!
//! After a compaction Claude Code and Codex report a `SessionStart` whose source is `compact`,
//! and that is where the summary goes.

mod input;
mod needs;
mod output;

use clap::ValueEnum;

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::{Answer, Told, began, stopped, user_spoke};
use crate::ops::prompt::Reader;
use crate::ops::sync::{self, PATIENCE_OF_HOOKS};

pub use input::{Input, InputError, MOST, read};
pub use needs::{Version, too_old};
pub use output::write;

/// A host, by its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Code, and hosts that took its hooks over
    Claude,
    Codex,
    /// Gemini CLI
    Gemini,
    Cursor,
    /// pi, with its extension
    Pi,
}

impl Host {
    /// Its name, as the configuration and `--host` have it.
    fn name(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
            Host::Gemini => "gemini",
            Host::Cursor => "cursor",
            Host::Pi => "pi",
        }
    }
}

/// What a host reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Event {
    /// A session begins, is resumed, or goes on after a compaction
    SessionStart,
    /// The user said something
    UserPromptSubmit,
    /// The agent came to the end of its turn
    Stop,
    /// The context is about to be compacted: nothing happens here
    PreCompact,
    /// The context was compacted: nothing happens here
    PostCompact,
}

/// Carries out what the host reports. `call` is made for the session, the turn and the directory
/// that `input` names.
///
/// # Errors
/// The project cannot be read, or what happened could not be recorded.
pub fn carry_out(
    host: Host,
    event: Event,
    input: &Input,
    call: &Call,
    reader: Reader,
) -> Result<Told, Failure> {
    match event {
        Event::SessionStart => began(call, reader),
        Event::UserPromptSubmit => {
            user_spoke(call, input.prompt.as_deref().unwrap_or_default(), reader)
        }
        Event::Stop if input.broke_off => Ok(Told::default()),
        Event::Stop => {
            stopped(call, host.name(), &input.stop, reader).map(|told| synced(call, told))
        }
        Event::PreCompact | Event::PostCompact => Ok(Told::default()),
    }
}

/// Syncs the ledger where the user wants that, unless the agent goes on.
fn synced(call: &Call, mut told: Told) -> Told {
    if !matches!(told.answer, Answer::GoOn(_)) {
        told.notices
            .extend(sync::at_end(call, PATIENCE_OF_HOOKS, &|| false));
    }
    told
}
