//! Diagnosis: everything that is not as it should be, in the ledger, the documents, the settings
//! and around them. Reads only.

mod audits;
mod documents;
mod leases;
mod owners;
mod procedures;
mod settings;
mod surroundings;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::findings::unaudited;
use crate::domain::found::{Found, Kind};
use crate::ledger::open::OpenError;
use crate::ops::attested::Attester;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::verify::broken_link;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::transaction::place::remarks;
use crate::transaction::{Latest, stamp_of};

/// The outcome of `doctor`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The gravest first; among equals as they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// Of each kind the first hundred are listed; so many there are besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_listed: Vec<Kind>,
}

/// Looks at everything, and trusts no saved state with it.
///
/// # Errors
/// The system refuses to read the project. What is wrong with its content is in the outcome.
pub fn doctor(call: &Call) -> Result<Diagnosis, Failure> {
    let workspace = &call.workspace;
    let mut found = Found::default();
    let stamp = stamp_of(workspace);
    match Snapshot::read(&workspace.paths.uncached()) {
        Ok(snapshot) => {
            found = snapshot.diagnostics.clone();
            found.extend(unaudited(&snapshot.state, |line| snapshot.id(line))?);
            let chain = snapshot.chain()?;
            let broken = chain.report().broken;
            found.extend_counted(broken.iter().map(broken_link), broken.count);
            let evidence = Evidence::by(workspace, &snapshot, || Ok(chain))?;
            evidence.find(&snapshot, &mut found)?;
            found.extend(Attester::of(workspace).unsigned_completions(&snapshot, None)?);
            (found, _) = snapshot.unsettled(found, &evidence.settled(&snapshot)?)?;
            found.extend(Latest::of(stamp, &snapshot)?.finding(&snapshot));
            found.extend(documents::look(&snapshot, &workspace.paths)?);
            found.extend(audits::look(call, &snapshot)?);
            found.extend(settings::look(call, Some(&snapshot)));
        }
        Err(SnapshotError::Open(error @ OpenError::WrongKind { .. })) => {
            found.push(unsafe_path(error.to_string()));
            found.extend(settings::look(call, None));
        }
        Err(error) => return Err(error.into()),
    }
    found.extend(leases::look(call)?);
    found.extend(procedures::look(call)?);
    found.extend(owners::look(&workspace.paths));
    found.extend(remarks(workspace));
    found.extend(surroundings::look(workspace));
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let (diagnostics, not_listed) = found.into_parts();
    Ok(Diagnosis {
        diagnostics,
        not_listed,
    })
}

fn unsafe_path(message: String) -> Diagnostic {
    let hint = "put back what belongs there; nothing of it is read or written until then";
    Diagnostic::new(Code::UnsafePath, message, hint)
}
