//! The end of a run: completion is requested, and the audit joined. What the auditor objects to is
//! in the next iteration's prompt.

use std::time::Duration;

use super::{Runner, is_of_the_goal};
use crate::domain::goal::state::Goal;
use crate::domain::run::limited::Limited;
use crate::domain::run::state::WaitsFor;
use crate::domain::run::stop::auditor_is_down;
use crate::domain::verdict::Verdict;
use crate::ops::complete::{CompletionOptions, complete_unless};
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::run::Bar;
use crate::render::text::one_line;

/// What the auditor is told the runner holds.
const SUMMARY: &str = "The runner requests completion: all checks pass, all tasks are done, or the agent says that the \
     work is complete.";

/// How long another's audit is let be before it is looked at again.
const A_MOMENT: Duration = Duration::from_millis(500);

impl Runner<'_> {
    /// Requests completion and waits for the verdict. An interruption cancels the audit. Where it
    /// cannot be requested, there is something left to do: the next iteration works on that.
    pub(super) fn audit(&mut self, goal: &Goal) -> Result<(), Failure> {
        let root = &self.call.workspace.root.path;
        if !root.is_dir() {
            // Nothing could be audited, and no auditor is to blame.
            let message = format!("the work tree {root} is not there any more");
            return Err(Failure::new(
                "io",
                message,
                "bring it back, then run the goal again",
            ));
        }
        self.watch.show(Bar::of(goal, "audit"));
        self.files.take();
        let asked = CompletionOptions {
            summary: Some(claim(goal)),
            by_runner: true,
            ..CompletionOptions::default()
        };
        let completed = complete_unless(self.call, &asked, &|| self.watch.must_cancel());
        self.watch.look()?;
        match completed {
            Ok(completed) if completed.verdict == Some(Verdict::Error) => {
                self.watch.say("The audit came to no verdict.");
                let goal = self.goal()?;
                let down = Limited {
                    line: said(&goal),
                    after: None,
                    lifted: None,
                };
                // An auditor that is down for a moment is up in another.
                if !auditor_is_down(&goal) || !self.wait_for(&goal, WaitsFor::Auditor, &down)? {
                    self.rest(self.settings.pause_between_checkpoints.value)?;
                }
            }
            // Nobody here can bring the audit about: working on would not help.
            Ok(completed) if completed.awaits_signature.is_some() => {
                if let Some(failure) = completed.failure() {
                    return Err(failure);
                }
            }
            Ok(_) => {}
            // What stopped the waiting stops the run.
            Err(failure) if failure.code == "interrupted" => {}
            // The audit of an earlier revision is not over yet; its verdict will be stale.
            Err(failure) if failure.code == "audit_running" => self.rest(A_MOMENT)?,
            Err(failure) if failure.code == "store_unreachable" => {
                if !self.waits_for_store() {
                    return Err(failure);
                }
            }
            Err(failure) if is_of_the_goal(&failure) => {
                let why = format!("Completion cannot be requested: {}", failure.message);
                self.watch.say(why);
                self.seen.refused = true;
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// What the latest audit said, in a line.
fn said(goal: &Goal) -> String {
    let report = goal.gate.result.as_ref().map(|it| it.report.as_str());
    report.map(one_line).unwrap_or_default()
}

/// What is claimed: the agent's last words are the report of the work.
fn claim(goal: &Goal) -> String {
    let counts = goal.runs.open.as_ref().map(|run| &run.counts);
    match counts.and_then(|counts| counts.said.as_ref()) {
        Some(said) => format!("{SUMMARY} The agent's last words:\n\n{said}"),
        None => SUMMARY.to_owned(),
    }
}
