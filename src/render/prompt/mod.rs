//! Prompts: templates, built in or the project's own, filled with what the ledger knows.
//!
//! Strategy lives in the templates, not in the runtime (docs/design/surfaces.md#prompts). Every text
//! that somebody stored is cleaned, defanged and fenced
//! (docs/design/surfaces.md#stored-text-in-prompts), and what is filled in is never looked at for
//! placeholders again.

mod audited;
mod fenced;
mod lost;
mod turn;
mod values;
mod whose;

use std::collections::BTreeSet;

use crate::domain::changes::Changes;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::review::ReviewRole;
use crate::domain::state::State;
use crate::render::surface::Surface;

use values::{VALUES, Value};

/// What a prompt is for. `goal prompt` offers those without `#[value(skip)]`. The others take the place of
/// one that does not fit ([`PromptKind::fitting`]), or are for the gate and the reviewers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum PromptKind {
    /// Work on the focused goal
    Active,
    /// Continue the goal if it still has this revision
    Continue,
    /// [`PromptKind::Continue`] for a reader who was told the contract at this revision.
    #[value(skip)]
    Further,
    /// [`PromptKind::Active`] without the contract, for a reader who gets the contract in the same message.
    #[value(skip)]
    Working,
    /// Work out a new goal's contract with the user
    Draft,
    /// Work out a change of the contract with the user
    Tweak,
    /// Check everything before completion is requested
    Finalize,
    /// The goal changed before it was continued
    Stale,
    /// What to do while no goal is focused
    Unfocused,
    /// When to propose a goal, and how large it should be
    Guide,
    /// In place of a prompt to work, where the goal is paused or blocked.
    #[value(skip)]
    Resting,
    /// In place of a prompt to work, where the goal has ended.
    #[value(skip)]
    Ended,
    /// In place of a prompt to choose a goal, where one is focused.
    #[value(skip)]
    Focused,
    /// Work on it for one iteration of `goal run`
    Run,
    /// What the auditor is asked.
    #[value(skip)]
    Audit,
    /// What a reviewer is asked.
    #[value(skip)]
    Review(ReviewRole),
}

impl PromptKind {
    #[cfg(test)]
    const ALL: [PromptKind; 19] = [
        PromptKind::Active,
        PromptKind::Continue,
        PromptKind::Further,
        PromptKind::Working,
        PromptKind::Draft,
        PromptKind::Tweak,
        PromptKind::Finalize,
        PromptKind::Stale,
        PromptKind::Unfocused,
        PromptKind::Guide,
        PromptKind::Resting,
        PromptKind::Ended,
        PromptKind::Focused,
        PromptKind::Run,
        PromptKind::Audit,
        PromptKind::Review(ReviewRole::Risk),
        PromptKind::Review(ReviewRole::Release),
        PromptKind::Review(ReviewRole::PlanCritic),
        PromptKind::Review(ReviewRole::StaleGoal),
    ];

    /// The kind that fits when this one is asked for: a goal that rests or has ended is not worked
    /// on, and who has a goal does not choose one. `goal` is the one that the prompt would be
    /// about, `focused` the session's.
    pub fn fitting(self, goal: Option<&Goal>, focused: Option<&GoalId>) -> PromptKind {
        match (self, goal.map(|goal| goal.status)) {
            (PromptKind::Unfocused, _) if focused.is_some() => PromptKind::Focused,
            (
                PromptKind::Active | PromptKind::Continue | PromptKind::Finalize | PromptKind::Run,
                Some(status),
            ) => match status {
                Status::Active => self,
                Status::Paused | Status::Blocked => PromptKind::Resting,
                _ => PromptKind::Ended,
            },
            (PromptKind::Tweak, Some(status)) if !status.is_open() => PromptKind::Ended,
            _ => self,
        }
    }

    /// The kind that users know: [`PromptKind::Further`] and [`PromptKind::Working`] are variants of one.
    #[must_use]
    pub fn asked(self) -> PromptKind {
        match self {
            PromptKind::Further => PromptKind::Continue,
            PromptKind::Working => PromptKind::Active,
            other => other,
        }
    }

    /// The name in commands, and of a project's own template without `.md`.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The built-in template.
    pub fn template(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        /// The name of a kind is the file name of its template.
        macro_rules! row {
            ($name:literal) => {
                ($name, include_str!(concat!("../prompts/", $name, ".md")))
            };
        }
        match self {
            PromptKind::Active => row!("active"),
            PromptKind::Continue => row!("continue"),
            PromptKind::Further => row!("further"),
            PromptKind::Working => row!("working"),
            PromptKind::Draft => row!("draft"),
            PromptKind::Tweak => row!("tweak"),
            PromptKind::Finalize => row!("finalize"),
            PromptKind::Stale => row!("stale"),
            PromptKind::Unfocused => row!("unfocused"),
            PromptKind::Guide => row!("guide"),
            PromptKind::Resting => row!("resting"),
            PromptKind::Ended => row!("ended"),
            PromptKind::Focused => row!("focused"),
            PromptKind::Run => row!("run"),
            PromptKind::Audit => row!("audit"),
            PromptKind::Review(ReviewRole::Risk) => row!("review-risk"),
            PromptKind::Review(ReviewRole::Release) => row!("review-release"),
            PromptKind::Review(ReviewRole::PlanCritic) => row!("review-plan-critic"),
            PromptKind::Review(ReviewRole::StaleGoal) => row!("review-stale-goal"),
        }
    }
}

/// What the placeholders of a prompt are filled from.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    pub state: &'a State,
    /// The session whose focus counts; without one the project's.
    pub session: Option<&'a str>,
    /// The goal that the prompt is about, whether or not it is focused.
    pub goal: Option<&'a Goal>,
    /// That goal's revision; nothing for a goal that only a document knows.
    pub revision: Option<EventId>,
    /// The draft that the prompt is about.
    pub draft: Option<&'a Draft>,
    /// The summary, to be quoted; may be empty.
    pub summary: &'a str,
    /// What the reader can call.
    pub surface: Surface,
    /// What only the auditor reads: other prompts do not depend on the machine.
    pub audited: Option<&'a AuditorFacts>,
}

/// What the auditor reads of the machine on which it judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditorFacts {
    pub unproven: Unproven,
    /// What changed in the files since the contract was confirmed, or why that cannot be told.
    pub changes: Result<Changes, String>,
}

/// What on record is not proven to come from this project's user or from an agent that the user knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unproven {
    /// Whether the latest result of an audit is unproven.
    pub result: bool,
    /// The roles whose latest review is unproven.
    pub reviews: BTreeSet<String>,
    /// Key and time of evidence.
    pub evidence: BTreeSet<(String, String)>,
}

/// Why a template could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    #[error(
        "the `{kind}` template names `{{{{{name}}}}}`, which is not a placeholder; known placeholders are {}",
        values::names()
    )]
    UnknownPlaceholder { kind: &'static str, name: String },
    #[error("line {line} of the `{kind}` template opens `{{{{` without `}}}}`; close it")]
    Unclosed { kind: &'static str, line: usize },
    #[error("the `{kind}` prompt speaks of a goal, and none is focused or named")]
    NeedsGoal { kind: &'static str },
}

/// The words by which prompts that tell a contract say its revision. The templates `active.md`,
/// `continue.md` and `working.md` contain them literally.
pub const CONTRACT_MARKER: &str = "contract is of revision `";

/// What hooks look for in a session's transcript: where it is, the contract was told at this revision.
pub fn revision_marker(revision: EventId) -> String {
    format!("{CONTRACT_MARKER}{:08x}", revision.short())
}

/// Whether a template has this placeholder, so that a costly value is made only where it is needed.
pub fn has_placeholder(template: &str, name: &str) -> bool {
    let opened = template.split("{{").skip(1);
    let mut named = opened.filter_map(|after| Some(after.split_once("}}")?.0.trim()));
    named.any(|it| it == name)
}

/// Fills a template. A line that becomes empty is left out, with the blank line after it.
///
/// # Errors
/// A placeholder that does not exist or is not closed, and one that speaks of a goal when
/// [`PromptInput::goal`] is nothing.
pub fn prompt(
    kind: PromptKind,
    template: &str,
    input: &PromptInput<'_>,
) -> Result<String, PromptError> {
    let mut filled = String::with_capacity(template.len());
    let mut lines = (1..).zip(template.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let text = fill(kind, number, line, input)?;
        if text.is_empty() && !line.is_empty() {
            lines.next_if(|(_, next)| next.is_empty());
            continue;
        }
        filled.push_str(text.trim_end_matches(' '));
        filled.push('\n');
    }
    Ok(input.surface.words(&format!("{}\n", filled.trim_end())))
}

fn fill(
    kind: PromptKind,
    number: usize,
    line: &str,
    input: &PromptInput<'_>,
) -> Result<String, PromptError> {
    let kind = kind.name();
    let mut filled = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, opened)) = rest.split_once("{{") {
        let unclosed = PromptError::Unclosed { kind, line: number };
        let (name, after) = opened.split_once("}}").ok_or(unclosed)?;
        let name = name.trim();
        let known = VALUES.iter().find(|(known, _)| *known == name);
        let (_, value) = known.ok_or_else(|| PromptError::UnknownPlaceholder {
            kind,
            name: name.to_owned(),
        })?;
        filled.push_str(before);
        filled.push_str(&match value {
            Value::General(text) => text(input),
            Value::Goal(text) => text(input.goal.ok_or(PromptError::NeedsGoal { kind })?),
            Value::Both(text) => text(input.goal.ok_or(PromptError::NeedsGoal { kind })?, input),
        });
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests;
