//! `goal settle`: the user decides about what replay cannot decide: lines in force that are not proven to
//! be the user's, lines of other programs, lines of a contest, and findings in a ledger that is never
//! edited.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::{Command, Settlement};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::ledger::SettledKind;
use crate::domain::event::{GoalSettled, Payload};
use crate::domain::goal::contest::Contest;
use crate::domain::goal::state::Goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::transacted::{Record, Transacted};
use crate::ops::verify::finding_at;
use crate::render::settle::Waiting;
use crate::snapshot::Snapshot;
use crate::transaction::{Latest, stamp_of};
use crate::workspace::accepted::Accepted;
use crate::workspace::records::RootRecord;

/// How many lines one settlement names at most, so that its event fits into one line of the ledger.
const MAX_LINES_PER_SETTLEMENT: usize = 2_000;

/// What the user decides about the lines that wait.
#[derive(Debug, Clone, Default)]
pub struct SettleRequest {
    /// Whether the lines are adopted; `None` where the user only wants to see them.
    pub accept: Option<bool>,
    pub reason: Option<String>,
    /// The [`Settled::expect`] of the list that the user saw.
    pub expect: Option<EventId>,
    /// In a contest: the line that wins, by its id or the beginning of its id.
    pub winner: Option<String>,
}

/// The outcome of `settle`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settled {
    /// The goal that the lines are about; null for a finding.
    pub goal_id: Option<GoalId>,
    /// Of which kind the lines are.
    pub kind: SettledKind,
    /// What was settled, or waits to be.
    pub lines: Vec<Waiting>,
    /// Stands for exactly these lines: `--expect` names it. Null for a finding, and where nothing
    /// waits.
    pub expect: Option<EventId>,
    /// Whether they were taken; null for a finding, and where nothing was decided.
    pub accepted: Option<bool>,
    /// The receipt; null where nothing was decided.
    pub receipt: Option<Transacted>,
}

impl Settled {
    /// The lines that wait on a goal, before any decision.
    fn pending(goal: &Goal, kind: SettledKind, lines: Vec<Waiting>) -> Settled {
        let ids: Vec<EventId> = lines.iter().map(|line| line.id).collect();
        let expect = json!({ "kind": kind, "lines": ids }).to_string();
        Settled {
            goal_id: Some(goal.id.clone()),
            kind,
            expect: (!lines.is_empty()).then(|| EventId::of_line(expect.as_bytes())),
            lines,
            accepted: None,
            receipt: None,
        }
    }
}

impl Record for Settled {
    fn stops_turn(&self) -> bool {
        self.receipt.as_ref().is_some_and(Record::stops_turn)
    }

    fn notices(&self) -> &[Diagnostic] {
        self.receipt.as_ref().map_or(&[], Record::notices)
    }
}

/// Decides about the lines that wait on a goal, one kind with each call: first those of a contest, then
/// those in force that are not proven to be the user's, then those of other programs. Without a decision it
/// only shows them.
///
/// # Errors
/// `nothing_to_settle`; `expect_required`; `stale`: other lines wait than the user saw; `usage`: this
/// cannot be decided about these lines; `human_owned`: the caller is an agent, or an agent's host passes
/// the call on.
pub fn settle_goal(call: &Call, asked: &SettleRequest) -> Result<Settled, Failure> {
    if asked.accept.is_some() || asked.winner.is_some() {
        call.refuse_what_a_host_passes_on("settle")?;
    }
    let snapshot = call.read_whole()?;
    let goal = call.target(&snapshot)?;
    if let Some(contest) = &goal.contest {
        return settle_contest(call, &snapshot, goal, contest, asked);
    }
    if let Some(prefix) = &asked.winner {
        return Err(no_choice(goal, prefix));
    }
    let evidence = Evidence::of(&call.workspace, &snapshot)?;
    let (shown, mut adopted) = pending_lines(&snapshot, goal, &evidence)?;
    let Some(accept) = asked.accept else {
        return match shown.lines.is_empty() {
            true => Err(Rejection::NothingToSettle.into()),
            false => Ok(shown),
        };
    };
    if shown.kind == SettledKind::Unproven {
        // These lines are in force already, so nothing has to be recorded again.
        adopted.clear();
    }
    adopted.retain(|payload| accept && payload.may_be_taken());
    if !shown.lines.is_empty() {
        check_decision_allowed(&shown, accept, !adopted.is_empty())?;
    }
    let lines: Vec<EventId> = shown.lines.iter().map(|line| line.id).collect();
    let code = match shown.kind {
        SettledKind::Foreign => Code::ForeignLine,
        _ => Code::UnsealedLine,
    };
    let settlement = Settlement {
        again: claimed_without_proof(&snapshot, &evidence, code, &lines)?,
        settled: GoalSettled {
            kind: shown.kind,
            lines,
            accept: Some(accept),
            reason: asked.reason.clone(),
            finding: None,
            take: None,
        },
        taken: adopted,
    };
    decide(call, goal, shown, settlement, accept, asked.expect)
}

/// Decides a contest: which line counts of those whose writers did not know of each other. Without a
/// decision it only shows the lines.
fn settle_contest(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    contest: &Contest,
    asked: &SettleRequest,
) -> Result<Settled, Failure> {
    let mut lines = Vec::new();
    for choice in &contest.choices {
        if let Some(event) = snapshot.event(choice.line)? {
            lines.push(Waiting::choice(contest, choice, event));
        }
    }
    let shown = Settled::pending(goal, SettledKind::Contest, lines);
    let Some(named) = &asked.winner else {
        return match asked.accept {
            None => Ok(shown),
            Some(_) => Err(Failure::usage(
                "what does not go together cannot be taken or left as a whole",
                format!(
                    "`goal settle {} --take LINE` takes one of its lines",
                    goal.id
                ),
            )),
        };
    };
    let lines: Vec<EventId> = contest.choices.iter().map(|choice| choice.id).collect();
    let mut winners = lines
        .iter()
        .filter(|id| id.to_string().starts_with(named.as_str()));
    let (Some(winner), None) = (winners.next().copied(), winners.next()) else {
        return Err(no_choice(goal, named));
    };
    let settlement = Settlement {
        again: lines.iter().copied().collect(),
        settled: GoalSettled {
            kind: SettledKind::Contest,
            lines,
            accept: None,
            reason: asked.reason.clone(),
            finding: None,
            take: Some(winner),
        },
        taken: Vec::new(),
    };
    decide(call, goal, shown, settlement, true, asked.expect)
}

/// Records the settlement of the lines in `shown`, if they are still those that the user saw.
fn decide(
    call: &Call,
    goal: &Goal,
    mut shown: Settled,
    settlement: Settlement,
    accepted: bool,
    seen: Option<EventId>,
) -> Result<Settled, Failure> {
    if let Some(now) = shown.expect {
        check_unchanged_since_seen(call, &settlement, goal, now, seen)?;
    }
    shown.receipt = Some(record_settlement(call, settlement, seen)?);
    shown.accepted = Some(accepted);
    Ok(shown)
}

fn no_choice(goal: &Goal, named: &str) -> Failure {
    let (id, named) = (goal.id.clone(), named.to_owned());
    Rejection::NoChoice { id, named }.into()
}

/// The lines that wait on a goal, with the payload of each.
fn pending_lines(
    snapshot: &Snapshot,
    goal: &Goal,
    evidence: &Evidence<'_>,
) -> Result<(Settled, Vec<Payload>), Failure> {
    let unproven = evidence.unproven(snapshot, &goal.id)?;
    let mut kind = SettledKind::Unproven;
    let mut found: Vec<(LineRef, EventId)> =
        unproven.into_iter().map(|it| (it.line, it.id)).collect();
    if found.is_empty() {
        kind = SettledKind::Foreign;
        found = snapshot.waiting(&goal.foreign, &evidence.settled(snapshot)?)?;
    }
    let (mut lines, mut payloads) = (Vec::new(), Vec::new());
    for (line, id) in found.into_iter().take(MAX_LINES_PER_SETTLEMENT) {
        let Some(event) = snapshot.event(line)? else {
            continue;
        };
        payloads.push(event.payload.clone());
        let can_be_taken = kind == SettledKind::Unproven || event.payload.may_be_taken();
        lines.push(Waiting::of(line, id, event, can_be_taken));
    }
    Ok((Settled::pending(goal, kind, lines), payloads))
}

/// Checks that the lines can be accepted, or left, as the user wants.
fn check_decision_allowed(shown: &Settled, accept: bool, any_adopted: bool) -> Result<(), Failure> {
    let id = shown.goal_id.as_ref().map(GoalId::as_str);
    let id = id.unwrap_or_default();
    match (shown.kind, accept) {
        (SettledKind::Unproven, false) => Err(Failure::usage(
            "what decides on a goal cannot be left without effect: it is in force",
            format!(
                "`goal tweak --goal {id}` changes the contract; --accept says that it is yours"
            ),
        )),
        (SettledKind::Foreign, true) if !any_adopted => Err(Failure::usage(
            "nothing of it can be taken: no other program completes or judges a goal of ours, \
             and some lines do not say what changed",
            format!(
                "`goal settle {id}` shows the command that leaves it; `goal complete` asks the \
                 auditor, `goal tweak` changes the contract"
            ),
        )),
        _ => Ok(()),
    }
}

/// Checks that the lines that wait `now` are those that the user has `seen` before deciding.
fn check_unchanged_since_seen(
    call: &Call,
    settlement: &Settlement,
    goal: &Goal,
    now: EventId,
    seen: Option<EventId>,
) -> Result<(), Failure> {
    if seen == Some(now) {
        return Ok(());
    }
    let settlement = Box::new(settlement.clone());
    // First refuse what would be refused anyway: so the user is not sent to look at the lines in vain.
    call.request(Command::Settle { settlement }).check()?;
    let id = &goal.id;
    match seen {
        None => Err(Failure::new(
            "expect_required",
            "what is settled is what you read, and that was not named",
            format!(
                "`goal settle {id}` shows what waits, with the commands that settle just that: \
                 they end with `--expect ID`"
            ),
        )),
        Some(seen) => Err(Failure::new(
            "stale",
            format!("other lines wait on goal {id} by now: expected {seen}, it is {now}"),
            format!("`goal settle {id}` shows the present ones; decide on those"),
        )),
    }
}

/// The lines that replay counts as settled without proof that the user settled them: these can be settled
/// again.
fn claimed_without_proof(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    code: Code,
    lines: &[EventId],
) -> Result<BTreeSet<EventId>, Failure> {
    let proven = evidence.settled(snapshot)?;
    let claimed = &snapshot.state.settled;
    let only_claimed =
        |line: &&EventId| claimed.covers(code, **line) && !proven.covers(code, **line);
    Ok(lines.iter().filter(only_claimed).copied().collect())
}

/// Settles a finding: nothing is repaired, and `verify` no longer reports it. The finding is named
/// `CODE@LINE`, or by its code alone where its lines are gone from the ledger.
///
/// # Errors
/// There is no such finding, or the caller is an agent, or an agent's host passes the call on.
pub fn settle_finding(call: &Call, named: &str, reason: &str) -> Result<Settled, Failure> {
    call.refuse_what_a_host_passes_on("settle")?;
    let FindingToSettle { code, lines, again } = match named {
        _ if named == Code::LedgerRewound.name() => rewound_lines_to_settle(call)?,
        _ if named == Code::KeyChanged.name() => key_change_to_settle(call)?,
        _ => verify_finding_to_settle(call, named)?,
    };
    let settlement = Settlement {
        settled: GoalSettled {
            kind: SettledKind::Finding,
            lines: lines.iter().map(|line| line.id).collect(),
            accept: None,
            reason: Some(reason.to_owned()),
            finding: Some(code.name().to_owned()),
            take: None,
        },
        taken: Vec::new(),
        again,
    };
    let receipt = record_settlement(call, settlement, None)?;
    if code == Code::KeyChanged {
        accept_with_current_key(call)?;
    }
    Ok(Settled {
        goal_id: None,
        kind: SettledKind::Finding,
        lines,
        expect: None,
        accepted: None,
        receipt: Some(receipt),
    })
}

/// A finding that the user settles.
struct FindingToSettle {
    code: Code,
    lines: Vec<Waiting>,
    /// Those of its lines that may be settled once more.
    again: BTreeSet<EventId>,
}

/// The finding at a line.
fn verify_finding_to_settle(call: &Call, named: &str) -> Result<FindingToSettle, Failure> {
    let (code, number) = parse_finding(named)?;
    let (snapshot, found) = finding_at(call, code, number)?;
    let Some((found, offset)) = found.and_then(|it| it.offset.map(|offset| (it, offset))) else {
        return Err(Failure::usage(
            format!("`goal verify` finds no {} at line {number}", code.name()),
            "`goal verify --strict` lists all findings with their lines",
        ));
    };
    let id = snapshot.id_at(offset)?;
    let evidence = Evidence::of(&call.workspace, &snapshot)?;
    let again = claimed_without_proof(&snapshot, &evidence, code, &[id])?;
    let lines = vec![waiting_for_finding(code, number, id, &found)];
    Ok(FindingToSettle { code, lines, again })
}

/// The lines that were appended on this machine and are missing now. They can be settled as long as the
/// stamp shows that they are missing: even a second time, where the first settlement could not write the
/// stamp.
fn rewound_lines_to_settle(call: &Call) -> Result<FindingToSettle, Failure> {
    let code = Code::LedgerRewound;
    let stamp = stamp_of(&call.workspace);
    let snapshot = call.read_whole()?;
    let latest = Latest::of(stamp, &snapshot)?;
    let Some(found) = latest.finding(&call.workspace, &snapshot) else {
        return Err(Failure::usage(
            "nothing that was appended here is known to be gone",
            "`goal verify` lists what there is to settle",
        ));
    };
    let mut lines: Vec<Waiting> = latest
        .missing()
        .map(|head| waiting_for_finding(code, head.line, head.id, &found))
        .collect();
    // Nothing tells which lines are missing: settle the ledger up to its last line.
    if lines.is_empty()
        && let Some(tip) = snapshot.state.tip
    {
        lines.push(waiting_for_finding(
            code,
            tip.number,
            snapshot.id(tip)?,
            &found,
        ));
    }
    let again = lines.iter().map(|line| line.id).collect();
    Ok(FindingToSettle { code, lines, again })
}

/// The ledger's first line, where this machine's record that the ledger is accepted was made with an
/// earlier key.
fn key_change_to_settle(call: &Call) -> Result<FindingToSettle, Failure> {
    let code = Code::KeyChanged;
    let snapshot = call.read_whole()?;
    let found = Evidence::of(&call.workspace, &snapshot)?.key_changed();
    let (Some(found), Some(beginning)) = (found, snapshot.beginning()?) else {
        return Err(Failure::usage(
            "what you accepted here was kept with your key of now",
            "`goal verify` lists what there is to settle",
        ));
    };
    let again = BTreeSet::from([beginning]);
    let lines = vec![waiting_for_finding(code, 1, beginning, &found)];
    Ok(FindingToSettle { code, lines, again })
}

/// Records with the current key that the ledger is accepted, and nothing else of what was accepted before.
fn accept_with_current_key(call: &Call) -> Result<(), Failure> {
    let workspace = &call.workspace;
    let snapshot = call.look()?;
    let accepted = Accepted {
        beginnings: snapshot.beginning()?.into_iter().collect(),
        ..Accepted::none(workspace.paths.known_as())
    };
    if let (Some(dirs), Some(own)) = (&workspace.environment.dirs, workspace.own_key()) {
        let hint = "let yourself write the state directory, then settle it again";
        let kept = accepted.write(&dirs.state, &own);
        kept.map_err(|error| Failure::io(&error, hint))?;
    }
    Ok(())
}

fn waiting_for_finding(code: Code, line: u64, id: EventId, found: &Diagnostic) -> Waiting {
    Waiting {
        line,
        id,
        kind: code.name().to_owned(),
        at: String::new(),
        summary: found.message.clone(),
        words: Vec::new(),
        can_be_taken: false,
    }
}

fn parse_finding(named: &str) -> Result<(Code, u64), Failure> {
    let parsed = named.split_once('@').and_then(|(code, line)| {
        let code = Code::ALL.iter().find(|known| known.name() == code)?;
        Some((*code, line.parse().ok()?))
    });
    parsed.ok_or_else(|| {
        Failure::usage(
            format!("`{named}` names no finding"),
            "give its code and its line, as in `malformed_line@7`, which `goal verify` shows; \
             `ledger_rewound` and `key_changed` have no line",
        )
    })
}

fn record_settlement(
    call: &Call,
    settlement: Settlement,
    expect: Option<EventId>,
) -> Result<Transacted, Failure> {
    let settled = &settlement.settled;
    let mut arguments = json!({
        "accept": settled.accept,
        "expect": expect,
        "finding": settled.finding,
        "goal": call.goal,
        "reason": settled.reason,
    });
    // Only where it is given: else the request's digest must stay what earlier versions computed.
    if let Some(take) = settled.take {
        arguments["take"] = json!(take);
    }
    let settlement = Box::new(settlement);
    let command = Command::Settle { settlement };
    Ok(call.request(command).key(arguments).run()?.into())
}
