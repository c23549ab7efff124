//! The connection cut at every message of PostgreSQL's protocol, in both directions.

use serde_json::json;

use crate::support::agent::{Agent, judge};
use crate::support::helper::{Helper, command};
use crate::support::lines;
use crate::support::proxy::{Cut, Proxy, Way};
use crate::support::server::shared;
use crate::support::until;

/// Runs something with the connection cut at each message in turn, until it ends uncut. Returns how
/// many cuts there were.
fn cut_everywhere(proxy: &Proxy, mut run: impl FnMut(Cut)) -> usize {
    let mut cuts = 0;
    for way in [Way::ToServer, Way::ToClient] {
        for half in [false, true] {
            for message in 0.. {
                let cut = Cut { way, message, half };
                proxy.arm(cut);
                run(cut);
                if proxy.disarm() {
                    break;
                }
                cuts += 1;
            }
        }
    }
    cuts
}

#[test]
fn an_event_is_recorded_once_wherever_the_connection_is_cut() {
    let Some(server) = shared() else { return };
    let proxy = Proxy::to(server.port);
    let url = format!(
        "postgres://writer@127.0.0.1:{}/postgres?sslmode=disable",
        proxy.port
    );
    let ledger = "cut/event";
    server.writer().create(ledger);
    let mut acknowledged = Vec::new();
    let mut agent = Agent::new(ledger, || command(&url));
    let cuts = cut_everywhere(&proxy, |cut| {
        acknowledged
            .push(agent.write(|prev| lines::note("g", &format!("{cut:?}").replace('"', ""), prev)));
        agent.leave();
    });
    judge(
        &mut server.writer(),
        ledger,
        &acknowledged,
        &[&agent.replica],
    );
    assert!(cuts > 50, "only {cuts} messages");
    assert!(agent.errors["unknown"] > 0, "{:?}", agent.errors);
    eprintln!("connection cut at {cuts} messages: {:?}", agent.errors);
}

#[test]
fn a_lease_has_one_holder_wherever_the_connection_is_cut() {
    let Some(server) = shared() else { return };
    let proxy = Proxy::to(server.port);
    let url = format!(
        "postgres://writer@127.0.0.1:{}/postgres?sslmode=disable",
        proxy.port
    );
    let ledger = "cut/lease";
    let mut direct = server.writer();
    direct.create(ledger);
    let acquire = |goal: &str, holder: &str| {
        json!({"verb": "lease", "act": "acquire", "ledger": ledger, "goal": goal, "holder": holder,
               "ttlMs": 300_000})
    };
    let mut goals = 0;
    cut_everywhere(&proxy, |cut| {
        goals += 1;
        let goal = goals.to_string();
        let mut helper = Helper::start(&url);
        let first = helper.ask(acquire(&goal, "cut"));
        assert!(
            ["ok", "unknown", "unreachable"].contains(&first.code()),
            "{cut:?}: {first:?}"
        );
        // The holder asks again and has it; nobody else does.
        until("it is acquired", || {
            (helper.ask(acquire(&goal, "cut")).code() == "ok").then_some(())
        });
        assert_eq!(direct.ask(acquire(&goal, "other")).code(), "held");
    });
}
