//! Text as arguments and lines: too long, too deep, too large, or looking like something else.

use serde_json::Value;

use crate::support::Project;

#[test]
fn an_objective_of_a_hundred_thousand_lines_is_refused() {
    let project = Project::new();
    for lines in [10_000, 100_000] {
        let text = "another line\n".repeat(lines);
        let ran = project.call(&["set", "-", "--json"]).stdin(&text).run();
        assert!(ran.code == Some(2) || ran.code == Some(5), "{ran}");
        let error = ran.json()["error"].to_string();
        assert!(error.contains("64 KiB") || error.contains("65536"), "{ran}");
        assert_eq!(project.ledger(), b"", "{lines}");
    }
}

#[test]
fn an_objective_of_sixty_kib_works_everywhere() {
    let project = Project::new();
    let text = format!("FIRST {}LAST", "a word ".repeat(60 * 1024 / 7));
    project.call(&["set", "-"]).stdin(&text).run().ok();
    for args in [
        &["list"][..],
        &["show"],
        &["status"],
        &["log"],
        &["summary"],
        &["prompt", "active"],
        &["doctor"],
        &["verify"],
        &["note", "n"],
    ] {
        let ran = project.run(&[args, &["--json"]].concat()).ok();
        assert!(!ran.stdout.is_empty(), "{args:?}");
        project.run(args).ok();
    }
    let shown = project.run(&["show", "--json"]).ok();
    assert_eq!(
        shown.data()["goal"]["objective"],
        Value::from(text.as_str())
    );
}

#[test]
fn options_are_text_behind_the_separator() {
    for text in ["--json", "-h", "--auditor=/bin/sh", "--root=/", "--"] {
        let (project, _) = Project::with_goal("x");
        project.run(&["note", "--json", "--", text]).ok();
        assert_eq!(project.last_event()["note"], text);
    }
}

#[test]
fn options_as_values_stay_values() {
    for text in [
        "--json",
        "-n",
        "$(touch made)",
        "`touch made`",
        "; touch made",
        "%s%n",
        "{}",
    ] {
        let (project, _) = Project::with_goal("x");
        let reason = format!("--reason={text}");
        project.run(&["pause", &reason]).ok();
        assert_eq!(project.last_event()["reason"], text);
        assert!(!project.root.join("made").exists(), "{text}");
    }
}

/// Puts a line after a goal's creation; whatever it is, the goal is still there and can be noted.
#[track_caller]
fn survives(line: &str) {
    let (project, id) = Project::with_goal("x");
    let before = [project.ledger(), line.as_bytes().to_vec(), b"\n".to_vec()].concat();
    project.put_ledger(&before);
    for args in [
        &["list"][..],
        &["show"],
        &["log"],
        &["summary"],
        &["note", "n"],
    ] {
        project.run(&[args, &["--goal", &id][..]].concat()).ok();
    }
    assert!(project.ledger().starts_with(&before));
    assert_eq!(project.status(&id), "active");
}

macro_rules! lines {
    ($($name:ident: $line:expr;)*) => {
        $(#[test]
        fn $name() {
            survives(&$line);
        })*
    };
}

lines! {
    deep_arrays_in_an_unknown_event: format!(r#"{{"type":"x","at":"t","d":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    deep_objects_in_a_known_event: format!(r#"{{"type":"evidence_added","goalId":"a","key":"k","source":"s","at":"t","value":{}1{}}}"#, r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    unclosed_depth: format!(r#"{{"type":"x","at":{}"#, "[".repeat(200_000));
    a_number_of_a_hundred_thousand_digits: format!(r#"{{"type":"evidence_added","goalId":"a","key":"k","source":"s","at":"t","value":{}}}"#, "9".repeat(100_000));
    an_exponent_beyond_everything: r#"{"type":"progress_evaluated","goalId":"a","score":1e999999999,"gapAnalysis":"g","shouldEscalate":false,"at":"t"}"#;
    a_count_beyond_everything: r#"{"type":"task_list_set","goalId":"a","taskCount":18446744073709551616,"blockCompletion":true,"at":"t"}"#;
    a_negative_count: r#"{"type":"task_list_set","goalId":"a","taskCount":-1,"blockCompletion":true,"at":"t"}"#;
    a_duration_that_overflows: r#"{"type":"audit_result","goalId":"a","verdict":"error","report":"r","durationMs":1e300,"exitCode":99999999999,"at":"t"}"#;
    a_repeated_type: r#"{"type":"goal_noted","type":"goal_completed","goalId":"a","note":"n","at":"t"}"#;
    a_repeated_goal: r#"{"type":"goal_noted","goalId":"a","goalId":"b","note":"n","at":"t"}"#;
    a_key_of_a_megabyte: format!(r#"{{"type":"x","at":"t","{}":1}}"#, "k".repeat(900_000));
    a_line_over_a_megabyte: format!(r#"{{"type":"x","at":"t","k":"{}"}}"#, "k".repeat(3_000_000));
    a_session_of_a_megabyte: format!(r#"{{"type":"goal_noted","goalId":"a","note":"n","at":"t","session":"{}"}}"#, "s".repeat(900_000));
    a_time_far_from_any: r#"{"type":"goal_noted","goalId":"a","note":"n","at":"+999999999-99-99T99:99:99Z"}"#;
    only_quotes: "\"".repeat(10_000);
    only_backslashes: format!("{{\"{}", "\\".repeat(10_001));
}
