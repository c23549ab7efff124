//! Events by which work on a goal rests, waits, goes on, or ends without being complete; and the one that
//! moves its document.

use std::borrow::Cow;

use crate::domain::event::text::after;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::state::{Goal, Pause, Wait};
use crate::domain::goal::status::AbortOutcome;
use crate::domain::line::Origin;
use crate::domain::passed_on::host;
use crate::domain::wire::lenient::plain;

plain! {
    /// Work rests until somebody resumes it.
    #[derive(Default)]
    GoalPaused {
        reason: String,
        ;
        suggested_action: String,
        /// Always `paused`: other tools write it.
        status: String,
        source: String,
        /// The pause is a blocker: shown as `blocked`.
        blocked: bool,
        /// Since when another tool had paused the goal that is taken over here, as its document
        /// says. Only beside the source `document`.
        since: String,
    }
    /// Work goes on.
    GoalResumed { reason: String, }
    /// Another tool's blocker. Read, never written: we write a pause that is `blocked`.
    GoalBlocked { reason: String, ; source: String, }
}

impl GoalPaused {
    /// The source of a pause that the document of another tool told, when its goal was taken over.
    pub const IN_DOCUMENT: &str = "document";

    /// A pause as we write it.
    pub fn because(reason: impl Into<String>) -> GoalPaused {
        GoalPaused {
            reason: reason.into(),
            status: Some("paused".into()),
            ..GoalPaused::default()
        }
    }

    /// Whether only the user can lift it.
    pub fn is_blocker(&self) -> bool {
        self.blocked == Some(true)
    }

    /// What is known of the goal while it rests by this event.
    fn pause(&self, event: &Event) -> Pause {
        let envelope = &event.envelope;
        // Whoever took the goal over recorded the pause, and did not pause it.
        let (by, at) = match self.source.as_deref() {
            Some(GoalPaused::IN_DOCUMENT) => (None, self.since.clone()),
            _ => (envelope.by, Some(event.at.clone())),
        };
        Pause {
            reason: self.reason.clone(),
            suggested_action: self.suggested_action.clone(),
            source: self.source.clone(),
            by,
            via: host(by, envelope.via.as_deref()).map(str::to_owned),
            at,
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let blocked = match self.is_blocker() {
            true => "blocked: ",
            false => "",
        };
        let suggested = after("; suggested: ", self.suggested_action.as_deref());
        let since = after("; paused by another tool since ", self.since.as_deref());
        format!("{blocked}{}{suggested}{since}", self.reason).into()
    }
}

impl Event {
    /// What is known of the goal while it rests by this event; nothing of an event that lets no goal
    /// rest.
    pub(in crate::domain) fn pause(&self) -> Option<Pause> {
        match &self.payload {
            Payload::GoalPaused(paused) => Some(paused.pause(self)),
            Payload::GoalBlocked(blocked) => Some(GoalPaused::because(&blocked.reason).pause(self)),
            _ => None,
        }
    }
}

plain! {
    /// Work waits for something outside, until that moment or somebody's next act on the goal.
    GoalWaiting { reason: String, ; until: String, }
}

impl GoalWaiting {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.wait = Some(Wait {
            reason: self.reason.clone(),
            until: self.until.clone(),
            by: origin.by,
            at: origin.at.to_owned(),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let until = after("; until ", self.until.as_deref());
        format!("{}{until}", self.reason).into()
    }
}

impl GoalResumed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.runs.be_taken_up();
        goal.tasks.failed_plans = 0;
        goal.runs.renew();
    }
}

plain! {
    /// The goal was given up.
    GoalAborted { reason: String, ; archive_path: String, outcome: AbortOutcome, }
    /// Another tool's failure. Read, never written.
    GoalFailed { ; reason: String, }
    /// Another tool's abandonment. Read, never written.
    GoalAbandoned { reason: String, }
    /// Another tool moved the document of an ended goal. Read, never written.
    GoalArchived { archive_path: String, }
}

impl GoalAborted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(Some(&self.reason));
        goal.archive_path.clone_from(&self.archive_path);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let outcome = match self.outcome {
            None => "",
            Some(AbortOutcome::Failed) => "failed: ",
            Some(AbortOutcome::Abandoned) => "abandoned: ",
        };
        format!("{outcome}{}", self.reason).into()
    }
}

impl GoalFailed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(self.reason.as_deref());
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        self.reason.as_deref().unwrap_or_default().into()
    }
}

impl GoalAbandoned {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(Some(&self.reason));
    }
}

impl GoalArchived {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        if !goal.status.is_open() {
            goal.archive_path = Some(self.archive_path.clone());
        }
    }
}
