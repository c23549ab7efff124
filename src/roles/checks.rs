//! Checks: named commands of the configuration that tell whether something holds.
//!
//! A contract holds names only; nothing found in a ledger or a document is ever executed.

use std::env;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anstream::adapter::strip_str;
use camino::Utf8Path;
use regex::Regex;
use serde_json::{Map, Value};

use crate::domain::actor::Actor;
use crate::domain::verdict::{MARGIN, defang, head_and_tail, tail};
use crate::process::{Finished, Invocation, run};
use crate::render::text::clean;
use crate::roles::command::Configured;
use crate::workspace::Workspace;
use crate::workspace::config::{CheckInForce, CommandSource, Config, Criteria, Source};
use crate::workspace::judge::{digests, located, named as files_of};
use crate::workspace::readonly;

/// Of each of a check's two streams as much is kept, in bytes.
const OUTPUT: usize = 16 * 1024;

/// More of stdout than is kept, so that a talkative check is not killed for it.
const STDOUT_CAP: usize = 64 * 1024 * 1024;

/// Of stderr as much is looked at for a match.
const STDERR_READ: usize = 1024 * 1024;

/// What a check came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub name: String,
    pub pass: bool,
    pub exit_code: Option<i32>,
    /// How it ended, on the first line, and what it wrote to stderr and stdout, cleaned and cut.
    pub report: String,
    pub duration: Duration,
    /// It has a command, which was run.
    pub ran: bool,
    /// Its program and the files that its command line names, resolved, each with its digest from
    /// before it ran.
    pub programs: Map<String, Value>,
}

/// The commands of these checks; the names that have none come second. `default` is the deadline
/// of those that have none of their own.
pub fn named(
    names: &[String],
    config: &Config,
    default: Duration,
) -> (Vec<CheckInForce>, Vec<String>) {
    let mut runnable = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        match config.checks.get(name) {
            None => missing.push(name.clone()),
            Some(check) => {
                let mut check = check.clone();
                if check.timeout.source == Source::Default {
                    check.timeout.value = default;
                }
                runnable.push(check);
            }
        }
    }
    (runnable, missing)
}

/// A check's command, as trust sees it.
pub fn configured(check: &CheckInForce) -> Configured {
    Configured {
        table: CommandSource::Check(&check.name).to_string(),
        source: check.source,
    }
}

/// The outcome of a check that has no command: it fails, naming itself.
pub fn without_command(name: &str) -> Outcome {
    Outcome {
        name: name.to_owned(),
        report: format!("no command is configured for it; add `[checks.{name}]`"),
        ..Outcome::default()
    }
}

/// How the programs of a check that is about to run differ from those of the user's last own use,
/// for a call that is not theirs; each a sentence without its end.
pub fn objections(workspace: &Workspace, actor: Actor, check: &CheckInForce) -> Vec<String> {
    if actor == Actor::User {
        return Vec::new();
    }
    match workspace.last_use() {
        Ok(Some(last)) => {
            let search_path = workspace.environment.search_path.as_deref();
            let found = workspace.finds(&check.argv, search_path);
            last.objections_to_check(&check.name, &found)
        }
        Ok(None) => Vec::new(),
        Err(unusable) => vec![unusable.to_string()],
    }
}

/// Runs checks side by side, as many at once as there are cores. The outcomes are in the order of
/// the checks; `done` is told of each as it ends, from whatever thread that is.
pub fn all(
    checks: &[CheckInForce],
    root: &Utf8Path,
    cancel: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(&Outcome) + Sync),
) -> Vec<Outcome> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let outcomes: Vec<OnceLock<Outcome>> = checks.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        let take = || {
            let at = next.fetch_add(1, Ordering::Relaxed);
            checks.get(at).zip(outcomes.get(at))
        };
        while let Some((runnable, place)) = take() {
            let outcome = place.get_or_init(|| check(runnable, root, cancel));
            done(outcome);
        }
    };
    thread::scope(|scope| {
        for _ in 1..cores.min(checks.len()) {
            scope.spawn(work);
        }
        work();
    });
    let outcomes = outcomes.into_iter();
    outcomes.filter_map(OnceLock::into_inner).collect()
}

/// The files that a check's command line names, and its program, resolved, each with its digest.
pub fn made_of(check: &CheckInForce, root: &Utf8Path) -> Map<String, Value> {
    let search_path = env::var_os("PATH");
    let program = check.argv.first();
    let program = program.and_then(|name| located(name, root, search_path.as_deref()));
    let files = files_of(&check.argv, root, &check.cwd);
    digests(program.iter().chain(&files).map(|path| path.as_path()))
}

/// Runs a check below the project's root.
pub fn check(runnable: &CheckInForce, root: &Utf8Path, cancel: &dyn Fn() -> bool) -> Outcome {
    let criteria = &runnable.criteria;
    let programs = made_of(runnable, root);
    let invocation = Invocation {
        argv: runnable.argv.clone(),
        cwd: root.join(&runnable.cwd),
        env: readonly::child_environment(root),
        stdout_cap: STDOUT_CAP,
        stderr_tail: match criteria.stderr_matches {
            Some(_) => STDERR_READ,
            None => OUTPUT + MARGIN,
        },
        deadline: runnable.timeout.value,
        ..Invocation::default()
    };
    let outcome = |pass, exit_code, report, duration| Outcome {
        name: runnable.name.clone(),
        pass,
        exit_code,
        report,
        duration,
        ran: true,
        programs: programs.clone(),
    };
    let finished = match run(&invocation, cancel) {
        Ok(finished) => finished,
        Err(error) => return outcome(false, None, error.to_string(), Duration::ZERO),
    };
    let (how, exit_code) = ended(&finished, runnable.timeout.value);
    let unmet = unmet(criteria, &finished, exit_code);
    let text = |bytes: &[u8]| {
        // Cut before it is cleaned, which takes long for all of a flood; and after, since what
        // replaces a character may be longer than it.
        let text = head_and_tail(&String::from_utf8_lossy(bytes), OUTPUT);
        head_and_tail(clean(&defang(&text)).trim_end(), OUTPUT)
    };
    let end = |bytes: &[u8]| text(tail(&String::from_utf8_lossy(bytes), OUTPUT).as_bytes());
    let parts = [
        format!("{how}{}", unmet.as_deref().unwrap_or_default()),
        end(&finished.stderr_tail),
        text(&finished.stdout),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let pass = unmet.is_none();
    outcome(pass, exit_code, parts.join("\n"), finished.duration)
}

fn ended(finished: &Finished, timeout: Duration) -> (String, Option<i32>) {
    match finished.overflow {
        true => ("wrote more than 64 MiB and was stopped".to_owned(), None),
        false => (finished.ending.said(timeout), finished.ending.code()),
    }
}

/// The first criterion that is not met, as the end of a sentence that says how it ended; empty
/// where that is the criterion.
fn unmet(criteria: &Criteria, finished: &Finished, exit_code: Option<i32>) -> Option<String> {
    if exit_code != Some(criteria.exit_status) {
        return Some(match (exit_code, criteria.exit_status) {
            (None, _) | (_, 0) => String::new(),
            (Some(_), wanted) => format!(", not {wanted}"),
        });
    }
    for (stream, pattern, bytes) in [
        ("stdout", &criteria.stdout_matches, &finished.stdout),
        ("stderr", &criteria.stderr_matches, &finished.stderr_tail),
    ] {
        let Some(pattern) = pattern else { continue };
        let text = String::from_utf8_lossy(bytes);
        let text = strip_str(&text).to_string();
        // One that does not compile is none of ours; the configuration refuses it.
        let found = Regex::new(pattern).is_ok_and(|regex| regex.is_match(&text));
        if !found {
            return Some(format!(", and {stream} does not match `{pattern}`"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::workspace::config::Sourced;

    fn runnable(body: &str, criteria: Criteria) -> CheckInForce {
        CheckInForce {
            name: body.into(),
            argv: vec!["/bin/sh".into(), "-c".into(), body.into()],
            cwd: ".".into(),
            timeout: Sourced {
                value: Duration::from_secs(20),
                source: Source::User,
            },
            criteria,
            pinned: Vec::new(),
            source: Source::User,
        }
    }

    fn ran(body: &str, criteria: Criteria) -> Outcome {
        check(&runnable(body, criteria), Utf8Path::new("/"), &|| false)
    }

    #[test]
    fn every_criterion_must_be_met() {
        let exit = |exit_status| Criteria {
            exit_status,
            ..Criteria::default()
        };
        let stdout = |pattern: &str| Criteria {
            stdout_matches: Some(pattern.into()),
            ..Criteria::default()
        };
        let stderr = |pattern: &str| Criteria {
            stderr_matches: Some(pattern.into()),
            ..Criteria::default()
        };
        let colour = r"printf '\033[32m0 errors\033[0m\n'";
        for (body, criteria) in [
            ("exit 0", exit(0)),
            ("exit 3", exit(3)),
            (colour, stdout("(?m)^0 errors$")),
            ("echo 0 errors >&2", stderr("0 errors")),
        ] {
            assert!(ran(body, criteria).pass, "{body}");
        }
        for (body, criteria, first) in [
            ("exit 1", exit(0), "exit status 1"),
            ("exit 0", exit(3), "exit status 0, not 3"),
            ("kill -9 $$", exit(3), "killed by signal 9"),
            ("echo 0 errors; exit 1", stdout("0 errors"), "exit status 1"),
            (
                "echo 0 errors >&2",
                stdout("0"),
                "exit status 0, and stdout does not match `0`",
            ),
            (
                "echo 0 errors",
                stderr("0"),
                "exit status 0, and stderr does not match `0`",
            ),
        ] {
            let outcome = ran(body, criteria);
            assert!(!outcome.pass, "{body}");
            assert_eq!(outcome.report.lines().next(), Some(first), "{body}");
        }
        let both = ran("echo out; echo err >&2", exit(0));
        assert_eq!(both.report, "exit status 0\nerr\nout");
    }

    #[test]
    fn outcomes_stand_in_the_order_of_the_checks() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let mut checks: Vec<CheckInForce> = (0..6)
            .map(|number| runnable(&format!("exit {number}"), Criteria::default()))
            .collect();
        // The first waits for the last but one core's worth; alone it would never end.
        if thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
            let wait = "while [ ! -e go ]; do sleep 0.02; done";
            checks[0] = runnable(wait, Criteria::default());
            checks[5] = runnable(": >go; exit 5", Criteria::default());
        }
        let told = Mutex::new(0);
        let outcomes = all(&checks, root, &|| false, &|_| *told.lock().unwrap() += 1);
        let codes: Vec<_> = outcomes.iter().map(|it| it.exit_code.unwrap()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
        assert_eq!(*told.lock().unwrap(), 6);
        assert!(all(&[], root, &|| false, &|_| {}).is_empty());
    }
}
