//! What a hook does when something is wrong: exit 1 and nothing on stdout, and the ledger as it
//! was. Where it is not wanted: exit 0 and nothing at all.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value;

use super::{HOSTS, silent};
use crate::support::lock::Held;
use crate::support::{Project, Ran};

const EVENTS: [&str; 6] = [
    "session-start",
    "user-prompt-submit",
    "stop",
    "session-end",
    "pre-compact",
    "post-compact",
];

/// It failed as hooks may.
#[track_caller]
fn failed(ran: &Ran, why: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran}");
    assert!(ran.stderr.contains(why), "{why:?} in {ran}");
}

#[test]
fn arguments_that_make_no_sense_are_no_veto() {
    let (project, _) = Project::with_goal("o");
    for args in [
        &["hook"][..],
        &["hook", "bogus"],
        &["hook", "stop", "--nope"],
        &["hook", "stop", "--host", "nobody"],
        &["hook", "stop", "and", "more"],
        &["hook", "stop", "--lock-timeout", "soon"],
        &["hook", "stop", "--expect", "x"],
        &["--json", "hook", "bogus"],
        &["--root", "hook", "hook", "bogus"],
        &["--nope", "hook", "stop"],
        &["--nope", "value", "hook", "stop"],
        &["hook", "stop", "--session", ""],
        &["hook", "stop", "--root", "/nowhere"],
    ] {
        let ran = project.call(args).stdin("{}").run();
        failed(&ran, "error: ");
    }
    for (name, value) in [
        ("GOAL_ACTOR", "system"),
        ("GOAL_ROOT", "/nowhere"),
        ("GOAL_TEST_CLOCK", "noon"),
    ] {
        let ran = project
            .call(&["hook", "stop"])
            .env(name, value)
            .stdin("{}")
            .run();
        failed(&ran, "error: ");
    }
    assert_eq!(project.events().len(), 2);
    // Anything else keeps its code.
    project.run(&["note", "hook", "--nope"]).exits(2);
    project.run(&["hook", "--help"]).ok();
}

#[test]
fn input_that_is_no_object_is_no_veto() {
    let (project, _) = Project::with_goal("o");
    let huge = format!("{{\"prompt\":\"{}\"}}", "x".repeat(17 * 1024 * 1024));
    for host in HOSTS {
        for event in EVENTS {
            for (input, why) in [
                ("", "stdin is empty"),
                ("[]", "no JSON object"),
                ("{\"cwd\":", "no JSON object"),
                ("not json", "no JSON object"),
            ] {
                let call = project.call(&["hook", event, "--host", host]).stdin(input);
                failed(&call.run(), why);
            }
        }
    }
    failed(
        &project.call(&["hook", "stop"]).stdin(&huge).run(),
        "more than 16 MiB",
    );
    let mut closed = project.call(&["hook", "stop"]).command();
    let output = closed.stdin(Stdio::null()).output().unwrap();
    failed(&Ran::new(&project, &output), "stdin is empty");
    assert_eq!(project.events().len(), 2);
}

#[test]
fn a_large_prompt_and_fields_of_tomorrow_are_fine() {
    let (project, _) = Project::held("o");
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let grown = |input: String| {
        let more = format!(
            ",\"tomorrow\":{deep},\"prompted\":\"{}\",\"decision\":\"approve\",\"continue\":false}}",
            "x".repeat(4 * 1024 * 1024)
        );
        input.trim_end().strip_suffix('}').unwrap().to_owned() + &more
    };
    for host in HOSTS {
        let ran = project.hook_with(host, "stop", grown).ok();
        assert!(ran.stdout.contains("# Continue goal"), "{host}");
        project.run(&["note", host]).ok();
    }
}

#[test]
fn ids_that_no_host_gives_are_refused() {
    let (project, _) = Project::with_goal("o");
    let before = project.ledger();
    for id in [r"a\u0007b", r"\u001b[31m", &"x".repeat(257)] {
        let odd = |input: String| input.replace("01a2-host", id);
        failed(&project.hook_with("codex", "stop", odd), "session id");
        let odd = |input: String| input.replace("01a2-turn", id);
        failed(&project.hook_with("codex", "stop", odd), "turn id");
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn the_hosts_directory_decides_the_root() {
    let (project, _) = Project::with_goal("o");
    let below = project.root.join("deep/er");
    fs::create_dir_all(&below).unwrap();
    let input = format!("{{\"cwd\":\"{below}\"}}");
    let elsewhere = |args: &[&str]| project.call(args).cwd(&project.aside).stdin(&input).run();
    assert!(
        elsewhere(&["hook", "stop"])
            .ok()
            .stdout
            .contains("# Continue goal")
    );
    // Unless one is named.
    silent(elsewhere(&["hook", "stop", "--root", "."]));
    let root = project
        .call(&["hook", "stop"])
        .env("GOAL_ROOT", project.aside.as_str());
    silent(root.stdin(&input).run());
    let gone = project
        .call(&["hook", "stop"])
        .stdin("{\"cwd\":\"/nowhere\"}")
        .run();
    failed(&gone, "/nowhere");
}

#[test]
fn a_project_without_goals_is_left_alone() {
    let project = Project::new();
    for host in HOSTS {
        for recorded in ["session-start", "user-prompt-submit", "stop", "pre-compact"] {
            silent(project.hook(host, recorded));
        }
    }
    assert_eq!(fs::read_dir(&project.root).unwrap().count(), 0);
}

#[test]
fn within_an_audit_nothing_happens() {
    let (project, _) = Project::with_goal("o");
    let before = project.ledger();
    for event in EVENTS {
        for input in ["{}", "", "not json"] {
            let call = project.call(&["hook", event]).env("GOAL_ACTOR", "auditor");
            let ran = call.stdin(input).run();
            silent(ran.clone());
            assert_eq!(ran.stderr, "");
        }
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_ledger_that_cannot_be_read_is_no_veto() {
    let (project, _) = Project::with_goal("o");
    fs::remove_file(project.ledger_path()).unwrap();
    fs::create_dir(project.ledger_path()).unwrap();
    for recorded in ["session-start", "user-prompt-submit", "stop"] {
        failed(&project.hook("claude", recorded), "goal_events.jsonl");
    }
}

#[test]
fn a_full_directory_of_another_user_is_no_veto() {
    let (project, _) = Project::held("o");
    let goals = project.goals("");
    fs::set_permissions(&goals, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(project.ledger_path(), fs::Permissions::from_mode(0o444)).unwrap();
    let ran = project.hook("claude", "stop");
    fs::set_permissions(&goals, fs::Permissions::from_mode(0o755)).unwrap();
    // Root may write all the same.
    let refused = ran.code == Some(1) && ran.stdout.is_empty();
    assert!(refused || project.count("goal_continued") == 1, "{ran}");
}

#[test]
fn a_writer_that_takes_long_is_waited_for_but_not_for_long() {
    let (project, _) = Project::held("o");
    let lock = Held::at(&project.goals("")).unwrap();
    let ran = project.hook("claude", "stop");
    // The agent may stop, and its user knows how it goes on.
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let why = told["systemMessage"].as_str().unwrap();
    assert!(
        why.contains("locked") && why.contains("`continue`"),
        "{why}"
    );
    assert_eq!(told["decision"], Value::Null);
    // What needs no lock goes on.
    assert!(
        project
            .hook("claude", "session-start")
            .ok()
            .stdout
            .contains("# Goal summary")
    );
    drop(lock);
    assert!(
        project
            .hook("claude", "stop")
            .ok()
            .stdout
            .contains("# Continue goal")
    );
}

#[test]
fn what_nobody_reads_is_said_to_be_recorded() {
    let (project, _) = Project::held("o");
    let mut command = project
        .call(&["hook", "stop"])
        .without("GOAL_ACTOR")
        .command();
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let input = project.root.join("input");
    fs::write(&input, project.recorded("claude", "stop")).unwrap();
    let input = fs::File::open(input).unwrap();
    let output = command.stdin(input).stdout(full).output().unwrap();
    failed(&Ran::new(&project, &output), "may be recorded");
    assert_eq!(project.count("goal_continued"), 1);
}

#[test]
fn a_host_that_leaves_stdin_open_is_not_held_up() {
    let (project, _) = Project::with_goal("o");
    let mut child = project.call(&["hook", "stop"]).spawn();
    // Whole JSON, and no end of it.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{}").unwrap();
    let ran = Ran::new(&project, &child.wait_with_output().unwrap());
    failed(&ran, "stdin was not closed");
    drop(stdin);
    assert!(project.events_of_type("goal_continued").is_empty());
}

/// Whoever works with what is between two releases has programs of one version and two abilities.
#[test]
fn hooks_can_need_a_build_between_releases() {
    let (project, _) = Project::with_goal("water the beans");
    let own = env!("CARGO_PKG_VERSION");
    let (release, build) = own.split_once('+').unwrap_or((own, "0"));
    let next = format!("{release}+{}", build.parse::<u32>().unwrap() + 1);
    let asked = |needs: &str| {
        let line = ["hook", "session-start", "--needs", needs];
        let ran = project.call(&line).stdin("{}").run().ok();
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["systemMessage"].clone()
    };
    assert_eq!(asked(own), Value::Null);
    assert_eq!(
        asked(&next),
        format!(
            "goal is off in this session: the program is version {own}, and the hooks need {next} \
             or newer. Install goal from the checkout or the package that has these hooks, then \
             start again."
        )
    );
}
