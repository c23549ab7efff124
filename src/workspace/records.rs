//! Records of this machine's own, below the user's state directory: each begins with a code that only
//! this machine's key can make, so what somebody else wrote there counts for nothing.

use std::io;

use camino::Utf8Path;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::dirs::put;
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
