//! Drafts: what the user wants, what is proposed for it, and what the user decides.

use super::{Call, Done, Failure, Globals, Reply, say, text_or_stdin};
use crate::cli::columns::ColumnsArg;
use crate::cli::command::contract::{ContractArgs, JsonArgs, written};
use crate::cli::person::{agrees, another_auditor, can_be_asked, can_choose};
use crate::cli::picker::{Entries, pick};
use crate::cli::print::complain;
use crate::cli::screen::{fitted, tabled};
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::ContractChange;
use crate::domain::time;
use crate::ops::draft::{cancel, open};
use crate::ops::drafts::question;
use crate::ops::propose::to_confirm;
use crate::render::drafts::{Shown, decide};
use crate::render::inbox::Entry;
use crate::render::table::Columns;
use crate::{ops, render};

/// Open a draft: name a topic, and an agent proposes a contract
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The agent discusses the topic with you and proposes a contract with `goal \
propose`; you answer with `goal confirm` or `goal reject`.

Examples:
  goal draft 'The tests are slow on Windows'
  goal draft --list
  goal draft --cancel"
)]
pub struct Draft {
    /// The topic; `-` reads it from stdin
    #[arg(required_unless_present_any = ["cancel", "list"], conflicts_with = "cancel")]
    topic: Option<String>,
    /// Ordered, patient work: every proposal for the draft must have this mode
    #[arg(long, conflicts_with = "cancel")]
    sisyphus: bool,
    /// List the open drafts and their proposals
    #[arg(long, conflicts_with_all = ["topic", "sisyphus", "cancel"])]
    pub list: bool,
    /// Close the draft instead, together with its proposal [default: the only open draft]
    #[arg(long, value_name = "DRAFT", num_args = 0..=1)]
    cancel: Option<Option<String>>,
    #[command(flatten)]
    columns: ColumnsArg<Shown>,
}

pub fn draft(args: &Draft, call: Call, _: &Globals) -> Result<Done, Failure> {
    let shown = args.columns.of()?;
    // One word, as with other commands that list; a topic has more.
    if args.list || args.topic.as_deref() == Some("list") {
        return open_drafts(&call, &shown);
    }
    if shown.are_chosen() {
        let message = "`--columns` is for the list of drafts";
        return Err(Failure::usage(message, "add `--list`, or leave it out"));
    }
    if let Some(draft) = &args.cancel {
        let outcome = cancel(&call, draft.as_deref())?;
        let id = say::draft(outcome.data.draft_id.as_deref());
        return Reply::transacted(format!("Cancelled draft {id}.\n"), outcome);
    }
    let topic = text_or_stdin(args.topic.as_deref().unwrap_or_default())?;
    let outcome = open(&call, &topic, args.sisyphus)?;
    let id = say::draft(outcome.data.draft_id.as_deref());
    let mode = if args.sisyphus { "sisyphus" } else { "regular" };
    let text = format!(
        "Opened draft {id} ({mode}).\nNext: discuss it with the agent, which proposes a contract \
         with `goal propose`; then decide with `goal confirm` or `goal reject`.\n"
    );
    Reply::transacted(text, outcome)
}

/// List the open drafts and their proposals
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --columns it prints a table, else all that is proposed.

Examples:
  goal draft --list
  goal draft --list --columns draft,waits,title"
)]
pub struct Drafts {
    #[command(flatten)]
    columns: ColumnsArg<Shown>,
}

pub fn drafts(args: &Drafts, call: Call, _: &Globals) -> Result<Done, Failure> {
    open_drafts(&call, &args.columns.of()?)
}

fn open_drafts(call: &Call, shown: &Columns<Shown>) -> Result<Done, Failure> {
    let (open, listed) = ops::drafts::listed(call)?;
    let text = match shown.are_chosen() && !open.is_empty() {
        true => tabled(call, shown, &open),
        false => fitted(call, &render::drafts::drafts(&open)),
    };
    Reply::read(text, listed)
}

/// Propose a contract; it takes effect when the user confirms it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "goal propose [OPTIONS] [DRAFT] OBJECTIVE
       goal propose [OPTIONS] [DRAFT] --data JSON",
    after_help = "Only the objective is required; the answer names what a good contract also has \
and this one has not. A second proposal for a draft replaces the first one of your session.

Examples:
  goal propose 'Halve the time of the tests' --criteria 'CI needs 5 minutes' \\
    --boundary 'no test is removed' --if-blocked 'ask which tests matter most'
  goal propose --data '{\"objective\": \"…\", \"successCriteria\": [\"…\"]}'"
)]
pub struct Propose {
    /// The draft [default: your session's own, else a new one], and the objective; `-` reads the
    /// objective from stdin
    #[arg(value_names = ["DRAFT", "OBJECTIVE"], num_args = 0..=2)]
    words: Vec<String>,
    /// Ordered, patient work [default: the mode of the draft]
    #[arg(long, conflicts_with_all = ["data", "data_file"])]
    sisyphus: bool,
    /// Hosts must not continue it by themselves
    #[arg(long, conflicts_with_all = ["data", "data_file"])]
    no_auto_continue: bool,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    contract: ContractArgs,
}

pub fn propose(args: &Propose, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let (draft, contract) = match asked(args)? {
        Some(given) => given,
        None => (None, written(&call, globals, "goal propose OBJECTIVE")?),
    };
    let outcome = ops::propose::propose(&call, draft, args.sisyphus, contract)?;
    Reply::transacted(say::proposed(&outcome), outcome)
}

/// The change that the arguments describe; `None` if they describe none.
fn asked(args: &Propose) -> Result<Option<(Option<&str>, ContractChange)>, Failure> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    Ok(Some(match (args.json.contract()?, &words[..]) {
        (Some(contract), []) => (None, contract),
        (Some(contract), [draft]) => (Some(draft), contract),
        (Some(_), _) => {
            return Err(Failure::usage(
                "the objective is given twice: as an argument and in the JSON object",
                "leave one of them out",
            ));
        }
        (None, []) => return Ok(None),
        (None, [objective]) => (None, given(args, objective)?),
        (None, [draft, objective, ..]) => (Some(draft), given(args, objective)?),
    }))
}

fn given(args: &Propose, objective: &str) -> Result<ContractChange, Failure> {
    let mut contract = args.contract.change(Some(text_or_stdin(objective)?));
    contract.auto_continue = args.no_auto_continue.then_some(false);
    Ok(contract)
}

/// Accept a proposal: create its goal, or change the contract
#[derive(Debug, clap::Args)]
#[command(
    after_help = "At a terminal it shows the proposal and asks. Elsewhere, name the draft whose \
proposal you have read; if several proposals were made for it, also give its revision with \
`--expect`. `goal draft --list` shows each proposal with the command that confirms it.

Examples:
  goal confirm
  goal confirm mr5cf6ch"
)]
pub struct Confirm {
    /// The draft [default at a terminal: the only one with a proposal]; `--expect` means its
    /// revision, which `goal draft --list --json` prints
    draft: Option<String>,
}

pub fn confirm(args: &Confirm, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let named = args.draft.is_some() && call.expect.is_some();
    let (call, draft) = match can_be_asked(&call, globals) && !named {
        true => {
            let named = match &args.draft {
                Some(named) => Some(named.clone()),
                None if can_choose(&call, globals) => chosen(&call)?,
                None => None,
            };
            agreed(call, named.as_deref())?
        }
        false => (call, args.draft.clone()),
    };
    another_auditor(&call, globals)?;
    let outcome = ops::propose::confirm(&call, draft.as_deref())?;
    let verb = match outcome.data.mode {
        _ if outcome.data.parent_goal_id.is_some() => "Handed on as",
        DraftMode::Tweak => "Changed the contract of",
        DraftMode::Regular | DraftMode::Sisyphus => "Created and focused",
    };
    Reply::transacted(say::contracted(verb, &outcome), outcome)
}

/// The draft that the person chooses, where several proposals wait.
fn chosen(call: &Call) -> Result<Option<String>, Failure> {
    let (mut waiting, _) = ops::drafts::listed(call)?;
    waiting.retain(|it| it.draft.proposal.is_some());
    if waiting.len() < 2 {
        return Ok(None);
    }
    waiting.sort_by_key(|it| time::order(Some(&it.draft.updated_at)));
    let entries = waiting.iter().map(|it| Entry {
        kind: match it.draft.mode {
            DraftMode::Tweak => "change",
            DraftMode::Regular | DraftMode::Sisyphus => "proposal",
        },
        title: it.title(),
        since: Some(&it.draft.updated_at),
    });
    let all = entries.collect();
    let now = call.workspace.environment.now_millis();
    let at = pick("Decide on which proposal?", &Entries { all, now }, None)?;
    let message = "no proposal was chosen; nothing changed";
    let left = || Failure::new("interrupted", message, "`goal draft --list` shows them");
    let chosen = at.and_then(|at| waiting.get(at)).ok_or_else(left)?;
    Ok(Some(chosen.draft.draft_id.clone()))
}

/// Shows the proposal to the person at the terminal and asks. What they agree to is what they were
/// shown: the call names its revision.
fn agreed(call: Call, draft: Option<&str>) -> Result<(Call, Option<String>), Failure> {
    let (revision, draft) = to_confirm(&call, draft)?;
    complain(question(&call, &draft)?.trim_end());
    let hint = format!("decide with {}", decide(&draft.draft_id));
    let message = "nothing was confirmed; the proposal waits";
    agrees("Confirm it?", message, &hint)?;
    Ok((call.expecting(revision), Some(draft.draft_id)))
}

/// Reject a proposal
#[derive(Debug, clap::Args)]
#[command(after_help = "The agent reads the reason before it proposes again.

Examples:
  goal reject
  goal reject --reason 'the criteria say nothing about Windows'")]
pub struct Reject {
    /// The draft [default: the only one with a proposal]; `--expect` means its revision, which
    /// `goal draft --list --json` prints
    draft: Option<String>,
    /// What is wrong with the proposal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub fn reject(args: &Reject, call: Call, _: &Globals) -> Result<Done, Failure> {
    let (draft, reason) = (args.draft.as_deref(), args.reason.as_deref());
    let (outcome, is_open) = ops::propose::reject(&call, draft, reason)?;
    let id = say::draft(outcome.data.draft_id.as_deref());
    let next = match is_open {
        true => format!(
            "Next: the draft stays open for another proposal; `goal draft --cancel {id}` closes it.\n"
        ),
        false => String::new(),
    };
    Reply::transacted(
        format!("Rejected what was proposed for draft {id}.\n{next}"),
        outcome,
    )
}
