//! `goal report` as a person uses it: the digest, Markdown, the page, the last look, and what is
//! refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::Project;

/// A project with a goal that waits for an answer and one that an auditor objected to twice before
/// it approved.
fn night() -> (Project, String) {
    let project = Project::new();
    project.auditor(
        "case \"$(cat)\" in *third*) echo 'It holds.'; echo '<approved/>';; \
         *) echo '`two servers share one count`: nothing changed'; echo '<disapproved/>';; esac",
    );
    let args = [
        "set",
        "Limit requests",
        "--title",
        "Rate limits",
        "--owner",
        "claude-1",
    ];
    let criteria = ["--criteria", "two servers share one count"];
    project.run(&[&args[..], &criteria].concat()).ok();
    for claim in ["first", "second"] {
        project.run(&["complete", "--summary", claim]).exits(6);
    }
    project
        .run(&["complete", "--summary", "third", "--evidence", "load.txt"])
        .ok();
    let waits = project.set("Migrate to UUIDv7");
    project
        .run_as_agent(&[
            "ask",
            "Delete </script><img src=x>?",
            "--suggest",
            "keep; rm -rf x",
        ])
        .ok();
    (project, waits)
}

#[test]
fn the_digest_says_what_waits_what_came_back_and_what_was_completed() {
    let (project, _) = night();
    let text = project.run(&["report"]).ok().stdout;
    assert!(text.lines().count() <= 25, "{text}");
    for part in [
        "1 thing waits for you\n  question      Migrate to UUIDv7",
        "2 of 3 audits objected",
        "\nObjections that came back\n  2×  Rate limits",
        "approved by ",
        ", after 2 objections",
        "1 completed, 2 created",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_document_is_the_same_for_the_same_ledger_and_time() {
    let (project, id) = night();
    let pinned = |args: &[&str]| {
        let call = project.call(args).env("GOAL_TEST", "1");
        call.env("GOAL_TEST_CLOCK", "2036-11-22T08:05:00Z")
            .run()
            .ok()
            .stdout
    };
    for args in [
        &["report", "--json"][..],
        &["report", "--html", "-"],
        &["report", "--all", "--md"],
    ] {
        assert_eq!(pinned(args), pinned(args), "{args:?}");
    }
    let document = project.run(&["report", "--json"]).ok().data();
    assert_eq!(document["schema"], "goal/report/1");
    assert_eq!(document["needs"][0]["goalId"], id.as_str());
    assert_eq!(document["needs"][0]["kind"], "question");
    assert_eq!(document["figures"]["objections"], 2);
    let goals = document["goals"].as_array().unwrap();
    assert_eq!(goals.len(), 2);
    assert_eq!(goals[0]["audits"].as_array().unwrap().len(), 3);
    assert_eq!(goals[0]["audits"][2]["evidence"][0], "load.txt");
    assert_eq!(goals[0]["audits"][0]["criteria"][0], 0);
    assert_eq!(goals[1]["standing"], "waiting");
    assert_eq!(document["objections"][0]["at"].as_array().unwrap().len(), 2);
    assert_eq!(document["owners"][0]["owner"], "claude-1");
    // Ten years later nothing of it lies in the window, but what is open is told of.
    let late = pinned(&["report", "--json"]);
    let late: serde_json::Value = serde_json::from_str(&late).unwrap();
    assert_eq!(late["data"]["goals"].as_array().unwrap().len(), 1);
    assert_eq!(late["data"]["leftOut"]["endedBefore"], 1);
}

#[test]
fn the_page_is_one_file_in_which_words_of_agents_do_nothing() {
    let (project, id) = night();
    let said = project.run(&["report", "--html", "night.html"]).ok().stdout;
    assert!(said.contains("night.html"), "{said}");
    let page = fs::read_to_string(project.root.join("night.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<img"));
    assert!(page.contains(&format!("id=\"g-{id}\"")));
    assert!(page.contains("--pick 1\">keep; rm -rf x</button>"));
    assert!(!page.contains("data-copy=\"goal answer keep"));
}

#[test]
fn only_a_page_of_its_own_is_replaced_unasked() {
    let (project, _) = night();
    let at = |name: &str| project.root.join(name);
    let report = ["report", "--html", "page.html"];
    project.run(&report).ok();
    project.run(&["note", "more"]).ok();
    project.run(&report).ok();
    let page = fs::read_to_string(at("page.html")).unwrap();
    for mine in [
        "# My notes\n",
        "",
        &page.replace("goal report", "my editor"),
    ] {
        fs::write(at("page.html"), mine).unwrap();
        let refused = project.run(&report).exits(2);
        assert!(refused.stderr.contains("`--force`"), "{refused}");
        assert_eq!(fs::read_to_string(at("page.html")).unwrap(), mine);
    }
    project.run(&[&report[..], &["--force"]].concat()).ok();
    assert!(fs::read_to_string(at("page.html")).unwrap().len() > 1000);
    project.run(&["report", "--force"]).exits(2);

    symlink(at("page.html"), at("link.html")).unwrap();
    symlink("/dev/null", at("null.html")).unwrap();
    let made = Command::new("mkfifo").arg(at("pipe.html")).status();
    assert!(made.unwrap().success());
    for name in ["link.html", "null.html", "pipe.html"] {
        let refused = project.run(&["report", "--html", name, "--force"]).exits(2);
        assert!(refused.stderr.contains("is a "), "{refused}");
        assert!(!fs::symlink_metadata(at(name)).unwrap().is_file());
    }
}

#[test]
fn a_report_is_about_one_goal_and_leaves_words_out_where_that_is_asked_for() {
    let (project, id) = night();
    let one = project
        .run(&["report", "--goal", &id, "--json"])
        .ok()
        .data();
    assert_eq!(one["goals"].as_array().unwrap().len(), 1);
    assert_eq!(one["figures"]["audits"], 0);
    for args in [
        &["report", "--redact", "--json"][..],
        &["report", "--redact", "--html", "-"],
    ] {
        let text = project.run(args).ok().stdout;
        for word in [
            "Migrate",
            "Rate limits",
            "two servers",
            "Delete",
            "claude-1",
            "load.txt",
            "rm -rf",
        ] {
            assert!(!text.contains(word), "{word}");
        }
        assert!(!text.contains(project.root.as_str()), "{text}");
        assert!(text.contains("goal 1"));
    }
}

#[test]
fn the_last_look_moves_only_where_it_is_said() {
    let (project, _) = night();
    let since = |args: &[&str]| {
        let data = project.run(args).ok().data();
        data["window"]["beginning"].as_str().unwrap().to_owned()
    };
    let last = ["report", "--since", "last", "--json"];
    assert_eq!(since(&last), "all", "nobody has looked yet");
    assert_eq!(since(&last), "all", "to look by --json is no look");
    assert_eq!(since(&[&last[..], &["--mark"]].concat()), "all");
    assert_eq!(since(&last), "last");
    assert_eq!(since(&["report", "--since", "8h", "--json"]), "time");
}

#[test]
fn a_page_goes_nowhere_among_the_files_of_the_ledger() {
    let (project, _) = night();
    let ledger = project.ledger();
    for file in [
        ".pi/goals/goal_events.jsonl",
        ".pi/goals/page.html",
        ".pi/goals",
    ] {
        let ran = project.run(&["report", "--html", file]);
        assert_eq!(ran.code, Some(2), "{file}: {ran}");
    }
    let ran = project.run(&["report", "--html", "missing/page.html"]);
    let said = ran.exits(2).stderr;
    assert!(
        said.contains("`missing/page.html` cannot be written"),
        "{said}"
    );
    assert_eq!(project.ledger(), ledger);
    for args in [
        &["report", "--since", "tomorrow"][..],
        &["report", "--all", "--since", "8h"],
    ] {
        project.run(args).exits(2);
    }
}
