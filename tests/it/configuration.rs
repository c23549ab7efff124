//! What there is to configure: `goal config` shows all of it, and the tables of the page about it
//! are made from those of the code (`UPDATE_CONFIGURATION_PAGE=1` writes them anew).

use std::fs;

use goal_ledger::internals::workspace::config::page::tables;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::Project;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");

/// The page with this table in the place of the first one below the heading.
fn with(page: &str, heading: &str, table: &str) -> String {
    let heading = format!("\n## {heading}\n");
    let below = page.find(&heading).expect(&heading) + heading.len();
    let start = below + page[below..].find("\n| ").expect(&heading) + 1;
    let end = page[start..]
        .find("\n\n")
        .map_or(page.len(), |end| start + end + 1);
    format!("{}{table}{}", &page[..start], &page[end..])
}

#[test]
fn the_tables_of_the_page_are_those_of_the_code() {
    let page = fs::read_to_string(PAGE).unwrap();
    let made = tables()
        .iter()
        .fold(page.clone(), |page, (heading, table)| {
            with(&page, heading, table)
        });
    if std::env::var_os("UPDATE_CONFIGURATION_PAGE").is_some() {
        fs::write(PAGE, &made).unwrap();
        return;
    }
    assert!(
        page == made,
        "docs/configuration.md is out of date: UPDATE_CONFIGURATION_PAGE=1 cargo test --test it \
         configuration"
    );
}

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
    trust    NOT trusted: the project's commands run only after `goal trust` (the user's to run)
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
