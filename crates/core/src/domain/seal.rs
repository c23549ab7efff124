//! Seals: a signature at the end of a line, by which everybody knows which machine wrote it.
//!
//! `seal` is the last field of a line: `"KEY:SIGNATURE"`. KEY is the Ed25519 public key of the machine, 64
//! hex digits; SIGNATURE is its signature, 128 hex digits, of a context, the id of the ledger's first
//! line (32 zeros in that line itself), and the line without its seal. So a line that is copied into
//! another ledger has no valid seal there. The line's id covers the seal.
//!
//! Earlier versions wrote `"NAME:MAC"`: 8 hex digits of a name, and the first 16 bytes of the keyed
//! BLAKE3 hash of the line. Only the machine that has the key can check those.
//!
//! A seal shows that a line was written by a process that could read the key. It stops an echo, an
//! editor and an imitation; it stops nobody who can read the key.
//!
//! Replay never looks at seals: the same bytes mean the same on every machine.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::id::{EventId, as_text, bytes_of_hex, significant};

/// A secret key, 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    secret: [u8; Key::LEN],
    signing: SigningKey,
}

impl Key {
    /// How long a key is, in bytes.
    pub const LEN: usize = 32;

    /// The key with these bytes.
    pub fn new(secret: [u8; Key::LEN]) -> Key {
        let seed = blake3::derive_key("goal-ledger signing key 1", &secret);
        let signing = SigningKey::from_bytes(&seed);
        Key { secret, signing }
    }

    /// Its public key.
    pub fn id(&self) -> KeyId {
        KeyId(self.signing.verifying_key().to_bytes())
    }

    /// The seal of a line that has none yet, in the ledger that begins with the line `beginning`;
    /// zeros for that line itself.
    pub fn seal(&self, line: &[u8], beginning: EventId) -> Seal {
        let signature = self.signing.sign(&message(beginning, &[line]));
        Seal::Signature {
            key: self.id(),
            bytes: signature.to_bytes(),
        }
    }

    /// A code by which this machine knows a record of its own again. `kind` says what it is a record
    /// of; no line of a ledger is one.
    pub fn authenticate(&self, kind: &str, record: &[u8]) -> String {
        let derived = blake3::derive_key("goal-ledger record of a machine 1", &self.secret);
        let mut hasher = blake3::Hasher::new_keyed(&derived);
        hasher.update(&(kind.len() as u64).to_le_bytes());
        hasher.update(kind.as_bytes());
        hasher.update(record);
        hasher.finalize().to_hex().to_string()
    }

    /// Whether the line's seal names this key, whether or not it is right.
    pub fn claims(&self, line: &[u8]) -> bool {
        let id = self.id();
        split(line).is_some_and(|(rest, seal)| match seal {
            Seal::Signature { key, .. } => key == id,
            Seal::Mac { name, bytes } => self
                .has_sealed_earlier(name, bytes, &[rest, b"}"])
                .is_some(),
        })
    }

    /// Whether an earlier version sealed these bytes with this key.
    fn has_sealed_earlier(&self, name: [u8; 4], mac: [u8; 16], parts: &[&[u8]]) -> Option<bool> {
        let own = blake3::derive_key("goal-ledger public name of a sealing key 1", &self.secret);
        if own[..4] != name {
            return None;
        }
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for part in parts {
            hasher.update(part);
        }
        Some(hasher.finalize().as_bytes()[..16] == mac)
    }
}

/// What is signed of a line.
fn message(beginning: EventId, parts: &[&[u8]]) -> Vec<u8> {
    let mut message = format!("goal-ledger line 2\n{beginning}\n").into_bytes();
    for part in parts {
        message.extend_from_slice(part);
    }
    message
}

/// Never the secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id())
    }
}

/// A public key: 64 lower-case hex digits. Keys are compared whole.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
pub struct KeyId([u8; 32]);

/// A seal as it stands in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    Signature {
        key: KeyId,
        bytes: [u8; 64],
    },
    /// Of an earlier version.
    Mac {
        name: [u8; 4],
        bytes: [u8; 16],
    },
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
#[error("a public key is 64 lower-case hex digits")]
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
        let (key, code) = text.split_once(':').ok_or(InvalidKey)?;
        if let (Some(name), Some(bytes)) = (bytes_of_hex(key), bytes_of_hex(code)) {
            return Ok(Seal::Mac { name, bytes });
        }
        Ok(Seal::Signature {
            key: key.parse()?,
            bytes: bytes_of_hex(code).ok_or(InvalidKey)?,
        })
    }
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, code): (&[u8], &[u8]) = match self {
            Seal::Signature { key, bytes } => (&key.0, bytes),
            Seal::Mac { name, bytes } => (name, bytes),
        };
        hex(key, f)?;
        f.write_str(":")?;
        hex(code, f)
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// What a line's seal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// It has none.
    Not,
    /// The signature is that of this key, for this line in this ledger.
    By(KeyId),
    /// It names this key, whose signature it is not: the line was changed or made up, or was copied from
    /// another ledger.
    Wrong(KeyId),
    /// An earlier version sealed it with this machine's key.
    EarlierOwn,
    /// It is of an earlier version, names this machine's key, and is wrong.
    EarlierWrong,
    /// An earlier version sealed it with a key that is not here, so nobody can check it here.
    EarlierElsewhere,
}

/// What stands between a line and its seal, and after it.
const BEFORE: &str = ",\"seal\":\"";
const AFTER: &str = "\"}";

/// How long the text of a seal is: a signature, or what an earlier version wrote.
const LENGTHS: [usize; 2] = [64 + 1 + 128, 8 + 1 + 32];

/// The seal of a line, and the bytes that it was made of, without their closing brace. A seal
/// stands at the very end, as it is written; anywhere else there is none.
fn split(line: &[u8]) -> Option<(&[u8], Seal)> {
    let line = significant(line).strip_suffix(AFTER.as_bytes())?;
    LENGTHS.into_iter().find_map(|length| {
        let (rest, text) = line.split_at_checked(line.len().checked_sub(length)?)?;
        // First, because most lines of before have none.
        let rest = rest.strip_suffix(BEFORE.as_bytes())?;
        Some((rest, std::str::from_utf8(text).ok()?.parse().ok()?))
    })
}

/// Whether a line has a seal, whatever it is worth.
pub fn is_sealed(line: &[u8]) -> bool {
    split(line).is_some()
}

/// The key that a line's seal names, whether or not it is right.
pub fn key_of(line: &[u8]) -> Option<KeyId> {
    match split(line)?.1 {
        Seal::Signature { key, .. } => Some(key),
        Seal::Mac { .. } => None,
    }
}

/// What a line's seal shows in a ledger that has one of these beginnings; `own` is this machine's key.
pub fn check(
    line: &[u8],
    beginnings: impl IntoIterator<Item = EventId>,
    own: Option<&Key>,
) -> Sealed {
    let Some((rest, seal)) = split(line) else {
        return Sealed::Not;
    };
    let parts = [rest, b"}"];
    match seal {
        Seal::Mac { name, bytes } => {
            match own.and_then(|own| own.has_sealed_earlier(name, bytes, &parts)) {
                Some(true) => Sealed::EarlierOwn,
                Some(false) => Sealed::EarlierWrong,
                None => Sealed::EarlierElsewhere,
            }
        }
        Seal::Signature { key, bytes } => {
            let Ok(public) = VerifyingKey::from_bytes(&key.0) else {
                return Sealed::Wrong(key);
            };
            let signature = Signature::from_bytes(&bytes);
            let holds = |beginning| {
                let message = message(beginning, &parts);
                public.verify_strict(&message, &signature).is_ok()
            };
            match beginnings.into_iter().any(holds) {
                true => Sealed::By(key),
                false => Sealed::Wrong(key),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sealed(line: &str, key: &Key, beginning: EventId) -> String {
        let mut sealed = line.to_owned();
        key.seal(line.as_bytes(), beginning).close(&mut sealed);
        sealed
    }

    /// As an earlier version sealed it.
    fn sealed_earlier(line: &str, secret: [u8; 32]) -> String {
        let name = blake3::derive_key("goal-ledger public name of a sealing key 1", &secret);
        let mac = blake3::keyed_hash(&secret, line.as_bytes());
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|it| format!("{it:02x}"))
                .collect::<String>()
        };
        let (name, mac) = (hex(&name[..4]), hex(&mac.as_bytes()[..16]));
        format!("{},\"seal\":\"{name}:{mac}\"}}", line.trim_end_matches('}'))
    }

    const LINE: &str = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t","prev":"p"}"#;

    fn here() -> EventId {
        EventId::of_line(b"here")
    }

    #[test]
    fn everybody_knows_whose_a_seal_is_and_of_which_ledger() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        assert_ne!(own.id(), other.id());
        let line = sealed(LINE, &own, here());
        let of = |line: &str, key| check(line.as_bytes(), [here()], key);
        for key in [Some(&own), Some(&other), None] {
            assert_eq!(of(&line, key), Sealed::By(own.id()));
            assert_eq!(of(LINE, key), Sealed::Not);
        }
        assert_eq!(key_of(line.as_bytes()), Some(own.id()));
        // What git or an editor adds at the ends counts for nothing, as for ids.
        assert_eq!(of(&format!("{line}\r"), None), Sealed::By(own.id()));
        let elsewhere = check(line.as_bytes(), [EventId::ZERO], Some(&own));
        assert_eq!(elsewhere, Sealed::Wrong(own.id()));
        let either = check(line.as_bytes(), [EventId::ZERO, here()], None);
        assert_eq!(either, Sealed::By(own.id()));
    }

    #[test]
    fn a_key_does_not_sign_for_another() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let line = sealed(LINE, &own, here());
        let claimed = line.replace(&own.id().to_string(), &other.id().to_string());
        assert_eq!(
            check(claimed.as_bytes(), [here()], None),
            Sealed::Wrong(other.id())
        );
        // Bytes that are no point of the curve are no key.
        let none = "f".repeat(64).parse().unwrap();
        let claimed = line.replace(&own.id().to_string(), &"f".repeat(64));
        assert_eq!(
            check(claimed.as_bytes(), [here()], None),
            Sealed::Wrong(none)
        );
    }

    #[test]
    fn what_an_earlier_version_sealed_is_known_where_its_key_is() {
        let own = Key::new([1; 32]);
        let line = sealed_earlier(LINE, [1; 32]);
        let of = |line: &str, key: Option<&Key>| check(line.as_bytes(), [here()], key);
        assert_eq!(of(&line, Some(&own)), Sealed::EarlierOwn);
        assert_eq!(
            of(&line.replace("noted", "moved"), Some(&own)),
            Sealed::EarlierWrong
        );
        assert_eq!(
            of(&line, Some(&Key::new([2; 32]))),
            Sealed::EarlierElsewhere
        );
        assert_eq!(of(&line, None), Sealed::EarlierElsewhere);
        assert_eq!(key_of(line.as_bytes()), None);
    }

    #[test]
    fn a_seal_that_does_not_stand_last_is_none() {
        let line = sealed(LINE, &Key::new([1; 32]), here());
        for odd in [
            format!("{} ", line),
            line.replace("\"}", "\" }"),
            line.replace(",\"seal\"", ", \"seal\""),
            line.replace("\"}", "\",\"x\":1}"),
            line.replace(':', ": "),
            line.to_uppercase(),
        ] {
            assert_eq!(check(odd.as_bytes(), [here()], None), Sealed::Not, "{odd}");
        }
    }

    #[test]
    fn texts_come_back_and_others_are_refused() {
        let seal = Key::new([7; 32]).seal(b"{}", here());
        assert_eq!(seal.to_string().parse(), Ok(seal));
        assert_eq!(seal.to_string().len(), 193);
        let earlier: Seal = "0123abcd:0123456789abcdef0123456789abcdef".parse().unwrap();
        assert_eq!(
            earlier.to_string(),
            "0123abcd:0123456789abcdef0123456789abcdef"
        );
        for text in ["", ":", "abcdefgh", "ABCDEF01", "abcdef0", "abcdef012"] {
            assert_eq!(text.parse::<KeyId>(), Err(InvalidKey), "{text}");
            assert_eq!(text.parse::<Seal>(), Err(InvalidKey), "{text}");
        }
    }

    #[test]
    fn a_key_shows_its_public_half_and_never_the_secret() {
        let key = Key::new([7; 32]);
        assert_eq!(format!("{key:?}"), format!("Key({})", key.id()));
        assert_eq!(String::from(key.id()), key.id().to_string());
        assert!(!key.id().to_string().contains("0707"));
    }

    #[test]
    fn a_record_is_known_by_its_machine_kind_and_bytes() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let code = own.authenticate("tip", b"{}");
        assert_eq!(own.authenticate("tip", b"{}"), code);
        for another in [
            other.authenticate("tip", b"{}"),
            own.authenticate("tips", b"{}"),
            own.authenticate("ti", b"p{}"),
            own.authenticate("tip", b"{ }"),
        ] {
            assert_ne!(another, code);
        }
    }

    proptest! {
        #[test]
        fn no_changed_byte_keeps_a_seal(at in 0..LINE.len() + 203, bit in 0..8u32) {
            let own = Key::new([1; 32]);
            let mut line = sealed(LINE, &own, here()).into_bytes();
            line[at] ^= 1 << bit;
            prop_assert_ne!(check(&line, [here()], Some(&own)), Sealed::By(own.id()));
        }
    }
}
