//! The user's configuration, changed by command.

use std::fs;
use std::process::Command;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::support::Project;

/// A script that can be called by its path. Another process writes it: where a test that forks has
/// the file open for writing, it could not be run.
fn executable(project: &Project, name: &str, body: &str) -> Utf8PathBuf {
    let path = project.aside.join(name);
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
    # Your own configuration of `goal`, for all your projects. It needs no trust.
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
    # Your own configuration of `goal`, for all your projects. It needs no trust.
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
        &project,
        "judge",
        "cat > /dev/null; echo; echo '<approved/>'",
    );
    let ran = project.run(&["init", "--auditor", judge.as_str()]).ok();
    assert!(ran.stdout.contains("it can judge"), "{ran}");
    assert!(
        file(&project).contains(&format!("command = [\"{judge}\"]")),
        "{}",
        file(&project)
    );
    let mute = executable(&project, "mute", "cat > /dev/null; echo nothing");
    let before = file(&project);
    let ran = project.run(&["init", "--auditor", mute.as_str()]);
    assert_eq!(ran.code, Some(6), "{ran}");
    assert!(ran.stdout.contains("not set"), "{ran}");
    assert_eq!(file(&project), before);
}
