//! A helper process that speaks for a store (docs/stores.md): what is asked of it, and what its
//! answers mean.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::error::StoreError;
use super::protocol::{HelperAnswer, LeaseAct, Line, Refusal, Request, VERSION, Warning};
use crate::domain::id::GoalId;
use crate::domain::lease::Claim;
use crate::process::dialogue::{Dialogue, Heard};

/// How long a helper may say nothing, beside the time that it was asked to wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a helper is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub command: Vec<String>,
    pub cwd: Utf8PathBuf,
}

/// A helper that runs.
#[derive(Debug)]
pub struct Helper {
    dialogue: Dialogue,
    /// What it calls itself.
    pub name: String,
    can: Vec<String>,
}

/// What a helper answered to `begin` or `watch`, behind the lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tip {
    pub end: u64,
    pub warnings: Vec<Warning>,
}

/// What came of a request.
#[derive(Debug)]
pub enum Failed {
    /// The helper said why.
    Refusal(Refusal),
    /// It ended or said nothing.
    Silent(String),
    /// It said what nobody understands.
    Senseless(String),
    /// Whoever asked took offence at a line.
    Offence(StoreError),
}

/// What is done with each line of an answer.
pub type OnLine<'a> = &'a mut dyn FnMut(HelperAnswer) -> Result<(), StoreError>;

impl Helper {
    /// Starts the helper and agrees on the version.
    pub fn start(access: &Access) -> Result<Helper, StoreError> {
        let mut helper = Helper::spawn(access)?;
        helper.greet()?;
        Ok(helper)
    }

    /// Starts the helper and says hello, which [`Helper::greet`] hears the answer to.
    pub fn spawn(access: &Access) -> Result<Helper, StoreError> {
        let dialogue = Dialogue::start(&access.command, &access.cwd);
        let mut helper = Helper {
            dialogue: dialogue.map_err(|error| StoreError::Unreachable {
                why: error.to_string(),
            })?,
            name: String::new(),
            can: Vec::new(),
        };
        let hello = Request::Hello {
            versions: &[VERSION],
        };
        let failed = |error: serde_json::Error| StoreError::Failed {
            why: error.to_string(),
        };
        helper.say(&serde_json::to_vec(&hello).map_err(failed)?);
        Ok(helper)
    }

    /// Agrees on the version with a helper that was spawned.
    pub fn greet(&mut self) -> Result<(), StoreError> {
        let answer = self.answer(Duration::ZERO, &mut no_lines);
        let answer = answer.map_err(|failed| failed.into_error("", Duration::ZERO))?;
        if answer.version != Some(VERSION) {
            return Err(StoreError::Failed {
                why: "the helper does not speak version 1 of the protocol".to_owned(),
            });
        }
        self.name = answer.name.unwrap_or_default();
        self.can = answer.can;
        Ok(())
    }

    /// Whether it has this verb beside those that every helper has.
    pub fn can(&self, verb: &str) -> bool {
        self.can.iter().any(|it| it == verb)
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.dialogue.id()
    }

    /// Asks, and hands out the lines of the answer that have data; gives the last one.
    pub fn ask(
        &mut self,
        request: &Request<'_>,
        wait: Duration,
        on_line: OnLine<'_>,
    ) -> Result<HelperAnswer, Failed> {
        let line = serde_json::to_vec(request).map_err(|it| Failed::Senseless(it.to_string()))?;
        self.ask_raw(&line, wait, on_line)
    }

    /// As [`Helper::ask`], with a line that need not be a request.
    pub fn ask_raw(
        &mut self,
        line: &[u8],
        wait: Duration,
        on_line: OnLine<'_>,
    ) -> Result<HelperAnswer, Failed> {
        self.say(line);
        self.answer(wait, on_line)
    }

    /// Says a line, and does not wait for the answer.
    pub fn say(&mut self, line: &[u8]) {
        self.dialogue.say(line);
    }

    /// Closes its stdin.
    pub fn hang_up(&mut self) {
        self.dialogue.hang_up();
    }

    /// The answer to what was said.
    pub fn answer(&mut self, wait: Duration, on_line: OnLine<'_>) -> Result<HelperAnswer, Failed> {
        loop {
            let line = match self.dialogue.hear(wait + PATIENCE) {
                Heard::Line(line) => line,
                Heard::Ended => return Err(Failed::Silent(self.ended("ended without an answer"))),
                Heard::Nothing => return Err(Failed::Silent(self.ended("does not answer"))),
            };
            let answer: HelperAnswer = serde_json::from_slice(&line).map_err(|error| {
                let start: String = String::from_utf8_lossy(&line).chars().take(80).collect();
                Failed::Senseless(format!("the helper said `{start}`: {error}"))
            })?;
            match (&answer.error, answer.ok) {
                (Some(refusal), _) => return Err(Failed::Refusal(refusal.clone())),
                (None, Some(true)) => return Ok(answer),
                (None, _) => on_line(answer).map_err(Failed::Offence)?,
            }
        }
    }

    fn ended(&self, how: &str) -> String {
        match self.dialogue.complaints() {
            none if none.is_empty() => format!("the helper {how}"),
            complaints => format!("the helper {how}: {complaints}"),
        }
    }

    /// Takes the turn of a ledger, and hands out what it has from this offset on.
    pub fn begin(
        &mut self,
        ledger: &str,
        from: u64,
        wait: Duration,
        on_line: &mut dyn FnMut(&str) -> Result<(), StoreError>,
    ) -> Result<Tip, StoreError> {
        let request = Request::Begin {
            ledger,
            from,
            wait_ms: millis(wait),
        };
        self.lines(&request, (ledger, wait), on_line)
    }

    /// As [`Helper::begin`], without a turn, as soon as there is something behind this offset.
    pub fn watch(
        &mut self,
        ledger: &str,
        from: u64,
        wait: Duration,
        on_line: &mut dyn FnMut(&str) -> Result<(), StoreError>,
    ) -> Result<Tip, StoreError> {
        let request = Request::Watch {
            ledger,
            from,
            wait_ms: millis(wait),
        };
        self.lines(&request, (ledger, wait), on_line)
    }

    fn lines(
        &mut self,
        request: &Request<'_>,
        (ledger, wait): (&str, Duration),
        on_line: &mut dyn FnMut(&str) -> Result<(), StoreError>,
    ) -> Result<Tip, StoreError> {
        let answer = self.ask(request, wait, &mut |answer| match answer.line {
            Some(line) => on_line(&line),
            None => Ok(()),
        });
        let answer = answer.map_err(|failed| failed.into_error(ledger, wait))?;
        match answer.end {
            Some(end) => Ok(Tip {
                end,
                warnings: answer.warnings,
            }),
            None => Err(StoreError::Failed {
                why: "an answer has no `end`".to_owned(),
            }),
        }
    }

    /// Appends lines behind this end of the ledger whose turn we have; gives the end after that.
    pub fn append(
        &mut self,
        after: u64,
        lines: &[Line<'_>],
        lease: Option<&Claim>,
    ) -> Result<u64, Failed> {
        let request = Request::Append {
            after,
            lines,
            lease,
        };
        let answer = self.ask(&request, Duration::ZERO, &mut no_lines)?;
        let length = |it: &Line<'_>| it.line.len() as u64 + 1;
        let end = after + lines.iter().map(length).sum::<u64>();
        match answer.end {
            Some(answered) if answered == end => Ok(end),
            _ => Err(Failed::Senseless(format!(
                "the helper appended up to {end} and answered another end"
            ))),
        }
    }

    /// Makes a ledger, if there is none of this name.
    pub fn create(&mut self, ledger: &str) -> Result<bool, StoreError> {
        let answer = self.ask(&Request::Create { ledger }, Duration::ZERO, &mut no_lines);
        let answer = answer.map_err(|failed| failed.into_error(ledger, Duration::ZERO))?;
        Ok(answer.created.unwrap_or_default())
    }

    /// Acquires, renews or releases the lease of a goal; gives the token that it has then.
    ///
    /// # Errors
    /// [`StoreError::Held`] by another holder; [`StoreError::Fenced`] where the token is not the
    /// current one.
    pub fn lease(
        &mut self,
        ledger: &str,
        goal: &GoalId,
        act: LeaseAct<'_>,
    ) -> Result<u64, StoreError> {
        let request = Request::Lease { ledger, goal, act };
        match self.ask(&request, Duration::ZERO, &mut no_lines) {
            Ok(HelperAnswer {
                token: Some(token), ..
            }) => Ok(token),
            Ok(_) => Err(StoreError::Failed {
                why: "an answer has no `token`".to_owned(),
            }),
            Err(Failed::Refusal(refusal)) if refusal.code == "held" => Err(StoreError::Held {
                goal: goal.clone(),
                holder: refusal.holder,
                left: Duration::from_millis(refusal.left_ms),
            }),
            Err(failed) => Err(failed.into_error(ledger, Duration::ZERO)),
        }
    }

    /// Hands out the ledgers of the store.
    pub fn ledgers(&mut self, on_line: OnLine<'_>) -> Result<(), StoreError> {
        let answer = self.ask(&Request::Ledgers, Duration::ZERO, on_line);
        answer.map_err(|failed| failed.into_error("", Duration::ZERO))?;
        Ok(())
    }
}

fn no_lines(_: HelperAnswer) -> Result<(), StoreError> {
    Ok(())
}

/// For the protocol, whose times are numbers of milliseconds.
pub fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

impl Failed {
    /// What happened, in words.
    pub fn said(&self) -> String {
        match self {
            Failed::Refusal(refusal) => refusal.message.clone(),
            Failed::Silent(why) | Failed::Senseless(why) => why.clone(),
            Failed::Offence(error) => error.to_string(),
        }
    }

    /// The same where nothing was being appended.
    pub fn into_error(self, ledger: &str, waited: Duration) -> StoreError {
        let refusal = match self {
            Failed::Refusal(refusal) => refusal,
            Failed::Silent(why) => return StoreError::Unreachable { why },
            Failed::Senseless(why) => return StoreError::Failed { why },
            Failed::Offence(error) => return error,
        };
        let ledger = ledger.to_owned();
        let Refusal {
            code, message: why, ..
        } = refusal;
        match code.as_str() {
            "busy" => StoreError::Busy { ledger, waited },
            "unreachable" => StoreError::Unreachable { why },
            "moved" => StoreError::Moved { ledger, why },
            "ahead" => StoreError::Diverged {
                ledger,
                how: "the file has lines that the store lacks".to_owned(),
            },
            "fenced" => StoreError::Fenced { why },
            "no_ledger" | "refused" | "held" => StoreError::Refused { why },
            _ => StoreError::Failed {
                why: format!("{why} ({code})"),
            },
        }
    }
}
