//! Waiting for a program that cannot work now: an agent at a rate limit of its host or whose process fails,
//! an auditor that is down. The wait is on the ledger, and is no iteration.

use std::time::Duration;

use jiff::tz::TimeZone;

use super::Runner;
use crate::domain::command::Command;
use crate::domain::event::RunWaiting;
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge;
use crate::domain::iteration::state::Open;
use crate::domain::redact::redact;
use crate::domain::run::RunCommand;
use crate::domain::run::apply::AGENT;
use crate::domain::run::limited::{LONGEST, Limited, is_barred, limited, pause, until_lifted};
use crate::domain::run::state::WaitsFor;
use crate::domain::time::{millis, rfc3339};
use crate::domain::verdict::tail;
use crate::ops::failure::Failure;
use crate::process::{Ending, Finished};
use crate::render::clock::moment;
use crate::render::iteration::elapsed;
use crate::render::run::Bar;
use crate::render::text::{clean, one_line, short};
use crate::render::waiting::waits;
use crate::workspace::presets::Preset;

/// Most bytes of each stream that are looked at for a limit.
const LOOKED_AT: usize = 4 * 1024;

/// Most bytes of what the program said that are recorded.
const DETAIL: usize = 300;

/// After so many waits in a row a moment that a host names is not believed any more.
const NAMED: u32 = 6;

/// The longest pause after a turn that failed.
const LONGEST_AFTER_FAILURE: Duration = Duration::from_secs(60);

/// How long a run waits in all for an agent that fails, where the turn before did not end well or there was
/// none: then it is more likely that the agent is not set up.
const AT_THE_START: u64 = 15 * 60;

/// A turn that ended, as far as waiting depends on it.
pub(super) struct Ended<'a> {
    pub finished: &'a Finished,
    /// How the agent's process failed, where it did.
    pub failed: Option<&'a str>,
    /// It recorded nothing and changed no file.
    pub idle: bool,
    /// When its host's limit is lifted, in seconds since 1970, where the host said so.
    pub lifted_at: Option<i64>,
}

impl Runner<'_> {
    /// Why the agent could not work in this turn, and what it said, where waiting may help.
    ///
    /// | the turn | and the agent | waits for |
    /// |---|---|---|
    /// | failed | says that its host is at a limit | the limit |
    /// | brought nothing, and ended well | says so in few words, and promised nothing | the limit |
    /// | brought nothing, and failed | says nothing that no later try mends | the agent |
    pub(super) fn kept_from_work(
        &self,
        open: &Open,
        turn: &Ended<'_>,
    ) -> Option<(WaitsFor, Limited)> {
        let finished = turn.finished;
        let text = |bytes: &[u8]| tail(&clean(&String::from_utf8_lossy(bytes)), LOOKED_AT);
        let said = format!(
            "{}\n{}\n{}",
            turn.failed.unwrap_or_default(),
            text(&finished.stdout),
            text(&finished.stderr_tail),
        );
        let stdout = String::from_utf8_lossy(&finished.stdout);
        // Agents also work on rate limits.
        let says_little = || {
            let promised = judge::find(&stdout, &open.promises).is_some();
            turn.idle && stdout.len() <= LOOKED_AT && !promised
        };
        let ended = match finished.ending {
            Ending::Exited(_) | Ending::Signalled(_) => turn.failed.is_some() || says_little(),
            Ending::TimedOut | Ending::Silent(_) | Ending::Cancelled => return None,
        };
        let more = self.settings.rate_limits.value.compiled();
        let now = self.call.workspace.environment.now_millis();
        let lifted = turn.lifted_at.and_then(|moment| until_lifted(moment, now));
        let of_text = limited(&said, &more, now, &TimeZone::system()).filter(|_| ended);
        let down = |how: &str| {
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            Limited {
                line: last.unwrap_or(how).trim().to_owned(),
                after: None,
                lifted,
            }
        };
        // What the host says beside its words holds in every language.
        match (of_text, turn.failed) {
            (Some(limit), _) => Some((
                WaitsFor::Agent,
                Limited {
                    lifted: lifted.or(limit.lifted),
                    ..limit
                },
            )),
            (None, Some(how)) if lifted.is_some() => Some((WaitsFor::Agent, down(how))),
            (None, failed) => {
                // A fallback that cannot work is no reason to end the run: the agent can, later.
                let may_help = self.resting.is_some() || !is_barred(&said);
                let how = failed.filter(|_| turn.idle && may_help)?;
                Some((WaitsFor::AgentDown, down(how)))
            }
        }
    }

    /// Lets the fallback work until the agent's host can work again, where there is one and it does not yet:
    /// then nothing is waited for. A fallback that cannot work either gives its place back, and is not asked
    /// again unless its host was at a limit. What is to be waited for.
    pub(super) fn hand_over(
        &mut self,
        goal: &Goal,
        waits_for: WaitsFor,
        limit: Limited,
    ) -> Result<Option<Limited>, Failure> {
        let environment = &self.call.workspace.environment;
        let (now, hurry) = (environment.now_millis(), environment.hurry);
        if let Some((agent, until)) = self.resting.take() {
            let fallback = std::mem::replace(&mut self.agent, agent);
            self.fallback = (waits_for == WaitsFor::Agent).then_some(fallback);
            let left = until.saturating_sub(now).max(0).unsigned_abs();
            let left = left.saturating_mul(hurry.into()) / 1000;
            let own = limit.lifted.or(limit.after);
            let sooner = own.map_or(left, |it| it.min(left));
            return Ok(Some(Limited {
                lifted: Some(sooner.max(1)),
                ..limit
            }));
        }
        if waits_for != WaitsFor::Agent || goal.runs.open.is_none() {
            return Ok(Some(limit));
        }
        let Some(fallback) = self.fallback.take() else {
            return Ok(Some(limit));
        };
        let seconds = limit.lifted.or(limit.after).unwrap_or(LONGEST);
        let span = Duration::from_secs(seconds) / hurry;
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        let moment = now.saturating_add(span);
        let who = fallback.preset.map(Preset::program).unwrap_or_default();
        let detail = short(&one_line(&redact(&limit.line).text), DETAIL);
        let again = elapsed(seconds.saturating_mul(1000));
        self.watch.say(format!(
            "The agent is at a limit of its host ({detail}). {who} works for the next {again}."
        ));
        let waiting = RunWaiting {
            run_id: self.run_id.clone(),
            cause: waits_for.name().to_owned(),
            seconds: 0,
            detail: Some(detail).filter(|it| !it.is_empty()),
            until: Some(rfc3339(moment)),
            fallback: Some(who.to_owned()),
        };
        let agent = std::mem::replace(&mut self.agent, fallback);
        self.resting = Some((agent, moment));
        self.as_system(Command::Run(RunCommand::Wait(waiting)))?;
        Ok(None)
    }

    /// Lets the agent work again once its host can.
    pub(super) fn take_back(&mut self) {
        let now = self.call.workspace.environment.now_millis();
        if let Some((agent, _)) = self.resting.take_if(|(_, until)| *until <= now) {
            self.fallback = Some(std::mem::replace(&mut self.agent, agent));
        }
    }

    /// Waits before the program is tried again; not where it has been waited for as long as is
    /// allowed. Says whether it waited, or the run is over before the next try.
    pub(super) fn wait_for(
        &self,
        goal: &Goal,
        waits_for: WaitsFor,
        limit: &Limited,
    ) -> Result<bool, Failure> {
        let Some(run) = &goal.runs.open else {
            return Ok(false);
        };
        let counts = &run.counts;
        let has_worked = counts.iterations > 0 && !counts.failing.contains_key(AGENT);
        let most = match (self.bounds().retry_for, waits_for) {
            (most, WaitsFor::AgentDown) if !has_worked => most.min(AT_THE_START),
            (most, _) => most,
        };
        let lifted = limit.lifted.filter(|_| most > 0 && counts.waits < NAMED);
        let left = most.saturating_sub(counts.waited);
        if lifted.is_none() && left == 0 {
            return Ok(false);
        }
        let environment = &self.call.workspace.environment;
        let chosen = || pause(counts.waits, limit.after, environment.entropy()).min(left);
        let seconds = lifted.unwrap_or_else(chosen);
        let detail = short(&one_line(&redact(&limit.line).text), DETAIL);
        let (phase, what) = match waits_for {
            WaitsFor::Agent => ("waiting: rate limit", "The agent is at a limit of its host"),
            WaitsFor::AgentDown => (
                "waiting: agent fails",
                "The agent failed and changed nothing",
            ),
            WaitsFor::Auditor => ("waiting: auditor down", "The auditor cannot work now"),
        };
        let again = elapsed(seconds.saturating_mul(1000));
        let is_over_before = |left| Duration::from_secs(seconds) > left;
        if self.time_left().is_some_and(is_over_before) {
            self.watch.say(format!(
                "{what} ({detail}). The next try would be in {again}, and the run is over before that."
            ));
            self.waits_too_long.set(true);
            return Ok(true);
        }
        self.watch
            .say(format!("{what} ({detail}). The next try is in {again}."));
        let until = lifted.map(|seconds| {
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            rfc3339(
                environment
                    .now_millis()
                    .saturating_add(seconds.saturating_mul(1000)),
            )
        });
        self.as_system(Command::Run(RunCommand::Wait(RunWaiting {
            run_id: self.run_id.clone(),
            cause: waits_for.name().to_owned(),
            seconds,
            detail: Some(detail).filter(|it| !it.is_empty()),
            until,
            fallback: None,
        })))?;
        self.watch.show(Bar::of(goal, phase));
        self.rest(Duration::from_secs(seconds))?;
        Ok(true)
    }

    /// Waits for what the goal waits for from outside, without a turn: until its time is over, somebody
    /// does something on the goal, or the run is over.
    pub(super) fn wait_outside(&self, goal: &Goal) -> Result<(), Failure> {
        let Some(wait) = goal.waits_for() else {
            return Ok(());
        };
        let waited_for = waits(wait, self.now(), moment);
        self.watch.show(Bar::of(goal, "waiting"));
        self.watch.say(format!("The goal waits for {waited_for}."));
        let until = wait.until.as_deref().and_then(millis);
        let left = until.map(|until| until.saturating_sub(self.now()).max(0).unsigned_abs());
        let left = left
            .map(Duration::from_millis)
            .into_iter()
            .chain(self.time_left())
            .min();
        let is_over = || {
            let goal = self.goal()?;
            Ok(goal.waits_now(self.now()).is_none())
        };
        self.watch.wait(left, &is_over)
    }

    /// Milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.call.workspace.environment.now_millis()
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
