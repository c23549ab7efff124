//! `goal sync` between clones: killed at random moments while all of them record and sync, and on a full
//! disk. `GOAL_SYNC_CLONES` says how many clones there are, `GOAL_SYNC_NOTES` how many notes each makes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::mounts::Mounted;
use crate::oracle::{acknowledged, ids};
use crate::support::{Project, Ran};
use crate::{from_environment, say};

/// The longest that a sync lives before it is killed, if it is: about as long as one takes here while
/// others run.
const LIFE: Duration = Duration::from_millis(400);

/// A repository with a shared ledger of one goal, its bare remote, and so many clones with it.
fn clones(count: u64) -> (Project, String, Vec<Utf8PathBuf>) {
    let (project, id) = Project::with_goal("x");
    let remote = project.aside.join("remote.git");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["init", "-q", "--bare", "-b", "main", remote.as_str()]);
    project.git(&["remote", "add", "origin", remote.as_str()]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "one"]);
    project.git(&["push", "-q", "origin", "HEAD:main"]);
    let mut all = vec![project.root.clone()];
    for number in 1..count {
        let dir = project.aside.join(format!("clone{number}"));
        project.git(&["clone", "-q", remote.as_str(), dir.as_str()]);
        all.push(dir);
    }
    (project, id, all)
}

fn at(project: &Project, clone: &Utf8Path, args: &[&str]) -> Ran {
    project.call(args).cwd(clone).without("GOAL_TEST").run()
}

fn ledger(clone: &Utf8Path) -> Vec<u8> {
    fs::read(clone.join(".git/goal/goal_events.jsonl")).unwrap()
}

/// Two rounds, and then all clones have the same lines, each once, and show the same goal.
fn converged(project: &Project, id: &str, clones: &[Utf8PathBuf]) -> BTreeSet<String> {
    for clone in clones.iter().chain(clones) {
        at(project, clone, &["sync"]).ok();
    }
    let of = |clone: &Utf8PathBuf| {
        let all = ids(&ledger(clone));
        let different: BTreeSet<String> = all.iter().cloned().collect();
        assert_eq!(different.len(), all.len(), "a line is there twice: {clone}");
        let shown = at(project, clone, &["show", id, "--json"]).ok().data();
        at(project, clone, &["verify"]).ok();
        (different, shown["goal"].clone())
    };
    let first = of(&clones[0]);
    for clone in clones {
        assert_eq!(of(clone), first, "{clone}");
    }
    first.0
}

#[test]
fn clones_that_are_killed_while_they_sync_come_to_the_same() {
    let count = from_environment("GOAL_SYNC_CLONES", 4);
    let notes = from_environment("GOAL_SYNC_NOTES", 8);
    let (project, id, clones) = clones(count);
    let told: Vec<(Vec<String>, BTreeMap<&str, usize>)> = thread::scope(|scope| {
        let work = |(number, clone): (usize, &Utf8PathBuf)| {
            let (project, id, clone) = (&project, &id, clone.clone());
            scope.spawn(move || worked(project, id, &clone, number as u64, notes))
        };
        let workers: Vec<_> = clones.iter().enumerate().map(work).collect();
        workers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let there = converged(&project, &id, &clones);
    let acknowledged: BTreeSet<String> = told.iter().flat_map(|it| it.0.clone()).collect();
    assert_eq!(
        acknowledged.difference(&there).count(),
        0,
        "acknowledged, and lost"
    );
    assert_eq!(acknowledged.len() as u64, count * notes);
    let sum = |what| told.iter().filter_map(|it| it.1.get(what)).sum::<usize>();
    say(&format!(
        "{count} clones: {} events acknowledged, none lost or twice, {} syncs killed, {} done, {} to \
         be tried again",
        acknowledged.len(),
        sum("killed"),
        sum("done"),
        sum("later")
    ));
    assert!(sum("killed") > 0 && sum("done") > 0);
}

/// Makes notes and syncs, of which two in three are killed. Gives the ids of the notes, and how the
/// syncs ended.
fn worked(
    project: &Project,
    id: &str,
    clone: &Utf8Path,
    seed: u64,
    notes: u64,
) -> (Vec<String>, BTreeMap<&'static str, usize>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut told, mut ends) = (Vec::new(), BTreeMap::new());
    for number in 0..notes {
        let note = format!("clone {seed} note {number}");
        let args = [
            "note",
            &note,
            "--goal",
            id,
            "--json",
            "--lock-timeout",
            "100",
        ];
        told.extend(acknowledged(&at(project, clone, &args).ok()));
        let args = ["sync", "--json", "--lock-timeout", "100"];
        let mut child = project.call(&args).cwd(clone).without("GOAL_TEST").spawn();
        if random.u8(..3) > 0 {
            thread::sleep(LIFE.mul_f64(random.f64()));
            child.kill().unwrap();
        }
        let ran = Ran::new(project, &child.wait_with_output().unwrap());
        let end = match (ran.signal, ran.code) {
            (Some(9), _) => "killed",
            (_, Some(0)) => "done",
            (_, Some(75 | 74)) => "later",
            _ => panic!("{ran}"),
        };
        *ends.entry(end).or_default() += 1;
    }
    (told, ends)
}

#[test]
fn a_sync_on_a_full_disk_loses_nothing() {
    let (project, id, clones) = clones(2);
    let full = project.aside.join("full");
    fs::create_dir(&full).unwrap();
    let mounted = match Mounted::tmpfs(&full, "2m") {
        Ok(mounted) => mounted,
        Err(why) => {
            return say(&format!(
                "SKIPPED: sync on a full disk: not mounted here ({why})"
            ));
        }
    };
    // A clone with git's directory on that disk.
    let (small, remote) = (full.join("clone"), project.aside.join("remote.git"));
    let clone = [
        "clone",
        "-q",
        "--template=",
        remote.as_str(),
        small.as_str(),
    ];
    project.git(&clone);
    at(&project, &small, &["sync"]).ok();
    let ballast = full.join("ballast");
    let (mut refused, mut done, mut told) = (0, 0, Vec::new());
    for number in 0.. {
        let note = format!("{number} {}", "x".repeat(6_000));
        let args = ["note", &note, "--goal", &id, "--json"];
        told.extend(acknowledged(&at(&project, &clones[1], &args).ok()));
        at(&project, &clones[1], &["sync"]).ok();
        let args = ["note", &note[..9], "--goal", &id, "--json"];
        told.extend(acknowledged(&at(&project, &small, &args).ok()));
        let before = ledger(&small);
        // From no room at all to enough, a page more each time.
        let mut file = File::create(&ballast).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        let len = fs::metadata(&ballast).unwrap().len();
        file.set_len(len.saturating_sub(number * 4096)).unwrap();
        let ran = at(&project, &small, &["sync", "--json"]);
        drop(file);
        let now = ledger(&small);
        assert!(now.starts_with(&before), "{ran}");
        match ran.code {
            Some(0) => done += 1,
            Some(74 | 75) => refused += 1,
            _ => panic!("{ran}"),
        }
        fs::remove_file(&ballast).unwrap();
        at(&project, &small, &["sync"]).ok();
        if done == 2 {
            break;
        }
    }
    let all = [clones[0].clone(), clones[1].clone(), small];
    let there = converged(&project, &id, &all);
    assert!(
        told.iter().all(|id| there.contains(id)),
        "acknowledged, and lost"
    );
    say(&format!(
        "sync on a full disk: {refused} refused, {} events acknowledged, none lost",
        told.len()
    ));
    assert!(refused > 3, "the disk was never full");
    drop(mounted);
}
