//! Tests of a procedure's steps: what each bullet makes of one, and what is said of others.

use serde_json::json;

use super::*;

fn read(text: &str) -> Result<Vec<Step>, Vec<Problem>> {
    let lines = text.lines().zip(1..).map(|(line, number)| (number, line));
    parse(lines, text.lines().count())
}

#[test]
fn every_kind_of_step_is_read() {
    let text = "\
Prose.

## Steps

1. Ask when to travel
   The day is enough.
   - ask: travelDate
   - prompt: When do you travel?
2) Search
   - tool: `train-search`
   - done when: evidence `trains`
3. Show them
\t- present: trains, `travelDate`
4. Ask
   - confirm: Is that right: this one?
   - key: confirmation
5. Pack
   - done when: predicate bags_packed

## Notes

1 not a step
";
    let steps = read(text).unwrap();
    let shown: Vec<_> = steps
        .iter()
        .map(|step| (step.pred.name.as_str(), &step.pred.args))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "gather_info",
                &json!({ "key": "travelDate", "prompt": "When do you travel?" })
            ),
            ("use_tool", &json!({ "tool": "train-search" })),
            ("present_info", &json!({ "keys": ["trains", "travelDate"] })),
            (
                "confirm",
                &json!({ "question": "Is that right: this one?", "key": "confirmation" })
            ),
            ("execute", &json!({})),
        ]
    );
    let has = |key: &str| vec![json!({ "kind": "hasEvidence", "key": key })];
    assert_eq!(steps[0].done_when, has("travelDate"));
    assert_eq!(steps[1].done_when, has("trains"));
    assert_eq!(steps[1].tool.as_deref(), Some("train-search"));
    assert_eq!(steps[3].done_when, has("confirmation"));
    assert_eq!(steps[4].done_when[0]["pred"]["name"], "bags_packed");
}

#[test]
fn everything_that_is_wrong_is_said_with_its_line() {
    for (text, line, says) in [
        ("Nothing.", 1, "no heading `## Steps`"),
        ("## Steps\n\nSome day.", 3, "neither a numbered step"),
        ("## Steps\n\n", 2, "no numbered steps"),
        ("## Steps\n1.", 2, "needs a title"),
        ("## Steps\n   - tool: t\n1. a", 2, "before the first step"),
        ("## Steps\n1. a\n- tool: t", 3, "neither a numbered step"),
        (
            "## Steps\n1. a\n   - tool: rm -rf /",
            3,
            "holds no commands",
        ),
        ("## Steps\n1. a\n   - tool: ./run.sh", 3, "is no name"),
        ("## Steps\n1. a\n   - run: t", 3, "`run` is not known"),
        ("## Steps\n1. a\n   - just words", 3, "`key: value`"),
        ("## Steps\n1. a\n   - tool:", 3, "says nothing"),
        (
            "## Steps\n1. a\n   - tool: t\n   - tool: u",
            4,
            "stands twice",
        ),
        ("## Steps\n1. a\n   - tool: t\n   - ask: k", 2, "one thing"),
        ("## Steps\n1. a\n   - prompt: t", 2, "belongs to `ask`"),
        ("## Steps\n1. a\n   - key: t", 2, "belongs to `tool`"),
        ("## Steps\n1. a\n   - present: a b", 2, "keys of evidence"),
        (
            "## Steps\n1. a\n   - done when: js true",
            3,
            "code is never run",
        ),
        ("## Steps\n1. a\n   - done when: evidence", 3, "is no name"),
        ("## Steps\n1. a\n## Steps\n1. b", 3, "second `## Steps`"),
    ] {
        let problems = read(text).unwrap_err();
        let found = problems
            .iter()
            .any(|it| it.line == line && it.message.contains(says));
        assert!(found, "{text:?}: {problems:?}");
    }
    let many: String = (1..=51).map(|n| format!("{n}. step\n")).collect();
    let problems = read(&format!("## Steps\n{many}")).unwrap_err();
    assert_eq!(problems[0].line, 52);
}
