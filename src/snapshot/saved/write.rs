//! Saving a state: goal by goal, so that no more than one of them is held twice in memory.

use std::io;
use std::sync::OnceLock;

use serde::Serialize;

use super::goals::{
    Content, ENDED, GOALS, HEAD, HeadOf, LINKS, OPEN, REQUESTS, SESSIONS, Saved, SavedGoal,
    SavedPage,
};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::extract::Extract;
use crate::domain::goal::header::GoalHeader;
use crate::domain::goals::{Goals, SavedGoals, Sums, TouchedGoal};
use crate::domain::id::GoalId;
use crate::domain::line_index::LineIndex;
use crate::domain::replay::{Links, Replayed};
use crate::ledger::cache::{Piece, Saving};
use crate::ledger::lines::Lines;
use crate::render::view::brief;

/// Up to how many bytes of places, some six a line, an ended goal is folded only when somebody
/// looks at it: that takes as long as it has lines.
const FEW: usize = 2 * 1024;

/// Writes what a ledger came to. What was not touched since it was `saved` is copied.
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
    let answers = state.requests.all(before);
    saving.named(REQUESTS, &packed(&answers)?)?;
    let mut sessions = saved.map(|it| it.sessions().clone()).unwrap_or_default();
    sessions.add(&state.sessions);
    saving.named(SESSIONS, &bytes(&sessions)?)?;
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

/// Writes the goals, and where each is by its id. Gives back how many were completed outside the
/// gate, and about how many ended ones something waits.
fn goals(
    goals: &Goals,
    saved: Option<&Saved>,
    lines: &Lines,
    saving: &mut Saving,
) -> io::Result<(u64, u64)> {
    let (mut outside, mut waiting) = (0, 0);
    for (name, open) in [(OPEN, true), (ENDED, false)] {
        let labels = goals.labels(|status| status.is_open() == open).into_iter();
        let mut ids: Vec<GoalId> = labels.map(|(id, _)| id).collect();
        ids.sort();
        let mut pages = Vec::new();
        for ids in ids.chunks(GOALS) {
            let (mut page, mut headers) = (Vec::new(), Vec::new());
            for id in ids {
                let (goal, header) = match goals.touched_goal(id.as_str()) {
                    Some(touched) => touched_goal(goals, touched, saved, lines, saving)?,
                    None => copied(id, saved, saving)?,
                };
                outside += u64::from(header.audited == Some(Audited::None));
                waiting += u64::from(header.waits_though_ended());
                page.push(goal);
                headers.push(header);
            }
            pages.push(SavedPage {
                first: ids[0].clone(),
                goals: saving.json(&page)?,
                headers: saving.piece(&packed(&headers)?)?,
            });
        }
        saving.named(name, &bytes(&pages)?)?;
    }
    Ok((outside, waiting))
}

/// Writes a goal at hand.
fn touched_goal(
    goals: &Goals,
    touched: &TouchedGoal,
    saved: Option<&Saved>,
    lines: &Lines,
    saving: &mut Saving,
) -> io::Result<(SavedGoal, GoalHeader)> {
    let goal = &touched.outline;
    let mut header = GoalHeader::of(goal, goal.audited(|line| lines.id(line))?);
    header.objective = brief(&goal.contract.objective).to_owned();
    let content = match all_lines(goals, touched, saved)? {
        Some(lines) => Content::Lines(saving.piece(lines.as_bytes())?),
        None => {
            let whole = goals.fold(touched);
            header.extract = Extract::of(&whole);
            Content::Goal(saving.json(&whole)?)
        }
    };
    let saved = SavedGoal {
        id: header.id.clone(),
        label: header.label,
        outline: saving.json(goal)?,
        content,
        goal: OnceLock::new(),
    };
    Ok((saved, header))
}

/// The lines of a goal at hand, where they are all that has to be saved of it: of an ended one with
/// few lines, which is not folded before somebody looks at it.
fn all_lines(
    goals: &Goals,
    touched: &TouchedGoal,
    saved: Option<&Saved>,
) -> io::Result<Option<LineIndex>> {
    let id = touched.outline.id.as_str();
    let known = match saved.map(|saved| (saved, saved.find(id))) {
        None | Some((_, Some(None))) => Some(LineIndex::default()),
        Some((saved, Some(Some(goal)))) => saved.lines_of(goal),
        Some((_, None)) => return Err(damaged("goals")),
    };
    // Of a goal that lies on several branches the lines alone do not say what each had seen.
    let foldable = !touched.outline.status.is_open() && goals.is_calm(touched);
    Ok(known.filter(|_| foldable).and_then(|mut lines| {
        touched.lines.iter().for_each(|line| lines.push(line));
        (lines.as_bytes().len() <= FEW).then_some(lines)
    }))
}

/// Writes a goal as it was saved before.
fn copied(
    id: &GoalId,
    saved: Option<&Saved>,
    saving: &mut Saving,
) -> io::Result<(SavedGoal, GoalHeader)> {
    let known = saved.and_then(|saved| {
        let goal = saved.find(id.as_str())??;
        Some((saved, goal, saved.header(id.as_str())?))
    });
    let (saved, goal, header) = known.ok_or_else(|| damaged("goals"))?;
    let mut copy = |piece: Piece| match saved.piece(piece) {
        Some(bytes) => saving.piece(&bytes),
        None => Err(damaged("goals")),
    };
    let copied = SavedGoal {
        id: goal.id.clone(),
        label: goal.label,
        outline: copy(goal.outline)?,
        content: match goal.content {
            Content::Goal(piece) => Content::Goal(copy(piece)?),
            Content::Lines(piece) => Content::Lines(copy(piece)?),
        },
        goal: OnceLock::new(),
    };
    Ok((copied, header.clone()))
}

fn damaged(what: &str) -> io::Error {
    io::Error::other(format!("the {what} that were saved are damaged"))
}

/// For what is read whole and often: JSON would take several times as long.
fn packed<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(io::Error::other)
}

fn bytes<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}
