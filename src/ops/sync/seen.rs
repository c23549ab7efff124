//! What is known of the ledger in a remote: which of its files were looked at, and what they have.

use std::collections::{BTreeMap, BTreeSet};

use super::remote::{Remote, Segment, Tree};
use crate::domain::exchange::{Cut, Piece};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::ops::failure::Failure;
use crate::workspace::synced::Synced;

/// What is known of a remote.
#[derive(Debug, Default)]
pub struct Seen {
    /// Git's names for the files that were looked at, with their bytes: what they have is here, but for
    /// what is `left`.
    segments: BTreeMap<String, u64>,
    /// The remote has all lines of this ledger up to this one of ours.
    pub last: Option<LineRef>,
    /// The lines of ours in the files that this sync has read.
    pub ids: BTreeSet<EventId>,
    /// How many lines in the remote no line of ours names.
    pub left: u64,
    /// The ledger in the remote is known to be this one.
    pub is_related: bool,
}

impl Seen {
    /// What an earlier sync left in a note.
    pub fn of(synced: &Synced) -> Seen {
        Seen {
            segments: synced.segments.clone(),
            last: Some(synced.last),
            ids: BTreeSet::new(),
            left: synced.left,
            is_related: true,
        }
    }

    /// Looks at what is new in the tree, which is then known; gives what is in it. Where something is
    /// gone, nothing that was known counts any more, unless it is in the new files.
    ///
    /// # Errors
    /// Git cannot read it.
    pub fn look(&mut self, remote: &Remote, tree: &Tree) -> Result<Vec<Piece>, Failure> {
        let of_tree = named(tree);
        let is_gone = |object: &&String| !of_tree.contains_key(*object);
        let gone: Vec<Segment> = self
            .segments
            .keys()
            .filter(is_gone)
            .map(|object| Segment {
                object: object.clone(),
                bytes: self.segments[object],
            })
            .collect();
        let mut new = self.read_new(remote, tree, !gone.is_empty())?;
        if !gone.is_empty() {
            match lines_of(remote, &gone) {
                // They were made one, or were there twice.
                Ok((lines, left)) if lines.is_subset(&new.lines) => {
                    self.left = self.left.saturating_sub(left);
                }
                _ => {
                    *self = Seen::default();
                    new = self.read_new(remote, tree, false)?;
                }
            }
        }
        self.segments = of_tree;
        self.left += new.left;
        self.ids.extend(new.pieces.iter().map(Piece::id));
        Ok(new.pieces)
    }

    /// What the files have that were not looked at yet.
    fn read_new(&self, remote: &Remote, tree: &Tree, lines_too: bool) -> Result<New, Failure> {
        let is_new = |it: &&Segment| !self.segments.contains_key(&it.object);
        let mut new = New::default();
        remote.read(tree.segments.values().filter(is_new), |_, content| {
            let mut cut = cut(content);
            new.left += cut.left();
            new.pieces.append(&mut cut.pieces);
            if lines_too {
                new.lines.extend(ids(content));
            }
        })?;
        Ok(new)
    }
}

/// What new files have.
#[derive(Default)]
struct New {
    pieces: Vec<Piece>,
    left: u64,
    /// Every line, where that was asked for.
    lines: BTreeSet<EventId>,
}

/// Git's names for the files of lines in a tree, with their bytes.
pub fn named(tree: &Tree) -> BTreeMap<String, u64> {
    let segments = tree.segments.values();
    segments.map(|it| (it.object.clone(), it.bytes)).collect()
}

/// The content of a file, cut into pieces.
pub fn cut(content: &[u8]) -> Cut {
    let mut cut = Cut::default();
    let lines = content.split(|byte| *byte == b'\n');
    lines.for_each(|line| cut.push(line));
    cut
}

/// Every line of these files, and how many of them no line of ours names.
fn lines_of(remote: &Remote, segments: &[Segment]) -> Result<(BTreeSet<EventId>, u64), Failure> {
    let (mut lines, mut left) = (BTreeSet::new(), 0);
    remote.read(segments, |_, content| {
        lines.extend(ids(content));
        left += cut(content).left();
    })?;
    Ok((lines, left))
}

fn ids(content: &[u8]) -> impl Iterator<Item = EventId> {
    let lines = content.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    lines.map(EventId::of_line)
}
