//! Prints how fast the store is here: writers on one ledger, one writer on each of many ledgers, and
//! a long ledger. It judges nothing.
//!
//! `cargo bench --package goal-store-postgres --bench figures -- [SECONDS]`; the long ledger with
//! `GOAL_PG_LONG=1`.

#![expect(clippy::unwrap_used, reason = "what fails ends the program")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it prints figures"
)]
#![expect(dead_code, reason = "the tests use more of the support than this")]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use support::crowd::quantile;
use support::helper::{Helper, begin, command};
use support::lines;
use support::server::Server;

fn main() {
    let seconds = std::env::args()
        .filter_map(|it| it.parse().ok())
        .next()
        .unwrap_or(5);
    let time = Duration::from_secs(seconds);
    let Some(server) = Server::start(&[]) else {
        return;
    };
    println!("| what | events/s | slowest/fastest | p50 ms | p99 ms | longest ms | errors |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for writers in [1, 16] {
        let name = format!("one ledger, {writers} writers");
        row(&server, &name, writers, 1, time, true);
    }
    row(
        &server,
        "one ledger, 16 writers, a process for each event",
        16,
        1,
        time,
        false,
    );
    for writers in [16, 100] {
        let name = format!("100 ledgers, {writers} writers");
        row(&server, &name, writers, 100, time, true);
    }
    if std::env::var_os("GOAL_PG_LONG").is_some() {
        long(&server);
    }
}

/// Prints the figures of writers that append as fast as they can. Each takes the ledgers in turn.
fn row(server: &Server, name: &str, writers: usize, ledgers: usize, time: Duration, keeps: bool) {
    let mut store = server.writer();
    let ledger = |number: usize| format!("{name}/{number}").replace([' ', ','], "-");
    (0..ledgers).for_each(|number| store.create(&ledger(number)));
    let url = server.url("writer");
    let (begun, until) = (Instant::now(), Instant::now() + time);
    let results: Vec<(Vec<Duration>, usize)> = thread::scope(|scope| {
        let all: Vec<_> = (0..writers)
            .map(|writer| {
                let (ledger, url) = (&ledger, &url);
                scope.spawn(move || {
                    let mut writing = Writing {
                        url,
                        helper: None,
                        ends: vec![0; ledgers],
                    };
                    let (mut times, mut errors) = (Vec::new(), 0);
                    for turn in 0.. {
                        let asked = Instant::now();
                        if asked >= until {
                            break;
                        }
                        let number = (writer + turn * writers) % ledgers;
                        match writing.one(number, &ledger(number), writer, turn) {
                            true => times.push(asked.elapsed()),
                            false => errors += 1,
                        }
                        if !keeps {
                            writing.helper = None;
                        }
                    }
                    (times, errors)
                })
            })
            .collect();
        all.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let took = begun.elapsed().as_secs_f64();
    let counts: Vec<usize> = results.iter().map(|it| it.0.len()).collect();
    let errors: usize = results.iter().map(|it| it.1).sum();
    let mut times: Vec<Duration> = results.into_iter().flat_map(|it| it.0).collect();
    let fair = *counts.iter().min().unwrap() as f64 / *counts.iter().max().unwrap() as f64;
    let rate = times.len() as f64 / took;
    let mut ms = |part| quantile(&mut times, part).as_secs_f64() * 1000.0;
    let (half, most, longest) = (ms(0.5), ms(0.99), ms(1.0));
    println!(
        "| {name} | {rate:.0} | {fair:.2} | {half:.1} | {most:.1} | {longest:.1} | {errors} |"
    );
}

struct Writing<'a> {
    url: &'a str,
    helper: Option<Helper>,
    ends: Vec<u64>,
}

impl Writing<'_> {
    /// Appends one line of some 500 bytes. Whether it was recorded at once.
    fn one(&mut self, number: usize, ledger: &str, writer: usize, turn: usize) -> bool {
        let helper = self
            .helper
            .get_or_insert_with(|| Helper::of(command(self.url)));
        let begun = helper.ask(begin(ledger, self.ends[number]));
        if begun.code() != "ok" {
            return false;
        }
        let text = format!("{writer} {turn} {}", "x".repeat(350));
        let line = lines::note("g", &text, lines::NONE);
        let id = lines::id(&line);
        let appended = helper.append(begun.end(), &[(Some(&id), &line)]);
        if appended.code() != "ok" {
            return false;
        }
        self.ends[number] = appended.end();
        true
    }
}

/// A million lines: pushed, and read again with the helper's memory.
fn long(server: &Server) {
    const LINES: usize = 1_000_000;
    const PIECE: usize = 10_000;
    let mut helper = server.writer();
    helper.create("long");
    let begun = Instant::now();
    let mut end = 0;
    for piece in 0..LINES / PIECE {
        helper.ask(begin("long", end));
        let lines: Vec<_> = (0..PIECE)
            .map(|number| {
                let text = format!("{piece} {number} {}", "x".repeat(350));
                let line = lines::note("g", &text, lines::NONE);
                json!({"id": lines::id(&line), "line": line})
            })
            .collect();
        let append = json!({"verb": "append", "after": end, "lines": lines});
        end = helper.ask(append).end();
    }
    let pushed = begun.elapsed();
    let mut reader = server.writer();
    let begun = Instant::now();
    let watch = json!({"verb": "watch", "ledger": "long", "from": 0, "waitMs": 0});
    reader.send(&watch).unwrap();
    let lines = reader.skip_answer();
    let read = begun.elapsed();
    let status = fs::read_to_string(format!("/proc/{}/status", reader.child.id())).unwrap();
    let peak = status
        .lines()
        .find(|it| it.starts_with("VmHWM"))
        .unwrap_or_default();
    let begun = Instant::now();
    reader.ask(begin("long", end));
    println!(
        "\n{lines} lines, {} MB: pushed in {:.1} s in {} appends, read in {:.1} s, helper's peak \
         memory {}; a turn at its end took {:.1} ms",
        end / 1_000_000,
        pushed.as_secs_f64(),
        LINES / PIECE,
        read.as_secs_f64(),
        peak.trim_start_matches("VmHWM:").trim(),
        begun.elapsed().as_secs_f64() * 1000.0
    );
}
