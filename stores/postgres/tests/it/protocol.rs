//! The verbs one by one, as docs/stores.md of `goal` describes them.

use std::process::Stdio;

use serde_json::json;

use crate::support::helper::{Helper, command};
use crate::support::server::shared;

#[test]
fn hello_picks_a_version() {
    // It needs no server.
    let mut helper = Helper::start("host=127.0.0.1 port=1 user=nobody");
    let hello = helper.ask(json!({"verb": "hello", "versions": [1, 2]}));
    assert_eq!(
        hello.last,
        json!({"ok": true, "version": 1, "name": "postgres", "can": ["create", "ledgers", "lease"]})
    );
    assert_eq!(
        helper.ask(json!({"verb": "hello", "versions": [2]})).code(),
        "unsupported"
    );
    assert_eq!(
        helper.ask(json!({"verb": "truncate"})).code(),
        "unsupported"
    );
    assert_eq!(helper.ask(json!({"verb": "begin"})).code(), "invalid");
    assert_eq!(helper.begin("a", 0).code(), "unreachable");
}

#[test]
fn lines_come_back_byte_for_byte() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    helper.create("protocol/bytes");
    let begun = helper.begin("protocol/bytes", 0);
    assert_eq!((begun.lines(), begun.end()), (vec![], 0));
    assert_eq!(begun.last["warnings"], json!([]));
    let odd = "{\"note\":\"\\u0000 \u{e9} \u{1f600} \\\" \r\u{feff}\"} ";
    let added = helper.append(
        0,
        &[
            (Some("a1"), "{\"n\":1}"),
            (None, ""),
            (None, ""),
            (Some("a2"), odd),
        ],
    );
    let end = 8 + 1 + 1 + odd.len() as u64 + 1;
    assert_eq!(added.end(), end);

    for from in [0, 1, 7, 8] {
        let begun = helper.begin("protocol/bytes", from);
        assert_eq!(begun.lines(), ["{\"n\":1}", "", "", odd], "from {from}");
        assert_eq!(begun.end(), end);
        assert_eq!(helper.append(end, &[]).end(), end);
    }
    for (from, lines) in [(9, 3), (10, 2), (11, 1), (end - 1, 1), (end, 1)] {
        let begun = helper.begin("protocol/bytes", from);
        assert_eq!(begun.lines().len(), lines, "from {from}");
        assert_eq!(helper.append(end, &[]).code(), "ok");
    }
    assert_eq!(helper.begin("protocol/bytes", end + 1).code(), "ahead");
}

#[test]
fn an_append_is_refused_whole() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    helper.create("protocol/refused");
    assert_eq!(helper.append(0, &[]).code(), "invalid");
    assert_eq!(helper.add("protocol/refused", "i1", "one").code(), "ok");

    let begun = helper.begin("protocol/refused", 0);
    assert_eq!(helper.begin("protocol/refused", 0).code(), "invalid");
    let twice = helper.append(begun.end(), &[(Some("i2"), "two"), (Some("i1"), "one")]);
    assert_eq!(twice.code(), "duplicate");
    // The turn is over, and nothing was appended.
    assert_eq!(helper.append(begun.end(), &[]).code(), "invalid");
    let begun = helper.begin("protocol/refused", 0);
    assert_eq!(begun.lines(), ["one"]);
    let same = helper.append(begun.end(), &[(Some("i3"), "a"), (Some("i3"), "a")]);
    assert_eq!(same.code(), "duplicate");
    // The server knows lines by their bytes: another name makes no other line of one.
    let begun = helper.begin("protocol/refused", 0);
    let renamed = helper.append(begun.end(), &[(Some("i9"), "one")]);
    assert_eq!(renamed.code(), "duplicate");
    helper.begin("protocol/refused", 0);
    assert_eq!(
        helper.append(begun.end() + 1, &[(Some("i4"), "c")]).code(),
        "moved"
    );
    assert_eq!(helper.read("protocol/refused").lines(), ["one"]);
}

#[test]
fn an_id_is_once_in_a_ledger_and_may_be_in_others() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    for ledger in ["protocol/a", "protocol/b"] {
        helper.create(ledger);
        assert_eq!(helper.add(ledger, "same", "{}").code(), "ok");
    }
}

#[test]
fn ledgers_are_listed_by_name() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    assert_eq!(helper.begin("list/none", 0).code(), "no_ledger");
    assert_eq!(helper.read("list/none").code(), "no_ledger");
    for ledger in ["list/b", "list/B", "list/a"] {
        let create = json!({"verb": "create", "ledger": ledger});
        assert_eq!(
            helper.ask(create.clone()).last,
            json!({"ok": true, "created": true})
        );
        assert_eq!(
            helper.ask(create).last,
            json!({"ok": true, "created": false})
        );
    }
    helper.add("list/b", "1", "{}");
    let listed = helper.ask(json!({"verb": "ledgers"}));
    let mine: Vec<_> = listed
        .data
        .iter()
        .filter(|it| it["ledger"].as_str().unwrap().starts_with("list/"))
        .collect();
    assert_eq!(
        *mine[0],
        json!({"ledger": "list/B", "end": 0, "lines": 0, "at": null})
    );
    assert_eq!(
        *mine[1],
        json!({"ledger": "list/a", "end": 0, "lines": 0, "at": null})
    );
    assert_eq!((&mine[2]["end"], &mine[2]["lines"]), (&json!(3), &json!(1)));
    assert!(mine[2]["at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(listed.last, json!({"ok": true}));
}

#[test]
fn a_long_ledger_comes_in_pieces_and_in_order() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    helper.create("protocol/long");
    let lines: Vec<String> = (0..2500).map(|it| format!("{{\"n\":{it}}}")).collect();
    let new: Vec<(Option<&str>, &str)> = lines.iter().map(|it| (None, it.as_str())).collect();
    helper.begin("protocol/long", 0);
    let end = helper.append(0, &new).end();
    assert_eq!(end, lines.iter().map(|it| it.len() as u64 + 1).sum::<u64>());
    assert_eq!(helper.read("protocol/long").lines(), lines);
    let watch = json!({"verb": "watch", "ledger": "protocol/long", "from": 0, "waitMs": 0});
    helper.send(&watch).unwrap();
    assert_eq!(helper.skip_answer(), lines.len());
    let from = lines[..1000].iter().map(|it| it.len() as u64 + 1).sum();
    assert_eq!(helper.begin("protocol/long", from).lines(), &lines[999..]);
}

#[test]
fn watch_answers_when_there_is_more() {
    let Some(server) = shared() else { return };
    let (mut reader, mut writer) = (Helper::start(&server.url("reader")), server.writer());
    writer.create("protocol/watched");
    server.let_in("reader", "protocol/watched", false);
    let watch = |from: u64, wait: u64| json!({"verb": "watch", "ledger": "protocol/watched", "from": from, "waitMs": wait});
    let none = reader.ask(watch(0, 20));
    assert_eq!((none.lines(), none.end()), (vec![], 0));
    reader.send(&watch(0, 60_000)).unwrap();
    writer.add("protocol/watched", "1", "one");
    let more = reader.answer().unwrap();
    assert_eq!((more.lines(), more.end()), (vec!["one"], 4));
    assert_eq!(reader.ask(watch(5, 0)).code(), "ahead");
}

#[test]
fn a_watch_ends_with_stdin_and_a_request_before_the_end_is_answered() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    helper.create("protocol/ended");
    let watch =
        json!({"verb": "watch", "ledger": "protocol/ended", "from": 0, "waitMs": 3_600_000});
    helper.send(&watch).unwrap();
    helper.stdin = None;
    assert_eq!(helper.answer().unwrap().end(), 0);
    assert!(helper.child.wait().unwrap().success());
}

#[test]
fn a_helper_whose_answers_nobody_reads_ends() {
    let Some(server) = shared() else { return };
    let mut command = command(&server.url("writer"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    use std::io::Write;
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{{\"verb\":\"ledgers\"}}").unwrap();
    assert!(!child.wait().unwrap().success());
}
