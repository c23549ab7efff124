//! What a replay came to, kept in the user's cache directory so that the next command replays
//! only what was appended since (DESIGN §3.5).
//!
//! Ledgers of a few thousand lines need none. What was saved is right or is not used: the ledger
//! still begins as it did ([`Place::find`]), every piece has its sum, and a piece that is damaged
//! makes the ledger be replayed after all.

mod index;
mod shelf;
mod write;

use std::fs::File;
use std::io;
use std::rc::Rc;

use crate::domain::goals::Shelf;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::replay::{Replay, Replayed};
use crate::ledger::cache::{Cache, Place, Saving, Stamp};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::workspace::Paths;
use crate::workspace::dirs::make_private;

use shelf::Saved;

/// A fingerprint of the sources that decide what a ledger means: a state that other sources saved
/// is none. `build.rs` makes it.
const VERSION: &str = env!("GOAL_REPLAY_FINGERPRINT");

/// How many lines must be new before it pays to save what they came to, besides one for each
/// goal. Unit tests are to meet saved states.
const WORTH: u64 = if cfg!(test) { 3 } else { 2_000 };

/// A ledger as it was read.
#[derive(Debug)]
pub struct Read {
    pub replayed: Replayed,
    pub extent: Extent,
    /// What is saved of its beginning.
    pub known: Option<Known>,
}

/// A saved state, and the stamp by which the ledger was seen to begin as it did then.
#[derive(Debug)]
pub struct Known {
    saved: Rc<Saved>,
    stamp: Stamp,
}

impl Known {
    /// The cache that the state was saved in.
    pub fn cache(&self) -> &Cache {
        self.saved.cache()
    }

    /// Whether the goal with this id was saved.
    pub fn holds(&self, goal: &GoalId) -> bool {
        self.saved.label(goal).is_some()
    }

    /// Passes on, after an append of ours, that the ledger still begins as it did: its stamps
    /// right before and after.
    pub fn leave(&self, paths: &Paths, lines: &Lines, (before, after): (Stamp, Stamp)) {
        if let (Some(place), Ok(Some(ledger))) = (paths.cache(), lines.file())
            && self.stamp == before
        {
            place.leave(&ledger, self.saved.cache(), after);
        }
    }
}

/// Reads the ledger: what is saved of it, and what came after. Saves what it came to when that
/// pays.
///
/// # Errors
/// The system refuses to read it.
pub fn read(lines: &Lines, place: Option<&Place>) -> io::Result<Read> {
    let (Some(place), Some(ledger)) = (place, lines.file()?) else {
        return replay_after(None, lines);
    };
    let stamp = Stamp::of(&ledger)?;
    let known = place.find(&ledger, version()).and_then(|(cache, stamp)| {
        let saved = Rc::new(Saved::open(cache, lines)?);
        Some(Known { saved, stamp })
    });
    let mut read = replay_after(known, lines)?;
    let whole = read.extent.terminated && read.extent.len == stamp.len;
    if whole && read.pays() {
        // Nothing depends on it: a full disk or a read-only home only costs time.
        read.known = read
            .save(&ledger, lines, place, stamp)
            .unwrap_or(read.known);
    }
    Ok(read)
}

/// The ledger from behind what is known of it.
fn replay_after(known: Option<Known>, lines: &Lines) -> io::Result<Read> {
    let saved = known.as_ref().map(|known| Rc::clone(&known.saved));
    let before = saved.as_ref().map_or(Extent::EMPTY, |it| it.extent());
    let replayed = saved.as_ref().map(Saved::replayed).unwrap_or_default();
    let reread = |line: LineRef| lines.bytes(line).ok();
    let earlier = |id| {
        saved
            .as_ref()
            .map(|it| it.linking_to(id))
            .unwrap_or_default()
    };
    let mut replay = Replay::after(replayed, &earlier, &reread);
    let extent = match lines.reader_from(before.len) {
        None => before,
        Some(reader) => frame::scan_on(before, reader, |raw| {
            replay.push(&raw);
        })?,
    };
    Ok(Read {
        replayed: replay.pause(),
        extent,
        known,
    })
}

impl Read {
    /// Whether so much is new that the next command is spared more than saving costs this one.
    fn pays(&self) -> bool {
        let before = self.known.as_ref().map_or(0, |it| it.saved.extent().lines);
        self.extent.lines - before >= WORTH + self.replayed.state.goals.len() as u64
    }

    fn save(
        &self,
        ledger: &File,
        lines: &Lines,
        place: &Place,
        stamp: Stamp,
    ) -> io::Result<Option<Known>> {
        make_private(place.dir())?;
        let saved = self.known.as_ref().map(|known| &*known.saved);
        let saving = write::save(&self.replayed, saved, lines, Saving::begin(place.dir())?)?;
        let cache = place.keep(ledger, saving, self.extent, version(), stamp)?;
        Ok(cache.and_then(|cache| {
            let saved = Rc::new(Saved::open(cache, lines)?);
            Some(Known { saved, stamp })
        }))
    }
}

/// [`VERSION`] as a number.
fn version() -> u64 {
    u64::from_str_radix(VERSION, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests;
