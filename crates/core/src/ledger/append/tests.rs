//! Appending to healthy, missing and torn ledgers, alone and side by side.

mod faults;

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

    fn lock(&self) -> DirLock {
        DirLock::acquire(&self.dir, Duration::from_secs(60)).unwrap()
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

    fn append_with(&self, disk: &impl Disk, lines: &[&str]) -> Result<Appended, AppendError> {
        let lock = self.lock();
        let writer = Writer::open(&lock, &self.path).unwrap();
        let extent = read(&writer);
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        writer.append_with(disk, &lines, &extent)
    }

    fn append(&self, lines: &[&str]) -> Result<Appended, AppendError> {
        self.append_with(&Real, lines)
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
    let none = writer.append(&[], &Extent::EMPTY).unwrap();
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
    // Git creates the file first and fills it then: even an empty one is its own.
    for theirs in [&b"theirs\n"[..], b""] {
        let project = Project::new();
        let lock = project.lock();
        let writer = Writer::open(&lock, &project.path).unwrap();
        project.foreign(theirs);
        let result = writer.append(&["ours".to_owned()], &Extent::EMPTY);
        assert!(matches!(result, Err(AppendError::Moved { .. })));
        assert_eq!(project.bytes(), theirs);
    }
}

#[test]
fn whatever_the_cut_the_old_bytes_stay_and_the_new_line_is_whole() {
    let whole: &[u8] = "{\"a\":1}\n{\"b\":\"é\"}\r\n".as_bytes();
    for cut in 0..=whole.len() {
        let project = Project::with(&whole[..cut]);
        let torn = cut > 0 && whole[cut - 1] != b'\n';
        let appended = project.append(&["{\"new\":1}", "{\"new\":2}"]).unwrap();
        assert_eq!(appended.ended_a_line, torn, "cut at {cut}");
        assert!(project.bytes().starts_with(&whole[..cut]));
        project.check(&appended, &["{\"new\":1}", "{\"new\":2}"]);
        let again = project.append(&["{\"new\":3}"]).unwrap();
        project.check(&again, &["{\"new\":3}"]);
        assert!(!again.ended_a_line);
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
