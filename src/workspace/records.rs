//! Records of this machine's own, below the user's state directory: each begins with a code that only
//! this machine's key can make, so what somebody else wrote there counts for nothing.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::dirs::{put, record};
use crate::domain::seal::Key;
use crate::ledger::open::read_own;

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept<T> {
    /// There is no file.
    Absent,
    Whole(T),
    /// There is one that this machine's key did not make: it is damaged or made up, or the key is
    /// another one now.
    Unknown,
}

impl<T> Kept<T> {
    /// What the record says, if this machine made it.
    pub fn whole(self) -> Option<T> {
        match self {
            Kept::Whole(record) => Some(record),
            Kept::Absent | Kept::Unknown => None,
        }
    }
}

/// A kind of record of which the state directory has one for each root.
pub trait OfRoot: Serialize + DeserializeOwned {
    /// What kind of record it is; also the directory that has them.
    const KIND: &'static str;

    /// How often one is read that is not whole: its writer may be half way.
    const LOOKS: usize = 1;

    /// The root that it is of. A record that was copied to the place of another root's says nothing.
    fn root(&mut self) -> &mut Utf8PathBuf;

    /// Where that of a root is kept.
    fn path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
        record(state, Self::KIND, root)
    }

    /// What `state` has of this root.
    fn read(state: &Utf8Path, root: &Utf8Path, own: Option<&Key>) -> Kept<Self> {
        let path = Self::path(state, root);
        let mut looks = (0..Self::LOOKS).map(|_| read::<Self>(&path, Self::KIND, own));
        let kept = looks.find(|kept| !matches!(kept, Kept::Unknown));
        match kept.unwrap_or(Kept::Unknown) {
            Kept::Whole(mut record) => match record.root() == root {
                true => Kept::Whole(record),
                false => Kept::Unknown,
            },
            kept => kept,
        }
    }

    /// Keeps it in `state`.
    ///
    /// # Errors
    /// Those of the file system.
    fn write(&self, state: &Utf8Path, own: &Key) -> io::Result<()>;

    /// Keeps what there is of one root for another one, to which the ledger moves.
    ///
    /// # Errors
    /// Those of the file system.
    fn carry(state: &Utf8Path, from: &Utf8Path, to: &Utf8Path, own: &Key) -> io::Result<()> {
        let Some(mut record) = Self::read(state, from, Some(own)).whole() else {
            return Ok(());
        };
        to.clone_into(record.root());
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

/// Keeps a record, by rename: half of it would say something else.
///
/// # Errors
/// Those of the file system.
pub fn keep<T: Serialize>(path: &Utf8Path, kind: &str, record: &T, own: &Key) -> io::Result<()> {
    put(path, &encoded(kind, record, own)?)
}

/// What a file says to the machine with this key.
pub fn read<T: DeserializeOwned>(path: &Utf8Path, kind: &str, own: Option<&Key>) -> Kept<T> {
    if path.symlink_metadata().is_err() {
        return Kept::Absent;
    }
    let whole = || {
        let bytes = read_own(path)?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (code, text) = (&bytes[..end], bytes[end + 1..].trim_ascii_end());
        let is_own = own?.authenticate(kind, text).as_bytes() == code;
        is_own.then(|| serde_json::from_slice(text).ok()).flatten()
    };
    whole().map_or(Kept::Unknown, Kept::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_this_machine_kept_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("a/record");
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let of = |kind, key| read::<Vec<u8>>(&path, kind, key);
        assert_eq!(of("k", Some(&own)), Kept::Absent);
        keep(&path, "k", &vec![1, 2], &own).unwrap();
        assert_eq!(of("k", Some(&own)), Kept::Whole(vec![1, 2]));
        assert_eq!(of("k", Some(&own)).whole(), Some(vec![1, 2]));
        for unknown in [
            of("k", Some(&other)),
            of("k", None),
            of("other", Some(&own)),
        ] {
            assert_eq!(unknown, Kept::Unknown);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for made_up in [
            text.replace("[1,2]", "[1,3]"),
            "[1,2]".to_owned(),
            String::new(),
        ] {
            std::fs::write(&path, made_up).unwrap();
            assert_eq!(of("k", Some(&own)), Kept::Unknown);
        }
        // Blanks that cover an earlier text are none of the record.
        std::fs::write(&path, format!("{text}   ")).unwrap();
        assert_eq!(of("k", Some(&own)), Kept::Whole(vec![1, 2]));
    }
}
