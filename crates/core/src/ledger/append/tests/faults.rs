//! Disks that fail, and programs that do not know of the lock.

use std::cell::Cell;
use std::fs;

use super::*;

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
    after_sync: Option<&'a dyn Fn()>,
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
        Real.sync(file)?;
        if let Some(act) = self.after_sync {
            act();
        }
        Ok(())
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
            let (back, message) = rolled_back(project.append_with(&disk, &["new line"]));
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
    assert!(rolled_back(project.append_with(&disk, &["new"])).0);
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
    let (back, message) = rolled_back(project.append_with(&disk, &["new"]));
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
    assert!(!rolled_back(project.append_with(&disk, &["new"])).0);
    assert_eq!(project.bytes(), b"old\nnetheirs\n");
}

#[test]
fn a_signal_before_the_first_byte_is_no_failure() {
    let project = Project::with(b"old\n");
    let disk = Faulty {
        interruptions: Cell::new(3),
        ..Faulty::default()
    };
    let appended = project.append_with(&disk, &["new"]).unwrap();
    project.check(&appended, &["new"]);
}

#[test]
fn a_ledger_that_grew_since_the_scan_is_read_again() {
    let project = Project::with(b"old\n");
    let lock = project.lock();
    let writer = Writer::open(&lock, &project.path).unwrap();
    let extent = read(&writer);
    project.foreign(b"theirs\n");
    let error = writer.append(&["new".to_owned()], &extent);
    assert!(matches!(error, Err(AppendError::Moved { .. })));
    assert_eq!(project.bytes(), b"old\ntheirs\n");
}

#[test]
fn a_ledger_replaced_after_the_write_is_noticed() {
    let replaced = |act: &dyn Fn(&Project)| {
        let project = Project::with(b"old\n");
        let replace = || act(&project);
        let disk = Faulty {
            after_sync: Some(&replace),
            ..Faulty::default()
        };
        let result = project.append_with(&disk, &["new"]);
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
    replaced(&|project| fs::write(&project.path, "old\nNEW\n").unwrap());
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
        let appended = project.append_with(&disk, &["new", "newer"]).unwrap();
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
    let result = project.append_with(&disk, &["new"]);
    assert!(
        matches!(result, Err(AppendError::Moved { .. })),
        "{result:?}"
    );
    let again = project.append(&["new"]).unwrap();
    project.check(&again, &["new"]);
    assert_eq!(project.bytes(), b"old\nunfinishednew\nnew\n");
}

#[test]
fn stamps_are_given_only_where_nobody_else_wrote_between_them() {
    let stamps = |disk: Faulty<'_>, project: &Project| {
        let appended = project.append_with(&disk, &["new"]).unwrap();
        let of = |(before, after): (Stamp, Stamp)| (before.len, after.len);
        appended.stamps.map(of)
    };
    let project = Project::with(b"old\n");
    assert_eq!(stamps(Faulty::default(), &project), Some((4, 8)));
    let foreign = || project.foreign(b"theirs\n");
    let (earlier, later) = (Faulty::default(), Faulty::default());
    for disk in [
        Faulty {
            before_write: Some(&foreign),
            ..earlier
        },
        Faulty {
            after_write: Some(&foreign),
            ..later
        },
    ] {
        assert_eq!(stamps(disk, &project), None);
    }
}

#[test]
fn a_ledger_that_cannot_be_created_records_nothing() {
    let project = Project::new();
    let lock = project.lock();
    let writer = Writer::open(&lock, &project.path).unwrap();
    fs::remove_dir_all(&project.dir).unwrap();
    let result = writer.append(&["new".to_owned()], &Extent::EMPTY);
    let (rolled_back, message) = rolled_back(result);
    assert!(rolled_back && message.contains("create"), "{message}");
}

#[test]
fn an_event_that_cannot_be_read_back_is_not_acknowledged() {
    let project = Project::with(b"old\n");
    let lock = project.lock();
    let extent = read(&Writer::open(&lock, &project.path).unwrap());
    let write_only = OpenOptions::new().append(true).open(&project.path);
    let writer = Writer {
        lock: &lock,
        path: project.path.clone(),
        file: Some(write_only.unwrap()),
    };
    let result = writer.append(&["new".to_owned()], &extent);
    let (rolled_back, message) = rolled_back(result);
    assert!(!rolled_back && message.contains("read"), "{message}");
}
