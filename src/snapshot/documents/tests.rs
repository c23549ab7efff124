//! The oracle: whatever happens to documents and to the ledger, reading with a saved state and reading
//! without come to the same.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use proptest::sample::Index as At;

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
    /// Somebody takes lines away from the end of the ledger.
    Cut(At),
    /// Somebody calls a goal otherwise in the ledger, without changing its length.
    Recall(At),
}

struct Project {
    _dir: tempfile::TempDir,
    paths: Paths,
    /// No two lines are written at the same time.
    now: Cell<u64>,
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
    /// Three goals of ours with documents of ours, the last ended, and a saved state of it.
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap().to_owned();
        let paths = Paths::new(&top.join("project")).caching_in(top.join("cache"));
        fs::create_dir_all(paths.archived()).unwrap();
        let project = Project {
            paths,
            now: Cell::new(0),
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
        Snapshot::read(&self.paths).unwrap()
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
    let rows = snapshot.rows(|_| true).unwrap();
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
    prop_oneof![
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
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn with_and_without_a_saved_state_a_project_reads_the_same(
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
