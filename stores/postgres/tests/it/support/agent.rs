//! The side of `goal`: a replica, and writing that goes on until the event is recorded.
//!
//! It holds what the protocol promises while it works: what comes from the store continues the
//! replica byte for byte, and an unknown outcome is settled by looking for the id.

use std::collections::BTreeMap;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::helper::{Answer, Helper, append, begin};
use super::lines;

pub struct Agent<'a> {
    ledger: String,
    start: Box<dyn Fn() -> Command + Send + 'a>,
    helper: Option<Helper>,
    /// What the store has, so far as this agent has seen it.
    pub replica: Vec<u8>,
    /// How often each error came.
    pub errors: BTreeMap<String, usize>,
}

impl<'a> Agent<'a> {
    /// An agent that starts the program with this command.
    pub fn new(ledger: &str, start: impl Fn() -> Command + Send + 'a) -> Self {
        Agent {
            ledger: ledger.to_owned(),
            start: Box::new(start),
            helper: None,
            replica: Vec::new(),
            errors: BTreeMap::new(),
        }
    }

    /// Lets the program end, as `goal` does after each command.
    pub fn leave(&mut self) {
        if let Some(mut helper) = self.helper.take() {
            helper.stdin = None;
            helper.child.wait().unwrap();
        }
    }

    /// The process of the program, if it runs.
    pub fn pid(&self) -> Option<i32> {
        self.helper.as_ref().map(|it| it.child.id().cast_signed())
    }

    /// Records a line, which is made from the id of the line before it. Tries until it is there.
    pub fn write(&mut self, line: impl Fn(&str) -> String) -> String {
        let mut sent: Option<String> = None;
        let begun = Instant::now();
        loop {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "never recorded: {:?}",
                self.errors
            );
            let Ok(begun) = self.ask(&begin(&self.ledger, self.replica.len() as u64)) else {
                continue;
            };
            self.take(&begun);
            if let Some(id) = sent.take().filter(|id| self.has(id)) {
                // What was found is acknowledged once the end of the turn says that it is durable.
                match self.ask(&append(begun.end(), &[])) {
                    Ok(_) => return id,
                    Err(_) => sent = Some(id),
                }
                continue;
            }
            let new = line(&self.last_id());
            let id = lines::id(&new);
            let end = begun.end() + new.len() as u64 + 1;
            match self.ask(&append(begun.end(), &[(Some(&id), &new)])) {
                Ok(answer) => {
                    assert_eq!(answer.end(), end);
                    self.replica
                        .extend_from_slice(format!("{new}\n").as_bytes());
                    return id;
                }
                // Any other error says that nothing was recorded, and is believed.
                Err(code) if ["unknown", "none"].contains(&&*code) => sent = Some(id),
                Err(_) => {}
            }
        }
    }

    /// A successful answer, or the code of an error after which it is to be tried again.
    fn ask(&mut self, request: &serde_json::Value) -> Result<Answer, String> {
        let helper = self
            .helper
            .get_or_insert_with(|| Helper::of((self.start)()));
        let answer = helper.try_ask(request);
        let code = match answer {
            Some(answer) if answer.code() == "ok" => return Ok(answer),
            Some(answer) => answer.code().to_owned(),
            None => "none".to_owned(),
        };
        let again = ["busy", "unreachable", "unknown", "moved", "none"];
        assert!(again.contains(&&*code), "{request}: {code}");
        if ["unreachable", "unknown", "none"].contains(&&*code) {
            self.helper = None;
            // The pause of a client that is polite; nothing is concluded from it.
            thread::sleep(Duration::from_millis(20));
        }
        *self.errors.entry(code.clone()).or_default() += 1;
        Err(code)
    }

    /// Takes what the store has beyond the replica.
    fn take(&mut self, begun: &Answer) {
        let mut lines = begun.lines().into_iter();
        if !self.replica.is_empty() {
            let seen = lines
                .next()
                .unwrap_or_else(|| panic!("no line before the end"));
            assert_eq!(
                seen,
                self.last_line(),
                "the store has another line than the replica"
            );
        }
        for line in lines {
            self.replica.extend_from_slice(line.as_bytes());
            self.replica.push(b'\n');
        }
        assert_eq!(self.replica.len() as u64, begun.end());
    }

    fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        std::str::from_utf8(&self.replica).unwrap().lines()
    }

    fn last_line(&self) -> &str {
        self.lines().next_back().unwrap_or_default()
    }

    fn last_id(&self) -> String {
        match self.replica.is_empty() {
            true => lines::NONE.to_owned(),
            false => lines::id(self.last_line()),
        }
    }

    fn has(&self, id: &str) -> bool {
        self.lines().rev().any(|line| lines::id(line) == id)
    }
}

/// Holds that a ledger has each acknowledged line once, nothing else, and that it continues each
/// replica.
pub fn judge(store: &mut Helper, ledger: &str, acknowledged: &[String], replicas: &[&[u8]]) {
    let read = store.read(ledger);
    let bytes: Vec<u8> = read
        .lines()
        .iter()
        .flat_map(|it| [it.as_bytes(), b"\n"])
        .flatten()
        .copied()
        .collect();
    assert_eq!(bytes.len() as u64, read.end());
    for replica in replicas {
        assert!(
            bytes.starts_with(replica),
            "a replica is no beginning of the store"
        );
    }
    let mut there: Vec<String> = read.lines().iter().map(|it| lines::id(it)).collect();
    let mut prev = lines::NONE.to_owned();
    for (line, id) in read.lines().iter().zip(&there) {
        assert!(
            line.ends_with(&format!("\"prev\":\"{prev}\"}}")),
            "{line} does not follow {prev}"
        );
        prev.clone_from(id);
    }
    let mut wanted = acknowledged.to_vec();
    there.sort();
    wanted.sort();
    assert_eq!(there, wanted, "acknowledged lines and stored lines differ");
}
