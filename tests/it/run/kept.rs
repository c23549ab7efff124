//! What a run leaves behind for people: every turn with its prompt and output, and `goal runs`.

use std::fs;

use super::{DONE, configure, with_agent};
use crate::support::Project;
use crate::support::lines::event_id;

fn file(project: &Project, run: &str, name: &str) -> String {
    let path = project.home(&format!("runs/{run}/{name}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn run_id(project: &Project) -> String {
    let started = project.events_of_type("run_started").pop().unwrap();
    started["runId"].as_str().unwrap().to_owned()
}

#[test]
fn every_turn_is_kept_and_git_ignores_it() {
    let (project, _) = with_agent(&format!(
        "echo UNIQUE-STDERR-78 >&2; work; if [ $(wc -l <work) = 1 ]; then
           echo UNIQUE-FINAL-MESSAGE-77; exit 3; fi; {DONE}"
    ));
    project.git(&["init", "--quiet"]);
    project.run(&["run"]).ok();
    let run = run_id(&project);
    assert_eq!(
        file(&project, &run, "1/stdout.txt"),
        "UNIQUE-FINAL-MESSAGE-77\n"
    );
    assert_eq!(file(&project, &run, "1/stderr.txt"), "UNIQUE-STDERR-78\n");
    assert!(file(&project, &run, "1/prompt.md").contains("for one turn"));
    let record = |turn: u32| -> serde_json::Value {
        serde_json::from_str(&file(&project, &run, &format!("{turn}/turn.json"))).unwrap()
    };
    assert_eq!(record(1)["ending"], "exit status 3");
    assert_eq!(record(2)["ending"], "exit status 0");
    assert_eq!(record(2)["changed"], true);
    assert!(!project.home(&format!("runs/{run}/3")).exists());
    let unknown = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!unknown.contains("runs/"), "{unknown}");
}

#[test]
fn what_cannot_be_kept_is_said_and_stops_nothing() {
    let (project, id) = with_agent(&format!("work; {DONE}"));
    fs::write(project.home("runs"), "in the way").unwrap();
    let ran = project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert!(
        ran.stderr
            .contains("What this turn leaves behind is not kept"),
        "{ran}"
    );
}

#[test]
fn the_runs_are_listed_and_one_is_reported() {
    let none = Project::new().run(&["runs"]).ok();
    assert_eq!(none.stdout, "No run is on record. `goal run` starts one.\n");
    let (project, id) = with_agent("exit 3");
    project.run(&["run"]).exits(6);
    configure(
        &project,
        crate::support::auditor::APPROVE,
        &format!("work; echo 'The lexer is done.'; {DONE}"),
        "",
    );
    let ran = project.run(&["run"]).ok();
    // Off a terminal a line a turn.
    assert!(ran.stderr.contains("turn 1 of 50: 0 s, no checks"), "{ran}");
    let list = project.run(&["runs"]).ok().stdout;
    assert!(
        list.lines().all(|line| line.chars().count() <= 80),
        "{list}"
    );
    assert!(
        list.contains("repeated_failure") && list.contains("complete"),
        "{list}"
    );
    let data = project.run(&["runs", "--json"]).ok().data();
    let runs = data["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(
        (&runs[0]["goalId"], &runs[1]["goalId"]),
        (&id.clone().into(), &id.into())
    );
    assert_eq!(runs[0]["turns"].as_array().unwrap().len(), 3);
    assert_eq!(runs[0]["turns"][0]["failed"], "exit status 3");
    assert_eq!(runs[1]["turns"][0]["said"], "The lexer is done.");
    assert_eq!(runs[1]["audits"][0]["verdict"], "approved");
    let report = project.run(&["runs", "last"]).ok().stdout;
    for part in [
        "\"The lexer is done.\"",
        "changed files",
        "approved",
        "Prompts and output:",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let run = run_id(&project);
    let markdown = project.run(&["runs", &run, "--md"]).ok().stdout;
    assert!(
        markdown.starts_with(&format!("# Run {run}: make it so\n")),
        "{markdown}"
    );
    let one = project.run(&["runs", "last", "--json"]).ok().data();
    assert_eq!(one["run"]["runId"], run.as_str());
    assert_eq!(one["kept"][0]["record"]["ending"], "exit status 0");
    let live = project.run(&["runs", "--live"]).ok().stdout;
    assert_eq!(
        live,
        "No run is live. `goal runs` lists those that have stopped.\n"
    );
    project.run(&["runs", "nowhere"]).exits(2);
    project.run(&["runs", "--md"]).exits(2);
}

#[test]
fn a_run_under_way_is_live_and_a_question_is_what_it_waits_for() {
    let (project, _) = with_agent("goal ask 'Which colour?' >/dev/null");
    let mut run = project.call(&["run"]).spawn();
    super::found(|| project.events_of_type("question_asked").pop());
    let live = project.run(&["runs", "--live", "--json"]).ok().data();
    assert_eq!(live["runs"][0]["live"], true);
    for args in [&["status"][..], &["show"]] {
        let shown = project.run(args).ok().stdout;
        assert!(shown.contains(" of at most 50, begun "), "{shown}");
    }
    assert_eq!(live["runs"][0]["waitsFor"][0], "Which colour?");
    let list = project.run(&["runs", "--live"]).ok().stdout;
    assert!(
        list.contains("under way; waits for you: Which colour?"),
        "{list}"
    );
    run.kill().unwrap();
    run.wait().unwrap();
    let shown = project.run(&["status"]).ok().stdout;
    assert!(
        shown.contains("its runner died, and `goal run` goes on"),
        "{shown}"
    );
    let shown = project.run(&["show", "--json"]).ok().data();
    assert_eq!(shown["goal"]["run"]["live"], false);
}

#[test]
fn no_line_can_steer_the_report_and_those_of_another_program_are_none_of_it() {
    let (project, id) = Project::with_goal("make it so");
    let at = "2026-01-01T00:00:00.000Z";
    let line = |fields: &str| format!(r#"{{{fields},"goalId":"{id}","at":"{at}","by":"system"}}"#);
    let evil = "\\u001b[31mEVIL";
    let validated = r#""type":"iteration_validated","runId":"zz","iterationId":"i","iteration":1"#;
    let waiting = r#""type":"run_waiting","runId":"zz","cause":"rate_limit""#;
    let lines = [
        line(&format!(
            r#""type":"run_started","runId":"zz","until":"goal","agent":"a","head":"A{evil}""#
        )),
        line(r#""type":"usage_recorded","counters":{"seconds":1e300}"#),
        line(&format!(r#"{validated},"results":{{}}"#)),
        line(&format!(r#"{waiting},"seconds":18446744073709551615"#)),
        line(&format!(r#"{waiting},"seconds":18446744073709551615"#)),
        line(&format!(
            r#""type":"run_stopped","runId":"zz","cause":"{evil}","head":"B{evil}""#
        )),
    ];
    let before = project.ledger();
    let mut ledger = before.clone();
    ledger.extend(format!("{}\n", lines.join("\n")).bytes());
    project.put_ledger(&ledger);
    let none = project.run(&["runs"]).ok();
    assert!(none.stdout.contains("No run is on record"), "{none}");
    // As somebody writes them who knows our links.
    let mut ledger = before;
    for line in lines {
        let last = event_id(
            ledger
                .trim_ascii_end()
                .rsplit(|it| *it == b'\n')
                .next()
                .unwrap(),
        );
        let line = line.replacen('{', &format!(r#"{{"prev":"{last}","#), 1);
        ledger.extend(format!("{line}\n").bytes());
    }
    project.put_ledger(ledger);
    for args in [&["runs"][..], &["runs", "zz"], &["runs", "zz", "--json"]] {
        let ran = project.run(args).ok();
        assert!(!ran.stdout.contains('\u{1b}'), "{ran}");
    }
}
