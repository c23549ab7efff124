//! The oracle: whatever happens to documents, to the ledger and to what is remembered, reading
//! with what is remembered and reading without come to the same.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use proptest::sample::Index as At;

use super::{Directory, Memory};
use crate::domain::id::{EventId, GoalId};
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use crate::workspace::document_name::{DocumentKind, DocumentName};

/// What may happen between two readings.
#[derive(Debug, Clone)]
enum Step {
    /// A line about one of the goals is appended, one of ours or not.
    Line(At, At, bool),
    /// A document is put somewhere, under a name that tells its goal.
    Put(At, At, At),
    /// One is put there whose name tells nothing.
    Misnamed(At, At, At),
    /// Somebody edits a file, and sets the times back.
    Edit(At, At, At),
    Remove(At),
    /// A file gets the name that another goal's document would have.
    Rename(At, At),
    /// A file goes to the other directory.
    Move(At),
    /// Something that is no document, or not to be read.
    Stranger(At),
    /// Something of this, and the times of the directories are set back.
    Quietly(Box<Step>),
    /// Somebody takes lines away from the end of the ledger.
    Cut(At),
    /// Somebody calls a goal otherwise in the ledger, without changing its length.
    Recall(At),
    /// A byte of what is remembered is damaged.
    Damage(At, u8),
    /// What was remembered earlier, or by another project, takes its place.
    Earlier(At),
    Foreign,
}

struct Project {
    _dir: tempfile::TempDir,
    paths: Paths,
    cache: Utf8PathBuf,
    /// No two lines are written at the same time.
    now: Cell<u64>,
    /// All that was remembered.
    earlier: RefCell<Vec<Vec<u8>>>,
}

const GOALS: [&str; 4] = ["a", "b", "c", "d"];

const EVENTS: [&str; 5] = [
    r#"{"type":"goal_created","goalId":"ID","objective":"an objective","sisyphus":false,"autoContinue":true"#,
    r#"{"type":"goal_noted","goalId":"ID","note":"n""#,
    r#"{"type":"goal_tweaked","goalId":"ID","changeSummary":"s","objective":"another""#,
    r#"{"type":"task_list_set","goalId":"ID","taskCount":2,"blockCompletion":true"#,
    r#"{"type":"goal_aborted","goalId":"ID","reason":"r""#,
];

const TEXTS: [&str; 5] = [
    "---\nid: ID\n---\n",
    "{\"id\":\"ID\",\"objective\":\"of a document\",\"status\":\"paused\"}\n",
    "{\"id\":\"ID\",\"taskList\":{\"tasks\":[{\"id\":\"1\",\"title\":\"t\"}]}}\n\n# Goal Prompt\n\nx\n",
    "# Not a goal\n",
    "{\"id\":7}\n",
];

fn chosen<'a>(from: &[&'a str], at: At) -> &'a str {
    from[at.index(from.len())]
}

impl Project {
    /// Three goals of ours with documents of ours, the last ended, and all of it remembered.
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap().to_owned();
        let paths = Paths::new(&top.join("project")).caching_in(top.join("cache"));
        fs::create_dir_all(paths.archived()).unwrap();
        let project = Project {
            paths,
            cache: top.join("cache"),
            now: Cell::new(0),
            earlier: RefCell::default(),
            _dir: dir,
        };
        for goal in &GOALS[..3] {
            project.append(EVENTS[0], goal, true);
            project.append(EVENTS[1], goal, true);
        }
        project.append(EVENTS[4], GOALS[2], true);
        for (goal, kind) in [
            (GOALS[0], DocumentKind::Active),
            (GOALS[1], DocumentKind::Active),
            (GOALS[2], DocumentKind::Archived),
        ] {
            fs::write(project.at(kind, goal), TEXTS[0].replace("ID", goal)).unwrap();
        }
        project.read();
        project
    }

    fn read(&self) -> Snapshot {
        let read = Snapshot::read(&self.paths).unwrap();
        let remembered = self.memory().and_then(|path| fs::read(path).ok());
        self.earlier.borrow_mut().extend(remembered);
        read
    }

    fn append(&self, event: &str, goal: &str, ours: bool) {
        self.now.set(self.now.get() + 1);
        let now = self.now.get();
        let link = format!(r#","by":"user","prev":"{}""#, EventId::ZERO);
        let link = if ours { &link } else { "" };
        let line = format!("{}{link},\"at\":\"t{now}\"}}\n", event.replace("ID", goal));
        let mut access = File::options();
        let access = access.append(true).create(true);
        let mut ledger = access.open(self.paths.events()).unwrap();
        ledger.write_all(line.as_bytes()).unwrap();
    }

    fn dir(&self, kind: DocumentKind) -> Utf8PathBuf {
        match kind {
            DocumentKind::Active => self.paths.home().to_owned(),
            DocumentKind::Archived => self.paths.archived(),
        }
    }

    /// Where a document of this goal would lie.
    fn at(&self, kind: DocumentKind, goal: &str) -> Utf8PathBuf {
        let at = "2026-01-01T00:00:00.000Z";
        let name = DocumentName::new(kind, at, &goal.parse().unwrap());
        self.dir(kind).join(name.to_string())
    }

    /// The files that end as documents do, whatever they are.
    fn files(&self) -> Vec<Utf8PathBuf> {
        let mut files = Vec::new();
        for dir in [self.paths.home().to_owned(), self.paths.archived()] {
            let found = dir.read_dir_utf8().unwrap();
            files.extend(found.map(|it| it.unwrap().into_path()));
        }
        files.retain(|it| it.extension() == Some("md"));
        files.sort();
        files
    }

    fn memory(&self) -> Option<Utf8PathBuf> {
        let found = self.cache.read_dir_utf8().ok()?;
        let mut paths = found.map(|it| it.unwrap().into_path());
        paths.find(|it| it.as_str().ends_with(".documents"))
    }

    fn take(&self, step: &Step) {
        let files = self.files();
        let file = |at: &At| (!files.is_empty()).then(|| &files[at.index(files.len())]);
        let text = |at: &At, goal: &At| chosen(&TEXTS, *at).replace("ID", chosen(&GOALS, *goal));
        match step {
            Step::Line(event, goal, ours) => {
                self.append(chosen(&EVENTS, *event), chosen(&GOALS, *goal), *ours);
            }
            Step::Put(dir, goal, at) => {
                let path = self.at(kind(*dir), chosen(&GOALS, *goal));
                let _is_something_else = fs::write(path, text(at, goal));
            }
            Step::Misnamed(dir, goal, at) => {
                fs::write(self.dir(kind(*dir)).join("readme.md"), text(at, goal)).unwrap();
            }
            Step::Edit(at, goal, to) => {
                if let Some(path) = file(at)
                    && path.symlink_metadata().unwrap().is_file()
                {
                    let times = times_of(path);
                    fs::write(path, text(to, goal)).unwrap();
                    let file = File::options().write(true).open(path).unwrap();
                    file.set_times(times).unwrap();
                }
            }
            Step::Remove(at) => {
                let _is_a_directory = file(at).map(fs::remove_file);
            }
            Step::Rename(at, goal) => {
                if let Some(path) = file(at) {
                    let name = self.at(kind(*goal), chosen(&GOALS, *goal));
                    let to = path.with_file_name(name.file_name().unwrap());
                    let _does_not_go = fs::rename(path, to);
                }
            }
            Step::Move(at) => self.cross(file(at)),
            Step::Stranger(at) => self.disturb(*at),
            Step::Quietly(step) => self.quietly(|| self.take(step)),
            Step::Cut(at) => {
                let ledger = File::options().write(true).open(self.paths.events());
                let ledger = ledger.unwrap();
                let bytes = fs::read(self.paths.events()).unwrap();
                let mut ends = vec![0];
                ends.extend((1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n'));
                ledger.set_len(ends[at.index(ends.len())] as u64).unwrap();
            }
            Step::Recall(at) => {
                let goal = format!("\"goalId\":\"{}\"", chosen(&GOALS, *at));
                let text = fs::read_to_string(self.paths.events()).unwrap();
                let ledger = File::options().write(true).open(self.paths.events());
                let text = text.replace(&goal, "\"goalId\":\"z\"");
                ledger.unwrap().write_all_at(text.as_bytes(), 0).unwrap();
            }
            Step::Damage(at, byte) => self.replace(|bytes| {
                let at = at.index(bytes.len());
                bytes[at] ^= byte.max(&1);
            }),
            Step::Earlier(at) => self.replace(|bytes| {
                let earlier = self.earlier.borrow();
                bytes.clone_from(&earlier[at.index(earlier.len())]);
            }),
            Step::Foreign => self.replace(|bytes| {
                let other = Project::new();
                if let Some(path) = other.memory() {
                    *bytes = fs::read(path).unwrap();
                }
            }),
        }
    }

    fn quietly(&self, act: impl FnOnce()) {
        let dirs = [self.paths.home().to_owned(), self.paths.archived()];
        let times = dirs.each_ref().map(|dir| times_of(dir));
        act();
        for (dir, times) in dirs.iter().zip(times) {
            File::open(dir).unwrap().set_times(times).unwrap();
        }
    }

    /// Moves a file to the other directory.
    fn cross(&self, file: Option<&Utf8PathBuf>) {
        if let Some(path) = file {
            let other = match path.parent() == Some(self.paths.home()) {
                true => self.paths.archived(),
                false => self.paths.home().to_owned(),
            };
            let _does_not_go = fs::rename(path, other.join(path.file_name().unwrap()));
        }
    }

    fn disturb(&self, at: At) {
        let dir = self.dir(kind(at));
        let document = self.at(kind(at), GOALS[0]);
        let _is_there = match at.index(5) {
            0 => symlink(TEXTS[0], dir.join("goal_2026010100000000_b.md")),
            1 => fs::write(dir.join("active_goal.md.1.tmp"), ""),
            2 => fs::create_dir(dir.join("goal_2026010200000000_c.md")),
            3 => fs::write(format!("{document}.orig"), ""),
            _ => fs::remove_file(dir.join("active_goal.md.1.tmp")),
        };
    }

    /// Changes what is remembered, if there is anything.
    fn replace(&self, change: impl FnOnce(&mut Vec<u8>)) {
        if let Some(path) = self.memory() {
            let mut bytes = fs::read(&path).unwrap();
            change(&mut bytes);
            fs::write(path, bytes).unwrap();
        }
    }
}

fn kind(at: At) -> DocumentKind {
    [DocumentKind::Active, DocumentKind::Archived][at.index(2)]
}

fn times_of(path: &Utf8Path) -> FileTimes {
    let found = path.metadata().unwrap();
    let times = FileTimes::new().set_accessed(found.accessed().unwrap());
    times.set_modified(found.modified().unwrap())
}

/// Everything that documents can change in what a snapshot tells.
fn told(snapshot: &Snapshot) -> String {
    let goals: Vec<_> = snapshot.state.goals.values().collect();
    let rows = snapshot.headers(|_| true, true).unwrap();
    let found = &snapshot.diagnostics;
    let mut told = format!("{goals:#?}\n{rows:#?}\n{found:#?}\n");
    for goal in GOALS.map(|it| it.parse::<GoalId>().unwrap()) {
        let active: Vec<_> = snapshot.active_documents_of(&goal).unwrap().collect();
        let archived: Vec<_> = snapshot.archived_documents_of(&goal).unwrap().collect();
        let one = snapshot.document_of(&goal).unwrap();
        writeln!(told, "{goal}: {active:?} {archived:?} {one:?}").unwrap();
    }
    let documents: Vec<_> = snapshot.documents().unwrap().collect();
    format!("{told}{documents:#?}")
}

/// The first lines in which two readings differ.
fn difference(one: &Snapshot, other: &Snapshot) -> Option<(String, String)> {
    let (one, other) = (told(one), told(other));
    let mut lines = one.lines().zip(other.lines());
    let differing = lines.find(|(one, other)| one != other);
    let differing = differing.map(|(one, other)| (one.to_owned(), other.to_owned()));
    differing.or_else(|| (one.len() != other.len()).then_some((one, other)))
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<At>;
    let three = || (at(), at(), at());
    let loudly = prop_oneof![
        4 => (at(), at(), any::<bool>()).prop_map(|(event, goal, ours)| Step::Line(event, goal, ours)),
        4 => three().prop_map(|(dir, goal, text)| Step::Put(dir, goal, text)),
        1 => three().prop_map(|(dir, goal, text)| Step::Misnamed(dir, goal, text)),
        4 => three().prop_map(|(file, goal, text)| Step::Edit(file, goal, text)),
        2 => at().prop_map(Step::Remove),
        2 => (at(), at()).prop_map(|(file, goal)| Step::Rename(file, goal)),
        2 => at().prop_map(Step::Move),
        2 => at().prop_map(Step::Stranger),
        2 => at().prop_map(Step::Cut),
        1 => at().prop_map(Step::Recall),
        1 => (at(), any::<u8>()).prop_map(|(at, it)| Step::Damage(at, it)),
        1 => at().prop_map(Step::Earlier),
        1 => Just(Step::Foreign),
    ];
    (loudly, any::<bool>()).prop_map(|(step, quietly)| match quietly {
        true => Step::Quietly(Box::new(step)),
        false => step,
    })
}

/// What is remembered of both directories when nothing more is to be had from listing them.
fn at_rest(project: &Project) -> Snapshot {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let read = project.read();
        let Directory { listing, .. } = &read.documents.archived;
        // Where times only tick, a stamp has to grow older first.
        if listing.get().is_none() && read.documents.active.listing.get().is_none() {
            return read;
        }
        assert!(Instant::now() < until, "both directories are listed again");
    }
}

#[test]
fn directories_at_rest_are_not_listed_before_somebody_asks() {
    let project = Project::new();
    let read = at_rest(&project);
    let [a, c, new] = ["a", "c", "d"].map(|it| it.parse::<GoalId>().unwrap());
    // Of a goal that was not there then, there is no document.
    assert_eq!(read.document_of(&new).unwrap(), None);
    assert!(read.documents.active.listing.get().is_none());
    assert_eq!(read.active_documents_of(&a).unwrap().count(), 1);
    assert!(read.documents.archived.listing.get().is_none());
    assert_eq!(read.archived_documents_of(&c).unwrap().count(), 1);
    // For one goal the names of the others are passed over.
    assert!(read.documents.archived.entries.get().is_none());
    assert!(read.documents.archived.first.get().is_some());
    // The other one need not be listed because one has changed.
    fs::write(project.at(DocumentKind::Active, "a"), TEXTS[0]).unwrap();
    fs::remove_file(project.at(DocumentKind::Active, "b")).unwrap();
    let read = project.read();
    assert!(read.documents.active.listing.get().is_some());
    assert!(read.documents.archived.listing.get().is_none());
}

#[test]
fn what_is_damaged_counts_as_nothing() {
    let project = Project::new();
    // One more than what is saved, so that all kinds of things are remembered.
    project.append(EVENTS[0], GOALS[3], true);
    fs::write(project.at(DocumentKind::Archived, GOALS[3]), "").unwrap();
    let read = at_rest(&project);
    let known = read.known.as_ref().unwrap();
    let path = project.memory().unwrap();
    let whole = fs::read(&path).unwrap();
    let active = || {
        let memory = Memory::of(known).unwrap();
        memory.of_directory(DocumentKind::Active, project.paths.home())
    };
    assert!(active().is_some());
    let text = whole.trim_ascii_end().len();
    for at in 0..text {
        let mut damaged = whole.clone();
        damaged[at] ^= 2;
        fs::write(&path, damaged).unwrap();
        assert_eq!(active(), None, "byte {at}");
    }
    for len in [0, 1, 16, text - 1] {
        fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(active(), None, "{len} bytes");
    }
    // It is made anew, also where something longer lies in its place.
    fs::write(&path, vec![b'x'; 5000]).unwrap();
    at_rest(&project);
}

/// Makes the first change and reads twice, makes the second, and reads.
fn after_rest(before: impl FnOnce(&Project), change: impl FnOnce(&Project)) {
    let project = Project::new();
    before(&project);
    // The first may have something to remember that the second goes by.
    project.read();
    let was = project.read();
    change(&project);
    let with = project.read();
    let without = Snapshot::read(&project.paths.uncached()).unwrap();
    assert_eq!(difference(&with, &without), None);
    assert!(difference(&was, &with).is_some(), "it changes nothing");
}

/// Random steps seldom come to these.
#[test]
fn what_may_come_to_say_something_is_looked_at() {
    let archived = |project: &Project| project.at(DocumentKind::Archived, GOALS[3]);
    // A goal leaves the ledger.
    after_rest(
        |project| {
            project.append(EVENTS[0], GOALS[3], true);
            fs::write(archived(project), TEXTS[1].replace("ID", GOALS[3])).unwrap();
        },
        |project| {
            let text = fs::read_to_string(project.paths.events()).unwrap();
            let end = text.trim_end().rfind('\n').unwrap() + 1;
            let ledger = File::options().write(true).open(project.paths.events());
            ledger.unwrap().set_len(end as u64).unwrap();
        },
    );
    // A document of an unknown goal says nothing at first, or has a name that tells nothing.
    for name in ["goal_2026010100000000_d.md", "readme.md"] {
        let path = |project: &Project| project.paths.archived().join(name);
        after_rest(
            |project| fs::write(path(project), TEXTS[0].replace("ID", "a")).unwrap(),
            |project| fs::write(path(project), TEXTS[1].replace("ID", GOALS[3])).unwrap(),
        );
    }
    // The directory looks as if nothing had happened.
    after_rest(
        |_| (),
        |project| {
            let text = TEXTS[1].replace("ID", GOALS[3]);
            project.quietly(|| fs::write(archived(project), text).unwrap());
        },
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn with_and_without_what_is_remembered_a_project_reads_the_same(
        steps in prop::collection::vec(step(), 1..20),
    ) {
        let project = Project::new();
        for step in &steps {
            project.take(step);
            let with = project.read();
            let without = Snapshot::read(&project.paths.uncached()).unwrap();
            prop_assert_eq!(difference(&with, &without), None, "after {:?}", step);
        }
    }
}
