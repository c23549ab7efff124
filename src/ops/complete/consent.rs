//! The gate proves consent: what the user agreed to must be there, and must be shown to be theirs,
//! before anybody judges the goal by it.

use crate::domain::diagnostic::Diagnostic;
use crate::domain::findings::Findings;
use crate::domain::id::GoalId;
use crate::domain::proof::{Proof, Why};
use crate::ops::call::Call;
use crate::ops::evidence::{Evidence, Unproven};
use crate::ops::failure::Failure;
use crate::ops::verify::broken_link;
use crate::render::proof::{help, why};
use crate::snapshot::Snapshot;
use crate::transaction::{Latest, Noted, stamp_of};

/// How many lines a refusal names.
const NAMED: usize = 10;

/// Every line of the ledger, read after the stamp of the latest append.
pub struct WholeLedger {
    stamp: Noted,
    pub snapshot: Snapshot,
}

impl WholeLedger {
    /// Reads it as it is now.
    pub fn read(call: &Call) -> Result<WholeLedger, Failure> {
        Ok(WholeLedger {
            stamp: stamp_of(&call.workspace),
            snapshot: call.read_whole()?,
        })
    }

    /// Reads it as it is now, and proves this goal.
    pub fn read_proven(call: &Call, id: &GoalId) -> Result<WholeLedger, Failure> {
        let ledger = WholeLedger::read(call)?;
        ledger.prove(call, id)?;
        Ok(ledger)
    }

    /// Refuses a goal of which a line that decides something is not proven to be the user's, and
    /// every goal where lines are gone.
    ///
    /// # Errors
    /// `contract_unproven`; those of [`WholeLedger::unbroken`].
    pub fn prove(&self, call: &Call, id: &GoalId) -> Result<(), Failure> {
        let unproven = self.unbroken(call)?.unproven(&self.snapshot, id)?;
        match unproven.is_empty() {
            true => Ok(()),
            false => Err(refusal(id, &unproven)),
        }
    }

    /// What is known of the lines. Refuses a ledger of which lines were taken away or changed since
    /// they were recorded, as far as that shows here and the user has not settled it: what the user
    /// said in them would not count.
    ///
    /// # Errors
    /// `history_unproven`; `key_unusable`, where nothing can be shown; the ledger cannot be read.
    pub fn unbroken<'a>(&self, call: &'a Call) -> Result<Evidence<'a>, Failure> {
        let snapshot = &self.snapshot;
        let chain = snapshot.chain()?;
        let broken = chain.report().broken;
        let evidence = Evidence::of(&call.workspace, snapshot)?;
        evidence.usable()?;
        let mut found = Findings::default();
        found.extend_counted(broken.iter().map(broken_link), broken.count);
        let (mut found, _) = snapshot.unsettled(found, &evidence.settled(snapshot)?)?;
        match evidence.key_changed() {
            None => found.extend(evidence.unknown_ledger(snapshot)?),
            changed => found.extend(changed),
        }
        found.extend(Latest::of(self.stamp.clone(), snapshot)?.finding(&call.workspace, snapshot));
        match found.all() {
            0 => Ok(evidence),
            all => Err(incomplete(&found, all)),
        }
    }
}

fn incomplete(found: &[Diagnostic], all: u64) -> Failure {
    let named: Vec<String> = found.iter().take(NAMED).map(finding).collect();
    let settled: Vec<String> = found.iter().take(1).map(name).collect();
    Failure::new(
        "history_unproven",
        format!(
            "no goal is completed on a ledger of which lines were taken away or changed: {}{}",
            named.join("; "),
            more(all, named.len())
        ),
        format!(
            "`goal verify` shows it; bring the lines back from git or a backup, or where the ledger \
             is right as it is, the user says so: `goal settle --finding {} --reason TEXT`",
            settled.join(" ")
        ),
    )
}

/// The finding as `goal settle --finding` takes it.
fn name(found: &Diagnostic) -> String {
    let line = found.line.map(|line| format!("@{line}"));
    format!("{}{}", found.code.name(), line.unwrap_or_default())
}

fn finding(found: &Diagnostic) -> String {
    format!("{} ({})", name(found), found.message)
}

fn refusal(id: &GoalId, unproven: &[Unproven]) -> Failure {
    let named: Vec<String> = unproven.iter().take(NAMED).map(described).collect();
    Failure::new(
        "contract_unproven",
        format!(
            "it is not proven that the user agreed to what goal {id} says: {}{}",
            named.join(", "),
            more(unproven.len() as u64, named.len())
        ),
        format!(
            "the user looks at `goal show {id}` and `goal log --goal {id}`; if that is what they \
             want, `goal settle {id}` shows how to say so{}",
            unproven.iter().find_map(accepted_by).unwrap_or_default()
        ),
    )
}

/// The command that accepts what a line needs, where there is one.
fn accepted_by(unproven: &Unproven) -> Option<String> {
    if unproven.why == Why::WrongSeal {
        let command =
            "; if another clone joined the line's ledger with this one, `goal sync --join`";
        return Some(command.to_owned());
    }
    let command = help(&Proof::unproven(unproven.why))?;
    Some(format!(
        "; if the machine that sealed it is theirs, `{command}`"
    ))
}

fn more(all: u64, named: usize) -> String {
    match all.saturating_sub(named as u64) {
        0 => String::new(),
        more => format!(", and {more} more"),
    }
}

fn described(unproven: &Unproven) -> String {
    let (number, event) = (unproven.line.number, &unproven.event);
    format!("line {number} ({event}) is {}", why(unproven.why))
}
