//! The file: pieces one after the other, each with its own sum, and a table of those that have
//! names. So one piece can be read and checked without the others.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Base;
use crate::ledger::open::own;

/// The last bytes of the file: the table's length, its sum, and the magic number.
const TRAILER: usize = 24;
const MAGIC: [u8; 8] = *b"goalrpc1";

/// A run of bytes in a cache: its offset, its length in bytes, and its sum.
// Without names of fields, since a cache has several for each goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece(u64, u32, u64);

#[derive(Debug, Serialize, Deserialize)]
struct Table {
    version: u64,
    base: Base,
    named: BTreeMap<String, Piece>,
}

/// A cache, open for reading.
#[derive(Debug)]
pub struct Cache {
    path: Utf8PathBuf,
    file: File,
    table: Table,
    id: u64,
}

impl Cache {
    pub(super) fn open(path: &Utf8Path, version: u64) -> Option<Cache> {
        Cache::of(path, own(path)?, version)
    }

    fn of(path: &Utf8Path, file: File, version: u64) -> Option<Cache> {
        let end = file.metadata().ok()?.len().checked_sub(TRAILER as u64)?;
        let mut trailer = [0; TRAILER];
        file.read_exact_at(&mut trailer, end).ok()?;
        let number = |at: usize| {
            Some(u64::from_le_bytes(
                trailer.get(at..at + 8)?.try_into().ok()?,
            ))
        };
        let (len, id) = (number(0)?, number(8)?);
        if trailer[16..] != MAGIC {
            return None;
        }
        let piece = Piece(end.checked_sub(len)?, u32::try_from(len).ok()?, id);
        let table: Table = serde_json::from_slice(&read(&file, piece)?).ok()?;
        let path = path.to_owned();
        (table.version == version).then_some(Cache {
            path,
            file,
            table,
            id,
        })
    }

    /// The sum of the table, which identifies this cache.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The version of what is saved in it.
    pub(super) fn version(&self) -> u64 {
        self.table.version
    }

    /// The beginning of the ledger that this cache stands for.
    pub fn base(&self) -> Base {
        self.table.base
    }

    /// Removes it: it turned out to be damaged.
    pub fn discard(&self) {
        // If the file stays, the next reader finds the damage again.
        let _best_effort = fs::remove_file(&self.path);
    }

    /// The bytes of the piece with this name.
    pub fn named(&self, name: &str) -> Option<Vec<u8>> {
        self.piece(*self.table.named.get(name)?)
    }

    /// The bytes of a piece; nothing when they are not what was written.
    pub fn piece(&self, piece: Piece) -> Option<Vec<u8>> {
        read(&self.file, piece)
    }
}

fn read(file: &File, Piece(offset, len, sum): Piece) -> Option<Vec<u8>> {
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(&mut bytes, offset).ok()?;
    (xxh3_64(&bytes) == sum).then_some(bytes)
}

/// Counts the bytes of a piece and computes its sum while it is written.
struct Summed<'a> {
    file: &'a mut BufWriter<NamedTempFile>,
    len: u64,
    sum: Xxh3,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.sum.update(bytes);
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A cache being written.
#[derive(Debug)]
pub struct Saving {
    file: BufWriter<NamedTempFile>,
    at: u64,
    named: BTreeMap<String, Piece>,
}

impl Saving {
    /// Begins a cache in `dir`, which is private to the user.
    pub fn begin(dir: &Utf8Path) -> io::Result<Saving> {
        Ok(Saving {
            file: BufWriter::with_capacity(256 * 1024, NamedTempFile::new_in(dir)?),
            at: 0,
            named: BTreeMap::new(),
        })
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// Those of the file system; more than 4 GiB.
    pub fn piece(&mut self, bytes: &[u8]) -> io::Result<Piece> {
        let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let piece = Piece(self.at, len, xxh3_64(bytes));
        self.file.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(piece)
    }

    /// Writes a value as JSON, in one piece. The JSON is never in memory as a whole.
    ///
    /// # Errors
    /// Those of [`Saving::piece`].
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<Piece> {
        let summed = Summed {
            file: &mut self.file,
            len: 0,
            sum: Xxh3::new(),
        };
        let mut out = BufWriter::new(summed);
        serde_json::to_writer(&mut out, value)?;
        let summed = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let len = u32::try_from(summed.len).map_err(io::Error::other)?;
        let piece = Piece(self.at, len, summed.sum.digest());
        self.at += summed.len;
        Ok(piece)
    }

    /// Writes a piece that is found by its name.
    pub fn named(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let piece = self.piece(bytes)?;
        self.named.insert(name.to_owned(), piece);
        Ok(())
    }

    /// Ends the cache, which stands for `base` and is for readers of this `version`, and puts it
    /// at `path` by rename. The file is not synced: a power cut can leave one that fails its sums.
    pub(super) fn keep_at(
        mut self,
        path: &Utf8Path,
        base: Base,
        version: u64,
    ) -> io::Result<Option<Cache>> {
        let table = serde_json::to_vec(&Table {
            version,
            base,
            named: self.named,
        })?;
        self.file.write_all(&table)?;
        self.file.write_all(&(table.len() as u64).to_le_bytes())?;
        self.file.write_all(&xxh3_64(&table).to_le_bytes())?;
        self.file.write_all(&MAGIC)?;
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        Ok(Cache::of(path, file.persist(path)?, version))
    }
}
