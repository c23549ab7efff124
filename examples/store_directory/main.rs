//! A helper that keeps ledgers in a directory: the smallest one that holds everything that
//! docs/stores.md asks for. Read it before you write your own.
//!
//! `store_directory DIR` serves the ledgers in DIR. A ledger has two files: its lines, and its end. Lines
//! behind the end were never acknowledged, and the next turn cuts them off.

mod leases;
mod ledger;

use ledger::{Ledger, written_at};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// How long a helper may keep a turn before another one takes it.
const TURN: Duration = Duration::from_secs(10);

/// How often somebody who waits looks again.
const INTERVAL: Duration = Duration::from_millis(2);

fn main() -> io::Result<()> {
    let dir = std::env::args().nth(1).map(PathBuf::from);
    let dir = dir.ok_or_else(|| io::Error::other("usage: store_directory DIR"))?;
    serve(dir, io::stdin().lock(), io::stdout().lock())
}

/// Answers one request after another until there are no more.
pub fn serve(dir: PathBuf, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    refuse_gone(&dir)?;
    fs::create_dir_all(&dir)?;
    let mut store = Store {
        dir,
        turn: None,
        turn_limit: variable("GOAL_STORE_TURN_MS").map_or(TURN, Duration::from_millis),
        fault: std::env::var("GOAL_STORE_FAULT").unwrap_or_default(),
    };
    let served = input.lines().try_for_each(|line| {
        refuse_gone(&store.dir)?;
        let last = match store.answer(&line?, &mut output) {
            Ok(last) => last,
            Err(Failed::Refused(code, message)) => {
                json!({"error": {"code": code, "message": message}})
            }
            Err(Failed::Held { holder, left_ms }) => {
                let message = format!("{holder} has the lease");
                json!({"error": {
                    "code": "held", "message": message, "holder": holder, "leftMs": left_ms,
                }})
            }
            Err(Failed::Io(error)) => {
                json!({"error": {"code": "failed", "message": error.to_string()}})
            }
        };
        say(&mut output, &last)
    });
    // Also where nobody reads the answers any more.
    store.give_back()?;
    served
}

/// Ends a helper whose store is away, as one ends whose server is.
fn refuse_gone(dir: &Path) -> io::Result<()> {
    match dir.with_extension("gone").exists() {
        true => Err(io::Error::other("the store is gone")),
        false => Ok(()),
    }
}

/// A number of milliseconds from the environment.
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn say(output: &mut impl Write, answer: &Value) -> io::Result<()> {
    writeln!(output, "{answer}")?;
    output.flush()
}

enum Failed {
    Refused(&'static str, String),
    Held { holder: String, left_ms: u64 },
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Io(error)
    }
}

fn refused<T>(code: &'static str, message: impl Into<String>) -> Result<T, Failed> {
    Err(Failed::Refused(code, message.into()))
}

struct Store {
    dir: PathBuf,
    turn: Option<Turn>,
    turn_limit: Duration,
    /// A rule that this helper breaks on purpose, for the tests of the conformance suite.
    fault: String,
}

/// The turn that this helper has.
struct Turn {
    ledger: Ledger,
    token: String,
    end: u64,
}

impl Store {
    fn breaks(&self, rule: &str) -> bool {
        self.fault == rule
    }

    /// The store is gone, for whoever comes after this, too.
    fn vanish(&self) -> io::Result<()> {
        fs::rename(&self.dir, self.dir.with_extension("gone"))?;
        std::process::exit(1)
    }

    fn answer(&mut self, line: &str, output: &mut impl Write) -> Result<Value, Failed> {
        let Ok(request) = serde_json::from_str::<Value>(line) else {
            return refused("invalid", "the request is not JSON");
        };
        match request["verb"].as_str() {
            Some("hello") => self.hello(&request),
            Some("create") => {
                let created = Ledger::named(&self.dir, &request)?.create()?;
                Ok(json!({"ok": true, "created": created}))
            }
            Some("begin") => self.begin(&request, output),
            Some("append") => self.append(&request),
            Some("watch") => self.watch(&request, output),
            Some("lease") if self.is_busy(&request) => {
                fs::write(self.dir.join("busy"), "")?;
                refused("busy", "others have the lock")
            }
            Some("lease") => leases::lease(&Ledger::named(&self.dir, &request)?, &request),
            Some("ledgers") => self.ledgers(output),
            Some(verb) => refused("unsupported", format!("there is no verb `{verb}`")),
            None => refused("invalid", "the request has no verb"),
        }
    }

    /// Whether a lease is not renewed, the first time.
    fn is_busy(&self, request: &Value) -> bool {
        let first = self.breaks("busy_lease") && !self.dir.join("busy").exists();
        first && request["act"] == "renew"
    }

    fn hello(&self, request: &Value) -> Result<Value, Failed> {
        let versions = request["versions"].as_array();
        let mut can = vec!["create", "ledgers"];
        if !self.breaks("no_leases") {
            can.push("lease");
        }
        match versions.is_some_and(|them| them.iter().any(|it| it == 1)) {
            true => Ok(json!({"ok": true, "version": 1, "name": "directory", "can": can})),
            false => refused("unsupported", "only version 1 is known"),
        }
    }

    fn begin(&mut self, request: &Value, output: &mut impl Write) -> Result<Value, Failed> {
        self.give_back()?;
        let (ledger, from) = (Ledger::named(&self.dir, request)?, number(request, "from")?);
        let end = ledger.end()?;
        let until = Instant::now() + Duration::from_millis(number(request, "waitMs")?);
        let token = fresh();
        while !self.breaks("overlap") && !ledger.take_turn(&token, self.turn_limit)? {
            if Instant::now() >= until {
                return refused("busy", "others have the turn");
            }
            sleep(INTERVAL);
        }
        // Others may have appended while we waited.
        let end = ledger.end()?.max(end);
        self.turn = Some(Turn { ledger, token, end });
        let Some(turn) = &self.turn else {
            return refused("failed", "the turn is lost");
        };
        if from > end && !self.breaks("ahead") {
            let answer = refused("ahead", "the ledger ends before that");
            self.give_back()?;
            return answer;
        }
        self.read(&turn.ledger, from.min(end), end, output)?;
        Ok(json!({"ok": true, "end": end, "warnings": []}))
    }

    fn append(&mut self, request: &Value) -> Result<Value, Failed> {
        let Some(turn) = self.turn.take() else {
            return refused("invalid", "append comes after begin");
        };
        let done = self.append_in(&turn, request);
        if !self.breaks("keeps_turn") {
            turn.ledger.end_turn(&turn.token)?;
        }
        let end = done?;
        if end == turn.end {
            // Nothing was appended that could be lost.
            return Ok(json!({"ok": true, "end": end}));
        }
        match self.fault.as_str() {
            "dies_after_append" => std::process::exit(1),
            "unknown_then_gone" => self.vanish()?,
            "unknown_recorded" => {
                return refused("unknown", "the connection broke behind the commit");
            }
            "fails_after_append" => return refused("failed", "the disk is full now"),
            _ => {}
        }
        Ok(json!({"ok": true, "end": end}))
    }

    fn append_in(&self, turn: &Turn, request: &Value) -> Result<u64, Failed> {
        let after = number(request, "after")?;
        let lines = request["lines"].as_array().cloned().unwrap_or_default();
        if self.breaks("unknown_lost") {
            return refused("unknown", "the connection broke before the commit");
        }
        let joins = lines
            .iter()
            .any(|it| it["line"].to_string().contains("store_joined"));
        if self.breaks("dies_at_append") || (self.breaks("dies_at_join") && joins) {
            std::process::exit(1);
        }
        if self.breaks("lost_then_gone") {
            self.vanish()?;
        }
        // The whole append is done under the lock that a turn is taken under: nobody takes it away now.
        let guard = turn.ledger.locked()?;
        let still_ours = turn.ledger.turn_is(&turn.token)? || self.breaks("overlap");
        let moved = after != turn.end || !still_ours || turn.ledger.end()? != turn.end;
        if moved && !self.breaks("moved") {
            return refused("moved", "the turn was lost");
        }
        let claim = &request["lease"];
        let is_fenced = !claim.is_null() && !leases::is_current(&turn.ledger, claim)?;
        if is_fenced && !self.breaks("fence") {
            return refused("fenced", "the lease is over");
        }
        let (known, (_, ids_end)) = (turn.ledger.ids()?, turn.ledger.ends()?);
        let mut fresh = BTreeSet::new();
        let mut bytes = Vec::new();
        for line in &lines {
            let Some(text) = line["line"].as_str() else {
                return refused("invalid", "a line is a text");
            };
            if let Some(id) = line["id"].as_str() {
                let is_new = !known.contains(id) && fresh.insert(id.to_owned());
                if !is_new && !self.breaks("duplicate") {
                    return refused("duplicate", format!("line {id} is there already"));
                }
            }
            let text = match self.breaks("bytes") {
                true => text.trim(),
                false => text,
            };
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b'\n');
            if self.breaks("halves") {
                // Each line is committed by itself, and slowly.
                let so_far = turn.end + bytes.len() as u64;
                turn.ledger.write("lines", &bytes, turn.end)?;
                turn.ledger.put_ends(so_far, ids_end)?;
                sleep(INTERVAL * 10);
            }
        }
        let end = match self.breaks("end") {
            true => turn.end,
            false => turn.end + bytes.len() as u64,
        };
        if self.breaks("forgets") {
            return Ok(end);
        }
        let ids: String = fresh.iter().map(|id| format!("{id}\n")).collect();
        turn.ledger.write("lines", &bytes, turn.end)?;
        turn.ledger.write("ids", ids.as_bytes(), ids_end)?;
        let lines_end = turn.end + bytes.len() as u64;
        turn.ledger
            .put_ends(lines_end, ids_end + ids.len() as u64)?;
        drop(guard);
        Ok(end)
    }

    fn watch(&mut self, request: &Value, output: &mut impl Write) -> Result<Value, Failed> {
        let (ledger, from) = (Ledger::named(&self.dir, request)?, number(request, "from")?);
        let until = Instant::now() + Duration::from_millis(number(request, "waitMs")?);
        let mut end = ledger.end()?;
        while end <= from && Instant::now() < until && !self.breaks("watch") {
            sleep(INTERVAL);
            end = ledger.end()?;
        }
        if from > end {
            return refused("ahead", "the ledger ends before that");
        }
        self.read(&ledger, from, end, output)?;
        Ok(json!({"ok": true, "end": end, "warnings": []}))
    }

    fn ledgers(&self, output: &mut impl Write) -> Result<Value, Failed> {
        let mut names: Vec<String> = fs::read_dir(&self.dir)?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".lines")?.replace('~', "/")))
            .collect();
        names.sort();
        for name in names {
            let ledger = Ledger::named(&self.dir, &json!({"ledger": &name}))?;
            let end = ledger.end()?;
            let mut bytes = vec![0; end as usize];
            File::open(ledger.path("lines"))?.read_exact(&mut bytes)?;
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            let at = (end > 0).then(|| written_at(&ledger.path("end"))).flatten();
            say(
                output,
                &json!({"ledger": name, "end": end, "lines": lines, "at": at}),
            )?;
        }
        Ok(json!({"ok": true}))
    }

    /// Says the lines from the one that contains the byte before `from`, up to the end.
    fn read(
        &self,
        ledger: &Ledger,
        from: u64,
        end: u64,
        output: &mut impl Write,
    ) -> Result<(), Failed> {
        let file = File::open(ledger.path("lines"))?;
        let mut begin = from.saturating_sub(1);
        let mut byte = [0];
        while begin > 0 {
            file.read_exact_at(&mut byte, begin - 1)?;
            if byte == *b"\n" {
                break;
            }
            begin -= 1;
        }
        if self.breaks("from") {
            begin = from;
        }
        let mut bytes = vec![0; (end - begin) as usize];
        file.read_exact_at(&mut bytes, begin)?;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&line[..line.len() - 1]);
            say(output, &json!({"line": line}))?;
        }
        Ok(())
    }

    fn give_back(&mut self) -> io::Result<()> {
        match self.turn.take() {
            Some(turn) if !self.breaks("keeps_turn") => turn.ledger.end_turn(&turn.token),
            _ => Ok(()),
        }
    }
}

fn number(request: &Value, field: &str) -> Result<u64, Failed> {
    match request[field].as_u64() {
        Some(number) => Ok(number),
        None => refused("invalid", format!("`{field}` is a number")),
    }
}

fn fresh() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!(
        "{}-{}",
        std::process::id(),
        now.map_or(0, |it| it.as_nanos())
    )
}
