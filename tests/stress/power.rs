//! The power is cut: a real file system, ext4 or XFS, loses everything that it had not given to its
//! disk, at each call that writes of a command, right after a command, and under eight writers.
//!
//! Cuts are sampled; `GOAL_CRASH_FULL=1` makes all of them, `GOAL_POWER_CUTS` more under writers.
//! What a disk loses that lies about having written is not tried: the disk is a file here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::kills::{only_torn_lines, replayed};
use crate::mounts::{LoopDisk, in_own_namespace};
use crate::oracle::{Cure, acknowledged, documents_whole, judge, projected};
use crate::scene::{self, Prepare, Scene};
use crate::strace::{self, calls, inject};
use crate::support::{Project, wait::until};
use crate::{from_environment, say};

const FILE_SYSTEMS: [&str; 2] = ["ext4", "xfs"];

const WRITERS: usize = 8;

/// What a cut can come between: calls that change a file or a directory, and the end.
const CHANGING: [&str; 11] = [
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "mkdir",
    "unlink",
    "ftruncate",
    "exit_group",
];

/// A project on a disk of its own, the user's state directory too; `None`, having said why, where
/// that is not possible. The disk comes second, to be dropped first: it must be unmounted before
/// the directory goes.
fn on_disk(kind: &str, what: &str) -> Option<(Project, LoopDisk)> {
    let project = Project::new();
    let mounted = LoopDisk::mount(kind, &project.aside.join("disk"), &project.root);
    let able = mounted.and_then(|disk| disk.cut().map(|()| disk));
    let skip = |why| say(&format!("SKIPPED: power cuts, {what} on {kind}: {why}"));
    let disk = able.map_err(skip).ok()?;
    disk.restart();
    let state = project.root.join("state");
    fs::create_dir(&state).unwrap();
    symlink(state, project.aside.join("home/state")).unwrap();
    Some((project, disk))
}

/// A line a command: which of its cuts are made without `GOAL_CRASH_FULL` (each n-th).
macro_rules! commands {
    ($($name:ident: $prepare:path, each $stride:literal;)*) => {$(
        #[test]
        fn $name() {
            for kind in FILE_SYSTEMS {
                every_cut_is_survived(kind, stringify!($name), $prepare, $stride);
            }
        }
    )*};
}

commands! {
    creation: scene::set, each 4;
    append: scene::pause, each 4;
    append_and_creation: scene::confirm, each 5;
    document_replacement: scene::repair, each 4;
}

fn every_cut_is_survived(kind: &str, name: &str, prepare: Prepare, stride: usize) {
    if let Err(why) = strace::usable() {
        return say(&format!(
            "SKIPPED: power cuts at the system calls of {name}: no strace here ({why})"
        ));
    }
    if let Some((project, disk)) = on_disk(kind, name) {
        cut_everywhere(Scene::of(project, prepare), disk, kind, name, stride);
    }
}

/// The disk is the last argument, to be dropped first.
fn cut_everywhere(scene: Scene, disk: LoopDisk, kind: &str, name: &str, stride: usize) {
    let calls = calls(&scene, false, false);
    let mut cuts = Vec::new();
    for call in CHANGING {
        let (first, last) = calls.get(call).copied().unwrap_or((1, 0));
        cuts.extend((first..=last).map(|number| format!("{call}:signal=KILL:when={number}")));
    }
    let all = cuts.len();
    let full = from_environment("GOAL_CRASH_FULL", 0) == 1;
    let (mut made, mut receipts, mut kept) = (0, 0, 0);
    // Last of all, and always, a cut right after the command.
    let sampled = cuts.into_iter().step_by(if full { 1 } else { stride });
    for (number, cut) in sampled.map(Some).chain([None]).enumerate() {
        scene.restore();
        disk.sync();
        let ran = match &cut {
            Some(cut) => inject(&scene, false, std::slice::from_ref(cut)).0,
            None => {
                let ran = scene.run();
                assert!(ran.did(), "{ran}");
                ran
            }
        };
        disk.cut().unwrap();
        disk.restart();
        made += 1;
        receipts += acknowledged(&ran).len();
        kept += usize::from(scene.project.ledger().len() > scene.before.len());
        let at = format!("a power cut on {kind} at {cut:?}");
        if cut.is_none() {
            projected(&scene.project, &format!("{at} {ran}"));
        }
        judge(&scene, &ran, Cure::number(&scene, number), &at);
    }
    say(&format!(
        "{name} on {kind}: {made} power cuts survived, of {all} and one afterwards; {receipts} \
         events acknowledged before them, 0 lost; the ledger had grown {kept} times"
    ));
    if !scene.attempted.is_empty() {
        assert!(receipts > 0 && kept < made, "the cuts do not cut");
    }
}

/// Other tests make name spaces, each with every mount that there is.
#[test]
fn a_disk_comes_up_again_after_another_name_space_had_it() {
    let Some((project, disk)) = on_disk("ext4", "in two name spaces") else {
        return;
    };
    if let Err(why) = in_own_namespace() {
        return say(&format!("SKIPPED: a disk in two name spaces: {why}"));
    }
    fs::write(project.root.join("kept"), "kept").unwrap();
    disk.sync();
    let mut other = Command::new("unshare");
    let other = other.args(["-m", "cat"]).stdin(Stdio::piped());
    let mut other = other.stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (other.stdin.take().unwrap(), other.stdout.take().unwrap());
    // Once it answers, its name space is there.
    input.write_all(b"x").unwrap();
    output.read_exact(&mut [0]).unwrap();
    disk.cut().unwrap();
    thread::scope(|scope| {
        let up = scope.spawn(|| disk.restart());
        let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
        until("it is unmounted here", || {
            !mounts().contains(project.root.as_str()) || up.is_finished()
        });
        drop(input);
        other.wait().unwrap();
    });
    assert_eq!(fs::read(project.root.join("kept")).unwrap(), b"kept");
}

/// The notes that writers tried, and those that they got a receipt for, with its id.
#[derive(Debug, Default)]
struct Told {
    attempted: BTreeSet<String>,
    acknowledged: BTreeMap<String, String>,
}

#[test]
fn nothing_acknowledged_is_lost_when_the_power_of_eight_writers_is_cut() {
    let cuts = from_environment("GOAL_POWER_CUTS", 3);
    for kind in FILE_SYSTEMS {
        let Some((project, disk)) = on_disk(kind, "eight writers") else {
            continue;
        };
        let goal = project.set("kept");
        let mut told = Told::default();
        let mut random = fastrand::Rng::with_seed(1);
        let mut unfinished = 0;
        for cut in 0..cuts {
            let before = project.ledger();
            let some = random.usize(1..40);
            unfinished += write_until_cut(&project, &disk, &goal, (cut, some), &mut told);
            disk.restart();
            assert!(project.ledger().starts_with(&before), "bytes are gone");
            let context = format!("after {} power cuts on {kind}", cut + 1);
            documents_whole(&project, &context);
            project.run(&["note", "cured", "--goal", &goal]).ok();
            projected(&project, &context);
            documents_whole(&project, &context);
        }
        let torn = nothing_lost(&project, &told);
        say(&format!(
            "{cuts} power cuts of {WRITERS} writers on {kind}: {} events acknowledged, 0 lost, \
             {unfinished} calls cut off, {torn} torn lines sealed",
            told.acknowledged.len()
        ));
        assert!(unfinished > 0, "nothing was cut off");
    }
}

/// Eight writers append until the power is cut, after `some` receipts. How many calls were not
/// acknowledged.
fn write_until_cut(
    project: &Project,
    disk: &LoopDisk,
    goal: &str,
    (cut, some): (u64, usize),
    told: &mut Told,
) -> usize {
    let (receipts, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let write = |writer| {
        let mut told = Told::default();
        for number in 0.. {
            let note = format!("cut {cut} writer {writer} note {number}");
            let args = [
                "note",
                &note,
                "--goal",
                goal,
                "--lock-timeout",
                "100",
                "--json",
            ];
            told.attempted.insert(note.clone());
            let ran = project.run(&args);
            match acknowledged(&ran).pop() {
                Some(id) => told.acknowledged.insert(note, id),
                None => {
                    let gone = over.load(Ordering::Acquire);
                    assert!(gone && ran.code != Some(70), "{ran}");
                    break;
                }
            };
            receipts.fetch_add(1, Ordering::Relaxed);
        }
        told
    };
    let mut unfinished = 0;
    thread::scope(|scope| {
        let write = &write;
        let start = |writer| scope.spawn(move || write(writer));
        let writers: Vec<_> = (0..WRITERS).map(start).collect();
        until("enough is written", || {
            receipts.load(Ordering::Relaxed) >= some || writers.iter().any(|w| w.is_finished())
        });
        over.store(true, Ordering::Release);
        disk.cut().unwrap();
        for writer in writers {
            let other = writer.join().unwrap();
            unfinished += other.attempted.len() - other.acknowledged.len();
            told.attempted.extend(other.attempted);
            told.acknowledged.extend(other.acknowledged);
        }
    });
    unfinished
}

/// Acknowledged ⊆ replayed ⊆ attempted, nothing twice; how many lines are torn.
fn nothing_lost(project: &Project, told: &Told) -> usize {
    let (mut replayed, torn) = replayed(project);
    replayed.remove("cured");
    for (note, id) in &told.acknowledged {
        let ids = replayed.get(note);
        assert_eq!(ids, Some(&vec![id.clone()]), "{note} was acknowledged");
    }
    for (note, ids) in &replayed {
        assert!(told.attempted.contains(note) && ids.len() == 1, "{note}");
    }
    assert!(only_torn_lines(project).is_linked());
    torn
}
