//! Taking the text of a line out of the copies of the ledger on this machine: in its place stands a line
//! with its id, goal and links, sealed with this machine's key (docs/ledger-format.md#dropped-lines).
//! Nothing else ever changes a line that was recorded.

use std::fs::{self, File};
use std::io::{self, Write};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::TransactionError;
use super::copies::unusable;
use super::sealing::{Sealing, prepare_sealing};
use crate::domain::event::{Envelope, Event, LineDropped, Payload};
use crate::domain::id::{EventId, dropped_line};
use crate::domain::line::LineRef;
use crate::domain::wire::{encode_sealed, event_of_line};
use crate::ledger::frame;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::projection::plan_all;
use crate::snapshot::Snapshot;
use crate::workspace::home::GitTree;
use crate::workspace::spare::Spare;
use crate::workspace::{Paths, Workspace};

/// Puts what stands for it in the place of the line with this id, in each copy of the ledger on this
/// machine that has it. Which copies were changed.
///
/// # Errors
/// No copy has the line, there is no key to seal with, or a copy cannot be written. Those that were changed
/// before stay changed; the same call again does the rest.
pub fn drop_line(
    workspace: &Workspace,
    id: EventId,
    wait: Duration,
) -> Result<Vec<Utf8PathBuf>, TransactionError> {
    let paths = workspace.paths.uncached();
    let _home = DirLock::acquire(paths.home(), wait)?;
    let before = Snapshot::read(&paths)?;
    let mut notices = Vec::new();
    let events = paths.events();
    let sealing = prepare_sealing(workspace, &before, &mut notices).map_err(unusable(&events))?;
    let sealing = sealing.ok_or_else(|| unusable(&events)(no_key()))?;
    drop(before);
    let mut changed = Vec::new();
    let mut stub = None;
    for copy in copies(workspace, &paths) {
        // A tree's file has a lock of its own, and the home's is held already.
        let dir = copy.parent().unwrap_or(paths.home());
        let is_tree = dir != paths.home() && paths.files().any(|file| file == copy);
        let _tree = match is_tree && dir.is_dir() {
            true => Some(DirLock::acquire(dir, wait)?),
            false => None,
        };
        if replace(&copy, id, &sealing, &mut stub).map_err(unusable(&copy))? {
            changed.push(copy);
        }
    }
    if let Some(cache) = workspace.paths.cache() {
        cache.forget().map_err(unusable(cache.dir()))?;
    }
    let trees = paths.git().map_or_else(Vec::new, GitTree::others);
    let others = trees.iter().map(|tree| Paths::new(tree));
    for of_tree in std::iter::once(paths.clone()).chain(others) {
        render(&of_tree, id).map_err(unusable(of_tree.own()))?;
    }
    Ok(changed)
}

/// Renders the documents of a work tree anew: they have texts of lines too. Those of a goal of which the
/// line is gone that created it are removed, since nothing tells any more what is in them.
fn render(paths: &Paths, id: EventId) -> io::Result<()> {
    if !paths.own().is_dir() {
        return Ok(());
    }
    let now = Snapshot::read(paths).map_err(io::Error::other)?;
    let mut goal = None;
    now.each_event(|raw, event| {
        if let Payload::LineDropped(dropped) = &event.payload
            && dropped.was == CREATION
            && EventId::of_line(raw.bytes) == id
        {
            goal = event.goal_id.clone();
        }
    })?;
    for entry in now.documents().map_err(io::Error::other)? {
        if goal.as_ref() == Some(&entry.id) {
            fs::remove_file(&entry.path)?;
        }
    }
    for (_, plan) in plan_all(&now, paths) {
        let plan = plan.map_err(io::Error::other)?;
        plan.carry_out(paths).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The type of the event that creates a goal.
const CREATION: &str = "goal_created";

fn no_key() -> io::Error {
    io::Error::other("there is no key on this machine to seal with what takes the line's place")
}

/// Every file on this machine that has the lines of the ledger, the home first.
fn copies(workspace: &Workspace, paths: &Paths) -> Vec<Utf8PathBuf> {
    let mut copies = vec![paths.events()];
    for file in paths.files() {
        if !copies.contains(&file) {
            copies.push(file);
        }
    }
    copies.extend(
        Spare::of(workspace)
            .into_iter()
            .flat_map(|it| it.copies().collect::<Vec<_>>()),
    );
    copies
}

/// Replaces the line in one file, in one step. Whether the file had it.
fn replace(
    path: &Utf8Path,
    id: EventId,
    sealing: &Sealing,
    stub: &mut Option<String>,
) -> io::Result<bool> {
    let Some(mut file) = open::read(path).map_err(io::Error::other)? else {
        return Ok(false);
    };
    let mut text = Vec::new();
    io::Read::read_to_end(&mut file, &mut text)?;
    let mut written = Vec::with_capacity(text.len());
    let mut found = false;
    frame::scan(text.as_slice(), |raw| {
        let is_it = EventId::of_line(raw.bytes) == id && dropped_line(raw.bytes).is_none();
        if is_it && stub.is_none() {
            *stub = standing_for(id, raw.bytes, sealing);
        }
        match stub.as_ref().filter(|_| is_it) {
            Some(stub) => {
                found = true;
                written.extend_from_slice(stub.as_bytes());
            }
            None => {
                let begin = usize::try_from(raw.offset).unwrap_or_default();
                // A line that is too long is handed out without its bytes.
                let end = memchr::memchr(b'\n', &text[begin..]).map_or(text.len(), |it| begin + it);
                written.extend_from_slice(&text[begin..end]);
            }
        }
        if raw.terminated {
            written.push(b'\n');
        }
    })?;
    if found {
        write_in_place(path, &file, &written)?;
    }
    Ok(found)
}

/// The line that takes the place of this one; nothing where it is not one of ours.
fn standing_for(id: EventId, line: &[u8], sealing: &Sealing) -> Option<String> {
    let event = event_of_line(LineRef::START, line)?;
    event.envelope.prev?;
    let mut dropped = Event {
        goal_id: event.goal_id.clone(),
        payload: LineDropped {
            line: id,
            was: event.payload.name().to_owned(),
        }
        .into(),
        at: event.at.clone(),
        envelope: Envelope {
            by: event.envelope.by,
            prev: event.envelope.prev,
            also: event.envelope.also.clone(),
            ..Envelope::default()
        },
    };
    let beginning = sealing.beginning.unwrap_or(id);
    encode_sealed(&mut dropped, &sealing.key, beginning).ok()
}

/// Puts another file in the place of this one, with the same rights, durably.
fn write_in_place(path: &Utf8Path, old: &File, text: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(path);
    let new = dir.join(".goal_events.dropped");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::create_new(&new)?;
    file.set_permissions(old.metadata()?.permissions())?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(dir)?.sync_all()
}
