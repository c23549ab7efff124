//! The tour: a project of its own in a temporary directory, and the real program at work in it.
//!
//! Every line that is shown is handed to a shell as it stands there, so nothing can be shown that
//! was not run. A step that behaves other than expected ends the tour, which makes it a smoke test.

mod script;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::{env, fs};

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;
use tempfile::TempDir;

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use script::{FIRST_GOAL, Planned, STEPS};

/// The auditor of the tour.
const AUDITOR: &str = include_str!("auditor.sh");

/// A step that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What it is about; empty when it goes with the step before.
    pub explanation: String,
    /// What was typed at a shell.
    pub command: String,
    /// Its exit code; null when a signal ended it.
    pub exit_code: Option<i32>,
    /// What it wrote, stdout and stderr as they came.
    pub output: String,
}

/// The outcome of `tour`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Toured {
    /// The steps that were taken; nothing was taken after a surprise.
    pub steps: Vec<Step>,
    /// How the last step differs from what was expected; null when all went as it should.
    pub surprise: Option<String>,
}

/// Takes all steps, and passes each on as soon as it is taken. The directory is gone afterwards.
///
/// # Errors
/// The directory cannot be made or removed, no shell can be started, or `on_step` fails.
pub fn tour(
    call: &Call,
    on_step: &mut dyn FnMut(&Step) -> Result<(), Failure>,
) -> Result<Toured, Failure> {
    let hint = "the tour needs a temporary directory that it may write, and `/bin/sh`";
    let search_path = call.workspace.environment.search_path.as_deref();
    let usual = OsStr::new("/usr/local/bin:/usr/bin:/bin");
    let stage =
        Stage::set_up(search_path.unwrap_or(usual)).map_err(|error| Failure::io(&error, hint))?;
    let mut toured = Toured {
        steps: Vec::new(),
        surprise: None,
    };
    for planned in STEPS {
        let command = stage.typed(planned)?;
        let (exit_code, output) = stage
            .run(&command)
            .map_err(|error| Failure::io(&error, hint))?;
        let step = Step {
            explanation: planned.explanation.to_owned(),
            command,
            exit_code,
            output,
        };
        on_step(&step)?;
        toured.surprise = surprise(planned, &step);
        toured.steps.push(step);
        if toured.surprise.is_some() {
            break;
        }
    }
    stage.dir.close()?;
    Ok(toured)
}

/// How a step differs from its plan.
fn surprise(planned: &Planned, step: &Step) -> Option<String> {
    let line = step.command.lines().next().unwrap_or_default();
    let command = line.trim_end_matches([' ', '\\']);
    if step.exit_code != Some(planned.exit) {
        let ended = match step.exit_code {
            Some(code) => format!("exited with {code}"),
            None => "was killed by a signal".to_owned(),
        };
        let wanted = planned.exit;
        return Some(format!(
            "`{command}` {ended} and should have exited with {wanted}"
        ));
    }
    let mut shows = planned.shows.iter();
    let missing = shows.find(|text| !step.output.contains(**text))?;
    Some(format!("`{command}` did not print `{missing}`"))
}

/// The tour's own world: a project, and a home whose configuration names the auditor.
struct Stage {
    dir: TempDir,
    project: Utf8PathBuf,
    home: Utf8PathBuf,
    path: OsString,
}

impl Stage {
    /// Makes all of it. `search_path` is where programs like `ls` are looked for.
    fn set_up(search_path: &OsStr) -> io::Result<Stage> {
        let dir = tempfile::Builder::new().prefix("goal-tour-").tempdir()?;
        let top = Utf8PathBuf::try_from(dir.path().canonicalize()?).map_err(io::Error::other)?;
        let (project, home, bin) = (top.join("project"), top.join("home"), top.join("bin"));
        for made in [&project, &home.join(".config/goal"), &bin] {
            fs::create_dir_all(made)?;
        }
        let auditor = home.join("auditor.sh");
        fs::write(&auditor, AUDITOR)?;
        // A JSON string is a TOML string. `/bin/sh` reads the script also where nothing in the
        // temporary directory may be executed.
        let auditor = serde_json::to_string(&auditor)?;
        fs::write(
            home.join(".config/goal/config.toml"),
            format!("[auditor]\ncommand = [\"/bin/sh\", {auditor}]\n"),
        )?;
        // Unix only, as the shell is.
        symlink(env::current_exe()?, bin.join("goal"))?;
        let all = std::iter::once(bin.into_std_path_buf()).chain(env::split_paths(search_path));
        let path = env::join_paths(all).map_err(io::Error::other)?;
        Ok(Stage {
            dir,
            project,
            home,
            path,
        })
    }

    /// The step's command with the id of the goal it is about.
    fn typed(&self, planned: &Planned) -> Result<String, Failure> {
        if !planned.command.contains(FIRST_GOAL) {
            return Ok(planned.command.to_owned());
        }
        let snapshot = Snapshot::read(&Paths::new(&self.project))?;
        let goals = snapshot.state.in_order();
        let first = goals.first().map(|goal| goal.id.to_string());
        Ok(planned
            .command
            .replace(FIRST_GOAL, &first.unwrap_or_default()))
    }

    /// Runs a line in a shell, as a user whose agents, settings and projects are all elsewhere.
    fn run(&self, line: &str) -> io::Result<(Option<i32>, String)> {
        // One pipe for both streams keeps what was written in the order it was written in.
        let (mut reader, writer) = io::pipe()?;
        let mut child = Command::new("/bin/sh")
            .args(["-c", line])
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", self.home.join(".config"))
            .env("XDG_STATE_HOME", self.home.join(".local/state"))
            .env("GOAL_ACTOR", "user")
            // A project of someone else's above the temporary directory must not be found.
            .env("GOAL_ROOT", &self.project)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()?;
        let mut output = Vec::new();
        reader.read_to_end(&mut output)?;
        let exit_code = child.wait()?.code();
        Ok((exit_code, String::from_utf8_lossy(&output).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned() -> Planned {
        Planned {
            explanation: "",
            command: "goal list",
            exit: 0,
            shows: &["active"],
        }
    }

    fn step(exit_code: Option<i32>, output: &str) -> Step {
        Step {
            explanation: String::new(),
            command: "goal list".into(),
            exit_code,
            output: output.into(),
        }
    }

    #[test]
    fn only_what_was_expected_is_no_surprise() {
        let surprise = |exit, output| surprise(&planned(), &step(exit, output));
        assert_eq!(surprise(Some(0), "one active goal"), None);
        assert_eq!(
            surprise(Some(5), "one active goal").unwrap(),
            "`goal list` exited with 5 and should have exited with 0"
        );
        assert_eq!(
            surprise(None, "one active goal").unwrap(),
            "`goal list` was killed by a signal and should have exited with 0"
        );
        assert_eq!(
            surprise(Some(0), "no goals").unwrap(),
            "`goal list` did not print `active`"
        );
    }

    #[test]
    fn the_stage_knows_nothing_of_the_world_around_it() {
        let stage = Stage::set_up("/usr/bin:/bin".as_ref()).unwrap();
        let (code, output) = stage
            .run("env | cut -d= -f1 | sort; echo >&2 last")
            .unwrap();
        assert_eq!(code, Some(0));
        let own = ["GOAL_ACTOR", "GOAL_ROOT", "HOME", "PATH", "XDG_CONFIG_HOME"];
        for name in own {
            assert!(output.lines().any(|line| line == name), "{output}");
        }
        assert!(!output.contains("CARGO"), "{output}");
        assert!(output.ends_with("last\n"), "{output}");
        let top = stage.dir.path().to_owned();
        drop(stage);
        assert!(!top.exists());
    }
}
