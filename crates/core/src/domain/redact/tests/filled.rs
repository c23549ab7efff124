//! Made-up secrets: the shapes of the table, filled with letters at run time, so that nothing in the
//! repository looks like a secret.

use fastrand::Rng;

use crate::domain::redact::format::Format;
use crate::domain::redact::formats::TABLES;

/// Every row of the table.
pub(super) fn formats() -> impl Iterator<Item = &'static Format> {
    TABLES.iter().flat_map(|formats| formats.iter())
}

/// The letters of a kind; none where it is no kind.
fn alphabet(kind: &str) -> &'static str {
    match kind {
        "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "w" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "l" => "abcdefghijklmnopqrstuvwxyz234567",
        "h" => "0123456789abcdef",
        "d" => "123456789",
        "k" => "k",
        _ => "",
    }
}

/// A secret of this shape: `{a36}` becomes 36 letters of that alphabet, `{k1}` the words that name
/// a private key.
pub(super) fn fill(shape: &str, rng: &mut Rng) -> String {
    let mut made = String::new();
    let mut rest = shape;
    while let Some((before, after)) = rest.split_once('{') {
        made.push_str(before);
        let end = after.find('}').unwrap();
        let (kind, count) = after.split_at(1);
        match (alphabet(kind), count[..end.max(1) - 1].parse::<usize>()) {
            ("k", Ok(_)) => made.push_str(&["PRIVATE", "KEY"].join(" ")),
            (letters, Ok(count)) if !letters.is_empty() => {
                let letters = letters.as_bytes();
                let letter = |_| char::from(letters[rng.usize(..letters.len())]);
                made.extend((0..count).map(letter));
            }
            // Braces of the shape itself.
            _ => {
                made.push('{');
                rest = after;
                continue;
            }
        }
        rest = &after[end + 1..];
    }
    made + rest
}

/// The text with the secret in it, and the secret alone.
pub(super) fn place(secret: &str, place: &str) -> (String, String) {
    let whole = secret.replace(['‹', '›'], "");
    let alone = secret
        .split_once('‹')
        .and_then(|(_, rest)| rest.split_once('›'));
    let alone = alone.map_or(whole.clone(), |(alone, _)| alone.to_owned());
    (place.replace('@', &whole), alone)
}
