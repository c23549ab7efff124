//! `goal-store-postgres`: keeps ledgers of `goal` in PostgreSQL.
//!
//! Without arguments it is a helper: it reads requests from stdin and answers on stdout, as
//! `docs/stores.md` of `goal` says. The other commands are for the people who run the database.

mod administer;
mod append;
mod begin;
mod configuration;
mod connection_string;
mod durability;
mod failure;
mod leases;
mod ledgers;
mod lines;
mod migrations;
mod output;
mod protocol;
mod requests;
mod serve;
mod server;
mod session;
mod tls;
mod watch;

use std::io::Write;
use std::process::ExitCode;

const HELP: &str = "\
Keeps ledgers of goal in PostgreSQL.

goal-store-postgres            serves `goal`: requests on stdin, answers on stdout
goal-store-postgres migrate    makes or updates the tables; run it as their owner
goal-store-postgres roles      makes the roles goal_writer and goal_reader; run it as the owner
goal-store-postgres grant LEDGER USER [--read]
                               lets a user or a group write a ledger, or only read it
goal-store-postgres revoke LEDGER USER
                               takes every right to a ledger from a user or a group
goal-store-postgres status     says how safe the server keeps what it acknowledges

`migrate --print` and `roles --print` print the SQL and do nothing.

The connection is taken from the first of these that is there:
  GOAL_STORE_POSTGRES          a connection string, as psql takes it
  goal/config.toml             in your configuration directory, below [store.helper]:
                               connection = \"…\"
  PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSSLMODE, PGSSLROOTCERT
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return told(&format!("cannot start: {error}"), 74),
    };
    let done = match words[..] {
        [] => runtime.block_on(serve::serve()),
        ["migrate"] => runtime.block_on(administer::migrate()),
        ["migrate", "--print"] => output::page(&migrations::all()),
        ["roles"] => runtime.block_on(administer::roles()),
        ["roles", "--print"] => output::page(migrations::ROLES),
        ["grant", ledger, role] => runtime.block_on(administer::grant(ledger, role, true)),
        ["grant", ledger, role, "--read"] => {
            runtime.block_on(administer::grant(ledger, role, false))
        }
        ["revoke", ledger, role] => runtime.block_on(administer::revoke(ledger, role)),
        ["status"] => runtime.block_on(administer::status()),
        ["--help" | "-h" | "help"] => output::page(HELP),
        ["--version" | "-V"] => output::page(concat!(
            "goal-store-postgres ",
            env!("CARGO_PKG_VERSION"),
            "\n"
        )),
        _ => return told(HELP, 64),
    };
    // A read of stdin that still waits must not keep the program.
    runtime.shutdown_background();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => told(&failure.to_string(), failure.exit_code()),
    }
}

/// Says on stderr why the program ends.
fn told(text: &str, code: u8) -> ExitCode {
    // Where nobody reads stderr there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
    ExitCode::from(code)
}
