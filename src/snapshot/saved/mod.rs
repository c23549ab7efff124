//! What a replay came to, kept in the user's cache directory so that the next command replays
//! only what was appended since (docs/design/saved-state.md).
//!
//! Ledgers of a few hundred lines need none. What was saved is right or is not used: the ledger
//! still begins as it did ([`Place::find`]), every piece has its sum, and a piece that is damaged
//! makes the ledger be replayed after all.

mod goals;
mod write;

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use crate::domain::causal::Graph;
use crate::domain::goals::SavedGoals;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::replay::{Replay, Replayed, Tail, in_order, in_order_after};
use crate::domain::wire::header;
use crate::ledger::cache::{Cache, Place, Saving, Stamp};
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::snapshot::ahead::{self, Seen};
use crate::workspace::Paths;
use crate::workspace::dirs::make_private;

pub use goals::Saved;

/// The version of what is saved: a state that another version saved is not used. Whoever changes
/// what is saved, or what replay makes of a ledger, adds a row and takes its number; the test
/// `what_is_saved_is_of_this_version` says when that was forgotten.
///
/// | version | what changed |
/// |--:|---|
/// | 1 | the first with a number; before, a hash of all sources stood here |
/// | 2 | `ledger_moved` is known; an envelope's field out of range or too deep counts as absent |
/// | 3 | lines come in the order of what their writers had seen; heads, contests |
/// | 4 | a request that writers recorded who did not know of each other counts once |
/// | 5 | whether the latest evaluation may give the goal up |
/// | 6 | iterations of a loop are counted from 1, those of its earlier lines too |
/// | 7 | a row has its goal's priority |
/// | 8 | loops are counted by agent, rules by their runs; the latest loops are kept |
/// | 9 | what counts as progress of a run; how its checks stood, and what its auditor objected to |
/// | 10 | links are a list, and no table |
/// | 11 | goals, open and ended ones apart, by id: header, outline, content; no rows besides; a budget may limit tokens; the ended goal whose contract a goal took over |
/// | 12 | how many runs got nowhere; whether work changed since the latest objection; the same evidence again is no progress |
/// | 13 | a header has what waits about its goal; how audits went, and the run that nobody took up |
/// | 14 | headers have pages of their own, beside those of labels |
/// | 15 | how a run goes about its work: its own work tree, commits, a plan first |
/// | 16 | what a run left without a commit |
/// | 17 | headers are in the form of the crate postcard |
/// | 18 | what an auditor objected to is known by the criteria that it names |
/// | 19 | which goals the events of each session name; up to where transcripts were read |
/// | 20 | which goals the events of each session name is a part of its own, since only hooks ask |
/// | 21 | the store that the ledger belongs to |
/// | 22 | the latest time of the lines, so that lines behind it can be put in order |
/// | 23 | what waits about a goal has its questions whole; answered requests are in the form of postcard |
/// | 24 | the questions of a header are packed; times of evidence that are over stand apart from the one that lasts |
/// | 25 | a header no longer has the lines of the gate's chain: whether they prove anything is seen with the goal |
/// | 26 | the tasks that are defined no more |
/// | 27 | only lines of ours answer requests, whose keys are found by a hash that is the same in every build |
/// | 28 | only lines of ours move the focus of a session |
/// | 29 | what agents' hosts passed on as the user's: how many lines, and of each contract the latest |
/// | 30 | who asked each question and proposed for each draft; which host passed a note or a pause on; nothing of the first edition |
const VERSION: u64 = 30;

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
    /// The state in it, unless it was saved only now.
    saved: Option<Arc<Saved>>,
}

impl Known {
    /// The cache that the state was saved in.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The goals that were saved; nothing when that was only now.
    pub fn saved_goals(&self) -> Option<&dyn SavedGoals> {
        self.saved.as_deref().map(|saved| saved as &dyn SavedGoals)
    }

    /// Passes on, after an append of ours, that the ledger still begins as it did: its stamps
    /// right before and after.
    pub fn leave(&self, paths: &Paths, lines: &Lines, (before, after): (Stamp, Stamp)) {
        if let (Some(place), Ok(Some(ledger))) = (paths.cache(), lines.file())
            && self.stamp == before
        {
            place.leave(&ledger, &self.cache, after);
        }
    }
}

/// Reads the ledger: what is saved of it, and what came after. Saves what it came to when that
/// pays.
pub fn read(lines: &Arc<Lines>, place: Option<&Place>) -> io::Result<Read> {
    let (Some(place), Some(ledger)) = (place, lines.file()?) else {
        return replay(lines);
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
            read.known = read.saved.clone().map(|saved| Known {
                cache,
                stamp,
                saved: Some(saved),
            });
            read
        }
    };
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

/// From how many bytes on it pays to have another processor look at some of them. Unit tests are to meet
/// long ledgers.
const MUCH: u64 = if cfg!(test) { 2048 } else { 4 * 1024 * 1024 };

/// How many bytes at the end of a long ledger are looked at first.
const TAIL: u64 = MUCH / 4;

/// The ledger from its beginning.
fn replay(lines: &Arc<Lines>) -> io::Result<Read> {
    if let (fork @ Some(_), extent) = fork_in_tail(lines)? {
        return anew(fork, extent, lines);
    }
    let source = Arc::clone(lines) as Arc<dyn Source>;
    let mut replay = Replay::new(source);
    let extent = go_on(&mut replay, Extent::EMPTY, lines)?;
    match replay.is_stray() {
        true => anew(replay.fork(), extent.len, lines),
        false => Ok(Read::of((replay.pause(), extent), None)),
    }
}

/// The fork of a long ledger, where its end tells it; with how far the ledger goes, in bytes.
fn fork_in_tail(lines: &Lines) -> io::Result<(Option<LineRef>, u64)> {
    let len = lines.len()?.unwrap_or_default();
    let from = len.saturating_sub(TAIL);
    let mut bytes = Vec::new();
    if let Some(reader) = lines.reader_from(from).filter(|_| len > MUCH) {
        reader.take(TAIL).read_to_end(&mut bytes)?;
    }
    if !Tail::may_fork(&bytes) {
        return Ok((None, len));
    }
    let before = Extent {
        len: from,
        lines: 0,
        terminated: true,
    };
    let mut tail = Tail::default();
    frame::scan_on(before, &bytes[..], |raw| {
        // The first one may be the rest of a line.
        if raw.offset > from {
            tail.push(&raw, &header(&raw), EventId::of_line(raw.bytes));
        }
    })?;
    Ok((tail.fork(), len))
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
    if !replay.is_stray() {
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
            Some(rest) => ahead::each_line(again.extent(), rest, |raw, (header, id)| {
                see(raw, header, *id);
            }),
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
    let ledger = lines.file()?.map(|file| file.metadata()).transpose()?;
    let rest = ledger.map_or(0, |it| it.len()).saturating_sub(before.len);
    match lines.reader_from(before.len) {
        None => Ok(before),
        Some(reader) if rest < MUCH => frame::scan_on(before, reader, |raw| replay.push(&raw)),
        Some(reader) => ahead::each_line(before, reader, |raw, (header, id)| {
            replay.see(raw, header, *id);
        }),
    }
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
        each_line(lines, len, |raw, (header, id)| see(raw, header, *id))
    })
}

/// What the lines in the first `len` bytes name.
pub(super) fn graph(lines: &Lines, len: u64) -> io::Result<(Graph, Extent)> {
    let mut graph = Graph::default();
    let extent = each_line(lines, len, |raw, (header, id)| graph.push(raw, header, *id))?;
    Ok((graph, extent))
}

/// Hands out the lines in the first `len` bytes, with what is to be known of each.
fn each_line(
    lines: &Lines,
    len: u64,
    take: impl FnMut(&RawLine<'_>, &Seen<'_>),
) -> io::Result<Extent> {
    match lines.reader() {
        None => Ok(Extent::EMPTY),
        Some(reader) => ahead::each_line(Extent::EMPTY, reader.take(len), take),
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
        place: &Place,
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
            saved: None,
        }))
    }
}

#[cfg(test)]
mod tests;
