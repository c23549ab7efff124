//! What an audit is told of the files: how they differ from the commit at which the user agreed to the
//! contract.

use camino::Utf8PathBuf;

use crate::domain::changes::Changes;
use crate::domain::event::Payload;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::config::CheckInForce;
use crate::workspace::judge::named;

/// How the work tree differs from the commit that was checked out when the goal's contract was first
/// confirmed, or why that cannot be told. A later change of the contract does not begin anew: with one
/// that it proposes, an agent would hide what it did before.
///
/// # Errors
/// The ledger cannot be read.
pub fn since_confirmed(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    checks: &[CheckInForce],
) -> Result<Result<Changes, String>, Failure> {
    let events = snapshot.events_of(id, LineRef::START)?.into_iter();
    let ours = events.filter(|(_, event)| event.envelope.is_ours());
    let commit = ours.into_iter().find_map(|(_, event)| match event.payload {
        Payload::GoalCreated(it) => it.head,
        Payload::GoalTweaked(it) => it.head,
        _ => None,
    });
    let Some(commit) = commit else {
        return Ok(Err(
            "no commit is on record for the confirmed contract".into()
        ));
    };
    let files: Vec<(String, Utf8PathBuf)> = checks.iter().flat_map(|it| files(call, it)).collect();
    Ok(call.workspace.changes_since(&commit, &files))
}

/// The files of the project that a check names in its command line, and those that it pins.
fn files(call: &Call, check: &CheckInForce) -> impl Iterator<Item = (String, Utf8PathBuf)> {
    let root = &call.workspace.root.path;
    let pinned = check.pinned.iter().map(|path| root.join(path));
    let files = named(&check.argv, root, &check.cwd)
        .into_iter()
        .chain(pinned);
    let name = check.name.clone();
    files.map(move |path| (name.clone(), path))
}
