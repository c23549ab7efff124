//! `goal sync` between clones, by real git over a remote that is a directory (docs/machines.md).

mod elsewhere;
mod http;
mod joined;
mod left;
mod refused;
mod segments;
mod steps;

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;

use crate::support::{Project, Ran};
use crate::terminal::at_terminal_of;

/// A repository with a shared ledger of one goal and a bare remote, and clones of it.
struct Clones {
    project: Project,
    id: String,
    remote: Utf8PathBuf,
    clones: Vec<Utf8PathBuf>,
}

impl Clones {
    /// So many clones, with the first.
    fn new(count: usize) -> Clones {
        Clones::of("Port the parser", count)
    }

    fn of(objective: &str, count: usize) -> Clones {
        let project = Project::new();
        let remote = project.aside.join("remote.git");
        project.git(&["init", "-q", "-b", "main"]);
        project.git(&["init", "-q", "--bare", "-b", "main", remote.as_str()]);
        project.git(&["remote", "add", "origin", remote.as_str()]);
        // Fresh clones have the goal by the commit.
        project.run(&["init", "--commits"]).ok();
        // Two ledgers have different goals.
        let seed = objective.len().to_string();
        let set = project.call(&["set", objective]);
        set.env("GOAL_TEST_SEED", &seed).run().ok();
        let id = project.last_event()["goalId"].as_str().unwrap().to_owned();
        project.git(&["add", "-A"]);
        project.git(&["commit", "-qm", "one"]);
        project.git(&["push", "-q", "origin", "HEAD:main"]);
        let mut clones = vec![project.root.clone()];
        for number in 1..count {
            let dir = project.aside.join(format!("clone{number}"));
            project.git(&["clone", "-q", remote.as_str(), dir.as_str()]);
            clones.push(dir);
        }
        Clones {
            project,
            id,
            remote,
            clones,
        }
    }

    fn at(&self, clone: usize, args: &[&str]) -> Ran {
        let call = self.project.call(args);
        call.cwd(&self.clones[clone]).run()
    }

    /// A note in each clone, and then all of them synced twice.
    fn note_and_sync(&self, note: &str) {
        for clone in 0..self.clones.len() {
            let note = format!("{note} {clone}");
            self.at(clone, &["note", &note, "--goal", &self.id]).ok();
        }
        for _ in 0..2 {
            for clone in 0..self.clones.len() {
                self.at(clone, &["sync"]).ok();
            }
        }
    }

    /// Every clone has the same lines and shows the same goal.
    fn have_the_same(&self) {
        let all: Vec<BTreeSet<String>> = self.clones.iter().map(|it| lines(it)).collect();
        let shown = |clone| {
            let shown = self.at(clone, &["show", &self.id, "--json"]).ok().data();
            shown["goal"].clone()
        };
        let first = shown(0);
        for clone in 0..self.clones.len() {
            assert_eq!(all[clone], all[0], "clone {clone}");
            assert_eq!(shown(clone), first, "clone {clone}");
        }
    }

    /// The same, and `verify` finds nothing.
    fn are_equal(&self) {
        self.have_the_same();
        for clone in 0..self.clones.len() {
            self.at(clone, &["verify"]).ok();
        }
    }
}

fn ledger(clone: &Utf8Path) -> Utf8PathBuf {
    clone.join(".git/goal/goal_events.jsonl")
}

/// The lines of a clone's ledger, none of them twice.
fn lines(clone: &Utf8Path) -> BTreeSet<String> {
    let text = fs::read_to_string(ledger(clone)).unwrap();
    let lines: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), text.lines().count(), "a line is there twice");
    lines
}

#[test]
fn a_terminal_shows_what_is_under_way_and_how_it_is_ended_unless_it_is_to_be_quiet() {
    let clones = Clones::new(1);
    let sync = |more: &[&str]| {
        let args = [&["sync"], more].concat();
        let (shown, status) = at_terminal_of(&clones.project, &args, &[], (24, 80));
        assert!(status.success(), "{shown}");
        shown
    };
    let quiet = sync(&["--dry-run", "--quiet"]);
    assert!(!quiet.contains('…'), "{quiet}");
    let shown = sync(&[]);
    assert!(
        shown.contains("  … fetching from origin; Ctrl-C ends it"),
        "{shown}"
    );
    assert!(shown.contains("to origin; Ctrl-C ends it"), "{shown}");
}

#[test]
fn what_is_recorded_in_one_clone_reaches_the_others() {
    let clones = Clones::new(3);
    clones.at(0, &["note", "before anything"]).ok();
    clones.at(0, &["sync"]).ok();
    // A fresh clone begins with what its branch has, and gets the rest.
    clones.at(1, &["sync"]).ok();
    let shown = clones.at(1, &["show"]).ok().stdout;
    assert!(shown.contains("before anything"), "{shown}");
    clones.note_and_sync("first");
    clones.note_and_sync("second");
    clones.are_equal();
    let notes = lines(&clones.clones[0]);
    let notes = notes.iter().filter(|it| it.contains("goal_noted"));
    assert_eq!(notes.count(), 7);
    // Neither branches nor work trees know of it.
    let refs = clones.project.git(&["ls-remote", "origin"]);
    assert_eq!(refs.matches("refs/").count(), 2, "{refs}");
    let changed = clones.project.git(&["status", "--porcelain"]);
    assert!(
        changed.lines().all(|it| it.contains(".pi/goals/")),
        "{changed}"
    );
}

#[test]
fn it_says_what_it_did_and_what_waits() {
    let clones = Clones::new(2);
    let text = |clone, args: &[&str]| clones.at(clone, args).ok().stdout;
    let never = text(0, &["sync", "--status"]);
    clones.at(0, &["note", "one"]).ok();
    let said = [
        text(0, &["sync", "--dry-run"]),
        text(0, &["sync"]),
        text(0, &["sync"]),
        text(1, &["sync"]),
        text(0, &["sync"]),
        text(0, &["sync", "--status"]),
    ];
    assert_snapshot!(format!("{never}{}", said.concat()), @r"
    This ledger was not synced with any remote: `goal sync REMOTE` does it.
    To sync with origin: 0 lines to come in, 3 lines to send.
    Synced with origin: 0 lines came in, 3 lines sent.
    Nothing to sync: origin and this clone have the same lines.
    Synced with origin: 1 line came in, 0 lines sent.
    Nothing to sync: origin and this clone have the same lines.
    origin: everything is synced, last synced just now
    ");
    clones.at(0, &["note", "two"]).ok();
    let status = text(0, &["status"]);
    assert!(
        status.contains("origin: 1 line not synced, last synced"),
        "{status}"
    );
    let status = clones.at(0, &["status", "--json"]).ok().data();
    assert_eq!(status["remotes"][0]["unsynced"], 1);
    let dry = clones.at(0, &["sync", "--dry-run", "--json"]).ok().data();
    assert_eq!(
        (&dry["exchange"]["sent"], &dry["exchange"]["taken"]),
        (&1.into(), &0.into())
    );
    assert_eq!(dry["remotes"][0]["unsynced"], 1);
}

#[test]
fn what_cannot_be_synced_is_refused_and_changes_nothing() {
    let clones = Clones::new(1);
    let project = &clones.project;
    let gone = project
        .run(&["sync", "/nowhere/at all", "--json"])
        .exits(75);
    assert_eq!(gone.error_code(), "not_synced");
    assert_eq!(gone.json()["error"]["retryable"], true);
    let unknown = project.run(&["sync", "nowhere"]).exits(2);
    assert!(unknown.stderr.contains("no remote `nowhere`"), "{unknown}");
    project.run(&["sync", "--upload-pack=true"]).exits(2);
    project.run(&["sync", ""]).exits(2);
    project.run(&["sync"]).ok();
    // What agents and auditors may do.
    project.run_as_agent(&["sync"]).ok();
    let auditor = project
        .call(&["sync", "--json"])
        .env("GOAL_ACTOR", "auditor");
    assert_eq!(auditor.run().exits(5).error_code(), "auditor_read_only");
}

fn set_executable(path: &Utf8Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn another_ledger_is_taken_in_only_where_the_user_says_so() {
    let clones = Clones::new(1);
    clones.project.run(&["sync"]).ok();
    let other = Clones::of("Bake bread", 1);
    let remote = clones.remote.as_str();
    let before = lines(&other.clones[0]);
    let refused = other.at(0, &["sync", remote, "--json"]).exits(4);
    assert_eq!(refused.error_code(), "unrelated_ledger");
    assert_eq!(lines(&other.clones[0]), before);
    other.at(0, &["sync", remote, "--join"]).ok();
    let goals = other.at(0, &["list", "--json"]).ok().data();
    assert_eq!(goals["goals"].as_array().unwrap().len(), 2);
    other.at(0, &["note", "joined", "--goal", &other.id]).ok();
    other.at(0, &["verify"]).ok();
    other.at(0, &["sync", remote]).ok();
    clones.project.run(&["sync"]).ok();
    assert_eq!(lines(&clones.clones[0]), lines(&other.clones[0]));
}

/// Puts a file into the tree of the remote's ledger, as another program might.
fn planted(clones: &Clones, name: &str, content: &str) {
    let dir = clones.project.aside.join("planted");
    let (remote, dir) = (clones.remote.as_str(), dir.as_str());
    let git = |args: &[&str]| clones.project.git(&[&["-C", dir], args].concat());
    clones.project.git(&["clone", "-q", remote, dir]);
    git(&["fetch", "-q", "origin", "refs/goal/ledger"]);
    git(&["checkout", "-q", "FETCH_HEAD"]);
    fs::create_dir_all(Utf8Path::new(dir).join(name).parent().unwrap()).unwrap();
    fs::write(Utf8Path::new(dir).join(name), content).unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", "planted"]);
    git(&["push", "-q", "origin", "HEAD:refs/goal/ledger"]);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_no_line_of_ours_names_and_what_follows_nothing_stays_in_the_remote() {
    let clones = Clones::new(2);
    clones.project.run(&["sync"]).ok();
    let unconnected = format!(
        "{{\"type\":\"goal_noted\",\"goalId\":\"{}\",\"note\":\"lost\",\
         \"at\":\"2026-01-01T00:01:00.000Z\",\"prev\":\"{}\"}}\n",
        clones.id,
        "a".repeat(32)
    );
    let foreign = format!(
        "{{\"type\":\"goal_aborted\",\"goalId\":\"{}\",\"at\":\"2026-01-01T00:01:00.000Z\"}}\n",
        clones.id
    );
    planted(&clones, "zz/a.jsonl", &format!("garbage\n{foreign}"));
    planted(&clones, "zz/b.jsonl", &unconnected);
    planted(&clones, "README", "not a segment\n");
    let before = lines(&clones.clones[0]);
    // Any of these would stop or shadow what is written here.
    let long = format!("{{\"note\":\"{}\"}}", "x".repeat(1024 * 1024));
    let odd = format!(
        "<<<<<<< HEAD\n{long}\n\u{feff}{}",
        unconnected.replace(&"a".repeat(32), &"0".repeat(32))
    );
    planted(&clones, "zz/c.jsonl", &odd);
    let synced = clones.project.run(&["sync", "--json"]).exits(4).data();
    let exchange = &synced["exchange"];
    assert_eq!(exchange["leftThere"], 5, "{synced}");
    assert_eq!(exchange["unconnected"], 1, "{synced}");
    assert_eq!(lines(&clones.clones[0]), before);
    assert_eq!(clones.project.status(&clones.id), "active");
    // Only the user may take what follows a line that nobody has; `verify` then says so. What an
    // earlier sync left is looked at again.
    let call = clones.project.call(&["sync", "--join", "--json"]);
    let agent = call.cwd(&clones.clones[1]).env("GOAL_ACTOR", "agent").run();
    assert_eq!(agent.exits(5).error_code(), "human_owned");
    let again = clones.at(1, &["sync"]).exits(4);
    assert!(
        again.stdout.contains("behind a line that is missing"),
        "{again}"
    );
    clones.at(1, &["sync", "--join"]).ok();
    assert!(lines(&clones.clones[1]).contains(unconnected.trim_end()));
    let found = clones.at(1, &["verify", "--json"]).exits(7);
    assert!(found.stdout.contains("broken_link"), "{found}");
}

#[test]
fn lines_of_other_programs_go_along_once_a_line_of_ours_follows_them() {
    let clones = Clones::new(2);
    let foreign = format!(
        "{{\"type\":\"goal_noted\",\"goalId\":\"{}\",\"note\":\"theirs\",\
         \"at\":\"2026-01-01T00:00:30.000Z\"}}\n",
        clones.id
    );
    let path = ledger(&clones.clones[0]);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(&foreign);
    fs::write(&path, text).unwrap();
    let synced = clones.project.run(&["sync", "--json"]).ok().data();
    assert_eq!(synced["exchange"]["leftHere"], 1);
    clones.project.run(&["note", "follows"]).ok();
    clones.project.run(&["sync"]).ok();
    clones.at(1, &["sync"]).ok();
    clones.have_the_same();
    assert!(lines(&clones.clones[1]).contains(foreign.trim_end()));
}

#[test]
fn a_remote_that_lost_its_ledger_gets_all_of_it_again() {
    let clones = Clones::new(2);
    clones.note_and_sync("kept");
    clones
        .project
        .git(&["push", "-q", "origin", ":refs/goal/ledger"]);
    let synced = clones.at(1, &["sync", "--json"]).ok().data();
    assert_eq!(synced["exchange"]["sent"], lines(&clones.clones[1]).len());
    clones.note_and_sync("more");
    clones.are_equal();
}

#[test]
fn hooks_sync_at_their_ends_where_the_user_says_so_and_a_project_cannot() {
    let clones = Clones::new(1);
    let stop = || {
        let call = clones.project.call(&["hook", "stop", "--host", "claude"]);
        let input = format!(
            "{{\"session_id\":\"s\",\"cwd\":\"{}\",\"hook_event_name\":\"Stop\"}}",
            clones.project.root
        );
        call.without("GOAL_ACTOR").stdin(&input).run().ok()
    };
    let has_it = || {
        clones
            .project
            .git(&["ls-remote", "origin"])
            .contains("refs/goal/ledger")
    };
    clones.project.run(&["pause", "--reason", "r"]).ok();
    let sync = "\n[sync]\nremote = \"origin\"\n";
    let path = clones.project.goals("config.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{sync}")).unwrap();
    stop();
    assert!(
        !has_it(),
        "the project's configuration sent the ledger away"
    );
    fs::write(clones.project.user_config(), sync).unwrap();
    let status = clones.project.run(&["status"]).ok().stdout;
    assert!(status.contains("not synced, never synced yet"), "{status}");
    stop();
    assert!(has_it());
    // What comes to nothing is said and in nobody's way.
    fs::write(
        clones.project.user_config(),
        "[sync]\nremote = \"/nowhere\"\n",
    )
    .unwrap();
    let stopped = stop();
    assert!(
        stopped.stderr.contains("not synced with /nowhere"),
        "{stopped}"
    );
}

#[test]
fn a_secret_is_removed_from_all_clones_as_the_page_says() {
    let clones = Clones::new(2);
    clones.at(0, &["note", "the word is Sesame"]).ok();
    clones.note_and_sync("after it");
    for clone in 0..2 {
        let home = ledger(&clones.clones[clone]);
        let file = clones.clones[clone].join(".pi/goals/goal_events.jsonl");
        for path in [home, file] {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, text.replace("Sesame", "removed")).unwrap();
        }
    }
    let git = |args: &[&str]| clones.project.git(args);
    git(&["push", "-q", "origin", ":refs/goal/ledger"]);
    for clone in [0, 1, 0] {
        clones.at(clone, &["sync"]).ok();
    }
    clones.have_the_same();
    // A clone made later has the broken link too.
    let later = clones.project.aside.join("later");
    git(&["clone", "-q", clones.remote.as_str(), later.as_str()]);
    let call = |args: &[&str]| clones.project.call(args).cwd(&later).run();
    call(&["sync", "--join"]).ok();
    assert_eq!(lines(&later), lines(&clones.clones[0]));
    for clone in [&clones.clones[0], &later] {
        let finding = clones
            .project
            .call(&["verify", "--json"])
            .cwd(clone)
            .run()
            .exits(7)
            .data();
        let findings = finding["findings"].as_array().unwrap();
        let errors = findings.iter().filter(|it| it["severity"] == "error");
        let errors: Vec<String> = errors
            .map(|it| format!("{}@{}", it["code"].as_str().unwrap(), it["line"]))
            .collect();
        for error in errors {
            let settle = [
                "settle",
                "--finding",
                &error,
                "--reason",
                "a secret was removed",
            ];
            clones.project.call(&settle).cwd(clone).run().ok();
        }
        clones.project.call(&["verify"]).cwd(clone).run().ok();
    }
    let objects = git(&[
        "-C",
        clones.remote.as_str(),
        "log",
        "-p",
        "refs/goal/ledger",
    ]);
    assert!(!objects.contains("Sesame"));
}

#[test]
fn what_was_left_comes_in_once_what_it_follows_is_there() {
    let clones = Clones::new(3);
    clones.note_and_sync("base");
    clones.at(0, &["note", "first"]).ok();
    clones.at(0, &["note", "second"]).ok();
    // Somebody's segment with the second of two lines comes before the one with the first.
    let text = fs::read_to_string(ledger(&clones.clones[0])).unwrap();
    let second = text.lines().last().unwrap();
    planted(&clones, "zz/second.jsonl", &format!("{second}\n"));
    let early = clones.at(1, &["sync", "--json"]).exits(4).data();
    assert_eq!(early["exchange"]["unconnected"], 1, "{early}");
    assert_eq!(early["remotes"][0]["remote"], "origin", "{early}");
    for clone in [0, 1, 2] {
        clones.at(clone, &["sync"]).ok();
    }
    clones.are_equal();
}

#[test]
fn what_git_sets_for_its_own_hooks_is_not_taken_for_the_remote() {
    let clones = Clones::new(2);
    let call = clones.project.call(&["sync"]);
    let call = call.env("GIT_NAMESPACE", "elsewhere");
    let call = call.env("GIT_OBJECT_DIRECTORY", "/nowhere");
    let call = call.env("GIT_COMMON_DIR", clones.clones[1].join(".git").as_str());
    call.env("GIT_DIR", "/nowhere").run().ok();
    clones.at(1, &["sync"]).ok();
    clones.have_the_same();
}
