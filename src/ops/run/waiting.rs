//! Waiting for a program that cannot work now: an agent at a rate limit of its host, an auditor that is
//! down. The wait is on the ledger, and is no iteration.

use std::time::Duration;

use super::Runner;
use crate::domain::command::Command;
use crate::domain::event::RunWaiting;
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge;
use crate::domain::iteration::state::Open;
use crate::domain::redact::redact;
use crate::domain::run::RunCommand;
use crate::domain::run::apply::AGENT;
use crate::domain::run::limited::{Limited, limited, pause};
use crate::domain::run::state::WaitsFor;
use crate::domain::verdict::tail;
use crate::ops::failure::Failure;
use crate::process::{Ending, Finished};
use crate::render::iteration::elapsed;
use crate::render::run::Bar;
use crate::render::text::{clean, one_line, short};

/// Most bytes of each stream that are looked at for a limit.
const LOOKED_AT: usize = 4 * 1024;

/// Most bytes of what the program said that are recorded.
const DETAIL: usize = 300;

/// The longest pause after a turn that failed.
const LONGEST_AFTER_FAILURE: Duration = Duration::from_secs(60);

impl Runner<'_> {
    /// The limit of its host that an agent was at, if it was. What it said counts where it failed by
    /// itself, or where nothing came of the turn, it said little and promised nothing: agents also work
    /// on rate limits.
    pub(super) fn limit(&self, open: &Open, finished: &Finished, idle: bool) -> Option<Limited> {
        let stdout = String::from_utf8_lossy(&finished.stdout);
        let promised = || judge::find(&stdout, &open.promises).is_some();
        let counts = match finished.ending {
            Ending::Exited(0) => idle && stdout.len() <= LOOKED_AT && !promised(),
            Ending::Exited(_) | Ending::Signalled(_) => true,
            Ending::TimedOut | Ending::Cancelled => false,
        };
        let text = |bytes: &[u8]| tail(&clean(&String::from_utf8_lossy(bytes)), LOOKED_AT);
        let said = format!(
            "{}\n{}",
            text(&finished.stdout),
            text(&finished.stderr_tail)
        );
        let more = self.settings.rate_limits.value.compiled();
        limited(&said, &more).filter(|_| counts)
    }

    /// Waits before the program is tried again; not where it has been waited for as long as is
    /// allowed. Says whether it waited.
    pub(super) fn wait_for(
        &self,
        goal: &Goal,
        waits_for: WaitsFor,
        limit: &Limited,
    ) -> Result<bool, Failure> {
        let Some(run) = &goal.runs.open else {
            return Ok(false);
        };
        let left = self.bounds().retry_for.saturating_sub(run.counts.waited);
        if left == 0 {
            return Ok(false);
        }
        let entropy = self.call.workspace.environment.entropy();
        let seconds = pause(run.counts.waits, limit.after, entropy).min(left);
        let detail = short(&one_line(&redact(&limit.line).text), DETAIL);
        let (phase, what) = match waits_for {
            WaitsFor::Agent => ("waiting: rate limit", "The agent is at a limit of its host"),
            WaitsFor::Auditor => ("waiting: auditor down", "The auditor cannot work now"),
        };
        let again = elapsed(seconds.saturating_mul(1000));
        self.watch
            .say(format!("{what} ({detail}). The next try is in {again}."));
        self.as_system(Command::Run(RunCommand::Wait(RunWaiting {
            run_id: self.run_id.clone(),
            cause: waits_for.name().to_owned(),
            seconds,
            detail: Some(detail).filter(|it| !it.is_empty()),
        })))?;
        self.watch.show(Bar::of(goal, phase));
        self.rest(Duration::from_secs(seconds))?;
        Ok(true)
    }

    /// Waits a little where the agent's latest turns failed: 1 s, 2 s, 4 s and so on, at most a minute.
    pub(super) fn rest_after_failure(&self, goal: &Goal) -> Result<(), Failure> {
        let counts = goal.runs.open.as_ref().map(|run| &run.counts);
        let failed = counts.filter(|counts| counts.failing.contains_key(AGENT));
        let Some(counts) = failed else { return Ok(()) };
        let doubled = 1 << counts.failures.saturating_sub(1).min(16);
        self.watch.show(Bar::of(goal, "waiting after a failure"));
        self.rest(Duration::from_secs(doubled).min(LONGEST_AFTER_FAILURE))
    }
}
