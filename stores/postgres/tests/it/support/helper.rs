//! The program as `goal` starts it: requests to its stdin, answers from its stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

pub struct Helper {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// An answer: the lines of data, and the last line.
#[derive(Debug)]
pub struct Answer {
    pub data: Vec<Value>,
    pub last: Value,
}

impl Answer {
    /// The code of the error, or `ok`.
    pub fn code(&self) -> &str {
        match self.last["ok"].as_bool() {
            Some(true) => "ok",
            _ => self.last["error"]["code"].as_str().unwrap(),
        }
    }

    pub fn end(&self) -> u64 {
        self.last["end"]
            .as_u64()
            .unwrap_or_else(|| panic!("no end: {self:?}"))
    }

    /// The lines of the ledger.
    pub fn lines(&self) -> Vec<&str> {
        self.data
            .iter()
            .map(|it| it["line"].as_str().unwrap())
            .collect()
    }
}

/// The program with this connection and nothing else of the environment.
pub fn command(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_goal-store-postgres"));
    command
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("GOAL_STORE_POSTGRES", url);
    command
}

/// Runs a command of the program, which must succeed.
pub fn run(url: &str, arguments: &[&str]) -> String {
    let done = command(url).args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", said(&done));
    String::from_utf8(done.stdout).unwrap()
}

/// What a command wrote to stderr.
pub fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

impl Helper {
    pub fn start(url: &str) -> Self {
        Self::of(command(url))
    }

    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Helper {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// The answer; `None` where the program ended without one.
    pub fn try_ask(&mut self, request: &Value) -> Option<Answer> {
        self.send(request)?;
        self.answer()
    }

    pub fn ask(&mut self, request: Value) -> Answer {
        self.try_ask(&request)
            .unwrap_or_else(|| panic!("no answer to {request}"))
    }

    pub fn send(&mut self, request: &Value) -> Option<()> {
        writeln!(self.stdin.as_mut()?, "{request}").ok()
    }

    pub fn answer(&mut self) -> Option<Answer> {
        let mut data = Vec::new();
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
                return None;
            }
            let value: Value = serde_json::from_str(&line).unwrap();
            if value.get("ok").is_some() || value.get("error").is_some() {
                return Some(Answer { data, last: value });
            }
            data.push(value);
        }
    }

    /// Counts the lines of data of an answer and keeps none.
    pub fn skip_answer(&mut self) -> usize {
        let mut line = String::new();
        for count in 0.. {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no answer");
            if line.starts_with("{\"ok\":true") {
                return count;
            }
        }
        0
    }

    pub fn create(&mut self, ledger: &str) {
        let made = self.ask(json!({"verb": "create", "ledger": ledger}));
        assert_eq!(made.code(), "ok", "{made:?}");
    }

    pub fn begin(&mut self, ledger: &str, from: u64) -> Answer {
        self.ask(begin(ledger, from))
    }

    pub fn append(&mut self, after: u64, lines: &[(Option<&str>, &str)]) -> Answer {
        self.ask(append(after, lines))
    }

    pub fn read(&mut self, ledger: &str) -> Answer {
        self.ask(json!({"verb": "watch", "ledger": ledger, "from": 0, "waitMs": 0}))
    }

    /// Appends one line in a turn of its own.
    pub fn add(&mut self, ledger: &str, id: &str, line: &str) -> Answer {
        let begun = self.ask(begin(ledger, 0));
        self.append(begun.end(), &[(Some(id), line)])
    }
}

pub fn begin(ledger: &str, from: u64) -> Value {
    json!({"verb": "begin", "ledger": ledger, "from": from, "waitMs": 30000})
}

pub fn append(after: u64, lines: &[(Option<&str>, &str)]) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|(id, line)| json!({"id": id, "line": line}))
        .collect();
    json!({"verb": "append", "after": after, "lines": lines})
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.stdin = None;
        // It may have been killed by its test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
