//! Leases: one holder at a time, by the server's clock, and no appends with an outdated token.

use std::process::Command;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::helper::{Helper, command};
use crate::support::server::shared;
use crate::support::{clock, until};

fn acquire(ledger: &str, goal: &str, holder: &str, ttl: u64) -> Value {
    json!({"verb": "lease", "act": "acquire", "ledger": ledger, "goal": goal, "holder": holder,
           "ttlMs": ttl})
}

fn with_token(act: &str, ledger: &str, goal: &str, token: i64) -> Value {
    json!({"verb": "lease", "act": act, "ledger": ledger, "goal": goal, "token": token,
           "ttlMs": 300_000})
}

fn token(helper: &mut Helper, request: Value) -> i64 {
    let answer = helper.ask(request);
    answer.last["token"]
        .as_i64()
        .unwrap_or_else(|| panic!("{answer:?}"))
}

/// The code of an append of one line under a lease.
fn append(helper: &mut Helper, ledger: &str, line: &str, token: i64) -> String {
    let end = helper.begin(ledger, 0).end();
    let lines = json!([{"id": line, "line": line}]);
    let lease = json!({"goal": "g", "token": token});
    let append = json!({"verb": "append", "after": end, "lines": lines, "lease": lease});
    helper.ask(append).code().to_owned()
}

#[test]
fn a_lease_has_one_holder_and_tokens_grow() {
    let Some(server) = shared() else { return };
    let mut helper = server.writer();
    let ledger = "leases/one";
    assert_eq!(
        helper.ask(acquire("leases/none", "g", "a", 1000)).code(),
        "no_ledger"
    );
    helper.create(ledger);
    let first = token(&mut helper, acquire(ledger, "g", "host-a run-1", 300_000));
    let held = helper.ask(acquire(ledger, "g", "host-b run-2", 300_000));
    assert_eq!(held.code(), "held");
    // The server adds whose it is.
    assert_eq!(held.last["error"]["holder"], "host-a run-1 (writer)");
    let left = held.last["error"]["leftMs"].as_i64().unwrap();
    assert!((1..=300_000).contains(&left), "{left}");
    // The holder may ask again, and other goals are free.
    let second = token(&mut helper, acquire(ledger, "g", "host-a run-1", 300_000));
    assert!(second > first);
    assert_eq!(
        helper
            .ask(acquire(ledger, "h", "host-b run-2", 300_000))
            .code(),
        "ok"
    );

    assert_eq!(
        helper.ask(with_token("renew", ledger, "g", first)).code(),
        "fenced"
    );
    assert_eq!(
        helper.ask(with_token("renew", ledger, "g", second)).code(),
        "ok"
    );
    assert_eq!(append(&mut helper, ledger, "old", first), "fenced");
    assert_eq!(append(&mut helper, ledger, "current", second), "ok");
    assert_eq!(
        helper.ask(with_token("release", ledger, "g", first)).code(),
        "fenced"
    );
    assert_eq!(
        helper
            .ask(with_token("release", ledger, "g", second))
            .code(),
        "ok"
    );
    assert_eq!(
        helper.ask(with_token("renew", ledger, "g", second)).code(),
        "fenced"
    );
    assert_eq!(append(&mut helper, ledger, "released", second), "fenced");
    let third = token(&mut helper, acquire(ledger, "g", "host-b run-2", 300_000));
    assert!(third > second);
    assert_eq!(
        helper
            .ask(with_token("renew", "leases/none", "g", 1))
            .code(),
        "no_ledger"
    );
    assert_eq!(helper.read(ledger).lines(), ["current"]);
}

#[test]
fn of_many_who_ask_at_once_one_gets_it() {
    let Some(server) = shared() else { return };
    let ledger = "leases/many";
    server.writer().create(ledger);
    for goal in 0..5 {
        let goal = goal.to_string();
        let asked: Vec<String> = thread::scope(|scope| {
            let asking: Vec<_> = (0..8)
                .map(|number| {
                    let goal = &goal;
                    scope.spawn(move || {
                        let mut helper = server.writer();
                        let holder = number.to_string();
                        helper
                            .ask(acquire(ledger, goal, &holder, 300_000))
                            .code()
                            .to_owned()
                    })
                })
                .collect();
            asking.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(
            asked.iter().filter(|it| *it == "ok").count(),
            1,
            "{asked:?}"
        );
        assert_eq!(
            asked.iter().filter(|it| *it == "held").count(),
            7,
            "{asked:?}"
        );
    }
}

/// The program on a machine whose clock is wrong, where faketime can be had. The program has no
/// use for that clock, so the test holds without it, too.
fn with_clock(url: &str, offset: &str) -> Helper {
    let mut command = command(url);
    command.envs(clock(offset));
    Helper::of(command)
}

#[test]
fn wrong_clocks_of_holders_change_nothing() {
    let Some(server) = shared() else { return };
    let ledger = "leases/clocks";
    let mut late = with_clock(&server.url("writer"), "-1h");
    let mut early = with_clock(&server.url("writer"), "+1h");
    late.create(ledger);
    let first = token(&mut late, acquire(ledger, "g", "late", 300_000));
    // For this one the lease would have been over for 55 minutes.
    assert_eq!(
        early.ask(acquire(ledger, "g", "early", 300_000)).code(),
        "held"
    );
    assert_eq!(append(&mut late, ledger, "one", first), "ok");
    assert_eq!(
        late.ask(with_token("release", ledger, "g", first)).code(),
        "ok"
    );
    let second = token(&mut early, acquire(ledger, "g", "early", 1));
    until("the lease is over", || {
        (late.ask(acquire(ledger, "g", "late", 300_000)).code() == "ok").then_some(())
    });
    assert_eq!(append(&mut early, ledger, "two", second), "fenced");
    assert_eq!(late.read(ledger).lines(), ["one"]);
}

#[test]
fn no_code_of_the_program_reads_the_machines_time() {
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let found = Command::new("grep")
        .args(["-rnE", "SystemTime|chrono::|jiff::", src])
        .output()
        .unwrap();
    assert!(
        found.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&found.stdout)
    );
}

#[test]
fn a_runner_that_was_suspended_beyond_its_lease_appends_nothing() {
    let Some(server) = shared() else { return };
    let ledger = "leases/suspended";
    let (mut runner, mut other) = (server.writer(), server.writer());
    runner.create(ledger);
    let first = token(&mut runner, acquire(ledger, "g", "runner", 200));
    assert_eq!(append(&mut other, ledger, "of another goal", -1), "fenced");
    let pid = Pid::from_child(&runner.child);
    kill_process(pid, Signal::STOP).unwrap();
    until("the lease is over", || {
        (other.ask(acquire(ledger, "g", "other", 300_000)).code() == "ok").then_some(())
    });
    kill_process(pid, Signal::CONT).unwrap();
    assert_eq!(append(&mut runner, ledger, "late", first), "fenced");
    assert_eq!(
        runner.ask(with_token("renew", ledger, "g", first)).code(),
        "fenced"
    );
    assert_eq!(
        runner.ask(acquire(ledger, "g", "runner", 200)).code(),
        "held"
    );
    assert_eq!(other.read(ledger).lines(), [""; 0]);
}

#[test]
fn a_lease_that_is_over_fences_although_nobody_else_has_it() {
    let Some(server) = shared() else { return };
    let ledger = "leases/over";
    let mut helper = server.writer();
    helper.create(ledger);
    let first = token(&mut helper, acquire(ledger, "g", "a", 1));
    let over = format!(
        "SELECT count(*) FROM goal_store.lease JOIN goal_store.ledger USING (ledger) \
         WHERE name = '{ledger}' AND ends <= clock_timestamp()"
    );
    until("it is over", || (server.sql(&over) == "1").then_some(()));
    assert_eq!(append(&mut helper, ledger, "late", first), "fenced");
    // Nobody took it meanwhile, so its holder may go on.
    assert_eq!(
        helper.ask(with_token("renew", ledger, "g", first)).code(),
        "ok"
    );
    assert_eq!(append(&mut helper, ledger, "in time", first), "ok");
}
