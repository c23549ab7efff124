//! Bringing a shared ledger and a git remote together (docs/worktrees.md#between-clones): fetch, take
//! in what is missing here, and offer what is missing there, again where somebody else was faster. Kill
//! it at any step: lines are only ever added, and the next one finds what is missing by their ids.

mod remote;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::exchange::{Cut, Piece};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::time::rfc3339;
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::ledger::lock::FileLock;
use crate::ledger::open;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::sync::Standing;
use crate::render::text::count;
use crate::transaction::incoming::{How, TakenOver, take_over};
use crate::transaction::sharing;
use crate::workspace::config::resolve;
use crate::workspace::synced::Synced;
use remote::Remote;

/// A segment has about so many bytes at most: forges refuse large files.
const SEGMENT: usize = 4 * 1024 * 1024;

/// How often the ledger is offered while others are faster.
const ROUNDS: u32 = 100;

/// How often it is offered to a remote that refuses it although nobody was faster: it may have been
/// busy.
const REFUSALS: u32 = 4;

/// How long git may take over a network where no person waits, in all but hooks.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The same in hooks, whose hosts wait for them.
pub const PATIENCE_OF_HOOKS: Duration = Duration::from_secs(20);

/// What is asked of a sync.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The remote's name, or where it is.
    pub remote: Option<String>,
    /// Only say what would be taken in and sent.
    pub dry_run: bool,
    /// Also with a ledger that has no line in common with this one, and behind lines that nobody has.
    pub join: bool,
    /// How long git may take over a network; nothing where a person waits.
    pub patience: Option<Duration>,
}

/// The outcome of `sync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Synchronised {
    /// What was done; null where only the standing was asked for.
    pub exchange: Option<Exchanged>,
    /// How the ledger stands now with each remote that it was synced with, or is to be.
    pub remotes: Vec<Standing>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

/// What went from one side to the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exchanged {
    /// The remote's name, or where it is.
    pub remote: String,
    /// Lines that came in, or would come.
    pub taken: u64,
    /// Lines that the remote got, or would get.
    pub sent: u64,
    /// New lines here that no line of `goal` follows: they stay until one does.
    pub left_here: u64,
    /// Lines in the remote that cannot be used, since no line of `goal` names them.
    pub left_there: u64,
    /// Lines of `goal` in the remote that follow a line that neither side has; `--join` takes them.
    pub unconnected: u64,
    /// Nothing was taken in or sent.
    pub dry_run: bool,
}

impl Record for Synchronised {
    fn stops_turn(&self) -> bool {
        false
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// Syncs the ledger with a remote. `step` is told of each step before it is taken.
///
/// # Errors
/// The ledger is not shared, no remote is named, the remote cannot be reached or holds another ledger,
/// or the system refuses.
pub fn sync(call: &Call, asked: &Asked, step: &dyn Fn(&str)) -> Result<Synchronised, Failure> {
    call.refuse_auditor()?;
    let workspace = &call.workspace;
    let notices = match asked.dry_run {
        true => Vec::new(),
        false => sharing::gather(workspace, &call.caller, call.lock_timeout)?,
    };
    let remote = remote_of(call, asked)?;
    let lock = workspace.paths.locks().join("ledger.sync");
    let Some(_lock) = FileLock::acquire(&lock, call.lock_timeout)? else {
        return Err(Failure::new(
            "lock_timeout",
            "another process syncs this ledger",
            "wait until it has ended, then run `goal sync` again",
        ));
    };
    let mut exchange = Exchange {
        call,
        asked,
        remote: &remote,
        offered: BTreeSet::new(),
        outcome: Exchanged {
            remote: remote.name().to_owned(),
            dry_run: asked.dry_run,
            ..Exchanged::default()
        },
    };
    exchange.run(step)?;
    Ok(Synchronised {
        exchange: Some(exchange.outcome),
        remotes: standing(call, call.read()?.extent.lines),
        notices,
    })
}

/// How the ledger stands with its remotes; asks none of them.
///
/// # Errors
/// The system refuses to read the ledger.
pub fn status(call: &Call) -> Result<Synchronised, Failure> {
    Ok(Synchronised {
        exchange: None,
        remotes: standing(call, call.read()?.extent.lines),
        notices: Vec::new(),
    })
}

/// Syncs at the end of a hook or a run, where the user's configuration names a remote. What came to
/// nothing is said, and is in nobody's way.
pub fn at_end(call: &Call, patience: Duration) -> Option<Diagnostic> {
    let config = call.workspace.config_files().ok()?;
    let remote = resolve(&config).keys.sync.remote?.value;
    call.workspace.paths.shared()?;
    let asked = Asked {
        remote: Some(remote),
        patience: Some(patience),
        ..Asked::default()
    };
    let failed = sync(call, &asked, &|_| {}).err()?;
    Some(Diagnostic::new(
        Code::NotSynced,
        failed.message,
        failed.hint,
    ))
}

/// How the ledger, which has so many `lines`, stands with each remote that it was synced with, or is
/// to be.
pub fn standing(call: &Call, lines: u64) -> Vec<Standing> {
    let Some(home) = call.workspace.paths.shared() else {
        return Vec::new();
    };
    let standing = |it: Synced| Standing {
        remote: it.remote,
        unsynced: lines.saturating_sub(it.last.number),
        at: Some(it.at),
    };
    let mut all: Vec<Standing> = Synced::all(home).into_iter().map(standing).collect();
    // A configuration that cannot be read is said where it is needed.
    let config = call.workspace.config_files().ok();
    let wanted = config.and_then(|it| Some(resolve(&it).keys.sync.remote?.value));
    if let Some(remote) = wanted.filter(|it| all.iter().all(|known| known.remote != *it)) {
        all.push(Standing {
            remote,
            unsynced: lines,
            at: None,
        });
    }
    all
}

/// The remote that is asked for; without one that of the configuration, else `origin`.
fn remote_of(call: &Call, asked: &Asked) -> Result<Remote, Failure> {
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    let (Some(_), Some(of_git)) = (paths.shared(), paths.git()) else {
        return Err(Failure::usage(
            "only a ledger that all work trees of a repository share is synced; this one is in \
             `.pi/goals`, and goes to others with the commits",
            "`goal init --share` makes it a shared one (yours to run, not an agent's)",
        ));
    };
    let Some(git) = workspace.git() else {
        return Err(Failure::usage(
            "git is not on the PATH",
            "install git, or put it on the PATH",
        ));
    };
    let configured = || -> Result<_, Failure> {
        let keys = resolve(&workspace.config_files()?).keys;
        Ok(keys.sync.remote.map(|it| it.value))
    };
    let name = match &asked.remote {
        Some(remote) => Some(remote.clone()),
        None => configured()?,
    };
    let name = name.unwrap_or_else(|| "origin".to_owned());
    if name.is_empty() || name.starts_with('-') {
        return Err(Failure::usage(
            "a remote is a name, as `git remote` lists them, or an address",
            "`goal sync origin`",
        ));
    }
    Ok(Remote::new(
        &git,
        (paths.tree(), of_git),
        &name,
        asked.patience,
    ))
}

/// One sync.
struct Exchange<'a> {
    call: &'a Call,
    asked: &'a Asked,
    remote: &'a Remote,
    /// Lines that were offered to the remote last, of which it is not known whether it took them.
    offered: BTreeSet<EventId>,
    outcome: Exchanged,
}

/// What is missing in the remote.
#[derive(Default)]
struct Outgoing {
    /// Git's names for new segments, by where they belong.
    segments: BTreeMap<String, String>,
    ids: BTreeSet<EventId>,
    /// The last line of ours.
    last: Option<LineRef>,
}

impl Exchange<'_> {
    fn run(&mut self, step: &dyn Fn(&str)) -> Result<(), Failure> {
        let name = self.remote.name().to_owned();
        let (mut refusals, mut before) = (0, None);
        for round in 0..ROUNDS {
            step(&format!("fetching from {name}"));
            let commit = self.remote.fetch()?;
            if round > 0 && commit == before {
                refusals += 1;
            }
            let known = self.known(commit.as_deref())?;
            let there = self.take(commit.as_deref(), known.as_ref())?;
            self.outcome.sent += self.offered.intersection(&there).count() as u64;
            self.offered.clear();
            let outgoing = self.outgoing(known.as_ref(), &there)?;
            let sent = outgoing.ids.len() as u64;
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
            let Err(said) = self.remote.push(&new) else {
                self.outcome.sent += sent;
                self.remote.track(&new)?;
                return self.keep(new, &outgoing);
            };
            if refusals == REFUSALS || round + 1 == ROUNDS {
                return Err(self.remote.unreachable(&said));
            }
            self.offered = outgoing.ids;
            before = commit;
            thread::sleep(self.pause(round));
        }
        Ok(())
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
        let synced = Synced::read(home, &self.remote.key());
        let Some(synced) = synced.filter(|it| it.remote == self.remote.name()) else {
            return Ok(None);
        };
        let stands = self
            .lines()?
            .id(synced.last)
            .is_ok_and(|id| id == synced.id);
        if !stands || !self.remote.has(&synced.commit) {
            return Ok(None);
        }
        let new = self.remote.since(commit, &synced.commit)?;
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
                    "see that it is the right remote; if both belong to this project, `goal sync \
                     --join` makes one of them",
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
                cut.push(raw.bytes);
                bytes += raw.bytes.len();
                if cut.is_closed() {
                    outgoing.last = Some(LineRef::from(raw));
                    if bytes >= SEGMENT {
                        let pieces = std::mem::take(&mut cut.pieces);
                        failed = self.put(&mut outgoing, pieces, there).err();
                        bytes = 0;
                    }
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
    new: Vec<remote::Segment>,
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::io(error, "run `goal sync` again")
}
