//! Documents that are not what `repair` would make of them, and documents that say more than the
//! ledger (docs/design/documents.md).

use std::collections::BTreeMap;

use crate::documents::header::{Style, style};
use crate::documents::legacy::{self, Legacy};
use crate::documents::ours;
use crate::documents::store::{self, Entry};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::ops::failure::Failure;
use crate::ops::tweak::is_unsettled;
use crate::projection::{Plan, ProjectionError, kept_edit, plan_all};
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

const REPAIR: &str = "`goal repair` brings it up to date";

/// What is wrong with the documents, by goal.
pub fn look(snapshot: &Snapshot, paths: &Paths) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = duplicates(snapshot, paths)?;
    for (id, outcome) in plan_all(snapshot, paths) {
        let goal = snapshot.state.goals.get(&id);
        match (outcome, goal) {
            (Ok(plan), Some(goal)) => found.push(deviating(&plan, goal, paths)),
            (Ok(_), None) => {}
            (Err(error @ ProjectionError::Ledger(_)), _) => return Err(error.into()),
            (Err(error), _) => found.push(unplannable(&id, &error)),
        }
    }
    let active = snapshot
        .documents()?
        .filter(|entry| entry.kind == DocumentKind::Active);
    found.extend(active.filter_map(|entry| other_objective(entry, snapshot, paths)));
    found.extend(unsettled(snapshot, paths));
    Ok(found)
}

/// Copies of edited documents of open goals that say something of the contract which is not in
/// force. What cannot be read is no such copy.
fn unsettled(snapshot: &Snapshot, paths: &Paths) -> Vec<Diagnostic> {
    let Ok(entries) = paths.goals().read_dir_utf8() else {
        return Vec::new();
    };
    let names = entries.flatten().map(camino::Utf8DirEntry::into_path);
    let mut copies: Vec<_> = names
        .filter(|path| path.as_str().contains(".md.orig"))
        .collect();
    copies.sort();
    let found = copies.into_iter().filter_map(|path| {
        let text = store::read(&path).ok()?;
        let id = ours::parse(&text).ok()?.id;
        let goal = snapshot.state.goals.get(&id)?;
        let waits =
            goal.status.is_open() && is_unsettled(&text, snapshot, paths, goal).unwrap_or_default();
        waits.then(|| kept_edit(&id, paths.relative(&path)))
    });
    found.collect()
}

fn unplannable(id: &GoalId, error: &ProjectionError) -> Diagnostic {
    Diagnostic::new(
        Code::DocumentUnreadable,
        format!("the document of goal {id} cannot be brought up to date: {error}"),
        "mend the file or move it away, then run `goal repair`",
    )
}

/// Why a document is not what it should be.
fn deviating(plan: &Plan, goal: &Goal, paths: &Paths) -> Diagnostic {
    let name = paths.relative(&plan.path);
    let stale = |what: String| Diagnostic::new(Code::DocumentStale, what, REPAIR);
    let Some(before) = plan.before.as_deref().map(String::from_utf8_lossy) else {
        return stale(format!("the document of goal {} is missing", goal.id));
    };
    if style(&before) == Style::BareJson {
        if let Some(finding) = other_status(&before, goal, name.as_str()) {
            return finding;
        }
    } else if let Err(error) = ours::parse(&before) {
        let mut finding = error.diagnostic(name.as_str());
        "`goal repair` renders it anew and keeps these bytes beside it as `.orig`"
            .clone_into(&mut finding.hint);
        return finding;
    }
    if plan.edited {
        return Diagnostic::new(
            Code::DocumentEdited,
            format!("{name} was edited outside its Notes"),
            format!(
                "the user takes the edit over with `goal tweak --goal {} --from-document`, or \
                 drops it with `goal repair`, which keeps a copy as `.orig`",
                goal.id
            ),
        );
    }
    match &plan.move_to {
        Some(to) => stale(format!(
            "{name} belongs at {}: goal {} is {}",
            paths.relative(to),
            goal.id,
            goal.status.name()
        )),
        None => stale(format!("{name} does not say what the ledger says")),
    }
}

/// Another tool changed the status in its document, later than our latest event, and recorded
/// nothing.
fn other_status(text: &str, goal: &Goal, name: &str) -> Option<Diagnostic> {
    let document = legacy::parse(text).ok()?;
    let stated = document.status.as_deref()?;
    let agrees = match goal.status {
        Status::Active => stated == "active",
        Status::Paused | Status::Blocked => matches!(stated, "paused" | "blocked"),
        _ => return None,
    };
    // Both are RFC 3339 in UTC as their programs write them; nothing else depends on the order.
    let later = document.updated_at.as_deref() > Some(&goal.updated_at);
    (!agrees && later).then(|| {
        Diagnostic::new(
            Code::DocumentNewer,
            format!(
                "{name} says goal {} is {stated} and is newer than its latest event, the ledger \
                 says {}",
                goal.id,
                goal.status.name()
            ),
            "the ledger counts: say it there with `goal pause` or `goal resume` if it is meant, else \
             `goal repair` sets the document right",
        )
    })
}

/// A document of the older extension whose objective is not the one that a line of ours carries.
fn other_objective(entry: &Entry, snapshot: &Snapshot, paths: &Paths) -> Option<Diagnostic> {
    let goal = snapshot.state.goals.get(&entry.id)?;
    let recorded = &goal.contract.objective;
    // What cannot be read is found by the plan.
    let text = goal
        .has_contract_of_ours()
        .then(|| store::read(&entry.path).ok())??;
    let Legacy { objective, .. } = legacy::parse(&text).ok()?;
    (objective.as_deref()? != recorded.replace("\r\n", "\n").trim()).then(|| {
        Diagnostic::new(
            Code::DocumentNewer,
            format!(
                "{} has another objective than the ledger records for goal {}",
                paths.relative(&entry.path),
                goal.id
            ),
            format!(
                "the ledger counts, and a change that was recorded here is not undone: only if the \
                 document's is meant, `goal tweak --goal {} --from-document` takes it",
                goal.id
            ),
        )
    })
}

/// One finding for each goal that has more than one document.
fn duplicates(snapshot: &Snapshot, paths: &Paths) -> Result<Vec<Diagnostic>, Failure> {
    let mut by_goal: BTreeMap<&GoalId, Vec<&str>> = BTreeMap::new();
    for entry in snapshot.documents()? {
        by_goal
            .entry(&entry.id)
            .or_default()
            .push(paths.relative(&entry.path).as_str());
    }
    let mut found = Vec::new();
    for (id, documents) in by_goal {
        if documents.len() == 1 {
            continue;
        }
        let counts = snapshot
            .document_of(id)?
            .map_or("", |entry| paths.relative(&entry.path).as_str());
        found.push(Diagnostic::new(
            Code::DocumentDuplicate,
            format!(
                "goal {id} has {} documents: {}; {counts} counts",
                documents.len(),
                documents.join(", ")
            ),
            "keep what is worth keeping from the others, then move them away",
        ));
    }
    Ok(found)
}
