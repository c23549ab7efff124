//! Locks against themselves, against replaced paths, and across processes.

use std::os::unix::fs::{MetadataExt, symlink};
use std::process::{Command, Stdio};
use std::thread;

use super::*;

const LONG: Duration = Duration::from_secs(60);

fn dir() -> (tempfile::TempDir, Utf8PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let dir = Utf8PathBuf::try_from(keep.path().join("goals")).unwrap();
    fs::create_dir(&dir).unwrap();
    (keep, dir)
}

/// Takes the file's lock when it becomes free: a child that another test has just forked holds
/// copies of all handles until it executes.
fn eventually(path: &Utf8Path) -> FileLock {
    poll::until(LONG, || FileLock::try_acquire(path).unwrap()).unwrap()
}

#[test]
fn one_holder_at_a_time() {
    let (_keep, dir) = dir();
    let held = DirLock::acquire(&dir, Duration::ZERO).unwrap();
    let second = DirLock::acquire(&dir, Duration::from_millis(5)).unwrap_err();
    assert!(matches!(second, LockError::Timeout { .. }), "{second}");
    assert!(second.to_string().contains(dir.as_str()), "{second}");
    drop(held);
    assert!(DirLock::acquire(&dir, Duration::ZERO).is_ok());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "no lock file");
}

#[test]
fn a_waiter_gets_the_lock_when_it_is_free() {
    let (_keep, dir) = dir();
    let held = DirLock::acquire(&dir, Duration::ZERO).unwrap();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| DirLock::acquire(&dir, LONG).map(drop));
        drop(held);
        waiter.join().unwrap().unwrap();
    });
}

#[test]
fn a_replaced_directory_is_locked_anew() {
    let (keep, dir) = dir();
    let old = open::directory(&dir).unwrap();
    fs::rename(&dir, keep.path().join("aside")).unwrap();
    fs::create_dir(&dir).unwrap();
    assert!(
        !try_lock_at(&dir, &old).unwrap(),
        "locked, but no longer the path"
    );
    let _lock = DirLock::acquire(&dir, Duration::ZERO).unwrap();
    assert!(DirLock::acquire(&dir, Duration::ZERO).is_err());
}

/// Returns once so many wait for the lock of a directory.
#[cfg(target_os = "linux")]
fn until_queued(dir: &File, count: usize) {
    let place = format!(":{} ", dir.metadata().unwrap().ino());
    let queued = |locks: String| {
        let lines = locks.lines();
        let waiting = lines.filter(|line| line.contains("->") && line.contains(&place));
        (waiting.count() == count).then_some(())
    };
    let all = poll::until(LONG, || queued(fs::read_to_string("/proc/locks").unwrap()));
    assert!(all.is_some(), "{count} waiting");
}

/// Locks a directory, with all its copies of the handle, as a process does that is not told to
/// let it go.
fn locked(dir: &Utf8Path) -> File {
    let opened = open::directory(dir).unwrap();
    assert!(try_lock_at(dir, &opened).unwrap());
    opened
}

#[cfg(target_os = "linux")]
#[test]
fn who_waits_is_served_in_turn() {
    let (_keep, dir) = dir();
    let first = DirLock::acquire(&dir, Duration::ZERO).unwrap();
    let served = std::sync::Mutex::new(Vec::new());
    thread::scope(|scope| {
        for number in 1..=4 {
            let (dir, served) = (&dir, &served);
            scope.spawn(move || {
                let _lock = DirLock::acquire(dir, LONG).unwrap();
                served.lock().unwrap().push(number);
            });
            until_queued(&first.dir, number);
        }
        drop(first);
    });
    assert_eq!(served.into_inner().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn a_wait_that_was_given_up_takes_nothing() {
    let (_keep, dir) = dir();
    let held = DirLock::acquire(&dir, Duration::ZERO).unwrap();
    for _ in 0..2 {
        let wait = POLL_BEFORE_QUEUE + Duration::from_millis(5);
        let given_up = DirLock::acquire(&dir, wait).unwrap_err();
        assert!(matches!(given_up, LockError::Timeout { .. }), "{given_up}");
    }
    drop(held);
    // Both stand in the queue still, and get their turn.
    DirLock::acquire(&dir, LONG).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_is_replaced_during_the_wait_is_locked_anew() {
    let (keep, dir) = dir();
    let aside = Utf8PathBuf::try_from(keep.path().join("aside")).unwrap();
    let old = locked(&dir);
    thread::scope(|scope| {
        let waiter = scope.spawn(|| DirLock::acquire(&dir, LONG).unwrap());
        until_queued(&old, 1);
        fs::rename(&dir, &aside).unwrap();
        fs::create_dir(&dir).unwrap();
        drop(old);
        let lock = waiter.join().unwrap();
        assert!(
            still_at(&dir, &lock.dir).unwrap(),
            "the one that is there now"
        );
        assert!(DirLock::acquire(&dir, Duration::ZERO).is_err());
        DirLock::acquire(&aside, LONG).unwrap();
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_death_of_its_holder_ends_the_wait() {
    let (_keep, dir) = dir();
    let same = open::directory(&dir).unwrap();
    let mut holder = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::from(locked(&dir)))
        .spawn()
        .unwrap();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| DirLock::acquire(&dir, LONG).map(drop));
        until_queued(&same, 1);
        assert!(DirLock::acquire(&dir, Duration::ZERO).is_err());
        holder.kill().unwrap();
        holder.wait().unwrap();
        waiter.join().unwrap().unwrap();
    });
}

#[test]
fn what_is_no_directory_is_refused_by_name() {
    let (keep, dir) = dir();
    let link = Utf8PathBuf::try_from(keep.path().join("link")).unwrap();
    symlink(&dir, &link).unwrap();
    let error = DirLock::acquire(&link, LONG).unwrap_err().to_string();
    assert!(error.contains("a symbolic link"), "{error}");
    let missing = DirLock::acquire(&dir.join("missing"), LONG);
    assert!(matches!(missing, Err(LockError::Open(_))));
}

#[test]
fn a_file_lock_has_one_holder_and_its_file_stays() {
    let (_keep, dir) = dir();
    let path = dir.join(".locks/g1.audit");
    let held = FileLock::try_acquire(&path).unwrap().unwrap();
    assert!(FileLock::try_acquire(&path).unwrap().is_none());
    assert!(
        FileLock::try_acquire(&dir.join(".locks/g2.audit"))
            .unwrap()
            .is_some()
    );
    drop(held);
    assert!(path.exists());
    eventually(&path);
}

#[test]
fn a_removed_lock_file_does_not_make_two_holders_of_one_path() {
    let (_keep, dir) = dir();
    let path = dir.join("g.audit");
    let before = FileLock::try_acquire(&path).unwrap().unwrap();
    fs::remove_file(&path).unwrap();
    let _after = FileLock::try_acquire(&path).unwrap().unwrap();
    assert!(
        FileLock::from_inherited(before.into_file(), &path)
            .unwrap()
            .is_none()
    );
}

#[test]
fn symlinked_lock_files_and_directories_are_refused() {
    let (keep, dir) = dir();
    let elsewhere = keep.path().join("elsewhere");
    symlink(&elsewhere, dir.join("g.audit")).unwrap();
    assert!(FileLock::try_acquire(&dir.join("g.audit")).is_err());
    assert!(!elsewhere.exists());
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, dir.join(".locks")).unwrap();
    assert!(FileLock::try_acquire(&dir.join(".locks/g.audit")).is_err());
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn the_lock_travels_with_the_file_to_a_child() {
    let (_keep, dir) = dir();
    let path = dir.join("g.audit");
    let file = FileLock::try_acquire(&path).unwrap().unwrap().into_file();
    let mut child = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::from(file))
        .spawn()
        .unwrap();
    assert!(FileLock::try_acquire(&path).unwrap().is_none(), "the child");
    child.kill().unwrap();
    child.wait().unwrap();
    eventually(&path);
}

#[test]
fn an_inherited_file_proves_itself() {
    let (_keep, dir) = dir();
    let path = dir.join("g.audit");
    let file = FileLock::try_acquire(&path).unwrap().unwrap().into_file();
    assert!(
        FileLock::try_acquire(&path).unwrap().is_none(),
        "still held"
    );
    let copy = file.try_clone().unwrap();
    drop(file);
    let taken = FileLock::from_inherited(copy, &path).unwrap().unwrap();
    let stranger = File::open(&path).unwrap();
    assert!(FileLock::from_inherited(stranger, &path).unwrap().is_none());
    drop(taken);
    eventually(&path);
}
