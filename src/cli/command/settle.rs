//! `goal settle`: the user decides about what no command can mend.

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::command::lifecycle::name_goal;
use crate::cli::person::{agrees, can_be_asked};
use crate::cli::print::complain;
use crate::domain::event::settlement::SettledKind;
use crate::domain::id::{EventId, GoalId};
use crate::ops::settle::{Asked, Settled, finding, on_goal};
use crate::render::settle::{Line, waiting};
use crate::render::text::count;

/// Decide about what other programs wrote on a goal, or about a finding (yours, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What another program writes about a goal of yours changes nothing and waits for you. --accept \
records it in your name, as far as that is possible: changes of the contract, tasks, evidence, \
answers, resuming. Nobody else completes your goal: for that there is `goal complete`. --leave lets \
it stand in the log without effect. Without either it is shown, and the exit code is 2. At a \
terminal both show what they are about, and ask. Elsewhere you name what you have read with \
`--expect`: what is shown ends with the command.

Lines that decide something on the goal and are not proven to be yours come first: --accept says \
that they are.

  goal settle mr5cf6ch
  goal settle --finding malformed_line@7 --reason 'a crash on 3 May'
  goal settle --finding ledger_rewound --reason 'this branch is older'

The ledger is never edited, so some findings stay. A settled one no longer makes `goal verify` and \
`goal doctor` fail; `goal verify --strict` shows it. It changes no goal and no verdict. While lines \
are known to be gone or changed no goal is completed: settling that says that the ledger is right.")]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it [default: --goal, else the focus]
    #[arg(value_name = "GOAL", conflicts_with = "finding")]
    named: Option<String>,
    /// Take what other programs wrote, as your own act
    #[arg(long, conflicts_with_all = ["leave", "finding"])]
    accept: bool,
    /// Leave it without effect
    #[arg(long, conflicts_with = "finding")]
    leave: bool,
    /// The code and the line of a finding, as in `malformed_line@7`; `ledger_rewound` has no line
    #[arg(long, value_name = "CODE@LINE", requires = "reason")]
    finding: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub fn run(args: &Args, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let Some(named) = &args.finding {
        let reason = args.reason.as_deref().unwrap_or_default();
        let outcome = finding(&call, named, reason)?;
        return Reply::transacted(settled("Settled", &outcome), outcome);
    }
    name_goal(&mut call, args.named.as_ref())?;
    let mut asked = Asked {
        accept: (args.accept || args.leave).then_some(args.accept),
        reason: args.reason.clone(),
        // It is of what waits, as that of `confirm` is of a proposal.
        expect: call.expect.take(),
    };
    if asked.accept.is_some() && asked.expect.is_none() && can_be_asked(&call, globals) {
        asked.expect = agreed(&call, &asked)?;
    }
    let outcome = on_goal(&call, &asked)?;
    let verb = match outcome.accepted {
        Some(true) if outcome.kind == SettledKind::Unproven => "Accepted as yours on",
        None => {
            let hint = "`--accept` or `--leave`, with the `--expect` that stands for these lines";
            let failure = Failure::usage("what becomes of it is yours to say", hint);
            return Reply::judged(listed(&outcome) + &ways(&outcome), &outcome, Some(failure));
        }
        Some(true) => "Taken over on",
        Some(false) => "Left without effect on",
    };
    Reply::transacted(settled(verb, &outcome), outcome)
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
        _ => format!("Nothing of it can be taken as your own act.\n{leave}"),
    };
    format!("\n{ways}")
}

/// Shows what waits to the person at the terminal and asks. They decide about what they were shown:
/// the call expects it.
fn agreed(call: &Call, asked: &Asked) -> Result<Option<EventId>, Failure> {
    let look = Asked {
        accept: None,
        ..asked.clone()
    };
    let waits = on_goal(call, &look)?;
    complain(listed(&waits).trim_end());
    let question = match asked.accept {
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

fn listed(outcome: &Settled) -> String {
    let lines = outcome.lines.iter().map(|it| Line {
        number: it.line,
        kind: &it.kind,
        summary: &it.summary,
        words: &it.words,
    });
    waiting(outcome.kind, &lines.collect::<Vec<_>>())
}
