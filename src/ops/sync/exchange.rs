//! One sync: the lines that go over, the remote asked and offered until both sides are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::thread;
use std::time::Duration;

use super::remote::{Remote, Segment};
use super::{Asked, Exchanged};
use crate::domain::exchange::{Cut, Piece};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::time::rfc3339;
use crate::domain::wire::BOM;
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::ledger::open;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::count;
use crate::transaction::incoming::{How, TakenOver, take_over};
use crate::workspace::synced::Synced;

/// A segment has about so many bytes at most: forges refuse large files.
const SEGMENT: usize = 4 * 1024 * 1024;

/// How often the ledger is offered while others are faster.
const ROUNDS: u32 = 100;

/// How often it is offered again to a remote that did not take it although nobody was faster.
const REFUSALS: u32 = 2;

/// One sync.
pub(super) struct Exchange<'a> {
    call: &'a Call,
    asked: &'a Asked,
    remote: &'a Remote<'a>,
    /// What was offered to the remote last, of which it is not known whether it took it.
    offered: Outgoing,
    pub(super) outcome: Exchanged,
}

/// What is missing in the remote.
#[derive(Default)]
struct Outgoing {
    /// Git's names for new segments, by where they belong.
    segments: BTreeMap<String, String>,
    ids: BTreeSet<EventId>,
    /// How many lines that are, with those of other programs.
    lines: u64,
    /// The last line of ours.
    last: Option<LineRef>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(call: &'a Call, asked: &'a Asked, remote: &'a Remote<'a>) -> Exchange<'a> {
        Exchange {
            call,
            asked,
            remote,
            offered: Outgoing::default(),
            outcome: Exchanged {
                remote: remote.name().to_owned(),
                dry_run: asked.dry_run,
                ..Exchanged::default()
            },
        }
    }

    pub(super) fn run(&mut self, step: &dyn Fn(&str)) -> Result<(), Failure> {
        let name = self.remote.name().to_owned();
        let (mut round, mut refusals, mut before) = (0, 0, None);
        loop {
            step(&format!("fetching from {name}"));
            let commit = self.remote.fetch()?;
            if round > 0 && commit == before {
                refusals += 1;
            }
            let known = self.known(commit.as_deref())?;
            let there = self.take(commit.as_deref(), known.as_ref())?;
            let offered = std::mem::take(&mut self.offered);
            if !offered.ids.is_disjoint(&there) {
                self.outcome.sent += offered.lines;
            }
            let outgoing = self.outgoing(known.as_ref(), &there)?;
            let sent = outgoing.lines;
            if outgoing.ids.is_empty() || self.asked.dry_run {
                self.outcome.sent += sent;
                return match commit {
                    Some(commit) if !self.asked.dry_run => self.keep(commit, &outgoing),
                    _ => Ok(()),
                };
            }
            step(&format!("sending {} to {name}", count(sent, "line")));
            let told = format!("goal: {}\n", count(sent, "line"));
            let new = self
                .remote
                .commit(commit.as_deref(), &outgoing.segments, &told)?;
            let Err(refused) = self.remote.push(&new) else {
                self.outcome.sent += sent;
                self.remote.track(&new)?;
                return self.keep(new, &outgoing);
            };
            if !refused.again || refusals == REFUSALS || round + 1 == ROUNDS {
                return Err(self.remote.unreachable(&refused.said));
            }
            self.offered = outgoing;
            before = commit;
            thread::sleep(self.pause(round));
            round += 1;
        }
    }

    /// A pause that is another one for each who waits.
    fn pause(&self, round: u32) -> Duration {
        let most = 50 << round.min(5);
        Duration::from_millis(self.call.workspace.environment.entropy() % most)
    }

    /// What is known of an earlier sync, if it still holds: the ledger has its line, and the remote has
    /// all that it had.
    fn known(&self, commit: Option<&str>) -> Result<Option<Known>, Failure> {
        let (Some(home), Some(commit)) = (self.call.workspace.paths.shared(), commit) else {
            return Ok(None);
        };
        // Whoever joins ledgers means all that is there.
        let synced = Synced::read(home, &self.remote.key()).filter(|_| !self.asked.join);
        let Some(synced) = synced.filter(|it| it.remote == self.remote.name()) else {
            return Ok(None);
        };
        let last = self.lines()?.id(synced.last);
        let stands = last.is_ok_and(|id| id == synced.id);
        let Some(before) = synced.commit.filter(|it| stands && self.remote.has(it)) else {
            return Ok(None);
        };
        let new = self.remote.since(commit, &before)?;
        Ok(new.map(|new| Known {
            last: synced.last,
            new,
        }))
    }

    /// Takes in what is missing here. Gives the ids of the lines of ours in the segments that were
    /// looked at.
    fn take(
        &mut self,
        commit: Option<&str>,
        known: Option<&Known>,
    ) -> Result<BTreeSet<EventId>, Failure> {
        let segments = match (commit, known) {
            (None, _) => Vec::new(),
            (Some(_), Some(known)) => known.new.clone(),
            (Some(commit), None) => self.remote.segments(commit)?,
        };
        let mut pieces: Vec<Piece> = Vec::new();
        let mut left = 0;
        self.remote.read(&segments, |content| {
            let mut cut = Cut::default();
            content
                .split(|byte| *byte == b'\n')
                .for_each(|line| cut.push(line));
            left += cut.left();
            pieces.append(&mut cut.pieces);
        })?;
        self.outcome.left_there = left;
        if pieces.is_empty() {
            return Ok(BTreeSet::new());
        }
        let how = How {
            related: self.asked.join || known.is_some(),
            gaps: self.asked.join,
            dry_run: self.asked.dry_run,
            lock_timeout: self.call.lock_timeout,
        };
        match take_over(&self.call.workspace, &pieces, how)? {
            TakenOver::Lines { taken, left } => {
                self.outcome.taken += taken;
                self.outcome.unconnected = left;
            }
            TakenOver::Unrelated => {
                let name = self.remote.name();
                return Err(Failure::new(
                    "unrelated_ledger",
                    format!("the ledger in {name} has no line in common with this one"),
                    "see that it is the right remote; if both belong to this project, as where this \
                     clone recorded something before its first sync, `goal sync --join` makes one \
                     of them (yours to run, not an agent's)",
                ));
            }
        }
        Ok(pieces.iter().map(Piece::id).collect())
    }

    /// What the remote lacks of the ledger as it is now. Puts it into git's store, but for a dry run.
    fn outgoing(
        &mut self,
        known: Option<&Known>,
        there: &BTreeSet<EventId>,
    ) -> Result<Outgoing, Failure> {
        let lines = self.lines()?;
        let from = known.map_or(Extent::EMPTY, |known| Extent {
            len: known.last.offset + u64::from(known.last.len) + 1,
            lines: known.last.number,
            terminated: true,
        });
        let mut outgoing = Outgoing {
            last: known.map(|known| known.last),
            ..Outgoing::default()
        };
        let (mut cut, mut bytes, mut failed) = (Cut::default(), 0, None);
        if let Some(reader) = lines.reader_from(from.len) {
            let scanned = frame::scan_on(from, reader, |raw| {
                // The last line may still be being written.
                if !raw.terminated || failed.is_some() {
                    return;
                }
                let before = cut.pieces.len();
                cut.push(match raw.offset {
                    0 => raw.bytes.strip_prefix(BOM).unwrap_or(raw.bytes),
                    _ => raw.bytes,
                });
                bytes += raw.bytes.len();
                if cut.pieces.len() == before {
                    return;
                }
                outgoing.last = Some(LineRef::from(raw));
                if bytes >= SEGMENT {
                    let pieces = std::mem::take(&mut cut.pieces);
                    failed = self.put(&mut outgoing, pieces, there).err();
                    bytes = 0;
                }
            });
            scanned.map_err(|error| unreadable(&error))?;
        }
        if let Some(failed) = failed {
            return Err(failed);
        }
        self.outcome.left_here = cut.left();
        self.put(&mut outgoing, std::mem::take(&mut cut.pieces), there)?;
        Ok(outgoing)
    }

    /// Makes a segment of those pieces that are not there.
    fn put(
        &self,
        outgoing: &mut Outgoing,
        pieces: Vec<Piece>,
        there: &BTreeSet<EventId>,
    ) -> Result<(), Failure> {
        let is_new = |it: &Piece| !there.contains(&it.id()) && !outgoing.ids.contains(&it.id());
        let pieces: Vec<Piece> = pieces.into_iter().filter(is_new).collect();
        let Some(last) = pieces.last().map(Piece::id) else {
            return Ok(());
        };
        outgoing.ids.extend(pieces.iter().map(Piece::id));
        outgoing.lines += pieces.iter().map(|it| it.lines.len() as u64).sum::<u64>();
        if self.asked.dry_run {
            return Ok(());
        }
        let lines = pieces.iter().flat_map(|it| &it.lines);
        let content: String = lines.map(|(_, text)| format!("{text}\n")).collect();
        let object = self.remote.write(content.as_bytes())?;
        let name = last.to_string();
        let path = format!("{}/{name}.jsonl", &name[..2]);
        outgoing.segments.insert(path, object);
        Ok(())
    }

    /// Notes that the remote has all up to the last line of ours. The next sync compares everything
    /// where this cannot be written.
    fn keep(&self, commit: String, outgoing: &Outgoing) -> Result<(), Failure> {
        let (Some(home), Some(last)) = (self.call.workspace.paths.shared(), outgoing.last) else {
            return Ok(());
        };
        // What was left may be connected by any later sync: all of it is looked at again.
        let commit = Some(commit).filter(|_| self.outcome.unconnected == 0);
        let synced = Synced {
            remote: self.remote.name().to_owned(),
            commit,
            last,
            id: self.lines()?.id(last).map_err(|error| unreadable(&error))?,
            at: rfc3339(self.call.workspace.environment.now_millis()),
        };
        let _best_effort = synced.keep(home, &self.remote.key());
        Ok(())
    }

    fn lines(&self) -> Result<Lines, Failure> {
        Ok(Lines::new(open::read(&self.call.workspace.paths.events())?))
    }
}

/// What holds of an earlier sync.
struct Known {
    last: LineRef,
    /// What the remote got since.
    new: Vec<Segment>,
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::io(error, "run `goal sync` again")
}
