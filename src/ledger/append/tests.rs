//! Appending to healthy, torn, replaced and failing ledgers.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;
use std::time::Duration;

use super::*;
use crate::ledger::frame::scan;
use crate::ledger::lines::Lines;

struct Project {
    _keep: tempfile::TempDir,
    dir: Utf8PathBuf,
    path: Utf8PathBuf,
}

impl Project {
    fn new() -> Project {
        let keep = tempfile::tempdir().unwrap();
        let dir = Utf8PathBuf::try_from(keep.path().to_owned()).unwrap();
        let path = dir.join("goal_events.jsonl");
        Project {
            _keep: keep,
            dir,
            path,
        }
    }

    fn with(bytes: &[u8]) -> Project {
        let project = Project::new();
        fs::write(&project.path, bytes).unwrap();
        project
    }

    fn lock(&self) -> Lock {
        Lock::acquire(&self.dir, Duration::from_secs(60)).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    /// A foreign program, which knows of no lock.
    fn foreign(&self, bytes: &[u8]) {
        let mut access = OpenOptions::new();
        let mut file = access.append(true).create(true).open(&self.path).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn append_with(
        &self,
        disk: &impl Disk,
        lines: &[&str],
        settle: impl FnOnce(),
    ) -> Result<Appended, AppendError> {
        let lock = self.lock();
        let writer = Writer::open(&lock, &self.path).unwrap();
        let extent = read(&writer);
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        writer.append_with(disk, &lines, &extent, settle)
    }

    fn append(&self, lines: &[&str]) -> Result<Appended, AppendError> {
        self.append_with(&Real, lines, || {})
    }

    /// What a new scan finds must be what the append said.
    fn check(&self, appended: &Appended, lines: &[&str]) {
        let mut found = Vec::new();
        let extent = scan(self.bytes().as_slice(), |raw| {
            found.push(LineRef::from(raw))
        })
        .unwrap();
        assert_eq!(appended.extent, extent);
        assert_eq!(appended.lines.len(), lines.len());
        let file = Lines::new(open::read(&self.path).unwrap());
        for (line, text) in appended.lines.iter().zip(lines) {
            assert!(found.contains(line), "{line:?} in {found:?}");
            assert_eq!(file.bytes(*line).unwrap(), text.as_bytes());
        }
    }
}

fn read(writer: &Writer<'_>) -> Extent {
    let scanned = writer.file().map(|file| scan(file, |_| {}).unwrap());
    scanned.unwrap_or(Extent::EMPTY)
}

#[test]
fn the_first_append_creates_the_ledger_and_nothing_before_does() {
    let project = Project::new();
    let lock = project.lock();
    let writer = Writer::open(&lock, &project.path).unwrap();
    assert!(writer.file().is_none());
    let none = writer.append(&[], &Extent::EMPTY, || {}).unwrap();
    assert_eq!((none.lines.len(), none.extent), (0, Extent::EMPTY));
    assert!(!project.path.exists());
    drop(lock);
    let appended = project.append(&["one", "two"]).unwrap();
    assert_eq!(project.bytes(), b"one\ntwo\n");
    project.check(&appended, &["one", "two"]);
    let plain = project.dir.join("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path: &Utf8Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&project.path), mode(&plain), "0666 less the umask");
}

#[test]
fn a_ledger_created_meanwhile_is_left_alone() {
    let project = Project::new();
    let lock = project.lock();
    let writer = Writer::open(&lock, &project.path).unwrap();
    project.foreign(b"theirs\n");
    let error = writer.append(&["ours".to_owned()], &Extent::EMPTY, || {});
    assert!(matches!(error, Err(AppendError::Moved { .. })));
    assert_eq!(project.bytes(), b"theirs\n");
}

#[test]
fn whatever_the_cut_the_old_bytes_stay_and_the_new_line_is_whole() {
    let whole: &[u8] = "{\"a\":1}\n{\"b\":\"é\"}\r\n".as_bytes();
    for cut in 0..=whole.len() {
        let project = Project::with(&whole[..cut]);
        let torn = cut > 0 && whole[cut - 1] != b'\n';
        let appended = project.append(&["{\"new\":1}", "{\"new\":2}"]).unwrap();
        assert_eq!(appended.sealed, torn, "cut at {cut}");
        assert!(project.bytes().starts_with(&whole[..cut]));
        project.check(&appended, &["{\"new\":1}", "{\"new\":2}"]);
        let again = project.append(&["{\"new\":3}"]).unwrap();
        project.check(&again, &["{\"new\":3}"]);
        assert!(!again.sealed);
    }
}

#[test]
fn only_a_regular_file_is_appended_to() {
    let project = Project::new();
    let elsewhere = project.dir.join("elsewhere");
    fs::write(&elsewhere, "theirs\n").unwrap();
    symlink(&elsewhere, &project.path).unwrap();
    let lock = project.lock();
    let error = Writer::open(&lock, &project.path).unwrap_err().to_string();
    assert!(error.contains("a symbolic link"), "{error}");
    assert_eq!(fs::read(&elsewhere).unwrap(), b"theirs\n");
}

#[test]
fn threads_leave_whole_lines_in_their_order() {
    const THREADS: usize = 6;
    const EACH: usize = 20;
    let project = Project::new();
    thread::scope(|scope| {
        for name in 0..THREADS {
            let project = &project;
            scope.spawn(move || {
                for turn in 0..EACH {
                    let line = format!("{name} {turn} {}", "x".repeat(name * 700));
                    project.append(&[&line]).unwrap();
                }
            });
        }
    });
    let text = String::from_utf8(project.bytes()).unwrap();
    assert_eq!(text.lines().count(), THREADS * EACH);
    for name in 0..THREADS {
        let start = format!("{name} ");
        let turns: Vec<usize> = text
            .lines()
            .filter_map(|line| line.strip_prefix(&start))
            .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert!(turns.iter().copied().eq(0..EACH), "{name}: {turns:?}");
    }
}

/// A disk on which one thing goes wrong, and another program that appends before our write.
#[derive(Default)]
struct Faulty<'a> {
    /// Take only so many bytes, then be full.
    room: Option<usize>,
    write_error: bool,
    interruptions: Cell<u32>,
    sync_error: bool,
    truncate_error: bool,
    before_write: Option<&'a dyn Fn()>,
    after_write: Option<&'a dyn Fn()>,
    syncs: Cell<u32>,
}

impl Disk for Faulty<'_> {
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        if self.interruptions.get() > 0 {
            self.interruptions.set(self.interruptions.get() - 1);
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.write_error {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if let Some(act) = self.before_write {
            act();
        }
        let room = self.room.unwrap_or(bytes.len());
        let written = Real.write(file, &bytes[..room])?;
        if let Some(act) = self.after_write {
            act();
        }
        Ok(written)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.syncs.set(self.syncs.get() + 1);
        if self.sync_error {
            return Err(io::Error::other("the disk lost it"));
        }
        Real.sync(file)
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        if self.truncate_error {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Real.truncate(file, len)
    }
}

/// Whether nothing was recorded, and the message.
fn rolled_back(result: Result<Appended, AppendError>) -> (bool, String) {
    match result {
        Err(error @ AppendError::NotRecorded { rolled_back, .. }) => {
            (rolled_back, error.to_string())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_failure_leaves_the_ledger_as_it_was() {
    for (name, disk) in [
        (
            "short",
            Faulty {
                room: Some(4),
                ..Faulty::default()
            },
        ),
        (
            "none",
            Faulty {
                room: Some(0),
                ..Faulty::default()
            },
        ),
        (
            "error",
            Faulty {
                write_error: true,
                ..Faulty::default()
            },
        ),
        (
            "sync",
            Faulty {
                sync_error: true,
                ..Faulty::default()
            },
        ),
    ] {
        for before in [&b""[..], b"old\n", b"old\ntorn"] {
            let project = Project::with(before);
            let (back, message) = rolled_back(
                project.append_with(&disk, &["new line"], || panic!("nothing to settle")),
            );
            assert!(
                back && message.contains("nothing is recorded"),
                "{name}: {message}"
            );
            assert!(message.contains(project.path.as_str()), "{message}");
            assert_eq!(project.bytes(), before, "{name}");
            project.append(&["new line"]).unwrap();
        }
    }
}

#[test]
fn a_failed_sync_is_not_retried() {
    let project = Project::new();
    let disk = Faulty {
        sync_error: true,
        ..Faulty::default()
    };
    assert!(rolled_back(project.append_with(&disk, &["new"], || {})).0);
    assert_eq!(disk.syncs.get(), 1);
    assert_eq!(project.bytes(), b"");
}

#[test]
fn what_cannot_be_taken_back_is_said() {
    let project = Project::with(b"old\n");
    let disk = Faulty {
        room: Some(2),
        truncate_error: true,
        ..Faulty::default()
    };
    let (back, message) = rolled_back(project.append_with(&disk, &["new"], || {}));
    assert!(!back && message.contains("may stand"), "{message}");
    assert_eq!(project.bytes(), b"old\nne");
}

#[test]
fn nobody_elses_bytes_are_cut() {
    let project = Project::with(b"old\n");
    let foreign = || project.foreign(b"theirs\n");
    let disk = Faulty {
        room: Some(2),
        after_write: Some(&foreign),
        ..Faulty::default()
    };
    assert!(!rolled_back(project.append_with(&disk, &["new"], || {})).0);
    assert_eq!(project.bytes(), b"old\nnetheirs\n");
}

#[test]
fn a_signal_before_the_first_byte_is_no_failure() {
    let project = Project::with(b"old\n");
    let disk = Faulty {
        interruptions: Cell::new(3),
        ..Faulty::default()
    };
    let appended = project.append_with(&disk, &["new"], || {}).unwrap();
    project.check(&appended, &["new"]);
}

#[test]
fn a_ledger_that_grew_since_the_scan_is_read_again() {
    let project = Project::with(b"old\n");
    let lock = project.lock();
    let writer = Writer::open(&lock, &project.path).unwrap();
    let extent = read(&writer);
    project.foreign(b"theirs\n");
    let error = writer.append(&["new".to_owned()], &extent, || {});
    assert!(matches!(error, Err(AppendError::Moved { .. })));
    assert_eq!(project.bytes(), b"old\ntheirs\n");
}

#[test]
fn a_ledger_replaced_after_the_write_is_noticed() {
    let replaced = |act: &dyn Fn(&Project)| {
        let project = Project::with(b"old\n");
        let result = project.append_with(&Real, &["new"], || act(&project));
        assert!(
            matches!(result, Err(AppendError::Moved { .. })),
            "{result:?}"
        );
    };
    replaced(&|project| fs::remove_file(&project.path).unwrap());
    replaced(&|project| {
        fs::rename(&project.path, project.dir.join("aside")).unwrap();
        fs::write(&project.path, "old\nnew\n").unwrap();
    });
    replaced(&|project| fs::write(&project.path, "other\n").unwrap());
    replaced(&|project| fs::write(&project.path, "old\n").unwrap());
}

#[test]
fn a_foreign_line_in_between_does_not_make_ours_twice() {
    for (before, theirs) in [
        (&b"old\n"[..], &b"theirs\n"[..]),
        (b"", b"a\nb\n"),
        (b"old\ntorn", b"\ntheirs\n"),
        (b"old\ntorn", b"welded\n"),
        (b"old\ntorn", b"more"),
    ] {
        let project = Project::with(before);
        let foreign = || project.foreign(theirs);
        let disk = Faulty {
            before_write: Some(&foreign),
            ..Faulty::default()
        };
        let appended = project
            .append_with(&disk, &["new", "newer"], || {})
            .unwrap();
        project.check(&appended, &["new", "newer"]);
    }
}

#[test]
fn ours_welded_to_an_unfinished_foreign_line_is_no_record() {
    let project = Project::with(b"old\n");
    let foreign = || project.foreign(b"unfinished");
    let disk = Faulty {
        before_write: Some(&foreign),
        ..Faulty::default()
    };
    let result = project.append_with(&disk, &["new"], || {});
    assert!(
        matches!(result, Err(AppendError::Moved { .. })),
        "{result:?}"
    );
    let again = project.append(&["new"]).unwrap();
    project.check(&again, &["new"]);
    assert_eq!(project.bytes(), b"old\nunfinishednew\nnew\n");
}
