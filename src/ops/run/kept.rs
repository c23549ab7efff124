//! Keeping what a turn leaves behind: its prompt, its output, how it went, and the agent's last words. A
//! turn that cannot be kept is told of, and stops nothing.

use anstream::adapter::strip_str;

use super::{RunUpdate, Runner};
use crate::domain::goal::state::Goal;
use crate::domain::redact::redact;
use crate::domain::time;
use crate::domain::verdict::tail;
use crate::ops::run::iteration::Unit;
use crate::process::Finished;
use crate::render::amounts::spent;
use crate::render::text::clean;
use crate::roles::checks::Outcome;
use crate::workspace::files;
use crate::workspace::turns::{CheckRecord, Streams, TurnDir, TurnRecord};
use crate::workspace::worktree::Fingerprint;

/// Most bytes of an agent's last words, and of the text from whose end they are taken.
const SAID: usize = 2 * 1024;
const LOOKED_AT: usize = 32 * 1024;

/// A turn under way.
pub(super) struct Turning {
    dir: Option<TurnDir>,
    record: TurnRecord,
    before: Option<Fingerprint>,
    /// How what `progressPaths` names stood, where it names something; nothing where that cannot be told.
    declared: Option<Option<String>>,
}

impl Turning {
    /// Where what the agent writes can be looked at meanwhile.
    pub(super) fn streams(&self) -> Option<Streams> {
        self.dir.as_ref().map(TurnDir::streams)
    }
}

impl Runner<'_> {
    /// Begins to keep the turn of this number.
    pub(super) fn keep(&self, unit: &Unit, number: u64, prompt: &str) -> Turning {
        let workspace = &self.call.workspace;
        let before = self.files.take().or_else(|| workspace.fingerprint());
        let dir = TurnDir::begin(&workspace.paths, &self.run_id, number, prompt);
        if let Err(error) = &dir {
            let said = format!("What this turn leaves behind is not kept: {error}");
            self.watch.say(clean(&said));
        }
        Turning {
            dir: dir.ok(),
            record: TurnRecord {
                run_id: self.run_id.clone(),
                goal_id: self.id.to_string(),
                task_id: unit.task.clone(),
                started_at: time::rfc3339(workspace.environment.now_millis()),
                seconds: 0.0,
                ending: String::new(),
                changed: None,
                head_before: before.as_ref().and_then(|it| it.head().cloned()),
                head_after: None,
                limited: None,
                checks: Vec::new(),
            },
            before,
            declared: self.declared(),
        }
    }

    /// How what `progressPaths` names stands.
    fn declared(&self) -> Option<Option<String>> {
        let paths = &self.settings.progress_paths.value.0;
        let look = || files::declared(&self.call.workspace.root.path, paths);
        (!paths.is_empty()).then(look)
    }

    /// Keeps what the agent wrote, and says whether its turn changed the work tree.
    pub(super) fn wrote(&self, turning: &mut Turning, finished: &Finished) -> Option<bool> {
        let after = self.call.workspace.fingerprint();
        let before = turning.before.as_ref();
        let changed = before.map(|before| after.as_ref() != Some(before));
        // Git shows nothing of what it ignores.
        let changed = match turning
            .declared
            .as_ref()
            .map(|before| (before, self.declared()))
        {
            Some((Some(before), Some(Some(after)))) if *before == after => changed,
            Some((Some(_), Some(Some(_)))) => Some(true),
            Some(_) => changed.filter(|changed| *changed),
            None => changed,
        };
        let record = &mut turning.record;
        record.seconds = finished.duration.as_secs_f64();
        record.ending = finished.ending.said(self.agent.timeout.value);
        record.changed = changed;
        record.head_after = after.as_ref().and_then(|it| it.head().cloned());
        self.files.replace(after);
        if let Some(dir) = &turning.dir {
            // Said when it could not be begun; a disk may be full by now.
            let _unkept = dir.wrote(&finished.stdout, &finished.stderr_tail);
            let _unkept = dir.end(record);
        }
        changed
    }

    /// Keeps the commit that the runner made of the turn.
    pub(super) fn committed_as(&self, turning: &mut Turning, head: String) {
        turning.record.head_after = Some(head);
        if let Some(dir) = &turning.dir {
            let _unkept = dir.end(&turning.record);
        }
    }

    /// Keeps what the turn came to.
    pub(super) fn ended(&self, turning: &mut Turning, checks: &[Outcome], limited: Option<String>) {
        let checks = checks.iter().map(|outcome| CheckRecord {
            name: outcome.name.clone(),
            pass: outcome.pass,
            seconds: outcome.duration.as_secs_f64(),
            output: outcome.report.clone(),
        });
        turning.record.checks = checks.collect();
        // A limit that was not waited for any more stays on record.
        turning.record.limited = limited.or(turning.record.limited.take());
        if let Some(dir) = &turning.dir {
            let _unkept = dir.end(&turning.record);
        }
    }

    /// Says in a line how a turn went, for those who look at no terminal.
    pub(super) fn tell_turn(&self, goal: &Goal, finished: &Finished, checks: &[Outcome]) {
        let run = goal.runs.open.as_ref();
        let turn = run.map_or(0, |run| run.counts.iterations);
        let of = run.and_then(|run| run.max_iterations);
        let of = of.map_or_else(String::new, |most| format!(" of {most}"));
        let failed = checks.iter().filter(|outcome| !outcome.pass);
        let failed: Vec<&str> = failed.map(|outcome| outcome.name.as_str()).collect();
        let how = match (checks.is_empty(), failed.is_empty()) {
            (true, _) => "no checks".to_owned(),
            (false, true) => "all checks pass".to_owned(),
            (false, false) => format!("failed: {}", failed.join(", ")),
        };
        let empty = run.map_or(0, |run| run.counts.empty);
        let progress = match empty {
            0 => "",
            _ => ", no progress",
        };
        let took = spent(finished.duration);
        let now = time::rfc3339(self.call.workspace.environment.now_millis());
        // Of the time of day the seconds are enough.
        let at = now.get(11..19).unwrap_or(&now);
        let said = format!("{at} UTC  turn {turn}{of}: {took}, {how}{progress}");
        self.watch.tell(RunUpdate::Turn(clean(&said)));
    }
}

/// The end of what an agent wrote, without secrets of well-known shapes and without these promises;
/// nothing where it wrote nothing else.
pub(super) fn last_words(output: &str, promises: &[String]) -> Option<String> {
    let plain = strip_str(&tail(output, LOOKED_AT)).to_string();
    // Filtered before it is cut to size: of half a secret the filter knows nothing.
    let end = redact(&clean(&plain)).text.into_owned();
    let is_promise = |line: &&str| promises.iter().any(|promise| promise == line.trim());
    let lines = end.lines().filter(|line| !is_promise(line));
    let said = lines.collect::<Vec<_>>().join("\n");
    let said = tail(said.trim(), SAID).trim().to_owned();
    (!said.is_empty()).then_some(said)
}
