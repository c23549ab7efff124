//! Taking the text of a line out of the ledger: `goal repair --drop`. The line's id, type, goal and links
//! stay, so nothing that follows from it breaks; that it was done is on record, and travels.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::command::{Command, Settlement};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::GoalSettled;
use crate::domain::event::ledger::SettledKind;
use crate::domain::id::{EventId, GoalId, dropped_line};
use crate::domain::settled::{DROPPED, Settled};
use crate::domain::wire::Decoded;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::transaction::dropped::drop_line;

/// A line whose text is taken out, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// Its id, which stays.
    pub id: EventId,
    /// Its number in the file.
    pub line: u64,
    /// The type of its event.
    #[serde(rename = "type")]
    pub kind: String,
    pub goal_id: Option<GoalId>,
    pub at: String,
    /// The files in which its text was; none where it is only said what would be done.
    pub files: Vec<String>,
}

/// Finds the line that is named by its id, or by how that begins.
///
/// # Errors
/// No line, or more than one, has an id that begins so, or another program wrote it.
pub fn named(call: &Call, named: &str) -> Result<Dropped, Failure> {
    let snapshot = call.read_whole()?;
    find(&snapshot, named)
}

fn find(snapshot: &Snapshot, named: &str) -> Result<Dropped, Failure> {
    let hint = "`goal log --json` has the id of each line; its first 8 characters are enough";
    let is_part = named.len() >= 8 && named.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_part {
        let message = format!("`{named}` is no id of a line");
        return Err(Failure::usage(message, hint));
    }
    let named = named.to_ascii_lowercase();
    let mut found: Vec<Dropped> = Vec::new();
    let mut is_foreign = false;
    snapshot.each_line(|raw, decoded| {
        let id = EventId::of_line(raw.bytes);
        if !id.to_string().starts_with(&named) || found.iter().any(|it| it.id == id) {
            return;
        }
        let Decoded::Event { event, .. } = decoded else {
            is_foreign = true;
            return;
        };
        if !event.envelope.is_ours() {
            is_foreign = true;
            return;
        }
        found.push(Dropped {
            id,
            line: raw.number,
            kind: event.payload.name().to_owned(),
            goal_id: event.goal_id,
            at: event.at,
            files: Vec::new(),
        });
    })?;
    match (found.len(), is_foreign) {
        (1, _) => Ok(found.remove(0)),
        (0, true) => Err(Failure::usage(
            format!("line {named} is not one that `goal` wrote: nothing names it by its id"),
            "docs/machines.md says how to take out such a line by hand",
        )),
        (0, false) => Err(Failure::usage(format!("no line has the id {named}"), hint)),
        (more, _) => Err(Failure::usage(
            format!("{more} lines have an id that begins with {named}"),
            hint,
        )),
    }
}

/// Takes the text of the line out of every copy on this machine, and records that it is done and why.
///
/// # Errors
/// See [`named`]; the caller is an agent, or an agent's host passes it on; the ledger belongs to a store,
/// where no line changes.
pub fn drop(call: &Call, line: &str, reason: &str) -> Result<Dropped, Failure> {
    let say = "run `goal repair --drop LINE` to take the text of a line out of the ledger";
    call.refuse_all_but_the_user_in_person("repair --drop", say)?;
    let snapshot = call.read_whole()?;
    let found = find(&snapshot, line)?;
    if let Some(store) = &snapshot.state.store {
        return Err(Failure::usage(
            format!("the ledger belongs to the store ledger {store}, where no line changes"),
            "take it out of the store first: `goal store leave`",
        ));
    }
    // What is not proven to be the user's word is not their record of it.
    let by_user = Evidence::of(&call.workspace, &snapshot)?.settled(&snapshot)?;
    if !by_user.dropped().any(|it| it == found.id) {
        record(call, found.id, reason)?;
    }
    let files = drop_line(&call.workspace, found.id, call.lock_timeout)?;
    let files = files.iter().map(|it| it.to_string()).collect();
    Ok(Dropped { files, ..found })
}

fn record(call: &Call, id: EventId, reason: &str) -> Result<(), Failure> {
    let settlement = Settlement {
        settled: GoalSettled {
            kind: SettledKind::Finding,
            lines: vec![id],
            accept: None,
            reason: Some(reason.to_owned()),
            finding: Some(DROPPED.to_owned()),
            take: None,
        },
        taken: Vec::new(),
        again: [id].into(),
    };
    let settlement = Box::new(settlement);
    call.request(Command::Settle { settlement }).run()?;
    Ok(())
}

/// The lines of which it is proven that the user took the text out of another copy, and that are whole in
/// this one.
///
/// # Errors
/// The ledger cannot be read.
pub fn waiting(snapshot: &Snapshot, by_user: &Settled) -> Result<Vec<Diagnostic>, Failure> {
    let dropped: Vec<EventId> = by_user.dropped().collect();
    let mut waiting = Vec::new();
    if dropped.is_empty() {
        return Ok(waiting);
    }
    snapshot.each_line(|raw, _| {
        let id = EventId::of_line(raw.bytes);
        if dropped.contains(&id) && dropped_line(raw.bytes).is_none() {
            let message = "the user took the text of this line out of another copy of the ledger; \
                           this copy still has it";
            let hint = format!(
                "take it out here too: `goal repair --drop {} --reason TEXT`",
                &id.to_string()[..8]
            );
            let finding = Diagnostic::new(Code::DropWaits, message, hint);
            waiting.push(finding.at(raw.number, raw.offset));
        }
    })?;
    Ok(waiting)
}
