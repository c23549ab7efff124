//! Diagnosis: everything that is not as it should be, in the ledger, the documents, the settings
//! and around them. Reads only.

mod documents;
mod owners;
mod settings;
mod surroundings;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::findings::{CountedFindings, Findings, through_hosts, unaudited};
use crate::domain::goal::state::Status;
use crate::domain::lease::LeaseStatus;
use crate::ledger::lock::FileLock;
use crate::ledger::open::OpenError;
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::complete::standing;
use crate::ops::drop;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::hook::sessions;
use crate::ops::lease;
use crate::ops::procedure::list;
use crate::ops::verify::broken_link;
use crate::render::view::{AuditStanding, LeaseView};
use crate::render::work;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::transaction::place::{above, remarks};
use crate::transaction::{Latest, stamp_of};
use crate::workspace::leases::{LeaseError, find};

/// The outcome of `doctor`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The gravest first; among equals as they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// Of each kind the first hundred are listed; so many there are besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_listed: Vec<CountedFindings>,
}

/// Looks at everything, and trusts no saved state with it.
///
/// # Errors
/// The system refuses to read the project. What is wrong with its content is in the outcome.
pub fn doctor(call: &Call) -> Result<Diagnosis, Failure> {
    let workspace = &call.workspace;
    let mut found = Findings::default();
    let stamp = stamp_of(workspace);
    let unread = match Snapshot::read(&workspace.paths.uncached()) {
        Ok(snapshot) => {
            found = snapshot.diagnostics.clone();
            found.extend(unaudited(&snapshot.state, |line| snapshot.id(line))?);
            found.extend(through_hosts(&snapshot.state));
            let chain = snapshot.chain()?;
            let broken = chain.report().broken;
            found.extend_counted(broken.iter().map(broken_link), broken.count);
            let evidence = Evidence::of(workspace, &snapshot)?;
            evidence.find(&snapshot, &mut found)?;
            found.extend(
                ApprovalChecker::of(workspace, &snapshot)?.unsigned_completions(&snapshot, None)?,
            );
            let by_user = evidence.settled(&snapshot)?;
            found.extend(drop::waiting(&snapshot, &by_user)?);
            (found, _) = snapshot.unsettled(found, &by_user)?;
            found.extend(Latest::of(stamp, &snapshot)?.finding(workspace, &snapshot));
            found.extend(documents::look(&snapshot, workspace)?);
            found.extend(contested(&snapshot));
            found.extend(audits(call, &snapshot)?);
            found.extend(settings::look(call, Some(&snapshot)));
            sessions::unread(call, Some(&snapshot.state))
        }
        Err(SnapshotError::Open(error @ OpenError::WrongKind { .. })) => {
            found.push(unsafe_path(error.to_string()));
            found.extend(settings::look(call, None));
            sessions::unread(call, None)
        }
        Err(error) => return Err(error.into()),
    };
    found.extend(leases(call)?);
    found.extend(procedures(call)?);
    let unread = unread.into_iter().map(|message| {
        let hint =
            "look at the path and its permissions; the next stop of the session reads it again";
        Diagnostic::new(Code::TranscriptUnread, message, hint)
    });
    found.extend(unread);
    found.extend(owners::look(&workspace.paths));
    found.extend(remarks(workspace));
    found.extend(above(workspace));
    found.extend(surroundings::look(workspace));
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let (diagnostics, not_listed) = found.into_parts();
    Ok(Diagnosis {
        diagnostics,
        not_listed,
    })
}

fn unsafe_path(message: String) -> Diagnostic {
    let hint = "restore what belongs there; until then the program neither reads nor writes it";
    Diagnostic::new(Code::UnsafePath, message, hint)
}

/// One finding for each goal of which the user has to choose what it is.
fn contested(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let goals = snapshot.state.goals.in_turn(|_| true);
    let contested = goals.filter_map(|goal| {
        let contest = goal.contest.as_ref()?;
        let (id, kind) = (&goal.id, contest.kind());
        let message = format!("goal {id} is contested: {}", kind.said());
        let hint = format!("`goal settle {id}` shows the choices");
        Some(Diagnostic::new(Code::Contested, message, hint))
    });
    contested.collect()
}

/// One finding for each open goal whose audit has neither a result nor a process
/// (docs/design/gate.md#why-a-process-of-its-own).
fn audits(call: &Call, snapshot: &Snapshot) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = Vec::new();
    for goal in snapshot.state.goals.in_turn(Status::is_open) {
        // A lock that cannot be tried proves nothing.
        let lock = call.workspace.paths.audit_lock(&goal.id);
        let free = FileLock::is_free(&lock).unwrap_or(false);
        if standing(call, snapshot, &goal, free)? == Some(AuditStanding::Interrupted) {
            let id = &goal.id;
            found.push(Diagnostic::new(
                Code::AuditInterrupted,
                format!("the audit of goal {id} ended without a result"),
                format!("ask again with `goal complete --goal {id}`; it records the interruption"),
            ));
        }
    }
    Ok(found)
}

/// One finding for each lease that nobody holds, and for what stands where leases belong
/// (docs/ledger-format.md#leases). Stale ones hold up nothing, so they are information only.
fn leases(call: &Call) -> Result<Vec<Diagnostic>, Failure> {
    let (paths, now) = (&call.workspace.paths, call.onlooker().now);
    let mut found = Vec::new();
    for lease in lease::all(call)? {
        match lease.standing {
            LeaseStatus::Held => {}
            LeaseStatus::Dead | LeaseStatus::Lapsed => found.push(stale(&lease, now)),
            LeaseStatus::Unreadable => found.push(match find(paths, &lease.goal_id, now) {
                Err(LeaseError::Open(error)) => unsafe_path(error.to_string()),
                _ => stale(&lease, now),
            }),
        }
    }
    Ok(found)
}

fn stale(lease: &LeaseView, now: i64) -> Diagnostic {
    let id = &lease.goal_id;
    Diagnostic::new(
        Code::StaleLease,
        format!("the lease of goal {id}: {}", work::standing(lease, now)),
        format!(
            "nothing to do: the next `goal lease acquire` replaces it; \
             `goal lease release --goal {id}` removes it"
        ),
    )
}

/// One finding for each procedure that cannot be used, with the first thing that is wrong with it.
fn procedures(call: &Call) -> Result<Vec<Diagnostic>, Failure> {
    let broken = list(call, None)?.broken.into_iter();
    let findings = broken.map(|file| {
        let first = file.problems.first();
        let (line, what) = first.map_or((1, ""), |it| (it.line, it.message.as_str()));
        Diagnostic::new(
            Code::ProcedureMalformed,
            format!(
                "the procedure {} cannot be used: line {line}: {what}",
                file.path
            ),
            "nothing of it is used; `goal plan procedures check` lists all that is wrong",
        )
    });
    Ok(findings.collect())
}
