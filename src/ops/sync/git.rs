//! Git as a program: its calls for a sync, on this machine and over a network.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use crate::ops::failure::Failure;
use crate::process::{self, Ending, Invocation};
use crate::render::text::one_line;
use crate::workspace::home::GitTree;

/// What git says on stderr is shown up to so many bytes.
const SAID: usize = 4 * 1024;

/// A repository, and git for it.
pub struct Git<'a> {
    program: String,
    /// Git's directory that all work trees share.
    common: Utf8PathBuf,
    /// Where paths of remotes begin.
    tree: Utf8PathBuf,
    /// Until when git may take for what it does over a network. Nothing where a person waits: they can
    /// stop it, and git may ask them for a password.
    until: Option<Instant>,
    /// Whether it is to be stopped.
    cancel: &'a dyn Fn() -> bool,
}

/// What git said when it failed.
pub struct Failed {
    pub said: String,
    pub stdout: String,
}

impl<'a> Git<'a> {
    /// `program` is git; it may take so long over the network as `patience` says.
    pub fn new(
        program: &Path,
        (tree, of_git): (&Utf8Path, &GitTree),
        patience: Option<Duration>,
        cancel: &'a dyn Fn() -> bool,
    ) -> Git<'a> {
        Git {
            program: program.to_string_lossy().into_owned(),
            common: of_git.common().to_owned(),
            tree: tree.to_owned(),
            until: patience.map(|patience| Instant::now() + patience),
            cancel,
        }
    }

    /// Where paths of remotes begin.
    pub fn tree(&self) -> &Utf8Path {
        &self.tree
    }

    /// Whether the time that git may take is over.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || (self.cancel)()
    }

    /// Runs git on this machine, and gives what it answers.
    ///
    /// # Errors
    /// Git fails.
    pub fn local(
        &self,
        args: &[&str],
        env: &[(&str, &str)],
        stdin: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let ran = self.run(args, env, stdin)?;
        if ran.status.success() {
            return Ok(ran.stdout);
        }
        let said = text(&ran.stderr);
        let said = match said.is_empty() {
            true => ran.status.to_string(),
            false => one_line(&said),
        };
        Err(Failure::new(
            "io",
            format!("`git {}` failed: {said}", args[0]),
            "nothing is lost, and what is recorded here stays; fix the cause, then run `goal sync` \
             again",
        ))
    }

    /// Runs git on this machine, however it ends. It is not watched: it ends by itself, and to be ended
    /// with us would cost as much as what it does.
    ///
    /// # Errors
    /// Git cannot be started.
    pub fn run(
        &self,
        args: &[&str],
        env: &[(&str, &str)],
        stdin: &[u8],
    ) -> Result<Output, Failure> {
        let started = self
            .command(args, env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let ran = started.and_then(|mut child| {
            let input = child.stdin.take();
            thread::scope(|scope| {
                scope.spawn(|| {
                    // Git may end without having read all of it, and says why.
                    let _unread = input.map(|mut it| it.write_all(stdin));
                });
                child.wait_with_output()
            })
        });
        ran.map_err(|error| Failure::io(&error, "install git, or put it on the PATH"))
    }

    /// Runs git over a network.
    ///
    /// # Errors
    /// Git fails, or is stopped.
    pub fn network(&self, args: &[&str]) -> Result<(), Failed> {
        let patient = ["http.lowSpeedLimit=1000", "http.lowSpeedTime=60"];
        let patient = patient.iter().flat_map(|it| ["-c", it]);
        let args: Vec<&str> = patient.chain(args.iter().copied()).collect();
        let Some(until) = self.until else {
            return self.at_terminal(&args);
        };
        let mut env = self.env();
        env.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
        let invocation = Invocation {
            argv: self.argv(&args),
            cwd: self.tree.clone(),
            env,
            stdout_cap: usize::MAX,
            stderr_tail: SAID,
            deadline: until.saturating_duration_since(Instant::now()),
            ..Invocation::default()
        };
        let ran = process::run(&invocation, self.cancel).map_err(|error| Failed {
            said: error.to_string(),
            stdout: String::new(),
        })?;
        if ran.ending == Ending::Exited(0) {
            return Ok(());
        }
        let said = text(&ran.stderr_tail);
        Err(Failed {
            said: match said.is_empty() {
                true => ran.ending.said(invocation.deadline),
                false => said,
            },
            stdout: text(&ran.stdout),
        })
    }

    /// Runs git where a person sees what it says and can answer: in their own process group, which alone
    /// may read from the terminal.
    fn at_terminal(&self, args: &[&str]) -> Result<(), Failed> {
        let ran = self.command(args, &[]).stderr(Stdio::inherit()).output();
        let (said, stdout) = match ran {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => (
                format!("git ended with {}", output.status),
                text(&output.stdout),
            ),
            Err(error) => (error.to_string(), String::new()),
        };
        Err(Failed { said, stdout })
    }

    fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let argv = self.argv(args);
        let mut command = Command::new(&argv[0]);
        command
            .args(&argv[1..])
            .current_dir(&self.tree)
            .envs(self.env())
            .envs(env.iter().copied());
        command
    }

    fn argv(&self, args: &[&str]) -> Vec<String> {
        // Neither hooks nor monitors of the project run, and git cleans up at another time.
        let settings = [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "maintenance.auto=false",
            "gc.auto=0",
            "push.pushOption=",
            "advice.pushUpdateRejected=false",
        ];
        let program = [self.program.as_str(), "--no-pager"].into_iter();
        let argv = program
            .chain(settings.iter().flat_map(|it| ["-c", it]))
            .chain(args.iter().copied());
        argv.map(str::to_owned).collect()
    }

    fn env(&self) -> Vec<(String, String)> {
        // Hooks of git set these for the repository that they run for, which may be another one.
        let objects = self.common.join("objects");
        let own = [
            ("GIT_DIR", self.common.as_str()),
            ("GIT_COMMON_DIR", self.common.as_str()),
            ("GIT_OBJECT_DIRECTORY", objects.as_str()),
            ("GIT_NAMESPACE", ""),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let keys = ["SSH_AUTH_SOCK", "SSH_AGENT_PID"];
        let keys = keys
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), env::var(key).ok()?)));
        own.into_iter().chain(keys).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
