//! The files of leases, `.pi/goals/.locks/<goalId>.lock`: read without a lock, and written under
//! one on `.locks` itself, so that of two processes which acquire at once one sees the other's.
//! The ledger's lock has no part in it. The older extensions take no lock at all: between them and
//! us the later writer wins, as it does among themselves.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::time::Duration;

use camino::Utf8Path;

use super::host;
use super::paths::{PathError, Paths};
use crate::domain::id::GoalId;
use crate::domain::lease::{Lease, LeaseFound};
use crate::ledger::lock::{DirLock, LockError};
use crate::ledger::open::{self, OpenError};

/// The longest file that can be a lease, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Why a lease could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// A link, a pipe or a directory stands in its place; it was not touched.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// `.locks` is no directory, or cannot be made.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Another process works on the leases for too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file system refused.
    #[error("cannot {act} `{path}`")]
    Io {
        act: &'static str,
        path: camino::Utf8PathBuf,
        source: io::Error,
    },
}

/// What stands in the place of a goal's lease, and how it stands at `now`, in milliseconds.
///
/// # Errors
/// [`LeaseError::Open`] where no regular file stands there.
pub fn find(paths: &Paths, id: &GoalId, now: i64) -> Result<Option<LeaseFound>, LeaseError> {
    let path = paths.lease(id);
    let Some(file) = open::read(&path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(failed("read", &path))?;
    if bytes.len() as u64 > LONGEST {
        return Ok(Some(LeaseFound::Unreadable("it is too long".into())));
    }
    Ok(Some(match Lease::decode(id, &bytes) {
        Err(why) => LeaseFound::Unreadable(why),
        Ok(lease) => {
            let standing = lease.standing(now, alive(&lease));
            LeaseFound::Lease(lease, standing)
        }
    }))
}

/// Whether the holder's process is alive; nothing when it runs on another host. A lease that names
/// no host is taken for this one's.
fn alive(lease: &Lease) -> Option<bool> {
    let elsewhere = lease.holder.host.is_some() && lease.holder.host != host::name();
    (!elsewhere).then(|| host::is_alive(lease.holder.pid))
}

/// The goals in whose lease's place something stands, sorted. Without `.locks` there are none.
///
/// # Errors
/// `.locks` cannot be listed.
pub fn goals(paths: &Paths) -> Result<Vec<GoalId>, LeaseError> {
    let dir = paths.locks();
    let entries = match dir.as_std_path().read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list", &dir))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed("list", &dir))?.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(".lock"));
        found.extend(id.and_then(|id| id.parse::<GoalId>().ok()));
    }
    found.sort();
    Ok(found)
}

/// Locks the leases of a project against other processes of ours; makes `.locks` where it is not.
///
/// # Errors
/// [`LeaseError::Lock`] after `wait`.
pub fn locked(paths: &Paths, wait: Duration) -> Result<DirLock, LeaseError> {
    paths.create_locks()?;
    Ok(DirLock::acquire(&paths.locks(), wait)?)
}

/// Puts a lease in its place, whole or not at all. Only under the lock of [`locked`], whose
/// argument proves it. Not synced: a lease does not outlive its process, let alone the machine.
///
/// # Errors
/// The file system refuses; what stood there stands there still.
pub fn put(paths: &Paths, _lock: &DirLock, lease: &Lease) -> Result<(), LeaseError> {
    let path = paths.lease(&lease.goal_id);
    // One name for all is enough under the lock, and a killed writer's leftover is found by it.
    let temporary = camino::Utf8PathBuf::from(format!("{path}.tmp"));
    gone(&temporary)?;
    let write = || {
        let mut file = File::create_new(&temporary)?;
        file.write_all(lease.encode().as_bytes())?;
        fs::rename(&temporary, &path)
    };
    write().map_err(|source| {
        // A leftover is harmless; what matters is why the lease could not be written.
        let _harmless = gone(&temporary);
        failed("write", &path)(source)
    })
}

/// Removes what stands in the place of a goal's lease. Only under the lock of [`locked`].
///
/// # Errors
/// The file system refuses; nothing there is none.
pub fn remove(paths: &Paths, _lock: &DirLock, id: &GoalId) -> Result<(), LeaseError> {
    gone(&paths.lease(id))
}

fn gone(path: &Utf8Path) -> Result<(), LeaseError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

fn failed(act: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> LeaseError {
    let path = path.to_owned();
    move |source| LeaseError::Io { act, path, source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::domain::lease::{Holder, LeaseStatus};

    fn project() -> (tempfile::TempDir, Paths) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let paths = Paths::new(&root.canonicalize_utf8().unwrap());
        paths.create().unwrap();
        (dir, paths)
    }

    fn lease(id: &str, host: Option<String>, pid: i32) -> Lease {
        Lease {
            goal_id: id.parse().unwrap(),
            holder: Holder {
                session: Some("s".into()),
                pid,
                host,
            },
            acquired_at: Some(0),
            heartbeat_at: Some(0),
            expires_at: 1000,
            token: None,
        }
    }

    fn standing(paths: &Paths, id: &str, now: i64) -> Option<LeaseStatus> {
        let found = find(paths, &id.parse().unwrap(), now).unwrap()?;
        Some(match found {
            LeaseFound::Lease(_, standing) => standing,
            LeaseFound::Unreadable(_) => LeaseStatus::Unreadable,
        })
    }

    #[test]
    fn put_found_listed_and_removed() {
        let (_dir, paths) = project();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(goals(&paths).unwrap().is_empty());
        let lock = locked(&paths, Duration::ZERO).unwrap();
        fs::write(paths.locks().join("a.lock.tmp"), "a killed writer's").unwrap();
        fs::write(paths.locks().join("a.audit"), "").unwrap();
        fs::write(paths.locks().join("no id.lock"), "").unwrap();
        for expires in [500, 1000] {
            let lease = Lease {
                expires_at: expires,
                ..lease("a", host::name(), own)
            };
            put(&paths, &lock, &lease).unwrap();
            assert_eq!(standing(&paths, "a", 499), Some(LeaseStatus::Held));
        }
        assert_eq!(standing(&paths, "a", 999), Some(LeaseStatus::Held));
        assert_eq!(standing(&paths, "a", 1000), Some(LeaseStatus::Lapsed));
        assert!(!paths.locks().join("a.lock.tmp").exists());
        assert_eq!(goals(&paths).unwrap(), ["a".parse().unwrap()]);
        let id = "a".parse().unwrap();
        remove(&paths, &lock, &id).unwrap();
        remove(&paths, &lock, &id).unwrap();
        assert_eq!(standing(&paths, "a", 0), None);
        assert!(paths.locks().join("a.audit").exists());
    }

    #[test]
    fn a_process_is_judged_on_its_own_host_only() {
        let (_dir, paths) = project();
        let lock = locked(&paths, Duration::ZERO).unwrap();
        let gone = i32::MAX;
        for (host, expected) in [
            (None, LeaseStatus::Dead),
            (host::name(), LeaseStatus::Dead),
            (Some("not this one".to_owned()), LeaseStatus::Held),
        ] {
            put(&paths, &lock, &lease("a", host.clone(), gone)).unwrap();
            assert_eq!(standing(&paths, "a", 0), Some(expected), "{host:?}");
            let later = standing(&paths, "a", 1000).unwrap();
            assert_ne!(later, LeaseStatus::Held, "{host:?}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused_and_what_is_no_lease_is_said() {
        let (_dir, paths) = project();
        let lock = locked(&paths, Duration::ZERO).unwrap();
        let aside = paths.tree().join("aside");
        fs::write(&aside, lease("a", None, 1).encode()).unwrap();
        symlink(&aside, paths.locks().join("a.lock")).unwrap();
        fs::create_dir(paths.locks().join("b.lock")).unwrap();
        for id in ["a", "b"] {
            let refused = find(&paths, &id.parse().unwrap(), 0);
            assert!(matches!(refused, Err(LeaseError::Open(_))), "{refused:?}");
        }
        fs::write(paths.locks().join("c.lock"), " ".repeat(70_000)).unwrap();
        assert_eq!(standing(&paths, "c", 0), Some(LeaseStatus::Unreadable));
        assert!(put(&paths, &lock, &lease("b", None, 1)).is_err());
        assert!(!paths.locks().join("b.lock.tmp").exists());
        // A link in the temporary file's place is not written through.
        symlink(&aside, paths.locks().join("d.lock.tmp")).unwrap();
        put(&paths, &lock, &lease("d", None, 1)).unwrap();
        let kept = fs::read_to_string(&aside).unwrap();
        assert_eq!(kept, lease("a", None, 1).encode());
    }
}
