//! Ledgers in memory for the tests of the domain.

pub mod histories;

use std::convert::Infallible;
use std::sync::Arc;

use crate::domain::event::Event;
use crate::domain::findings::Findings;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE, RawLine, Source};
use crate::domain::replay::{Replay, Replayed, in_order, whole};
use crate::domain::state::State;
use crate::domain::wire::{Decoded, decode};

/// A ledger's bytes, framed as the reader frames them.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pub bytes: Vec<u8>,
}

impl Ledger {
    /// The same ledger with another program's line after it.
    pub fn theirs(mut self, line: &str) -> Ledger {
        self.append(line);
        self
    }

    /// The same ledger with a line of ours after it: the object with its link as the last field.
    pub fn ours(mut self, line: &str) -> Ledger {
        let linked = self.linked(line);
        self.append(&linked);
        self
    }

    /// The line with a link to this ledger's last line and, where that stands there twice, to the
    /// other heads.
    pub fn linked(&self, line: &str) -> String {
        let lines = self.lines();
        let last = lines.iter().rfind(|raw| !raw.bytes.is_empty());
        let prev = last.map_or(EventId::ZERO, |raw| EventId::of_line(raw.bytes));
        let open = line.strip_suffix('}').expect("an object");
        let like_last = lines
            .iter()
            .filter(|raw| EventId::of_line(raw.bytes) == prev);
        let also = match like_last.count() {
            0 | 1 => Vec::new(),
            _ => self.replay().0.heads,
        };
        let also = also.iter().filter(|(_, id)| *id != prev);
        let also: Vec<String> = also.map(|(_, id)| format!("\"{id}\"")).collect();
        match &also[..] {
            [] => format!("{open},\"prev\":\"{prev}\"}}"),
            _ => format!("{open},\"prev\":\"{prev}\",\"also\":[{}]}}", also.join(",")),
        }
    }

    /// Adds a line with its line end.
    pub fn append(&mut self, line: &str) {
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
    }

    /// The lines, the last one unterminated when the bytes do not end in a line end.
    pub fn lines(&self) -> Vec<RawLine<'_>> {
        let mut offset = 0;
        let pieces = self.bytes.split_inclusive(|byte| *byte == b'\n');
        pieces
            .zip(1..)
            .map(|(piece, number)| {
                let line = piece.strip_suffix(b"\n").unwrap_or(piece);
                let oversized = line.len() > MAX_LINE;
                let raw = RawLine {
                    number,
                    ordinal: number,
                    offset,
                    bytes: if oversized { &[] } else { line },
                    terminated: line.len() < piece.len(),
                    oversized,
                };
                offset += piece.len() as u64;
                raw
            })
            .collect()
    }

    /// The bytes of a line.
    pub fn read(&self, line: LineRef) -> &[u8] {
        let start = line.offset as usize;
        &self.bytes[start..start + line.len as usize]
    }

    /// The id of a line.
    pub fn id(&self, line: LineRef) -> EventId {
        EventId::of_line(self.read(line))
    }

    /// Replays everything.
    pub fn replay(&self) -> (State, Findings) {
        let replayed = self.replayed();
        (replayed.state, replayed.diagnostics)
    }

    /// What a replay of everything comes to.
    pub fn replayed(&self) -> Replayed {
        let source = Arc::new(self.bytes.clone()) as Arc<dyn Source>;
        let replayed = whole(
            &*source,
            || Replay::new(Arc::clone(&source)),
            |on_line| {
                self.lines().iter().for_each(on_line);
                Ok::<_, Infallible>(())
            },
        );
        let Ok((replayed, ())) = replayed;
        replayed
    }

    /// The same, where every line is put in order, also those before the first fork.
    pub fn replayed_in_order(&self) -> Replayed {
        self.replayed_behind(None)
    }

    /// The same behind this line, where all lines after it turn out to have seen it.
    pub fn replayed_behind(&self, fork: Option<LineRef>) -> Replayed {
        self.replayed_from(self.bytes.clone(), fork)
    }

    /// The same, where these bytes are there when lines are read again.
    pub fn replayed_from(&self, again: Vec<u8>, fork: Option<LineRef>) -> Replayed {
        let source = Arc::new(again) as Arc<dyn Source>;
        let begin = || Ok::<_, Infallible>(Replay::new(Arc::clone(&source)));
        let Ok((replayed, ())) = in_order(&*source, (fork, None), begin, |see| {
            for raw in self.lines() {
                see(&raw, &decode(&raw), EventId::of_line(raw.bytes));
            }
            Ok(())
        });
        replayed
    }
}

/// The event of a line.
pub fn event(line: &str) -> Event {
    let raw = RawLine {
        number: 1,
        ordinal: 1,
        offset: 0,
        bytes: line.as_bytes(),
        terminated: true,
        oversized: false,
    };
    match decode(&raw) {
        Decoded::Event { event, .. } => *event,
        other => panic!("{line}: {other:?}"),
    }
}
