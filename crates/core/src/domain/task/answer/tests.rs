//! Tests of reading a planner's answer: what fits is kept, anything else refuses all of it.

use serde_json::json;

use super::*;

const GOOD: &str = r#"{"subgoals":[
  {"gloss":"Find the hot paths","pred":{"name":"execute"},"doneWhen":[],"provenance":null},
  {"gloss":"Measure","pred":{"name":"use_tool","args":{"tool":"bench"}},
   "doneWhen":[{"kind":"hasEvidence","key":"bench"},
               {"kind":"predicateTrue","pred":{"name":"is_fast","args":{"ms":5}}}],
   "provenance":{"sopId":"perf","sopTitle":"Performance","stepIndex":2,"suggestedTool":"bench"}}],
  "decomp":"AND","source":"model-x"}"#;

fn plan(text: &str) -> Plan {
    match read(text).unwrap() {
        Answer::Plan(plan) => plan,
        procedure => panic!("{procedure:?}"),
    }
}

#[test]
fn a_procedure_is_taken_by_its_id_and_with_nothing_beside_it() {
    let taken = r#"{"procedure":"train","source":"model-x"}"#;
    assert_eq!(read(taken), Ok(Answer::Procedure("train".into())));
    for beside in [
        r#""decomp":"AND","#,
        r#""subgoals":[{"gloss":"a","pred":{"name":"execute"},"doneWhen":[]}],"#,
    ] {
        let both = taken.replacen('{', &format!("{{{beside}"), 1);
        assert_eq!(read(&both), Err(AnswerError::Both), "{both}");
    }
    assert!(read(r#"{"procedure":"train"}"#).is_err(), "no source");
    let joined = GOOD.replacen("\"decomp\":\"AND\",", "", 1);
    let error = read(&joined).unwrap_err().to_string();
    assert!(error.contains("missing field `decomp`"), "{error}");
}

#[test]
fn what_fits_becomes_tasks() {
    let plan = plan(GOOD);
    assert_eq!(
        (plan.decomp, plan.source.as_str()),
        (Decomposition::And, "planner")
    );
    let [first, second] = &plan.tasks[..] else {
        panic!("{plan:?}")
    };
    assert_eq!(first.title, "Find the hot paths");
    assert_eq!(first.provenance, Some(json!({ "planner": "model-x" })));
    assert_eq!(second.pred.as_ref().unwrap().args["tool"], "bench");
    assert_eq!(second.done_when.len(), 2);
    let from = json!({
        "procedureId": "perf", "title": "Performance", "stepIndex": 2,
        "suggestedTool": "bench", "planner": "model-x",
    });
    assert_eq!(second.provenance, Some(from));
}

#[test]
fn the_example_is_read() {
    let plan = plan(include_str!(
        "../../../../../../fixtures/plans/caching.json"
    ));
    assert_eq!(plan.tasks.len(), 3);
}

#[test]
fn one_fence_around_it_is_no_part_of_it() {
    for fenced in [
        format!("```json\n{GOOD}\n```"),
        format!("\n```\n{GOOD}\n```\n"),
    ] {
        assert_eq!(read(&fenced).unwrap(), read(GOOD).unwrap());
    }
    for beside in [
        format!("Here is the plan:\n{GOOD}"),
        format!("{GOOD}\nDone."),
        format!("{GOOD}{GOOD}"),
        format!("```json\n{GOOD}\n```\nDone."),
        format!("```yaml\n{GOOD}\n```"),
    ] {
        assert!(read(&beside).is_err(), "{beside}");
    }
}

/// One change each that makes the good answer a bad one, and what the refusal says.
#[test]
fn one_thing_that_does_not_fit_refuses_all_of_it() {
    for (was, is, says) in [
        ("\"use_tool\"", "\"shell\"", "unknown variant `shell`"),
        ("\"AND\"", "\"XOR\"", "decomp"),
        (
            "\"hasEvidence\"",
            "\"js\"",
            "stored code, which is never run",
        ),
        ("\"hasEvidence\"", "\"eval\"", "kind `eval` is not known"),
        ("\"key\":\"bench\"}", "\"key\":\"\"}", "needs a `key`"),
        (
            "\"key\":\"bench\"}",
            "\"key\":\"b\",\"code\":\"x\"}",
            "code",
        ),
        ("{\"tool\":\"bench\"}", "{}", "use_tool needs `tool`"),
        (
            "{\"tool\":\"bench\"}",
            "{\"tool\":\" \"}",
            "use_tool needs `tool`",
        ),
        ("{\"tool\":\"bench\"}", "\"bench\"", "subgoals[1].pred"),
        ("\"doneWhen\":[],", "", "doneWhen"),
        (
            "\"doneWhen\":[],",
            "\"doneWhen\":[],\"doneWhen\":[],",
            "duplicate",
        ),
        ("\"gloss\":\"Measure\",", "", "gloss"),
        ("\"stepIndex\":2", "\"stepIndex\":-2", "stepIndex"),
        (
            "\"source\":\"model-x\"",
            "\"source\":\"model-x\",\"notes\":1",
            "notes",
        ),
        ("\"source\":\"model-x\"", "\"source\":\"\"", "source"),
        (",\"source\":\"model-x\"", "", "source"),
    ] {
        let answer = GOOD.replacen(was, is, 1);
        assert_ne!(answer, GOOD, "{was}");
        let error = read(&answer).unwrap_err().to_string();
        assert!(error.contains(says), "{is}: {error}");
    }
    assert_eq!(
        read(r#"{"subgoals":[],"decomp":"AND","source":"s"}"#),
        Err(AnswerError::Empty)
    );
    for garbage in [
        "",
        "null",
        "[]",
        "{}",
        "I would start by …",
        "{\"subgoals\":",
    ] {
        assert!(read(garbage).is_err(), "{garbage}");
    }
}

#[test]
fn depth_is_an_error_and_no_crash() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&deep).is_err());
    assert!(read(&GOOD.replace("{\"ms\":5}", &format!("{{\"a\":{deep}}}"))).is_err());
}
