//! Lines of a ledger as docs/ledger-format.md defines them, and nothing of the program's own code:
//! how they are framed, their ids, and their seals.

use std::fs;

use ed25519_dalek::{Signer, SigningKey};

use super::Project;

/// The lines of a ledger without their ends, blank ones and a torn last one included.
pub fn lines(ledger: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = ledger.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// The id of a line that has neither a BOM nor a CR at its end: half of its BLAKE3 hash.
pub fn event_id(line: impl AsRef<[u8]>) -> String {
    let mut hex = blake3::hash(line.as_ref()).to_hex();
    hex.truncate(32);
    hex.to_string()
}

/// The id of the last line.
pub fn tip(ledger: &[u8]) -> String {
    event_id(lines(ledger).last().unwrap())
}

impl Project {
    /// The seal that this machine's key gives a line which has none yet, behind the first line.
    pub fn seal(&self, line: &str) -> String {
        let ledger = self.ledger();
        self.seal_for(line, &event_id(lines(&ledger).next().unwrap()))
    }

    /// The same in the ledger that begins with this line; zeros for that line itself.
    pub fn seal_for(&self, line: &str, beginning: &str) -> String {
        let key = fs::read(self.state().join("key")).unwrap();
        let seed = blake3::derive_key("goal-ledger signing key 1", &key);
        let key = SigningKey::from_bytes(&seed);
        let signature = key.sign(format!("goal-ledger line 2\n{beginning}\n{line}").as_bytes());
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|it| format!("{it:02x}"))
                .collect::<String>()
        };
        let public = hex(key.verifying_key().as_bytes());
        format!("{public}:{}", hex(&signature.to_bytes()))
    }
}
