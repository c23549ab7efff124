//! The server and the helper killed at any moment: acknowledged lines are there, none twice.

use rustix::process::{Pid, Signal, kill_process};

use crate::support::from_environment;
use crate::support::server::{Server, shared};
use crate::support::writers::while_they_write;

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
    let written = while_they_write(ledger, &server.url("writer"), |writers| {
        for kill in 0..kills {
            // Kills come after another number of events each time, so at another moment of one.
            writers.write(1 + kill % 7);
            match kill % 2 {
                0 => server.down(),
                _ => server.kill(),
            }
            server.up();
        }
    });
    written.judge(&mut server.writer(), ledger);
    eprintln!(
        "server killed {kills} times: {} events acknowledged, 0 lost, 0 twice; {} unknown",
        written.acknowledged.len(),
        written.unknown
    );
}

#[test]
fn helpers_killed_under_writers_lose_nothing_and_double_nothing() {
    let Some(server) = shared() else { return };
    let kills = from_environment("GOAL_PG_HELPER_KILLS", 60);
    let ledger = "killed/helper";
    server.writer().create(ledger);
    let written = while_they_write(ledger, &server.url("writer"), |writers| {
        for kill in 0..kills {
            writers.write(1 + kill % 3);
            if let Some(pid) = writers.helper(kill).and_then(Pid::from_raw) {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    });
    written.judge(&mut server.writer(), ledger);
    eprintln!(
        "helpers killed {kills} times: {} events acknowledged, 0 lost, 0 twice",
        written.acknowledged.len()
    );
}
