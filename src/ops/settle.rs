//! Settling what no command can mend: lines of other programs about a goal of ours, and findings
//! in a ledger that is never edited.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::{Command, Settlement};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Payload;
use crate::domain::goal::events::{GoalSettled, SettledKind};
use crate::domain::id::EventId;
use crate::domain::select;
use crate::domain::settled::may_be_taken;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::transacted::{Record, Transacted};
use crate::ops::verify::everything;
use crate::render::event::summary;

/// How many lines one settlement names at most: they have to fit into a line.
const MOST: usize = 2_000;

/// What the user says of what waits.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Whether what other programs wrote is taken; nothing where the user only wants to see it.
    pub accept: Option<bool>,
    pub reason: Option<String>,
    /// Only these lines: what was shown to the user before they decided.
    pub seen: Option<Vec<EventId>>,
}

impl Asked {
    fn is_about(&self, id: EventId) -> bool {
        self.seen.as_ref().is_none_or(|seen| seen.contains(&id))
    }
}

/// A line of another program about a goal of ours.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Line of the ledger, from 1.
    pub line: u64,
    pub id: EventId,
    #[serde(rename = "type")]
    pub kind: String,
    pub at: String,
    /// What it says, on one line.
    pub summary: String,
    /// Whether it can be taken as the user's own act.
    pub can_be_taken: bool,
}

/// The outcome of `settle`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settled {
    /// Of which kind the lines are.
    pub kind: SettledKind,
    /// What was settled, or waits to be.
    pub lines: Vec<Waiting>,
    /// Whether they were taken; null for a finding, and where nothing was decided.
    pub accepted: Option<bool>,
    /// The receipt; null where nothing was decided.
    pub receipt: Option<Transacted>,
}

impl Record for Settled {
    fn stops_turn(&self) -> bool {
        self.receipt.as_ref().is_some_and(Record::stops_turn)
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.receipt.map_or_else(Vec::new, Record::into_notices)
    }
}

/// Decides about what other programs wrote on a goal of ours. Without a decision it only shows it.
///
/// # Errors
/// Nothing waits, nothing of it can be taken, or the caller is an agent.
pub fn foreign(call: &Call, asked: &Asked) -> Result<Settled, Failure> {
    let snapshot = call.read()?;
    let goal = select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?;
    let (mut lines, mut taken) = (Vec::new(), Vec::new());
    let waiting = snapshot.waiting(goal)?.into_iter();
    for (line, id) in waiting.filter(|(_, id)| asked.is_about(*id)).take(MOST) {
        let Some(event) = snapshot.event(line)? else {
            continue;
        };
        lines.push(Waiting {
            line: line.number,
            id,
            kind: event.payload.name().to_owned(),
            summary: summary(&event.payload),
            can_be_taken: may_be_taken(&event.payload),
            at: event.at,
        });
        taken.push(event.payload);
    }
    let Some(accept) = asked.accept.or(lines.is_empty().then_some(false)) else {
        return Ok(Settled {
            kind: SettledKind::Foreign,
            lines,
            accepted: None,
            receipt: None,
        });
    };
    taken.retain(|payload| accept && may_be_taken(payload));
    if accept && taken.is_empty() && !lines.is_empty() {
        return Err(Failure::usage(
            "nothing of it can be taken: no other program completes or judges a goal of ours, \
             and some lines do not say what changed",
            format!(
                "`goal settle {} --leave` leaves it; `goal complete` asks the auditor, `goal \
                 tweak` changes the contract",
                goal.id
            ),
        ));
    }
    let settled = GoalSettled {
        kind: SettledKind::Foreign,
        lines: lines.iter().map(|line| line.id).collect(),
        accept: Some(accept),
        reason: asked.reason.clone(),
        finding: None,
    };
    let receipt = settle(call, settled, taken)?;
    Ok(Settled {
        kind: SettledKind::Foreign,
        lines,
        accepted: Some(accept),
        receipt: Some(receipt),
    })
}

/// The lines that decide something on the goal and are not proven to be the user's. With `accept`
/// the user says that they are; nothing where there are none.
///
/// # Errors
/// The caller is an agent, or the user will not have them: then only another contract helps.
pub fn unproven(call: &Call, asked: &Asked) -> Result<Option<Settled>, Failure> {
    let snapshot = call.read_whole()?;
    let goal = select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?;
    let found = Evidence::of(&call.workspace, &snapshot)?.unproven(&snapshot, &goal.id)?;
    let mut lines = Vec::new();
    let found = found.into_iter().filter(|it| asked.is_about(it.id));
    for unproven in found.take(MOST) {
        let Some(event) = snapshot.event(unproven.line)? else {
            continue;
        };
        lines.push(Waiting {
            line: unproven.line.number,
            id: unproven.id,
            kind: unproven.event,
            summary: summary(&event.payload),
            can_be_taken: true,
            at: event.at,
        });
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let receipt = match asked.accept {
        None => None,
        Some(false) => {
            return Err(Failure::usage(
                "what decides on a goal cannot be left without effect: it is in force",
                format!(
                    "`goal tweak --goal {}` changes the contract; --accept says that it is yours",
                    goal.id
                ),
            ));
        }
        Some(true) => {
            let settled = GoalSettled {
                kind: SettledKind::Unproven,
                lines: lines.iter().map(|line| line.id).collect(),
                accept: Some(true),
                reason: asked.reason.clone(),
                finding: None,
            };
            Some(settle(call, settled, Vec::new())?)
        }
    };
    Ok(Some(Settled {
        kind: SettledKind::Unproven,
        lines,
        accepted: receipt.as_ref().map(|_| true),
        receipt,
    }))
}

/// Settles a finding at a line, which is named `CODE@LINE`: it stays as it is, and is known.
///
/// # Errors
/// There is no such finding, or the caller is an agent.
pub fn finding(call: &Call, named: &str, reason: &str) -> Result<Settled, Failure> {
    let (code, number) = parse(named)?;
    let (snapshot, findings) = everything(call)?;
    let is_it = |it: &&Diagnostic| it.code == code && it.line == Some(number);
    let found = findings.iter().find(is_it);
    let Some((found, offset)) = found.and_then(|it| Some((it, it.offset?))) else {
        return Err(Failure::usage(
            format!("`goal verify` finds no {} at line {number}", code.name()),
            "`goal verify --strict` lists every finding with its line",
        ));
    };
    let id = snapshot.id_at(offset)?;
    let lines = vec![Waiting {
        line: number,
        id,
        kind: code.name().to_owned(),
        at: String::new(),
        summary: found.message.clone(),
        can_be_taken: false,
    }];
    let settled = GoalSettled {
        kind: SettledKind::Finding,
        lines: vec![id],
        accept: None,
        reason: Some(reason.to_owned()),
        finding: Some(code.name().to_owned()),
    };
    let receipt = settle(call, settled, Vec::new())?;
    Ok(Settled {
        kind: SettledKind::Finding,
        lines,
        accepted: None,
        receipt: Some(receipt),
    })
}

fn parse(named: &str) -> Result<(Code, u64), Failure> {
    let parsed = named.split_once('@').and_then(|(code, line)| {
        let code = Code::ALL.iter().find(|known| known.name() == code)?;
        Some((*code, line.parse().ok()?))
    });
    parsed.ok_or_else(|| {
        Failure::usage(
            format!("`{named}` names no finding"),
            "give its code and its line, as in `malformed_line@7`; `goal verify` shows both",
        )
    })
}

fn settle(call: &Call, settled: GoalSettled, taken: Vec<Payload>) -> Result<Transacted, Failure> {
    let arguments = json!({
        "accept": settled.accept,
        "finding": settled.finding,
        "goal": call.goal,
        "reason": settled.reason,
    });
    let settlement = Box::new(Settlement { settled, taken });
    let command = Command::Settle { settlement };
    Ok(call.transact(command, arguments)?.into())
}
