//! The end of a run: completion is requested, and the audit joined. What the auditor objects to is
//! in the next iteration's prompt.

use super::{Runner, Told};
use crate::domain::goal::state::Goal;
use crate::domain::verdict::Verdict;
use crate::ops::complete::{Asked, complete_unless};
use crate::ops::failure::Failure;
use crate::render::run::Bar;

/// What the auditor is told the runner holds.
const SUMMARY: &str = "The runner requests completion: what was to be done is said to be done.";

impl Runner<'_> {
    /// Requests completion and waits for the verdict. An interruption cancels the audit.
    pub(super) fn audit(&mut self, goal: &Goal) -> Result<(), Failure> {
        self.watch.show(Bar::of(goal, "audit"));
        let asked = Asked {
            summary: Some(SUMMARY.to_owned()),
            by_runner: true,
            ..Asked::default()
        };
        let cancel = || self.watch.must_kill() || self.watch.interrupted();
        let completed = complete_unless(self.call, &asked, &cancel)?;
        self.watch.look()?;
        if completed.verdict == Some(Verdict::Error) {
            // An auditor that is down for a moment is up in another.
            self.watch.tell(Told::Say("The audit came to no verdict."));
            self.rest(self.settings.pause.value)?;
        }
        Ok(())
    }
}
