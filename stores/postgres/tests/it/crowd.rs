//! Simulated agents on many ledgers. Afterwards three readers must agree: the agents' own receipts,
//! the views in SQL, and `goal`, which replays the lines.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::agent::judge;
use crate::support::crowd::{Crowd, ledger, quantile};
use crate::support::helper::command;
use crate::support::server::Server;
use crate::support::{from_environment, goal};

/// What `goal` makes of these lines: the status of each goal. The ledger must have no findings.
fn replayed(goal: &Path, lines: &[&str]) -> HashMap<String, String> {
    let dir = tempfile::tempdir().unwrap();
    let goals = dir.path().join(".pi/goals");
    fs::create_dir_all(&goals).unwrap();
    fs::write(goals.join("goal_events.jsonl"), lines.join("\n") + "\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(goal);
        command
            .args(arguments)
            .current_dir(dir.path())
            .env_clear()
            .env("HOME", dir.path());
        let done = command.env("GOAL_ACTOR", "user").output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{arguments:?}: {said}");
        done.stdout
    };
    run(&["verify"]);
    let listed: serde_json::Value =
        serde_json::from_slice(&run(&["--json", "list", "--all", "--limit", "0"])).unwrap();
    let listed = listed["data"]["goals"]
        .as_array()
        .unwrap_or_else(|| panic!("{listed}"))
        .iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    listed
        .map(|it| (text(&it["goalId"]), text(&it["status"])))
        .collect()
}

#[test]
fn receipts_sql_and_replay_agree_about_a_crowd() {
    let Some(server) = Server::start(&["max_connections = 1200"]) else {
        return;
    };
    let crowd = Crowd {
        agents: from_environment("GOAL_PG_AGENTS", 40),
        ledgers: from_environment("GOAL_PG_LEDGERS", 8),
        time: Duration::from_secs(from_environment("GOAL_PG_SECONDS", 0) as u64),
        pause: Duration::from_millis(from_environment("GOAL_PG_PAUSE_MS", 20) as u64),
    };
    let mut store = server.writer();
    for number in 0..crowd.ledgers {
        store.create(&ledger(number));
    }
    let url = server.url("writer");
    let mut outcome = crowd.run(|| command(&url));

    let goal = goal();
    for (name, acknowledged) in &outcome.acknowledged {
        judge(&mut store, name, acknowledged, &[]);
        let sql =
            format!("SELECT goal, status, events FROM goal_store.goal WHERE ledger = '{name}'");
        let rows = server.sql(&sql);
        let mut events = 0;
        let mut by_sql = HashMap::new();
        for row in rows.lines() {
            let mut columns = row.split('|').map(str::to_owned);
            let (goal, status) = (columns.next().unwrap(), columns.next().unwrap());
            assert_eq!(outcome.statuses[&goal], status, "{goal}");
            events += columns.next().unwrap().parse::<usize>().unwrap();
            by_sql.insert(goal, status);
        }
        assert_eq!(events, acknowledged.len());
        if let Some(goal) = &goal {
            assert_eq!(replayed(goal, &store.read(name).lines()), by_sql, "{name}");
        }
    }
    let events = outcome.latencies.len();
    let mut ms = |part| quantile(&mut outcome.latencies, part).as_millis();
    let (half, most, longest) = (ms(0.5), ms(0.99), ms(1.0));
    eprintln!(
        "{} agents on {} ledgers: {events} events, each by a process of its own: {half} ms in the \
         middle, {most} ms for 99 of 100, {longest} ms at the longest; errors {:?}",
        crowd.agents, crowd.ledgers, outcome.errors
    );
}
