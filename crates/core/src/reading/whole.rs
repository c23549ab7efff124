//! What takes another reading of the whole ledger, line by line in the order of replay.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use crate::domain::causal::ancestry::Ancestry;
use crate::domain::causal::{Ordered, OrderedLine};
use crate::domain::event::{Envelope, Event};
use crate::domain::history::History;
use crate::domain::id::{EventId, GoalId, significant};
use crate::domain::line::{LineRef, MAX_LINE, RawLine};
use crate::domain::wire::{Decoded, decode, prev_of};
use crate::ledger::chain::{LineLinks, LinePlace};
use crate::ledger::frame::{self, Extent};
use crate::reading::{Reading, saved};

impl Reading {
    /// The events of a goal from the line at `from` on, in the order of replay. Reads the ledger again.
    pub fn events_of(&self, goal: &GoalId, from: LineRef) -> io::Result<Vec<(LineRef, Event)>> {
        let mut events = Vec::new();
        let mut take = |raw: &RawLine<'_>| {
            if self.state.second_copies.has(raw.offset) {
                return;
            }
            if let Decoded::Event { event, .. } = decode(raw)
                && event.goal_id.as_ref() == Some(goal)
            {
                events.push((LineRef::from(*raw), *event));
            }
        };
        if let Some(ordered) = self.ordered()? {
            for turn in ordered.turns.iter().filter(|it| it.ordinal >= from.number) {
                let bytes = self.lines.bytes(turn.line)?;
                take(&turn.raw(&bytes));
            }
            return Ok(events);
        }
        let before = Extent {
            len: from.offset,
            lines: from.number.saturating_sub(1),
            terminated: true,
        };
        if let Some(reader) = self.lines.reader_from(from.offset) {
            frame::scan_on(before, reader, |raw| take(&raw))?;
        }
        Ok(events)
    }

    /// The goals of which the lines behind this one tell, in the order of the file.
    pub fn goals_behind(&self, line: LineRef) -> io::Result<BTreeSet<GoalId>> {
        let mut goals = BTreeSet::new();
        let before = Extent {
            len: line.offset + u64::from(line.len) + 1,
            lines: line.number,
            terminated: true,
        };
        if let Some(reader) = self.lines.reader_from(before.len) {
            frame::scan_on(before, reader, |raw| {
                if let Decoded::Event { event, .. } = decode(&raw) {
                    goals.extend(event.goal_id);
                }
            })?;
        }
        Ok(goals)
    }

    /// What lines had seen, where the ledger was merged. Reads the ledger again.
    pub fn ancestry(&self) -> io::Result<Option<Arc<Ancestry>>> {
        match self.state.merged {
            None => Ok(None),
            Some(_) => {
                let (graph, _) = saved::graph(&self.lines, self.extent.len)?;
                Ok(Some(Arc::new(graph.with_ancestry().1)))
            }
        }
    }

    /// The order of replay, where the file has another one. Reads the ledger again.
    fn ordered(&self) -> io::Result<Option<Ordered>> {
        match self.state.merged {
            None => Ok(None),
            Some(_) => Ok(Some(
                saved::graph(&self.lines, self.extent.len)?.0.in_order(),
            )),
        }
    }

    /// Those of these ids that no line has. Reads and hashes the whole ledger.
    pub fn missing(&self, mut ids: BTreeSet<EventId>) -> io::Result<BTreeSet<EventId>> {
        if let Some(reader) = self.lines.reader() {
            frame::scan(reader, |raw| {
                ids.remove(&EventId::of_line(raw.bytes));
            })?;
        }
        Ok(ids)
    }

    /// The links of all lines that were read, but for second copies. Reads the whole ledger again.
    pub fn chain(&self) -> io::Result<LineLinks> {
        let mut chain = LineLinks::new();
        let ordered = self.lines_in_order(|raw, decoded| {
            let id = EventId::of_line(raw.bytes);
            let place = LinePlace::of(raw);
            match decoded {
                Decoded::Blank => {}
                Decoded::Event { event, .. } => {
                    let Envelope { prev, also, .. } = event.envelope;
                    chain.push(place, id, prev, &also);
                }
                Decoded::Flawed(_) => chain.push(place, id, prev_of(raw.bytes), &[]),
            }
        })?;
        for (line, named) in ordered.map(|it| it.misplaced).unwrap_or_default() {
            let LineRef { number, offset, .. } = line;
            chain.misplaced(LinePlace { number, offset }, named);
        }
        Ok(chain)
    }

    /// The id of the ledger's first line, by which it is told from other ledgers; none while it has no
    /// line.
    pub fn beginning(&self) -> io::Result<Option<EventId>> {
        let Some(reader) = self.lines.reader() else {
            return Ok(None);
        };
        let (mut reader, mut line) = (BufReader::new(reader), Vec::new());
        loop {
            line.clear();
            let read = reader
                .by_ref()
                .take(MAX_LINE as u64 + 1)
                .read_until(b'\n', &mut line)?;
            match significant(line.trim_ascii_end()).is_empty() {
                _ if read == 0 => return Ok(None),
                true => {}
                false => return Ok(Some(EventId::of_line(&line))),
            }
        }
    }

    /// The ids of all first lines that were merged into the ledger. Reads the whole ledger again.
    pub fn beginnings(&self) -> io::Result<BTreeSet<EventId>> {
        let mut beginnings: BTreeSet<EventId> = self.beginning()?.into_iter().collect();
        self.each_event(|raw, event| {
            if event.envelope.prev == Some(EventId::ZERO) {
                beginnings.insert(EventId::of_line(raw.bytes));
            }
        })?;
        Ok(beginnings)
    }

    /// Looks at each line that was read, but for second copies, and oversized ones, which have no bytes
    /// here, in the order of replay.
    pub fn each_line(&self, look: impl FnMut(&RawLine<'_>, Decoded)) -> io::Result<()> {
        self.lines_in_order(look).map(|_| ())
    }

    /// Like [`Reading::each_line`], at the lines that are events.
    pub fn each_event(&self, mut look: impl FnMut(&RawLine<'_>, Event)) -> io::Result<()> {
        self.each_line(|raw, decoded| {
            if let Decoded::Event { event, .. } = decoded {
                look(raw, *event);
            }
        })
    }

    /// What happened to one goal, or to all without one. Reads the whole ledger again.
    pub fn history(&self, goal: Option<&GoalId>) -> io::Result<History> {
        let mut history = History::of(goal.map(std::slice::from_ref));
        self.each_event(|raw, event| history.event(raw, &event))?;
        Ok(history)
    }

    /// Looks at every line of a ledger that was merged in the order of replay, an oversized one without
    /// its bytes. Of another ledger that is the order of the file, so it looks at none and says so.
    pub fn each_line_where_merged(&self, mut look: impl FnMut(&RawLine<'_>)) -> io::Result<bool> {
        let Some(ordered) = self.ordered()? else {
            return Ok(false);
        };
        for turn in &ordered.turns {
            let bytes = match turn.oversized {
                true => Vec::new(),
                false => self.lines.bytes(turn.line)?,
            };
            look(&turn.raw(&bytes));
        }
        Ok(true)
    }

    /// Like [`Reading::each_line`]; gives back the order where the file has another one.
    fn lines_in_order(
        &self,
        mut look: impl FnMut(&RawLine<'_>, Decoded),
    ) -> io::Result<Option<Ordered>> {
        let copies = &self.state.second_copies;
        if let Some(ordered) = self.ordered()? {
            let counts = |turn: &&OrderedLine| !turn.oversized && !copies.has(turn.line.offset);
            for turn in ordered.turns.iter().filter(counts) {
                let bytes = self.lines.bytes(turn.line)?;
                let raw = turn.raw(&bytes);
                look(&raw, decode(&raw));
            }
            return Ok(Some(ordered));
        }
        let Some(reader) = self.lines.reader() else {
            return Ok(None);
        };
        let read = frame::scan(reader, |raw| {
            if raw.offset < self.extent.len && !raw.oversized && !copies.has(raw.offset) {
                look(&raw, decode(&raw));
            }
        })?;
        match read.len < self.extent.len {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::diagnostic::Code;

    fn read(lines: &[&str]) -> Reading {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger");
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        Reading::of(Some(fs::File::open(&path).unwrap()), None).unwrap()
    }

    fn note(text: &str, at: &str, prev: &str, also: &[&str]) -> String {
        let id = |line: &str| match line {
            "" => EventId::ZERO,
            line => EventId::of_line(line.as_bytes()),
        };
        let also: Vec<String> = also.iter().map(|it| format!("\"{}\"", id(it))).collect();
        let also = match &also[..] {
            [] => String::new(),
            also => format!(",\"also\":[{}]", also.join(",")),
        };
        format!(
            "{{\"type\":\"goal_noted\",\"goalId\":\"g\",\"note\":\"{text}\",\
             \"at\":\"2026-03-02T{at}:00.000Z\",\"by\":\"user\",\"prev\":\"{}\"{also}}}",
            id(prev)
        )
    }

    /// What each reader of lines makes of a ledger: how many events it hands out, and how many links
    /// break.
    fn seen(reading: &Reading) -> [usize; 3] {
        let (mut lines, goal) = (0, "g".parse().unwrap());
        reading.each_line(|_, _| lines += 1).unwrap();
        let events = reading.events_of(&goal, LineRef::START).unwrap().len();
        let report = reading.chain().unwrap().report();
        assert_eq!(report.lines, lines as u64);
        [lines, events, report.broken.count as usize]
    }

    #[test]
    fn a_second_copy_is_handed_out_to_nobody_and_breaks_no_link() {
        let first = note("x", "08:00", "", &[]);
        let a = note("a", "10:00", &first, &[]);
        let b = note("b", "10:01", &a, &[]);
        let y = note("y", "09:00", &first, &[]);
        let join = note("e", "11:00", &b, &[&y]);
        let whole = read(&[&first, &a, &b, &y, &join]);
        assert_eq!(seen(&whole), [5, 5, 0]);
        // The last line of the other branch once more, closed by the line that joins both.
        for file in [
            vec![&first, &a, &b, &y, &b, &join],
            vec![&first, &a, &b, &y, &b],
            vec![&first, &y, &a, &b, &y, &join],
            // The whole file once more, as of a chain.
            vec![&first, &a, &b, &first, &a, &b],
            vec![&first, &a, &b, &y, &join, &first, &a, &b, &y, &join],
        ] {
            let lines: Vec<&str> = file.iter().map(|it| it.as_str()).collect();
            let different: BTreeSet<&&str> = lines.iter().collect();
            let (reading, count) = (read(&lines), different.len());
            assert_eq!(seen(&reading), [count, count, 0], "{lines:#?}");
            let copies = reading.diagnostics.iter();
            let copies = copies.filter(|it| it.code == Code::DuplicateLine).count();
            assert_eq!(copies, lines.len() - count);
        }
    }
}
