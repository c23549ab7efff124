//! What a replay came to, kept in the user's cache directory so that the next command replays
//! only what was appended since (docs/design/ledger.md#the-saved-state).
//!
//! Ledgers of a few hundred lines need none. What was saved is right or is not used: the ledger
//! still begins as it did ([`CacheDir::find`]), every piece has its sum, and a piece that is damaged
//! makes the ledger be replayed after all. One that another version wrote is not used either.

mod goals;
mod write;

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use crate::domain::causal::Graph;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::replay::{Replay, Replayed, in_order, in_order_after};
use crate::domain::wire::{Decoded, decode};
use crate::ledger::cache::{Cache, CacheDir, Saving, Stamp};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::ledger::open::make_private;

pub use goals::Saved;

/// The version of what is saved: what another version saved is not used. Whoever changes what is
/// saved, or what replay makes of a ledger, counts it up; the test `what_is_saved_is_of_this_version` says
/// when that was forgotten.
const VERSION: u64 = 38;

/// How many lines must be new before it pays to save what they came to, besides one for each
/// goal. Unit tests are to meet saved states.
const WORTH: u64 = if cfg!(test) { 3 } else { 400 };

/// A ledger as it was read.
#[derive(Debug)]
pub struct Read {
    pub replayed: Replayed,
    pub extent: Extent,
    /// What the replay went on from.
    pub saved: Option<Arc<Saved>>,
    /// What is saved of its beginning.
    pub known: Option<Known>,
    /// Lines came behind what was saved that had not seen each other: they were put in order.
    pub forked: bool,
}

/// A cache, and the stamp by which the ledger was seen to begin as it says.
#[derive(Debug)]
pub struct Known {
    cache: Arc<Cache>,
    stamp: Stamp,
}

impl Known {
    /// Passes on, after an append of ours, that the ledger still begins as it did: its stamps
    /// right before and after.
    pub fn leave(&self, place: &CacheDir, lines: &Lines, (before, after): (Stamp, Stamp)) {
        if let Ok(Some(ledger)) = lines.file()
            && self.stamp == before
        {
            place.leave(&ledger, &self.cache, after);
        }
    }
}

/// Reads the ledger: what is saved of it, and what came after. Saves what it came to when that
/// pays.
pub fn read(lines: &Arc<Lines>, place: Option<&CacheDir>) -> io::Result<Read> {
    let (Some(place), Some(ledger)) = (place, lines.file()?) else {
        let read = replay(lines)?;
        read.must_be_whole()?;
        return Ok(read);
    };
    let stamp = Stamp::of(&ledger)?;
    let known = place.find(&ledger, VERSION).and_then(|(cache, stamp)| {
        let cache = Arc::new(cache);
        let begun = Saved::open(Arc::clone(&cache), lines)?;
        Some((begun, cache, stamp))
    });
    let mut read = match known {
        None => replay(lines)?,
        Some((begun, cache, stamp)) => {
            let mut read = replay_after(begun, &cache, lines)?;
            read.known = read.saved.is_some().then_some(Known { cache, stamp });
            read
        }
    };
    read.must_be_whole()?;
    let whole = read.extent.terminated && read.extent.len == stamp.len;
    if whole && read.pays() {
        // Nothing depends on it: a full disk or a read-only home only costs time.
        let kept = read.save(&ledger, lines, place, stamp);
        if let Ok(known) = kept {
            read.known = known;
        }
    }
    Ok(read)
}

/// The ledger from its beginning.
fn replay(lines: &Arc<Lines>) -> io::Result<Read> {
    let source = Arc::clone(lines) as Arc<dyn Source>;
    let mut replay = Replay::new(source);
    let extent = go_on(&mut replay, Extent::EMPTY, lines)?;
    match replay.needs_ordering() {
        true => anew(replay.fork(), extent.len, lines),
        false => Ok(Read::of((replay.pause(), extent), None)),
    }
}

/// The ledger from behind what is saved of it. Where lines came that had not seen each other, those
/// alone are put in order, if all of them had seen what is saved.
fn replay_after(
    (saved, before): (Arc<Saved>, Replayed),
    cache: &Arc<Cache>,
    lines: &Arc<Lines>,
) -> io::Result<Read> {
    let source = Arc::clone(lines) as Arc<dyn Source>;
    let earlier = |hash| saved.lines_like(hash);
    let mut replay = Replay::after(before, &earlier, Arc::clone(&source));
    let extent = go_on(&mut replay, saved.extent(), lines)?;
    if !replay.needs_ordering() {
        let replayed = replay.pause();
        return match replayed.state.can_move() {
            true => anew(None, extent.len, lines),
            false => Ok(Read::of((replayed, extent), Some(saved))),
        };
    }
    if let Some((again, before)) = Saved::open(Arc::clone(cache), lines) {
        let earlier = |hash| again.lines_like(hash);
        let begin = Replay::after(before, &earlier, Arc::clone(&source));
        let rest = lines.reader_from(again.extent().len);
        let rest = rest.map(|rest| rest.take(extent.len - again.extent().len));
        let ordered = in_order_after(begin, &*source, |see| match rest {
            None => Ok(again.extent()),
            Some(rest) => frame::scan_on(again.extent(), rest, |raw| decoded(&raw, &mut *see)),
        })?;
        if let Some(ordered) = ordered {
            let mut read = Read::of(ordered, Some(again));
            read.forked = true;
            return Ok(read);
        }
    }
    anew(replay.fork(), extent.len, lines)
}

/// All lines, put in order behind the fork.
fn anew(fork: Option<LineRef>, len: u64, lines: &Arc<Lines>) -> io::Result<Read> {
    let ordered = replay_in_order(lines, len, fork, None)?;
    Ok(Read::of(ordered, None))
}

/// Replays the lines behind `before` in the order of the file.
fn go_on(replay: &mut Replay<'_>, before: Extent, lines: &Lines) -> io::Result<Extent> {
    match lines.reader_from(before.len) {
        None => Ok(before),
        Some(reader) => frame::scan_on(before, reader, |raw| replay.push(&raw)),
    }
}

/// Hands out a line, decoded, with its id.
fn decoded(raw: &RawLine<'_>, mut take: impl FnMut(&RawLine<'_>, &Decoded, EventId)) {
    take(raw, &decode(raw), EventId::of_line(raw.bytes));
}

/// The first `len` bytes of a ledger that is not one chain behind this line, line by line in their
/// order, up to this place in it.
pub(super) fn replay_in_order(
    lines: &Arc<Lines>,
    len: u64,
    fork: Option<LineRef>,
    up_to: Option<u64>,
) -> io::Result<(Replayed, Extent)> {
    let source = Arc::clone(lines) as Arc<dyn Source>;
    let begin = || Ok(Replay::new(Arc::clone(&source)));
    in_order(&*source, (fork, up_to), begin, |see| {
        each_line(lines, len, see)
    })
}

/// What the lines in the first `len` bytes name.
pub(super) fn graph(lines: &Lines, len: u64) -> io::Result<(Graph, Extent)> {
    let mut graph = Graph::default();
    let extent = each_line(lines, len, |raw, decoded, id| graph.push(raw, decoded, id))?;
    Ok((graph, extent))
}

/// Hands out the lines in the first `len` bytes, each decoded, with its id.
fn each_line(
    lines: &Lines,
    len: u64,
    mut take: impl FnMut(&RawLine<'_>, &Decoded, EventId),
) -> io::Result<Extent> {
    match lines.reader() {
        None => Ok(Extent::EMPTY),
        Some(reader) => frame::scan(reader.take(len), |raw| decoded(&raw, &mut take)),
    }
}

impl Read {
    /// A ledger that was replayed so far, from behind what was saved.
    pub fn of((replayed, extent): (Replayed, Extent), saved: Option<Arc<Saved>>) -> Read {
        Read {
            replayed,
            extent,
            saved,
            known: None,
            forked: false,
        }
    }

    /// Refuses a ledger that was cut while its lines were put in order.
    fn must_be_whole(&self) -> io::Result<()> {
        match self.replayed.was_truncated {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(()),
        }
    }

    /// Whether so much is new that the next command is spared more than saving costs this one, which
    /// it is of all that would have to be put in order again.
    fn pays(&self) -> bool {
        if self.forked || self.replayed.state.can_move() {
            return self.forked;
        }
        let before = self.saved.as_ref().map_or(0, |it| it.extent().lines);
        self.extent.lines - before >= WORTH + self.replayed.state.goals.len() as u64
    }

    fn save(
        &mut self,
        ledger: &File,
        lines: &Lines,
        place: &CacheDir,
        stamp: Stamp,
    ) -> io::Result<Option<Known>> {
        make_private(place.dir())?;
        // Nobody needs the links any more once they are saved.
        let links = std::mem::take(&mut self.replayed.links);
        let (saved, saving) = (self.saved.as_deref(), Saving::begin(place.dir())?);
        let saving = write::save((&self.replayed, links), saved, lines, saving)?;
        let cache = place.keep(ledger, saving, self.extent, VERSION, stamp)?;
        Ok(cache.map(|cache| Known {
            cache: Arc::new(cache),
            stamp,
        }))
    }
}

#[cfg(test)]
mod tests;
