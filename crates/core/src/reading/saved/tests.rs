//! The oracle: whatever happens to a ledger and to its cache, reading with the cache and reading
//! without come to the same.

use std::cell::Cell;
use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use proptest::sample::Index as At;

use crate::domain::event::Event;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::line::RawLine;
use crate::domain::time::rfc3339;
use crate::domain::wire::{Decoded, decode};
use crate::ledger::append::Writer;
use crate::ledger::cache::CacheDir;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::reading::Reading;

/// What may happen between two readings.
#[derive(Debug, Clone)]
enum Step {
    /// We append, under the lock.
    Ours(Vec<At>),
    /// Another program appends a line, or one of ours that stands there already.
    Theirs(At, bool),
    /// A torn line is left at the end.
    Torn,
    /// Somebody changes a byte, and sets the times back.
    Edit(At, u8),
    /// Somebody takes lines away from the end.
    Cut(At),
    /// A checkout: another file with these lines of the old one.
    Checkout(At),
    /// A union merge: the lines from here on stand twice.
    Merge(At),
    /// Our clock is so many lines off from now on.
    Clock(i64),
    /// A git merge: so many lines before the end another clone went on by itself, with these lines,
    /// whose clock is so many lines off. The flag: its lines come first.
    Pull(usize, Vec<At>, i64, bool),
    /// A byte of the cache, or of the word beside it, is damaged.
    Damage(At, At, u8),
    /// The cache of another project takes its place.
    Foreign,
}

struct Project {
    _dir: tempfile::TempDir,
    /// The directory that has the ledger.
    home: Utf8PathBuf,
    place: CacheDir,
    /// No two lines are written at the same time, in milliseconds.
    now: Cell<i64>,
    /// How far the writer's clock is off, in milliseconds.
    off: Cell<i64>,
}

const GOALS: [&str; 3] = ["a", "b-1", "mr5cf6ch-akrg4u"];

/// Payloads, `ID` being a goal's id.
const EVENTS: [&str; 14] = [
    r#"{"type":"goal_created","goalId":"ID","objective":"an objective","sisyphus":false,"autoContinue":true"#,
    r#"{"type":"goal_focused","goalId":"ID","reason":"r""#,
    r#"{"type":"goal_unfocused","reason":"r","session":"s""#,
    r#"{"type":"goal_paused","goalId":"ID","reason":"r","suggestedAction":"wait""#,
    r#"{"type":"goal_resumed","goalId":"ID","reason":"r","session":"s""#,
    r#"{"type":"goal_noted","goalId":"ID","note":"line\n\u00e9","next":"n","requestKey":"k#1""#,
    r#"{"type":"task_list_set","goalId":"ID","taskCount":2,"blockCompletion":true,"tasks":[{"id":"1","title":"t","provenance":null},{"id":"2","title":"u","pred":{"name":"confirm"}}]"#,
    r#"{"type":"question_asked","goalId":"ID","questionId":"q","kind":"info","question":"?","taskId":"1""#,
    r#"{"type":"question_answered","goalId":"ID","questionId":"q","answer":null"#,
    r#"{"type":"evidence_added","goalId":"ID","key":"k","value":0.30000000000000004,"taskId":"1""#,
    r#"{"type":"condition_checked","goalId":"ID","predicate":{"a":1},"satisfied":true,"taskId":"1""#,
    r#"{"type":"draft_started","draftId":"d","topic":"t","mode":"regular""#,
    r#"{"type":"audit_result","goalId":"ID","verdict":"approved","report":"<approved/>""#,
    r#"{"type":"goal_completed","goalId":"ID""#,
];

impl Project {
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap().to_owned();
        let home = top.join("home");
        fs::create_dir_all(&home).unwrap();
        Project {
            home,
            place: CacheDir::new(top.join("cache"), "project".into()),
            now: Cell::new(1_767_600_000_000),
            off: Cell::new(0),
            _dir: dir,
        }
    }

    fn ledger(&self) -> Utf8PathBuf {
        self.home.join("goal_events.jsonl")
    }

    /// The ledger, read with what is saved of it.
    fn read(&self) -> Reading {
        let file = open::read(&self.ledger()).unwrap();
        Reading::of(file, Some(&self.place)).unwrap()
    }

    /// The ledger, replayed from its beginning.
    fn read_anew(&self) -> Reading {
        Reading::of(open::read(&self.ledger()).unwrap(), None).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.ledger()).unwrap_or_default()
    }

    /// A line about one of the goals, chosen by `at`; one of ours when it has a link.
    fn line(&self, at: At, prev: Option<EventId>, also: &[EventId]) -> String {
        let event = EVENTS[at.index(EVENTS.len())];
        let goal = GOALS[at.index(EVENTS.len() * GOALS.len()) % GOALS.len()];
        let also = match also {
            [] => String::new(),
            also => format!(r#","also":{}"#, serde_json::to_string(also).unwrap()),
        };
        let link = prev.map(|prev| format!(r#","by":"user","prev":"{prev}"{also}"#));
        let event = event.replace("ID", goal);
        self.now.set(self.now.get() + 1_000);
        let now = rfc3339(self.now.get() + self.off.get());
        format!("{event},\"at\":\"{now}\"{}}}", link.unwrap_or_default())
    }

    fn append(&self, wanted: &[At], place: Option<&CacheDir>) {
        let lock = DirLock::acquire(&self.home, Duration::from_secs(5)).unwrap();
        let writer = Writer::open(&lock, &self.ledger()).unwrap();
        let file = writer.file().map(|it| it.try_clone().unwrap());
        let before = Reading::of(file, place).unwrap();
        let last = before.state.last.map(|line| before.id(line).unwrap());
        let mut prev = last.unwrap_or(EventId::ZERO);
        let heads = before.state.heads.iter().map(|(_, id)| *id);
        let mut also: Vec<EventId> = heads.filter(|id| *id != prev).collect();
        let (mut lines, mut ids) = (Vec::new(), Vec::new());
        for at in wanted {
            lines.push(self.line(*at, Some(prev), &std::mem::take(&mut also)));
            prev = EventId::of_line(lines[lines.len() - 1].as_bytes());
            ids.push(prev);
        }
        let events: Vec<Event> = lines.iter().map(|line| event(line)).collect();
        let appended = writer.append(&lines, &before.extent).unwrap();
        let after = before.then(&events, &ids, &appended, place);
        let after = after.unwrap_or_else(|| self.read_anew());
        // What a transaction goes on with is what the next one reads; only it finds nothing.
        let read = self.read_anew();
        assert_eq!(difference(&after, &read, false), None);
    }

    fn add(&self, bytes: &[u8]) {
        let path = self.ledger();
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    fn replace(&self, bytes: &[u8]) {
        let other = self.home.join("other");
        fs::write(&other, bytes).unwrap();
        fs::rename(other, self.ledger()).unwrap();
    }

    /// The lines, each with its end, the last perhaps without.
    fn lines(&self) -> Vec<Vec<u8>> {
        let bytes = self.bytes();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    }

    fn take(&self, step: &Step) {
        let path = self.ledger();
        let lines = self.lines();
        match step {
            Step::Ours(wanted) => self.append(wanted, Some(&self.place)),
            Step::Theirs(at, again) => {
                let line = match (again, lines.is_empty()) {
                    (true, false) => String::from_utf8_lossy(&lines[at.index(lines.len())])
                        .trim_end()
                        .to_owned(),
                    _ => self.line(*at, None, &[]),
                };
                self.add(format!("{line}\n").as_bytes());
            }
            Step::Torn => self.add(br#"{"type":"goal_no"#),
            Step::Edit(at, byte) if !lines.is_empty() => {
                let file = File::options().write(true).open(path).unwrap();
                let found = file.metadata().unwrap();
                let offset = at.index(found.len() as usize) as u64;
                file.write_all_at(&[*byte], offset).unwrap();
                let times = FileTimes::new().set_modified(found.modified().unwrap());
                file.set_times(times).unwrap();
            }
            Step::Cut(at) if !lines.is_empty() => {
                let file = File::options().write(true).open(path).unwrap();
                let kept = at.index(self.bytes().len());
                file.set_len(kept as u64).unwrap();
            }
            Step::Checkout(at) if !lines.is_empty() => {
                self.replace(&lines[..at.index(lines.len())].concat());
            }
            Step::Merge(at) if !lines.is_empty() => {
                let twice = &lines[at.index(lines.len())..];
                self.replace(&[&lines[..], twice].concat().concat());
            }
            Step::Clock(lines_off) => self.off.set(lines_off * 1_500),
            Step::Pull(back, wanted, lines_off, first) if lines.len() > *back => {
                let (shared, ours) = lines.split_at(lines.len() - back);
                self.replace(&shared.concat());
                let ours_off = self.off.replace(lines_off * 1_500);
                self.append(wanted, None);
                self.off.set(ours_off);
                let theirs = &self.lines()[shared.len()..];
                let [one, other] = match first {
                    true => [theirs, ours],
                    false => [ours, theirs],
                };
                self.replace(&[shared, one, other].concat().concat());
            }
            Step::Damage(file, at, byte) => self.damage(*file, *at, *byte),
            Step::Foreign => self.swap(),
            _ => {}
        }
    }

    fn files(&self) -> Vec<Utf8PathBuf> {
        let Ok(found) = self.place.dir().read_dir_utf8() else {
            return Vec::new();
        };
        let mut files: Vec<_> = found.map(|it| it.unwrap().into_path()).collect();
        files.sort();
        files
    }

    fn damage(&self, file: At, at: At, byte: u8) {
        let files = self.files();
        if files.is_empty() {
            return;
        }
        let file = &files[file.index(files.len())];
        let mut bytes = fs::read(file).unwrap();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] ^= byte.max(1);
        }
        fs::write(file, bytes).unwrap();
    }

    /// Puts the cache of a project with other lines in place of ours.
    fn swap(&self) {
        let other = Project::new();
        let everything: Vec<String> = EVENTS.iter().map(|it| it.replace("ID", "z")).collect();
        for event in everything {
            other.add(format!("{event},\"at\":\"u\"}}\n").as_bytes());
        }
        other.read();
        for (ours, theirs) in self.files().iter().zip(other.files()) {
            fs::copy(theirs, ours).unwrap();
        }
    }
}

fn event(line: &str) -> Event {
    let raw = RawLine {
        number: 1,
        ordinal: 1,
        offset: 1,
        bytes: line.as_bytes(),
        terminated: true,
        oversized: false,
    };
    match decode(&raw) {
        Decoded::Event { event, .. } => *event,
        other => panic!("{line}\n{other:?}"),
    }
}

/// Everything that a reading tells, as text.
fn told(reading: &Reading, findings: bool) -> String {
    let state = &reading.state;
    let visited: Vec<_> = state.goals.in_turn(|_| true).collect();
    let goals: Vec<&Goal> = state.goals.values().collect();
    assert_eq!(format!("{visited:?}"), format!("{goals:?}"));
    let ids = state.goals.ids(|_| true);
    let rows = reading.rows(|_| true).unwrap();
    let open = reading.rows(Status::is_open).unwrap();
    let found = findings.then_some(&reading.diagnostics);
    // The rest of the state, which has no other form that shows all of it.
    let rest = serde_json::to_string(state).unwrap();
    let requests = state.requests.all(reading.answered_before());
    let in_session = state.goals_of_session("s");
    let outside = reading.outside().unwrap();
    let counts = (state.counts(), requests, outside, state.goals.unsettled());
    let extent = reading.extent;
    format!(
        "{goals:#?}\n{ids:#?}\n{rows:#?}\n{open:?}\n{found:#?}\n{rest}\n{counts:?}\n{in_session:?}\n{extent:?}"
    )
}

/// The first lines in which two readings differ.
fn difference(one: &Reading, other: &Reading, findings: bool) -> Option<(String, String)> {
    let (one, other) = (told(one, findings), told(other, findings));
    let mut lines = one.lines().zip(other.lines());
    let differing = lines.find(|(one, other)| one != other);
    let differing = differing.map(|(one, other)| (one.to_owned(), other.to_owned()));
    differing.or_else(|| (one.len() != other.len()).then_some((one, other)))
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<At>;
    prop_oneof![
        6 => prop::collection::vec(at(), 1..6).prop_map(Step::Ours),
        3 => (at(), any::<bool>()).prop_map(|(at, again)| Step::Theirs(at, again)),
        1 => Just(Step::Torn),
        2 => (at(), prop_oneof![Just(b'\n'), Just(b'x')]).prop_map(|(at, it)| Step::Edit(at, it)),
        1 => at().prop_map(Step::Cut),
        1 => at().prop_map(Step::Checkout),
        1 => at().prop_map(Step::Merge),
        2 => (-6_i64..3).prop_map(Step::Clock),
        4 => (0_usize..6, prop::collection::vec(at(), 1..4), -3_i64..4, any::<bool>())
            .prop_map(|(back, lines, lines_off, first)| Step::Pull(back, lines, lines_off, first)),
        3 => (at(), at(), any::<u8>()).prop_map(|(file, at, it)| Step::Damage(file, at, it)),
        1 => Just(Step::Foreign),
    ]
}

/// Whatever a state can hold is saved and read: nothing is found damaged and replayed instead.
#[test]
fn every_kind_of_event_is_saved_whole() {
    let project = Project::new();
    let pinned = include_str!("../../../../../fixtures/events/every_variant.jsonl").lines();
    // Those that end a goal are for others, or what comes after would not count.
    let ends = |line: &str| line.contains(r#""goal_completed""#) || line.contains("goal_a");
    for line in pinned.filter(|line| !ends(line)) {
        project.add(format!("{line}\n").as_bytes());
    }
    let without = project.read_anew();
    for _ in 0..2 {
        let with = project.read();
        assert_eq!(difference(&with, &without, true), None);
        assert_eq!(project.files().len(), 2, "it was damaged");
    }
}

/// The bytes that are saved of every kind of event are those of [`super::VERSION`].
#[test]
fn what_is_saved_is_of_this_version() {
    let saved = |ledger: &[u8]| {
        let project = Project::new();
        project.add(ledger);
        project.read();
        // Beside it lies the word when the ledger was last seen to be unchanged.
        let files = project.files().into_iter().map(|it| fs::read(it).unwrap());
        files.max_by_key(|it| it.trim_ascii_end().len()).unwrap()
    };
    // One was merged, and only the other has lines that are not ours.
    let ours = include_bytes!("../../../../../fixtures/events/every_variant.jsonl");
    let theirs = include_bytes!("../../../../../fixtures/events/foreign.jsonl");
    let saved = [saved(ours), saved(theirs)].concat();
    assert_eq!(
        (
            super::VERSION,
            format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&saved))
        ),
        (38, "102d2c1f7357eda3".into()),
        "what is saved has changed: count VERSION up, and put both values here"
    );
}

#[test]
fn a_damaged_byte_anywhere_changes_nothing() {
    let project = Project::new();
    for event in EVENTS {
        for goal in GOALS {
            let line = event.replace("ID", goal);
            project
                .add(format!("{line},\"at\":\"t\",\"prev\":\"{}\"}}\n", EventId::ZERO).as_bytes());
        }
    }
    let without = project.read_anew();
    project.read();
    let files: Vec<_> = project.files();
    let saved: Vec<Vec<u8>> = files.iter().map(|it| fs::read(it).unwrap()).collect();
    assert_eq!(saved.len(), 2);
    for at in (0..saved[0].len()).step_by(23) {
        let mut damaged = saved[0].clone();
        damaged[at] ^= 1;
        fs::write(&files[0], &damaged).unwrap();
        fs::write(&files[1], &saved[1]).unwrap();
        let with = project.read();
        assert_eq!(difference(&with, &without, true), None, "byte {at}");
    }
}

#[test]
fn a_goal_that_our_creation_takes_back_is_saved_as_it_is_then() {
    let project = Project::new();
    for event in [EVENTS[0], EVENTS[5], EVENTS[5], EVENTS[13]] {
        project.add(format!("{},\"at\":\"t\"}}\n", event.replace("ID", GOALS[0])).as_bytes());
    }
    // Read with what was saved of it, and then saved once more.
    project.read();
    assert_eq!(project.files().len(), 2, "nothing was saved");
    let mut lines = vec![format!(
        "{},\"at\":\"u\"",
        EVENTS[0].replace("ID", GOALS[0])
    )];
    lines.extend((0..5).map(|at| format!("{},\"at\":\"{at}\"", EVENTS[3].replace("ID", GOALS[1]))));
    for line in lines {
        project.add(format!("{line},\"prev\":\"{}\"}}\n", EventId::ZERO).as_bytes());
        let with = project.read();
        let without = project.read_anew();
        assert_eq!(difference(&with, &without, true), None, "{line}");
        assert_eq!(with.outside().unwrap(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn with_and_without_a_cache_a_ledger_reads_the_same(
        steps in prop::collection::vec(step(), 1..16),
    ) {
        let project = Project::new();
        for step in &steps {
            project.take(step);
            let with = project.read();
            let without = project.read_anew();
            prop_assert_eq!(difference(&with, &without, true), None, "after {:?}", step);
        }
    }

    /// Lines of two clones whose clocks are behind come in the order of their ids, since none is
    /// earlier than the last line that both had seen.
    #[test]
    fn lines_behind_the_saved_state_are_ordered_by_its_latest_time(
        shared in prop::collection::vec(any::<At>(), 8),
        (ours, theirs) in (any::<At>(), any::<At>()),
        first in any::<bool>(),
    ) {
        let project = Project::new();
        for step in [
            Step::Ours(shared),
            Step::Clock(-40),
            Step::Ours(vec![ours]),
            Step::Pull(1, vec![theirs], -50, first),
        ] {
            project.take(&step);
            let with = project.read();
            let without = project.read_anew();
            prop_assert_eq!(difference(&with, &without, true), None, "after {:?}", step);
        }
    }
}
