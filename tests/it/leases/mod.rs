//! Leases between real processes: who gets one, who keeps it, what is left of the dead, and that
//! nothing but another lease is held up by one.

mod files;
mod worker;

use std::fs;
use std::process::{Command, id as own_pid};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Project, Ran};

/// A process id that nobody has any more.
fn dead() -> String {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id().to_string()
}

/// Ours, which is alive as long as the test is.
fn alive() -> String {
    own_pid().to_string()
}

/// As the user, whose clock can be pinned.
fn acquire(project: &Project, session: &str, more: &[&str]) -> Ran {
    let pid = alive();
    let args = [
        "lease",
        "acquire",
        "--json",
        "--session",
        session,
        "--pid",
        &pid,
    ];
    project.run(&[&args, more].concat())
}

/// The goal's lease file as it stands.
fn file(project: &Project, id: &str) -> Value {
    let path = project.goals(&format!(".locks/{id}.lock"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn plant(project: &Project, id: &str, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(project.goals(".locks")).unwrap();
    fs::write(project.goals(&format!(".locks/{id}.lock")), bytes).unwrap();
}

/// As the older extensions write it; the pinned clock stands at the beginning of 2026.
fn theirs(id: &str, pid: &str, expires: &str) -> String {
    format!(
        r#"{{"goalId":"{id}","owner":{{"sessionId":"t","pid":{pid},"startTimeMs":null}},"acquiredAt":"2025-12-31T23:59:00.000Z","expiresAt":"{expires}","heartbeatAt":"2025-12-31T23:59:00.000Z"}}"#
    )
}

#[test]
fn a_lease_is_acquired_renewed_and_released_in_the_family_s_shape() {
    let (project, id) = Project::with_goal("x");
    let ledger = project.ledger();
    let before = project.tree();
    let pid = own_pid();
    let taken = acquire(&project, "s", &[]).ok().data();
    assert_eq!(taken["act"], "acquired");
    assert_eq!(taken["previous"], Value::Null);
    assert_eq!(taken["leases"][0]["standing"], "held");
    let mut stands = file(&project, &id);
    let host = stands["owner"].as_object_mut().unwrap().remove("host");
    assert_eq!(host.unwrap(), taken["leases"][0]["host"]);
    let at = |second: u32| format!("2026-01-01T00:{:02}:{:02}", second / 60, second % 60);
    let starts = |value: &Value, at: &str| value.as_str().unwrap().starts_with(at);
    assert_eq!(stands["goalId"], id);
    assert_eq!(stands["owner"], json!({"sessionId": "s", "pid": pid}));
    for (field, second) in [("acquiredAt", 1), ("heartbeatAt", 1), ("expiresAt", 121)] {
        assert!(starts(&stands[field], &at(second)), "{stands}");
    }
    let keys: Vec<&String> = stands.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["goalId", "owner", "acquiredAt", "expiresAt", "heartbeatAt"]
    );

    let renew = [
        "lease",
        "renew",
        "--session",
        "s",
        "--pid",
        &alive(),
        "--ttl",
        "10",
    ];
    project.run(&renew).ok();
    let stands = file(&project, &id);
    for (field, second) in [("acquiredAt", 1), ("heartbeatAt", 2), ("expiresAt", 12)] {
        assert!(starts(&stands[field], &at(second)), "{stands}");
    }
    let release = [
        "lease",
        "release",
        "--session",
        "s",
        "--pid",
        &alive(),
        "--json",
    ];
    let released = project.run_as_agent(&release).ok().data();
    assert_eq!(released["previous"]["session"], "s");
    let again = project.run_as_agent(&release).ok().data();
    assert_eq!(
        again,
        json!({"act": "released", "leases": [], "previous": null})
    );
    assert_eq!(fs::read_dir(project.goals(".locks")).unwrap().count(), 0);
    // A sidecar and no event: ledger and documents are as they were.
    assert_eq!(project.ledger(), ledger);
    let mut after = project.tree();
    after.retain(|path, _| path != ".pi/goals/.locks");
    assert_eq!(after, before);
}

#[test]
fn a_live_lease_refuses_another_and_nothing_else() {
    let (project, id) = Project::with_goal("x");
    acquire(&project, "s", &[]).ok();
    let before = file(&project, &id);
    let refused = acquire(&project, "t", &[]).exits(4);
    let error = &refused.json()["error"];
    assert_eq!(error["code"], "lease_held");
    assert_eq!(error["retryable"], true);
    let said = format!(
        "goal {id} is leased to session s, pid {}, until ",
        own_pid()
    );
    assert!(
        error["message"].as_str().unwrap().starts_with(&said),
        "{error}"
    );
    // The user too, unless it is said; an agent cannot say it.
    let pid = alive();
    let user = [
        "lease",
        "acquire",
        "--session",
        "t",
        "--pid",
        &pid,
        "--json",
    ];
    assert_eq!(project.run(&user).exits(4).error_code(), "lease_held");
    for free in [false, true] {
        let take_over = [&user[..], &["--take-over"]].concat();
        let agent = project.run_as_agent(&take_over).exits(5);
        assert_eq!(agent.error_code(), "human_owned");
        let hint = agent.json()["error"]["hint"].as_str().unwrap().to_owned();
        assert!(hint.starts_with("say to the user: "), "{hint}");
        if !free {
            assert_eq!(file(&project, &id), before);
            project.run(&["lease", "release"]).ok();
        }
    }
    acquire(&project, "s", &[]).ok();
    for args in [
        &["note", "n", "--session", "t"][..],
        &["tweak", "--title", "y", "--session", "t"],
        &["prompt", "active", "--session", "t"],
        &["summary"],
    ] {
        project.run_as_agent(args).ok();
    }
    for args in [
        &["pause", "--reason", "r"][..],
        &["resume"],
        &["focus", &id],
    ] {
        project.run(args).ok();
    }
    let taken = project
        .run(&[&user[..], &["--take-over"]].concat())
        .ok()
        .data();
    assert_eq!(taken["previous"]["standing"], "held");
    assert_eq!(taken["previous"]["session"], "s");
    // Whoever lost it hears so, and takes nothing back.
    for (act, code) in [("renew", "lease_held"), ("acquire", "lease_held")] {
        let args = ["lease", act, "--session", "s", "--pid", &pid, "--json"];
        assert_eq!(project.run(&args).exits(4).error_code(), code);
    }
    let release = ["lease", "release", "--session", "s", "--json"];
    assert_eq!(project.run(&release).exits(4).error_code(), "lease_held");
    assert_eq!(file(&project, &id)["owner"]["sessionId"], "t");
}

#[test]
fn a_clock_of_its_own_gives_an_agent_no_lease() {
    let (project, id) = Project::with_goal("x");
    let pid = alive();
    let acquire = |session: &str| {
        let args = ["lease", "acquire", "--session", session, "--pid", &pid];
        project
            .call(&[&args[..], &["--json"]].concat())
            .env("GOAL_ACTOR", "agent")
            .env("GOAL_TEST_CLOCK", "2096-01-01T00:00:00.000Z")
            .run()
    };
    // Live by every clock but the pinned one.
    acquire("s").ok();
    let held = file(&project, &id);
    assert!(held["expiresAt"].as_str() < Some("2096"), "{held}");
    assert_eq!(acquire("t").exits(4).error_code(), "lease_held");
    assert_eq!(file(&project, &id), held);
}

#[test]
fn a_process_that_is_not_there_gets_no_lease() {
    let (project, _) = Project::with_goal("x");
    for act in ["acquire", "renew"] {
        let args = ["lease", act, "--session", "s", "--pid", &dead(), "--json"];
        assert_eq!(project.run(&args).exits(2).error_code(), "invalid_field");
        let pid = alive();
        let args = ["lease", act, "--pid", &pid, "--json"];
        assert_eq!(project.run(&args).exits(2).error_code(), "usage");
        for odd in ["0", "-1", "x", "2147483648"] {
            let pid = format!("--pid={odd}");
            project
                .run(&["lease", act, "--session", "s", &pid])
                .exits(2);
        }
        for odd in ["0", "0.5", "86401", "-1", "NaN", "inf"] {
            let ttl = format!("--ttl={odd}");
            project
                .run(&["lease", act, "--session", "s", "--pid", &pid, &ttl])
                .exits(2);
        }
    }
    assert!(!project.goals(".locks").exists());
}

#[test]
fn of_eight_that_acquire_at_once_one_wins() {
    let (project, id) = Project::with_goal("x");
    for round in 0..4 {
        // From nothing, and from what a dead process left.
        if round % 2 == 1 {
            plant(&project, &id, theirs(&id, &dead(), "2030-01-01T00:00:00Z"));
        }
        let sessions: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
        let ran: Vec<Ran> = thread::scope(|scope| {
            let one = |session: &String| {
                let (project, session) = (&project, session.clone());
                scope.spawn(move || acquire(project, &session, &["--lock-timeout", "100"]))
            };
            let running: Vec<_> = sessions.iter().map(one).collect();
            running.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let won: Vec<&Ran> = ran.iter().filter(|ran| ran.success()).collect();
        assert_eq!(won.len(), 1, "{ran:#?}");
        let lost = ran.iter().filter(|ran| ran.code == Some(4));
        assert!(lost.clone().all(|ran| ran.error_code() == "lease_held"));
        assert_eq!(lost.count(), 7, "{ran:#?}");
        assert_eq!(
            file(&project, &id)["owner"]["sessionId"],
            won[0].data()["leases"][0]["session"]
        );
        project.run(&["lease", "release"]).ok();
    }
    assert_eq!(fs::read_dir(project.goals(".locks")).unwrap().count(), 0);
}

#[test]
fn a_session_goes_on_under_a_new_process_and_the_old_one_cannot_release_it() {
    let (project, id) = Project::with_goal("x");
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let old = other.id().to_string();
    let lease = |act: &str, pid: &str| {
        project.run_as_agent(&["lease", act, "--session", "s", "--pid", pid, "--json"])
    };
    lease("acquire", &old).ok();
    lease("acquire", &alive()).ok();
    for act in ["renew", "release"] {
        assert_eq!(
            lease(act, &old).exits(4).error_code(),
            "lease_lost",
            "{act}"
        );
    }
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(file(&project, &id)["owner"]["pid"], own_pid());
    lease("renew", &alive()).ok();
    lease("release", &alive()).ok();
    assert_eq!(lease("renew", &alive()).exits(4).error_code(), "lease_lost");
}

#[test]
fn a_lease_ends_with_its_goal_and_can_still_be_released() {
    let (project, id) = Project::with_goal("x");
    acquire(&project, "s", &[]).ok();
    project.run(&["abort", "--reason", "r"]).ok();
    let pid = alive();
    for act in ["acquire", "renew"] {
        let args = [
            "lease",
            act,
            "--session",
            "s",
            "--pid",
            &pid,
            "--goal",
            &id,
            "--json",
        ];
        assert_eq!(
            project.run(&args).exits(5).error_code(),
            "goal_closed",
            "{act}"
        );
    }
    let release = ["lease", "release", "--session", "s", "--goal", &id];
    project.run_as_agent(&release).ok();
    assert!(!project.goals(&format!(".locks/{id}.lock")).exists());
}

#[test]
fn an_agent_leases_its_focused_goal_only_and_an_auditor_none() {
    let (project, first) = Project::with_goal("x");
    project.set("y");
    let pid = alive();
    let acquire = [
        "lease",
        "acquire",
        "--session",
        "s",
        "--pid",
        &pid,
        "--json",
    ];
    let named = project.run_as_agent(&[&acquire[..], &["--goal", &first]].concat());
    assert_eq!(named.exits(4).error_code(), "not_focused");
    project.run(&["unfocus"]).ok();
    let unfocused = project.run_as_agent(&acquire).exits(3);
    assert_eq!(unfocused.error_code(), "no_focus");
    for act in [
        &["acquire", "--pid", &pid][..],
        &["acquire", "--pid", &pid, "--take-over"],
        &["renew", "--pid", &pid],
        &["release"],
    ] {
        let args = [
            &["lease"],
            act,
            &["--session", "s", "--goal", &first, "--json"],
        ]
        .concat();
        let ran = project
            .call(&args)
            .env("GOAL_ACTOR", "auditor")
            .run()
            .exits(5);
        assert_eq!(ran.error_code(), "auditor_read_only", "{act:?}");
    }
    let list = project
        .call(&["lease", "list"])
        .env("GOAL_ACTOR", "auditor");
    assert_eq!(list.run().ok().stdout, "No leases.\n");
    assert!(!project.goals(".locks").exists());
}
