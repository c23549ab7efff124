//! A ledger that several machines write.

use std::fs;

use insta::assert_snapshot;

use super::Store;
use crate::support::Project;

#[test]
fn two_machines_write_one_ledger() {
    let store = Store::new();
    let here = store.project();
    assert_eq!(here.ledger(), store.bytes());
    let there = store.machine();
    assert_eq!(there.ledger(), store.bytes());
    for (number, machine) in [&here, &there, &there, &here].into_iter().enumerate() {
        machine.run(&["note", &format!("note {number}")]).ok();
        assert_eq!(machine.ledger(), store.bytes());
    }
    assert!(store.bytes().starts_with(&there.ledger()));
    assert_snapshot!(there.run(&["store", "pull"]).ok().stdout, @"
    Read the store's acme/web: 1 line came in.
    ");
    assert_eq!(there.ledger(), here.ledger());
    there.run(&["verify"]).ok();
    let log = here.run(&["log"]).ok().stdout;
    for number in 0..4 {
        assert!(log.contains(&format!("note {number}")), "{log}");
    }
}

#[test]
fn writers_on_two_machines_at_once_lose_nothing() {
    let store = Store::new();
    let (here, there) = (store.project(), store.machine());
    let before = here.ledger().iter().filter(|&&it| it == b'\n').count();
    let write = |machine: &Project, name: &str| {
        for number in 0..8 {
            let note = format!("{name} {number}");
            let call = machine.call(&["note", &note, "--lock-timeout", "60"]);
            call.env("GOAL_TEST_SEED", &format!("{number}")).run().ok();
        }
    };
    std::thread::scope(|scope| {
        for (machine, name) in [(&here, "a"), (&here, "b"), (&there, "c"), (&there, "d")] {
            scope.spawn(move || write(machine, name));
        }
    });
    for machine in [&here, &there] {
        machine.run(&["store", "pull"]).ok();
        assert_eq!(machine.ledger(), store.bytes());
        machine.run(&["verify"]).ok();
    }
    let lines = store.bytes().iter().filter(|&&it| it == b'\n').count();
    assert_eq!(lines, before + 32);
}

#[test]
fn what_is_read_says_how_old_it_is() {
    let store = Store::new();
    let here = store.project();
    let note = "store acme/web: last read ";
    for command in ["status", "list"] {
        let text = here.run(&[command]).ok().stdout;
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(note), "{text}");
        assert!(last.ends_with("`goal store pull` reads it now"), "{text}");
        let data = here.run(&[command, "--json"]).ok().data();
        assert_eq!(data["store"]["ledger"], "acme/web");
        assert!(data["store"]["readAt"].is_string(), "{data}");
    }
    let there = store.machine();
    there.run(&["note", "from there"]).ok();
    let status = here.run(&["store", "status"]).ok().stdout;
    assert!(
        status.starts_with("store acme/web (directory): the file lacks "),
        "{status}"
    );
    let data = there.run(&["store", "status", "--json"]).ok().data();
    assert_eq!(data["fileEnd"], data["storeEnd"]);
}

/// Refused with the code `store_left`, and nothing changes.
fn is_left(machine: &Project, args: &[&str]) {
    let before = machine.ledger();
    let ran = machine.run(&[args, &["--json"]].concat());
    assert_eq!(ran.code, Some(5), "{ran}");
    assert_eq!(ran.error_code(), "store_left");
    assert_eq!(machine.ledger(), before);
}

#[test]
fn a_machine_that_has_not_followed_out_of_the_store_writes_nothing() {
    let store = Store::new();
    let (here, there) = (store.project(), store.machine());
    assert_eq!(here.run_as_agent(&["store", "leave"]).code, Some(5));
    assert_snapshot!(here.run(&["store", "leave"]).ok().stdout, @"
    The ledger is the file again; it was acme/web in the store.
    ");
    assert_eq!(here.ledger(), store.bytes());
    fs::write(here.user_config(), "").unwrap();
    here.run(&["note", "only here"]).ok();
    let in_store = store.bytes();
    for args in [
        &["note", "lost"][..],
        &["store", "pull"],
        &["store", "status"],
    ] {
        is_left(&there, args);
    }
    let refused = there.run(&["note", "lost"]).exits(5).stderr;
    assert!(refused.contains("acme/web, by the user at "), "{refused}");
    assert!(refused.contains("`goal store leave`"), "{refused}");
    assert!(refused.contains("`goal store init acme/web`"), "{refused}");
    // Reading goes on.
    there.run(&["list"]).ok();
    // Whoever follows has the ledger as it was left, and writes alone.
    there.run(&["store", "leave"]).ok();
    assert_eq!(there.ledger(), in_store);
    there.run(&["note", "only there"]).ok();
    assert_eq!(store.bytes(), in_store);
    assert!(there.run(&["log"]).ok().stdout.contains("only there"));
    here.run(&["store", "pull"]).exits(5);
}

#[test]
fn a_ledger_that_was_left_is_joined_again_by_a_machine_that_stayed() {
    let store = Store::new();
    let (here, there) = (store.project(), store.machine());
    here.run(&["store", "leave"]).ok();
    there.run(&["store", "init", "acme/web"]).ok();
    there.run(&["note", "goes on"]).ok();
    assert_eq!(there.ledger(), store.bytes());
    // The one who left comes back in the same way.
    here.run(&["note", "alone"]).ok();
    here.run(&["store", "init", "acme/web"]).ok();
    assert_eq!(here.ledger(), store.bytes());
    there.run(&["note", "to both"]).ok();
    let log = there.run(&["log"]).ok().stdout;
    for text in ["goes on", "alone", "to both"] {
        assert!(log.contains(text), "{log}");
    }
}

/// Both have lines of their own, and neither loses one.
#[test]
fn machines_that_went_on_apart_come_together_in_the_store() {
    let store = Store::new();
    let (here, there) = (store.project(), store.machine());
    here.run(&["store", "leave"]).ok();
    here.run(&["note", "a1"]).ok();
    there.run(&["store", "leave"]).ok();
    there.run(&["note", "b1"]).ok();
    there.run(&["note", "b2"]).ok();
    here.run(&["store", "init", "acme/web"]).ok();
    here.run(&["note", "a2"]).ok();
    assert_eq!(here.ledger(), store.bytes());
    let before = there.ledger();
    let joined = there.run(&["store", "init", "acme/web"]).ok();
    assert!(joined.stdout.contains("2 lines sent"), "{joined}");
    assert_eq!(there.ledger(), store.bytes());
    // What the file was is beside it.
    let mut beside = fs::read_dir(there.goals("")).unwrap().map(Result::unwrap);
    let aside = beside.find(|it| it.file_name().to_string_lossy().contains(".apart-"));
    assert_eq!(fs::read(aside.unwrap().path()).unwrap(), before);
    here.run(&["store", "pull"]).ok();
    for machine in [&here, &there] {
        machine.run(&["note", "together"]).ok();
        machine.run(&["store", "pull"]).ok();
    }
    here.run(&["store", "pull"]).ok();
    for machine in [&here, &there] {
        assert_eq!(machine.ledger(), store.bytes());
        machine.run(&["verify"]).ok();
        let log = machine.run(&["log"]).ok().stdout;
        for text in ["a1", "a2", "b1", "b2"] {
            assert_eq!(log.matches(text).count(), 1, "{text}: {log}");
        }
    }
    // Again it changes nothing.
    let whole = store.bytes();
    there.run(&["store", "init", "acme/web"]).ok();
    assert_eq!(store.bytes(), whole);
}

/// A machine that left while the store was away comes back.
#[test]
fn a_machine_that_left_alone_takes_its_lines_along() {
    let store = Store::new();
    let (here, there) = (store.project(), store.machine());
    there.run(&["store", "leave", "--alone"]).ok();
    there.run(&["note", "on my own"]).ok();
    here.run(&["note", "in the store"]).ok();
    there.run(&["store", "init", "acme/web"]).ok();
    assert_eq!(there.ledger(), store.bytes());
    here.run(&["note", "to both"]).ok();
    there.run(&["store", "pull"]).ok();
    let log = there.run(&["log"]).ok().stdout;
    for text in ["on my own", "in the store", "to both"] {
        assert!(log.contains(text), "{log}");
    }
    there.run(&["verify"]).ok();
}

#[test]
fn a_store_that_is_gone_is_left_alone() {
    let store = Store::new();
    let here = store.project();
    here.configure("[store]\ncommand = [\"/nowhere/helper\"]\n");
    here.run(&["store", "leave"]).exits(75);
    here.run(&["store", "leave", "--alone"]).ok();
    here.run(&["note", "on my own"]).ok();
}

#[test]
fn an_init_that_was_killed_goes_on() {
    let store = Store::new();
    let (here, _) = Project::with_goal("Write docs");
    here.run(&["note", "one"]).ok();
    // It sent the lines, and died before it recorded that the ledger belongs to the store.
    store.reached_with(&here, "dies_at_join");
    here.run(&["store", "init", "acme/web"]).exits(74);
    assert_eq!(here.ledger(), store.bytes());
    here.run(&["note", "two"]).ok();
    store.reached_by(&here);
    assert_snapshot!(here.run(&["store", "init", "acme/web"]).ok().stdout, @"
    The ledger is in the store as acme/web: 2 lines sent.
    ");
    assert_eq!(here.ledger(), store.bytes());
    // It died before the last line was in the file, or with half of it.
    let whole = here.ledger();
    let last = whole[..whole.len() - 1].iter().rposition(|&it| it == b'\n');
    for end in [last.unwrap() + 1, whole.len() - 30] {
        here.put_ledger(&whole[..end]);
        here.run(&["store", "init", "acme/web"]).ok();
        assert_eq!(here.ledger(), whole);
    }
    // Again it is no error.
    here.run(&["store", "init", "acme/web"]).ok();
    here.run(&["store", "init", "acme/other"]).exits(5);
}

#[test]
fn what_cannot_be_in_a_store_is_refused() {
    let store = Store::new();
    let init = |project: &Project| project.run(&["store", "init", "acme/web"]).exits(5).stderr;
    let (project, _) = Project::with_goal("x");
    store.reached_by(&project);
    assert_eq!(project.run(&["store", "init", "a b"]).code, Some(2));
    project
        .run_as_agent(&["store", "init", "acme/web"])
        .exits(5);
    let whole = project.ledger();
    project.put_ledger([&whole[..], b"\xff\n"].concat());
    let not_text = init(&project);
    assert!(
        not_text.contains("line 3 of the file is not UTF-8"),
        "{not_text}"
    );
    project.put_ledger([&whole[..], b"{"].concat());
    let torn = init(&project);
    assert!(torn.contains("has no line end"), "{torn}");
    project.put_ledger(whole);
    project.run(&["store", "init", "acme/web"]).ok();

    // The store has another ledger of this name.
    let (other, _) = Project::with_goal("y");
    store.reached_by(&other);
    let taken = init(&other);
    assert!(taken.contains("differ"), "{taken}");
    other.run(&["store", "pull", "acme/web"]).exits(5);
}
