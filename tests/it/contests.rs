//! Acts of writers that did not know of each other: what comes of each pair, and how the user settles
//! what does not go together.

use serde_json::{Value, json};

use crate::support::lines::tip;
use crate::support::{Project, auditor};

type Act = (&'static str, fn(&Project));

const TWEAK: Act = ("tweak", |p| {
    p.run(&["tweak", "--objective", "one way"]).ok();
});
const TWEAK_AGAIN: Act = ("another tweak", |p| {
    p.run(&["note", "first"]).ok();
    p.run(&["tweak", "--objective", "another way"]).ok();
});
const COMPLETE: Act = ("complete", |p| {
    p.run(&["complete", "--json"]).ok();
});
const COMPLETE_AGAIN: Act = ("another complete", |p| {
    p.run(&["note", "first"]).ok();
    p.run(&["complete", "--json"]).ok();
});
const ABORT: Act = ("abort", |p| {
    p.run(&["abort", "--reason", "r"]).ok();
});
const FAIL: Act = ("fail", |p| {
    p.run(&["fail", "--reason", "r"]).ok();
});
const PAUSE: Act = ("pause", |p| {
    p.run(&["pause", "--reason", "r"]).ok();
});
const BLOCK: Act = ("block", |p| {
    p.run(&["block", "--reason", "r"]).ok();
});
const PAUSE_AND_RESUME: Act = ("resume", |p| {
    p.run(&["pause", "--reason", "lunch"]).ok();
    p.run(&["resume", "--reason", "back"]).ok();
});
const RESUME_AFTER: Act = ("resume", |p| {
    p.run(&["pause", "--reason", "lunch"]).ok();
    p.run(&["note", "first"]).ok();
    p.run(&["resume", "--reason", "back"]).ok();
});
const TASK: Act = ("task", |p| {
    p.run(&["task", "add", "one"]).ok();
});
const TASK_AGAIN: Act = ("another task", |p| {
    p.run(&["note", "first"]).ok();
    p.run(&["task", "add", "two"]).ok();
});
const NOTE: Act = ("note", |p| {
    p.run(&["note", "n"]).ok();
});
const UNFOCUS: Act = ("unfocus", |p| {
    p.run(&["unfocus"]).ok();
});

/// Two acts, the contest that comes of them, if one does, and the status. The second act is the later
/// one by its clock.
const ROWS: &[(Act, Act, Option<&str>, &str)] = &[
    (TWEAK, TWEAK, None, "active"),
    (TWEAK, TWEAK_AGAIN, Some("contract"), "active"),
    (TWEAK, COMPLETE, Some("completion"), "blocked"),
    (COMPLETE, TWEAK, Some("completion"), "blocked"),
    (TWEAK, ABORT, None, "aborted"),
    (ABORT, TWEAK, None, "aborted"),
    (TWEAK, FAIL, None, "failed"),
    (TWEAK, PAUSE, None, "paused"),
    (TWEAK, TASK, None, "active"),
    (TWEAK, NOTE, None, "active"),
    (TWEAK, UNFOCUS, None, "active"),
    (COMPLETE, COMPLETE_AGAIN, None, "complete"),
    (COMPLETE, ABORT, Some("ending"), "complete"),
    (ABORT, COMPLETE_AGAIN, Some("ending"), "aborted"),
    (COMPLETE, FAIL, Some("ending"), "complete"),
    (COMPLETE, PAUSE, None, "complete"),
    (PAUSE, COMPLETE, None, "complete"),
    (BLOCK, COMPLETE, None, "complete"),
    (COMPLETE, TASK, Some("completion"), "blocked"),
    (TASK, COMPLETE, Some("completion"), "blocked"),
    (COMPLETE, NOTE, None, "complete"),
    (COMPLETE, UNFOCUS, None, "complete"),
    (ABORT, ABORT, None, "aborted"),
    (ABORT, FAIL, Some("ending"), "aborted"),
    (ABORT, PAUSE, None, "aborted"),
    (PAUSE, ABORT, None, "aborted"),
    (ABORT, TASK, None, "aborted"),
    (ABORT, NOTE, None, "aborted"),
    (PAUSE, BLOCK, None, "blocked"),
    (BLOCK, PAUSE, None, "paused"),
    (PAUSE, PAUSE_AND_RESUME, None, "paused"),
    (PAUSE_AND_RESUME, PAUSE, None, "paused"),
    (BLOCK, PAUSE_AND_RESUME, None, "blocked"),
    (PAUSE_AND_RESUME, RESUME_AFTER, None, "active"),
    (PAUSE, TASK, None, "paused"),
    (PAUSE, NOTE, None, "paused"),
    (TASK, TASK_AGAIN, None, "active"),
    (TASK, NOTE, None, "active"),
    (NOTE, UNFOCUS, None, "active"),
];

/// A project with a goal and an auditor that approves, in which these were done beside each other;
/// and the ledger in its other order.
fn beside(one: Act, other: Act) -> (Project, String, Vec<u8>) {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    let swapped = project.beside(one.1, |project| {
        // By a clock that is further on.
        project.run(&["note", "a while later"]).ok();
        other.1(project);
    });
    (project, id, swapped)
}

fn shown(project: &Project, id: &str) -> Value {
    project.run(&["show", id, "--json"]).ok().data()["goal"].clone()
}

/// What a goal is beyond its place on disk.
fn told(project: &Project, id: &str) -> [String; 4] {
    [
        &["show", id, "--json"][..],
        &["list", "--all", "--json"],
        &["summary"],
        &["verify", "--json"],
    ]
    .map(|args| project.run(args).stdout)
}

#[test]
fn every_pair_of_acts_comes_to_the_same_whoever_merged_it() {
    for (one, other, kind, status) in ROWS {
        let (project, id, swapped) = beside(*one, *other);
        let which = format!("{} beside {}", one.0, other.0);
        let goal = shown(&project, &id);
        assert_eq!(
            goal["contests"][0]["kind"].as_str(),
            *kind,
            "{which}: {goal:#}"
        );
        assert_eq!(goal["status"], *status, "{which}: {goal:#}");
        let completed = one.0.contains("complete") || other.0.contains("complete");
        if completed && goal["status"] != "aborted" {
            assert_eq!(goal["audited"], "gated", "{which}");
        }
        let expected = told(&project, &id);
        project.begin_again_from(swapped);
        assert_eq!(told(&project, &id), expected, "{which}");
        // One more act, and every line but the tip is covered.
        project.set("Another goal");
        let strict = project.run(&["verify", "--strict", "--json"]);
        assert_eq!(
            strict.stdout.matches("uncovered_line").count(),
            0,
            "{which}: {strict}"
        );
    }
}

fn choice(goal: &Value, act: &str) -> String {
    let choices = goal["contests"][0]["choices"].as_array().unwrap();
    let choice = choices.iter().find(|it| it["act"] == act).unwrap();
    choice["line"].as_str().unwrap().to_owned()
}

#[test]
fn the_user_takes_one_of_the_choices() {
    for (taken, status, objective) in [
        ("completion", "complete", "Port the parser"),
        ("contract", "active", "one way"),
    ] {
        let (project, id, _) = beside(COMPLETE, TWEAK);
        let line = choice(&shown(&project, &id), taken);
        for args in [&["complete", "--json"][..], &["resume", "--json"]] {
            assert_eq!(project.run(args).exits(4).error_code(), "contested");
        }
        project.run(&["note", "settles nothing"]).ok();
        let args = ["settle", &id, "--take", &line[..8], "--json"];
        project.run_as_agent(&args).exits(5);
        // Nobody agrees to lines that they have not read.
        let unseen = project.run(&args);
        assert_eq!(unseen.error_code(), "expect_required", "{unseen}");
        project.settle(&id, &["--take", &line[..8]]).ok();
        let goal = shown(&project, &id);
        assert_eq!(goal["contests"], Value::Null);
        assert_eq!(
            (&goal["status"], &goal["objective"]),
            (&json!(status), &json!(objective))
        );
        if taken == "completion" {
            assert_eq!(goal["audited"], "gated");
        } else {
            project.run(&["complete"]).ok();
            assert_eq!(shown(&project, &id)["audited"], "gated");
        }
        project.run(&["verify"]).ok();
    }
}

#[test]
fn the_users_next_word_settles_it_too() {
    let (project, id, _) = beside(COMPLETE, TWEAK);
    project.run(&["tweak", "--objective", "a third way"]).ok();
    let goal = shown(&project, &id);
    assert_eq!(goal["contests"], Value::Null);
    assert_eq!(
        (&goal["status"], &goal["objective"]),
        (&json!("active"), &json!("a third way"))
    );
    let (project, id, _) = beside(COMPLETE, TWEAK);
    project.run(&["abort", "--reason", "r"]).ok();
    let goal = shown(&project, &id);
    assert_eq!(
        (&goal["contests"], &goal["status"]),
        (&Value::Null, &json!("aborted"))
    );
}

#[test]
fn what_is_contested_is_said_everywhere() {
    let (project, id, _) = beside(COMPLETE, TWEAK);
    let said = project.run(&["settle", &id]).exits(2).stdout;
    // Ids depend on the version, since a line names it.
    let said: Vec<&str> = said
        .lines()
        .filter(|line| !line.contains("--take"))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    2 lines that contradict each other, by writers that did not know of each other; one of them can hold:
          6  goal_completed
               then the goal is complete
               Objective: Port the parser
          9  goal_tweaked  changed: objective
               then the goal is active
               Objective: one way

    To choose what holds:
    Line 6, of 2026-01-01T00:00:01.002Z:
    Line 9, of 2026-01-01T00:00:03.001Z:
    ");
    let listed = project.run(&["list"]).ok().stdout;
    assert!(
        listed.contains("blocked") && listed.contains("contested"),
        "{listed}"
    );
    let shows = |args: &[&str]| project.run(args).stdout.contains("contested");
    for args in [&["show", &id][..], &["status"], &["summary"], &["doctor"]] {
        assert!(shows(args), "{args:?}");
    }
}

#[test]
fn what_is_expected_names_one_contract() {
    let (project, id) = Project::with_goal("Port the parser");
    project.run(&["pause", "--reason", "r"]).ok();
    let base = project.ledger();
    let before = shown(&project, &id)["revision"]
        .as_str()
        .unwrap()
        .to_owned();
    // Another branch from before the pause changed the contract.
    let first = base
        .split_inclusive(|byte| *byte == b'\n')
        .next()
        .unwrap()
        .to_vec();
    project.begin_again_from(&first);
    project.run(&["tweak", "--objective", "delete it"]).ok();
    let tweak = project.ledger()[first.len()..].to_vec();
    project.begin_again_from([&first[..], &tweak, &base[first.len()..]].concat());
    let ran = project
        .run(&["note", "n", "--expect", &before, "--json"])
        .exits(4);
    assert_eq!(ran.error_code(), "stale");
}

#[test]
fn more_heads_than_a_line_names_are_joined_first() {
    let (project, id) = Project::with_goal("Port the parser");
    let base = tip(&project.ledger());
    for number in 0..600 {
        project.append_line(&format!(
            r#"{{"type":"goal_noted","goalId":"{id}","note":"n{number}","at":"2026-01-01T00:00:00.000Z","prev":"{base}"}}"#
        ));
    }
    project.run(&["note", "all of it"]).ok();
    let written: Vec<Value> = project.events().split_off(602);
    let named = written
        .iter()
        .map(|it| it["also"].as_array().map_or(0, Vec::len));
    assert_eq!(named.collect::<Vec<_>>(), [256, 256, 87]);
    assert_eq!(written[0]["type"], "ledger_joined");
    let said = project.run(&["verify", "--strict", "--json"]).stdout;
    assert!(
        !said.contains("uncovered_line") && !said.contains("broken_link"),
        "{said}"
    );
}

#[test]
fn settlements_beside_each_other_are_compared_like_what_they_took() {
    for (one, other, status) in [
        ("contract", "contract", Ok("active")),
        ("completion", "completion", Ok("complete")),
        ("completion", "contract", Err("completion")),
        ("contract", "completion", Err("completion")),
    ] {
        let (project, id, _) = beside(COMPLETE, TWEAK);
        let goal = shown(&project, &id);
        let [one_line, other_line] = [one, other].map(|act| choice(&goal, act));
        let settle = |project: &Project, line: &str| {
            project.settle(&id, &["--take", line]).ok();
        };
        let swapped = project.beside(
            |project| settle(project, &one_line),
            |project| {
                project.run(&["note", "a while later"]).ok();
                settle(project, &other_line);
            },
        );
        let expected = told(&project, &id);
        project.begin_again_from(swapped);
        assert_eq!(told(&project, &id), expected, "{one} beside {other}");
        let goal = shown(&project, &id);
        match status {
            Ok(status) => {
                assert_eq!(goal["contests"], Value::Null, "{one} beside {other}");
                assert_eq!(goal["status"], status, "{one} beside {other}");
            }
            Err(kind) => {
                assert_eq!(goal["contests"][0]["kind"], kind, "{one} beside {other}");
                settle(&project, &choice(&goal, "completion"));
                let goal = shown(&project, &id);
                assert_eq!(
                    (&goal["status"], &goal["audited"]),
                    (&json!("complete"), &json!("gated"))
                );
            }
        }
    }
}

#[test]
fn a_pause_outlives_a_settlement() {
    let (project, id, _) = beside(
        TWEAK,
        ("tweak and pause", |p| {
            (TWEAK_AGAIN.1)(p);
            (PAUSE.1)(p);
        }),
    );
    let line = shown(&project, &id)["contests"][0]["lines"][0]
        .as_str()
        .unwrap()
        .to_owned();
    project.beside(
        |project| {
            project.settle(&id, &["--take", &line]).ok();
        },
        |project| {
            project.run(&["note", "meanwhile"]).ok();
        },
    );
    let goal = shown(&project, &id);
    assert_eq!(
        (&goal["status"], &goal["contests"]),
        (&json!("paused"), &Value::Null)
    );
}
