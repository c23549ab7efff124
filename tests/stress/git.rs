//! Others change the file of the ledger while writers append: git stashes, merges, resets, switches and
//! cleans it away, an editor saves it, and another tool appends without the lock.
//!
//! Git takes nothing away: all that was acknowledged is in the home. Without git an editor's save cannot be
//! undone; then what it leaves is whole, an append is acknowledged or refused and never half done, whatever
//! was acknowledged and is gone was said to be gone, and the next command mends everything.
//! `GOAL_STORM_SECONDS` makes the storms longer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::mounts::wrapped;
use crate::oracle::{acknowledged, documents_whole, ids, projected};
use crate::support::{Project, Ran, wait::until};
use crate::{from_environment, say, strace};

const WRITERS: usize = 4;

/// How often others must have come between, and how much must have been acknowledged before the
/// last time, however slow the machine is.
const LEAST: usize = 6;

/// What the writers were told.
#[derive(Debug, Default)]
struct Told {
    acknowledged: Vec<String>,
    /// How often nothing was recorded, by error code.
    refused: BTreeMap<String, usize>,
    /// How often a receipt said that the ledger was wound back.
    rewound: usize,
    /// How many lines these said were gone at least.
    missed: usize,
}

impl Told {
    /// Notes what a receipt says of lines that are gone.
    fn heard(&mut self, ran: &Ran) {
        if let Some(missed) = said_to_be_gone(ran) {
            self.rewound += 1;
            self.missed += missed;
        }
    }
}

/// Ends the writers, also when the disturber fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How many lines a receipt says are gone at least; nothing when it does not speak of it.
fn said_to_be_gone(ran: &Ran) -> Option<usize> {
    let data = ran.data();
    let mut notices = data["notices"].as_array()?.iter();
    let notice = notices.find(|notice| notice["code"] == "ledger_rewound")?;
    let words = notice["message"]
        .as_str()
        .unwrap()
        .strip_prefix("at least ");
    let count = words.and_then(|words| words.split(' ').next());
    Some(count.map_or(1, |count| count.parse().unwrap()))
}

/// Writers append while `disturb` is called again and again with the number of the call, at most once
/// for each command that ended: a machine that is slow to write is no reason to disturb it more. Each
/// writes what `edit` says, of its name.
fn storm(
    project: &Project,
    edit: impl Fn(&str) -> Vec<String> + Sync,
    mut disturb: impl FnMut(usize),
) -> (Told, usize) {
    let length = Duration::from_secs(from_environment("GOAL_STORM_SECONDS", 2));
    let over = AtomicBool::new(false);
    let (written, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let write = |writer| {
        let mut told = Told::default();
        for number in 0.. {
            if over.load(Ordering::Relaxed) {
                break;
            }
            let words = edit(&format!("writer {writer} edit {number}"));
            let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
            args.extend(["--json", "--lock-timeout", "60"]);
            let ran = project.run(&args);
            ended.fetch_add(1, Ordering::Relaxed);
            if ran.success() {
                told.acknowledged.extend(acknowledged(&ran));
                told.heard(&ran);
                written.fetch_add(1, Ordering::Relaxed);
            } else {
                let code = ran.error_code();
                if code == "ledger_missing" && !has_home(project) {
                    // Another writer may be first, and the directory may go again meanwhile.
                    let _begun = project.run(&["init", "--new"]);
                    continue;
                }
                // It moved three times in a row; was away, or its directory, just then; or went
                // after the event was confirmed, before it was read for the receipt.
                let excused = [
                    "ledger_moved",
                    "unknown_goal",
                    "not_recorded",
                    "receipt_lost",
                ];
                assert!(excused.contains(&code.as_str()), "{ran}");
                *told.refused.entry(code).or_default() += 1;
            }
        }
        told
    };
    let mut all = Told::default();
    let mut disturbed = 0;
    thread::scope(|scope| {
        let write = &write;
        let start = |writer| scope.spawn(move || write(writer));
        let writers: Vec<_> = (0..WRITERS).map(start).collect();
        let end = Over(&over);
        let begun = Instant::now();
        loop {
            let acknowledged = written.load(Ordering::Relaxed);
            let last = begun.elapsed() >= length && disturbed.min(acknowledged) >= LEAST;
            disturb(disturbed);
            disturbed += 1;
            let before = ended.load(Ordering::Relaxed);
            until("a writer's command ends", || {
                ended.load(Ordering::Relaxed) > before
                    || writers.iter().any(|writer| writer.is_finished())
            });
            if last || writers.iter().any(|writer| writer.is_finished()) {
                break;
            }
        }
        drop(end);
        for writer in writers {
            let told = writer.join().unwrap();
            all.acknowledged.extend(told.acknowledged);
            all.rewound += told.rewound;
            all.missed += told.missed;
            for (code, count) in told.refused {
                *all.refused.entry(code).or_default() += count;
            }
        }
    });
    assert!(!all.acknowledged.is_empty(), "nothing was written");
    (all, disturbed)
}

/// Whether the ledger has a home in git's directory, which nobody takes away.
fn has_home(project: &Project) -> bool {
    project.root.join(".git/goal").exists()
}

/// The ledger itself: the home's file, where there is one.
fn ledger(project: &Project) -> Vec<u8> {
    match has_home(project) {
        true => fs::read(project.root.join(".git/goal/goal_events.jsonl")).unwrap(),
        false => project.ledger(),
    }
}

/// These lines, of which none is there twice.
fn each_once<'a>(all: &'a [String], what: &str) -> BTreeSet<&'a String> {
    let kept: BTreeSet<&String> = all.iter().collect();
    assert_eq!(kept.len(), all.len(), "{what}: a line twice");
    kept
}

/// What is left is whole, and one more command mends the rest; how many acknowledged events are
/// gone, of which somebody must have been told, and how many lines these receipts missed.
fn mended(project: &Project, what: &str, (mut told, disturbed): (Told, usize)) -> (usize, usize) {
    if !project.ledger_path().exists() && !has_home(project) {
        project.run(&["init", "--new"]).ok();
    }
    told.heard(&project.run(&["set", "other", "--json"]).ok());
    projected(project, what);
    documents_whole(project, what);
    let all = ids(&ledger(project));
    let kept = each_once(&all, what);
    let copied = ids(&project.ledger());
    assert_eq!(
        kept,
        copied.iter().collect(),
        "{what}: the file in the work tree"
    );
    let verified = project.verified();
    let mut findings = verified.findings();
    // The notes of the other tool wait for the user; they are no damage.
    findings.retain(|found| found["code"] != "foreign_line");
    assert_eq!(findings, [] as [&Value; 0], "{what}");
    let gone = told
        .acknowledged
        .iter()
        .filter(|id| !kept.contains(id))
        .count();
    say(&format!(
        "{what}: {disturbed} times under {WRITERS} writers: {} acknowledged, {gone} taken away; \
         {} receipts missed {} lines, refused {:?}",
        told.acknowledged.len(),
        told.rewound,
        told.missed,
        told.refused
    ));
    assert!(
        gone == 0 || told.rewound > 0,
        "{what}: {gone} gone, and nobody was told"
    );
    (gone, told.missed)
}

fn note(goal: &str) -> impl Fn(&str) -> Vec<String> + Sync {
    let goal = goal.to_owned();
    move |text| ["note", text, "--goal", &goal].map(str::to_owned).to_vec()
}

/// A goal in a repository of git's, with the rules of `goal init`, all committed.
fn committed() -> (Project, String) {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init", "--commits"]).ok();
    let id = project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "main"]);
    (project, id)
}

/// A git command that may find nothing to do, protect what is not committed, or stop at a document
/// that is made while it removes the old one; but must not find anything that it may not touch.
fn git(project: &Project, args: &[&str]) {
    let ran = project.try_git(args);
    let ours = ["Permission denied", "corrupt", "bad object"];
    let bad = ours.iter().any(|word| ran.stderr.contains(word));
    assert!(!bad, "{args:?}: {ran}");
}

#[test]
fn stashed_away() {
    let (project, id) = committed();
    let told = storm(&project, note(&id), |_| {
        git(&project, &["stash", "-q"]);
    });
    assert_eq!(mended(&project, "git stash", told), (0, 0));
    each_once(&ids(&project.ledger()), "git stash, the file");
}

#[test]
fn reset() {
    let (project, id) = committed();
    let told = storm(&project, note(&id), |_| {
        git(&project, &["reset", "-q", "--hard"]);
    });
    assert_eq!(mended(&project, "git reset --hard", told), (0, 0));
    each_once(&ids(&project.ledger()), "git reset --hard, the file");
}

#[test]
fn switched() {
    let (project, id) = committed();
    project.git(&["branch", "other"]);
    let told = storm(&project, note(&id), |number| {
        git(&project, &["commit", "-q", "-a", "-m", "before"]);
        let to = ["other", "main"][number % 2];
        let how = ["-q", "-f"][number / 2 % 2];
        git(&project, &["checkout", how, to]);
    });
    assert_eq!(mended(&project, "git checkout", told), (0, 0));
    each_once(&ids(&project.ledger()), "git checkout, the file");
}

#[test]
fn pulled() {
    let (project, id) = committed();
    let other = project.aside.join("other");
    project.git(&["clone", "-q", project.root.as_str(), other.as_str()]);
    let told = storm(&project, note(&id), |number| {
        let text = format!("there {number}");
        project
            .call(&["note", &text, "--goal", &id])
            .cwd(&other)
            .run()
            .ok();
        let there = ["-C", other.as_str()];
        git(
            &project,
            &[&there[..], &["commit", "-q", "-a", "-m", "there"]].concat(),
        );
        if number % 2 == 0 {
            git(&project, &["commit", "-q", "-a", "-m", "here"]);
        }
        let pull = [
            "pull",
            "-q",
            "--no-rebase",
            "--no-edit",
            other.as_str(),
            "HEAD",
        ];
        git(&project, &pull);
    });
    project.git(&["add", "-A"]);
    git(&project, &["commit", "-q", "-m", "last"]);
    assert_eq!(mended(&project, "git pull", told), (0, 0));
}

/// Nothing of it is committed: the whole directory goes, the lock in it too.
#[test]
fn cleaned_away() {
    let project = Project::new();
    project.git(&["init", "-q"]);
    let set = |text: &str| ["set", text].map(str::to_owned).to_vec();
    let told = storm(&project, set, |_| {
        // What is made while git removes it may stand in its way; the next one takes it.
        project.try_git(&["clean", "-q", "-f", "-d", "-x"]);
    });
    assert_eq!(mended(&project, "git clean", told), (0, 0));
    each_once(&ids(&project.ledger()), "git clean, the file");
}

/// The moment of it that storms meet seldom: the directory goes while it is listed.
#[test]
fn cleaned_away_while_it_is_listed() {
    if let Err(why) = strace::usable() {
        return say(&format!(
            "SKIPPED: a listing that fails: no strace here ({why})"
        ));
    }
    let (project, _) = Project::with_goal("x");
    let goals = project.root.join(".pi/goals");
    let gone = "inject=open,openat:error=ENOENT:when=1";
    let words = [
        "strace",
        "-o",
        "/dev/null",
        "-P",
        goals.as_str(),
        "-e",
        gone,
    ];
    let mut listing = wrapped(&words, &project.call(&["status"]).command());
    Ran::new(&project, &listing.output().unwrap()).ok();
}

/// A merge adds lines by git's union rule, which may leave one of both sides twice in the file, but every
/// merged line must be there. Of what is written into the
/// file meanwhile it destroys some: a merge that git refuses, since there is something uncommitted, first
/// stashes that and puts it back by `reset --hard`, over what has come between. The home has it.
#[test]
fn merged() {
    let (project, id) = committed();
    let side = project.aside.join("side");
    project.git(&["worktree", "add", "-q", "-b", "side", side.as_str()]);
    let mut merged = Vec::new();
    let told = storm(&project, note(&id), |number| {
        let text = format!("aside {number}");
        let args = ["note", &text, "--goal", &id, "--json"];
        merged.extend(acknowledged(&project.call(&args).cwd(&side).run().ok()));
        git(
            &project,
            &["-C", side.as_str(), "commit", "-q", "-a", "-m", "side"],
        );
        git(&project, &["commit", "-q", "-a", "-m", "main"]);
        git(&project, &["merge", "-q", "-m", "merged", "side"]);
    });
    project.git(&["add", "-A"]);
    git(&project, &["commit", "-q", "-m", "last"]);
    project.git(&["merge", "-q", "-m", "merged", "side"]);
    let kept = ids(&project.ledger());
    let lost = merged.iter().filter(|id| !kept.contains(id)).count();
    assert_eq!(lost, 0, "of {} merged ones", merged.len());
    assert_eq!(mended(&project, "git merge", told), (0, 0));
}

/// An editor reads the file, and saves what it read: in place, or by renaming a new file over it.
#[test]
fn saved_by_an_editor() {
    let (project, id) = Project::with_goal("x");
    let before = project.ledger();
    let told = storm(&project, note(&id), |number| {
        let text = project.ledger();
        let path = project.ledger_path();
        if number % 2 == 0 {
            let beside = project.goals("saved~");
            fs::write(&beside, text).unwrap();
            fs::rename(beside, path).unwrap();
        } else {
            fs::write(path, text).unwrap();
        }
    });
    assert!(project.ledger().starts_with(&before));
    // A line that met the save and was not acknowledged can stand where one is missed, so the
    // receipts say that lines are gone, but not always how many.
    mended(&project, "an editor's save", told);
}

/// Another tool appends whole lines of its own, as it always did: without lock, link or author.
#[test]
fn appended_to_without_the_lock() {
    let (project, id) = Project::with_goal("x");
    let mut theirs = Vec::new();
    let told = storm(&project, note(&id), |number| {
        let event = serde_json::json!({
            "type": "goal_noted", "goalId": id, "note": format!("theirs {number}"),
            "at": "2026-01-01T00:00:00.000Z",
        });
        let mut file = OpenOptions::new()
            .append(true)
            .open(project.ledger_path())
            .unwrap();
        file.write_all(format!("{event}\n").as_bytes()).unwrap();
        theirs.extend(ids(event.to_string().as_bytes()));
    });
    let kept: BTreeSet<String> = ids(&project.ledger()).into_iter().collect();
    let lost = theirs.iter().filter(|id| !kept.contains(*id)).count();
    assert_eq!(lost, 0, "of {} lines of theirs", theirs.len());
    assert_eq!(mended(&project, "another tool", told), (0, 0));
}
