//! This machine's own records, below the user's state directory. Each begins with a code of
//! authentication that only this machine's key can make, so what somebody else wrote there does not count.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::dirs::{put, record};
use crate::domain::seal::Key;
use crate::ledger::open::read_own;

/// What was read where a record is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRead<T> {
    /// There is no file.
    Absent,
    Valid(T),
    /// There is a file that this machine's key did not make: it is damaged or made up, or the key is
    /// another one now.
    NotOurs,
}

impl<T> RecordRead<T> {
    /// The record, if this machine made it.
    pub fn valid(self) -> Option<T> {
        match self {
            RecordRead::Valid(record) => Some(record),
            RecordRead::Absent | RecordRead::NotOurs => None,
        }
    }
}

/// A kind of record of which the state directory has one for each root of a project.
pub trait RootRecord: Serialize + DeserializeOwned {
    /// What kind of record it is; also the directory that has them.
    const KIND: &'static str;

    /// How many times to read a file before it counts as [`RecordRead::NotOurs`]. More than once for
    /// records that are written in place: a reader may see a half-written one.
    const READ_ATTEMPTS: usize = 1;

    /// The root that the record is of.
    fn root_mut(&mut self) -> &mut Utf8PathBuf;

    /// The path of the record of `root` below the state directory.
    fn path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
        record(state, Self::KIND, root)
    }

    /// Reads the record of `root` below the state directory. A record of another root that was copied to
    /// this place does not count.
    fn read(state: &Utf8Path, root: &Utf8Path, own: Option<&Key>) -> RecordRead<Self> {
        let path = Self::path(state, root);
        let mut looks =
            (0..Self::READ_ATTEMPTS).map(|_| read_record::<Self>(&path, Self::KIND, own));
        let kept = looks.find(|kept| !matches!(kept, RecordRead::NotOurs));
        match kept.unwrap_or(RecordRead::NotOurs) {
            RecordRead::Valid(mut record) => match record.root_mut() == root {
                true => RecordRead::Valid(record),
                false => RecordRead::NotOurs,
            },
            kept => kept,
        }
    }

    /// Writes the record below the state directory.
    ///
    /// # Errors
    /// Those of the file system.
    fn write(&self, state: &Utf8Path, own: &Key) -> io::Result<()>;

    /// Copies the record of the root `from` to the root `to`, to which the ledger moves.
    ///
    /// # Errors
    /// Those of the file system.
    fn copy_to_root(state: &Utf8Path, from: &Utf8Path, to: &Utf8Path, own: &Key) -> io::Result<()> {
        let Some(mut record) = Self::read(state, from, Some(own)).valid() else {
            return Ok(());
        };
        to.clone_into(record.root_mut());
        record.write(state, own)
    }
}

/// The bytes of a record: its code, a line end, and the record as JSON.
///
/// # Errors
/// Those of the encoder.
pub fn encoded<T: Serialize>(kind: &str, record: &T, own: &Key) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(record)?;
    let mut bytes = own.authenticate(kind, &text).into_bytes();
    bytes.push(b'\n');
    bytes.extend(text);
    Ok(bytes)
}

/// Writes a record, by rename: so nobody reads a half-written one.
///
/// # Errors
/// Those of the file system.
pub fn write_record<T: Serialize>(
    path: &Utf8Path,
    kind: &str,
    record: &T,
    own: &Key,
) -> io::Result<()> {
    put(path, &encoded(kind, record, own)?)
}

/// Reads a record that the machine with the key `own` wrote.
pub fn read_record<T: DeserializeOwned>(
    path: &Utf8Path,
    kind: &str,
    own: Option<&Key>,
) -> RecordRead<T> {
    if path.symlink_metadata().is_err() {
        return RecordRead::Absent;
    }
    let whole = || {
        let bytes = read_own(path)?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (code, text) = (&bytes[..end], bytes[end + 1..].trim_ascii_end());
        let is_authentic = own?.authenticate(kind, text).as_bytes() == code;
        is_authentic
            .then(|| serde_json::from_slice(text).ok())
            .flatten()
    };
    whole().map_or(RecordRead::NotOurs, RecordRead::Valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_this_machine_kept_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("a/record");
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let of = |kind, key| read_record::<Vec<u8>>(&path, kind, key);
        assert_eq!(of("k", Some(&own)), RecordRead::Absent);
        write_record(&path, "k", &vec![1, 2], &own).unwrap();
        assert_eq!(of("k", Some(&own)), RecordRead::Valid(vec![1, 2]));
        assert_eq!(of("k", Some(&own)).valid(), Some(vec![1, 2]));
        for unknown in [
            of("k", Some(&other)),
            of("k", None),
            of("other", Some(&own)),
        ] {
            assert_eq!(unknown, RecordRead::NotOurs);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for made_up in [
            text.replace("[1,2]", "[1,3]"),
            "[1,2]".to_owned(),
            String::new(),
        ] {
            std::fs::write(&path, made_up).unwrap();
            assert_eq!(of("k", Some(&own)), RecordRead::NotOurs);
        }
        // Blanks at the end do not belong to the record: they overwrite a longer earlier text.
        std::fs::write(&path, format!("{text}   ")).unwrap();
        assert_eq!(of("k", Some(&own)), RecordRead::Valid(vec![1, 2]));
    }
}
