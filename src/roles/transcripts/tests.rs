//! Lines of each host, as they were seen.

use super::*;

fn turn(dialect: Dialect, lines: &[&str]) -> Option<TranscriptTurn> {
    let text = lines.join("\n");
    Tail {
        dialect,
        from: 0,
        text,
        subagents: None,
    }
    .turn()
}

const USED: Option<TranscriptTurn> = Some(TranscriptTurn {
    used_tools: true,
    on_a_goal: false,
    on_a_goal_of_the_host: false,
    in_background: false,
});
const RECORDED: Option<TranscriptTurn> = Some(TranscriptTurn {
    used_tools: true,
    on_a_goal: true,
    on_a_goal_of_the_host: false,
    in_background: false,
});
const ANSWERED: Option<TranscriptTurn> = Some(TranscriptTurn {
    used_tools: false,
    on_a_goal: false,
    on_a_goal_of_the_host: false,
    in_background: false,
});

#[test]
fn a_path_below_the_users_home_is_found() {
    let below = |path: &str| {
        let transcript = Transcript {
            dialect: Dialect::Claude,
            path: path.into(),
        };
        transcript.below("/home/u".into()).path
    };
    assert_eq!(below("~/.claude/s.jsonl"), "/home/u/.claude/s.jsonl");
    assert_eq!(below("/tmp/~/s"), "/tmp/~/s");
    assert_eq!(below("~other/s"), "~other/s");
}

#[test]
fn claude_tells_words_results_and_hooks_apart() {
    let word = r#"{"type":"user","message":{"content":"go on"}}"#;
    let parts = r#"{"type":"user","message":{"content":[{"type":"text","text":"see"}]}}"#;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}"#;
    let hook = r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\n"}}"#;
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"4"}]}}"#;
    let edit = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{}}]}}"#;
    let note = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls; goal note x"}}]}}"#;
    let helper = r#"{"type":"user","isSidechain":true,"message":{"content":"do it"}}"#;
    let claude = |lines: &[&str]| turn(Dialect::Claude, lines);
    assert_eq!(claude(&[said, edit]), None);
    assert_eq!(claude(&["not json", "{}", "[]", word, said]), ANSWERED);
    assert_eq!(claude(&[word, edit, result, hook, said]), USED);
    assert_eq!(claude(&[word, edit, parts, said]), ANSWERED);
    assert_eq!(claude(&[word, note, helper, result]), RECORDED);
}

#[test]
fn claude_tells_what_runs_in_the_background() {
    let word = r#"{"type":"user","message":{"content":"go on"}}"#;
    let begin = |tool: &str, id: &str| {
        let part = format!(
            r#"{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{"run_in_background":true}}}}"#
        );
        format!(r#"{{"type":"assistant","message":{{"content":[{part}]}}}}"#)
    };
    let result = |id: &str, text: &str, failed: bool| {
        let part = format!(
            r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":{failed},"content":[{{"type":"text","text":"{text}"}}]}}"#
        );
        format!(r#"{{"type":"user","message":{{"content":[{part}]}}}}"#)
    };
    let agent = begin("Agent", "t1");
    let launched = result(
        "t1",
        "Async agent launched successfully. agentId: a1",
        false,
    );
    let shell = begin("Bash", "t2");
    let started = result("t2", "Command running in background with ID: b2", false);
    let call = |tool: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"c","name":"{tool}","input":{{}}}}]}}}}"#
        )
    };
    let [look, edit] = ["TaskOutput", "Edit"].map(call);
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I wait."}]}}"#;
    let ended = |id: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":"<task-notification>\n<task-id>{id}</task-id>\n<status>completed</status>"}}}}"#
        )
    };
    let queued = r#"{"type":"queue-operation","operation":"enqueue","content":"<task-notification>\n<task-id>b2</task-id>"}"#;
    let by_call = r#"{"type":"user","message":{"content":"<task-notification>\n<task-id>x</task-id>\n<tool-use-id>t1</tool-use-id>"}}"#;
    let [of_agent, of_shell, of_nothing] = ["a1", "b2", "zz"].map(ended);
    let failed = result("t2", "no such command", true);
    let waits = |lines: &[&str]| {
        let turn = turn(Dialect::Claude, &[&[word], lines].concat()).unwrap();
        assert!(turn.used_tools, "{lines:?}");
        turn.in_background
    };
    assert!(waits(&[&agent, &launched, said]));
    assert!(waits(&[&agent, &launched, &edit, said]));
    assert!(waits(&[&shell, &started, &look, said]));
    // It may be a server.
    assert!(!waits(&[&shell, &started, &edit, said]));
    assert!(!waits(&[&shell, &failed, said]));
    assert!(!waits(&[&shell, &started, &of_shell, said]));
    assert!(!waits(&[&shell, &started, queued, said]));
    assert!(!waits(&[&agent, &launched, &of_agent, said]));
    assert!(!waits(&[&agent, &launched, by_call, said]));
    assert!(!waits(&[&agent, &launched, &of_nothing, said]));
    assert!(waits(&[
        &agent, &launched, &shell, &started, &of_shell, said
    ]));
    // The same end told twice says nothing of what else runs.
    assert!(waits(&[
        &agent, &launched, &shell, &started, queued, &of_shell, said
    ]));
    let turn = turn(Dialect::Claude, &[&agent, &launched, word, said]);
    assert_eq!(turn, ANSWERED, "the user's word takes it up");
}

#[test]
fn codex_has_calls_as_items_and_words_as_events() {
    let word =
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage"}}}"#;
    let older = r#"{"type":"event_msg","payload":{"type":"user_message","message":"go on"}}"#;
    let shell = r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\\ngoal complete --summary x\"}"}}"#;
    let tool = r#"{"type":"response_item","payload":{"type":"function_call","namespace":"mcp__goal","name":"note_progress","arguments":"{}"}}"#;
    let reads = r#"{"type":"response_item","payload":{"type":"function_call","name":"mcp__goal__get_goal","arguments":"{}"}}"#;
    let patch = r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch"}}"#;
    let codex = |lines: &[&str]| turn(Dialect::Codex, lines);
    assert_eq!(codex(&[patch]), None);
    assert_eq!(codex(&[shell, older]), ANSWERED);
    assert_eq!(codex(&[word, patch, reads]), USED);
    assert_eq!(codex(&[word, shell]), RECORDED);
    let reads = r#"{"type":"response_item","payload":{"type":"function_call","namespace":"mcp__goal","name":"get_ledger_goal","arguments":"{}"}}"#;
    let own = r#"{"type":"response_item","payload":{"type":"function_call","name":"update_goal","arguments":"{}"}}"#;
    assert_eq!(codex(&[word, reads]), USED);
    let of_the_host = codex(&[word, own]).unwrap();
    assert!(of_the_host.on_a_goal_of_the_host && !of_the_host.on_a_goal);
    assert_eq!(codex(&[word, tool]), RECORDED);
}

#[test]
fn gemini_has_calls_within_messages() {
    let word = r#"{"id":"1","type":"user","content":[{"text":"go on"}]}"#;
    let said = r#"{"id":"2","type":"gemini","content":"4"}"#;
    let note =
        r#"{"id":"3","type":"gemini","toolCalls":[{"name":"mcp_goal_note_progress","args":{}}]}"#;
    let all = r#"{"$set":{"messages":[{"type":"user"}]}}"#;
    let gemini = |lines: &[&str]| turn(Dialect::Gemini, lines);
    assert_eq!(gemini(&[all, said]), None);
    assert_eq!(gemini(&[word, said]), ANSWERED);
    let result = r#"{"id":"4","type":"user","content":[{"functionResponse":{"name":"x"}}]}"#;
    assert_eq!(gemini(&[word, note, result, said, all]), RECORDED);
}

#[test]
fn words_like_a_command_are_no_work() {
    for (arguments, expected) in [
        ("goal note x", true),
        ("cd x && goal complete", true),
        ("/usr/bin/goal task start 1", true),
        ("goal show", false),
        ("grep -r 'the goal of this' src", false),
        ("my-goal note", false),
        ("subgoal note", false),
        ("goal", false),
        ("goal  ", false),
    ] {
        assert_eq!(records("Bash", arguments), expected, "{arguments}");
    }
}

#[test]
fn the_end_of_a_file_is_read_in_whole_lines() {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(dir.path().join("t")).unwrap();
    let read = |path: &Utf8Path| {
        let dialect = Dialect::Claude;
        Transcript {
            dialect,
            path: path.to_owned(),
        }
        .read()
    };
    assert!(read(&path).is_none());
    assert!(read(Utf8Path::new("/")).is_none());
    assert!(read(Utf8Path::new("/dev/zero")).is_none());
    let line = format!("{{\"a\":\"{}\"}}\n", "x".repeat(1 << 20));
    let most = line.repeat(9);
    std::fs::write(&path, format!("{most}{{\"half\":")).unwrap();
    let text = read(&path).unwrap().text;
    assert_eq!(text, line.repeat(7));
}

fn spent(dialect: Dialect, lines: &[&str], from: u64) -> Option<(Vec<(String, f64)>, u64)> {
    let text = lines.join("\n") + "\n";
    let spent = Tail {
        dialect,
        from: 0,
        text,
        subagents: None,
    }
    .spent(from)?;
    Some((spent.counters.into_iter().collect(), spent.read_to))
}

#[test]
fn codex_counts_each_sum_once() {
    let count = |total: u32, cached: u32| {
        let usage = r#""input_tokens":10,"output_tokens":5,"cached_input_tokens":"#;
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{{usage}{cached}}}}}}}}}"#
        )
    };
    let [one, two] = [count(15, 0), count(30, 4)];
    let lines = [one.as_str(), &one, &two];
    let all = spent(Dialect::Codex, &lines, 0).unwrap().0;
    let expected = [
        ("llmCalls", 2.0),
        ("tokensCached", 4.0),
        ("tokensIn", 16.0),
        ("tokensOut", 10.0),
    ];
    assert_eq!(all, expected.map(|(name, sum)| (name.to_owned(), sum)));
    let behind = spent(Dialect::Codex, &lines, one.len() as u64 + 1)
        .unwrap()
        .0;
    assert_eq!(behind[0], ("llmCalls".to_owned(), 1.0));
    assert_eq!(
        spent(
            Dialect::Codex,
            &[r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#],
            0
        ),
        None
    );
}

#[test]
fn gemini_counts_thoughts_and_no_message_twice() {
    let said = r#"{"id":"a","type":"gemini","tokens":{"input":10,"output":5,"cached":3,"thoughts":2,"tool":0,"total":17},"model":"g"}"#;
    let (all, end) = spent(Dialect::Gemini, &[said, said], 0).unwrap();
    let expected = [
        ("llmCalls", 1.0),
        ("tokensCached", 3.0),
        ("tokensIn", 7.0),
        ("tokensOut", 7.0),
    ];
    assert_eq!(all, expected.map(|(name, sum)| (name.to_owned(), sum)));
    assert_eq!(end, 2 * (said.len() as u64 + 1));
    assert_eq!(spent(Dialect::Gemini, &["{}"], 0), None);
}

#[test]
fn copilot_has_words_calls_and_costs_as_events() {
    let word = r#"{"type":"user.message","data":{"content":"go on"}}"#;
    let shell = r#"{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}"#;
    let call = |tool: &str| {
        format!(
            r#"{{"type":"tool.execution_start","data":{{"toolName":"goal-{tool}","mcpServerName":"goal","mcpToolName":"{tool}","arguments":{{}}}}}}"#
        )
    };
    let [reads, records] = ["get_goal", "note_progress"].map(call);
    let copilot = |lines: &[&str]| turn(Dialect::Copilot, lines);
    assert_eq!(copilot(&[shell]), None);
    assert_eq!(copilot(&[shell, word]), ANSWERED);
    assert_eq!(copilot(&[word, shell, &reads]), USED);
    assert_eq!(copilot(&[word, &records]), RECORDED);
    let cost = r#"{"type":"session.usage_record","data":{"usage":{"model":"m","inputTokens":10,"outputTokens":5,"cacheReadTokens":4,"apiCallId":"a"}}}"#;
    let expected = [
        ("llmCalls", 1.0),
        ("tokensCached", 4.0),
        ("tokensIn", 6.0),
        ("tokensOut", 5.0),
    ];
    let (all, _) = spent(Dialect::Copilot, &[word, cost, cost], 0).unwrap();
    assert_eq!(all, expected.map(|(name, sum)| (name.to_owned(), sum)));
}

#[test]
fn copilot_has_written_a_stop_that_has_begun_and_not_ended() {
    let [begins, ends] = ["start", "end"]
        .map(|it| format!(r#"{{"type":"hook.{it}","data":{{"hookType":"agentStop"}},"id":"i"}}"#));
    let said = r#"{"type":"user.message","data":{"content":"\"hookType\":\"agentStop\""}}"#;
    let written = |lines: &[&str]| copilot::stops(&lines.join("\n"));
    assert!(!written(&[]) && !written(&[said]));
    assert!(written(&[&begins]) && written(&[&begins, &ends, said, &begins, said]));
    assert!(!written(&[&begins, &ends, said]));
}

#[test]
fn what_a_subagent_cost_counts_where_its_lines_stand_in_the_transcript() {
    let answer = |id: &str, more: &str| {
        format!(
            r#"{{"type":"assistant"{more},"message":{{"id":"{id}","usage":{{"input_tokens":10,"output_tokens":5}},"content":[]}}}}"#
        )
    };
    let own = answer("m1", "");
    let helper = answer("m2", r#","isSidechain":true"#);
    // Its first lines repeat what the agent has before it.
    let again = answer("m1", r#","isSidechain":true"#);
    let words = r#"{"type":"user","isSidechain":true,"message":{"content":"do it"}}"#;
    // A file may begin with the mark of a byte order.
    let first = format!("\u{feff}{own}");
    let lines = [first.as_str(), &again, words, &helper];
    let (all, _) = spent(Dialect::Claude, &lines, 0).unwrap();
    let expected = [("llmCalls", 2.0), ("tokensIn", 20.0), ("tokensOut", 10.0)];
    assert_eq!(all, expected.map(|(name, sum)| (name.to_owned(), sum)));
}

#[test]
fn what_a_compaction_took_away_is_dropped_until_it_is_said_again() {
    let compacted = r#"{"type":"system","subtype":"compact_boundary"}"#;
    for (lines, expected) in [
        (&["the contract"][..], false),
        (&["nothing"], false),
        (&["the contract", compacted], true),
        (&["the contract", compacted, "the contract"], false),
    ] {
        let tail = Tail {
            dialect: Dialect::Claude,
            from: 0,
            text: lines.join("\n"),
            subagents: None,
        };
        assert_eq!(tail.has_dropped("contract"), expected, "{lines:?}");
    }
}

#[test]
fn what_subagents_with_files_of_their_own_cost_counts_once() {
    let keep = tempfile::tempdir().unwrap();
    let dir = Utf8Path::from_path(keep.path()).unwrap();
    let at = |minute: u8| format!(r#""timestamp":"2020-01-01T10:{minute:02}:00.000Z""#);
    let word = |minute: u8| {
        let at = at(minute);
        format!(r#"{{"type":"user",{at},"message":{{"content":"go on"}}}}"#)
    };
    let answer = |id: &str, minute: u8| {
        let at = at(minute);
        format!(
            r#"{{"type":"assistant",{at},"isSidechain":{},"message":{{"id":"{id}","usage":{{"input_tokens":10,"output_tokens":5}},"content":[]}}}}"#,
            id.starts_with('h')
        )
    };
    let write = |name: &str, lines: &[String]| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
    };
    let first = [word(1), answer("m1", 2)];
    let second = [word(6), answer("m2", 9)];
    write("s.jsonl", &[&first[..], &second[..]].concat());
    // One answer in the first part, one on the border of both, one in the second, and one behind it. The
    // lines of one answer are several, and a fork repeats what its session has before it.
    let helper = [
        answer("m1", 2),
        answer("h1", 1),
        answer("h2", 2),
        answer("h2", 3),
        answer("h3", 8),
        answer("h3", 8),
        answer("h4", 10),
    ];
    write("s/subagents/agent-a.jsonl", &helper);
    write("s/subagents/flow/agent-b.jsonl", &[answer("h5", 7)]);
    write("s/subagents/agent-a.meta.json", &["{}".into()]);
    write("other/subagents/agent-c.jsonl", &[answer("h6", 8)]);
    let transcript = Transcript {
        dialect: Dialect::Claude,
        path: dir.join("s.jsonl"),
    };
    let tail = transcript.read().unwrap();
    let calls = |tail: &Tail, from: u64| tail.spent(from).map(|it| it.counters["llmCalls"]);
    let border = first.join("\n").len() as u64 + 1;
    // m1, m2, h1, h2, h3 and h5.
    assert_eq!(calls(&tail, 0), Some(6.0));
    write("s.jsonl", &first);
    assert_eq!(calls(&transcript.read().unwrap(), 0), Some(3.0));
    assert_eq!(calls(&tail, border), Some(3.0));
    // What is behind the last line counts with the next.
    assert_eq!(calls(&tail, tail.end()), None);
}

#[test]
fn why_a_transcript_cannot_be_read_is_said() {
    let keep = tempfile::tempdir().unwrap();
    let dir = Utf8Path::from_path(keep.path()).unwrap();
    let why = |path: &Utf8Path| {
        let (dialect, path) = (Dialect::Claude, path.to_owned());
        Transcript { dialect, path }.unreadable()
    };
    std::fs::write(dir.join("t"), "").unwrap();
    assert_eq!(why(&dir.join("t")), None);
    assert_eq!(why(&dir.join("no")).unwrap(), "it is not there");
    assert_eq!(why(dir).unwrap(), "it is no file");
}

#[test]
fn of_many_files_of_subagents_so_many_bytes_are_read() {
    let keep = tempfile::tempdir().unwrap();
    let dir = Utf8Path::from_path(keep.path()).unwrap();
    for n in 0..10 {
        let file = std::fs::File::create(dir.join(format!("{n}.jsonl"))).unwrap();
        file.set_len(super::MOST).unwrap();
    }
    let part = super::subagents::Part {
        after: None,
        until: 0,
    };
    assert_eq!(super::subagents::tails(dir, part).count(), 8);
}
