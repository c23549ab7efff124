//! Tells the person at once of what began to wait with a write: the command of `[notify]` in their
//! own configuration. It runs by itself, so that nobody waits for it and nothing depends on it.

use std::env;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::{Facts, News, makes_news, news};
use crate::domain::goal::row::Row;
use crate::ops::attention::thresholds;
use crate::ops::call::Call;
use crate::process::{self, Invocation};
use crate::snapshot::Snapshot;
use crate::transaction::Receipt;
use crate::workspace::config::resolve;

/// The command of this program between a write and the person's command.
pub const COMMAND: &str = "__notify";

/// How long the person's command may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// The most of an agent's words that is passed on: it fits into a pipe that nobody reads yet.
const WORDS: usize = 2_000;
/// What is read of the command's output, which nobody sees.
const OUTPUT: usize = 1 << 20;

/// What the person's command reads on stdin: one line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// `goal/notification/1`
    pub schema: &'static str,
    /// The project's root.
    pub root: String,
    #[serde(flatten)]
    pub news: News,
}

/// Starts the person's command once for each thing that these events made news of. Whatever goes
/// wrong, the events are recorded.
pub fn notify(call: &Call, receipt: &Receipt, now: &Snapshot) {
    if receipt.repeated || !receipt.payloads().any(makes_news) {
        return;
    }
    let Ok(files) = call.workspace.config_files() else {
        return;
    };
    let keys = resolve(&files).keys.notify;
    let Some(command) = keys.command.map(|it| it.value.0) else {
        return;
    };
    if lies_in_project(call, &command) {
        return;
    }
    for news in of_receipt(call, receipt, now) {
        if keys.on.value.has(news.kind) {
            // Nobody is there to be told that the person cannot be told.
            let _best_effort = start(call, &command, news);
        }
    }
}

/// Whether the command runs something that came with the project, which is not started.
pub fn lies_in_project(call: &Call, command: &[String]) -> bool {
    call.workspace.has_own_file(command)
}

fn of_receipt(call: &Call, receipt: &Receipt, now: &Snapshot) -> Vec<News> {
    let Some(goal) = receipt.goal(now) else {
        return Vec::new();
    };
    let Ok(audited) = now.audited(goal) else {
        return Vec::new();
    };
    let row = Row::of(goal, audited);
    let facts = Facts {
        now: call.workspace.environment.now_millis(),
        thresholds: thresholds(call),
        ..Facts::default()
    };
    news(&receipt.events, &row, &facts)
}

/// Starts this program, which starts the command and ends it at its deadline.
fn start(call: &Call, command: &[String], mut news: News) -> io::Result<()> {
    news.reason = news.reason.chars().take(WORDS).collect();
    for choice in &mut news.choices {
        choice.label = choice.label.chars().take(WORDS / 10).collect();
    }
    let root = call.workspace.root.path.as_str();
    let notification = Notification {
        schema: "goal/notification/1",
        root: root.to_owned(),
        news,
    };
    let mut said = serde_json::to_vec(&notification)?;
    said.push(b'\n');
    let mut starter = Command::new(env::current_exe()?);
    starter
        .args(["--root", root, COMMAND, "--"])
        .args(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Ctrl-C is not for it.
    let mut child = starter.process_group(0).spawn()?;
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(&said));
    // A run goes on for hours, and each command that ended would stay in the list of processes.
    thread::spawn(move || child.wait());
    written.unwrap_or(Ok(()))
}

/// Runs the person's command with what is on stdin, for as long as it may take.
///
/// # Errors
/// It cannot be started.
pub fn run(call: &Call, argv: &[String]) -> io::Result<()> {
    let mut stdin = Vec::new();
    io::stdin().read_to_end(&mut stdin)?;
    let invocation = Invocation {
        argv: argv.to_vec(),
        cwd: call.workspace.root.path.clone(),
        stdin,
        stdout_cap: OUTPUT,
        deadline: DEADLINE,
        ..Invocation::default()
    };
    let ran = process::run(&invocation, &|| false);
    ran.map(drop).map_err(io::Error::other)
}
