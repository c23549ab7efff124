//! Where goals are kept: in the repository that one works in, never by accident in a second place,
//! and never in silence where the first one is missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::support::lines::tip;
use crate::support::{Project, Ran, auditor::APPROVE};

/// The codes of what a JSON answer notices beside its data.
fn noticed(ran: &Ran) -> Vec<Value> {
    let json = ran.json();
    let notices = json["notices"].as_array().cloned().unwrap_or_default();
    notices.iter().map(|it| it["code"].clone()).collect()
}

/// A repository without goals inside a directory that has some.
fn below_a_ledger() -> (Project, camino::Utf8PathBuf) {
    let (project, _) = Project::with_goal("stray");
    let inner = project.root.join("inner/src");
    fs::create_dir_all(&inner).unwrap();
    project.git(&["init", "-q", "inner"]);
    (project, inner)
}

/// The directory in which a goal would be kept by who works in `cwd`, and what git says of it.
fn places(project: &Project, cwd: &camino::Utf8Path) -> (String, Option<String>) {
    let listed = project.call(&["list", "--json"]).cwd(cwd).run().ok().json();
    let top = project.try_git(&["-C", cwd.as_str(), "rev-parse", "--show-toplevel"]);
    let top = top.success().then(|| top.stdout.trim_end().to_owned());
    (listed["root"].as_str().unwrap().to_owned(), top)
}

#[test]
fn a_repository_is_what_git_takes_for_one() {
    let project = Project::new();
    let deep = project.root.join("a/b");
    let whole = project.root.join(".git");
    let lacking = |name: &str| {
        project.git(&["init", "-q"]);
        let path = whole.join(name);
        fs::remove_dir_all(&path)
            .or_else(|_| fs::remove_file(&path))
            .unwrap();
    };
    let kinds: [(&str, &dyn Fn(), bool); 7] = [
        (
            "an empty directory",
            &|| fs::create_dir(&whole).unwrap(),
            false,
        ),
        ("no HEAD", &|| lacking("HEAD"), false),
        ("no objects", &|| lacking("objects"), false),
        ("no refs", &|| lacking("refs"), false),
        (
            "a link to nothing",
            &|| symlink("gone", &whole).unwrap(),
            false,
        ),
        ("a whole one", &|| drop(project.git(&["init", "-q"])), true),
        (
            "one elsewhere",
            &|| drop(project.git(&["init", "-q", "--separate-git-dir", "../aside/git"])),
            true,
        ),
    ];
    for (kind, make, is_one) in kinds {
        fs::create_dir_all(&deep).unwrap();
        make();
        let (root, top) = places(&project, &deep);
        let expected = if is_one { &project.root } else { &deep };
        assert_eq!(root, expected.as_str(), "{kind}");
        assert_eq!(
            top,
            is_one.then(|| root.clone()),
            "{kind}: git says otherwise"
        );
        for entry in project.root.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            fs::remove_dir_all(&path)
                .or_else(|_| fs::remove_file(&path))
                .unwrap();
        }
    }
}

#[test]
fn who_records_from_below_is_told_where() {
    let project = Project::new();
    project.auditor(APPROVE);
    let deep = project.root.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    project.git(&["init", "-q"]);
    let root = &project.root;
    let below = |args: &[&str]| project.call(args).cwd(&deep).run().ok();
    let by_git = format!("note: recorded in the project {root} (the top of the git work tree)\n");
    assert_eq!(below(&["set", "x"]).stderr, by_git);
    let by_goals =
        format!("note: recorded in the project {root} (the nearest directory with .pi/goals)\n");
    assert_eq!(below(&["note", "n"]).stderr, by_goals);
    // Where nothing is recorded, where somebody named it or stands in it, and to machines, nothing is said.
    for args in [
        &["list"][..],
        &["note", "n", "--quiet"],
        &["note", "n", "--json"],
        &["note", "n", "--root", "../.."],
    ] {
        assert_eq!(below(args).stderr, "", "{args:?}");
    }
    assert_eq!(project.run(&["note", "n"]).ok().stderr, "");
}

#[test]
fn goals_above_a_repository_are_named_and_not_taken() {
    let (project, inner) = below_a_ledger();
    let listed = project.call(&["list"]).cwd(&inner).run().ok();
    assert!(listed.stdout.contains("No goals yet"), "{listed}");
    assert_eq!(listed.stderr, "");
    let listed = project.call(&["list", "--json"]).cwd(&inner).run().ok();
    assert_eq!(noticed(&listed), [] as [Value; 0]);
    let stop = json!({ "session_id": "s", "cwd": inner, "hook_event_name": "Stop" }).to_string();
    for event in ["session-start", "user-prompt-submit", "stop"] {
        let hook = project.call(&["hook", event]).cwd(&inner).stdin(&stop);
        let ran = hook.run().ok();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    }
    let doctor = project.call(&["doctor"]).cwd(&inner).run().ok();
    assert!(doctor.stdout.contains("ledger_above"), "{doctor}");

    // A named root means the other one.
    let root = project.root.as_str();
    let named = ["--root", root, "note", "n"];
    project.call(&named).cwd(&inner).run().ok();
    // Whatever sets goals up here says it, once.
    let above = format!("a ledger lies above it, in {root}");
    for begin in [&["init"][..], &["set", "mine"], &["draft", "t"]] {
        let began = project.call(begin).cwd(&inner).run().ok();
        assert!(began.stderr.contains(&above), "{began}");
        assert!(began.stderr.contains("--root"), "{began}");
        let set = ["set", "more", "--json"];
        let set = project.call(&set).cwd(&inner).run().ok();
        assert_eq!(set.json()["root"], format!("{root}/inner"));
        assert_eq!(noticed(&set), [] as [Value; 0]);
        let listed = project.call(&["list"]).cwd(&inner).run().ok();
        assert_eq!(listed.stderr, "");
        fs::remove_dir_all(project.root.join("inner")).unwrap();
        fs::create_dir_all(&inner).unwrap();
        project.git(&["init", "-q", "inner"]);
        fs::remove_dir_all(project.aside.join("home/state")).unwrap();
    }
}

#[test]
fn a_submodule_and_a_work_tree_keep_to_themselves_below_a_ledger() {
    let (project, _) = Project::with_goal("stray");
    let root = &project.root;
    project.git(&["init", "-q", "repo"]);
    let git = |args: &[&str]| project.git(&[&["-C", "repo"], args].concat());
    git(&["commit", "-q", "--allow-empty", "-m", "m"]);
    git(&["worktree", "add", "-q", "../linked"]);
    // As git makes it for a submodule.
    fs::create_dir_all(root.join("repo/sub/deep")).unwrap();
    fs::create_dir_all(root.join("repo/.git/modules")).unwrap();
    project.git(&[
        "init",
        "-q",
        "--separate-git-dir=repo/.git/modules/sub",
        "repo/sub",
    ]);
    for (dir, own) in [
        ("repo/sub/deep", "repo/sub"),
        ("linked", "linked"),
        ("repo", "repo"),
    ] {
        let set = ["set", "mine", "--json"];
        let set = project.call(&set).cwd(&root.join(dir)).run().ok();
        assert_eq!(set.json()["root"], root.join(own).as_str(), "{dir}");
    }
}

#[test]
fn the_home_directory_is_nobodys_project_unless_it_is_named() {
    let project = Project::new();
    let home = project.root.clone();
    let deep = home.join("notes");
    fs::create_dir(&deep).unwrap();
    let call = |args: &[&str], dir| project.call(args).env("HOME", home.as_str()).cwd(dir);
    let refused = call(&["set", "x", "--json"], &home).run().exits(5);
    assert_eq!(refused.error_code(), "root_not_named");
    call(&["set", "x", "--root", "."], &home).run().ok();
    // Whoever stands in it sees it; whoever works below is not captured.
    let listed = call(&["list"], &home).run().ok();
    assert!(listed.stdout.contains('x'), "{listed}");
    let own = call(&["set", "y", "--json"], &deep).run().ok();
    assert_eq!(own.json()["root"], deep.as_str());
    assert_eq!(noticed(&own), ["ledger_above"]);
}

/// What every reader says, and the first event is refused for.
fn is_missing(project: &Project, sign: &str, state: &str) {
    let before = project.tree();
    let call = |args: &[&str]| project.call(args).env("XDG_STATE_HOME", state);
    for args in [
        &["list"][..],
        &["status"],
        &["summary"],
        &["log"],
        &["show", "x"],
    ] {
        let ran = call(args).run();
        assert!(ran.stderr.contains(sign) || ran.code == Some(3), "{ran}");
    }
    let tool = call(&["tool", "get_goal", "--data", "{}"]).run().ok();
    assert_eq!(noticed(&tool), ["ledger_missing"]);
    let read = call(&["status", "--json"]).run().ok();
    assert_eq!(noticed(&read), ["ledger_missing"]);
    for args in [&["set", "anew"][..], &["note", "n"], &["propose", "o"]] {
        let ran = call(&[args, &["--json"]].concat()).run().exits(4);
        assert_eq!(ran.error_code(), "ledger_missing", "{ran}");
        assert!(ran.json()["error"]["message"].to_string().contains(sign));
    }
    assert_eq!(project.tree(), before);
}

#[test]
fn a_ledger_that_is_missing_is_said_to_be_and_no_other_begins() {
    let (project, _) = Project::with_goal("x");
    let elsewhere = project.aside.join("elsewhere").to_string();
    let ledger = project.ledger();
    fs::remove_file(project.ledger_path()).unwrap();
    // On another machine, or in a clone that was not given the ledger, only the documents tell.
    is_missing(&project, "1 document here was made from it", &elsewhere);
    for look in ["list", "status"] {
        let said = project.run(&[look]).ok().stdout;
        let text = "The ledger is missing, so its goals cannot be shown. `goal doctor` says how it";
        assert!(said.contains(text) && !said.contains("goal set"), "{said}");
    }
    let own = project.aside.join("home/state").to_string();
    fs::remove_dir_all(project.root.join(".pi")).unwrap();
    is_missing(&project, "you appended to it before (line 2, ", &own);
    // Back it is the one it was.
    fs::create_dir_all(project.goals("")).unwrap();
    project.put_ledger(&ledger);
    let ran = project.run(&["note", "n"]).ok();
    assert!(!ran.stderr.contains("missing"), "{ran}");
}

#[test]
fn git_knows_of_a_ledger_that_a_sparse_checkout_leaves_out() {
    let (project, _) = Project::with_goal("x");
    let elsewhere = project.aside.join("elsewhere").to_string();
    project.git(&["init", "-q"]);
    project.git(&["add", ".pi/goals/goal_events.jsonl"]);
    fs::remove_dir_all(project.root.join(".pi")).unwrap();
    is_missing(&project, "git's index has it", &elsewhere);
    project.git(&["checkout", "--", ".pi"]);
    project.run(&["note", "n"]).ok();
}

#[test]
fn a_new_ledger_begins_on_purpose_and_names_the_one_left_behind() {
    let (project, _) = Project::with_goal("x");
    let tip = tip(&project.ledger());
    fs::remove_file(project.ledger_path()).unwrap();
    project.run_as_agent(&["init", "--new"]).exits(5);
    let new = project.run(&["init", "--new"]).ok();
    let left = format!("left behind  a ledger of 2 lines, whose tip was {tip}");
    assert!(new.stdout.contains(&left), "{new}");
    assert!(new.stdout.contains("  an empty ledger\n"), "{new}");
    let set = project.run(&["set", "anew"]).ok();
    assert!(set.stderr.contains("at least 2 lines"), "{set}");
    let note = project.run(&["note", "n"]).ok();
    assert_eq!(note.stderr, "");
    project.run(&["verify", "--strict"]).ok();
    assert_eq!(project.events().len(), 3);
}

#[test]
fn a_ledger_that_is_there_is_set_aside_for_a_new_one() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    project.run_as_agent(&["init", "--new"]).exits(5);
    let new = project.run(&["init", "--new", "--json"]).ok().data();
    let kept = ".pi/goals/goal_events.jsonl.left-1";
    assert_eq!(new["leftBehind"]["kept"], kept, "{new}");
    assert_eq!(fs::read(project.root.join(kept)).unwrap(), before);
    assert_eq!(project.ledger(), b"");
    project.set("anew");
    assert_eq!(project.events().len(), 2);
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn documents_of_an_older_extension_need_no_ledger() {
    let project = Project::new();
    fs::create_dir_all(project.goals("")).unwrap();
    let document =
        "{\"id\":\"old-1\",\"objective\":\"o\",\"status\":\"active\"}\n\n# Goal Prompt\n\no\n";
    fs::write(
        project.goals("active_goal_20260101T000000_old-1.md"),
        document,
    )
    .unwrap();
    let listed = project.run(&["list"]).ok();
    assert_eq!(listed.stderr, "");
    project.run(&["set", "x"]).ok();
}

/// Another process begins the ledger while this one looks for signs of an earlier one: git, which is
/// asked about it, runs that process. By then there are a document and a stamp, and no ledger was
/// seen.
#[test]
fn a_ledger_that_another_process_just_began_is_not_missing() {
    let project = Project::new();
    project.git(&["init", "-q"]);
    let path = std::env::var("PATH").unwrap();
    let (goal, asked) = (env!("CARGO_BIN_EXE_goal"), project.aside.join("asked"));
    let git = format!(
        "#!/bin/sh\nPATH='{path}'\n\
         if [ ! -e '{asked}' ]; then : > '{asked}'; GOAL_ACTOR=user GOAL_TEST_SEED=99 '{goal}' set first >/dev/null; fi\n\
         exec git \"$@\"\n"
    );
    let programs = project.aside.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("git"), git).unwrap();
    fs::set_permissions(programs.join("git"), Permissions::from_mode(0o755)).unwrap();
    let programs = format!("{programs}:{path}");
    let second = project.call(&["set", "second"]).env("PATH", &programs);
    second.run().ok();
    assert!(asked.exists());
    let created = project.events_of_type("goal_created");
    let objectives: Vec<_> = created.iter().map(|it| it["objective"].clone()).collect();
    assert_eq!(objectives, ["first", "second"]);
    project.run(&["verify", "--strict"]).ok();
}

/// What a model reads of a project whose ledger somebody deleted does not invite it to begin anew.
#[test]
fn a_deleted_ledger_is_said_in_the_text_that_a_model_reads() {
    let (project, _) = Project::with_goal("x");
    fs::remove_file(project.goals("goal_events.jsonl")).unwrap();
    for document in project.goals("").read_dir_utf8().unwrap() {
        let document = document.unwrap().into_path();
        if document.extension() == Some("md") {
            fs::remove_file(document).unwrap();
        }
    }
    let begin = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
    let told = [
        project.call(&["summary"]).run().ok().stdout,
        project
            .call(&["hook", "session-start"])
            .stdin(begin)
            .run()
            .ok()
            .stdout,
        project
            .call(&["tool", "get_goal"])
            .stdin("{}")
            .run()
            .ok()
            .stdout,
        project
            .call(&["tool", "goal_summary"])
            .stdin("{}")
            .run()
            .ok()
            .stdout,
    ];
    for text in told {
        assert!(text.contains("No goal can be shown: the ledger"), "{text}");
        assert!(!text.contains("There is no open goal"), "{text}");
    }
}
