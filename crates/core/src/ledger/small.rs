//! Small files in the user's state and cache directories, which every append writes anew in place.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use camino::Utf8Path;

use super::open::regular;

/// Texts are written in blocks of so many bytes, as file systems have them: where a file grew, a power
/// cut can leave the new length with nothing behind it.
const BLOCK: usize = 4096;

/// The text as it is written, with white space up to a whole block.
pub fn padded(text: &[u8]) -> Vec<u8> {
    let mut padded = text.to_vec();
    padded.resize(text.len().next_multiple_of(BLOCK), b' ');
    padded
}

/// Puts a text into a file, in place and in one write: renaming another over it costs more than
/// all else that an append does beside its syncs. Who reads it half written, or after a power cut,
/// must take it for none.
pub fn put(path: &Utf8Path, text: &[u8]) -> io::Result<()> {
    let mut access = OpenOptions::new();
    // Truncating would make the file system write it out at once; white space covers what an
    // earlier text leaves, which is of the same project and mostly about as long.
    let access = access.write(true).create(true).truncate(false).mode(0o600);
    let padded = padded(text);
    let opened = regular(path, access).map_err(io::Error::other)?;
    (&opened).write_all(&padded)?;
    let len = padded.len() as u64;
    match opened.metadata()?.len() > len {
        true => opened.set_len(len),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_text_leaves_nothing_of_a_longer_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("stamp");
        let long = format!("[{}]", " ".repeat(3 * BLOCK));
        for text in [long.as_str(), "{\"a\":1234567890}", "{}"] {
            put(&path, text.as_bytes()).unwrap();
            let read = std::fs::read_to_string(&path).unwrap();
            assert_eq!(read.trim_end(), text);
        }
    }
}
