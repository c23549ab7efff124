//! What becomes of a command where the store, its helper or the file fails it.

use serde_json::Value;

use super::Store;
use crate::support::{Project, Ran};

fn note(project: &Project) -> Ran {
    project.run(&["note", "a fact", "--key", "k-1", "--json"])
}

fn notes(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.matches("a fact").count()
}

/// The code of the failure. Nothing was written anywhere.
fn code_of(ran: &Ran) -> Value {
    ran.json()["error"].clone()
}

#[test]
fn without_the_store_nothing_is_written_and_reading_goes_on() {
    let store = Store::new();
    let here = store.project();
    let before = here.ledger();
    for command in [
        "",
        "[store]\ncommand = [\"/nowhere/helper\"]\n",
        "[store]\ncommand = [\"false\"]\n",
    ] {
        here.configure(command);
        let ran = note(&here);
        assert_eq!(ran.code, Some(75), "{ran}");
        let error = code_of(&ran);
        assert_eq!(error["code"], "store_unreachable");
        assert_eq!(error["retryable"], true);
        assert_eq!(here.ledger(), before);
        here.run(&["status"]).ok();
        here.run(&["store", "status"]).exits(75);
    }
    assert_eq!(store.bytes(), before);
    store.reached_by(&here);
    note(&here).ok();
}

#[test]
fn an_append_of_which_nobody_knows_is_settled() {
    for fault in ["unknown_recorded", "dies_after_append"] {
        let store = Store::new();
        let here = store.project();
        store.reached_with(&here, fault);
        note(&here).ok();
        assert_eq!(notes(&store.bytes()), 1, "{fault}");
        assert_eq!(here.ledger(), store.bytes());
        note(&here).ok();
        assert_eq!(notes(&store.bytes()), 1, "{fault}");
    }
    for fault in ["unknown_lost", "dies_at_append"] {
        let store = Store::new();
        let here = store.project();
        let before = here.ledger();
        store.reached_with(&here, fault);
        // It was not recorded, so it is tried again, and again.
        let ran = note(&here);
        assert_eq!(code_of(&ran)["code"], "ledger_moved", "{ran}");
        assert_eq!((here.ledger(), store.bytes()), (before.clone(), before));
        store.reached_by(&here);
        note(&here).ok();
        assert_eq!(notes(&store.bytes()), 1, "{fault}");
    }
}

#[test]
fn an_append_that_cannot_be_settled_says_so_and_the_key_settles_it() {
    for (fault, recorded) in [("unknown_then_gone", 1), ("lost_then_gone", 0)] {
        let store = Store::new();
        let here = store.project();
        store.reached_with(&here, fault);
        let ran = note(&here);
        assert_eq!(ran.code, Some(75), "{ran}");
        let error = code_of(&ran);
        assert_eq!(error["code"], "store_unknown");
        assert_eq!(error["retryable"], true);
        assert!(error["hint"].as_str().unwrap().contains("--key"), "{error}");
        assert_eq!(notes(&here.ledger()), 0);
        assert_eq!(notes(&store.bytes()), recorded);
        store.come_back();
        store.reached_by(&here);
        note(&here).ok();
        assert_eq!(notes(&store.bytes()), 1);
        assert_eq!(here.ledger(), store.bytes());
    }
}

/// Without a key the user looks, and sees what was decided: the look waits for the turn.
#[test]
fn after_an_unknown_append_a_pull_takes_a_turn() {
    let store = Store::new();
    let here = store.project();
    store.reached_with(&here, "unknown_then_gone");
    let ran = here.run(&["note", "a fact", "--json"]);
    assert_eq!(code_of(&ran)["code"], "store_unknown", "{ran}");
    let hint = code_of(&ran)["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("goal store pull"), "{hint}");
    store.come_back();
    store.reached_by(&here);
    let other = store.turn_of_another(&here);
    let pull = ["store", "pull", "--lock-timeout", "0.1", "--json"];
    assert_eq!(code_of(&here.run(&pull))["code"], "lock_timeout");
    drop(other);
    here.run(&["store", "pull"]).ok();
    assert_eq!(notes(&here.ledger()), 1);
    // From then on a look waits for nobody.
    let _other = store.turn_of_another(&here);
    here.run(&pull).ok();
}

/// A helper that fails behind the append says so with a code of its own.
#[test]
fn an_error_that_does_not_say_that_nothing_was_appended_is_looked_into() {
    let store = Store::new();
    let here = store.project();
    store.reached_with(&here, "fails_after_append");
    here.run(&["note", "a fact"]).ok();
    assert_eq!(notes(&store.bytes()), 1);
    assert_eq!(here.ledger(), store.bytes());
}

#[test]
fn a_project_without_lines_does_not_take_over_a_ledger() {
    let store = Store::new();
    let _first = store.project();
    let second = Project::new();
    store.reached_by(&second);
    let ran = second.run(&["store", "init", "acme/web", "--json"]);
    let error = code_of(&ran);
    assert_eq!(error["code"], "store_diverged", "{ran}");
    assert!(second.ledger().is_empty());
    second.run(&["store", "init", "acme/second"]).ok();
}

#[test]
fn a_file_that_differs_from_its_store_is_written_no_further() {
    let store = Store::new();
    let here = store.project();
    let whole = here.ledger();
    let other = String::from_utf8(whole.clone())
        .unwrap()
        .replace("acme/web", "acme/wab");
    // A last line that is another one, and lines that the store lacks.
    here.put_ledger(other.replace("\"ledger\":\"acme/wab\"", "\"ledger\":\"acme/web\" "));
    let ran = note(&here);
    assert_eq!(code_of(&ran)["code"], "store_diverged", "{ran}");
    here.put_ledger(
        [
            &whole[..],
            b"{\"type\":\"x\",\"at\":\"2026-01-01T00:00:00Z\"}\n",
        ]
        .concat(),
    );
    let ran = note(&here);
    assert_eq!(code_of(&ran)["code"], "store_diverged", "{ran}");
    assert_eq!(store.bytes(), whole);
    // Lines that only the file has can be sent.
    let pushed = here.run(&["store", "push", "--json"]).ok().data();
    assert_eq!(pushed["sent"], 1);
    assert_eq!(here.ledger(), store.bytes());
    note(&here).ok();
}

#[test]
fn half_a_line_in_the_file_is_completed_from_the_store() {
    let store = Store::new();
    let here = store.project();
    note(&here).ok();
    let whole = here.ledger();
    for cut in [1, 2, 40] {
        here.put_ledger(&whole[..whole.len() - cut]);
        here.run(&["store", "pull"]).ok();
        assert_eq!(here.ledger(), whole);
    }
    here.put_ledger(&whole[..whole.len() - 40]);
    here.run(&["note", "another fact"]).ok();
    assert_eq!(here.ledger(), store.bytes());
    // The whole ledger is not there.
    here.put_ledger("");
    here.run(&["store", "pull", "acme/web"]).ok();
    assert_eq!(here.ledger(), store.bytes());
}

#[test]
fn a_project_does_not_choose_the_helper() {
    let store = Store::new();
    let here = store.project();
    let script = here.root.join("helper");
    std::fs::copy(store.helper(&here, ""), &script).unwrap();
    here.configure(&format!("[store]\ncommand = [\"/bin/sh\", \"{script}\"]\n"));
    let ran = note(&here);
    assert_eq!(code_of(&ran)["code"], "store_refused", "{ran}");
    here.configure("");
    here.run(&["init"]).ok();
    let project = here.goals("config.toml");
    let script = store.helper(&here, "");
    std::fs::write(
        project,
        format!("[store]\ncommand = [\"/bin/sh\", \"{script}\"]\n"),
    )
    .unwrap();
    assert_eq!(code_of(&note(&here))["code"], "store_unreachable");
}
