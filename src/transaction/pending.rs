//! What an agent wanted recorded where the home of the ledger cannot be written, as in a sandbox that has the
//! work tree alone (docs/machines.md#sandboxes-and-containers). It waits in `.pi/goals/.pending/` of that tree,
//! which git ignores by a rule of its own, and is on record nowhere. The next command that records something of
//! the same kind in that tree takes it in: as the agent's, whatever it says, and decided anew on the ledger as
//! it is then. A command that decides something takes nothing in, or people would decide on what they never saw.

use std::fs;
use std::io::{self, Read};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
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
use crate::domain::id::{self, GoalId};
use crate::domain::redact::redact;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::state::TaskStatus;
use crate::domain::time::rfc3339;
use crate::ledger::lock::DirLock;
use crate::ledger::open::{self, make_private};
use crate::render::text::count;
use crate::snapshot::Snapshot;
use crate::workspace::git::index_says;
use crate::workspace::{Paths, Workspace};

const DIR: &str = ".pending";
const ACTS: &str = "acts.jsonl";
/// What was refused when it was taken in.
const REFUSED: &str = "refused.jsonl";

/// Most bytes that wait in a work tree, and of one act.
const MOST: u64 = 1024 * 1024;
const LONGEST: usize = 60 * 1024;

/// How the key of an act begins.
const KEY: &str = "pending-";

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
        mode: Option<DraftMode>,
        contract: Box<ContractChange>,
    },
    Change {
        change: Box<ContractChange>,
        summary: String,
        draft: Option<String>,
    },
}

impl Act {
    /// The act of this command, where it may wait.
    fn of(command: &Command) -> Option<Act> {
        Some(match command.clone() {
            Command::Note(GoalNoted { note, next }) => Act::Note { note, next },
            Command::Propose {
                draft,
                mode,
                contract,
                ..
            } => Act::Propose {
                draft,
                mode,
                contract,
            },
            Command::Tweak {
                change,
                summary,
                draft,
                ..
            } => Act::Change {
                change,
                summary,
                draft,
            },
            Command::Task { act, .. } => match *act {
                TaskCommand::Give { task, items, .. } => Act::Evidence { task, items },
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

    /// The agent's command; `fresh` is for a draft that it opens.
    fn command(self, fresh: String) -> Command {
        match self {
            Act::Note { note, next } => Command::Note(GoalNoted { note, next }),
            Act::Evidence { task, items } => TaskCommand::Give {
                task,
                items,
                source: Actor::Agent.name().to_owned(),
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
            } => Command::Tweak {
                change,
                summary,
                draft,
                fresh,
            },
        }
    }
}

/// Whether what waits is taken in before this command: it is of the same kind, and decides nothing.
fn takes_in(request: &Request) -> bool {
    let changes = matches!(request.command, Command::Tweak { .. });
    let may = match request.caller.actor {
        // Nothing is recorded on an auditor's call.
        Actor::Auditor => false,
        Actor::User => !changes,
        _ => true,
    };
    may && Act::of(&request.command).is_some()
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
        key: format!("{KEY}{:016x}", environment.entropy()),
        at: rfc3339(environment.now_millis()),
        session: request.caller.session.clone(),
        goal,
        act,
    };
    let _lock = DirLock::acquire(paths.own(), request.lock_timeout)?;
    let waits = read(paths)?;
    // An agent that was told to wait asks again.
    let last = waits.lines().next_back().and_then(parse);
    if last.is_some_and(|it| (&it.act, &it.goal) == (&entry.act, &entry.goal)) {
        return Ok(());
    }
    let line = serde_json::to_string(&entry).map_err(io::Error::other)?;
    // What looks like a secret would lie in the work tree.
    let line = redact(&line).text.into_owned();
    let is_too_much = line.len() > LONGEST || (waits.len() + line.len()) as u64 >= MOST;
    if is_too_much || parse(&line).is_none() {
        return Err(io::Error::other("too much waits here").into());
    }
    write(paths, &waits, &format!("{waits}{line}\n"))
}

fn path(paths: &Paths) -> Utf8PathBuf {
    paths.own().join(DIR).join(ACTS)
}

/// All that waits; nothing where there is no file.
///
/// # Errors
/// It is no file of ours: too long, a link, or it cannot be read.
fn read(paths: &Paths) -> io::Result<String> {
    read_at(&path(paths))
}

fn read_at(path: &Utf8Path) -> io::Result<String> {
    if path.parent().is_some_and(Utf8Path::is_symlink) {
        return Err(io::Error::other("its directory is a link"));
    }
    let Some(mut file) = open::read(path).map_err(io::Error::other)? else {
        return Ok(String::new());
    };
    if file.metadata()?.len() > MOST {
        return Err(io::Error::other("it is too long"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
    let name = paths.relative(&path(paths)).to_string();
    let waiting = match read(paths) {
        Ok(text) => text.lines().count(),
        Err(why) => {
            let what = format!("what waits in {name} cannot be read: {why}");
            return Some(Diagnostic::new(
                Code::WaitsHere,
                what,
                "look at it, and remove it",
            ));
        }
    };
    let what = match waiting {
        0 => return None,
        1 => format!(
            "1 act of an agent that could not write the ledger waits in {name}, and is not on record"
        ),
        more => format!(
            "{more} acts of an agent that could not write the ledger wait in {name}, and are not on record"
        ),
    };
    let hint = "the next note, evidence, task mark or proposal that is recorded here takes them in";
    Some(Diagnostic::new(Code::WaitsHere, what, hint))
}

/// Takes in what waits in this work tree, before a command of the same kind. What it came to.
pub(super) fn take_in(workspace: &Workspace, request: &Request) -> Vec<Diagnostic> {
    let (paths, wait) = (&workspace.paths, request.lock_timeout);
    let is_due = takes_in(request) && waits(paths) && !workspace.read_only;
    if !is_due || paths.out_of_reach().is_some() {
        return Vec::new();
    }
    let name = paths.relative(&path(paths)).to_string();
    // A branch of somebody else could have brought it.
    if !is_untracked(workspace) {
        let what = format!(
            "what waits in {name} is not taken in: git tracks it, or cannot say, so it may be anybody's"
        );
        let hint =
            format!("look at it; where it is yours `git rm --cached {name}`, else remove it");
        return vec![Diagnostic::new(Code::WaitsHere, what, hint)];
    }
    let Ok(waiting) = read(paths) else {
        return remark(paths).into_iter().collect();
    };
    let (mut said, mut taken, mut done) = (Vec::new(), 0, 0);
    for line in waiting.split_inclusive('\n') {
        let entry = parse(line).filter(|it| it.key.starts_with(KEY));
        let refused = match entry.map(|entry| recorded(workspace, entry, wait)) {
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
        if let Some(why) = refused {
            let aside = paths.own().join(DIR).join(REFUSED);
            let kept = set_aside(&aside, line).is_ok();
            let what = format!("what waited in {name} was refused: {why}");
            let hint = match kept {
                true => format!(
                    "it is kept in {}; record it again if it still counts",
                    paths.relative(&aside)
                ),
                false => "record it again if it still counts".to_owned(),
            };
            said.push(Diagnostic::new(Code::WaitsHere, what, hint));
        }
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

/// Whether git knows nothing of the file. Where git cannot be asked about its own work tree, nobody knows.
fn is_untracked(workspace: &Workspace) -> bool {
    let paths = &workspace.paths;
    let (Some(_), Some(git)) = (paths.git(), workspace.git()) else {
        return paths.git().is_none();
    };
    index_says(&git, paths.tree(), paths.relative(&path(paths))) == Some(false)
}

fn set_aside(path: &Utf8Path, line: &str) -> io::Result<()> {
    let before = read_at(path)?;
    let after = format!("{before}{}\n", line.trim_end());
    let there = path.symlink_metadata().is_ok();
    replace(path, there.then_some(before.as_bytes()), after.as_bytes())
        .map_err(io::Error::other)?;
    Ok(())
}

/// Records it as the agent's. Whether it was not on record before.
fn recorded(workspace: &Workspace, entry: Entry, wait: Duration) -> Result<bool, TransactionError> {
    let arguments = serde_json::to_value(&entry.act).map_err(io::Error::other)?;
    let environment = &workspace.environment;
    let fresh = id::generate(environment.now_millis(), environment.entropy());
    let request = Request {
        caller: Caller {
            session: entry.session,
            ..Caller::new(Actor::Agent)
        },
        command: entry.act.command(fresh),
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
    let _lock = DirLock::acquire(paths.own(), wait)?;
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
    let dir = paths.own().join(DIR);
    if dir.symlink_metadata().is_err() {
        make_private(&dir)?;
        fs::write(dir.join(".gitignore"), "*\n")?;
    }
    let before = waits(paths).then_some(before.as_bytes());
    let replaced = replace(&path(paths), before, after.as_bytes());
    replaced.map_err(io::Error::other)?;
    Ok(())
}
