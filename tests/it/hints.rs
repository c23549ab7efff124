//! Hints that help whoever made the mistake, and answers that are JSON where JSON is asked for.

use std::fs;

use crate::schemas::validator;
use crate::support::{Project, auditor};

#[test]
fn version_and_help_are_one_json_document_too() {
    let project = Project::new();
    for (args, name, field) in [
        (&["--json", "--version"][..], "version", "version"),
        (&["--json", "help"], "help", "text"),
        (&["--json", "--help"], "help", "text"),
        (&["set", "--help", "--json"], "help", "text"),
        (&["help", "set", "--json"], "help", "text"),
    ] {
        let ran = project.run(args).ok();
        let json = ran.json();
        assert_eq!(json["schema"], format!("goal/{name}/1"), "{args:?}");
        assert!(validator(name).is_valid(&json["data"]), "{json}");
        assert!(!json["data"][field].as_str().unwrap().is_empty());
    }
    assert!(project.run(&["--version"]).ok().stdout.starts_with("goal "));
    // What a person asks of a command that prints JSON else.
    let help = project.run(&["tool", "--help"]).ok().stdout;
    assert!(help.starts_with("Call a tool as an agent does"), "{help}");
}

/// The mistake, its exit code, and what stands in the answer.
const MISTAKES: &[(&[&str], i32, &str)] = &[
    (&["import", "nofile.md"], 74, "check its name"),
    (&["task", "set", "."], 74, "name a file"),
    (
        &["summary", "--compare", "golden"],
        74,
        "goal summary > golden",
    ),
    (
        &["list", "--status", "open"],
        2,
        "active, paused and blocked",
    ),
    (&["pause", "because"], 2, "goal pause --reason TEXT"),
    (
        &["abort", "it", "is", "over"],
        2,
        "goal abort --reason TEXT",
    ),
    (&["tweak", "--data", "nonsense"], 2, "double quotes"),
];

#[test]
fn a_mistake_is_answered_with_what_helps() {
    let (project, _) = Project::with_goal("x");
    let before = project.tree();
    for (args, exit, words) in MISTAKES {
        let ran = project.run(args).exits(*exit);
        assert!(ran.stderr.contains(words), "{args:?}\n{ran}");
        assert_eq!(project.tree(), before);
    }
}

#[test]
fn a_configuration_error_is_on_record_and_called_one() {
    for (config, words) in [
        ("[auditor]\ncommand = \"claude -p\"\n", "a list of texts"),
        (
            "[auditor]\ncommand = [\"cargo test\"]\n",
            "[\"cargo\", \"test\"]",
        ),
        (
            "[auditor]\ncommand = [\"true\"]\ntimeout = \"5m\"\n",
            "stands where",
        ),
    ] {
        let (project, id) = Project::with_goal("x");
        fs::write(project.user_config(), config).unwrap();
        let ran = project.run(&["complete"]).exits(6);
        assert!(ran.stderr.contains("no auditor was asked"), "{ran}");
        assert!(ran.stderr.contains(words), "{ran}");
        assert_eq!(project.events_of_type("audit_result").len(), 1);
        assert_eq!(project.status(&id), "active");
        let listed = project.run(&["list"]).ok();
        assert!(!listed.stdout.contains("audit failed"), "{listed}");
    }
}

#[test]
fn a_note_on_a_goal_that_rests_does_not_say_go_on() {
    let (project, _) = Project::with_goal("x");
    project.run(&["pause", "--reason", "r"]).ok();
    let note = ["tool", "note_progress", "--data", "{\"note\":\"n\"}"];
    let ran = project.run(&note).ok();
    assert!(ran.stdout.contains("do not work on it"), "{ran}");
}

#[test]
fn an_agents_first_tasks_hold_completion() {
    let (project, _) = Project::with_goal("x");
    fs::write(project.root.join("PLAN.md"), "- [ ] one\n").unwrap();
    let free = ["task", "set", "PLAN.md", "--free", "--json"];
    let ran = project.run_as_agent(&free).exits(5);
    assert_eq!(ran.error_code(), "human_owned");
    project.run(&free).ok();
}

#[test]
fn the_tour_works_without_a_search_path() {
    let project = Project::new();
    project.call(&["tour"]).without("PATH").run().ok();
}

#[test]
fn a_check_or_an_agent_that_nothing_stands_for_is_told_at_the_start() {
    let (project, _) = Project::with_goal("x");
    let told = "names the check `nosuch`, for which no command is configured";
    for args in [
        &["tweak", "--check", "nosuch"][..],
        &["set", "y", "--check", "nosuch"],
        &["propose", "z", "--check", "nosuch"],
    ] {
        let ran = project.run(args).ok();
        assert!(ran.stderr.contains(told), "{args:?}\n{ran}");
    }
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    for (program, refused) in [("nosuch", 1), ("./nosuch", 2)] {
        let ran = project.run(&["run", "--agent-command", program, "--json"]);
        assert_eq!(ran.exits(5).error_code(), "no_agent", "{program}");
        // Nothing but that it was refused is on record.
        let last = project.last_event();
        assert_eq!(last["type"], "run_refused");
        assert_eq!(project.count("run_refused"), refused);
        assert_eq!(project.count("run_started"), 0);
    }
}

#[test]
fn open_questions_stand_in_the_status() {
    let (project, _) = Project::with_goal("x");
    project.run_as_agent(&["ask", "Which colour?"]).ok();
    let status = project.run(&["status"]).ok();
    let asked = project.events_of_type("question_asked").remove(0);
    let id = asked["questionId"].as_str().unwrap();
    let open = format!("needs you: question, `goal answer {id} VALUE`: Which colour?");
    assert!(status.stdout.contains(&open), "{status}");
    assert!(
        status.stdout.ends_with("\n1 needs you: `goal inbox`\n"),
        "{status}"
    );
    project.run(&["answer", id, "red"]).ok();
    let status = project.run(&["status"]).ok();
    assert!(!status.stdout.contains("needs you"), "{status}");
}

#[test]
fn next_names_the_task_that_was_begun_out_of_order() {
    let (project, _) = Project::with_goal("x");
    for title in ["one", "two"] {
        project.run(&["task", "add", title]).ok();
    }
    project.run(&["task", "start", "2"]).ok();
    let next = project.run(&["next"]).ok().stdout;
    let begun =
        "Work on task `2` `two` has begun, but it comes later in the list. Next is task `1`";
    assert!(next.starts_with(begun), "{next}");
    let started = project.run(&["task", "start", "1"]).ok().stdout;
    assert!(started.starts_with("Started task 1 one.\n"), "{started}");
    let next = project.run(&["next"]).ok().stdout;
    assert!(next.starts_with("Under way is task `1`"), "{next}");
    let failed = ["task", "fail", "1", "--reason", "r"];
    let failed = project.run(&failed).ok().stdout;
    assert!(
        failed.starts_with("An attempt failed at task 1 one (pending).\n"),
        "{failed}"
    );
}

#[test]
fn next_does_not_call_a_failed_check_the_auditors_word() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    project.run(&["set", "x", "--check", "unit"]).ok();
    project.run(&["complete"]).exits(6);
    let next = project.run(&["next"]).ok().stdout;
    assert!(next.starts_with("A check of the contract failed"), "{next}");
}

#[test]
fn a_rejected_draft_is_said_to_stay_open_only_where_it_does() {
    let project = Project::new();
    for (opened, stays) in [(false, false), (true, true)] {
        if opened {
            project.run(&["draft", "t"]).ok();
        }
        project.run_as_agent(&["propose", "x"]).ok();
        let rejected = project.run(&["reject"]).ok().stdout;
        assert_eq!(rejected.contains("stays open"), stays, "{rejected}");
        assert_eq!(project.run(&["drafts"]).ok().stdout.contains(" t\n"), stays);
    }
}

#[test]
fn what_is_said_of_a_torn_line_is_what_comes_of_it() {
    let (project, _) = Project::with_goal("x");
    project.append_line("{\"type\":\"goal_no");
    let mut torn = project.ledger();
    torn.pop();
    fs::write(project.ledger_path(), torn).unwrap();
    let told = project.run(&["doctor"]).ok().stdout;
    let settle = "goal settle --finding malformed_line@3 --reason WHY";
    assert!(told.contains(settle), "{told}");
    project.run(&["note", "n"]).ok();
    let found = project.run(&["doctor"]).ok().stdout;
    assert!(found.contains("malformed_line line 3"), "{found}");
    assert!(found.contains("never acknowledged"), "{found}");
    let settle: Vec<&str> = settle.split(' ').skip(1).collect();
    project.run(&settle).ok();
    project.run(&["doctor"]).ok();
}
