//! What there is to configure: `goal config` shows all of it.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::support::Project;

#[test]
fn all_that_is_configured_is_shown() {
    let project = Project::new();
    project.configure(
        "[auditor]\ncommand = [\"user's\"]\nmodel = \"m\"\ntimeout = 60\n\
         [summarizer]\ncommand = [\"sum\", \"a b\"]\n[reviewer.risk]\ncommand = [\"risk\"]\n\
         [runner]\nautoContinue = true\nemptyIterations = 9\n[owners]\nslots = 8\n\
         [tasks]\nmaxOpen = 9\nmaxDepth = 3\n[context]\nsummaryTokens = 900\n",
    );
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(
        project.goals("config.toml"),
        "[runner]\nenabled = false\nautoContinue = false\npauseBetweenCheckpoints = 0\n\
         [runner.agent]\ncommand = [\"work\"]\n[evaluator]\ncommand = [\"judge\"]\ntimeout = 9\n\
         [tools.train]\ncommand = [\"t\"]\nparameters = [\"a\", \"b\"]\nmaxResult = 99\n\
         [checks.lint]\ncommand = [\"npm\"]\ncwd = \"web\"\nexit_status = 3\nstdout_matches = \"^0\"\n\
         [tasks]\nmaxDepth = 4\n[progress]\nabandon = \"auto\"\nevaluateEvery = 5\n\
         [baseline]\ncheck = \"lint\"\n",
    )
    .unwrap();
    assert_snapshot!(project.run(&["config"]).ok(), @r#"
    root     $ROOT  (the nearest directory with .pi/goals)
    actor    user
    project  $ROOT/.pi/goals/config.toml
    user     $ASIDE/home/config/goal/config.toml
    auditor  "user's"; model m  (user), at most 60 s  (user)
    reviewer risk: "risk"  (user), at most 600 s  (default)
    evaluator: "judge"  (project), at most 9 s  (project)
    summarizer: "sum" "a b"  (user), at most 600 s  (default)
    runner's agent: "work"  (project), at most 1800 s  (default)
    tool     train: "t"  (project), at most 1800 s  (default), takes a, b, result at most 99 bytes
    check    lint: "npm", exit status 3, stdout matches `^0`  (project), at most 600 s  (default)
    context  summaryTokens = 900  (user)
    tasks    maxDepth = 4  (project)
    tasks    maxOpen = 9  (user)
    runner   enabled = false  (project)
    runner   autoContinue = true  (user)
    runner   pauseBetweenCheckpoints = 0  (project)
    runner   emptyIterations = 9  (user)
    progress abandon = auto  (project)
    progress evaluateEvery = 5  (project)
    baseline check = lint  (project)
    owners   slots = 8  (user)
    trust    NOT trusted: the project's commands run only after `goal trust` (user only)
    "#);
    let data = project.run(&["config", "--json"]).ok().data();
    let project_s =
        |field: &str, value: serde_json::Value| json!({ field: value, "source": "project" });
    let agent = json!({
        "preset": null, "command": ["work"], "provider": null, "model": null, "thinking": null,
        "source": "project", "timeout": { "seconds": 1800, "source": "default" },
    });
    for (found, wanted) in [
        (&data["agent"], agent),
        (&data["planner"], json!(null)),
        (&data["reviewers"]["risk"]["source"], json!("user")),
        (
            &data["evaluator"]["timeout"],
            project_s("seconds", json!(9)),
        ),
        (&data["auditor"]["model"], json!("m")),
        (&data["tools"][0]["maxResult"], project_s("most", json!(99))),
        (&data["checks"][0]["exitStatus"], json!(3)),
        (&data["checks"][0]["cwd"], json!("web")),
        (&data["runner"]["enabled"], project_s("value", json!(false))),
        (
            &data["runner"]["pauseBetweenCheckpoints"],
            project_s("seconds", json!(0)),
        ),
        (
            &data["summaryTokens"],
            json!({ "most": 900, "source": "user" }),
        ),
        (&data["slots"], json!({ "most": 8, "source": "user" })),
        (&data["tasks"]["maxDepth"], project_s("value", json!(4))),
        (&data["abandon"], project_s("value", json!("auto"))),
        (&data["evaluateEvery"], project_s("value", json!(5))),
        (&data["baseline"], project_s("check", json!("lint"))),
    ] {
        assert_eq!(*found, wanted);
    }
}

/// What the filter takes for a secret is the user's to allow, not the project's.
#[test]
fn a_text_that_the_user_allows_is_no_secret() {
    let project = Project::new();
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let objective = format!("show {token} in the manual");
    let allow = format!("[redact]\nallow = [\"{token}\"]\n");
    let refused = || {
        let refused = project.run(&["set", &objective, "--json"]).exits(5);
        assert_eq!(refused.error_code(), "secret");
        assert!(
            refused
                .stdout
                .contains("`ghp_…` (40 characters) as github_token"),
            "{refused}"
        );
        assert!(refused.stdout.contains("`[redact]`"), "{refused}");
        assert!(!refused.stdout.contains(&token), "{refused}");
    };
    refused();
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(project.goals("config.toml"), &allow).unwrap();
    refused();
    project.configure(&allow.replace("ghp_", "ghp_x"));
    refused();
    project.configure(&allow);
    project.run(&["set", &objective]).ok();
    let longer = format!("{token} and {token}x");
    project.run(&["note", &longer]).ok();
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(ledger.contains(&objective), "{ledger}");
    let note = format!("{token} and [redacted:github_token]");
    assert!(ledger.contains(&note), "{ledger}");
}

#[test]
fn a_contract_may_name_an_image_and_a_local_database() {
    let project = Project::new();
    let image = format!(
        "docker://alpine:3.20@sha256:{}",
        "0123456789abcdef".repeat(4)
    );
    let objective = format!("pin {image}; test with postgres://postgres:postgres@localhost/test");
    project.run(&["set", &objective]).ok();
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(ledger.contains(&objective), "{ledger}");
}
