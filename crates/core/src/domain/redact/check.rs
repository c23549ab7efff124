//! Whether what has the format of a secret is one: placeholders, names of variables and words of
//! prose are none.

use super::format::Match;

/// Whatever matches is a secret.
pub(super) fn any(_: &Match<'_>) -> bool {
    true
}

/// A key that a manual shows.
pub(super) fn is_example(text: &str) -> bool {
    text.ends_with("EXAMPLE") || text.ends_with("EXAMPLEKEY")
}

/// Small and large letters and digits alternate, as they do in no identifier: at least at every
/// fifth place.
pub(super) fn random(found: &Match<'_>) -> bool {
    alternates(found.secret, (1, 5))
}

/// The same, and there are letters and digits.
pub(super) fn value(found: &Match<'_>) -> bool {
    has_both(found.secret) && random(found)
}

/// What stands behind `password=` and is no placeholder, variable, path or piece of code.
pub(super) fn password(found: &Match<'_>) -> bool {
    let text = found.secret;
    let is_code = text.contains("://")
        || text.contains("::")
        || text.starts_with(['/', '.', '~', '@'])
        || found.after.starts_with(['(', '[', '{', '$']);
    if is_code || is_placeholder(text) {
        return false;
    }
    let is_name = |c: char| c.is_ascii_alphabetic() || "._-".contains(c);
    match text.chars().all(is_name) {
        // In a name of many words less often.
        true if text.len() < 12 => false,
        true => alternates(text, (2, 5)),
        false if !text.contains(['.', '_', '-', '/', ':']) => has_both(text),
        false => alternates(text, (1, 5)),
    }
}

/// What stands behind a word that nothing but a password follows.
pub(super) fn login(found: &Match<'_>) -> bool {
    !is_placeholder(found.secret)
}

/// What stands before the host of a URL, user and password.
pub(super) fn url(found: &Match<'_>) -> bool {
    let Some((user, password)) = found.secret.split_once(':') else {
        return random(found) && !before_digest(found);
    };
    if before_digest(found) || password.len() < 3 || is_placeholder(password) {
        return false;
    }
    if password == user && is_local(found.after.trim_start_matches('@')) {
        return false;
    }
    // A path may hold an `@` too.
    match password.split_once('/') {
        Some((port, _)) if port.bytes().all(|byte| byte.is_ascii_digit()) => false,
        Some(_) if has_both(password) => alternates(password, (1, 5)),
        Some(_) => alternates(password, (2, 5)),
        None => true,
    }
}

/// Whether the host is no host, but the digest of an image.
fn before_digest(found: &Match<'_>) -> bool {
    let host = found.after.trim_start_matches('@');
    let is_digest = |name: &str| {
        host.strip_prefix(name)
            .is_some_and(|it| it.starts_with(':'))
    };
    ["sha256", "sha384", "sha512"].into_iter().any(is_digest)
}

/// Whether this begins with a host that no other machine reaches: this machine, or a name without a
/// dot.
fn is_local(text: &str) -> bool {
    let end = text.find(['/', '?', '#', ' ', '"', '\'']);
    let host = &text[..end.unwrap_or(text.len())];
    let name = host.split(':').next().unwrap_or(host);
    host.starts_with("[::1]")
        || name.starts_with("127.")
        || name == "0.0.0.0"
        || !name.contains('.')
}

/// Words that stand for a password that is not told, with no more than a few letters around them.
const STAND_INS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "dummy",
];
const AROUND: usize = 6;

/// Words that are defaults or stand-ins where they are all.
const DEFAULTS: &[&str] = &[
    "pass",
    "pwd",
    "pw",
    "postgres",
    "mysql",
    "mariadb",
    "mongo",
    "redis",
    "rabbitmq",
    "root",
    "admin",
    "user",
    "username",
    "guest",
    "anonymous",
    "test",
    "token",
    "key",
    "default",
    "sample",
    "foo",
    "bar",
    "baz",
    "xxx",
    "none",
    "null",
    "port",
];

fn is_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_most = |word: &&str| lower.len() <= word.len() + AROUND && lower.contains(*word);
    let is_yours = lower.starts_with("your_") || lower.starts_with("your-");
    if is_yours || DEFAULTS.contains(&lower.as_str()) || STAND_INS.iter().any(is_most) {
        return true;
    }
    let mut bytes = text.bytes();
    let first = bytes.next().unwrap_or_default();
    let all = |is: fn(&u8) -> bool| text.as_bytes().iter().all(is);
    match first {
        // `$TOKEN`, `${TOKEN}`, `$(…)`, `{{ … }}`, `%s`, `***`, `<password>`.
        b'$' => {
            let name = &text[1..];
            let lower = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            let upper =
                |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            name.starts_with(['{', '(']) || name.bytes().all(lower) || name.bytes().all(upper)
        }
        b'{' | b'[' | b'<' | b'*' | b'%' => true,
        _ => {
            all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
                || all(|byte| matches!(byte, b'x' | b'X' | b'.' | b'*' | b'-'))
        }
    }
}

fn has_both(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Whether the kind of character changes at least at so many of so many places. What joins words
/// does not count.
fn alternates(text: &str, (some, of_many): (usize, usize)) -> bool {
    let (mut places, mut changes) = (0, 0);
    for pair in text.as_bytes().windows(2) {
        let (before, after) = (kind(pair[0]), kind(pair[1]));
        if before != JOIN && after != JOIN {
            places += 1;
            changes += usize::from(before != after);
        }
    }
    changes > 0 && changes * of_many >= places * some
}

const JOIN: u8 = 0;

fn kind(byte: u8) -> u8 {
    match byte {
        b'-' | b'_' | b'.' => JOIN,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 4,
    }
}
