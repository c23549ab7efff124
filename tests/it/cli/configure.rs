//! The user's configuration, changed by command.

use std::fs;
use std::process::Command;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::support::Project;

/// A script that can be called by its path. Another process writes it: where a test that forks has
/// the file open for writing, it could not be run.
fn executable(path: Utf8PathBuf, body: &str) -> Utf8PathBuf {
    let made = Command::new("/bin/sh")
        .args([
            "-c",
            "printf '%s\\n' '#!/bin/sh' \"$2\" > \"$1\"; chmod +x \"$1\"",
            "sh",
        ])
        .args([path.as_str(), body])
        .status();
    assert!(made.unwrap().success());
    path
}

fn file(project: &Project) -> String {
    fs::read_to_string(project.aside.join("home/config/goal/config.toml")).unwrap_or_default()
}

#[test]
fn a_key_is_set_and_comments_stay() {
    let project = Project::new();
    project
        .run(&["config", "set", "auditor.preset", "claude"])
        .ok();
    assert_snapshot!(file(&project), @r#"
    # Your own configuration of `goal`, for all your projects. It needs no trust, except in a file of a
    # project that it runs.
    # docs/configuration.md has every key; `goal config` shows what is in force.

    [auditor]
    preset = "claude"
    "#);
    project
        .run(&[
            "config",
            "set",
            "checks.unit.command",
            "--",
            "cargo",
            "test",
            "-q",
        ])
        .ok();
    project
        .run(&["config", "set", "auditor.timeout", "60"])
        .ok();
    assert_snapshot!(file(&project), @r#"
    # Your own configuration of `goal`, for all your projects. It needs no trust, except in a file of a
    # project that it runs.
    # docs/configuration.md has every key; `goal config` shows what is in force.

    [auditor]
    preset = "claude"
    timeout = 60

    [checks.unit]
    command = ["cargo", "test", "-q"]
    "#);
    let shown = project.run(&["config"]).ok().stdout;
    assert!(
        shown.contains("check    unit: \"cargo\" \"test\" \"-q\""),
        "{shown}"
    );
}

#[test]
fn what_the_configuration_does_not_have_changes_nothing() {
    let project = Project::new();
    for (args, why) in [
        (
            &["auditor.preset", "bert"][..],
            "`auditor.preset` cannot be set to `bert`",
        ),
        (&["auditor.timeout", "soon"], "a whole number"),
        (&["auditor.colour", "red"], "`auditor.colour`"),
        (&["auditor", "claude"], "`auditor` is no key"),
    ] {
        let ran = project.run(&[&["config", "set"], args].concat());
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(ran.stderr.contains(why), "{ran}");
    }
    assert_eq!(file(&project), "");
    let agent = project.call(&["config", "set", "auditor.preset", "pi"]);
    let refused = agent.env("GOAL_ACTOR", "agent").run();
    assert_eq!(refused.code, Some(5), "{refused}");
    fs::write(
        project.aside.join("home/config/goal/config.toml"),
        "[auditor\n",
    )
    .unwrap();
    let broken = project.run(&["config", "set", "auditor.preset", "pi"]);
    assert!(broken.stderr.contains("goal config edit"), "{broken}");
    assert_eq!(file(&project), "[auditor\n");
}

#[test]
fn an_auditor_that_can_judge_becomes_the_users() {
    let project = Project::new();
    let judge = executable(
        project.aside.join("judge"),
        "cat > /dev/null; echo; echo '<approved/>'",
    );
    let ran = project.run(&["init", "--auditor", judge.as_str()]).ok();
    assert!(ran.stdout.contains("it can judge"), "{ran}");
    assert!(
        file(&project).contains(&format!("command = [\"{judge}\"]")),
        "{}",
        file(&project)
    );
    assert!(!ran.stdout.contains("trust"), "{ran}");
    for options in [&["-q"][..], &["-q", "--auditor", judge.as_str()]] {
        let silent = project.run(&[&["init"], options].concat()).ok();
        assert_eq!((&*silent.stdout, &*silent.stderr), ("", ""), "{options:?}");
    }
    let mute = executable(
        project.aside.join("mute"),
        "cat > /dev/null; echo nothing; echo 'Reconnecting... 5/5' >&2; echo >&2",
    );
    let before = file(&project);
    let ran = project.run(&["init", "--auditor", mute.as_str()]);
    assert_eq!(ran.code, Some(6), "{ran}");
    // Why is mostly in what it says beside its answer, and that it can take long is said before.
    assert!(ran.stdout.contains("not set"), "{ran}");
    let said = ran.stdout.contains("  it said last: Reconnecting... 5/5\n");
    assert!(said, "{ran}");
    assert!(ran.stderr.contains("that can take minutes"), "{ran}");
    // The one from before is still there.
    let kept = "an auditor, configured by the user";
    assert!(ran.stdout.contains(kept), "{ran}");
    assert_eq!(file(&project), before);
}

#[test]
fn who_names_a_file_of_the_project_as_the_auditor_trusts_it_by_that() {
    let (project, _) = Project::with_goal("x");
    let judges = "cat > /dev/null; echo fine; echo '<approved/>'";
    executable(project.root.join("judge.sh"), judges);
    let ran = project.run(&["init", "--auditor", "./judge.sh"]).ok();
    assert!(ran.stdout.contains("which you trust by this"), "{ran}");
    let shown = project.run(&["--json", "trust", "--show"]).ok().json();
    assert_eq!(shown["data"]["standing"], "trusted", "{shown}");
    executable(project.root.join("judge.sh"), &format!("{judges} # anew"));
    let refused = project.run(&["complete", "--summary", "done"]);
    assert_eq!(refused.code, Some(6), "{refused}");
    assert!(refused.stderr.contains("judge.sh"), "{refused}");
    project.run(&["trust"]).ok();
    project.run(&["complete", "--summary", "done"]).ok();
}

#[test]
fn an_auditor_beside_what_is_not_trusted_waits_with_it() {
    for brought in [
        "[reviewer.risk]\ncommand = [\"./risk.sh\"]\n",
        "[gate]\nsigners = \".pi/goals/signers\"\n",
    ] {
        waits_with(brought);
    }
}

fn waits_with(brought: &str) {
    let project = Project::new();
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(project.goals("config.toml"), brought).unwrap();
    let eve =
        "eve ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n";
    fs::write(project.goals("signers"), eve).unwrap();
    for name in ["judge.sh", "risk.sh"] {
        executable(
            project.root.join(name),
            "cat > /dev/null; echo; echo '<approved/>'",
        );
    }
    let ran = project.run(&["init", "--auditor", "./judge.sh"]).ok();
    assert!(ran.stdout.contains("waits for your trust"), "{ran}");
    let shown = project.run(&["--json", "trust", "--show"]).ok().json();
    assert_eq!(shown["data"]["standing"], "unknown", "{shown}");
}

#[test]
fn the_projects_file_is_changed_where_that_is_said_and_a_key_is_taken_out_again() {
    let project = Project::new();
    let command = ["--", "cargo", "test"];
    let set = ["config", "set", "--project", "checks.unit.command"];
    let said = project.run(&[&set[..], &command].concat()).ok();
    assert!(said.stdout.contains(".pi/goals/config.toml"), "{said}");
    let file = project.goals("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("command = [\"cargo\", \"test\"]"), "{text}");
    assert!(!project.user_config().exists());
    project.run(&["config", "unset", "checks.unit"]).exits(2);
    project
        .run(&["config", "unset", "--project", "checks.unit"])
        .ok();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("unit"), "{text}");
    let again = ["config", "unset", "--project", "checks.unit"];
    project.run(&again).exits(2);
    // A clone must not choose with which of the user's keys they sign.
    let key = ["config", "set", "--project", "gate.key", "~/.ssh/id"];
    project.run(&key).exits(2);
    let agent = project
        .call(&["config", "unset", "auditor.preset"])
        .env("GOAL_ACTOR", "agent");
    agent.run().exits(5);
}

#[test]
fn a_command_line_in_one_text_is_refused_with_the_words_to_type() {
    let project = Project::new();
    for key in ["checks.unit.command", "runner.after"] {
        let ran = project.run(&["config", "set", key, "python3 test_calc.py"]);
        let ran = ran.exits(2);
        let hint = format!("goal config set {key} -- python3 test_calc.py");
        assert!(ran.stderr.contains(&hint), "{ran}");
    }
    let tool = project.root.join("my tool");
    fs::write(&tool, "").unwrap();
    project
        .run(&["config", "set", "checks.unit.command", tool.as_str()])
        .ok();
}
