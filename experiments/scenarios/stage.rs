//! Where a case is played: a project in git with a home of its own, and nothing else of the machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::case::Case;

/// For scripts: the first text under a key of the JSON on stdin.
const FIELD: &str = r#"grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4"#;

/// For scripts: one call of a tool over MCP, by its name and its arguments. Prints the answers to the
/// greeting and to the call, a line each; fails where there is no answer, or the answer is an error.
const MCP: &str = r#"
arguments=$(printf '%s' "${2:-{\}}" | tr '\n' ' ')
answers=$(
  {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"experiments","version":"1"}}}'
    printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$arguments"
  } | goal mcp --session "$SESSION"
)
printf '%s\n' "$answers"
case $answers in *'"isError":true'*) exit 1 ;; *'"isError":false'*) ;; *) exit 1 ;; esac
"#;

/// Who a script is run as.
pub enum Actor<'a> {
    User,
    /// The agent's host, which says nothing of itself when it runs a hook.
    Host,
    /// An agent in a session and a turn.
    Agent {
        session: &'a str,
        turn: &'a str,
    },
}

/// What a script left.
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// Nothing when a signal ended it.
    pub exit: Option<i32>,
}

/// A project to play in. Removed when dropped.
pub struct Stage {
    directory: TempDir,
    agent: Option<PathBuf>,
    /// How long the case may take, and when that is over.
    limit: Duration,
    until: Instant,
}

impl Stage {
    /// Lays out what the case begins with.
    pub fn set(case: &Case, goal: &Path, agent: Option<&Path>, limit: Duration) -> Result<Stage> {
        let agent = agent.map(Path::canonicalize).transpose();
        let stage = Stage {
            directory: tempfile::Builder::new().prefix("experiment-").tempdir()?,
            agent: agent.context("the agent command is not there")?,
            limit,
            until: Instant::now() + limit,
        };
        fs::create_dir_all(stage.project())?;
        fs::create_dir_all(stage.home())?;
        fs::create_dir_all(stage.scripts())?;
        std::os::unix::fs::symlink(goal, stage.scripts().join("goal"))?;
        write_script(&stage.scripts().join("field"), FIELD)?;
        write_script(&stage.scripts().join("mcp"), MCP)?;
        for (name, text) in &case.setup.scripts {
            write_script(&stage.scripts().join(name), text)?;
        }
        if let Some(agent) = &stage.agent {
            // What a run of the case calls its agent is the real one then.
            let _ = fs::remove_file(stage.scripts().join("agent"));
            std::os::unix::fs::symlink(agent, stage.scripts().join("agent"))?;
        }
        for (name, text) in &case.setup.files {
            let path = stage.project().join(name);
            fs::create_dir_all(path.parent().context("a file needs a name")?)?;
            fs::write(path, text)?;
        }
        let mut begin = String::from("set -e\ngit init -q\n");
        if !case.setup.config.is_empty() {
            let goals = stage.project().join(".pi/goals");
            fs::create_dir_all(&goals)?;
            fs::write(goals.join("config.toml"), &case.setup.config)?;
            begin.push_str("goal trust\n");
        }
        begin.push_str("git add -A\ngit commit -q --allow-empty -m begin\n");
        begin.push_str(&case.setup.user);
        let ran = stage.shell(&begin, &Actor::User, "")?;
        ensure!(
            ran.exit == Some(0),
            "the set-up fails:\n{}{}",
            ran.stdout,
            ran.stderr
        );
        Ok(stage)
    }

    /// The project's root.
    pub fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    fn scripts(&self) -> PathBuf {
        self.directory.path().join("scripts")
    }

    /// The real agent, if one plays.
    pub fn agent(&self) -> Option<&Path> {
        self.agent.as_deref()
    }

    /// Leaves the directory where it is.
    pub fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    /// Runs a script for `/bin/sh` in the project.
    pub fn shell(&self, script: &str, actor: &Actor<'_>, stdin: &str) -> Result<Ran> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script);
        self.run(command, actor, stdin)
    }

    /// Runs a command in the project and waits for it: for so long as the case may still take.
    ///
    /// # Errors
    /// It does not end in time; it and what it started are killed then.
    pub fn run(&self, mut command: Command, actor: &Actor<'_>, stdin: &str) -> Result<Ran> {
        command.current_dir(self.project());
        if self.agent.is_none() {
            command.env_clear();
        }
        command.envs(self.environment());
        match actor {
            Actor::User => command.env("GOAL_ACTOR", "user"),
            Actor::Host => command.env_remove("GOAL_ACTOR"),
            Actor::Agent { session, turn } => command
                .env("GOAL_ACTOR", "agent")
                .env("SESSION", session)
                .env("TURN", turn),
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("starting a script")?;
        let mut input = child.stdin.take().context("a script has a stdin")?;
        let (group, prompt) = (child.id(), stdin.to_owned());
        let (ended, end) = mpsc::channel();
        thread::spawn(move || {
            // A script need not read its prompt.
            let _ = input.write_all(prompt.as_bytes());
            drop(input);
            // Nobody waits for it any more once time is up.
            let _ = ended.send(child.wait_with_output());
        });
        let left = self.until.saturating_duration_since(Instant::now());
        let Ok(output) = end.recv_timeout(left) else {
            kill(group)?;
            bail!(
                "not over {} s after the case began, so it was killed",
                self.limit.as_secs_f64()
            );
        };
        let output = output?;
        Ok(Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit: output.status.code(),
        })
    }

    fn environment(&self) -> BTreeMap<String, String> {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let home = self.home();
        let old = std::env::var("PATH").unwrap_or_default();
        let mut all = BTreeMap::from([
            ("PATH".into(), format!("{}:{old}", path(self.scripts()))),
            ("SCRIPTS".into(), path(self.scripts())),
            ("XDG_CACHE_HOME".into(), path(home.join("cache"))),
            ("XDG_STATE_HOME".into(), path(home.join("state"))),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
        ]);
        for who in ["AUTHOR", "COMMITTER"] {
            all.insert(format!("GIT_{who}_NAME"), "ann".into());
            all.insert(format!("GIT_{who}_EMAIL"), "ann@example.org".into());
        }
        // A real agent finds its account in its own home.
        if self.agent.is_none() {
            all.insert("HOME".into(), path(home.clone()));
            all.insert("XDG_CONFIG_HOME".into(), path(home.join("config")));
        }
        all
    }
}

/// Kills a script and everything in its process group.
fn kill(group: u32) -> Result<()> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("kill -s KILL -- -{group}")]);
    // It may have ended in this very moment.
    command.output().context("killing a script")?;
    Ok(())
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    fs::write(path, format!("#!/bin/sh\n{text}"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}
