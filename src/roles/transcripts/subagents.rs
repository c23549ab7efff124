//! Claude Code keeps what each subagent does in a file of its own: below the directory that has the name of
//! the session's transcript, in `subagents/`, also deeper. What these answers cost belongs to the time in
//! which the session's transcript was written, so each counts in one part of it.

use std::fs;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{Dialect, Tail, end_of, of_bytes, text};
use crate::domain::time::millis;

/// As many files are read, as many bytes of them all, and as deep. A host waits ten seconds for a hook.
const MOST: usize = 500;
const MOST_BYTES: u64 = 64 * 1024 * 1024;
const DEEPEST: usize = 4;

/// A part of the session's transcript, by the times of its lines, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// When the last line before it was written; nothing where it begins with the file.
    pub(super) after: Option<i64>,
    /// When its last line was written.
    pub(super) until: i64,
}

impl Part {
    /// Whether this line was written before the part, or in it; nothing of a later one, and of one that
    /// does not say.
    pub(super) fn is_before(self, line: &Value) -> Option<bool> {
        let at = text(line, &["timestamp"]).and_then(millis)?;
        (at <= self.until).then(|| self.after.is_some_and(|after| at <= after))
    }
}

/// Where the files of the subagents of the session with this transcript are.
pub(super) fn directory(dialect: Dialect, transcript: &Utf8Path) -> Option<Utf8PathBuf> {
    let is_claude = dialect == Dialect::Claude && transcript.extension() == Some("jsonl");
    is_claude.then(|| transcript.with_extension("").join("subagents"))
}

/// A file of a subagent.
struct Written {
    path: Utf8PathBuf,
    /// When something was added last, in milliseconds since 1970.
    changed: i64,
    /// How many bytes are read of it.
    bytes: u64,
}

/// The ends of those files to which something was added since the part began, one after the other; of more
/// than are read, the latest.
pub(super) fn tails(directory: &Utf8Path, part: Part) -> impl Iterator<Item = Tail> {
    let mut files = Vec::new();
    find(directory, DEEPEST, part.after, &mut files);
    files.sort_by(|one, other| (other.changed, &one.path).cmp(&(one.changed, &other.path)));
    let mut read = 0;
    files.truncate(MOST);
    files.retain(|file| {
        read += file.bytes;
        read <= MOST_BYTES
    });
    let tail = |Written { path, .. }: Written| {
        let (from, bytes) = end_of(&path)?;
        Some(Tail {
            dialect: Dialect::Claude,
            from,
            text: of_bytes(&bytes),
            subagents: None,
        })
    };
    files.into_iter().filter_map(tail)
}

fn find(directory: &Utf8Path, deep: usize, after: Option<i64>, files: &mut Vec<Written>) {
    let Ok(entries) = directory.read_dir_utf8() else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(found) = fs::symlink_metadata(path) else {
            continue;
        };
        if found.is_dir() && deep > 0 {
            find(path, deep - 1, after, files);
        }
        let is_one = found.is_file() && path.extension() == Some("jsonl");
        let changed = found.modified().ok();
        let changed = changed.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        let changed = changed.and_then(|it| i64::try_from(it.as_millis()).ok());
        let is_old = after.is_some_and(|after| changed.is_some_and(|it| it < after));
        if is_one && !is_old {
            files.push(Written {
                path: path.to_owned(),
                changed: changed.unwrap_or(i64::MAX),
                bytes: found.len().min(super::MOST),
            });
        }
    }
}
