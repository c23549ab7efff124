//! One sync: the lines that go over, the remote asked and offered until both sides are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use super::refusal::Why;
use super::remote::{Remote, Segment, Tree};
use super::seen::{Seen, named};
use super::united::{SEGMENT, files, united};
use super::{Exchanged, SyncRequest};
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

/// How often the ledger is offered while others are faster.
const ROUNDS: u32 = 100;

/// How often it is offered again to a remote that did not take it although nobody was faster.
const REFUSALS: u32 = 2;

/// The longest pause that is possible after a lost race.
const MOST_PAUSE: Duration = Duration::from_secs(2);

/// One sync.
pub(super) struct Exchange<'a> {
    call: &'a Call,
    asked: &'a SyncRequest,
    remote: &'a Remote<'a>,
    /// What was offered to the remote last, of which it is not known whether it took it.
    offered: Outgoing,
    /// Git's names for contents that it has from this sync.
    written: BTreeMap<String, String>,
    pub(super) outcome: Exchanged,
}

/// What is missing in the remote.
#[derive(Default)]
struct Outgoing {
    /// New segments, by where they belong.
    segments: BTreeMap<String, Segment>,
    ids: BTreeSet<EventId>,
    /// How many lines that are, with those of other programs.
    lines: u64,
    /// The last line of ours.
    last: Option<LineRef>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(
        call: &'a Call,
        asked: &'a SyncRequest,
        remote: &'a Remote<'a>,
    ) -> Exchange<'a> {
        Exchange {
            call,
            asked,
            remote,
            offered: Outgoing::default(),
            written: BTreeMap::new(),
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
        let mut seen = self.remembered()?;
        loop {
            let begun = Instant::now();
            step(&format!("fetching from {name}"));
            let commit = self.remote.fetch()?;
            if round > 0 && commit == before {
                refusals += 1;
            }
            let tree = match &commit {
                Some(commit) => self.remote.tree(commit)?,
                None => Tree::default(),
            };
            self.take(&tree, &mut seen)?;
            let offered = std::mem::take(&mut self.offered);
            if !offered.ids.is_disjoint(&seen.ids) {
                self.outcome.sent += offered.lines;
            }
            let outgoing = self.outgoing(&seen)?;
            let sent = outgoing.lines;
            if outgoing.ids.is_empty() || self.asked.dry_run {
                self.outcome.sent += sent;
                return match commit {
                    Some(commit) if !self.asked.dry_run => self.keep(commit, &tree, &outgoing),
                    _ => Ok(()),
                };
            }
            step(&format!("sending {} to {name}", count(sent, "line")));
            let tree = self.changed(tree, &outgoing)?;
            let told = format!("goal: {}\n", count(sent, "line"));
            let new = self.remote.commit(commit.as_deref(), &tree, &told)?;
            let Err(refused) = self.remote.push(&new) else {
                self.outcome.sent += sent;
                self.remote.track(&new)?;
                return self.keep(new, &tree, &outgoing);
            };
            let is_over = self.remote.is_late() || refusals == REFUSALS || round + 1 == ROUNDS;
            match refused.why {
                Why::Forbidden => return Err(self.remote.forbidden(&refused.said)),
                Why::Race | Why::Unknown if !is_over => {}
                _ => return Err(self.remote.unreachable(&refused.said)),
            }
            self.offered = outgoing;
            before = commit;
            thread::sleep(self.pause(round, begun.elapsed()));
            round += 1;
        }
    }

    /// A pause that is another one for each who waits, after a round that took so long. Who was slower
    /// more often waits less, so that those who came first go first.
    fn pause(&self, round: u32, took: Duration) -> Duration {
        let most = (took * 2).min(MOST_PAUSE) / (1 << round.min(8));
        let most = u64::try_from(most.as_millis()).unwrap_or(0).max(20);
        Duration::from_millis(self.call.workspace.environment.entropy() % most)
    }

    /// What an earlier sync knew, if it still holds: the ledger has its line.
    fn remembered(&self) -> Result<Seen, Failure> {
        // Whoever joins ledgers means all that is there.
        let home = self.call.workspace.paths.shared();
        let home = home.filter(|_| !self.asked.join);
        let synced = home.and_then(|home| Synced::read(home, &self.remote.key()));
        let is_whole = |it: &Synced| it.commit.is_some() && !it.segments.is_empty();
        let synced = synced.filter(|it| it.remote == self.remote.name() && is_whole(it));
        let Some(synced) = synced else {
            return Ok(Seen::default());
        };
        let stands = self
            .lines()?
            .id(synced.last)
            .is_ok_and(|it| it == synced.id);
        Ok(match stands {
            true => Seen::of(&synced),
            false => Seen::default(),
        })
    }

    /// Takes in what is missing here.
    fn take(&mut self, tree: &Tree, seen: &mut Seen) -> Result<(), Failure> {
        if self.outcome.unconnected > 0 {
            // What was left may be connected by what is new: all of it is looked at again.
            *seen = Seen::default();
            self.outcome.unconnected = 0;
        }
        let pieces = seen.look(self.remote, tree)?;
        self.outcome.left_there = seen.left;
        if pieces.is_empty() {
            return Ok(());
        }
        let how = How {
            related: self.asked.join || seen.is_related,
            gaps: self.asked.join,
            dry_run: self.asked.dry_run,
            lock_timeout: self.call.lock_timeout,
        };
        match take_over(&self.call.workspace, &pieces, how)? {
            TakenOver::Lines { taken, left } => {
                self.outcome.taken += taken;
                self.outcome.unconnected = left;
                seen.is_related = true;
                Ok(())
            }
            TakenOver::Unrelated => {
                let name = self.remote.name();
                Err(Failure::new(
                    "unrelated_ledger",
                    format!("the ledger in {name} has no line in common with this one"),
                    "see that it is the right remote; if both belong to this project, as where this \
                     clone recorded something before its first sync, `goal sync --join` makes one \
                     of them (user only)",
                ))
            }
        }
    }

    /// What the remote lacks of the ledger as it is now. Puts it into git's store, but for a dry run.
    fn outgoing(&mut self, seen: &Seen) -> Result<Outgoing, Failure> {
        let lines = self.lines()?;
        let from = seen.last.map_or(Extent::EMPTY, |last| Extent {
            len: last.offset + u64::from(last.len) + 1,
            lines: last.number,
            terminated: true,
        });
        let mut outgoing = Outgoing {
            last: seen.last,
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
                    failed = self.put(&mut outgoing, pieces, &seen.ids).err();
                    bytes = 0;
                }
            });
            scanned.map_err(|error| unreadable(&error))?;
        }
        if let Some(failed) = failed {
            return Err(failed);
        }
        self.outcome.left_here = cut.left();
        self.put(&mut outgoing, std::mem::take(&mut cut.pieces), &seen.ids)?;
        Ok(outgoing)
    }

    /// Makes segments of those pieces that are not there.
    fn put(
        &mut self,
        outgoing: &mut Outgoing,
        pieces: Vec<Piece>,
        there: &BTreeSet<EventId>,
    ) -> Result<(), Failure> {
        let is_new = |it: &Piece| !there.contains(&it.id()) && !outgoing.ids.contains(&it.id());
        let pieces: Vec<Piece> = pieces.into_iter().filter(is_new).collect();
        outgoing.ids.extend(pieces.iter().map(Piece::id));
        outgoing.lines += pieces.iter().map(|it| it.lines.len() as u64).sum::<u64>();
        if !self.asked.dry_run {
            outgoing.segments.extend(self.written(&pieces)?);
        }
        Ok(())
    }

    /// Segments of these pieces in git's store, by where they belong.
    fn written(&mut self, pieces: &[Piece]) -> Result<BTreeMap<String, Segment>, Failure> {
        let mut segments = BTreeMap::new();
        for (path, content) in files(pieces) {
            let object = match self.written.get(&path) {
                Some(object) => object.clone(),
                None => self.remote.write(content.as_bytes())?,
            };
            self.written.insert(path.clone(), object.clone());
            let bytes = content.len() as u64;
            segments.insert(path, Segment { object, bytes });
        }
        Ok(segments)
    }

    /// The tree as the remote is to have it: with what is new, and with many small files made one.
    fn changed(&mut self, mut tree: Tree, outgoing: &Outgoing) -> Result<Tree, Failure> {
        let united = united(self.remote, &tree)?;
        let new = self.written(&united.pieces)?;
        tree.change(&united.paths, new);
        tree.change(&[], outgoing.segments.clone());
        Ok(tree)
    }

    /// Notes that the remote has all up to the last line of ours. The next sync compares everything
    /// where this cannot be written.
    fn keep(&self, commit: String, tree: &Tree, outgoing: &Outgoing) -> Result<(), Failure> {
        let (Some(home), Some(last)) = (self.call.workspace.paths.shared(), outgoing.last) else {
            return Ok(());
        };
        // What was left may be connected by any later sync: all of it is looked at again.
        let commit = Some(commit).filter(|_| self.outcome.unconnected == 0);
        let synced = Synced {
            remote: self.remote.name().to_owned(),
            commit,
            segments: named(tree),
            last,
            id: self.lines()?.id(last).map_err(|error| unreadable(&error))?,
            at: rfc3339(self.call.workspace.environment.now_millis()),
            unconnected: self.outcome.unconnected,
            left: self.outcome.left_there,
        };
        let _best_effort = synced.keep(home, &self.remote.key());
        Ok(())
    }

    fn lines(&self) -> Result<Lines, Failure> {
        Ok(Lines::new(open::read(&self.call.workspace.paths.events())?))
    }
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::io(error, "run `goal sync` again")
}
