//! What hosts wrote, as it was recorded from the real programs with a scripted model, and what is made
//! of it. `docs/runs.md` names their versions. That of Claude Code joins two recordings: its events are of one
//! run, its result with the numbers of another.

use super::*;

/// What is made of a recorded output.
fn made(preset: Preset, output: &[u8]) -> String {
    let Some(report) = read(preset, output) else {
        return "unknown".into();
    };
    let counters = report.counters.iter();
    let counters: Vec<String> = counters
        .map(|(name, number)| format!("{name} {}", Amount::of(*number).unwrap()))
        .collect();
    format!(
        "{:?}, {:?}, {}, {}",
        report.text,
        report.failed,
        counters.join(", "),
        report.model.unwrap_or_default()
    )
}

#[test]
fn the_last_message_and_the_cost_are_read() {
    let nothing = "There is nothing left to do.";
    let twelve = "The sample says twelve.";
    let pi = "costUsd 0.00354, llmCalls 2, tokensCached 1800, tokensIn 600, tokensOut 80, scripted";
    for (preset, output, said, cost) in [
        (
            Preset::Claude,
            &include_bytes!("../../../fixtures/hosts/claude.jsonl")[..],
            twelve,
            "costUsd 0.00423, llmCalls 2, tokensCached 1600, tokensIn 800, tokensOut 80, claude-sonnet-4-5",
        ),
        (
            Preset::Codex,
            include_bytes!("../../../fixtures/hosts/codex.jsonl"),
            twelve,
            "llmCalls 1, tokensCached 1800, tokensIn 600, tokensOut 80, ",
        ),
        (
            Preset::Gemini,
            include_bytes!("../../../fixtures/hosts/gemini.jsonl"),
            nothing,
            "llmCalls 1, tokensIn 20, tokensOut 10, gpt-5.5",
        ),
        (
            Preset::Pi,
            include_bytes!("../../../fixtures/hosts/pi-0.87.1.jsonl"),
            twelve,
            pi,
        ),
        (
            Preset::Pi,
            include_bytes!("../../../fixtures/hosts/pi-1.5.2.jsonl"),
            twelve,
            pi,
        ),
    ] {
        let said = format!(r#""{said}\n\n<promise>COMPLETE</promise>", None"#);
        assert_eq!(made(preset, output), format!("{said}, {cost}"));
    }
}

#[test]
fn a_limit_of_the_host_is_a_failed_turn() {
    let claude = include_bytes!("../../../fixtures/hosts/claude-limit.json");
    let codex = include_bytes!("../../../fixtures/hosts/codex-limit.jsonl");
    let pi = include_bytes!("../../../fixtures/hosts/pi-limit.jsonl");
    for (preset, output, why) in [
        (
            Preset::Claude,
            &claude[..],
            "error 429: API Error: Request rejected (429) · Rate limit reached for requests",
        ),
        (
            Preset::Codex,
            codex,
            "exceeded retry limit, last status: 429 Too Many Requests",
        ),
        (
            Preset::Pi,
            pi,
            r#"429: {"message":"Rate limit reached for requests","type":"rate_limit_error"}"#,
        ),
    ] {
        let report = read(preset, output).unwrap();
        assert_eq!(report.failed.as_deref(), Some(why));
        assert!(why.ends_with(&report.text), "{}", report.text);
        assert_eq!(report.counters.get("tokensIn"), None);
    }
}

#[test]
fn what_is_no_output_of_a_host_is_unknown() {
    for output in [
        "",
        "I am done.\n\n<promise>COMPLETE</promise>",
        "{",
        "[]",
        "null",
        "{\"type\":\"system\"}",
        "{\"type\":7}\n{\"type\":\"error\"}",
        "{\"type\":\"message_end\",\"message\":{\"role\":\"user\"}}",
        "\u{fffd}{\"response\":\"half",
    ] {
        for preset in Preset::ALL {
            assert_eq!(
                made(preset, output.as_bytes()),
                "unknown",
                "{preset}: {output}"
            );
        }
    }
}

/// As reports of 2026 have it (paperclipai/paperclip #5776, anthropics/claude-code #38673).
#[test]
fn claude_code_says_when_its_limit_is_lifted_and_may_leave_the_result_empty() {
    let event = |status: &str| {
        format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":1778565600,"rateLimitType":"five_hour"}}}}"#
        )
    };
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello."}]}}"#;
    let result =
        |is_error: bool| format!(r#"{{"type":"result","is_error":{is_error},"result":""}}"#);
    for (status, is_error, lifted_at) in [
        ("rejected", true, Some(1_778_565_600)),
        ("rejected", false, None),
        ("allowed_warning", true, None),
    ] {
        let output = [event(status), said.to_owned(), result(is_error)].join("\n");
        let report = read(Preset::Claude, output.as_bytes()).unwrap();
        assert_eq!(
            (report.lifted_at, &*report.text),
            (lifted_at, "Hello."),
            "{output}"
        );
    }
    // One that was killed says what it said until then.
    let killed = read(Preset::Claude, said.as_bytes()).unwrap();
    assert_eq!((&*killed.text, killed.failed), ("Hello.", None));
}

#[test]
fn what_is_odd_is_passed_over() {
    let claude = r#"a warning
{"type":"result","result":"done","usage":{"input_tokens":-3,"output_tokens":1e300},"total_cost_usd":"5","num_turns":1}"#;
    assert_eq!(
        made(Preset::Claude, claude.as_bytes()),
        r#""done", None, llmCalls 1, "#
    );
    let codex = "not json\n{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\"}}\n{\"type\":\"turn.failed\"}";
    assert_eq!(
        made(Preset::Codex, codex.as_bytes()),
        r#""the turn failed", Some("the turn failed"), , "#
    );
    let gemini = r#"{"type":"result","status":"error","error":{"message":"no quota"},"stats":{"models":{"a":7,"b":{}}}}"#;
    assert_eq!(
        made(Preset::Gemini, gemini.as_bytes()),
        r#""no quota", Some("no quota"), llmCalls 1, "#
    );
    let pi = "{\"type\":\"agent_start\"}\n{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":\"x\",\"usage\":[],\"model\":\"a\\u0007\"}}\n{\"type\":\"mess";
    assert_eq!(made(Preset::Pi, pi.as_bytes()), r#""", None, llmCalls 1, "#);
}

#[test]
fn what_pi_repeats_is_not_needed() {
    for line in unneeded(Some(Preset::Pi)) {
        assert!(line.starts_with("{\"type\":\""), "{line}");
        assert!(!r#"{"type":"message_end""#.starts_with(line));
    }
    assert!(unneeded(Some(Preset::Codex)).is_empty());
    assert!(unneeded(None).is_empty());
}
