//! Locks of references that a killed sync left in git's directory, by which git would refuse every later one. Only
//! `goal sync` writes references below `refs/goal`, and one process at a time: whoever syncs now may remove what is
//! too old to be held by a git that has outlived its sync.

use std::fs;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

/// From when on nobody holds a lock any more: git holds one while it writes a small file.
const OLD: Duration = Duration::from_secs(3);

/// How often a lock is looked at that is younger.
const INTERVAL: Duration = Duration::from_millis(50);

/// Removes such locks, and waits for young ones until they are gone or old. `common` is git's directory.
pub(super) fn remove(common: &Utf8Path) {
    for lock in locks(&common.join("refs/goal")) {
        while let Ok(found) = lock.symlink_metadata() {
            let age = found.modified().ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age < OLD) {
                thread::sleep(INTERVAL);
                continue;
            }
            // Git says what is the matter where it cannot be removed.
            let _said_by_git = fs::remove_file(&lock);
            break;
        }
    }
}

/// The locks below a directory.
fn locks(dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    for entry in dir.read_dir_utf8().into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(locks(path)),
            Ok(_) if path.extension() == Some("lock") => found.push(path.to_owned()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn an_old_lock_is_removed_and_a_young_one_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let common = Utf8Path::from_path(dir.path()).unwrap();
        let refs = common.join("refs/goal/remotes/origin");
        fs::create_dir_all(&refs).unwrap();
        fs::write(refs.join("ledger"), "x").unwrap();
        let lock = refs.join("ledger.lock");
        let file = fs::File::create(&lock).unwrap();
        file.set_modified(SystemTime::now() - OLD).unwrap();
        remove(common);
        assert!(!lock.exists() && refs.join("ledger").exists());
        // Whoever holds a young one lets go of it.
        fs::write(&lock, "").unwrap();
        thread::scope(|scope| {
            scope.spawn(|| remove(common));
            fs::remove_file(&lock).unwrap();
        });
        assert!(!lock.exists());
        remove(&common.join("nothing"));
    }
}
