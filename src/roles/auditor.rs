//! The auditor: which command it is, what it is asked, and what its answer comes to (DESIGN §5).

use std::time::Duration;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::rejection::Rejection;
use crate::domain::verdict::{Answer, Cause, Exit, Judgement, Verdict, head_and_tail, judge};
use crate::process::{Ending, Finished, Invocation, SpawnError, run};
use crate::render::text::clean;
use crate::workspace::Workspace;
use crate::workspace::config::{Choice, Config, Loaded, Source, resolve};
use crate::workspace::trust;

/// Of an auditor's stdout as much is judged, in bytes.
const STDOUT_CAP: usize = 1024 * 1024;

/// Of its stderr as much is kept when it fails, in bytes.
const STDERR_TAIL: usize = 4 * 1024;

/// Of its stdout this many of the last lines are kept for explanations, markers included.
const LAST_LINES: usize = 5;

/// An auditor that can be started, or why the one that is configured cannot.
#[derive(Debug, Clone, PartialEq)]
pub enum Choosing {
    Ready(Chosen),
    /// Configured, but invalid or not trusted: recorded as an `error`, never a silent approval.
    Unusable {
        cause: Cause,
        why: String,
    },
}

/// The command that judges.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub argv: Vec<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<String>,
    /// `project`, `user`, `environment` or `flag`.
    pub source: String,
    pub timeout: Duration,
}

/// What one call says about the auditor; both are the user's to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// `--auditor`
    pub auditor: Option<String>,
    /// `--auditor-timeout`
    pub timeout: Option<Duration>,
}

/// The auditor of this call; nothing when none is configured at all.
///
/// # Errors
/// An agent that chooses its own auditor.
pub fn choose(
    workspace: &Workspace,
    actor: Actor,
    wanted: &Wanted,
) -> Result<Option<Choosing>, Rejection> {
    let by_user = actor == Actor::User;
    if wanted.auditor.is_some() && !by_user {
        let say = "run `goal complete --auditor …` yourself to choose who audits".to_owned();
        return Err(Rejection::HumanOwned {
            act: "--auditor",
            say,
        });
    }
    let loaded = match workspace.config_files() {
        Ok(loaded) => loaded,
        Err(error) => {
            let cause = Cause::AuditorInvalid;
            return Ok(Some(Choosing::Unusable {
                cause,
                why: error.to_string(),
            }));
        }
    };
    let choice = Choice {
        flag: wanted.auditor.as_deref(),
        environment: workspace.environment.auditor.as_deref().filter(|_| by_user),
    };
    Ok(match resolve(&loaded, choice, &workspace.environment.cwd) {
        Err(error) => Some(Choosing::Unusable {
            cause: Cause::AuditorInvalid,
            why: error.to_string(),
        }),
        Ok(config) => chosen(workspace, actor, &loaded, &config, wanted.timeout),
    })
}

fn chosen(
    workspace: &Workspace,
    actor: Actor,
    loaded: &Loaded,
    config: &Config,
    timeout: Option<Duration>,
) -> Option<Choosing> {
    let auditor = config.auditor.as_ref()?;
    if auditor.source == Source::Project
        && let Err(why) = trusted(workspace, actor, loaded)
    {
        return Some(Choosing::Unusable {
            cause: Cause::AuditorUntrusted,
            why,
        });
    }
    let model = &auditor.value.model;
    Some(Choosing::Ready(Chosen {
        argv: auditor.value.argv.clone(),
        provider: model.provider.clone(),
        model: model.model.clone(),
        thinking: model.thinking.clone(),
        source: auditor.source.name().to_owned(),
        timeout: timeout.unwrap_or_else(|| auditor.timeout().value),
    }))
}

/// Whether commands of the project's configuration may run and templates of its own be used, or
/// why not.
pub fn trusted(workspace: &Workspace, actor: Actor, loaded: &Loaded) -> Result<(), String> {
    let asking = trust::asking(&workspace.paths, loaded.project.as_ref());
    let Some(project) = asking.map_err(|error| error.to_string())? else {
        return Ok(());
    };
    let Some(dirs) = &workspace.environment.dirs else {
        return Err("there is no home directory in which trust could be recorded".into());
    };
    let digest = trust::digest(&workspace.paths, &project).map_err(|error| error.to_string())?;
    let expected = workspace.environment.trust.as_deref();
    let root = &workspace.root.path;
    let standing = trust::standing(&dirs.state, root, &digest, expected, actor)
        .map_err(|error| error.to_string())?;
    match standing {
        standing if standing.is_trusted() => Ok(()),
        trust::Standing::Changed => Err("the project's configuration, one of its commands or \
             one of its templates changed since the user trusted it; the user runs `goal trust`"
            .into()),
        _ => Err(
            "the project brings commands or templates that the user has not trusted; the user \
             runs `goal trust`"
                .into(),
        ),
    }
}

/// What a started auditor came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    pub judgement: Judgement,
    pub exit_code: Option<i32>,
    pub duration: Duration,
    /// How its stdout ended, markers included, cleaned.
    pub stdout_end: String,
    /// How its stderr ended, cleaned. Never judged.
    pub stderr_end: String,
}

/// Runs the auditor in the project's root with `prompt` on its stdin, and judges its answer.
pub fn audit(chosen: &Chosen, root: &Utf8Path, prompt: &str, cancel: &dyn Fn() -> bool) -> Audit {
    let invocation = Invocation {
        argv: chosen.argv.clone(),
        cwd: root.to_owned(),
        env: vec![("GOAL_ACTOR".into(), "auditor".into())],
        stdin: prompt.as_bytes().to_vec(),
        stdout_cap: STDOUT_CAP,
        stderr_tail: STDERR_TAIL,
        deadline: chosen.timeout,
    };
    match run(&invocation, cancel) {
        Ok(finished) => judged(&finished),
        Err(error) => not_started(&error),
    }
}

fn judged(finished: &Finished) -> Audit {
    let exit = exit_of(finished.ending);
    let answer = Answer {
        exit,
        stdout: &finished.stdout,
        overflow: finished.overflow,
    };
    let mut judgement = judge(&answer);
    let stderr = clean(&String::from_utf8_lossy(&finished.stderr_tail));
    let stderr_end = head_and_tail(&stderr, STDERR_TAIL);
    if judgement.verdict == Verdict::Error && !stderr_end.is_empty() {
        // Never judged, but often the only word about what went wrong.
        judgement.report = format!(
            "{}\n\nIts stderr ended with:\n{stderr_end}",
            judgement.report
        );
    }
    let exit_code = match finished.ending {
        Ending::Exited(code) => Some(code),
        _ => None,
    };
    Audit {
        judgement,
        exit_code,
        duration: finished.duration,
        stdout_end: last_lines(&finished.stdout),
        stderr_end,
    }
}

fn last_lines(stdout: &[u8]) -> String {
    let text = clean(&String::from_utf8_lossy(stdout));
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    head_and_tail(&last, STDERR_TAIL)
}

/// How a process ended, in the words of the verdict.
fn exit_of(ending: Ending) -> Exit {
    match ending {
        Ending::Exited(code) => Exit::Code(code),
        Ending::Signalled(signal) => Exit::Signal(signal),
        Ending::TimedOut => Exit::TimedOut,
        Ending::Cancelled => Exit::Cancelled,
    }
}

fn not_started(error: &SpawnError) -> Audit {
    let judgement = Judgement {
        verdict: Verdict::Error,
        cause: Some(Cause::AuditorMissing),
        report: error.to_string(),
    };
    Audit {
        judgement,
        exit_code: None,
        duration: Duration::ZERO,
        stdout_end: String::new(),
        stderr_end: String::new(),
    }
}
