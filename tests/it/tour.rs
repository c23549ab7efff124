//! The tour: it goes from a goal to its completion past an objection, and leaves nothing behind.

use std::fs;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::support::Project;

/// A project, and a directory for temporary files in which nothing may stay.
fn project() -> (Project, Utf8PathBuf) {
    let project = Project::new();
    let temporary = project.aside.join("tmp");
    fs::create_dir(&temporary).unwrap();
    (project, temporary)
}

fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step[field].as_str().unwrap()
}

#[test]
fn the_tour_leads_past_an_objection_to_an_approval() {
    let (project, temporary) = project();
    // Whose call it is and where makes no difference.
    let ran = project
        .call(&["tour", "--json"])
        .env("TMPDIR", temporary.as_str())
        .env("GOAL_ACTOR", "agent")
        .env("CLAUDECODE", "1")
        .env("GOAL_AUDITOR", "/bin/false")
        .env("CLICOLOR_FORCE", "1")
        .run()
        .ok();
    let data = ran.data();
    assert_eq!(data["surprise"], Value::Null);
    let steps = data["steps"].as_array().unwrap();

    let ours = |step: &&Value| text(step, "command").starts_with("goal ");
    let name = |step: &Value| text(step, "command").split(' ').nth(1).unwrap().to_owned();
    let names: Vec<String> = steps.iter().filter(ours).map(name).collect();
    assert_eq!(
        names.join(" "),
        "init set set focus note pause resume list complete prompt complete summary verify"
    );

    let of = |name: &str| -> Vec<&Value> {
        let command = format!("goal {name}");
        steps
            .iter()
            .filter(|step| text(step, "command").starts_with(&command))
            .collect()
    };
    let [rejected, approved] = of("complete")[..] else {
        panic!("completion is asked for twice:\n{ran}");
    };
    assert_eq!(rejected["exitCode"], 6);
    assert_eq!(rejected["command"], approved["command"]);
    let objection = "1. CHANGELOG.md has no section for version 1.0.";
    assert!(text(rejected, "output").contains(objection));
    assert!(text(of("prompt")[0], "output").contains(objection));
    let rest = steps.iter().filter(|step| step["exitCode"] != 0).count();
    assert_eq!(rest, 1, "only the rejection fails:\n{ran}");
    for step in steps {
        assert!(!text(step, "output").contains('\u{1b}'), "{step}");
    }

    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0);
    assert!(project.tree().is_empty());
}

#[test]
fn the_tour_reads_as_text_in_a_pipe() {
    let (project, temporary) = project();
    let ran = project
        .call(&["tour"])
        .env("TMPDIR", temporary.as_str())
        .run()
        .ok();
    assert_eq!(ran.stderr, "");
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{fffd}'));
    assert_eq!(ran.stdout.matches("\n    $ ").count(), 17, "{ran}");
    assert!(ran.stdout.contains("    [exit code 6]\n"), "{ran}");
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0);
}

#[test]
fn a_tour_that_cannot_begin_says_why() {
    let (project, temporary) = project();
    let missing = temporary.join("missing");
    let ran = project
        .call(&["tour", "--json"])
        .env("TMPDIR", missing.as_str())
        .run()
        .exits(74);
    assert_eq!(ran.error_code(), "io");
    let error = &ran.json()["error"];
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains(missing.as_str()),
        "{ran}"
    );
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("temporary directory"),
        "{ran}"
    );
}
