//! Documents that are not what `repair` would make of them, and documents of another tool where
//! ours belong (docs/design/documents.md).

use std::collections::BTreeMap;

use crate::documents::header::{Style, style};
use crate::documents::merged::has_markers;
use crate::documents::ours;
use crate::documents::store::{self, Entry};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::id::GoalId;
use crate::ops::failure::Failure;
use crate::ops::tweak::is_unsettled;
use crate::projection::{Move, Plan, ProjectionError, kept_edit, plan_all};
use crate::snapshot::Snapshot;
use crate::transaction::tree::waiting;
use crate::workspace::{Paths, Workspace};

const REPAIR: &str = "`goal repair` brings it up to date";

/// What is wrong with the documents, by goal.
pub fn look(snapshot: &Snapshot, workspace: &Workspace) -> Result<Vec<Diagnostic>, Failure> {
    let paths = &workspace.paths;
    if paths.only().is_some() {
        return Ok(Vec::new());
    }
    let mut found = duplicates(snapshot, paths)?;
    // What other work trees recorded, the next write here brings to the documents here.
    let waiting = waiting(workspace, snapshot);
    let waits = |goal: &GoalId| waiting.as_ref().is_none_or(|ids| ids.contains(goal));
    for (goal, outcome) in plan_all(snapshot, paths) {
        match outcome {
            Ok(plan) if waits(&goal.id) && !plan.is_touched_by_hand() => {}
            Ok(plan) => found.extend(wrong(&plan, &goal, paths)),
            Err(error @ ProjectionError::Ledger(_)) => return Err(error.into()),
            Err(error) => found.push(Diagnostic::new(
                Code::DocumentUnreadable,
                format!(
                    "the document of goal {} cannot be brought up to date: {error}",
                    goal.id
                ),
                "fix the file or move it away, then run `goal repair`",
            )),
        }
    }
    found.extend(unsettled(snapshot, paths));
    Ok(found)
}

/// Copies of edited documents of open goals that say something of the contract which is not in
/// force. What cannot be read is no such copy.
fn unsettled(snapshot: &Snapshot, paths: &Paths) -> Vec<Diagnostic> {
    let Ok(entries) = paths.own().read_dir_utf8() else {
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

/// What is wrong with a goal's documents.
fn wrong(plan: &Plan, goal: &Goal, paths: &Paths) -> Vec<Diagnostic> {
    let aside = plan.aside.iter();
    let mut found: Vec<Diagnostic> = aside.map(|it| in_the_way(it, goal, paths)).collect();
    // Ours is written when that one goes.
    let waits = plan.before.is_none() && !found.is_empty();
    // What git merged is rendered by the next command that changes something: nothing is wrong.
    let before = plan.before.as_deref().map(String::from_utf8_lossy);
    let has_markers = before.is_some_and(|before| has_markers(&before));
    let is_merged = plan.merged && plan.move_to.is_none() && !has_markers;
    if plan.changes_own() && !waits && !is_merged {
        found.push(deviating(plan, goal, paths));
    }
    let returned = plan.returned.iter();
    found.extend(returned.map(|it| written_back(it, goal, paths)));
    found
}

/// A file that has to go before ours is where it belongs.
fn in_the_way(found: &Move, goal: &Goal, paths: &Paths) -> Diagnostic {
    let [from, to] = [&found.from, &found.to].map(|path| paths.relative(path));
    let was_moved = found.to.exists();
    if was_moved && store::read(&found.from).is_ok_and(|text| !is_ours(&text)) {
        return Diagnostic::new(
            Code::ForeignDocument,
            format!(
                "{from}, which another tool wrote, is back as it was when goal {} was taken over, \
                 for example by a checkout: nothing of it counts, and {to} has it",
                goal.id
            ),
            "the next act on the goal, or `goal repair`, takes it away again; in git, commit that \
             it is gone",
        );
    }
    Diagnostic::new(
        Code::DocumentStale,
        format!(
            "{from} stands where the document of goal {} belongs, and was not made from the ledger",
            goal.id
        ),
        format!("the next act on the goal, or `goal repair`, moves it as it is to {to}"),
    )
}

/// What another tool wrote of a goal that it does not keep any more. Whatever it says, nothing is
/// taken from it: its text is older than what was decided here, or nobody confirmed it.
fn written_back(found: &Move, goal: &Goal, paths: &Paths) -> Diagnostic {
    let [from, to] = [&found.from, &found.to].map(|path| paths.relative(path));
    Diagnostic::new(
        Code::ForeignDocument,
        format!(
            "another tool wrote {from}, though goal {} is kept here, where it is {}: nothing of it \
             counts",
            goal.id,
            goal.status.name()
        ),
        format!("end the goal in that tool too, then `goal repair` moves the file to {to}"),
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
        let to = paths.tree().join(format!("{name}.orig"));
        let from = plan.path.clone();
        return written_back(&Move { from, to }, goal, paths);
    }
    if let Err(error) = ours::parse(&before) {
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
    if has_markers(&before) {
        return stale(format!("git left conflict markers in {name}"));
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

/// One finding for each goal that has more than one document. Those of another tool do not count
/// where the goal is or was ours: they are looked at with the plan.
fn duplicates(snapshot: &Snapshot, paths: &Paths) -> Result<Vec<Diagnostic>, Failure> {
    let mut by_goal: BTreeMap<&GoalId, Vec<&Entry>> = BTreeMap::new();
    for entry in snapshot.documents()? {
        by_goal.entry(&entry.id).or_default().push(entry);
    }
    by_goal.retain(|_, documents| documents.len() > 1);
    let mut found = Vec::new();
    for (id, mut documents) in by_goal {
        let goal = snapshot.state.goals.get(id);
        if goal.is_some_and(|goal| goal.keeper != Keeper::Theirs) {
            documents.retain(|it| store::read(&it.path).map_or(true, |text| is_ours(&text)));
        }
        if documents.len() < 2 {
            continue;
        }
        let names = documents.iter();
        let names: Vec<&str> = names.map(|it| paths.relative(&it.path).as_str()).collect();
        let counts = snapshot
            .document_of(id)?
            .map_or("", |entry| paths.relative(&entry.path).as_str());
        found.push(Diagnostic::new(
            Code::DocumentDuplicate,
            format!(
                "goal {id} has {} documents: {}; {counts} counts",
                names.len(),
                names.join(", ")
            ),
            "keep what is worth keeping from the others, then move them away; two that a merge left of \
             an ended goal are made one by `goal repair`",
        ));
    }
    Ok(found)
}

fn is_ours(text: &str) -> bool {
    style(text) != Style::BareJson
}
