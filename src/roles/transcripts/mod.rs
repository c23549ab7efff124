//! The transcript of a session, as a host writes it: a file of JSON lines, which grows. What is read
//! of it is whether the agent used tools since the user's last word, whether it worked on a goal with
//! them, and what its model cost. All of it is data, and a line that is not understood is passed over.

mod background;
mod claude;
mod codex;
mod copilot;
mod gemini;
mod spent;
mod subagents;

pub use spent::Spent;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use serde_json::Value;

use super::hosts::{number, uncached};
use crate::acts;

/// The most bytes that are read: the end of the file.
const MOST: u64 = 8 * 1024 * 1024;

/// Whose lines they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Claude,
    Codex,
    Gemini,
    Copilot,
}

/// Where a session's transcript is, and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    pub dialect: Dialect,
    pub path: Utf8PathBuf,
}

/// How long a stop is waited for that does not stand in the transcript yet, and how often it is looked for.
const PATIENCE: Duration = Duration::from_millis(500);
const INTERVAL: Duration = Duration::from_millis(20);

/// What a line tells.
#[derive(Debug, Clone, PartialEq)]
enum LineTold {
    /// What an answer of the model cost: the same answer has the same name.
    Cost {
        answer: String,
        counters: Vec<(&'static str, Option<f64>)>,
        model: Option<String>,
    },
    /// The user's own word.
    Word,
    /// The agent called a tool with these arguments.
    Call { tool: String, arguments: String },
    /// That call began something in the background, whose end wakes the agent.
    Begun { call: String, is_agent: bool },
    /// What a call came to: the host's name of what it began is in the text.
    Launched { call: String, text: String },
    /// A call came to nothing.
    Failed { call: String },
    /// Something in the background ended: its call or its name is in the text.
    Ended { text: String },
}

/// The end of a transcript, in whole lines.
#[derive(Debug, Clone)]
pub struct Tail {
    dialect: Dialect,
    /// Where it begins in the file.
    from: u64,
    text: String,
    /// Where the files of the session's subagents are, in a host that gives them some.
    subagents: Option<Utf8PathBuf>,
}

/// What the agent did since the user's last word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TranscriptTurn {
    pub used_tools: bool,
    /// One of them recorded something about a goal.
    pub on_a_goal: bool,
    /// One of them is the host's own, about a goal that only the host knows.
    pub on_a_goal_of_the_host: bool,
    /// Something runs in the background, and its end wakes the agent: an agent, or a command after which
    /// no other tool was used. A command may be a server that never ends.
    pub in_background: bool,
}

impl Transcript {
    /// The same where the host names it by `~/`, which stands for the user's home.
    #[must_use]
    pub fn below(self, home: &Utf8Path) -> Transcript {
        let path = match self.path.strip_prefix("~") {
            Ok(rest) => home.join(rest),
            Err(_) => self.path,
        };
        Transcript { path, ..self }
    }

    /// Reads the end in a hook of a stop. Copilot CLI writes its file behind what it does, about a tenth
    /// of a second later: so this waits until the stop stands in the file, but not for long.
    pub fn read_at_stop(&self) -> Option<Tail> {
        let until = Instant::now() + PATIENCE;
        loop {
            let tail = self.read();
            let is_written = || tail.as_ref().is_some_and(|it| copilot::stops(&it.text));
            if self.dialect != Dialect::Copilot || Instant::now() >= until || is_written() {
                return tail;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Reads the end; nothing where there is no such file.
    pub fn read(&self) -> Option<Tail> {
        let (from, bytes) = end_of(&self.path)?;
        let first = match from {
            0 => 0,
            // It begins in the middle of a line.
            _ => memchr::memchr(b'\n', &bytes)? + 1,
        };
        let last = memchr::memrchr(b'\n', &bytes).map_or(first, |at| at + 1);
        let whole = bytes.get(first..last)?;
        Some(Tail {
            dialect: self.dialect,
            from: from + first as u64,
            text: of_bytes(whole),
            subagents: subagents::directory(self.dialect, &self.path),
        })
    }
}

impl Transcript {
    /// Why it cannot be read; nothing where it can.
    pub fn unreadable(&self) -> Option<String> {
        let is_file = match self.path.metadata() {
            Ok(found) => found.is_file(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Some("it is not there".into());
            }
            Err(error) => return Some(error.to_string()),
        };
        match (is_file, File::open(&self.path)) {
            (false, _) => Some("it is no file".into()),
            (true, Err(error)) => Some(error.to_string()),
            (true, Ok(_)) => None,
        }
    }
}

/// The text of these bytes, of the same length: bytes that are no text become question marks.
fn of_bytes(bytes: &[u8]) -> String {
    let chunks = bytes.utf8_chunks();
    let chunks = chunks.map(|chunk| chunk.valid().to_owned() + &"?".repeat(chunk.invalid().len()));
    chunks.collect()
}

/// The last bytes of a file, and where they begin.
fn end_of(path: &Utf8Path) -> Option<(u64, Vec<u8>)> {
    let found = path.metadata().ok()?;
    if !found.is_file() {
        return None;
    }
    let from = found.len().saturating_sub(MOST);
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).ok()?;
    Some((from, bytes))
}

impl Tail {
    /// What the agent did since the user's last word; nothing where no such word is found.
    pub fn turn(&self) -> Option<TranscriptTurn> {
        let mut turn = None;
        let mut begun = Vec::new();
        for told in self.lines().flat_map(|(_, line)| self.told(&line)) {
            background::heed(&mut begun, &told);
            match told {
                LineTold::Word => turn = Some(TranscriptTurn::default()),
                LineTold::Call { tool, arguments } => {
                    if let Some(turn) = &mut turn {
                        turn.used_tools = true;
                        turn.on_a_goal |= records(&tool, &arguments);
                        turn.on_a_goal_of_the_host |= OF_HOSTS.contains(&tool.as_str());
                    }
                }
                _ => {}
            }
        }
        turn.map(|turn: TranscriptTurn| TranscriptTurn {
            in_background: background::is_any_under_way(&begun),
            ..turn
        })
    }

    /// Whether this text stands in what the model has before it: behind the latest compaction.
    pub fn has(&self, text: &str) -> bool {
        let from = self.compacted().unwrap_or(0);
        memmem::find(&self.text.as_bytes()[from..], text.as_bytes()).is_some()
    }

    /// Whether a compaction took this text away, and nobody has said it since.
    pub fn has_dropped(&self, text: &str) -> bool {
        self.compacted().is_some() && !self.has(text)
    }

    /// Where the latest compaction stands.
    fn compacted(&self) -> Option<usize> {
        let mark: &[u8] = match self.dialect {
            Dialect::Claude => b"\"compact_boundary\"",
            Dialect::Codex => b"\"type\":\"compacted\"",
            // All messages as they are from then on.
            Dialect::Gemini => b"{\"$set\":{\"messages\"",
            Dialect::Copilot => b"\"type\":\"session.compaction_complete\"",
        };
        memmem::rfind(self.text.as_bytes(), mark)
    }

    /// Its lines, and where each begins in the file.
    fn lines(&self) -> impl Iterator<Item = (u64, Value)> {
        let mut next = self.from;
        let lines = self.text.split_inclusive('\n').map(move |line| {
            let at = next;
            next += line.len() as u64;
            (at, line)
        });
        // The mark of a byte order may stand before the first line.
        let lines = lines.map(|(at, line)| (at, line.trim_start_matches('\u{feff}')));
        let lines = lines.filter(|(_, line)| line.starts_with('{'));
        lines.filter_map(|(at, line)| Some((at, serde_json::from_str(line).ok()?)))
    }

    fn told(&self, line: &Value) -> Vec<LineTold> {
        match self.dialect {
            Dialect::Claude => claude::told(line),
            Dialect::Codex => codex::told(line),
            Dialect::Gemini => gemini::told(line),
            Dialect::Copilot => copilot::told(line),
        }
    }
}

/// Tools by which hosts have goals of their own. Those of a server have its name before theirs.
const OF_HOSTS: [&str; 3] = ["create_goal", "get_goal", "update_goal"];

/// Tools of ours that record nothing.
pub const READING: [&str; 7] = [
    "create_goal",
    "get_goal",
    "get_goal_tasks",
    "goal_summary",
    "list_goals",
    "list_questions",
    "step_complete",
];

/// Commands of ours by which an agent records something about its goal. What else there is in the table
/// of commands is listed in its test.
pub const RECORDING: [&str; 32] = [
    "note",
    "wait",
    "task",
    "evidence",
    "complete",
    "block",
    "pause",
    "propose",
    "tweak",
    "ask",
    "agenda",
    "step",
    "iterate",
    "evaluate",
    "plan",
    "usage",
    "delegate",
    "abort",
    "set",
    "draft",
    "tool",
    "import",
    "progress",
    "baseline",
    "escalate",
    "review",
    "check",
    "interpret",
    "context",
    "fail",
    "abandon",
    "withdraw",
];

/// Whether a call records something about a goal: a tool of our server, or a command of ours in a shell.
fn records(tool: &str, arguments: &str) -> bool {
    if tool.starts_with("mcp") && tool.contains("goal") {
        let reads = |name: &&str| tool.ends_with(*name);
        let reading = READING.iter().copied();
        let mut reading = reading.flat_map(|it| [Some(it), acts::second_name(it)]);
        return !reading.any(|name| name.as_ref().is_some_and(reads));
    }
    memmem::find_iter(arguments.as_bytes(), b"goal ").any(|at| {
        let before = arguments[..at].chars().next_back();
        let is_a_word = before.is_none_or(|c| !c.is_alphanumeric() && !"-_.".contains(c));
        let after = arguments[at + "goal ".len()..].split_whitespace().next();
        let after = after.map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()));
        is_a_word && after.is_some_and(|word| RECORDING.contains(&word))
    })
}

/// The texts in the arguments of a call, as they are.
fn texts(value: &Value) -> String {
    let texts: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    texts.join("\n")
}

/// A text below these names.
fn text<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    let found = path.iter().try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
