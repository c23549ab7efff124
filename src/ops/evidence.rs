//! What this machine can show of where the ledger's lines come from, by their seals.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::{Event, Payload};
use crate::domain::findings::Findings;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::proof::{AcceptedKeys, Proof, Weight, Why};
use crate::domain::seal::{Key, KeyId, key_of};
use crate::domain::settled::Settled;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::accepted::Accepted;
use crate::workspace::keys::{self, KeyError};
use crate::workspace::records::RecordRead;
use crate::workspace::verified::Verified;

/// What is known of one ledger's lines.
#[derive(Debug)]
pub struct Evidence<'a> {
    workspace: &'a Workspace,
    ring: AcceptedKeys,
    /// The lines whose signatures are known to be right.
    verified: RefCell<BTreeSet<EventId>>,
    /// How many of them were known before this call.
    remembered: usize,
    /// Why this machine's key cannot be used; then no seal is checked.
    fault: Option<KeyError>,
    /// The record of what the user accepts is one that this machine's key did not make.
    is_changed: bool,
}

/// A line that carries weight in the gate and is not proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    pub line: LineRef,
    pub id: EventId,
    /// The event's type.
    pub event: String,
    pub why: Why,
}

/// This machine's key, if it has one.
fn key(workspace: &Workspace) -> Result<Option<Key>, KeyError> {
    match &workspace.environment.dirs {
        Some(dirs) => keys::read(&dirs.state),
        None => Ok(None),
    }
}

impl<'a> Evidence<'a> {
    /// What is known of the ledger as it was read.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn of(workspace: &'a Workspace, snapshot: &Snapshot) -> io::Result<Evidence<'a>> {
        let (own, fault) = match key(workspace) {
            Ok(own) => (own, None),
            Err(fault) => (None, Some(fault)),
        };
        let kept = workspace.kept::<Accepted>(own.as_ref());
        let is_changed = kept == RecordRead::NotOurs && fault.is_none();
        let accepted = kept
            .valid()
            .unwrap_or(Accepted::none(workspace.paths.known_as()));
        let knows_ledger = !accepted.beginnings.is_empty();
        let beginnings: BTreeSet<EventId> = match knows_ledger {
            true => accepted.beginnings.into_iter().collect(),
            false => snapshot.beginning()?.into_iter().collect(),
        };
        let verified = match (&workspace.environment.dirs, &own) {
            (Some(dirs), Some(own)) => {
                Verified::read(&dirs.state, workspace.paths.known_as(), &beginnings, own)
            }
            _ => BTreeSet::new(),
        };
        Ok(Evidence {
            workspace,
            remembered: verified.len(),
            verified: verified.into(),
            ring: AcceptedKeys {
                own,
                accepted: accepted.keys,
                beginnings,
                knows_ledger,
            },
            fault,
            is_changed,
        })
    }

    /// The same where the caller says which keys count, under which names: then the ledger is the one
    /// that they mean.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn accepting(
        mut self,
        snapshot: &Snapshot,
        keys: &BTreeMap<KeyId, String>,
    ) -> io::Result<Evidence<'a>> {
        if !keys.is_empty() {
            let keys = keys.iter().map(|(key, name)| (*key, name.clone()));
            self.ring.accepted.extend(keys);
            self.ring.beginnings.extend(snapshot.beginning()?);
            self.ring.knows_ledger = true;
        }
        Ok(self)
    }

    /// How far a line of ours is proven.
    pub fn prove(&self, line: &[u8]) -> Proof {
        self.ring.prove(line, &mut self.verified.borrow_mut())
    }

    /// Whether this line is one of ours, and proven.
    ///
    /// # Errors
    /// The line cannot be read.
    pub fn proves(&self, snapshot: &Snapshot, line: LineRef, event: &Event) -> io::Result<bool> {
        Ok(event.envelope.is_ours() && self.prove(&snapshot.bytes(line)?).is_proven())
    }

    /// Remembers the signatures that were checked. Best effort: without it the next listing checks
    /// them again.
    pub fn keep(&self) {
        let verified = self.verified.borrow();
        let dirs = self.workspace.environment.dirs.as_ref();
        if let (Some(dirs), Some(own), true) =
            (dirs, &self.ring.own, verified.len() > self.remembered)
        {
            let root = self.workspace.paths.known_as();
            Verified::write(&dirs.state, root, &self.ring.beginnings, &verified, own);
        }
    }

    /// For display: what [`Evidence::unproven`] would find for these goals. Each goal comes with its
    /// lines of consent; goals with unproven lines come back. Reads only these lines, but where
    /// something was settled.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn unproven_of<'g>(
        &self,
        snapshot: &Snapshot,
        goals: impl Iterator<Item = (&'g GoalId, &'g [LineRef])>,
    ) -> io::Result<Vec<(GoalId, Vec<LineRef>)>> {
        let (mut settled, mut found) = (None, Vec::new());
        for (id, consents) in goals {
            let mut open = Vec::new();
            for line in consents {
                let bytes = snapshot.bytes(*line)?;
                if self.prove(&bytes).is_proven() {
                    continue;
                }
                let settled = match &mut settled {
                    Some(settled) => settled,
                    none => none.insert(self.settled(snapshot)?),
                };
                if settled.is_empty() || !settled.takes(EventId::of_line(&bytes)) {
                    open.push(*line);
                }
            }
            if !open.is_empty() {
                found.push((id.clone(), open));
            }
        }
        self.keep();
        Ok(found)
    }

    /// The lines of a goal in which only the user can have agreed to something, and of which that
    /// is not proven.
    pub fn unproven(&self, snapshot: &Snapshot, goal: &GoalId) -> io::Result<Vec<Unproven>> {
        let settled = self.settled(snapshot)?;
        let mut found = Vec::new();
        snapshot.each_event(|raw, event| {
            let concerns = event.goal_id.as_ref() == Some(goal) && event.envelope.is_ours();
            if !concerns || event.weight() != Weight::Consent {
                return;
            }
            if let Proof::Unproven { why } = self.prove(raw.bytes) {
                found.push(Unproven {
                    line: LineRef::from(*raw),
                    id: EventId::of_line(raw.bytes),
                    event: event.payload.name().to_owned(),
                    why,
                });
            }
        })?;
        found.retain(|unproven: &Unproven| !settled.takes(unproven.id));
        Ok(found)
    }

    /// The settlements that are shown to be the user's: by a line that is proven, or by one that the
    /// user has taken as their own.
    pub fn settled(&self, snapshot: &Snapshot) -> io::Result<Settled> {
        let mut settled = Settled::default();
        // Where seals cannot be checked, no settlement is shown to be the user's.
        if snapshot.state.settled.is_empty() || self.fault.is_some() {
            return Ok(settled);
        }
        let mut open = Vec::new();
        snapshot.each_event(|raw, event| {
            if event.envelope.is_ours()
                && let Payload::GoalSettled(settlement) = event.payload
            {
                match self.prove(raw.bytes).is_proven() {
                    true => settled.record(&settlement),
                    false => open.push((EventId::of_line(raw.bytes), settlement)),
                }
            }
        })?;
        // What the user takes may itself be a settlement.
        while let Some(at) = open.iter().position(|(line, _)| settled.takes(*line)) {
            settled.record(&open.swap_remove(at).1);
        }
        Ok(settled)
    }

    /// Fails if this machine has a key that it cannot use, so that no seal can be checked.
    ///
    /// # Errors
    /// `key_unusable`: it has a key and cannot use it.
    pub fn usable(&self) -> Result<(), Failure> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(Failure::new(
                "key_unusable",
                format!("the key with which you seal your lines cannot be used: {fault}"),
                fault.hint(),
            )),
        }
    }

    /// The finding, where this machine signed lines of a ledger that is not accepted at this path.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn unknown_ledger(&self, snapshot: &Snapshot) -> io::Result<Option<Diagnostic>> {
        let Some(own) = self.ring.own.as_ref().filter(|_| !self.ring.knows_ledger) else {
            return Ok(None);
        };
        let (id, mut has_signed) = (own.id(), false);
        snapshot.each_line(|raw, _| has_signed = has_signed || key_of(raw.bytes) == Some(id))?;
        Ok(has_signed.then(|| {
            Diagnostic::new(
                Code::LedgerUnknown,
                "you recorded lines of this ledger, and have not accepted it at this path: it was \
                 moved or copied, or what you accepted was removed",
                "if it is yours, `goal trust` accepts it",
            )
        }))
    }

    /// Whether this machine sealed a line of the ledger.
    fn has_part(&self, snapshot: &Snapshot) -> io::Result<bool> {
        let Some(own) = &self.ring.own else {
            return Ok(false);
        };
        let mut has_part = false;
        snapshot.each_line(|raw, _| has_part = has_part || own.claims(raw.bytes))?;
        Ok(has_part)
    }

    /// The finding, where what the user accepted here was kept with another key than that of now.
    pub fn key_changed(&self) -> Option<Diagnostic> {
        self.is_changed.then(|| {
            Diagnostic::new(
                Code::KeyChanged,
                "the record of what you accepted of this ledger was not made with your key of now: \
                 the key is another one, or somebody changed the record",
                "if you know why, begin a record anew: `goal settle --finding key_changed --reason \
                 TEXT`; then accept the keys of your other machines again",
            )
        })
    }

    /// Adds what is to be said of the lines' seals, in order of the file. On a machine that has no part
    /// in the ledger, what others sealed is for information, and that they sealed nothing is nothing.
    pub fn find(&self, snapshot: &Snapshot, found: &mut Findings) -> io::Result<()> {
        if let Some(fault) = &self.fault {
            let message = format!("the key that seals your lines cannot be used: {fault}");
            found.push(Diagnostic::new(Code::KeyUnusable, message, fault.hint()));
            return Ok(());
        }
        found.extend(self.key_changed());
        if !self.is_changed {
            found.extend(self.unknown_ledger(snapshot)?);
        }
        let has_part = self.has_part(snapshot)?;
        // Nothing tells which of several first lines is the ledger's where none is accepted.
        let ring = match self.ring.knows_ledger {
            true => self.ring.clone(),
            false => AcceptedKeys {
                beginnings: snapshot.beginnings()?,
                ..self.ring.clone()
            },
        };
        // The same with the first lines of ledgers that came in, but that the user did not accept: their
        // own lines follow them.
        let mut joined = ring.clone();
        let verified = &mut *self.verified.borrow_mut();
        snapshot.each_event(|raw, event| {
            if !event.envelope.is_ours() {
                return;
            }
            if event.envelope.prev == Some(EventId::ZERO) {
                joined.beginnings.insert(EventId::of_line(raw.bytes));
            }
            let light = event.weight() == Weight::Light || !has_part;
            if let Proof::Unproven { why } = ring.prove(raw.bytes, verified)
                && (has_part || why != Why::Unsealed)
            {
                let wrong = Proof::unproven(Why::WrongSeal);
                let is_of_joined =
                    why == Why::WrongSeal && joined.prove(raw.bytes, &mut BTreeSet::new()) != wrong;
                let said = match is_of_joined {
                    true => Some(of_joined()),
                    false => finding(why, light),
                };
                found.extend(said.map(|it| it.at(raw.number, raw.offset)));
            }
        })
    }
}

/// What is to be said of a line with a right seal for another ledger, which came in without the user's word.
fn of_joined() -> Diagnostic {
    Diagnostic::new(
        Code::InvalidSeal,
        "it was sealed in another ledger, whose beginning stands here too, and which you have not accepted \
         here: another clone joined the two, or somebody copied the lines",
        "if you know that they were joined, and both are yours or your team's: `goal sync --join` \
         accepts it here too",
    )
}

/// What is to be said of a line that is not proven; `light` where nothing rests on it here.
fn finding(why: Why, light: bool) -> Option<Diagnostic> {
    let heavy = |severity| match light {
        true => Severity::Information,
        false => severity,
    };
    Some(match why {
        Why::WrongSeal => Diagnostic::new(
            Code::InvalidSeal,
            "the seal is not that of the key that it names, for this line in this ledger",
            "compare the line with version control: somebody edited or imitated it, or copied it \
             from another ledger",
        ),
        Why::Unsealed => Diagnostic::new(
            Code::UnsealedLine,
            "a line of ours without a seal, though lines are sealed here",
            "if an agent without access to the key wrote it, nothing is wrong; if the line decides \
             something, `goal settle GOAL` accepts it",
        )
        .weighing(heavy(Severity::Error)),
        Why::EarlierSeal => Diagnostic::new(
            Code::UnknownKey,
            "an earlier version sealed it on another machine, so it cannot be checked here",
            "if the line decides something, `goal settle GOAL` accepts it",
        )
        .weighing(heavy(Severity::Error)),
        Why::UnknownKey(key) => Diagnostic::new(
            Code::UnknownKey,
            format!("sealed with key {key}, which you have not accepted here"),
            format!(
                "if it is a machine of yours or your team's: `goal trust --accept-key {key} --as \
                 NAME`"
            ),
        )
        .weighing(heavy(Severity::Error)),
        Why::UnknownLedger
        | Why::Consent
        | Why::SignatureUnchecked
        | Why::NotSigned
        | Why::WrongSignature
        | Why::OtherTool
        | Why::OutsideGate => return None,
    })
}

#[cfg(test)]
mod tests;
