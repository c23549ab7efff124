//! The stamp of the latest append: tells a ledger that was wound back
//! (docs/design/writing.md#a-ledger-that-was-wound-back).

use std::collections::BTreeSet;
use std::io;

use crate::domain::actor::Actor;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::ledger::SettledKind;
use crate::domain::event::{Event, Payload};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::proof::Weight;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::accepted::Accepted;
use crate::workspace::records::RootRecord;
use crate::workspace::spare::Spare;
use crate::workspace::tip::{Head, TipStamp};

/// The stamp of the latest append here, beside the ledger as it is now.
#[derive(Debug, Default)]
pub struct Latest {
    stamp: Option<TipStamp>,
    /// Nobody knows which lines have to be there.
    is_lost: bool,
    /// The line is what the next one links to.
    is_last: bool,
    /// It is the last line of ours.
    is_tip: bool,
    /// The line is nowhere.
    gone: bool,
    /// The lines that have to be there, and whether they are.
    heads: Vec<Head>,
}

/// What kind of act a stamp is left of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// The user says that the ledger is right without what is missing.
    Settlement,
    /// The user agreed to something: that has to stay, whatever is missing besides.
    Consent,
    Other,
}

/// What the user's state directory says of the lines that were appended here.
#[derive(Debug, Clone, Default)]
pub struct Noted {
    pub stamp: Option<TipStamp>,
    /// There should be a stamp, for the user accepted the ledger, and there is none of this
    /// machine's own.
    is_lost: bool,
}

/// The stamp of the latest append here. It is made after its line, so whoever reads the ledger
/// without its lock reads the stamp first.
pub fn stamp_of(workspace: &Workspace) -> Noted {
    if workspace.paths.only().is_some() {
        // An older copy need not have them.
        return Noted::default();
    }
    let own = workspace.own_key();
    let stamp = workspace.kept::<TipStamp>(own.as_ref()).valid();
    let is_lost = match &stamp {
        Some(stamp) => stamp.lost,
        None => workspace.kept::<Accepted>(own.as_ref()).has_ledger(),
    };
    Noted { stamp, is_lost }
}

impl Latest {
    /// Looks for the stamp's lines in the ledger.
    pub fn of(noted: Noted, now: &Snapshot) -> io::Result<Latest> {
        let Noted { stamp, is_lost } = noted;
        let Some(stamp) = stamp else {
            return Ok(Latest {
                is_lost,
                ..Latest::default()
            });
        };
        let stands = stands(&stamp, now);
        let is_last = stands && stamp.line() == now.state.last;
        let is_tip = stands && stamp.line() == now.state.tip;
        let mut heads = stamp.heads();
        let mut gone = false;
        // A ledger that is as the stamp left it lacks what it lacked then.
        let is_known = stamp.heads.is_none() || stamp.length == now.extent.len;
        if !(stands && is_known) {
            let ids: BTreeSet<EventId> = heads.iter().map(|head| head.id).collect();
            let missing = now.missing(&ids | &BTreeSet::from([stamp.tip]))?;
            gone = missing.contains(&stamp.tip) && stamp.lines > 0;
            for head in &mut heads {
                head.missing = missing.contains(&head.id);
            }
        }
        Ok(Latest {
            stamp: Some(stamp),
            is_lost,
            is_last,
            is_tip,
            gone,
            heads,
        })
    }

    /// Those of the lines that have to be there and are not.
    pub fn missing(&self) -> impl Iterator<Item = &Head> {
        self.heads.iter().filter(|head| head.missing)
    }

    /// The finding, as long as lines are missing that the user has not settled.
    pub fn finding(&self, workspace: &Workspace, now: &Snapshot) -> Option<Diagnostic> {
        if self.is_lost {
            return Some(unrecorded());
        }
        let last = self.missing().map(|head| head.line).max()?;
        let ids = self.missing().map(|head| head.id).collect();
        Some(taken_back(last, workspace, &ids, now))
    }

    /// What a receipt says, once: the line of the latest append is gone from the ledger.
    pub fn notice(&self, workspace: &Workspace, now: &Snapshot) -> Option<Diagnostic> {
        let gone = self.stamp.as_ref().filter(|_| self.gone)?;
        let id = BTreeSet::from([gone.tip]);
        Some(taken_back(gone.lines, workspace, &id, now))
    }

    /// What kind of act these events are of.
    pub fn act(&self, actor: Actor, events: &[Event]) -> Act {
        let agrees = |event: &Event| event.weight() == Weight::Consent;
        match actor {
            _ if events.iter().any(|event| self.is_settled_by(event)) => Act::Settlement,
            Actor::User if events.iter().any(agrees) => Act::Consent,
            Actor::User | Actor::Agent | Actor::Auditor | Actor::System => Act::Other,
        }
    }

    /// Whether this is the user's word that the ledger is right without all that is missing.
    fn is_settled_by(&self, event: &Event) -> bool {
        let Payload::GoalSettled(settled) = &event.payload else {
            return false;
        };
        let is_of_it = settled.kind == SettledKind::Finding
            && settled.finding.as_deref() == Some(Code::LedgerRewound.name());
        is_of_it && self.missing().all(|head| settled.lines.contains(&head.id))
    }

    /// Writes the stamp of the latest append. An error is ignored: without the stamp a ledger that was wound
    /// back is not noticed.
    pub fn write_stamp(
        &self,
        workspace: &Workspace,
        after: &Snapshot,
        (line, id): (LineRef, EventId),
        act: Act,
    ) {
        if let (Some(dirs), Some(own)) = (&workspace.environment.dirs, workspace.own_key()) {
            let first = self.stamp.as_ref().and_then(TipStamp::first);
            let (heads, agreed) = self.heads_after(after, (line, id), act);
            let stamp = TipStamp {
                heads,
                agreed,
                first: first.or(Some((line, id))),
                lost: self.is_lost && act != Act::Settlement,
                ..TipStamp::new(workspace.paths.known_as(), line, id)
            };
            // A read-only home must not fail what is recorded.
            let _best_effort = stamp.write(&dirs.state, &own);
        }
    }

    /// Which lines have to be there after an act whose last line this is, nothing where that is just
    /// this line; and whether the user agreed to something in what that line alone stands for. What is
    /// missing stays known, whoever writes, until it is back or settled. So does a line that stands
    /// for a word of the user and that the new one does not lead back to: a merge or another program
    /// put lines between.
    fn heads_after(
        &self,
        after: &Snapshot,
        (line, id): (LineRef, EventId),
        act: Act,
    ) -> (Option<Vec<Head>>, bool) {
        let Some(stamp) = &self.stamp else {
            return (None, true);
        };
        let mut heads = self.heads.clone();
        match act {
            Act::Settlement => heads.retain(|head| !head.missing),
            Act::Other if self.missing().next().is_some() => return (Some(heads), stamp.agreed),
            Act::Consent | Act::Other => {}
        }
        let stands_for_a_word = |id: &EventId| *id != stamp.tip || stamp.agreed;
        heads.retain(|head| head.missing || self.is_last || stands_for_a_word(&head.id));
        let covered = self.covered(after, &heads, id);
        heads.retain(|head| head.missing || !covered.contains(&head.id));
        // A line of ours that no stamp was left of may be a word of the user too.
        let agreed = act != Act::Other || !self.is_tip || covered.iter().any(stands_for_a_word);
        if heads.is_empty() {
            return (None, agreed);
        }
        heads.push(Head {
            id,
            line: line.number,
            missing: false,
        });
        (Some(heads), agreed)
    }

    /// Those of these lines that the new line leads back to. Reads the ledger only where others
    /// appended since the stamp, or lines were missing; takes what cannot be read for not covered.
    fn covered(&self, after: &Snapshot, heads: &[Head], new: EventId) -> BTreeSet<EventId> {
        let heads: BTreeSet<EventId> = heads.iter().map(|head| head.id).collect();
        let tip = self.stamp.as_ref().filter(|_| self.is_last);
        match tip.filter(|stamp| heads.contains(&stamp.tip)) {
            Some(stamp) => BTreeSet::from([stamp.tip]),
            None if heads.is_empty() => heads,
            None => after
                .chain()
                .map_or_else(|_| BTreeSet::new(), |chain| chain.leads_to(new, &heads)),
        }
    }
}

/// Notes that the user has given up the ledger that was here for a new one: nothing of it has to be
/// in that. Best effort, as [`Latest::leave`].
pub fn give_up(workspace: &Workspace) {
    if let (Some(stamp), Some(dirs), Some(own)) = (
        stamp_of(workspace).stamp,
        &workspace.environment.dirs,
        workspace.own_key(),
    ) {
        let stamp = TipStamp {
            heads: Some(Vec::new()),
            ..stamp
        };
        let _best_effort = stamp.write(&dirs.state, &own);
    }
}

fn unrecorded() -> Diagnostic {
    Diagnostic::new(
        Code::LedgerRewound,
        "the record of the lines that were appended here is gone or was not made with your key, so \
         nobody can tell whether lines were taken back",
        "compare the ledger with git or a backup; where it is right, the user says so with `goal \
         settle --finding ledger_rewound --reason TEXT`",
    )
}

fn taken_back(
    last: u64,
    workspace: &Workspace,
    ids: &BTreeSet<EventId>,
    now: &Snapshot,
) -> Diagnostic {
    let how_many = match last.saturating_sub(now.extent.lines) {
        0 => "lines that were appended here are".to_owned(),
        1 => "at least 1 line that was appended here is".to_owned(),
        more => format!("at least {more} lines that were appended here are"),
    };
    let copy = Spare::of(workspace).and_then(|spare| spare.copy_with(ids));
    let where_they_are = match copy {
        Some(copy) => {
            format!("`goal repair` brings them back from the copy that a run kept ({copy})")
        }
        None if workspace.paths.shared().is_some() => {
            "another clone or a backup may have them (`goal sync`)".to_owned()
        }
        None => "a backup, or git's stash or reflog, may have them".to_owned(),
    };
    Diagnostic::new(
        Code::LedgerRewound,
        format!(
            "{how_many} gone from the ledger: somebody removed or replaced it, or took lines back"
        ),
        format!(
            "{where_they_are}; where the ledger is right without them, the user says so with `goal \
             settle --finding ledger_rewound --reason TEXT`"
        ),
    )
}

fn stands(stamp: &TipStamp, now: &Snapshot) -> bool {
    let line = stamp
        .line()
        .filter(|line| line.offset + u64::from(line.len) <= now.extent.len);
    line.is_some_and(|line| now.id(line).is_ok_and(|id| id == stamp.tip))
}
