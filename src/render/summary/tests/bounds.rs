//! The summary's length, whatever was stored, and what it never contains.

use proptest::prelude::*;
use serde_json::json;

use super::{audited, event, of, with};
use crate::domain::focus;
use crate::domain::goal::chain::Audited;
use crate::render::summary::{Limits, contract};
use crate::render::testing::{created, line, state_of};

#[test]
fn a_contract_is_verbatim_up_to_32_kib() {
    for (words, whole) in [(32 * 1024 / 8, true), (36 * 1024 / 8, false)] {
        let objective = "words ä\n".repeat(words)[1..].to_owned() + "x";
        let objective = &objective[..objective.floor_char_boundary(words * 8)];
        let text = of(&state_of(&[created(1, "a-1", objective)]));
        assert_eq!(text.contains(objective), whole, "{words}");
        assert_eq!(text.contains("bytes cut]"), !whole);
        assert_eq!(
            text.contains("2026112120010000_a-1.md` has all of it"),
            !whole
        );
        assert!(text.len() <= 34 * 1024, "{}", text.len());
    }
}

#[test]
fn tens_of_thousands_of_lines_are_no_summary() {
    for part in ["\n", "`", "- \u{1b}\n", "# Goal summary\n```\n"] {
        let text = of(&state_of(&[created(1, "a-1", &part.repeat(45_000))]));
        assert!(text.len() <= 34 * 1024, "{part:?} {}", text.len());
    }
}

#[test]
fn a_long_reason_leaves_room_for_what_is_suggested() {
    let pause = json!({"reason": "because ".repeat(5000), "suggestedAction": "ask Kim"});
    let lines = [created(1, "a-1", "x"), line(2, "goal_paused", "a-1", pause)];
    let text = of(&state_of(&lines));
    assert!(
        text.contains("bytes cut]\n\nSuggested:\n\n> ask Kim"),
        "{text}"
    );
}

#[test]
fn objections_outlive_history_when_room_is_scarce() {
    let mut lines = audited(json!({"verdict": "disapproved", "report": "No test for ties."}));
    lines.push(line(
        5,
        "goal_noted",
        "a-1",
        json!({"note": "n", "next": "test ties"}),
    ));
    lines.push(line(
        6,
        "goal_paused",
        "a-1",
        json!({"reason": "lunch", "blocked": true}),
    ));
    lines.push(line(7, "goal_focused", "a-1", json!({"reason": "r"})));
    lines.extend((0..50).map(|n| created(8, &format!("b-{n}"), &"long ".repeat(99))));
    let events: Vec<_> = (0..20)
        .map(|n| event(n, "task_failed", &"long ".repeat(99)))
        .collect();
    let limits = Limits {
        max_bytes: 1400,
        ..Limits::default()
    };
    let text = with(&state_of(&lines), &[], &events, &limits);
    for kept in [
        "> No test for ties.",
        "> lunch",
        "> test ties",
        "## What to do next",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(text.contains("earlier\n"), "{text}");
    let limits = Limits {
        max_bytes: 800,
        ..limits
    };
    let tiny = with(&state_of(&lines), &[], &events, &limits);
    assert!(tiny.contains("Left out for lack of room: "), "{tiny}");
    let roomy = with(&state_of(&lines), &[], &events, &Limits::default());
    assert!(
        roomy.contains("more\n") && roomy.contains("task_failed"),
        "{roomy}"
    );
}

/// Text that tries to steer, to break out, or to grow when it is shown.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just("\n"),
        Just("# "),
        Just("```"),
        Just("\u{1b}[2J"),
        Just("\r"),
        Just("\u{202e}"),
        Just("漢"),
        Just("\t"),
        Just("> "),
        Just("- "),
        Just("\u{200b}"),
    ];
    proptest::collection::vec(piece, 0..400).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bounded_and_clean_whatever_was_stored(
        text in nasty(),
        kinds in proptest::collection::vec((0usize..8, 0usize..4), 0..40),
        max_bytes in 0usize..6000,
        max_goals in 0usize..6,
        focus in any::<bool>(),
    ) {
        let payloads = [
            ("goal_noted", json!({"note": text, "next": text})),
            ("goal_paused", json!({"reason": text, "suggestedAction": text})),
            ("goal_resumed", json!({"reason": text})),
            ("audit_result", json!({"verdict": "disapproved", "report": text, "cause": text})),
            ("goal_completed", json!({})),
            ("goal_aborted", json!({"reason": text})),
            ("draft_started", json!({"draftId": text, "topic": text, "mode": "tweak"})),
            ("task_list_set", json!({"taskCount": 9, "blockCompletion": true,
                "tasks": [{"id": text, "title": text}]})),
        ];
        let mut lines: Vec<String> =
            (0..4).map(|goal| created(0, &format!("g-{goal}"), &text)).collect();
        lines.extend((1..).zip(&kinds).map(|(minute, (kind, goal))| {
            let (name, fields) = &payloads[*kind];
            line(minute, name, &format!("g-{goal}"), fields.clone())
        }));
        if focus {
            lines.push(line(59, "goal_focused", "g-0", json!({"reason": "r"})));
        }
        let state = state_of(&lines);
        let events: Vec<_> = (0..9).map(|minute| event(minute, &text, &text)).collect();
        let limits = Limits { max_goals, max_events: 5, max_bytes };
        let shown = with(&state, &[("g-1", Audited::None)], &events, &limits);
        let contract = focus::focused(&state, None).map_or(0, |id| {
            contract::contract(&state.goals[id], Some(&"p".repeat(50))).len()
        });
        prop_assert!(shown.len() <= max_bytes.max(1) + contract, "{}", shown.len());
        prop_assert!(!shown.contains(|c: char| c.is_control() && !"\n\t".contains(c)));
        let hidden = shown.contains(['\u{202e}', '\u{200b}']);
        prop_assert!(!hidden);
        // Outside the contract's fences only headings of ours begin a line with `#`.
        let known = ["# Goal summary", "## ", "### ", "#### "];
        let mut fence = None;
        for it in shown.lines() {
            if it.starts_with("```") && it.chars().all(|c| c == '`') {
                fence = match fence { None => Some(it), Some(open) if open == it => None, open => open };
            } else if fence.is_none() && it.starts_with('#') {
                prop_assert!(known.iter().any(|start| it.starts_with(start)), "{}", it);
            }
        }
    }
}

#[test]
fn events_that_say_nothing_are_left_out() {
    let state = state_of(&[created(1, "a-1", "sort the list")]);
    let events = [
        event(1, "goal_created", "sort the list"),
        event(2, "task_failed", "sorted half"),
        event(3, "goal_continued", ""),
        event(4, "user_prompted", ""),
        event(5, "goal_continued", ""),
    ];
    let to = |max_events| Limits {
        max_events,
        ..Limits::default()
    };
    let all = with(&state, &[], &events, &to(20));
    assert!(all.contains("task_failed (user): sorted half"), "{all}");
    assert!(!all.contains("goal_continued") && !all.contains("user_prompted"));
    assert!(!all.contains("earlier"), "{all}");
    let one = with(&state, &[], &events, &to(1));
    assert!(
        one.contains("- … 1 earlier\n- 2026-11-21 20:02 task_failed"),
        "{one}"
    );
}

/// A token of the encoding o200k_base is at least this many bytes of such a summary, in hundredths,
/// as measured with gpt-tokenizer 3.4.0; ids are what makes it so few.
const BYTES_PER_100_TOKENS: usize = 290;

#[test]
fn a_summary_costs_few_tokens_however_many_goals_there_are() {
    let texts = |it: usize| format!("Make part {it} of the service answer in time");
    let mut lines: Vec<String> = (1..38)
        .map(|it| created(1, &format!("mwqqa16{it}-cb6vn{it}"), &texts(it)))
        .collect();
    lines.extend((1..12).map(|it| {
        let reason = json!({"reason": "the index that would do it needs 40 GB more disk"});
        line(2, "goal_paused", &format!("mwqqa16{it}-cb6vn{it}"), reason)
    }));
    lines.push(created(3, "mwqpx8si-9ajoi5", "Release atlas-api 2.0"));
    lines.push(line(
        4,
        "task_list_set",
        "mwqpx8si-9ajoi5",
        json!({"taskCount": 3, "blockCompletion": true, "tasks": [
            {"id": "1", "title": "migration guide"},
            {"id": "2", "title": "changelog"},
            {"id": "3", "title": "tag and publish"},
        ]}),
    ));
    let events: Vec<_> = (0..20)
        .map(|it| {
            event(
                it,
                "goal_noted",
                "the guide is written; the changelog misses one change",
            )
        })
        .collect();
    lines.extend((5..10).map(|it| {
        let note = json!({"note": "the guide is written; the changelog misses one change"});
        line(it, "goal_noted", "mwqpx8si-9ajoi5", note)
    }));
    let tokens = |text: &str| text.len() * 100 / BYTES_PER_100_TOKENS;
    let all = with(&state_of(&lines), &[], &events, &Limits::default());
    assert!(tokens(&all) <= 600, "{}: {all}", all.len());
    let own = lines.split_off(lines.len() - 7);
    let one = with(&state_of(&own), &[], &events, &Limits::default());
    assert!(tokens(&one) <= 400, "{}: {one}", one.len());
}
