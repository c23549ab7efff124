//! A ledger and the store that it belongs to (docs/stores.md): joining, leaving, and bringing file
//! and store together.

pub mod check;
pub(super) mod leases;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::command::{Command, StoreAct};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::state::State;
use crate::ops::accepted::accept_first;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::stores::{StoreAge, StoredLedger};
use check::Ruled;

use crate::store::StoreError;
use crate::store::helper::Helper;
use crate::store::protocol::{Warning, is_name};
use crate::transaction::TransactionError;
use crate::transaction::stored::{self, Carried};
use crate::transaction::united;
use crate::workspace::contact::Contact;

/// How often `store init` sends what came into the file meanwhile.
const ATTEMPTS: u32 = 3;

/// How a ledger stands with its store, and what went between them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    /// The ledger's name in the store; null where it belongs to none.
    pub ledger: Option<String>,
    /// What the helper calls itself; null where none was asked.
    pub helper: Option<String>,
    /// Lines that came into the file.
    pub taken: u64,
    /// Lines that the store got.
    pub sent: u64,
    /// How far the file goes, in bytes.
    pub file_end: u64,
    /// How far the store goes, in bytes; null where it was not asked.
    pub store_end: Option<u64>,
    /// When it was last read; null: not known.
    pub read_at: Option<String>,
    /// Of a listing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ledgers: Vec<StoredLedger>,
    /// Of a check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Ruled>,
    /// What the store says that people should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

impl Record for Stored {
    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }
}

/// How old the file is, where the ledger belongs to a store.
pub fn age(call: &Call, state: &State) -> Option<StoreAge> {
    let ledger = state.store.clone()?;
    let contact = Contact::read(&call.workspace.paths, &ledger);
    Some(StoreAge {
        ledger,
        read_at: contact.map(|it| it.at),
    })
}

/// Puts the ledger into a store under this name, from now on. Where the store has this ledger already
/// and it went on in both places, the lines of both are in the store then. Kill it at any moment: the
/// next one goes on.
///
/// # Errors
/// The caller is not the user, the ledger cannot be in a store, or the store cannot be reached or has
/// another ledger of this name.
pub fn init(call: &Call, name: &str) -> Result<Stored, Failure> {
    let say = "run `goal store init NAME` if the ledger is to be in your store";
    call.refuse_all_but_the_user("store init", say)?;
    named(name)?;
    let joined = call.read()?.state.store.clone();
    match joined {
        // Somebody may have taken it out meanwhile.
        Some(joined) if joined == name => {
            call.request(join(name)).run()?;
            return reached(call);
        }
        Some(joined) => {
            return Err(Failure::new(
                "store_refused",
                format!("the ledger belongs to the store's ledger `{joined}` already"),
                "`goal store leave` takes it out of the store first",
            ));
        }
        None => {}
    }
    let workspace = &call.workspace;
    let place = stored::place(workspace, name, call.lock_timeout)?;
    workspace.paths.create()?;
    // The store may have what an earlier one was killed before it wrote to the file. Where the store
    // has nothing yet, or other lines, sending says so. Every ledger goes on where an empty file ends.
    if call.read()?.extent.len > 0 {
        let _said_by_push = stored::pull(workspace, &place, false);
        if call.read()?.state.store.as_deref() == Some(name) {
            return reached(call);
        }
    }
    let mut sent = 0;
    for attempt in 1..=ATTEMPTS {
        let carried = match stored::push(workspace, &place, true) {
            // They may be one ledger, which went on in both places.
            Err(TransactionError::Store(StoreError::Diverged { .. })) => {
                united::unite(workspace, &place)?
            }
            carried => carried?,
        };
        sent += carried.lines;
        match call.request(join(name)).run() {
            Ok((receipt, now)) => {
                return Ok(Stored {
                    sent: sent + receipt.ids.len() as u64,
                    file_end: now.extent.len,
                    store_end: Some(now.extent.len),
                    notices: receipt.notices,
                    ..of_carried(call, name, &carried)
                });
            }
            // Something was appended to the file between the two.
            Err(TransactionError::Store(StoreError::Diverged { .. })) if attempt < ATTEMPTS => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::Moved {
        ledger: name.to_owned(),
        why: "others appended to the file meanwhile".to_owned(),
    }
    .into())
}

fn join(name: &str) -> Command {
    Command::Store(StoreAct::Join {
        ledger: name.to_owned(),
    })
}

/// Brings the file up to what the store has. With a name, in a project without a ledger, the store's
/// ledger becomes the project's.
///
/// # Errors
/// There is no store, it cannot be reached, or the two differ.
pub fn pull(call: &Call, name: Option<&str>) -> Result<Stored, Failure> {
    call.refuse_auditor()?;
    let before = call.read()?;
    let joined = before.state.store.clone();
    let begins = before.extent.len == 0 && joined.is_none();
    let ledger = match (name, joined) {
        (Some(name), Some(joined)) if name != joined => {
            return Err(Failure::new(
                "store_refused",
                format!("the ledger here belongs to the store's ledger `{joined}`"),
                "`goal store pull` without a name brings it up to date",
            ));
        }
        (Some(name), None) if begins => {
            let say = "run `goal store pull NAME` if the project's goals are in your store";
            call.refuse_all_but_the_user("store pull NAME", say)?;
            named(name)?;
            call.workspace.paths.create()?;
            name.to_owned()
        }
        (Some(_), None) => {
            return Err(Failure::new(
                "store_refused",
                "the project has a ledger already, which belongs to no store",
                "`goal store init NAME` puts it into the store; or move the file away first",
            ));
        }
        (_, Some(joined)) => joined,
        (None, None) => return Err(no_store()),
    };
    let place = stored::place(&call.workspace, &ledger, call.lock_timeout)?;
    let carried = stored::pull(&call.workspace, &place, begins)?;
    accept_first(call)?;
    Ok(Stored {
        taken: carried.lines,
        file_end: carried.end,
        ..of_carried(call, &ledger, &carried)
    })
}

/// Sends the lines that the file has and the store lacks.
///
/// # Errors
/// As [`pull`].
pub fn push(call: &Call) -> Result<Stored, Failure> {
    call.refuse_auditor()?;
    let ledger = call.read()?.state.store.clone().ok_or_else(no_store)?;
    let place = stored::place(&call.workspace, &ledger, call.lock_timeout)?;
    let carried = stored::push(&call.workspace, &place, false)?;
    Ok(Stored {
        sent: carried.lines,
        file_end: carried.end,
        ..of_carried(call, &ledger, &carried)
    })
}

/// How the ledger stands with its store, which is asked. Where it cannot be reached, the failure comes
/// with what is known here.
pub fn status(call: &Call) -> (Stored, Option<Failure>) {
    let mut known = Stored::default();
    let failure = ask_status(call, &mut known).err();
    (known, failure)
}

fn reached(call: &Call) -> Result<Stored, Failure> {
    match status(call) {
        (known, None) => Ok(known),
        (_, Some(failure)) => Err(failure),
    }
}

fn ask_status(call: &Call, known: &mut Stored) -> Result<(), Failure> {
    let now = call.read()?;
    known.file_end = now.extent.len;
    let Some(store) = age(call, &now.state) else {
        return Ok(());
    };
    (known.ledger, known.read_at) = (Some(store.ledger.clone()), store.read_at);
    let place = stored::place(&call.workspace, &store.ledger, call.lock_timeout)?;
    let from = now.extent.len;
    let asked = place.access.ask(|helper| {
        let mut behind = Vec::new();
        let tip = helper.watch(&store.ledger, from, Duration::ZERO, &mut |line| {
            behind.extend_from_slice(line.as_bytes());
            behind.push(b'\n');
            Ok(())
        })?;
        Ok((behind, tip))
    });
    let (helper, (behind, tip)) = asked?;
    known.helper = Some(helper.name.clone());
    (known.store_end, known.warnings) = (Some(tip.end), tip.warnings);
    place.access.keep(helper);
    Ok(stored::refuse_left(&store.ledger, &behind)?)
}

/// Takes the ledger out of its store, or follows who did: the file is the ledger again. `alone` says so
/// in the file only, where the store is gone for good.
///
/// # Errors
/// The caller is not the user, the ledger belongs to no store, or the store cannot be reached.
pub fn leave(call: &Call, alone: bool) -> Result<Stored, Failure> {
    let say = "run `goal store leave` if the ledger is to be the file again";
    call.refuse_all_but_the_user("store leave", say)?;
    let ledger = call.read()?.state.store.clone().ok_or_else(no_store)?;
    let leave = Command::Store(StoreAct::Leave { alone });
    let (receipt, now) = call.request(leave).run()?;
    // With it helpers would be started that nobody needs.
    let _best_effort = Contact::forget(&call.workspace.paths);
    Ok(Stored {
        ledger: Some(ledger),
        file_end: now.extent.len,
        notices: receipt.notices,
        ..Stored::default()
    })
}

/// The ledgers of the store that the user's configuration names.
///
/// # Errors
/// There is none, it cannot be reached, or its helper cannot list them.
pub fn ledgers(call: &Call) -> Result<Vec<StoredLedger>, Failure> {
    let Some(access) = stored::access(&call.workspace)? else {
        return Err(Failure::new(
            "store_unreachable",
            "no helper is configured that reaches a store",
            "name it as `command` below [store] in your own configuration; docs/stores.md says how",
        ));
    };
    let mut helper = Helper::start(&access)?;
    if !helper.can("ledgers") {
        return Err(Failure::new(
            "store_refused",
            "the helper of the store cannot list ledgers",
            "`goal store status` asks for the ledger of this project",
        ));
    }
    let mut ledgers = Vec::new();
    helper.ledgers(&mut |answer| {
        ledgers.push(StoredLedger {
            ledger: answer.ledger.unwrap_or_default(),
            lines: answer.lines.unwrap_or_default(),
            end: answer.end.unwrap_or_default(),
            at: answer.at,
        });
        Ok(())
    })?;
    Ok(ledgers)
}

fn of_carried(call: &Call, ledger: &str, carried: &Carried) -> Stored {
    let contact = Contact::read(&call.workspace.paths, ledger);
    Stored {
        ledger: Some(ledger.to_owned()),
        helper: Some(carried.helper.clone()),
        store_end: Some(carried.end),
        read_at: contact.map(|it| it.at),
        warnings: carried.warnings.clone(),
        ..Stored::default()
    }
}

fn named(name: &str) -> Result<(), Failure> {
    match is_name(name) {
        true => Ok(()),
        false => Err(Failure::usage(
            "a ledger's name in a store has 1 to 200 of the characters A-Z a-z 0-9 . _ / -",
            "for example `goal store init acme/web`",
        )),
    }
}

fn no_store() -> Failure {
    Failure::new(
        "store_refused",
        "this ledger belongs to no store",
        "`goal store init NAME` puts it into one (user only)",
    )
}
