//! Saving a state: goal by goal, so that no more than one of them is held twice in memory.

use std::collections::HashMap;
use std::io;

use serde::Serialize;

use super::index::Indexing;
use super::shelf::{ENDED, HEAD, HeadOf, INDEX, LINKS, OPEN, SLOTS, Saved};
use crate::domain::goal::row::Row;
use crate::domain::goals::Shelf;
use crate::domain::id::GoalId;
use crate::domain::replay::{Links, Replayed};
use crate::ledger::cache::{Piece, Saving};
use crate::ledger::lines::Lines;
use crate::render::view::brief;

/// Lists are written in pieces of about so many bytes.
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
    for ([rows_name, objectives_name], open) in [(OPEN, true), (ENDED, false)] {
        let mut known = known_rows(saved, open);
        let (mut rows, mut objectives) = (Pages::default(), Pages::default());
        for (id, _) in goals.iter().filter(|(_, it)| it.status.is_open() == open) {
            let mut row = match (state.goals.is_here(id), known.remove(id)) {
                (false, Some(row)) => row,
                _ => match state.goals.get(id) {
                    Some(goal) => Row::of(goal, goal.audited(|line| lines.id(line))?),
                    None => continue,
                },
            };
            objectives.add(&row.objective, &mut saving)?;
            row.objective = brief(&row.objective).to_owned();
            rows.add(&row, &mut saving)?;
        }
        rows.finish(rows_name, &mut saving)?;
        objectives.finish(objectives_name, &mut saving)?;
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

/// The rows of goals that were not touched may be those that were saved before.
fn known_rows(saved: Option<&Saved>, open: bool) -> HashMap<GoalId, Row> {
    let rows = saved
        .map(|saved| saved.rows(open, true))
        .unwrap_or_default();
    rows.into_iter().map(|row| (row.id.clone(), row)).collect()
}

/// A list of items in pieces, each of which is a list.
#[derive(Debug, Default)]
struct Pages {
    pages: Vec<Piece>,
    page: Vec<u8>,
}

impl Pages {
    fn add(&mut self, item: &impl Serialize, saving: &mut Saving) -> io::Result<()> {
        self.page
            .push(if self.page.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.page, item)?;
        match self.page.len() > PAGE {
            true => self.turn(saving),
            false => Ok(()),
        }
    }

    fn turn(&mut self, saving: &mut Saving) -> io::Result<()> {
        if !self.page.is_empty() {
            self.page.push(b']');
            self.pages.push(saving.piece(&self.page)?);
            self.page.clear();
        }
        Ok(())
    }

    /// Writes where the pages are, under this name.
    fn finish(mut self, name: &str, saving: &mut Saving) -> io::Result<()> {
        self.turn(saving)?;
        saving.named(name, &bytes(&self.pages)?)
    }
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
