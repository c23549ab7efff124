//! Real limits: files that may not grow, full disks and full outputs, no descriptors, no memory,
//! no permission to write. Nothing is simulated here.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;

use goal_ledger::domain::diagnostic::Code;

use crate::mounts::{self, Tmpfs, wrapped};
use crate::oracle::{Cure, acknowledged, documents_whole, judge, projected, whole};
use crate::say;
use crate::scene::{self, Prepare, Scene};
use crate::strace;
use crate::support::{Project, Ran};

/// What every limit is tried on.
const COMMANDS: [(&str, Prepare); 4] = [
    ("set", scene::set),
    ("pause", scene::pause),
    ("confirm", scene::confirm),
    ("repair", scene::repair),
];

/// Runs every command in the shell under each of these shell commands, and judges what is left.
fn under(what: &str, limits: &[String]) {
    let (mut tried, mut refused) = (0, 0);
    for (name, prepare) in COMMANDS {
        let scene = Scene::new(prepare);
        for (number, limit) in limits.iter().enumerate() {
            let ran = in_shell(&scene.project, limit, &scene.args()).run();
            tried += 1;
            refused += usize::from(!ran.success());
            let cure = Cure::number(&scene, number);
            judge(&scene, &ran, cure, &format!("{name} under `{limit}`"));
            scene.restore();
        }
    }
    say(&format!(
        "{what}: {tried} runs survived, {refused} of them refused"
    ));
    assert!(refused > 0 && refused < tried, "the limits do not limit");
}

/// A call whose shell limits it first.
struct Limited<'a>(&'a Project, Command);

fn in_shell<'a>(project: &'a Project, limit: &str, args: &[&str]) -> Limited<'a> {
    let inner = project.call(args).command();
    let script = format!("{limit}; exec \"$@\"");
    Limited(project, wrapped(&["sh", "-c", &script, "sh"], &inner))
}

impl Limited<'_> {
    fn run(mut self) -> Ran {
        Ran::new(self.0, &self.1.output().unwrap())
    }
}

#[test]
fn no_descriptors_left() {
    let limits: Vec<String> = (3..=14).map(|most| format!("ulimit -n {most}")).collect();
    under("few descriptors", &limits);
}

/// The program ends by an abort where it gets no memory; that is as good as a kill. Tried where it
/// matters: from what just lets it start to what is enough.
#[test]
fn no_memory() {
    const STEP: u64 = 64;
    let limit = |steps: u64| format!("ulimit -v {}", steps * STEP);
    let project = Project::with_goal("x").0;
    let starts = |steps: &u64| {
        in_shell(&project, &limit(*steps), &["--version"])
            .run()
            .success()
    };
    let least = (0..).step_by(16).find(starts).unwrap();
    let limits: Vec<String> = (least.saturating_sub(16)..least + 16).map(limit).collect();
    under("little memory", &limits);
}

#[test]
fn outputs_that_are_full_or_closed() {
    let outputs = [
        "exec >/dev/full",
        "exec >&-",
        "exec 2>/dev/full",
        "exec 2>&-",
    ];
    let both = ["exec >/dev/full 2>&1", "exec >&- 2>&-", "exec <&- >&- 2>&-"];
    let all: Vec<String> = outputs.iter().chain(&both).map(|&o| o.to_owned()).collect();
    under("full and closed outputs", &all);
}

/// Ledgers that leave room for so many bytes of what is appended, which are therefore written and
/// no more. The limit is far above what a document takes, so that only the ledger meets it.
const BLOCK: usize = 512;
const BLOCKS: usize = 64;

fn with_room_for(start: &[u8], room: usize) -> Vec<u8> {
    let padding = |len: usize| {
        let text = "x".repeat(len);
        format!("{{\"type\":\"padding\",\"text\":\"{text}\",\"at\":\"2026-01-01T00:00:00Z\"}}\n")
    };
    let len = BLOCKS * BLOCK - room - start.len() - padding(0).len();
    [start, padding(len).as_bytes()].concat()
}

/// A real short write at each byte in turn (each seventh, to be quick), which is rolled back.
#[test]
fn a_ledger_that_may_not_grow() {
    let (project, _) = Project::with_goal("x");
    let start = project.ledger();
    let limit = format!("ulimit -f {BLOCKS}");
    let (mut refused, mut recorded) = (0, 0);
    for room in (0..BLOCK).step_by(7) {
        let before = with_room_for(&start, room);
        project.put_ledger(&before);
        let ran = in_shell(&project, &limit, &["note", "attempted", "--json"]).run();
        if ran.success() {
            recorded += 1;
            assert_ne!(project.ledger(), before, "{ran}");
        } else {
            refused += 1;
            let error = (ran.code, ran.error_code());
            assert_eq!(error, (Some(74), "not_recorded".into()), "{ran}");
            assert!(
                ran.stdout.contains("the ledger is as it was before"),
                "{ran}"
            );
            assert!(project.ledger() == before, "room for {room} bytes\n{ran}");
        }
        project.run(&["note", "after it"]).ok();
        assert!(project.ledger().starts_with(&before));
        projected(&project, "after a limit");
    }
    say(&format!(
        "short writes: {refused} rolled back, {recorded} appends fitted"
    ));
    assert!(refused > 0 && recorded > 0);
}

/// A short write whose rolling back is refused, or cut off by a kill, leaves a torn tail: said to
/// be there, never acknowledged, never cut off later, and sealed by the next event.
#[test]
fn a_torn_tail_that_could_not_be_taken_back() {
    if let Err(why) = strace::usable() {
        return say(&format!("SKIPPED: torn tails: no strace here ({why})"));
    }
    let (project, _) = Project::with_goal("x");
    let start = project.ledger();
    let mut sealed = 0;
    for (number, room) in (1..140).step_by(6).enumerate() {
        let before = with_room_for(&start, room);
        project.put_ledger(&before);
        let fault = ["ftruncate:error=EIO", "ftruncate:signal=KILL"][number % 2];
        let limit =
            format!("ulimit -f {BLOCKS}; set -- strace -o /dev/null -e inject={fault} \"$@\"");
        let ran = in_shell(&project, &limit, &["note", "attempted", "--json"]).run();
        let torn = project.ledger();
        assert_eq!(torn.len(), before.len() + room, "{ran}");
        assert!(
            ran.signal == Some(9) || ran.stdout.contains("may stand at"),
            "{ran}"
        );
        project.run(&["note", "after it"]).ok();
        let ledger = project.ledger();
        assert!(ledger.starts_with(&[&torn[..], b"\n{"].concat()), "{ran}");
        let findings = project.snapshot().diagnostics;
        let errors = findings
            .iter()
            .filter(|found| found.code == Code::MalformedLine);
        assert_eq!(errors.count(), 1, "{findings:?}");
        assert_eq!(project.chain().broken, []);
        projected(&project, "after a torn tail");
        sealed += 1;
    }
    say(&format!(
        "torn tails: {sealed} left by a refused or killed rollback, all sealed"
    ));
}

#[test]
fn a_read_only_file_system() {
    if let Err(why) = mounts::in_own_namespace() {
        return say(&format!(
            "SKIPPED: read-only file systems: no name space here ({why})"
        ));
    }
    for (name, prepare) in COMMANDS {
        let scene = Scene::new(prepare);
        let project = &scene.project;
        let inner = project.call(&scene.args()).command();
        let mut command = mounts::read_only(&project.root, &inner);
        let ran = Ran::new(project, &command.output().unwrap());
        assert_eq!(ran.code, Some(74), "{name}\n{ran}");
        assert!(
            ran.stdout.contains("Read-only file system"),
            "{name}\n{ran}"
        );
        assert!(project.ledger() == scene.before);
        judge(
            &scene,
            &ran,
            Cure::number(&scene, 0),
            &format!("{name} on a read-only file system"),
        );
    }
    say("read-only file system: every command refused, nothing changed");
}

#[test]
fn a_full_disk() {
    let project = Project::new();
    let dir = project.root.join(".pi");
    fs::create_dir(&dir).unwrap();
    let tmpfs = match Tmpfs::mount(&dir, "128k") {
        Ok(tmpfs) => tmpfs,
        Err(why) => return say(&format!("SKIPPED: full disks: no mounting here ({why})")),
    };
    let id = project.set("x");
    let ballast = dir.join("ballast");
    fill(&ballast);
    let before = project.ledger();
    let (mut receipts, mut refused) = (Vec::new(), 0);
    // Each time the disk is full a page is freed, until there is enough to go on.
    while refused < 12 {
        let note = format!("{} {}", receipts.len(), "x".repeat(700));
        let ran = project.run(&["note", &note, "--goal", &id, "--key", &note[..4], "--json"]);
        if ran.success() {
            receipts.extend(acknowledged(&ran));
        } else {
            assert_eq!(ran.error_code(), "not_recorded", "{ran}");
            refused += 1;
            let left = fs::metadata(&ballast).unwrap().len();
            let ballast = File::options().write(true).open(&ballast).unwrap();
            ballast.set_len(left.saturating_sub(4096)).unwrap();
        }
        whole(&project, &before, "on a full disk");
        documents_whole(&project, "on a full disk");
    }
    fs::remove_file(&ballast).unwrap();
    project.run(&["set", "other"]).ok();
    projected(&project, "after a full disk");
    let ledger = project.ledger();
    let mut lost = receipts.clone();
    goal_ledger::ledger::frame::scan(&ledger[..], |raw| {
        let id = goal_ledger::domain::id::EventId::of_line(raw.bytes).to_string();
        lost.retain(|other| *other != id);
    })
    .unwrap();
    let count = receipts.len();
    say(&format!(
        "full tmpfs: {count} acknowledged, {} lost, {refused} refused",
        lost.len()
    ));
    assert_eq!(lost, Vec::<String>::new());
    assert!(count > 0);
    drop(tmpfs);
}

/// Takes all the room that is left.
fn fill(path: &camino::Utf8Path) {
    let mut file = File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}
