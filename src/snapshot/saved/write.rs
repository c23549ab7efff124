//! Saving a state: goal by goal, so that no more than one of them is held twice in memory.

use std::collections::HashMap;
use std::io;

use serde::Serialize;

use super::index::Indexing;
use super::shelf::{ENDED, HEAD, HeadOf, INDEX, LINKS, OPEN, SLOTS, Saved};
use crate::domain::goal::row::Row;
use crate::domain::goals::{Label, Shelf};
use crate::domain::id::GoalId;
use crate::domain::replay::{Links, Replayed};
use crate::ledger::cache::{Piece, Saving};
use crate::ledger::lines::Lines;

/// Rows are written in pieces of about so many bytes.
const PAGE: usize = 64 * 1024;

/// Writes what a ledger came to. What was not touched since it was `saved` is copied.
///
/// # Errors
/// Those of the file system.
pub fn save(
    replayed: &Replayed,
    saved: Option<&Saved>,
    lines: &Lines,
    mut saving: Saving,
) -> io::Result<Saving> {
    let state = &replayed.state;
    let mut goals = state.goals.labels();
    for (name, open) in [(OPEN, true), (ENDED, false)] {
        let wanted = goals
            .iter()
            .filter(|(_, label)| label.status.is_open() == open);
        let pages = rows(wanted, replayed, saved, lines, &mut saving)?;
        saving.named(name, &bytes(&pages)?)?;
    }
    goals.sort();
    let mut index = Indexing::default();
    for (id, label) in &goals {
        let copied = match state.goals.is_here(id) {
            true => None,
            false => saved.and_then(|saved| saved.record(id)),
        };
        let record = match copied {
            Some(record) => record,
            None => bytes(&state.goals.get(id))?,
        };
        index.add(id, *label, saving.piece(&record)?);
    }
    saving.named(INDEX, &index.finish())?;
    let head = HeadOf {
        state,
        counts: state.counts(),
        diagnostics: &replayed.diagnostics,
    };
    saving.named(HEAD, &bytes(&head)?)?;
    links(replayed, saved, &mut saving)?;
    Ok(saving)
}

/// Writes the rows of these goals, in pages.
fn rows<'a>(
    goals: impl Iterator<Item = &'a (GoalId, Label)>,
    replayed: &Replayed,
    saved: Option<&Saved>,
    lines: &Lines,
    saving: &mut Saving,
) -> io::Result<Vec<Piece>> {
    let known = saved.map(|saved| [saved.rows(true), saved.rows(false)].concat());
    let known = known.unwrap_or_default().into_iter();
    let mut known: HashMap<GoalId, Row> = known.map(|row| (row.id.clone(), row)).collect();
    let (mut pages, mut page) = (Vec::new(), Vec::new());
    let all = &replayed.state.goals;
    for (id, _) in goals {
        let row = match (all.is_here(id), known.remove(id)) {
            (false, Some(row)) => row,
            _ => match all.get(id) {
                Some(goal) => Row::of(goal, goal.audited(|line| lines.id(line))?),
                None => continue,
            },
        };
        page.push(if page.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut page, &row)?;
        if page.len() > PAGE {
            page.push(b']');
            pages.push(saving.piece(&page)?);
            page.clear();
        }
    }
    if !page.is_empty() {
        page.push(b']');
        pages.push(saving.piece(&page)?);
    }
    Ok(pages)
}

/// Writes the links, in pages of [`SLOTS`].
fn links(replayed: &Replayed, saved: Option<&Saved>, saving: &mut Saving) -> io::Result<()> {
    let damaged = || io::Error::other("the links that were saved are damaged");
    let mut all = match saved {
        Some(saved) => saved.links().ok_or_else(damaged)?,
        None => Links::with_slots(SLOTS),
    };
    all.put_all(&replayed.links);
    let (keys, places) = all.parts();
    let mut pages = Vec::new();
    for (keys, places) in keys.chunks(SLOTS).zip(places.chunks(SLOTS)) {
        let keys = keys.iter().flat_map(|key| key.to_le_bytes());
        let places = places.iter().flat_map(|place| place.to_le_bytes());
        let page: Vec<u8> = keys.chain(places).collect();
        pages.push(saving.piece(&page)?);
    }
    saving.named(LINKS, &bytes(&pages)?)
}

fn bytes<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}
