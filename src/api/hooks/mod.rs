//! Hooks of agent hosts: their JSON read, what they report carried out, their JSON written.
//!
//! | event | Claude Code, Codex | Gemini CLI | Cursor | what the host is answered |
//! |---|---|---|---|---|
//! | `session-start` | `SessionStart` | `SessionStart` | `sessionStart` | summary and how to work |
//! | `user-prompt-submit` | `UserPromptSubmit` | `BeforeAgent` | `beforeSubmitPrompt` | one line on the focused goal (not Cursor) |
//! | `stop` | `Stop` | `AfterAgent` | `stop` | the next prompt, while the goal goes on by itself |
//! | `session-end` | `SessionEnd` (not Codex) | `SessionEnd` | `sessionEnd` | nothing: the session holds no goal any more |
//! | `pre-compact`, `post-compact` | `PreCompact`, `PostCompact` | `PreCompress` | `preCompact` | nothing: no host takes context there |
//!
//! GitHub Copilot CLI takes the names of Claude Code, and has its own way of taking context. The plugins
//! of pi and opencode speak as Claude Code's hooks do.
//!
//! After a compaction Claude Code and Codex report a `SessionStart` whose source is `compact`,
//! and that is where the summary goes.

mod bound;
mod input;
mod needs;
mod output;
mod typed;

use std::thread;
use std::time::Duration;

use clap::ValueEnum;

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::acts::carried_out;
use crate::ops::hook::{
    HookAnswer, HookOutcome, began, beside_a_goal_of_the_host, sessions, spending, stopped,
    user_spoke,
};
use crate::ops::phase::session_phase;
use crate::ops::prompt::Reader;
use crate::ops::sync::{self, PATIENCE_OF_HOOKS};
use crate::render::surface::Surface;
use bound::bounded;

pub use input::{Input, InputError, MOST, read};
pub use needs::{Version, too_old};
pub use output::write;
use typed::typed;

/// A host, by its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Code, and hosts that use the same hooks
    Claude,
    Codex,
    /// Gemini CLI
    Gemini,
    Cursor,
    /// pi, with its extension
    Pi,
    /// GitHub Copilot CLI
    Copilot,
    /// opencode, with its plugin
    Opencode,
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
            Host::Copilot => "copilot",
            Host::Opencode => "opencode",
        }
    }

    /// What its model can call, where the hook was told `asked`.
    fn surface(self, asked: Surface) -> Surface {
        match (asked, self) {
            (Surface::Tools, Host::Claude) => Surface::Claude,
            (Surface::Tools, Host::Codex) => Surface::Codex,
            (Surface::Tools, Host::Gemini) => Surface::Gemini,
            // How Cursor calls them is not known.
            (Surface::Tools, Host::Cursor) => Surface::Tools,
            (Surface::Tools, Host::Pi) => Surface::Pi,
            (Surface::Tools, Host::Copilot) => Surface::Copilot,
            (Surface::Tools, Host::Opencode) => Surface::Opencode,
            (other, _) => other,
        }
    }
}

/// The slash command by which Claude Code and its kin set goals of their own.
const OF_THE_HOST: &str = "/goal";

/// How GitHub Copilot CLI reports the same: as a prompt of its own.
const OF_COPILOT: &str = "The user set this explicit autopilot objective with /autopilot:";

/// What it does besides, as its first word.
const NO_OBJECTIVES: [&str; 8] = [
    "clear", "edit", "off", "pause", "reset", "resume", "status", "stop",
];

/// What a host reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Event {
    /// A session starts, is resumed, or continues after a compaction
    SessionStart,
    /// The user sent a message
    UserPromptSubmit,
    /// The agent's turn ends
    Stop,
    /// The session is over: it holds no goal any more
    SessionEnd,
    /// The context is about to be compacted: nothing happens here
    PreCompact,
    /// The context was compacted: nothing happens here
    PostCompact,
}

/// How long the server beside the hooks has to see what the user said, and to tell its client.
const SEEN: Duration = Duration::from_millis(700);

/// Where the session is at something else after what the user said, waits for the server to see that: a
/// model that is asked sooner is not shown the tools of the goal that its user just confirmed or took up.
fn until_seen(
    call: &Call,
    said: impl FnOnce() -> Result<HookOutcome, Failure>,
) -> Result<HookOutcome, Failure> {
    let before = session_phase(call).ok();
    let told = said()?;
    if session_phase(call).ok() != before {
        thread::sleep(SEEN);
    }
    Ok(told)
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
) -> Result<HookOutcome, Failure> {
    let reader = Reader {
        surface: host.surface(reader.surface),
        ..reader
    };
    let told = heard(host, event, input, call, reader)?;
    // The others pass on all that they are told. Qwen Code's hooks are those of Claude Code.
    let answer = match (host, reader.surface) {
        (Host::Claude, Surface::Qwen) => passed_on(told.answer),
        (Host::Claude, surface) => bounded(told.answer, surface),
        _ => told.answer,
    };
    Ok(HookOutcome { answer, ..told })
}

/// The answer with which a refused prompt goes to the model, which tells the user.
fn passed_on(answer: HookAnswer) -> HookAnswer {
    match answer {
        HookAnswer::Refused { user, model } => HookAnswer::Told { user, model },
        other => other,
    }
}

fn heard(
    host: Host,
    event: Event,
    input: &Input,
    call: &Call,
    reader: Reader,
) -> Result<HookOutcome, Failure> {
    let transcript = input.stop.transcript.as_ref();
    let is_heard = || sessions::heard(call, transcript.map(|it| &*it.path));
    let has_project = call.workspace.paths.home().is_dir();
    match event {
        Event::SessionStart | Event::UserPromptSubmit | Event::Stop => is_heard(),
        Event::SessionEnd => {
            let spent = spending::at_end(call, &input.stop);
            sessions::ended(call);
            spent?;
        }
        Event::PreCompact | Event::PostCompact => {}
    }
    match event {
        Event::SessionStart => began(call, reader),
        Event::UserPromptSubmit => {
            let prompt = input.prompt.as_deref().unwrap_or_default();
            match typed(host, prompt) {
                Some((typed, through)) => {
                    let told = until_seen(call, || Ok(carried_out(call, &typed, through, reader)));
                    // Nothing could be noted before the act made the project.
                    if !has_project {
                        is_heard();
                    }
                    told
                }
                None if sets_a_goal_of_the_host(host, prompt) => {
                    let ends = match host {
                        Host::Copilot => "/goal off",
                        _ => "/goal clear",
                    };
                    beside_a_goal_of_the_host(call, ends)
                }
                None => until_seen(call, || user_spoke(call, prompt, transcript, reader)),
            }
        }
        Event::Stop if input.broke_off => Ok(HookOutcome::default()),
        Event::Stop => {
            stopped(call, host.name(), &input.stop, reader).map(|told| synced(call, told))
        }
        Event::SessionEnd | Event::PreCompact | Event::PostCompact => Ok(HookOutcome::default()),
    }
}

/// Whether the user set a goal of the host itself, which knows no ledger.
fn sets_a_goal_of_the_host(host: Host, prompt: &str) -> bool {
    if host == Host::Copilot {
        return prompt.starts_with(OF_COPILOT);
    }
    let typed = prompt
        .strip_prefix(OF_THE_HOST)
        .filter(|_| host == Host::Claude);
    let typed = typed.filter(|rest| rest.starts_with(char::is_whitespace));
    let first = typed.and_then(|rest| rest.split_whitespace().next());
    first.is_some_and(|word| !NO_OBJECTIVES.contains(&word))
}

/// Syncs the ledger where the user wants that, unless the agent goes on.
fn synced(call: &Call, mut told: HookOutcome) -> HookOutcome {
    let goes_on = matches!(
        told.answer,
        HookAnswer::GoOn(_) | HookAnswer::GoOnTelling { .. }
    );
    if !goes_on {
        told.notices
            .extend(sync::at_end(call, PATIENCE_OF_HOOKS, &|| false));
    }
    told
}
