//! Whether a document is what git made of several renderings: each is rendered again from what its
//! writer knew of the goal, and the digest in the header proves that it was just that.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use super::{ProjectionError, render};
use crate::documents::merged::{Rendering, is_made_of, stated};
use crate::documents::notes::{before_notes, digest};
use crate::domain::causal::ancestry::Ancestry;
use crate::domain::event::Event;
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::replay;
use crate::domain::state::State;
use crate::ledger::chain::LineLinks;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;

/// A document of more renderings than this counts as edited: each pair is compared.
const MOST: usize = 8;

/// Of so many branches that no line names, each choice is tried: the digest says which is right.
const MOST_HEADS: usize = 6;

/// One of more renderings between them as well: each is made.
const MOST_BETWEEN: usize = 500;

/// The lines of the renderings of which git made the document, where nothing else is in it before its
/// Notes. Reads the whole ledger.
pub(super) fn put_together(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
    text: &str,
) -> Result<Option<Rendering>, ProjectionError> {
    let stated = stated(text);
    if stated.events.len() * stated.paths.len() > MOST {
        return Ok(None);
    }
    let history = History::read(snapshot, paths, goal)?;
    let (mut proven, mut sides, mut known) = (BTreeSet::new(), Vec::new(), Vec::new());
    for event in stated.events.iter().filter_map(|id| id.parse().ok()) {
        for lines in history.known_at(event) {
            for path in &stated.paths {
                let Some(rendering) = history.rendered(&lines, path)? else {
                    continue;
                };
                let digest = digest(before_notes(&rendering));
                if stated.digests.contains(&digest) && proven.insert(digest) {
                    sides.push(Rendering::of(&rendering));
                    known.push(lines.clone());
                }
            }
        }
    }
    if proven != stated.digests {
        return Ok(None);
    }
    let mut bases = Vec::new();
    for one in 0..sides.len() {
        for other in one + 1..sides.len() {
            let both = &known[one] & &known[other];
            bases.push(((one, other), history.lines_at(&both, &stated.paths)?));
        }
    }
    let Some(between) = history.between(&known, &stated.paths)? else {
        return Ok(None);
    };
    let is_made = is_made_of(text, &sides, &between, |one, other| {
        let base = bases.iter().find(|(pair, _)| *pair == (one, other));
        base.map(|(_, base)| base.clone()).unwrap_or_default()
    });
    Ok(is_made.then(|| {
        let mut lines = between;
        sides.into_iter().for_each(|side| lines.add(side));
        lines
    }))
}

/// The events of a goal, to be applied again as far as somebody knew them.
struct History<'a> {
    snapshot: &'a Snapshot,
    paths: &'a Paths,
    goal: &'a Goal,
    events: Vec<(LineRef, EventId, Event)>,
    chain: LineLinks,
    sight: Option<Arc<Ancestry>>,
}

/// Places of lines among those of the goal.
type Known = BTreeSet<usize>;

impl<'a> History<'a> {
    fn read(snapshot: &'a Snapshot, paths: &'a Paths, goal: &'a Goal) -> io::Result<History<'a>> {
        let events = snapshot.events_of(&goal.id, LineRef::START)?.into_iter();
        let events = events.map(|(line, event)| Ok((line, snapshot.id(line)?, event)));
        Ok(History {
            events: events.collect::<io::Result<_>>()?,
            chain: snapshot.chain()?,
            sight: snapshot.ancestry()?,
            snapshot,
            paths,
            goal,
        })
    }

    /// What the writer of this event may have known of the goal: what links lead to from it. Lines of
    /// earlier versions do not say which other branches their writer had merged, so those that no line
    /// links to may have been known as well; in a ledger with lines that have no links, all before it.
    fn known_at(&self, event: EventId) -> Vec<Known> {
        let Some(at) = self.events.iter().position(|(_, id, _)| *id == event) else {
            return Vec::new();
        };
        let ids: BTreeSet<EventId> = self.events.iter().map(|(_, id, _)| *id).collect();
        let behind = |head: EventId| -> Known {
            let behind = self.chain.leads_to(head, &ids);
            let is_behind = |it: &usize| behind.contains(&self.events[*it].1);
            (0..at).filter(is_behind).collect()
        };
        let mut linked = behind(event);
        linked.insert(at);
        let heads = self.chain.heads().into_iter();
        let more: BTreeSet<Known> = heads.map(|head| &behind(head) - &linked).collect();
        let more: Vec<Known> = more.into_iter().filter(|it| !it.is_empty()).collect();
        let mut known = vec![linked, (0..=at).collect()];
        if more.len() <= MOST_HEADS {
            for choice in 1..1_u32 << more.len() {
                let chosen = more.iter().enumerate();
                let chosen = chosen.filter(|(bit, _)| choice & (1 << bit) != 0);
                known.push(chosen.fold(known[0].clone(), |all, (_, it)| &all | it));
            }
        }
        known
    }

    /// The lines of all documents that each side had between what all began with and its own last
    /// one; nothing where they are too many to render.
    fn between(
        &self,
        sides: &[Known],
        paths: &BTreeSet<String>,
    ) -> Result<Option<Rendering>, ProjectionError> {
        let all = sides.iter().cloned().reduce(|all, side| &all & &side);
        let all = all.unwrap_or_default();
        let steps = sides.iter().map(|side| side.len() - all.len());
        if steps.sum::<usize>() > MOST_BETWEEN {
            return Ok(None);
        }
        let mut between = Rendering::default();
        for side in sides {
            let mut known = all.clone();
            for event in side - &all {
                known.insert(event);
                between.add(self.lines_at(&known, paths)?);
            }
        }
        Ok(Some(between))
    }

    fn lines_at(
        &self,
        known: &Known,
        paths: &BTreeSet<String>,
    ) -> Result<Rendering, ProjectionError> {
        let mut lines = Rendering::default();
        for path in paths {
            let rendered = self.rendered(known, path)?;
            lines.add(Rendering::of(&rendered.unwrap_or_default()));
        }
        Ok(lines)
    }

    /// The goal's document as far as these lines tell of it.
    fn rendered(&self, known: &Known, path: &str) -> Result<Option<String>, ProjectionError> {
        let mut state = State::default();
        if let Some(sight) = &self.sight {
            state.goals.see_with(Arc::clone(sight));
        }
        for (line, _, event) in known.iter().map(|at| &self.events[*at]) {
            replay::apply(&mut state, event, *line);
        }
        let goal = state.goals.get(&self.goal.id);
        let rendered = goal.map(|goal| render(self.snapshot, self.paths, goal, path.into(), ""));
        rendered.transpose()
    }
}
