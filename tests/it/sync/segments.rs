//! The files of the ledger in the remote: few however often it is synced, and no line lost by that.

use std::fs;

use super::steps::sync_with;
use super::{Clones, lines, planted};

impl Clones {
    /// The files of the ledger in the remote.
    fn segments(&self) -> Vec<String> {
        let (remote, all) = (self.remote.as_str(), "refs/goal/ledger");
        let listed = self
            .project
            .git(&["-C", remote, "ls-tree", "-r", "--name-only", all]);
        listed.lines().map(str::to_owned).collect()
    }

    /// So many notes in a clone, each synced by itself.
    fn sync_notes(&self, clone: usize, count: usize, note: &str) {
        for number in 0..count {
            let note = format!("{note} {number}");
            self.at(clone, &["note", &note, "--goal", &self.id]).ok();
            self.at(clone, &["sync"]).ok();
        }
    }
}

#[test]
fn segments_stay_few_and_every_clone_gets_every_line() {
    let clones = Clones::new(3);
    clones.note_and_sync("base");
    for round in 0..3 {
        clones.sync_notes(round % 2, 15, &format!("round {round}"));
        let segments = clones.segments();
        assert!(segments.len() <= 17, "{segments:#?}");
    }
    // One that knows an old state, and one that knows nothing.
    clones.at(2, &["sync"]).ok();
    clones.at(0, &["sync"]).ok();
    clones.at(1, &["sync"]).ok();
    clones.are_equal();
    assert_eq!(lines(&clones.clones[0]).len(), 2 + 3 + 45);
    let later = clones.project.aside.join("later");
    let clone = ["clone", "-q", clones.remote.as_str(), later.as_str()];
    clones.project.git(&clone);
    clones.project.call(&["sync"]).cwd(&later).run().ok();
    assert_eq!(lines(&later), lines(&clones.clones[0]));
}

#[test]
fn who_knows_an_earlier_state_reads_only_what_is_new() {
    let clones = Clones::new(2);
    let long = "x".repeat(60_000);
    for _ in 0..4 {
        clones.project.run(&["note", &long]).ok();
    }
    clones.project.run(&["sync"]).ok();
    clones.at(1, &["sync"]).ok();
    clones.sync_notes(0, 20, "small");
    // The small files were made one, so some that the other clone knows of are gone.
    let asked = clones.project.aside.join("asked");
    let listen = format!(
        "case \"$*\" in *' cat-file '*) tee -a {asked} | $GIT \"$@\"; exit;; esac\nexec $GIT \"$@\""
    );
    let synced = sync_with(&clones, 1, &listen).ok().data();
    assert_eq!(synced["exchange"]["taken"], 20, "{synced}");
    let objects = clones.project.git(&[
        "-C",
        clones.remote.as_str(),
        "ls-tree",
        "-r",
        "-l",
        "refs/goal/ledger",
    ]);
    let asked = fs::read_to_string(asked).unwrap();
    let mut large = 0;
    for line in objects.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_large = words[3].parse::<u64>().unwrap() > 200_000;
        large += usize::from(is_large);
        assert!(!(is_large && asked.contains(words[2])), "{line}\n{asked}");
    }
    assert_eq!(large, 1, "{objects}");
    clones.at(0, &["sync"]).ok();
    clones.are_equal();
}

#[test]
fn what_others_put_beside_the_segments_stays() {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    planted(&clones, "zz/a.jsonl", "garbage\n");
    planted(&clones, "README", "not a segment\n");
    let foreign = format!(
        "{{\"type\":\"goal_noted\",\"goalId\":\"{}\",\"note\":\"theirs\",\
         \"at\":\"2026-01-01T00:00:30.000Z\"}}\n",
        clones.id
    );
    let path = super::ledger(&clones.clones[0]);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + &foreign).unwrap();
    clones.sync_notes(0, 20, "small");
    let segments = clones.segments();
    assert!(segments.len() <= 19, "{segments:#?}");
    for name in ["README", "zz/a.jsonl"] {
        assert!(segments.iter().any(|it| it == name), "{segments:#?}");
    }
    clones.at(1, &["sync"]).ok();
    clones.at(0, &["sync"]).ok();
    clones.have_the_same();
    assert!(lines(&clones.clones[1]).contains(foreign.trim_end()));
}

#[test]
fn a_remote_whose_segments_lost_lines_gets_them_again() {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    clones.sync_notes(0, 3, "small");
    clones.at(1, &["sync"]).ok();
    // Somebody makes one file of all, without one line.
    let dir = clones.project.aside.join("rewritten");
    let git = |args: &[&str]| clones.project.git(&[&["-C", dir.as_str()], args].concat());
    clones
        .project
        .git(&["clone", "-q", clones.remote.as_str(), dir.as_str()]);
    git(&["fetch", "-q", "origin", "refs/goal/ledger"]);
    git(&["checkout", "-q", "FETCH_HEAD"]);
    let mut all = String::new();
    for segment in clones.segments() {
        all += &fs::read_to_string(dir.join(&segment)).unwrap();
    }
    let kept = all.lines().filter(|it| !it.contains("small 1"));
    let kept: String = kept.map(|it| format!("{it}\n")).collect();
    git(&["rm", "-q", "-r", "."]);
    fs::create_dir_all(dir.join("aa")).unwrap();
    fs::write(dir.join(format!("aa/{}.jsonl", "a".repeat(32))), kept).unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", "rewritten"]);
    git(&["push", "-q", "origin", "HEAD:refs/goal/ledger"]);
    let synced = clones.at(1, &["sync", "--json"]).ok().data();
    assert_eq!(synced["exchange"]["sent"], 1, "{synced}");
    clones.note_and_sync("more");
    clones.are_equal();
}

#[test]
fn a_remote_that_got_another_ledger_meanwhile_is_refused() {
    let clones = Clones::new(1);
    clones.note_and_sync("base");
    let other = Clones::of("Bake bread", 1);
    other.note_and_sync("base");
    let theirs = "+refs/goal/remotes/origin/ledger:refs/goal/ledger";
    let push = ["push", "-q", clones.remote.as_str(), theirs];
    other.project.git(&push);
    let before = lines(&clones.clones[0]);
    let refused = clones.project.run(&["sync", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "unrelated_ledger");
    assert_eq!(lines(&clones.clones[0]), before);
}
