//! What this machine knows of hosts' sessions by their hooks: where the transcript of one is, which process
//! runs it, what it was told, and that it has ended. Kept in the user's state directory, never in the
//! ledger: it matters only as long as a session could still hold a goal.

use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::domain::id::{EventId, GoalId};
use crate::ledger::lock::FileLock;
use crate::ledger::open::make_private;

use super::dirs::{name_of, put, read_json};

/// The records' directory below the state directory.
const KIND: &str = "sessions";

/// The lock beside the records, which is held while one is read, changed and written: several hooks of one
/// session run at the same time.
const LOCK: &str = "lock";

/// How long that lock is waited for. Who holds it writes one small file.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the act of another hook is waited for: hosts give a hook ten seconds, and an audit is waited for
/// three.
const AN_ACT: Duration = Duration::from_secs(6);

/// A session is forgotten after this time: by then it holds nothing.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is known of one session in one project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownSession {
    /// Its id.
    pub session: String,
    /// The process of its host, where that is known.
    pub host: Option<String>,
    /// The processes above its last hook, nearest first.
    pub above: Vec<String>,
    /// The nearest process that two hooks in a row had above them, with where its id counts: the host itself,
    /// and no program that the host started for one hook.
    pub process: Option<String>,
    /// Its transcript, where the host named one that was there.
    pub transcript: Option<Utf8PathBuf>,
    /// That its transcript cannot be read, where it was found so.
    pub unread: Option<String>,
    /// When its host said that it ended, in milliseconds since 1970.
    pub ended_at: Option<i64>,
    /// It was told last that another session works on the goal, and nothing else of the goal.
    pub told_beside: bool,
    /// For which pauses of goals over their budget it was given its last turn.
    pub last_turns: Vec<String>,
    /// Its user was told that its host reports no cost.
    pub told_uncounted: bool,
    /// Its model was told that the tools of its host are about other goals.
    pub told_of_host: bool,
    /// Ended goals of which all that it spent on them is recorded, the latest last.
    pub counted: Vec<GoalId>,
    /// Which verdicts and proposals its user was told of, the latest last.
    pub told_news: Vec<String>,
    /// What its user was shown last, to decide on it.
    pub shown: Option<Shown>,
    /// What it was told last of a goal that it may work on.
    pub told: Option<ToldSession>,
    /// The act that its user typed last, and what came of it.
    pub acted: Option<Acted>,
}

/// A goal as a session's hooks told it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldSession {
    /// Nothing where no goal was focused.
    pub goal: Option<GoalId>,
    pub revision: Option<EventId>,
    /// Stands for the contract that it was told.
    pub contract: String,
    /// Stands for the tasks and questions as they were then.
    pub work: String,
    /// The goal rested, so it was not told how to work.
    pub rests: bool,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// Something that a session's user was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shown {
    /// Which proposal, with its revision, or which other text.
    pub what: String,
    /// The host's turn.
    pub turn: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// An act that a session's user typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Acted {
    /// The whole prompt.
    pub prompt: String,
    /// The host's turn.
    pub turn: Option<String>,
    /// When the hook that did it began, in milliseconds since 1970.
    pub at: i64,
    /// What the user was told.
    pub user: String,
    /// What the model was told.
    pub model: String,
    /// Whether it was not done, and they were told why.
    pub is_refused: bool,
}

impl KnownSession {
    /// What `state` has of this session; nothing known where there is nothing, or it cannot be read.
    pub fn read(state: &Utf8Path, root: &Utf8Path, session: &str) -> KnownSession {
        read_json(&path(state, root, session)).unwrap_or_default()
    }

    /// What `state` has of all sessions of this project.
    pub fn all(state: &Utf8Path, root: &Utf8Path) -> Vec<KnownSession> {
        let Ok(found) = of_root(state, root).read_dir_utf8() else {
            return Vec::new();
        };
        let found = found.filter_map(|it| read_json(it.ok()?.path()));
        found.collect()
    }

    /// When something of them was kept last.
    pub fn changed(state: &Utf8Path, root: &Utf8Path) -> Option<SystemTime> {
        of_root(state, root).metadata().ok()?.modified().ok()
    }

    /// Changes what `state` has of this session, where nobody else does meanwhile: what one reads no
    /// other changes before it is written.
    ///
    /// # Errors
    /// Those of the file system, and that others change records for too long.
    pub fn change<T>(
        state: &Utf8Path,
        root: &Utf8Path,
        session: &str,
        change: impl FnOnce(&mut KnownSession) -> T,
    ) -> io::Result<T> {
        let _held = lock(&of_root(state, root), LOCK, PATIENCE)?;
        let before = KnownSession::read(state, root, session);
        let mut known = KnownSession {
            session: session.to_owned(),
            ..before.clone()
        };
        let came = change(&mut known);
        if known != before {
            known.write(state, root, session)?;
        }
        Ok(came)
    }

    /// Lets one process at a time carry out what the user of this session typed; nothing where another one
    /// takes too long. Sessions share 256 locks, because the file of a lock is never deleted.
    pub fn alone(state: &Utf8Path, root: &Utf8Path, session: &str) -> Option<FileLock> {
        let of_session = name_of(session.into());
        let name = format!("{}.{LOCK}", &of_session[..2]);
        lock(&of_root(state, root), &name, AN_ACT).ok()
    }

    /// Keeps it in `state`, and lets old ones go.
    fn write(&self, state: &Utf8Path, root: &Utf8Path, session: &str) -> io::Result<()> {
        put(&path(state, root, session), &serde_json::to_vec(self)?)?;
        forget(&of_root(state, root), SystemTime::now())
    }

    /// Whether its host said that the session ended, and it has not worked since: `worked` is when it
    /// worked last, in milliseconds since 1970.
    pub fn has_ended(&self, worked: i64) -> bool {
        self.ended_at.is_some_and(|end| worked <= end)
    }

    /// Whether the session was silent for so long: it did nothing, and its transcript is gone or nothing
    /// was added to it. Times are in milliseconds since 1970.
    pub fn is_silent(&self, worked: i64, now: i64, silent: Duration) -> bool {
        let transcript = self.transcript.as_deref();
        now.saturating_sub(worked) > millis(silent)
            && transcript.is_some_and(|it| is_old(it, now, silent))
    }
}

/// Whether nothing was added to this file for so long, or it is gone.
fn is_old(path: &Utf8Path, now: i64, silent: Duration) -> bool {
    let changed = match path.metadata().and_then(|it| it.modified()) {
        Ok(changed) => changed,
        // What cannot be looked at may be there.
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
    };
    let since = changed.duration_since(SystemTime::UNIX_EPOCH);
    let changed = millis(since.unwrap_or_default());
    now.saturating_sub(changed) > millis(silent)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Takes the lock of this name in a directory, which is made where there is none.
fn lock(directory: &Utf8Path, name: &str, wait: Duration) -> io::Result<FileLock> {
    make_private(directory)?;
    let lock = FileLock::acquire(&directory.join(name), wait).map_err(io::Error::other)?;
    Ok(lock.ok_or(io::ErrorKind::TimedOut)?)
}

fn of_root(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    state.join(KIND).join(name_of(root))
}

fn path(state: &Utf8Path, root: &Utf8Path, session: &str) -> Utf8PathBuf {
    // An id is the host's, so it may be no name of a file.
    let name = format!("{}.json", name_of(session.into()));
    of_root(state, root).join(name)
}

fn forget(directory: &Utf8Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with(LOCK) {
            continue;
        }
        let age = now.duration_since(entry.metadata()?.modified()?);
        if age.is_ok_and(|age| age > KEPT) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENT: Duration = Duration::from_secs(60);

    #[test]
    fn a_session_is_over_by_its_hosts_word_or_by_its_transcript() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let root = Utf8Path::new("/one");
        let read = || KnownSession::read(state, root, "../s");
        let unknown = read();
        assert!(!unknown.has_ended(0) && !unknown.is_silent(0, 61_000, SILENT));
        let transcript = state.join("transcript");
        fs::write(&transcript, "x").unwrap();
        let known = KnownSession {
            transcript: Some(transcript.clone()),
            ..KnownSession::default()
        };
        known.write(state, root, "../s").unwrap();
        assert_eq!(read(), known);
        assert_eq!(KnownSession::all(state, root), [known]);
        assert!(KnownSession::all(state, "/two".into()).is_empty());
        assert_eq!(
            KnownSession::read(state, "/two".into(), "../s"),
            KnownSession::default()
        );
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap();
        let now = i64::try_from(since.as_millis()).unwrap();
        assert!(!read().is_silent(0, now, SILENT));
        let later = now + 61_000;
        assert!(read().is_silent(0, later, SILENT), "it is old");
        assert!(!read().is_silent(later - 1_000, later, SILENT), "it works");
        fs::remove_file(&transcript).unwrap();
        assert!(read().is_silent(0, now, SILENT), "it is gone");
        assert!(!read().is_silent(now, now, SILENT), "it works");
        // A transcript that cannot be looked at is not gone.
        fs::write(&transcript, "x").unwrap();
        let hidden = KnownSession {
            transcript: Some(transcript.join("below")),
            ..KnownSession::default()
        };
        assert!(!hidden.is_silent(0, now, SILENT));
        let ended = KnownSession {
            ended_at: Some(2),
            ..KnownSession::default()
        };
        assert!(ended.has_ended(1) && ended.has_ended(2) && !ended.has_ended(3));
    }

    #[test]
    fn old_sessions_are_forgotten() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let root = Utf8Path::new("/one");
        let known = KnownSession {
            ended_at: Some(1),
            ..KnownSession::default()
        };
        known.write(state, root, "s").unwrap();
        forget(&of_root(state, root), SystemTime::now() + KEPT / 2).unwrap();
        assert_eq!(KnownSession::read(state, root, "s"), known);
        forget(&of_root(state, root), SystemTime::now() + KEPT * 2).unwrap();
        assert_eq!(
            KnownSession::read(state, root, "s"),
            KnownSession::default()
        );
    }
}
