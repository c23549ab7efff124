//! The helper killed on entering each of its system calls, one run for each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::agent::{Agent, judge};
use crate::support::helper::command;
use crate::support::lines;
use crate::support::server::shared;

const STRACE: &str = "/usr/bin/strace";

/// The program under strace, with these options.
fn traced(url: &str, options: &[String]) -> Command {
    let plain = command(url);
    let mut traced = Command::new(STRACE);
    traced
        .args(["-f", "-qq"])
        .args(options)
        .arg(plain.get_program())
        .env_clear();
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    traced
}

/// How often each system call is made while one event is recorded.
fn calls(url: &str, ledger: &str, dir: &Path) -> BTreeMap<String, usize> {
    let log = dir.join("calls");
    let options = ["-o".to_owned(), log.display().to_string()];
    let mut agent = Agent::new(ledger, || traced(url, &options));
    agent.write(|prev| lines::note("g", "traced", prev));
    agent.leave();
    let mut found = BTreeMap::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        // A line is a thread's number, a call and its arguments.
        let call = line
            .split_whitespace()
            .nth(1)
            .and_then(|it| it.split_once('('));
        if let Some((name, _)) = call {
            *found.entry(name.to_owned()).or_default() += 1;
        }
    }
    found
}

#[test]
fn an_event_is_recorded_once_wherever_the_helper_is_killed() {
    if !Path::new(STRACE).exists() {
        eprintln!("SKIPPED: kills at system calls: there is no {STRACE}");
        return;
    }
    let Some(server) = shared() else { return };
    let url = server.url("writer");
    let (before, ledger) = ("syscalls/traced", "syscalls/killed");
    server.writer().create(before);
    server.writer().create(ledger);
    let dir = tempfile::tempdir().unwrap();
    let all = calls(&url, before, dir.path()).into_iter();
    let all: Vec<(String, usize)> = all
        .flat_map(|(name, count)| (1..=count).map(move |number| (name.clone(), number)))
        .collect();
    assert!(all.len() > 100, "{all:?}");
    let mut acknowledged = Vec::new();
    let mut replica = Vec::new();
    let mut killed = 0;
    for (name, number) in &all {
        let inject = format!("inject={name}:signal=KILL:when={number}");
        let options = ["-o", "/dev/null", "-e", &inject].map(str::to_owned);
        let first = AtomicBool::new(true);
        let mut agent = Agent::new(ledger, || match first.swap(false, Ordering::Relaxed) {
            true => traced(&url, &options),
            false => command(&url),
        });
        agent.replica = replica;
        let text = format!("{name} {number}");
        acknowledged.push(agent.write(|prev| lines::note("g", &text, prev)));
        killed += usize::from(!agent.errors.is_empty());
        replica = std::mem::take(&mut agent.replica);
    }
    judge(&mut server.writer(), ledger, &acknowledged, &[&replica]);
    eprintln!(
        "helper killed at {killed} system calls of {}: 0 lost, 0 twice",
        all.len()
    );
}
