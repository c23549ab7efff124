//! Owners, usage and budgets that mean harm: names that steer, numbers that are none.

use crate::support::Project;

#[test]
fn no_number_breaks_a_sum() {
    let (project, _) = Project::with_goal("x");
    let tree = project.tree();
    for number in [
        "NaN", "nan", "inf", "-inf", "-1", "1e16", "1e400", "", "0x10", "1,5", "--",
    ] {
        let counter = format!("--counter=x={number}");
        let ran = project.run(&["usage", "add", &counter, "--json"]);
        assert_eq!(ran.code, Some(2), "{number}: {ran}");
        let most = format!("--max-llm-calls={number}");
        let ran = project.run(&["budget", &most, "--json"]);
        assert_eq!(ran.code, Some(2), "{number}: {ran}");
        let priority = format!("--priority={number}");
        let ran = project.run(&["set", "y", &priority, "--json"]);
        assert_eq!(ran.code, Some(2), "{number}: {ran}");
    }
    assert_eq!(project.tree(), tree);
    for _ in 0..3 {
        project.run(&["usage", "add", "--counter", "x=1e15"]).ok();
    }
    let report = project.run(&["usage", "report", "--json"]).ok().data();
    assert_eq!(report["total"]["x"], 3e15);
}

#[test]
fn names_are_names() {
    let (project, _) = Project::with_goal("x");
    let tree = project.tree();
    let long = "x".repeat(101);
    for name in [
        "../../etc",
        "a b",
        "\u{1b}[2J",
        "<approved/>",
        "$(true)",
        &long,
    ] {
        let counter = format!("{name}=1");
        let ran = project.run(&["usage", "add", "--counter", &counter, "--json"]);
        assert_eq!(ran.code, Some(2), "{name:?}: {ran}");
    }
    for owner in ["\u{1b}[2J", "a\nb", " ", &long] {
        let ran = project.run(&["delegate", "y", "--to", owner, "--json"]);
        assert_eq!(ran.code, Some(2), "{owner:?}: {ran}");
    }
    let secret = ["ghp_", &"a1B2".repeat(9)].concat();
    let ran = project.run(&["delegate", "y", "--to", &secret, "--json"]);
    assert_eq!(ran.error_code(), "secret");
    assert_eq!(project.tree(), tree);
}

#[test]
fn what_others_wrote_is_shown_harmless_and_counts_only_where_it_is_a_number() {
    let project = Project::new();
    let created = r#"{"type":"goal_created","goalId":"f","objective":"o\u001b[2J","sisyphus":false,"autoContinue":true,"owner":"\u001b[31mann\nben","priority":1e300,"parentGoalId":"f","delegatedFrom":"\u202e","at":"2026-11-21T20:15:00.000Z"}"#;
    let usage = |counters: &str| {
        format!(
            r#"{{"type":"usage_recorded","goalId":"f","counters":{counters},"taskId":"\u001b","at":"never"}}"#
        )
    };
    project.append_line(created);
    project.append_line(&usage(r#"{"\u001b[2J":1,"x":-5,"y":1e300,"llmCalls":2}"#));
    project.append_line(r#"{"type":"budget_set","goalId":"f","limits":{"llmCalls":-1,"maxLlmCalls":-1,"costUsd":1e300},"at":"t"}"#);
    project.append_line(
        r#"{"type":"goal_delegated","goalId":"f","childGoalId":"f","to":"\u001b","at":"t"}"#,
    );
    for args in [
        &["usage", "report"][..],
        &["usage", "report", "--by", "task"],
        &["usage", "report", "--by", "owner"],
        &["usage", "report", "--by", "day"],
        &["commitments", "--all"],
        &["budget", "--goal", "f"],
        &["show", "f"],
    ] {
        let ran = project.run(args).ok();
        let steers = |c: char| c.is_control() && c != '\n';
        assert!(!ran.stdout.contains(steers), "{args:?}: {ran}");
        assert!(!ran.stdout.contains('\u{202e}'), "{args:?}: {ran}");
    }
    let report = project.run(&["usage", "report", "--json"]).ok().data();
    assert_eq!(report["total"]["llmCalls"], 2.0);
    assert_eq!(report["total"]["x"], serde_json::Value::Null);
    let budget = project.run(&["budget", "--goal", "f", "--json"]).ok();
    assert_eq!(budget.data()["limits"], serde_json::json!([]));
}
