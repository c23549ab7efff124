//! The gate proves consent: what the user agreed to must be shown to be theirs before anybody judges
//! the goal by it.

use crate::domain::consent::Proof;
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::evidence::{Evidence, Unproven};
use crate::ops::failure::{Exit, Failure};
use crate::snapshot::Snapshot;

/// How many lines a refusal names.
const NAMED: usize = 10;

/// Refuses a goal of which a line that decides something is not proven to be the user's.
///
/// # Errors
/// `contract_unproven`; `key_unusable`, where nothing can be shown; the ledger cannot be read.
pub fn prove(call: &Call, snapshot: &Snapshot, id: &GoalId) -> Result<(), Failure> {
    let evidence = Evidence::of(&call.workspace, snapshot)?;
    evidence.usable()?;
    let unproven = evidence.unproven(snapshot, id)?;
    match unproven.is_empty() {
        true => Ok(()),
        false => Err(refusal(id, &unproven)),
    }
}

fn refusal(id: &GoalId, unproven: &[Unproven]) -> Failure {
    let named: Vec<String> = unproven.iter().take(NAMED).map(described).collect();
    let more = match unproven.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Failure::new(
        "contract_unproven",
        Exit::Policy,
        format!(
            "it is not proven that the user agreed to what goal {id} says: {}{more}",
            named.join(", ")
        ),
        format!(
            "the user looks at `goal show {id}` and `goal log --goal {id}`; if that is what they \
             want, `goal settle {id}` shows how to say so; for the key of another machine of theirs, \
             `goal trust --accept-key KEY`"
        ),
    )
}

fn described(unproven: &Unproven) -> String {
    let (number, event) = (unproven.line.number, &unproven.event);
    let why = match unproven.proof {
        Proof::UnknownKey(key) => format!("is sealed with the unknown key {key}"),
        Proof::Forged => "has a wrong seal".to_owned(),
        Proof::Unsealed | Proof::Proven => "has no seal".to_owned(),
    };
    format!("line {number} ({event}) {why}")
}
