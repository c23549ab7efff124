//! Who audits for an agent is who audits for the user: an environment of the agent's own making
//! chooses neither the auditor's program nor the user's configuration.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::support::project::Call;
use crate::support::{Project, auditor};

/// What a judge says that answers so.
fn script(name: &str, marker: &str) -> String {
    format!("#!/bin/sh\ncat >/dev/null\necho Judged by {name}.\necho '<{marker}/>'\n")
}

/// A directory beside the project with a `claude` that answers so.
fn programs(project: &Project, name: &str, marker: &str) -> Utf8PathBuf {
    project.program(name, "claude", &script(name, marker))
}

/// The `PATH` with a directory in front of it.
fn with(directory: &Utf8PathBuf) -> String {
    format!("{directory}:{}", std::env::var("PATH").unwrap())
}

/// A project with a goal and the user's own auditor, `claude`, which disapproves; where it lies.
fn with_preset() -> (Project, String, Utf8PathBuf) {
    let project = Project::new();
    let real = programs(&project, "real", "disapproved");
    project.configure("[auditor]\npreset = \"claude\"\n");
    let set = project.call(&["set", "Ship the feature"]);
    set.env("PATH", &with(&real)).run().ok();
    let id = project.events()[0]["goalId"].as_str().unwrap().to_owned();
    (project, id, real)
}

const COMPLETE: [&str; 4] = ["complete", "--summary", "done", "--json"];

fn as_agent<'a>(project: &'a Project, args: &[&str]) -> Call<'a> {
    project.call(args).env("GOAL_ACTOR", "agent")
}

/// The report of a call that was refused since it would have asked somebody else.
fn refused(call: Call<'_>) -> String {
    refused_for("auditor_changed", call)
}

fn refused_for(cause: &str, call: Call<'_>) -> String {
    let data = call.run().exits(6).data();
    assert_eq!(data["cause"], cause, "{data}");
    let report = data["report"].as_str().unwrap().to_owned();
    assert!(report.contains("`goal trust`"), "{report}");
    report
}

/// Refuses a call with another key than that of the user who agreed to the contract.
fn unproven(call: Call<'_>) {
    let ran = call.run().exits(5);
    assert_eq!(ran.error_code(), "contract_unproven");
}

/// The report of the auditor that was asked.
fn judged(call: Call<'_>) -> String {
    let data = call.run().json()["data"].clone();
    assert_eq!(data["cause"], Value::Null, "{data}");
    data["report"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_s_path_leads_to_no_other_auditor() {
    let (project, id, real) = with_preset();
    let evil = programs(&project, "evil", "approved");
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&evil));
    assert_eq!(judged(call()), "Judged by real.");
    // Nor does an agent that says so in the user's name, as far as its mark shows.
    let marked = || project.call(&COMPLETE).env("CLAUDECODE", "1");
    assert_eq!(
        judged(marked().env("PATH", &with(&evil))),
        "Judged by real."
    );
    let accept = as_agent(&project, &["trust"]).env("PATH", &with(&evil));
    accept.run().exits(5);
    // Where the user's own is gone, no other is taken.
    fs::rename(real.join("claude"), real.join("away")).unwrap();
    let data = call().run().exits(6).data();
    assert_eq!(data["cause"], "auditor_missing", "{data}");
    fs::rename(real.join("away"), real.join("claude")).unwrap();
    // The user accepts the other one.
    let shown = project.call(&["trust", "--show"]).env("PATH", &with(&evil));
    let shown = shown.run().ok().stdout;
    for path in [real.join("claude"), evil.join("claude")] {
        assert!(shown.contains(path.as_str()), "{shown}");
    }
    assert_eq!(judged(call()), "Judged by real.");
    let accept = project.call(&["trust"]).env("PATH", &with(&evil));
    accept.run().ok();
    assert_eq!(judged(call()), "Judged by evil.");
    assert_eq!(project.status(&id), "complete");
}

/// Where nothing else differed, what the user sets is theirs.
#[test]
fn an_auditor_that_the_user_sets_is_taken_over() {
    let (project, _, real) = with_preset();
    let set = ["config", "set", "auditor.model", "opus"];
    project.call(&set).env("PATH", &with(&real)).run().ok();
    let call = as_agent(&project, &COMPLETE).env("PATH", &with(&real));
    assert_eq!(judged(call), "Judged by real.");
}

/// A wrapper finds what it calls on the user's `PATH`, and nothing makes its interpreter run
/// something else first.
#[test]
fn an_agent_s_environment_steers_no_wrapper() {
    let project = Project::new();
    let real = programs(&project, "real", "disapproved");
    let evil = programs(&project, "evil", "approved");
    let text = "#!/bin/bash\nclaude\n";
    let wrapper = project.program("own", "judge.sh", text).join("judge.sh");
    project.configure(&format!("[auditor]\ncommand = [\"{wrapper}\"]\n"));
    let set = project.call(&["set", "x"]).env("PATH", &with(&real));
    set.run().ok();
    let first = project.script("first", "echo '<approved/>'; exit 0");
    let call = as_agent(&project, &COMPLETE).env("PATH", &with(&evil));
    assert_eq!(
        judged(call.env("BASH_ENV", first.as_str())),
        "Judged by real."
    );
    // Its text is the user's too.
    fs::write(&wrapper, "#!/bin/sh\necho '<approved/>'\n").unwrap();
    let report = refused(as_agent(&project, &COMPLETE).env("PATH", &with(&real)));
    assert!(report.contains(wrapper.as_str()), "{report}");
}

#[test]
fn an_auditor_that_an_agent_wrote_into_the_configuration_judges_nothing() {
    let (project, id, real) = with_preset();
    project.edit_configuration("[auditor]\ncommand = [\"/bin/echo\", \"<approved/>\"]\n");
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&real));
    let report = refused(call());
    assert!(
        report.contains("/bin/echo") && report.contains("claude"),
        "{report}"
    );
    // Nor does the user's next call adopt it in silence.
    let next = project.call(&["set", "another"]).env("PATH", &with(&real));
    let next = next.run().ok();
    assert!(next.stderr.contains("/bin/echo"), "{next}");
    project.run(&["focus", &id]).ok();
    refused(call());
    // Nor a call that sets something else about it.
    let set = ["config", "set", "auditor.timeout", "60"];
    project.call(&set).env("PATH", &with(&real)).run().ok();
    refused(call());
    let elsewhere = project.aside.join("elsewhere");
    fs::create_dir_all(elsewhere.join(".pi/goals")).unwrap();
    let other = project.call(&["set", "x"]).env("PATH", &with(&real));
    let other = other.cwd(&elsewhere).run().ok();
    assert!(other.stderr.contains("/bin/echo"), "{other}");
    refused(call().cwd(&elsewhere));
    project
        .call(&["trust"])
        .env("PATH", &with(&real))
        .run()
        .ok();
    assert_eq!(call().run().ok().data()["verdict"], "approved");
}

#[test]
fn variables_that_lead_an_auditor_elsewhere_are_the_user_s() {
    let (project, _, real) = with_preset();
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&real));
    for name in [
        "ANTHROPIC_BASE_URL",
        "https_proxy",
        "CODEX_HOME",
        "NODE_EXTRA_CA_CERTS",
    ] {
        let report = refused(call().env(name, "evil"));
        assert!(
            report.contains(name) && !report.contains("evil"),
            "{report}"
        );
    }
    // What the user had set is set for the judge too.
    let says = "#!/bin/sh\ncat >/dev/null\necho By $ANTHROPIC_BASE_URL.\necho '<disapproved/>'\n";
    project.program("real", "claude", says);
    let own = |args| {
        let own = project.call(args).env("PATH", &with(&real));
        own.env("ANTHROPIC_BASE_URL", "ours").run()
    };
    let told = own(&["set", "x"]).ok().stderr;
    assert!(told.contains("ANTHROPIC_BASE_URL"), "{told}");
    assert_eq!(judged(call()), "By .");
    own(&["trust"]).ok();
    assert_eq!(judged(call()), "By ours.");
    assert_eq!(judged(call().env("ANTHROPIC_BASE_URL", "ours")), "By ours.");
}

#[test]
fn a_directory_of_the_project_in_the_path_is_told_and_not_taken_over() {
    let (project, _, real) = with_preset();
    let says = "#!/bin/sh\ncat >/dev/null\nhelper\necho '<disapproved/>'\n";
    project.program("real", "claude", says);
    let put = |directory: &str, name: &str| {
        let says = format!("#!/bin/sh\necho By {name}.\n");
        project.program(directory, "helper", &says)
    };
    let ours = put("ours", "ours");
    let further = put(project.root.join("bin").as_str(), "further");
    let path = |first: &Utf8PathBuf| format!("{first}:{}", with(&real));
    let call = |args, first| project.call(args).env("PATH", &path(first));
    call(&["trust"], &ours).run().ok();
    let judged = || judged(as_agent(&project, &COMPLETE).env("PATH", &with(&real)));
    assert_eq!(judged(), "By ours.");
    for args in [&["set", "y"][..], &["complete"]] {
        let told = call(args, &further).run().stderr;
        assert!(told.contains(further.as_str()), "{args:?}: {told}");
        project.run(&["focus", "--none"]).ok();
        project.run(&["focus", "Ship the feature"]).ok();
        assert_eq!(judged(), "By ours.", "{args:?}");
    }
    call(&["trust"], &further).run().ok();
    assert_eq!(judged(), "By further.");
}

#[test]
fn another_program_of_a_check_is_said_and_is_no_evidence() {
    let project = Project::new();
    let judge = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{judge}\"]\n[checks.tests]\ncommand = [\"runner\"]\n"
    ));
    let put = |name: &str, text: &str| project.program(name, "runner", text);
    let (real, evil) = (
        put("real", "#!/bin/sh\nexit 1\n"),
        put("evil", "#!/bin/sh\nexit 0\n"),
    );
    let set = project.call(&["set", "x", "--check", "tests"]);
    set.env("PATH", &with(&real)).run().ok();
    let agent =
        |args: &[&str], path: &Utf8PathBuf| as_agent(&project, args).env("PATH", &with(path)).run();
    // It is run where nothing is decided by it, and what ran is said and on record.
    let ran = agent(&["check", "--json"], &evil).ok().data();
    let message = ran["checks"][0]["message"].as_str().unwrap();
    let evil_runner = evil.join("runner");
    for path in [&real.join("runner"), &evil_runner] {
        assert!(message.contains(path.as_str()), "{message}");
    }
    let run = project.events_of_type("check_run").pop().unwrap();
    let digest = |path: &Utf8PathBuf| blake3::hash(&fs::read(path).unwrap()).to_hex().to_string();
    assert_eq!(run["programs"][evil_runner.as_str()], digest(&evil_runner));
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&evil));
    let report = refused_for("auditor_untrusted", call());
    assert!(report.contains("check `tests`: `runner` is"), "{report}");
    assert_eq!(project.started(), 0);
    let own = agent(&COMPLETE, &real).exits(6).data();
    assert_eq!(own["cause"], "check_failed");
    // The user accepts it.
    let shown = project.call(&["trust", "--show"]).env("PATH", &with(&evil));
    let shown = shown.run().ok().stdout;
    assert!(shown.contains(evil_runner.as_str()), "{shown}");
    let accept = project.call(&["trust"]).env("PATH", &with(&evil));
    accept.run().ok();
    judged(call());
    let started = project.events_of_type("audit_started").pop().unwrap();
    assert_eq!(
        started["checkPrograms"][evil_runner.as_str()],
        digest(&evil_runner)
    );
}

#[test]
fn two_checks_may_have_programs_of_one_name_in_two_places() {
    let project = Project::new();
    let judge = project.script("auditor", auditor::APPROVE);
    let put = |name: &str| project.program(name, "runner", "#!/bin/sh\nexit 0\n");
    let (one, two) = (put("one"), put("two"));
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{judge}\"]\n\
         [checks.a]\ncommand = [\"{one}/runner\"]\n\
         [checks.b]\ncommand = [\"runner\"]\n"
    ));
    let set = project.call(&["set", "x", "--check", "a", "--check", "b"]);
    set.env("PATH", &with(&two)).run().ok();
    judged(as_agent(&project, &COMPLETE).env("PATH", &with(&two)));
}

#[test]
fn no_call_of_the_user_but_trust_takes_another_auditor_over_unasked() {
    let (project, id, _) = with_preset();
    let moved = programs(&project, "moved", "disapproved");
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&moved));
    for args in [
        &["auditor", "test"][..],
        &["config"],
        &["complete"],
        &["set", "another"],
    ] {
        let used = project.call(args).env("PATH", &with(&moved)).run();
        assert!(matches!(used.code, Some(0 | 6)), "{args:?}: {used}");
        project.run(&["focus", &id]).ok();
        assert_eq!(judged(call()), "Judged by real.", "{args:?}");
    }
    project
        .call(&["trust"])
        .env("PATH", &with(&moved))
        .run()
        .ok();
    assert_eq!(judged(call()), "Judged by moved.");
}

#[test]
fn a_configuration_of_an_agent_s_own_is_not_the_user_s() {
    let (project, _, real) = with_preset();
    let evil = project.aside.join("evil");
    let script = project.script("approve", auditor::APPROVE);
    fs::create_dir_all(evil.join("goal")).unwrap();
    let own = format!("[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    fs::write(evil.join("goal/config.toml"), &own).unwrap();
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&real));
    let report = refused(call().env("XDG_CONFIG_HOME", evil.as_str()));
    for path in [evil.join("goal/config.toml"), project.user_config()] {
        assert!(report.contains(path.as_str()), "{report}");
    }
    // With a state directory of its own nothing is known, but the ledger shows the user's key.
    let both = || call().env("XDG_STATE_HOME", evil.as_str());
    unproven(both().env("XDG_CONFIG_HOME", evil.as_str()));
    // So it stays after a line with a key of that directory.
    let note = as_agent(&project, &["note", "n"]);
    note.env("XDG_STATE_HOME", evil.as_str()).run().ok();
    let ran = both().env("XDG_CONFIG_HOME", evil.as_str()).run();
    assert_eq!(ran.exits(5).error_code(), "history_unproven");
    assert!(project.events_of_type("audit_started").is_empty());
    assert_eq!(project.started(), 0);
    assert_eq!(judged(call()), "Judged by real.");
}

#[test]
fn another_home_is_not_the_user_s() {
    let project = Project::new();
    let home = project.aside.join("home");
    let script = project.script("auditor", auditor::DISAPPROVE);
    let configure = |home: &Utf8PathBuf, script: &Utf8PathBuf| {
        fs::create_dir_all(home.join(".config/goal")).unwrap();
        let own = format!("[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
        fs::write(home.join(".config/goal/config.toml"), own).unwrap();
    };
    let call = |args: &[&str], home: &Utf8PathBuf| {
        let call = project.call(args).without("XDG_CONFIG_HOME");
        let call = call.without("XDG_STATE_HOME").without("XDG_CACHE_HOME");
        call.env("HOME", home.as_str())
    };
    configure(&home, &script);
    call(&["set", "x"], &home).run().ok();
    let evil = project.aside.join("evil");
    configure(&evil, &project.script("approve", auditor::APPROVE));
    unproven(call(&COMPLETE, &evil).env("GOAL_ACTOR", "agent"));
    assert_eq!(project.started(), 0);
    let own = call(&COMPLETE, &home).env("GOAL_ACTOR", "agent");
    assert_eq!(judged(own), "No test covers it.");
}

#[test]
fn where_nobody_ever_used_it_agents_can_work() {
    let project = Project::new();
    let here = programs(&project, "here", "approved");
    project.configure("[auditor]\npreset = \"claude\"\n");
    // A machine on which only agents work: what the user said came through one.
    let call = |args: &[&str]| {
        let call = project.call(args).env("CLAUDECODE", "1");
        call.env("PATH", &with(&here))
    };
    call(&["set", "x"]).run().ok();
    assert!(!project.state().join("uses").exists());
    let done = call(&COMPLETE).env("GOAL_ACTOR", "agent");
    assert_eq!(judged(done), "Judged by here.");
}

#[test]
fn a_note_that_somebody_removed_is_not_a_first_use() {
    let (project, id, real) = with_preset();
    let evil = programs(&project, "evil", "approved");
    let trust = || {
        project
            .call(&["trust"])
            .env("PATH", &with(&real))
            .run()
            .ok()
    };
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&evil));
    fs::remove_dir_all(project.state().join("uses")).unwrap();
    let report = refused(call());
    assert!(report.contains("noted here any more"), "{report}");
    trust();
    for name in ["uses", "accepted"] {
        fs::remove_dir_all(project.state().join(name)).unwrap();
    }
    let ran = call().run().exits(5);
    assert_eq!(ran.error_code(), "history_unproven");
    trust();
    let own = as_agent(&project, &COMPLETE).env("PATH", &with(&real));
    assert_eq!(judged(own), "Judged by real.");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn every_call_that_creates_a_goal_notes_the_use() {
    for args in [
        &["set", "x"][..],
        &["delegate", "part of it", "--to", "ann"],
        &["import", "--as", "goals", "plan.md"],
    ] {
        let (project, _, _) = with_preset();
        fs::write(project.root.join("plan.md"), "# Plan\n\n- [ ] one\n").unwrap();
        fs::remove_dir_all(project.state().join("uses")).unwrap();
        project.run(args).ok();
        assert!(project.state().join("uses").exists(), "{args:?}");
    }
}

/// A note in a state directory of an agent's own does not help it: the key there is another one.
#[test]
fn a_note_in_a_home_of_an_agent_s_own_counts_nowhere() {
    let (project, id, real) = with_preset();
    let evil = project.aside.join("evil");
    fs::create_dir_all(evil.join("goal/uses")).unwrap();
    let latest = fs::read_to_string(project.state().join("uses/latest.json")).unwrap();
    let other = programs(&project, "other", "approved");
    let forged = latest.replace(real.as_str(), other.as_str());
    assert_ne!(forged, latest);
    fs::write(evil.join("goal/uses/latest.json"), forged).unwrap();
    let call = as_agent(&project, &COMPLETE).env("XDG_STATE_HOME", evil.as_str());
    unproven(call.env("PATH", &with(&other)));
    assert_eq!(project.status(&id), "active");
    project.run(&["verify"]).ok();
}

#[test]
fn a_container_says_once_that_its_auditor_is_the_user_s() {
    let (project, id, _) = with_preset();
    let here = programs(&project, "here", "approved");
    // Another machine: the ledger was sealed elsewhere.
    fs::remove_dir_all(project.state()).unwrap();
    fs::create_dir_all(project.state()).unwrap();
    let own = project.state().join("key");
    fs::write(&own, [9; 32]).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
    let call = || as_agent(&project, &COMPLETE).env("PATH", &with(&here));
    unproven(call());
    // What its setup does: the user's key in the project, and the rest in any directory.
    let user = project.events()[0]["seal"].as_str().unwrap()[..64].to_owned();
    let accept = ["trust", "--accept-key", &user, "--as", "laptop"];
    project.run(&accept).ok();
    refused(call());
    let setup = project.aside.join("anywhere");
    fs::create_dir_all(setup.join(".pi/goals")).unwrap();
    let trust = project
        .call(&["trust"])
        .env("PATH", &with(&here))
        .cwd(&setup);
    trust.run().ok();
    assert_eq!(judged(call()), "Judged by here.");
    assert_eq!(project.status(&id), "complete");
}
