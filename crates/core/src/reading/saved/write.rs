//! Saving a state: goal by goal, so that no more than one of them is held twice in memory.

use std::io;

use serde::Serialize;

use super::goals::{ENDED, HEAD, HeadOf, IDS, LINKS, OPEN, REQUESTS, SESSIONS, Saved};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::row::Row;
use crate::domain::goals::{GoalRef, Goals, Sums};
use crate::domain::replay::{Links, Replayed};
use crate::ledger::cache::{Piece, Saving};
use crate::ledger::lines::Lines;

/// Writes what a ledger came to. Goals that no line was about since they were `saved` are copied.
pub fn save(
    (replayed, links): (&Replayed, Links),
    saved: Option<&Saved>,
    lines: &Lines,
    mut saving: Saving,
) -> io::Result<Saving> {
    let state = &replayed.state;
    let (outside, waiting_though_ended) = goals(&state.goals, saved, lines, &mut saving)?;
    let head = HeadOf {
        state,
        sums: Sums {
            count: state.goals.len(),
            counts: state.counts(),
            unsettled: state.goals.unsettled(),
            outside,
            waiting_though_ended,
        },
        diagnostics: &replayed.diagnostics,
    };
    saving.named(HEAD, &bytes(&head)?)?;
    let before = saved.map(Saved::answers).unwrap_or_default();
    saving.named(REQUESTS, &bytes(&state.requests.all(before))?)?;
    let mut sessions = state.goals.saved_goals().map(|it| it.sessions().clone());
    let sessions = sessions.get_or_insert_default();
    sessions.add(&state.sessions);
    saving.named(SESSIONS, &bytes(sessions)?)?;
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

/// Writes the goals, and their rows by id. Gives back how many were completed outside the gate, and
/// about how many ended ones something waits.
fn goals(
    goals: &Goals,
    saved: Option<&Saved>,
    lines: &Lines,
    saving: &mut Saving,
) -> io::Result<(u64, u64)> {
    let (mut outside, mut waiting) = (0, 0);
    for (name, open) in [(OPEN, true), (ENDED, false)] {
        let mut listed = goals.list(|status| status.is_open() == open);
        listed.sort_unstable_by(|a, b| a.id().cmp(b.id()));
        let mut rows: Vec<(Row, Piece)> = Vec::with_capacity(listed.len());
        for goal in listed {
            let (row, piece) = match goal {
                GoalRef::AtHand(goal) => {
                    let audited = goal.audited(|line| lines.id(line))?;
                    (Row::of(goal, audited), saving.json(goal)?)
                }
                GoalRef::Saved(row) => {
                    let saved = saved.and_then(|it| it.bytes_of(row.id.as_str()));
                    let saved = saved.ok_or_else(|| damaged("goals"))?;
                    (row.clone(), saving.piece(&saved)?)
                }
            };
            outside += u64::from(row.audited == Some(Audited::None));
            waiting += u64::from(row.waits_though_ended());
            rows.push((row, piece));
        }
        // A list reads all of them: JSON would take several times as long.
        let rows = postcard::to_allocvec(&rows).map_err(io::Error::other)?;
        saving.named(name, &rows)?;
    }
    let mut ids = goals.ids(|_| true);
    ids.sort_unstable();
    saving.named(IDS, &bytes(&ids)?)?;
    Ok((outside, waiting))
}

fn damaged(what: &str) -> io::Error {
    io::Error::other(format!("the {what} that were saved are damaged"))
}

fn bytes<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}
