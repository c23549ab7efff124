//! What this machine can show of where the ledger's lines come from: seals, and what was there
//! before the key.

use std::io;

use xxhash_rust::xxh3::Xxh3;

use crate::domain::consent::{Proof, Ring, Weight};
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::Payload;
use crate::domain::found::Found;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::seal::Key;
use crate::domain::settled::Settled;
use crate::domain::wire::Decoded;
use crate::ledger::chain::{Chain, Numbers};
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::keys::{self, KeyError};
use crate::workspace::known::Known;

/// What is known of one ledger's lines.
#[derive(Debug)]
pub struct Evidence {
    ring: Ring,
    /// The numbers of the lines that were there before the key's first use here; `None` where the
    /// key was never used: then all lines count as being there before it.
    before: Option<Numbers>,
    /// Why this machine's key cannot be used; then no seal is checked.
    fault: Option<KeyError>,
}

/// A line that carries weight in the gate and is not proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    pub line: LineRef,
    pub id: EventId,
    /// The event's type.
    pub event: String,
    pub proof: Proof,
}

/// This machine's key, if it has one that can be used.
pub fn own_key(workspace: &Workspace) -> Option<Key> {
    key(workspace).ok().flatten()
}

/// This machine's key, if it has one.
fn key(workspace: &Workspace) -> Result<Option<Key>, KeyError> {
    match &workspace.environment.dirs {
        Some(dirs) => keys::read(&dirs.state),
        None => Ok(None),
    }
}

/// The keys that count on this ledger, and the record of our own key's first use here, if any.
fn ring(workspace: &Workspace) -> (Ring, Option<Known>) {
    let own = own_key(workspace);
    let dirs = workspace.environment.dirs.as_ref();
    let known = dirs.and_then(|dirs| Known::read(&dirs.state, workspace.paths.known_as()));
    let known = known.filter(|known| own.as_ref().is_some_and(|own| own.id() == known.key));
    let accepted = known.as_ref().map(|it| it.keys.clone()).unwrap_or_default();
    (Ring { own, accepted }, known)
}

/// For display: what [`Evidence::unproven`] would find for these goals. Each goal comes with its lines
/// of consent; goals with unproven lines come back. Only lines of consent are read if their seals
/// prove them, or if the line that was last at the key's first use still stands in its place after
/// them: then no line was inserted before it. A line there that was changed at the same length is
/// missed; [`Evidence`], by which the gate judges, finds it. Lines that a saved state vouches for are
/// not read again once all of them were proven.
///
/// # Errors
/// The ledger cannot be read.
pub fn unproven<'a>(
    workspace: &Workspace,
    snapshot: &Snapshot,
    goals: impl Iterator<Item = (&'a GoalId, &'a [LineRef])>,
) -> io::Result<Vec<(GoalId, Vec<LineRef>)>> {
    let (ring, known) = ring(workspace);
    let Some(own) = &ring.own else {
        // Then every line counts as it stands.
        return Ok(Vec::new());
    };
    let goals: Vec<_> = goals.collect();
    // A single goal has few such lines, and its result would replace the saved one of all goals.
    let memory = (goals.len() > 1).then(|| snapshot.memory()).flatten();
    let vouched = memory.as_ref().map_or(0, |(_, vouched)| *vouched);
    let saved = digest(own, known.as_ref(), &goals, vouched);
    let is_remembered = memory.as_ref().is_some_and(|(it, _)| it.is_proven(saved));
    let mut are_proven = true;
    let last = known.as_ref().and_then(|known| known.last);
    let last = last.filter(|(line, id)| snapshot.id(*line).is_ok_and(|now| now == *id));
    let (mut evidence, mut found) = (None, Vec::new());
    for (id, consents) in goals {
        let (mut proven, mut open) = (false, false);
        let is_seen = |line: &&LineRef| is_remembered && line.offset < vouched;
        for line in consents.iter().filter(|line| !is_seen(line)) {
            let before = last.is_some_and(|(last, _)| line.offset <= last.offset);
            let is_proven = ring.prove(&snapshot.bytes(*line)?, before) == Proof::Proven;
            proven |= is_proven;
            open |= !is_proven;
            are_proven &= is_proven;
        }
        // Without a record of the key's first use, only its seals tell that it was used here.
        if !open || known.is_none() && !proven {
            continue;
        }
        let evidence = match &mut evidence {
            Some(evidence) => evidence,
            none => none.insert(Evidence::of(workspace, snapshot)?),
        };
        let unproven = evidence.unproven(snapshot, id)?;
        let lines: Vec<LineRef> = unproven.iter().map(|it| it.line).collect();
        if !lines.is_empty() {
            found.push((id.clone(), lines));
        }
    }
    if let (Some((mut memory, _)), true, false) = (memory, are_proven, is_remembered) {
        memory.put_proven(saved);
        memory.keep();
    }
    Ok(found)
}

/// A digest of the keys that prove lines and of these goals' lines of consent before `vouched`.
fn digest(own: &Key, known: Option<&Known>, goals: &[(&GoalId, &[LineRef])], vouched: u64) -> u64 {
    let mut digest = Xxh3::new();
    digest.update(format!("{} {known:?}", own.id()).as_bytes());
    for line in goals.iter().flat_map(|(_, consents)| *consents) {
        if line.offset < vouched {
            digest.update(&line.offset.to_le_bytes());
        }
    }
    digest.digest()
}

impl Evidence {
    /// What is known of the ledger as it was read. Reads all of it.
    pub fn of(workspace: &Workspace, snapshot: &Snapshot) -> io::Result<Evidence> {
        Evidence::by(workspace, snapshot, || snapshot.chain())
    }

    /// Like [`Evidence::of`], with the links from `chain`, which is called only if the key was used
    /// here before. A moved or copied project has no record of that use: there the key's first seal
    /// shows it.
    pub fn by(
        workspace: &Workspace,
        snapshot: &Snapshot,
        chain: impl FnOnce() -> io::Result<Chain>,
    ) -> io::Result<Evidence> {
        let fault = key(workspace).err();
        let (ring, known) = ring(workspace);
        let heads = match (known, &ring.own) {
            (None, Some(own)) => snapshot.before_first_seal(own)?,
            (known, _) => known.map(|known| known.heads),
        };
        let before = match heads {
            None => None,
            Some(heads) => Some(chain()?.behind(&heads)),
        };
        Ok(Evidence {
            ring,
            before,
            fault,
        })
    }

    fn prove(&self, number: u64, line: &[u8]) -> Proof {
        let before = self.before.as_ref();
        let before = before.is_none_or(|before| before.contains(number));
        self.ring.prove(line, before)
    }

    /// The lines of a goal in which only the user can have agreed to something, and of which that
    /// is not proven.
    pub fn unproven(&self, snapshot: &Snapshot, goal: &GoalId) -> io::Result<Vec<Unproven>> {
        let settled = self.settled(snapshot)?;
        let mut found = Vec::new();
        snapshot.each_line(|raw, decoded| {
            let Decoded::Event { event, .. } = decoded else {
                return;
            };
            let concerns = event.goal_id.as_ref() == Some(goal) && event.envelope.is_ours();
            if !concerns || event.weight() != Weight::Consent {
                return;
            }
            let proof = self.prove(raw.number, raw.bytes);
            if proof != Proof::Proven {
                found.push(Unproven {
                    line: LineRef::from(*raw),
                    id: EventId::of_line(raw.bytes),
                    event: event.payload.name().to_owned(),
                    proof,
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
        snapshot.each_line(|raw, decoded| {
            if let Decoded::Event { event, .. } = decoded
                && let Payload::GoalSettled(settlement) = &event.payload
                && event.envelope.is_ours()
            {
                match self.prove(raw.number, raw.bytes) {
                    Proof::Proven => settled.record(settlement),
                    _ => open.push((EventId::of_line(raw.bytes), settlement.clone())),
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

    /// Adds what is to be said of the lines' seals, in order of the file.
    pub fn find(&self, snapshot: &Snapshot, found: &mut Found) -> io::Result<()> {
        if let Some(fault) = &self.fault {
            let message = format!("the key that seals your lines cannot be used: {fault}");
            found.push(Diagnostic::new(Code::KeyUnusable, message, fault.hint()));
        }
        snapshot.each_line(|raw, decoded| {
            let Decoded::Event { event, .. } = decoded else {
                return;
            };
            if !event.envelope.is_ours() {
                return;
            }
            let light = event.weight() == Weight::Light;
            let finding = finding(self.prove(raw.number, raw.bytes), light);
            if let Some(finding) = finding {
                found.push(finding.at(raw.number, raw.offset));
            }
        })
    }
}

fn finding(proof: Proof, light: bool) -> Option<Diagnostic> {
    let heavy = |severity| match light {
        true => Severity::Information,
        false => severity,
    };
    Some(match proof {
        Proof::Proven => return None,
        Proof::Forged => Diagnostic::new(
            Code::InvalidSeal,
            "the seal names this machine's key, but the line is not what was sealed with it",
            "compare the line with version control: somebody edited or imitated it",
        ),
        Proof::Unsealed => Diagnostic::new(
            Code::UnsealedLine,
            "a line of ours without a seal, though lines are sealed here",
            "if an agent without access to the key wrote it, nothing is wrong; if the line decides \
             something, `goal settle GOAL` accepts it",
        )
        .weighing(heavy(Severity::Error)),
        Proof::UnknownKey(key) => Diagnostic::new(
            Code::UnknownKey,
            format!("sealed with key {key}, which you have not accepted here"),
            format!("if it is a machine of yours or your team's: `goal trust --accept-key {key}`"),
        )
        .weighing(heavy(Severity::Warning)),
    })
}

#[cfg(test)]
mod tests;
