//! Seals: a keyed hash at the end of a line, by which the machine that wrote it knows it again.
//!
//! `seal` is the last field of a line: `"KEY:MAC"`. MAC is the keyed BLAKE3 hash of the line
//! without that field, its first 16 bytes as hex digits; KEY is the public name of the key, 8 hex
//! digits. The line's id covers the seal.
//!
//! A seal shows that a line was written by a process that could read the key. It stops an echo, an
//! editor and an imitation; it stops nobody who can read the key.
//!
//! Replay never looks at seals: the same bytes mean the same on every machine.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::id::{as_text, bytes_of_hex, significant};

/// A secret key, 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    secret: [u8; Key::LEN],
    id: KeyId,
}

impl Key {
    /// How long a key is, in bytes.
    pub const LEN: usize = 32;

    /// The key with these bytes.
    pub fn new(secret: [u8; Key::LEN]) -> Key {
        let named = blake3::derive_key("goal-ledger public name of a sealing key 1", &secret);
        let [a, b, c, d, ..] = named;
        Key {
            secret,
            id: KeyId([a, b, c, d]),
        }
    }

    /// Its public name.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The seal of a line that has none yet.
    pub fn seal(&self, line: &[u8]) -> Seal {
        self.seal_parts(&[line])
    }

    fn seal_parts(&self, parts: &[&[u8]]) -> Seal {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for part in parts {
            hasher.update(part);
        }
        let mut mac = [0; 16];
        mac.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Seal { key: self.id, mac }
    }
}

/// Never the secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

/// The public name of a key: 8 lower-case hex digits.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{8}$"))]
pub struct KeyId([u8; 4]);

/// A seal as it stands in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    pub key: KeyId,
    mac: [u8; 16],
}

impl Seal {
    /// Puts the seal at the end of the line that it was made of.
    pub fn close(&self, line: &mut String) {
        let brace = line.pop();
        debug_assert_eq!(brace, Some('}'));
        line.push_str(BEFORE);
        line.push_str(&self.to_string());
        line.push_str(AFTER);
    }
}

/// A text that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name of a key is 8 lower-case hex digits")]
pub struct InvalidKey;

impl FromStr for KeyId {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<KeyId, InvalidKey> {
        Ok(KeyId(bytes_of_hex(text).ok_or(InvalidKey)?))
    }
}

as_text!(KeyId);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl FromStr for Seal {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Seal, InvalidKey> {
        let (key, mac) = text.split_once(':').ok_or(InvalidKey)?;
        Ok(Seal {
            key: key.parse()?,
            mac: bytes_of_hex(mac).ok_or(InvalidKey)?,
        })
    }
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.key)?;
        hex(&self.mac, f)
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// What this machine can say of a line's seal, the better first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Attestation {
    /// Sealed with this machine's key.
    Valid,
    /// Sealed with another key: cannot be checked here.
    Elsewhere,
    /// Not sealed.
    None,
    /// It names this machine's key, but the line is not what was sealed.
    Invalid,
}

/// What stands between a line and its seal, and after it.
const BEFORE: &str = ",\"seal\":\"";
const AFTER: &str = "\"}";

/// The seal of a line, and the bytes that it was made of, without their closing brace. A seal
/// stands at the very end, as it is written; anywhere else there is none.
fn split(line: &[u8]) -> Option<(&[u8], Seal)> {
    let line = significant(line).strip_suffix(AFTER.as_bytes())?;
    let (rest, text) = line.split_at_checked(line.len().checked_sub(8 + 1 + 32)?)?;
    let seal = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some((rest.strip_suffix(BEFORE.as_bytes())?, seal))
}

/// What `own`, this machine's key, says of a line's seal, and the key that it names.
pub fn attest(line: &[u8], own: Option<&Key>) -> (Attestation, Option<KeyId>) {
    let Some((sealed, seal)) = split(line) else {
        return (Attestation::None, None);
    };
    let attestation = match own.filter(|own| own.id == seal.key) {
        Some(own) if own.seal_parts(&[sealed, b"}"]) == seal => Attestation::Valid,
        Some(_) => Attestation::Invalid,
        None => Attestation::Elsewhere,
    };
    (attestation, Some(seal.key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sealed(line: &str, key: &Key) -> String {
        let mut sealed = line.to_owned();
        key.seal(line.as_bytes()).close(&mut sealed);
        sealed
    }

    const LINE: &str = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t","prev":"p"}"#;

    #[test]
    fn a_key_knows_its_own_seal_and_no_other() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        assert_ne!(own.id(), other.id());
        let line = sealed(LINE, &own);
        let of = |line: &str, key| attest(line.as_bytes(), key);
        assert_eq!(of(&line, Some(&own)), (Attestation::Valid, Some(own.id())));
        for key in [Some(&other), None] {
            assert_eq!(of(&line, key), (Attestation::Elsewhere, Some(own.id())));
        }
        assert_eq!(of(LINE, Some(&own)), (Attestation::None, None));
        // What git or an editor adds at the ends counts for nothing, as for ids.
        let windows = format!("{line}\r");
        assert_eq!(of(&windows, Some(&own)).0, Attestation::Valid);
    }

    #[test]
    fn a_seal_that_does_not_stand_last_is_none() {
        let own = Key::new([1; 32]);
        let line = sealed(LINE, &own);
        for odd in [
            format!("{} ", line),
            line.replace("\"}", "\" }"),
            line.replace(",\"seal\"", ", \"seal\""),
            line.replace("\"}", "\",\"x\":1}"),
            line.replace(':', ": "),
            line.to_uppercase(),
        ] {
            assert_eq!(
                attest(odd.as_bytes(), Some(&own)).0,
                Attestation::None,
                "{odd}"
            );
        }
    }

    #[test]
    fn texts_come_back_and_others_are_refused() {
        let seal = Key::new([7; 32]).seal(b"{}");
        assert_eq!(seal.to_string().parse(), Ok(seal));
        assert_eq!(seal.to_string().len(), 41);
        assert_eq!(seal.key.to_string().parse(), Ok(seal.key));
        for text in ["", ":", "abcdefgh", "ABCDEF01", "abcdef0", "abcdef012"] {
            assert_eq!(text.parse::<KeyId>(), Err(InvalidKey), "{text}");
            assert_eq!(text.parse::<Seal>(), Err(InvalidKey), "{text}");
        }
    }

    #[test]
    fn a_key_shows_its_public_name_and_never_the_secret() {
        let key = Key::new([7; 32]);
        assert_eq!(format!("{key:?}"), format!("Key({})", key.id()));
        assert_eq!(String::from(key.id()), key.id().to_string());
    }

    #[test]
    fn the_worst_of_several_counts_most() {
        let worst = [
            Attestation::Valid,
            Attestation::None,
            Attestation::Elsewhere,
        ];
        assert_eq!(worst.into_iter().max(), Some(Attestation::None));
        assert!(Attestation::Invalid > Attestation::None);
    }

    proptest! {
        #[test]
        fn no_changed_byte_keeps_a_seal(at in 0..LINE.len() + 51, bit in 0..8u32) {
            let own = Key::new([1; 32]);
            let mut line = sealed(LINE, &own).into_bytes();
            line[at] ^= 1 << bit;
            prop_assert_ne!(attest(&line, Some(&own)).0, Attestation::Valid);
        }
    }
}
