//! What the rules are tried with: helpers, ledgers, and what was answered.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use serde_json::{Value, json};

use super::Broken;
use crate::domain::id::EventId;
use crate::store::helper::{Access, Failed, Helper};
use crate::store::protocol::HelperAnswer;

/// Where helpers are tried.
pub struct Bench {
    access: Access,
    /// The longest that the store lets a helper keep its turn.
    pub most_turn: Duration,
    /// A part of every name of a ledger, so that no two suites meet.
    unique: String,
    count: Cell<u32>,
    skipped: RefCell<Option<String>>,
}

impl Bench {
    pub fn new(access: Access, most_turn: Duration, unique: String) -> Bench {
        Bench {
            access,
            most_turn,
            unique,
            count: Cell::new(0),
            skipped: RefCell::default(),
        }
    }

    /// How long the next helper waits for a turn that has to be given back at once: less than the store
    /// itself takes to give it to the next one.
    pub fn at_once(&self) -> Duration {
        PATIENT.min(self.most_turn / 2)
    }

    /// The rule is about something that the helper cannot do, and need not.
    pub fn skip(&self, verb: &str) {
        *self.skipped.borrow_mut() = Some(format!("not tried: it cannot `{verb}`"));
    }

    /// Why the latest rule was not tried.
    pub fn skipped(&self) -> Option<String> {
        self.skipped.take()
    }

    /// A helper that has said hello.
    pub fn helper(&self) -> Result<Tried, Broken> {
        let helper = Helper::start(&self.access).map_err(|error| error.to_string())?;
        Ok(Tried(helper))
    }

    /// A name that no ledger has.
    pub fn name(&self) -> String {
        self.count.set(self.count.get() + 1);
        format!("goal-store-check/{}-{}", self.unique, self.count.get())
    }

    /// An empty ledger.
    pub fn ledger(&self) -> Result<String, Broken> {
        let name = self.name();
        self.helper()?
            .ok(&json!({"verb": "create", "ledger": name}))?;
        Ok(name)
    }

    /// The lines of a ledger.
    pub fn lines(&self, ledger: &str) -> Result<Vec<String>, Broken> {
        let read = json!({"verb": "watch", "ledger": ledger, "from": 0, "waitMs": 0});
        Ok(self.helper()?.lines(&read)?.0)
    }

    /// A ledger has exactly these lines.
    pub fn has(&self, ledger: &str, lines: &[&str]) -> Result<(), Broken> {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        same("lines", self.lines(ledger)?, lines)
    }
}

/// A helper on trial.
pub struct Tried(pub Helper);

impl Tried {
    /// What it answers, which is no refusal.
    pub fn ok(&mut self, request: &Value) -> Result<HelperAnswer, Broken> {
        let answer = self.ask(request)?;
        answer.map_err(|code| format!("{} is answered `{code}`", verb(request)))
    }

    /// The lines that it answers, and the end.
    pub fn lines(&mut self, request: &Value) -> Result<(Vec<String>, u64), Broken> {
        let mut lines = Vec::new();
        let answer = self.asked(request, &mut |answer| lines.extend(answer.line))?;
        let answer = answer.map_err(|code| format!("{} is answered `{code}`", verb(request)))?;
        let end = answer
            .end
            .ok_or_else(|| format!("{} answers no `end`", verb(request)))?;
        Ok((lines, end))
    }

    /// It refuses this with this code.
    pub fn refuses(&mut self, request: &Value, code: &str) -> Result<(), Broken> {
        match self.ask(request)? {
            Err(answered) if answered == code => Ok(()),
            Err(answered) => Err(format!(
                "{} is answered `{answered}`, not `{code}`",
                verb(request)
            )),
            Ok(_) => Err(format!("{} is answered `ok`, not `{code}`", verb(request))),
        }
    }

    /// Takes the turn of a ledger, from its end; gives the end.
    pub fn begin(&mut self, ledger: &str, wait: Duration) -> Result<u64, Broken> {
        Ok(self.lines(&begin(ledger, 0, wait))?.1)
    }

    /// Takes the turn and appends lines, without ids; gives the end.
    pub fn append(&mut self, ledger: &str, lines: &[&str]) -> Result<u64, Broken> {
        let end = self.begin(ledger, PATIENT)?;
        let answer = self.ok(&append(end, lines))?;
        let expected = end + lines.iter().map(|it| it.len() as u64 + 1).sum::<u64>();
        match answer.end {
            Some(end) if end == expected => Ok(end),
            other => Err(format!("append answers the end {other:?}, not {expected}")),
        }
    }

    /// What it answers, or the code with which it refuses.
    pub fn ask(&mut self, request: &Value) -> Result<Result<HelperAnswer, String>, Broken> {
        self.asked(request, &mut |_| {})
    }

    fn asked(
        &mut self,
        request: &Value,
        on_line: &mut dyn FnMut(HelperAnswer),
    ) -> Result<Result<HelperAnswer, String>, Broken> {
        let wait = Duration::from_millis(request["waitMs"].as_u64().unwrap_or_default());
        let line = request.to_string();
        let answer = self.0.ask_raw(line.as_bytes(), wait, &mut |answer| {
            on_line(answer);
            Ok(())
        });
        judged(answer).map_err(|why| format!("{}: {why}", verb(request)))
    }
}

/// What was answered, or the code of a refusal.
pub fn judged(
    answer: Result<HelperAnswer, Failed>,
) -> Result<Result<HelperAnswer, String>, Broken> {
    match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(Failed::Refusal(refusal)) => Ok(Err(refusal.code)),
        Err(other) => Err(other.said()),
    }
}

/// Long enough for a turn that is given back at once.
pub const PATIENT: Duration = Duration::from_secs(10);

pub fn begin(ledger: &str, from: u64, wait: Duration) -> Value {
    let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    json!({"verb": "begin", "ledger": ledger, "from": from, "waitMs": wait})
}

pub fn append(after: u64, lines: &[&str]) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|it| json!({"id": null, "line": it}))
        .collect();
    json!({"verb": "append", "after": after, "lines": lines})
}

/// A request with lines that have ids, which are the hashes of their bytes.
pub fn append_with(after: u64, lines: &[&str]) -> Value {
    let line = |line: &&str| json!({"id": EventId::of_line(line.as_bytes()), "line": line});
    let lines: Vec<Value> = lines.iter().map(line).collect();
    json!({"verb": "append", "after": after, "lines": lines})
}

fn verb(request: &Value) -> String {
    request["verb"].as_str().unwrap_or("a request").to_owned()
}

/// Fails where two things are not the same.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: T, should: T) -> Result<(), Broken> {
    let short = |it: &T| format!("{it:?}").chars().take(120).collect::<String>();
    match is == should {
        true => Ok(()),
        false => Err(format!(
            "{what}: {} where {} should be",
            short(&is),
            short(&should)
        )),
    }
}
