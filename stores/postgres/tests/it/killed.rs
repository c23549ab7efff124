//! The server and the helper killed at any moment: acknowledged lines are there, none twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::agent::{Agent, judge};
use crate::support::helper::command;
use crate::support::server::{Server, shared};
use crate::support::{Stop, from_environment, lines, until};

const WRITERS: usize = 4;

/// Writers append while the server is killed and started again, so often.
#[test]
fn the_server_killed_under_writers_loses_nothing_and_doubles_nothing() {
    // The program has to mend the last setting by itself.
    let settings = ["synchronous_commit = off", "wal_writer_delay = 10s"];
    let Some(server) = Server::start(&settings) else {
        return;
    };
    let kills = from_environment("GOAL_PG_SERVER_KILLS", 12);
    let ledger = "killed/server";
    server.writer().create(ledger);
    let (done, stop) = (AtomicUsize::new(0), Stop::default());
    let url = server.url("writer");
    let results: Vec<_> = thread::scope(|scope| {
        let guard = stop.guard();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (done, stop, url) = (&done, &stop, &url);
                scope.spawn(move || {
                    let mut agent = Agent::new(ledger, || command(url));
                    let mut acknowledged = Vec::new();
                    while !stop.is_set() {
                        let text = format!("{writer} {}", acknowledged.len());
                        acknowledged.push(agent.write(|prev| lines::note("g", &text, prev)));
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    (acknowledged, agent.replica, agent.errors)
                })
            })
            .collect();
        for kill in 0..kills {
            // Kills come after another number of events each time, so at another moment of one.
            let from = done.load(Ordering::Relaxed);
            until("they write", || {
                (done.load(Ordering::Relaxed) > from + kill % 7).then_some(())
            });
            match kill % 2 {
                0 => server.down(),
                _ => server.kill(),
            }
            server.up();
        }
        drop(guard);
        writers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let acknowledged: Vec<String> = results.iter().flat_map(|it| it.0.clone()).collect();
    let replicas: Vec<&[u8]> = results.iter().map(|it| it.1.as_slice()).collect();
    judge(&mut server.writer(), ledger, &acknowledged, &replicas);
    let unknown: usize = results.iter().filter_map(|it| it.2.get("unknown")).sum();
    eprintln!(
        "server killed {kills} times: {} events acknowledged, 0 lost, 0 twice; {unknown} unknown",
        acknowledged.len()
    );
}

#[test]
fn helpers_killed_under_writers_lose_nothing_and_double_nothing() {
    let Some(server) = shared() else { return };
    let kills = from_environment("GOAL_PG_HELPER_KILLS", 60);
    let ledger = "killed/helper";
    server.writer().create(ledger);
    let url = server.url("writer");
    let current: [AtomicUsize; WRITERS] = Default::default();
    let (done, stop) = (AtomicUsize::new(0), Stop::default());
    let results: Vec<_> = thread::scope(|scope| {
        let guard = stop.guard();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (done, stop, url, current) = (&done, &stop, &url, &current);
                scope.spawn(move || {
                    let mut agent = Agent::new(ledger, || command(url));
                    let mut acknowledged = Vec::new();
                    while !stop.is_set() {
                        let text = format!("{writer} {}", acknowledged.len());
                        acknowledged.push(agent.write(|prev| lines::note("g", &text, prev)));
                        let pid = agent.pid().map_or(0, i32::unsigned_abs);
                        current[writer].store(pid as usize, Ordering::Relaxed);
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    // Nobody may kill it after it was reaped.
                    current[writer].store(0, Ordering::Relaxed);
                    (acknowledged, agent.replica)
                })
            })
            .collect();
        for kill in 0..kills {
            let from = done.load(Ordering::Relaxed);
            until("they write", || {
                (done.load(Ordering::Relaxed) > from + kill % 3).then_some(())
            });
            let pid = current[kill % WRITERS].swap(0, Ordering::Relaxed);
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        drop(guard);
        writers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let acknowledged: Vec<String> = results.iter().flat_map(|it| it.0.clone()).collect();
    let replicas: Vec<&[u8]> = results.iter().map(|it| it.1.as_slice()).collect();
    judge(&mut server.writer(), ledger, &acknowledged, &replicas);
    eprintln!(
        "helpers killed {kills} times: {} events acknowledged, 0 lost, 0 twice",
        acknowledged.len()
    );
}
