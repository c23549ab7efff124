//! Saving a state: goal by goal, so that no more than one of them is held twice in memory.

use std::collections::HashMap;
use std::io;

use serde::Serialize;

use super::goals::{ENDED, HEAD, HeadOf, INDEX, LINKS, OPEN, REQUESTS, Saved, Sums};
use super::index::Index;
use super::numbers::{bytes_of, of_answer};
use super::record::{Record, RecordBody, record};
use super::rows::SavedRow;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::row::Row;
use crate::domain::goals::{Goals, Label, SavedGoals, TouchedGoal};
use crate::domain::id::GoalId;
use crate::domain::line_index::LineIndex;
use crate::domain::replay::{Links, Replayed};
use crate::domain::state::State;
use crate::ledger::cache::{Piece, Saving};
use crate::ledger::lines::Lines;
use crate::render::view::brief;

/// Lists are written in pieces of about so many bytes.
const PAGE: usize = 64 * 1024;

/// Up to how many bytes of places, some six a line, an ended goal is folded only when somebody
/// looks at it: that takes as long as it has lines.
const FEW: usize = 2 * 1024;

/// How many goals stand on a page of the index.
const GOALS: usize = 128;

/// Writes what a ledger came to. What was not touched since it was `saved` is copied.
///
/// # Errors
/// Those of the file system.
pub fn save(
    (replayed, links): (&Replayed, Links),
    saved: Option<&Saved>,
    lines: &Lines,
    mut saving: Saving,
) -> io::Result<Saving> {
    let state = &replayed.state;
    let mut goals = state.goals.labels(|_| true);
    let outside = rows(&goals, state, saved, lines, &mut saving)?;
    goals.sort();
    index(&goals, &state.goals, saved, &mut saving)?;
    let head = HeadOf {
        state,
        sums: Sums {
            count: state.goals.len(),
            counts: state.counts(),
            unsettled: state.goals.unsettled(),
            outside,
        },
        diagnostics: &replayed.diagnostics,
    };
    saving.named(HEAD, &bytes(&head)?)?;
    let before = saved.map(Saved::answers).unwrap_or_default();
    let answers = state.requests.all(before);
    let answers: Vec<[u64; 4]> = answers.iter().map(of_answer).collect();
    saving.named(REQUESTS, &bytes_of(&answers))?;
    let links = match saved {
        None => links.into_bytes(),
        Some(saved) => {
            let mut all = saved.links().ok_or_else(|| damaged("links"))?;
            all.extend(links.into_bytes());
            all
        }
    };
    saving.named(LINKS, &links)?;
    Ok(saving)
}

/// Writes the rows of all goals, which come in order of first appearance. Gives back how many were
/// completed outside the gate.
fn rows(
    goals: &[(GoalId, Label)],
    state: &State,
    saved: Option<&Saved>,
    lines: &Lines,
    saving: &mut Saving,
) -> io::Result<u64> {
    let mut outside = 0;
    for ([rows_name, objectives_name], open) in [(OPEN, true), (ENDED, false)] {
        let mut known = known_rows(saved, open);
        let (mut rows, mut objectives) = (Pages::default(), Pages::default());
        for (id, _) in goals.iter().filter(|(_, it)| it.status.is_open() == open) {
            let mut row = match (state.goals.touched_goal(id.as_str()), known.remove(id)) {
                (Some(touched), _) => {
                    let audited = touched.outline.audited(|line| lines.id(line))?;
                    Row::of(&touched.outline, audited)
                }
                (None, Some(row)) => row,
                (None, None) => return Err(damaged("rows")),
            };
            outside += u64::from(row.audited == Some(Audited::None));
            objectives.add(&row.objective, saving)?;
            row.objective = brief(&row.objective).to_owned();
            rows.add(&SavedRow::from(row), saving)?;
        }
        rows.finish(rows_name, saving)?;
        objectives.finish(objectives_name, saving)?;
    }
    Ok(outside)
}

/// Writes the goals, which come in order of their ids, and where each is.
fn index(
    ids: &[(GoalId, Label)],
    goals: &Goals,
    saved: Option<&Saved>,
    saving: &mut Saving,
) -> io::Result<()> {
    let mut pages: Vec<(&GoalId, Piece)> = Vec::new();
    for ids in ids.chunks(GOALS) {
        let mut page = Index::default();
        for (id, label) in ids {
            let record = match goals.touched_goal(id.as_str()) {
                Some(touched) => record(&touched.outline, &rest(goals, touched, saved)?)?,
                None => saved
                    .and_then(|saved| saved.record(id.as_str()))
                    .ok_or_else(|| damaged("goals"))?,
            };
            page.add(id, *label, saving.piece(&record)?);
        }
        pages.push((&ids[0].0, saving.piece(&page.bytes())?));
    }
    saving.named(INDEX, &bytes(&pages)?)
}

/// What is saved of a goal at hand besides its outline: an ended one, of which all lines are known,
/// is not folded before somebody looks at it.
fn rest(goals: &Goals, touched: &TouchedGoal, saved: Option<&Saved>) -> io::Result<RecordBody> {
    let id = touched.outline.id.as_str();
    let mut lines = match saved.filter(|saved| saved.label(id).is_some()) {
        None => Some(LineIndex::default()),
        Some(saved) => {
            let record = saved.record(id).and_then(Record::of);
            match record.and_then(|record| record.rest()) {
                None => return Err(damaged("goals")),
                Some(RecordBody::Goal(_)) => None,
                Some(RecordBody::Lines(lines)) => Some(lines),
            }
        }
    };
    // Of a goal that lies on several branches the lines alone do not say what each had seen.
    let foldable = !touched.outline.status.is_open() && goals.is_calm(touched);
    if let (Some(lines), true) = (&mut lines, foldable) {
        touched.lines.iter().for_each(|line| lines.push(line));
        if lines.as_bytes().len() <= FEW {
            return Ok(RecordBody::Lines(std::mem::take(lines)));
        }
    }
    Ok(RecordBody::Goal(Box::new(goals.fold(touched))))
}

fn damaged(what: &str) -> io::Error {
    io::Error::other(format!("the {what} that were saved are damaged"))
}

/// The rows of goals that were not touched are those that were saved before.
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

fn bytes<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}
