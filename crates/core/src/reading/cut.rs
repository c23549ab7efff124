//! Lines that a writer was interrupted in, and that the next one ended: nothing that was
//! acknowledged is missing, so they weigh less than other malformed lines
//! (docs/ledger-format.md#reading).

use std::io::{self, BufRead, BufReader, Read};

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::findings::Findings;
use crate::domain::id::EventId;
use crate::domain::line::MAX_LINE;
use crate::domain::replay::ended_by_the_next;
use crate::domain::wire::{is_unfinished_line, prev_of};
use crate::ledger::lines::Lines;

/// Gives the findings of such lines the weight that they have.
pub(super) fn weigh(found: &mut Findings, lines: &Lines) -> io::Result<()> {
    found.weigh_anew(|finding| {
        if finding.code == Code::MalformedLine && is_ended_by_the_next(finding, lines)? {
            ended_by_the_next(finding);
        }
        Ok(())
    })
}

/// Whether a line was cut, and the line right behind it links to it, or to the line right before it.
/// So nobody can have removed or cut a line there that a writer had finished before the next one.
fn is_ended_by_the_next(finding: &Diagnostic, lines: &Lines) -> io::Result<bool> {
    let Some(offset) = finding.offset else {
        return Ok(false);
    };
    let line = line_at(lines, offset)?;
    if !is_unfinished_line(&line) {
        return Ok(false);
    }
    let next = line_at(lines, offset + line.len() as u64 + 1)?;
    let Some(prev) = prev_of(&next) else {
        return Ok(false);
    };
    let is_linked = prev == EventId::of_line(&line)
        || line_before(lines, offset)?.is_some_and(|before| prev == EventId::of_line(&before));
    Ok(is_linked)
}

/// The line that begins at an offset, in bytes. Empty behind the end of the file; of one that is
/// too long only its beginning.
fn line_at(lines: &Lines, offset: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    if let Some(reader) = lines.reader_from(offset) {
        let most = reader.take(MAX_LINE as u64 + 1);
        BufReader::new(most).read_until(b'\n', &mut line)?;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(line)
}

/// The line that ends where one begins at this offset; nothing before the first one.
fn line_before(lines: &Lines, offset: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = offset.checked_sub(1) else {
        return Ok(None);
    };
    let from = end.saturating_sub(MAX_LINE as u64 + 1);
    let mut before = Vec::new();
    if let Some(reader) = lines.reader_from(from) {
        reader.take(end - from).read_to_end(&mut before)?;
    }
    let begin = before.iter().rposition(|byte| *byte == b'\n');
    Ok(Some(before.split_off(begin.map_or(0, |at| at + 1))))
}
