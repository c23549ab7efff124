//! Reading single lines again, where an earlier scan found them.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::os::unix::fs::FileExt;

use camino::Utf8Path;

use super::open;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, Source};

/// The open ledger, or nothing where there is none, for reads by position. Replay keeps
/// references; bytes and ids are fetched here only when they are shown, linked or compared
/// (docs/ledger-format.md#ids).
#[derive(Debug)]
pub struct Lines {
    file: Option<File>,
}

impl Lines {
    /// Lines of this open file. Its read position is neither used nor moved.
    pub fn new(file: Option<File>) -> Lines {
        Lines { file }
    }

    /// The line's bytes, without the line end.
    ///
    /// # Errors
    /// `UnexpectedEof` when the file has become shorter, `NotFound` when there is no file.
    pub fn bytes(&self, line: LineRef) -> io::Result<Vec<u8>> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; line.len as usize];
        match file.read_exact_at(&mut bytes, line.offset) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "another program has made the ledger shorter while it was read",
            )),
            read => read.map(|()| bytes),
        }
    }

    /// The file itself once more, for another reading of it.
    ///
    /// # Errors
    /// No file descriptor is left.
    pub fn file(&self) -> io::Result<Option<File>> {
        self.file.as_ref().map(File::try_clone).transpose()
    }

    /// Whether this is the file at the path now, as far as that can be found out.
    pub fn are_at(&self, path: &Utf8Path) -> bool {
        let file = self.file.as_ref();
        file.is_some_and(|file| open::names(path, file).is_ok_and(|is_there| is_there))
    }

    /// How long the file is now; nothing where there is none.
    pub fn len(&self) -> io::Result<Option<u64>> {
        let found = self.file.as_ref().map(File::metadata).transpose()?;
        Ok(found.map(|found| found.len()))
    }

    /// A reader of the whole file from its start; nothing where there is no file.
    pub fn reader(&self) -> Option<impl Read + '_> {
        self.reader_from(0)
    }

    /// A reader of the file from this offset on, in bytes; nothing where there is no file.
    pub fn reader_from(&self, offset: u64) -> Option<impl Read + '_> {
        self.file.as_ref().map(|file| From { file, offset })
    }

    /// The id of the line that begins at this offset, in bytes, and ends at the next line end.
    ///
    /// # Errors
    /// The file cannot be read, or there is none.
    pub fn id_at(&self, offset: u64) -> io::Result<EventId> {
        let reader = self.reader_from(offset).ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = Vec::new();
        io::BufReader::new(reader).read_until(b'\n', &mut bytes)?;
        Ok(EventId::of_line(
            bytes.strip_suffix(b"\n").unwrap_or(&bytes),
        ))
    }

    /// The id of the line.
    pub fn id(&self, line: LineRef) -> io::Result<EventId> {
        Ok(EventId::of_line(&self.bytes(line)?))
    }
}

impl Source for Lines {
    fn read(&self, line: LineRef) -> Option<Vec<u8>> {
        self.bytes(line).ok()
    }
}

/// Reads a file by position.
struct From<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::ledger::frame::scan;

    #[test]
    fn lines_are_found_again() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\n\nthree\r\ntail").unwrap();
        let mut found = Vec::new();
        let bytes: &[u8] = b"one\n\nthree\r\ntail";
        scan(bytes, |raw| {
            found.push((LineRef::from(raw), raw.bytes.to_vec()))
        })
        .unwrap();
        let lines = Lines::new(Some(file));
        assert_eq!(found.len(), 4);
        for (line, bytes) in found {
            assert_eq!(lines.bytes(line).unwrap(), bytes);
            assert_eq!(lines.id(line).unwrap(), EventId::of_line(&bytes));
            assert_eq!(lines.id_at(line.offset).unwrap(), EventId::of_line(&bytes));
        }
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let line = LineRef {
            offset: 0,
            len: 1,
            number: 1,
        };
        let missing = Lines::new(None).bytes(line).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let empty = Lines::new(Some(tempfile::tempfile().unwrap())).bytes(line);
        assert_eq!(empty.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
