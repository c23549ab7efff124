//! `goal settle`: the user decides about lines and findings.

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::command::lifecycle::name_goal;
use crate::cli::person::{agrees, can_be_asked};
use crate::cli::print::complain;
use crate::domain::event::ledger::SettledKind;
use crate::domain::id::{EventId, GoalId};
use crate::ops::settle::{SettleRequest, Settled, settle_finding, settle_goal};
use crate::render::settle::{Waiting, waiting};
use crate::render::text::{count, one_line};

/// Decide on contested, unproven or foreign lines, or on a finding
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Three kinds of lines can need your decision, in this order:
1. Lines that contradict each other, because their writers did not know of each other. --take names \
the line that holds, by its id or the beginning of it. If you take a completion, the goal stays \
complete; if you take another change, the goal stays open.
2. Lines that decide something on the goal but are not proven to be yours: --accept says that they \
are.
3. Lines that another program wrote about your goal. They change nothing until you decide: --accept \
records them in your name if possible (changes of the contract, tasks, evidence, answers, \
resuming); --leave keeps them in the log without effect. Another program cannot complete your \
goal; use `goal complete`.

Without --take, --accept or --leave it only shows these lines, and the exit code is 2. With one of \
these options it shows the lines and asks, at a terminal. Elsewhere, first run it without an \
option: the list ends with the full commands, with their `--expect`.

The ledger is never edited, so some findings stay. After you settle a finding, `goal verify` and \
`goal doctor` no longer fail because of it; `goal verify --strict` still shows it. This changes no \
goal and no verdict. While lines are known to be missing or changed, no goal can be completed: \
settle that finding to confirm that the ledger is right.

Examples:
  goal settle mr5cf6ch
  goal settle mr5cf6ch --take 5de8b1a7
  goal settle --finding malformed_line@7 --reason 'a crash on 3 May'
  goal settle --finding ledger_rewound --reason 'this branch is older'")]
pub struct Settle {
    /// Its id, a beginning or end of it, or words of its title [default: --goal, else the focus]
    #[arg(value_name = "GOAL", conflicts_with = "finding")]
    named: Option<String>,
    /// Accept the lines of other programs as your own acts (user only)
    #[arg(long, conflicts_with_all = ["leave", "finding"])]
    accept: bool,
    /// Keep the lines without effect (user only)
    #[arg(long, conflicts_with = "finding")]
    leave: bool,
    /// The line that holds, if several contradict each other (user only)
    #[arg(long, value_name = "LINE", conflicts_with_all = ["accept", "leave", "finding"])]
    take: Option<String>,
    /// The code and the line of a finding, as in `malformed_line@7`; `ledger_rewound` has no line (user only)
    #[arg(long, value_name = "CODE@LINE", requires = "reason")]
    finding: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub fn settle(args: &Settle, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let Some(named) = &args.finding {
        let reason = args.reason.as_deref().unwrap_or_default();
        let outcome = settle_finding(&call, named, reason)?;
        return Reply::transacted(settled("Settled", &outcome), outcome);
    }
    name_goal(&mut call, args.named.as_ref())?;
    let mut asked = SettleRequest {
        accept: (args.accept || args.leave).then_some(args.accept),
        reason: args.reason.clone(),
        // It is of what waits, as that of `confirm` is of a proposal.
        expect: call.expect.take(),
        winner: args.take.clone(),
    };
    let decides = asked.accept.is_some() || asked.winner.is_some();
    if decides && asked.expect.is_none() && can_be_asked(&call, globals) {
        asked.expect = agreed(&call, &asked)?;
    }
    let outcome = settle_goal(&call, &asked)?;
    let verb = match outcome.accepted {
        Some(true) if outcome.kind == SettledKind::Unproven => "Accepted as yours on",
        Some(true) if outcome.kind == SettledKind::Contest => "Chosen on",
        None => {
            let (how, what, options) = match outcome.kind {
                SettledKind::Contest => (choices(&outcome), "what holds", "`--take LINE`"),
                SettledKind::Unproven => (ways(&outcome), "whether they are yours", "`--accept`"),
                _ => (
                    ways(&outcome),
                    "what becomes of it",
                    "`--accept` or `--leave`",
                ),
            };
            let hint = format!("{options}, with the `--expect` that stands for these lines");
            let failure = Failure::usage(format!("only the user decides {what}"), hint);
            let text = waiting(outcome.kind, &outcome.lines) + &how;
            return Reply::judged(text, outcome, Some(failure));
        }
        Some(true) => "Taken over on",
        Some(false) => "Left without effect on",
    };
    Reply::transacted(settled(verb, &outcome), outcome)
}

/// The commands of which each takes one of the lines that are shown.
fn choices(outcome: &Settled) -> String {
    let id = outcome.goal_id.as_ref().map(GoalId::as_str);
    let id = id.unwrap_or_default();
    let expect = outcome.expect.map(|it| it.to_string()).unwrap_or_default();
    let way = |line: &Waiting| {
        let short = &line.id.to_string()[..8];
        let (number, at) = (line.line, one_line(&line.at));
        format!("Line {number}, of {at}:\n  goal settle {id} --take {short} --expect {expect}\n")
    };
    let ways: String = outcome.lines.iter().map(way).collect();
    format!("\nTo choose what holds:\n{ways}")
}

/// The commands that decide about just what is shown.
fn ways(outcome: &Settled) -> String {
    let id = outcome.goal_id.as_ref().map(GoalId::as_str);
    let id = id.unwrap_or_default();
    let expect = outcome.expect.map(|it| it.to_string()).unwrap_or_default();
    let way =
        |what: &str, how: &str| format!("{what}\n  goal settle {id} {how} --expect {expect}\n");
    let leave = way("To leave it without effect:", "--leave");
    let any = outcome.lines.iter().any(|it| it.can_be_taken);
    let ways = match outcome.kind {
        SettledKind::Unproven => {
            let accept = way("To say that it is yours:", "--accept");
            format!("{accept}If it is not, change the contract:\n  goal tweak --goal {id}\n")
        }
        _ if any => way("To take it as your own act:", "--accept") + &leave,
        _ => format!("None of the lines can be taken as your own act.\n{leave}"),
    };
    format!("\n{ways}")
}

/// Shows what waits to the person at the terminal and asks. They decide about what they were shown:
/// the call expects it.
fn agreed(call: &Call, asked: &SettleRequest) -> Result<Option<EventId>, Failure> {
    let look = SettleRequest {
        accept: None,
        winner: None,
        ..asked.clone()
    };
    let waits = settle_goal(call, &look)?;
    complain(waiting(waits.kind, &waits.lines).trim_end());
    let question = match asked.accept {
        None => "Let the line hold that you named?",
        Some(true) => "Take it as your own?",
        _ => "Leave it without effect?",
    };
    let hint = "`goal log --json` has each line whole, `goal show` what is in force";
    agrees(question, "nothing was settled; it waits", hint)?;
    Ok(waits.expect)
}

fn settled(verb: &str, outcome: &Settled) -> String {
    let done = outcome.receipt.as_ref().map(|it| say::done(verb, it));
    let left = outcome.lines.iter().filter(|it| !it.can_be_taken).count() as u64;
    let rest = match outcome.accepted {
        Some(true) if left > 0 => format!("Not taken, without effect: {}.\n", count(left, "line")),
        _ => String::new(),
    };
    format!("{}{rest}", done.unwrap_or_default())
}
