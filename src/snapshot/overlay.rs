//! What documents of other tools add to what the ledger says.

use std::collections::BTreeMap;

use crate::documents::error::DocumentError;
use crate::documents::facts::{facts, overruled};
use crate::documents::header::{Style, style};
use crate::documents::legacy;
use crate::documents::store::{self, Entry, FileError};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::findings::Findings;
use crate::domain::goal::document::{DocumentFacts, absorb};
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

/// Adds what these documents say, which are those of goals that are not settled: in a project of
/// ours, none.
pub(super) fn overlay(state: &mut State, entries: &[Entry], paths: &Paths, found: &mut Findings) {
    let mut all: Vec<(DocumentFacts, DocumentKind)> = Vec::new();
    let mut ours: BTreeMap<&GoalId, &Entry> = BTreeMap::new();
    for entry in entries {
        match read_facts(entry, paths) {
            Ok(Some(facts)) => all.push((facts, entry.kind)),
            // One of ours tells the state nothing by itself: the ledger knows better.
            Ok(None) => {
                ours.insert(&entry.id, entry);
            }
            Err(finding) => found.push(finding),
        }
    }
    all.sort_by(|(a, _), (b, _)| (&a.created_at, &a.path).cmp(&(&b.created_at, &b.path)));
    // Of several documents of one goal the active one counts, else the latest archived one.
    let rank = |(facts, kind): &(DocumentFacts, DocumentKind)| {
        (*kind == DocumentKind::Active, facts.path.clone())
    };
    let mut best = BTreeMap::new();
    for document in &all {
        let kept = best.entry(&document.0.goal_id).or_insert(document);
        if rank(document) > rank(kept) {
            *kept = document;
        }
    }
    let chosen = all
        .iter()
        .filter(|it| std::ptr::eq(best[&it.0.goal_id], *it));
    found.extend(chosen.filter_map(|(facts, _)| {
        let ours = ours.get(&facts.goal_id).and_then(|entry| {
            let text = store::read(&entry.path).ok()?;
            overruled(facts, &text, paths.relative(&entry.path).as_str())
        });
        absorb(state, ours.as_ref().unwrap_or(facts))
    }));
}

fn read_facts(entry: &Entry, paths: &Paths) -> Result<Option<DocumentFacts>, Diagnostic> {
    let name = paths.relative(&entry.path).as_str();
    let text = store::read(&entry.path).map_err(|error| unreadable(&error))?;
    match style(&text) {
        Style::BareJson => {}
        Style::Frontmatter => return Ok(None),
        Style::None => return Err(no_header().diagnostic(name)),
    }
    let legacy = legacy::parse(&text).map_err(|error| error.diagnostic(name))?;
    Ok(Some(facts(
        &legacy,
        entry.kind == DocumentKind::Archived,
        name,
    )))
}

fn no_header() -> DocumentError {
    DocumentError::NoHeader {
        expected: "a `---` line or a JSON object",
    }
}

fn unreadable(error: &FileError) -> Diagnostic {
    Diagnostic::new(
        Code::DocumentUnreadable,
        error.to_string(),
        "the ledger counts; fix or remove the file",
    )
}
