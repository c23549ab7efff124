//! What an agent wanted recorded where the home of the ledger cannot be written, as in a sandbox that has the
//! work tree alone (docs/machines.md#sandboxes-and-containers). It waits in `.pi/goals/.pending.jsonl` of that
//! tree and is on record nowhere. The next command that records something in that tree takes it in: as the
//! agent's, whatever it says, and decided anew on the ledger as it is then.

use std::fs;
use std::io::{self, Read};
use std::time::Duration;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Request, TransactionError, decided, run_now};
use crate::documents::store::replace;
use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::GoalNoted;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::GoalId;
use crate::domain::redact::redact;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::state::TaskStatus;
use crate::domain::time::rfc3339;
use crate::ledger::lock::Lock;
use crate::ledger::open;
use crate::render::text::{count, one_line, short};
use crate::snapshot::Snapshot;
use crate::workspace::git::index_knows;
use crate::workspace::{Paths, Workspace};

const FILE: &str = ".pending.jsonl";

/// Most bytes that wait in a work tree.
const MOST: u64 = 1024 * 1024;

/// Most characters of what was refused that are told.
const TOLD: usize = 200;

/// One act that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    /// Its request key: whoever takes it in a second time records nothing.
    key: String,
    /// When it was asked for.
    at: String,
    session: Option<String>,
    goal: Option<GoalId>,
    act: Act,
}

/// What may wait: nothing that decides anything, and nothing that a lock or a lease guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Act {
    Note {
        note: String,
        next: Option<String>,
    },
    Evidence {
        task: Option<String>,
        items: Vec<(EvidenceKey, Value)>,
        source: String,
    },
    Task {
        id: String,
        becomes: TaskStatus,
        reason: String,
        evidence: Option<String>,
        summary: Option<String>,
    },
    Propose {
        draft: Option<String>,
        fresh: String,
        mode: Option<DraftMode>,
        contract: Box<ContractChange>,
    },
    Change {
        change: Box<ContractChange>,
        summary: String,
        draft: Option<String>,
        fresh: String,
    },
}

impl Act {
    /// The act of this command, where it may wait.
    fn of(command: &Command) -> Option<Act> {
        Some(match command.clone() {
            Command::Note(GoalNoted { note, next }) => Act::Note { note, next },
            Command::Propose {
                draft,
                fresh,
                mode,
                contract,
            } => Act::Propose {
                draft,
                fresh,
                mode,
                contract,
            },
            Command::Tweak {
                change,
                summary,
                draft,
                fresh,
            } => Act::Change {
                change,
                summary,
                draft,
                fresh,
            },
            Command::Task { act, .. } => match *act {
                TaskCommand::Give {
                    task,
                    items,
                    source,
                } => Act::Evidence {
                    task,
                    items,
                    source,
                },
                TaskCommand::Mark {
                    task,
                    becomes,
                    word,
                } => Act::Task {
                    id: task,
                    becomes,
                    reason: word.reason,
                    evidence: word.evidence,
                    summary: word.summary,
                },
                _ => return None,
            },
            _ => return None,
        })
    }

    fn command(self) -> Command {
        match self {
            Act::Note { note, next } => Command::Note(GoalNoted { note, next }),
            Act::Evidence {
                task,
                items,
                source,
            } => TaskCommand::Give {
                task,
                items,
                source,
            }
            .into(),
            Act::Task {
                id,
                becomes,
                reason,
                evidence,
                summary,
            } => TaskCommand::Mark {
                task: id,
                becomes,
                word: Word {
                    reason,
                    evidence,
                    summary,
                },
            }
            .into(),
            Act::Propose {
                draft,
                fresh,
                mode,
                contract,
            } => Command::Propose {
                draft,
                fresh,
                mode,
                contract,
            },
            Act::Change {
                change,
                summary,
                draft,
                fresh,
            } => Command::Tweak {
                change,
                summary,
                draft,
                fresh,
            },
        }
    }
}

/// What the caller is told in place of this failure: where the home cannot be written and the act may wait,
/// that it waits here.
pub(super) fn kept(
    workspace: &Workspace,
    request: &Request,
    failure: TransactionError,
) -> TransactionError {
    let paths = &workspace.paths;
    if request.caller.actor != Actor::Agent || paths.out_of_reach().is_none() {
        return failure;
    }
    let Some(act) = Act::of(&request.command) else {
        return failure;
    };
    match keep(workspace, request, act) {
        Ok(()) => TransactionError::Waits {
            what: request.command.name(),
            file: path(paths),
        },
        // A refusal says what is wrong with it, and comes now rather than later.
        Err(refused @ TransactionError::Rejected(_)) => refused,
        Err(_) => failure,
    }
}

fn keep(workspace: &Workspace, request: &Request, act: Act) -> Result<(), TransactionError> {
    let paths = &workspace.paths;
    let now = Snapshot::read(paths)?;
    let (goal, _) = decided(workspace, &now, request)?;
    let environment = &workspace.environment;
    let entry = Entry {
        key: format!("pending-{:016x}", environment.entropy()),
        at: rfc3339(environment.now_millis()),
        session: request.caller.session.clone(),
        goal,
        act,
    };
    let _lock = Lock::acquire(paths.own(), request.lock_timeout)?;
    let waits = read(paths)?;
    let is_same = |it: &Entry| (&it.act, &it.goal) == (&entry.act, &entry.goal);
    if waits
        .lines()
        .any(|line| parse(line).is_some_and(|it| is_same(&it)))
    {
        return Ok(());
    }
    let line = serde_json::to_string(&entry).map_err(io::Error::other)?;
    // What looks like a secret would lie in the work tree.
    let line = redact(&line).text.into_owned();
    if (waits.len() + line.len()) as u64 >= MOST || parse(&line).is_none() {
        return Err(io::Error::other("too much waits here").into());
    }
    write(paths, &waits, &format!("{waits}{line}\n"))
}

fn path(paths: &Paths) -> Utf8PathBuf {
    paths.own().join(FILE)
}

/// All that waits; nothing where there is no file.
fn read(paths: &Paths) -> io::Result<String> {
    let found = open::read(&path(paths)).map_err(io::Error::other)?;
    let mut text = String::new();
    if let Some(file) = found {
        file.take(MOST).read_to_string(&mut text)?;
    }
    Ok(text)
}

fn parse(line: &str) -> Option<Entry> {
    serde_json::from_str(line).ok()
}

/// Whether something waits in this work tree.
pub fn waits(paths: &Paths) -> bool {
    path(paths).symlink_metadata().is_ok()
}

/// What a reader is told of what waits in this work tree.
pub fn remark(paths: &Paths) -> Option<Diagnostic> {
    let waiting = read(paths).ok()?.lines().count();
    let acts = count(waiting as u64, "act");
    (waiting > 0).then(|| {
        Diagnostic::new(
            Code::WaitsHere,
            format!(
                "{acts} of an agent that could not write the ledger {} in {}, and {} not on record",
                if waiting == 1 { "waits" } else { "wait" },
                paths.relative(&path(paths)),
                if waiting == 1 { "is" } else { "are" },
            ),
            "the next command here that records something takes them in",
        )
    })
}

/// Takes in what waits in this work tree. What it came to.
pub(super) fn take_in(workspace: &Workspace, wait: Duration) -> Vec<Diagnostic> {
    let paths = &workspace.paths;
    if !waits(paths) || paths.out_of_reach().is_some() {
        return Vec::new();
    }
    let path = path(paths);
    let name = paths.relative(&path).to_string();
    // A branch of somebody else could have brought it.
    let is_of_git = workspace
        .git()
        .is_some_and(|git| index_knows(&git, paths.tree(), paths.relative(&path)));
    if is_of_git {
        let what =
            format!("git tracks {name}, so what waits there is not taken in: it may be anybody's");
        let hint = format!("look at it; then `git rm --cached {name}` or `git rm {name}`");
        return vec![Diagnostic::new(Code::WaitsHere, what, hint)];
    }
    let Ok(waiting) = read(paths) else {
        return Vec::new();
    };
    let (mut said, mut taken, mut done) = (Vec::new(), 0, 0);
    for line in waiting.split_inclusive('\n') {
        let refused = match parse(line).map(|entry| recorded(workspace, entry, wait)) {
            None => Some("it is no act that may wait".to_owned()),
            Some(Ok(is_new)) => {
                taken += u64::from(is_new);
                None
            }
            Some(Err(TransactionError::Rejected(why))) => Some(why.to_string()),
            // The next command tries again.
            Some(Err(_)) => break,
        };
        done += line.len();
        said.extend(refused.map(|why| {
            let line = short(&one_line(line.trim_end()), TOLD);
            let what = format!("what waited in {name} was refused: {why}: {line}");
            Diagnostic::new(Code::WaitsHere, what, "record it again if it still counts")
        }));
    }
    if taken > 0 {
        let acts = count(taken, "act");
        let what =
            format!("{acts} of an agent that waited in {name}: on record now, as the agent's");
        let found = Diagnostic::new(Code::LinesTakenIn, what, "nothing to do");
        said.push(found.weighing(Severity::Information));
    }
    let _tried_again = forget(paths, &waiting[..done], wait);
    said
}

/// Records it as the agent's. Whether it was not on record before.
fn recorded(workspace: &Workspace, entry: Entry, wait: Duration) -> Result<bool, TransactionError> {
    let arguments = serde_json::to_value(&entry.act).map_err(io::Error::other)?;
    let request = Request {
        caller: Caller {
            session: entry.session,
            ..Caller::new(Actor::Agent)
        },
        command: entry.act.command(),
        goal: entry.goal.map(|id| id.to_string()),
        expect: None,
        expect_goal: None,
        cost: None,
        key: Some((entry.key, arguments)),
        tree: None,
        lock_timeout: wait,
    };
    let (receipt, _) = run_now(workspace, &request)?;
    Ok(!receipt.repeated)
}

/// Takes this beginning out of the file, unless somebody else did.
fn forget(paths: &Paths, done: &str, wait: Duration) -> Result<(), TransactionError> {
    let _lock = Lock::acquire(paths.own(), wait)?;
    let waiting = read(paths)?;
    match waiting.strip_prefix(done) {
        Some("") => fs::remove_file(path(paths))?,
        Some(rest) => write(paths, &waiting, rest)?,
        None => {}
    }
    Ok(())
}

/// Puts this text in the place of what waited before.
fn write(paths: &Paths, before: &str, after: &str) -> Result<(), TransactionError> {
    let before = waits(paths).then_some(before.as_bytes());
    let replaced = replace(&path(paths), before, after.as_bytes());
    replaced.map_err(io::Error::other)?;
    Ok(())
}
