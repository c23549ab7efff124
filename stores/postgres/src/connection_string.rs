//! Takes `sslmode` and `sslrootcert` out of a connection string.
//!
//! The client library knows only some values of `sslmode` and nothing of certificates; the rest of
//! the string is its own business.

/// A connection string without the two options, and their values.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub rest: String,
    pub sslmode: Option<String>,
    pub sslrootcert: Option<String>,
}

/// `None` where the string cannot be read.
pub fn split(text: &str) -> Option<Parts> {
    let text = text.trim();
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Some(of_url(text));
    }
    let mut parts = Parts::default();
    for (key, value) in pairs(text)? {
        if !parts.take(&key, &value) {
            let quoted = value.replace('\\', "\\\\").replace('\'', "\\'");
            parts.rest.push_str(&format!("{key}='{quoted}' "));
        }
    }
    Some(parts)
}

impl Parts {
    /// Keeps the value if the key is one of the two.
    fn take(&mut self, key: &str, value: &str) -> bool {
        match key {
            "sslmode" => self.sslmode = Some(value.to_owned()),
            "sslrootcert" => self.sslrootcert = Some(value.to_owned()),
            _ => return false,
        }
        true
    }
}

fn of_url(text: &str) -> Parts {
    let mut parts = Parts::default();
    let Some((before, query)) = text.split_once('?') else {
        parts.rest = text.to_owned();
        return parts;
    };
    let mut kept = Vec::new();
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !parts.take(key, &decoded(value)) {
            kept.push(pair);
        }
    }
    parts.rest = match kept.is_empty() {
        true => before.to_owned(),
        false => format!("{before}?{}", kept.join("&")),
    };
    parts
}

/// The text behind `%2F` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = match after {
            [high, low, ..] if *first == b'%' => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|it| u8::from_str_radix(it, 16).ok()),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pairs of `key=value key='quoted value'`, where `\` keeps the next character as it is.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut rest = text.chars().peekable();
    loop {
        while rest.next_if(|it| it.is_whitespace()).is_some() {}
        if rest.peek().is_none() {
            return Some(found);
        }
        let mut key = String::new();
        loop {
            match rest.next()? {
                '=' => break,
                other => key.push(other),
            }
        }
        while rest.next_if(|it| it.is_whitespace()).is_some() {}
        let quoted = rest.next_if_eq(&'\'').is_some();
        let mut value = String::new();
        loop {
            match rest.next() {
                Some('\'') if quoted => break,
                Some('\\') => value.push(rest.next()?),
                Some(other) if !quoted && other.is_whitespace() => break,
                Some(other) => value.push(other),
                None if quoted => return None,
                None => break,
            }
        }
        found.push((key.trim().to_owned(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, Option<String>, Option<String>) {
        let parts = split(text).unwrap();
        (
            parts.rest.trim().to_owned(),
            parts.sslmode,
            parts.sslrootcert,
        )
    }

    #[test]
    fn both_notations_are_split() {
        assert_eq!(
            parts("host=db user=me  sslmode = verify-full password='a \\'b\\\\ c'"),
            (
                "host='db' user='me' password='a \\'b\\\\ c'".into(),
                Some("verify-full".into()),
                None
            )
        );
        assert_eq!(
            parts("postgres://me:p%3F@db/goals?sslmode=require&sslrootcert=%2Fetc%2Fca.pem"),
            (
                "postgres://me:p%3F@db/goals".into(),
                Some("require".into()),
                Some("/etc/ca.pem".into())
            )
        );
        assert_eq!(
            parts("postgresql://db?connect_timeout=3&sslmode=disable").0,
            "postgresql://db?connect_timeout=3"
        );
        assert_eq!(parts("postgres://db/goals").0, "postgres://db/goals");
    }

    #[test]
    fn what_cannot_be_read_is_no_string() {
        for text in ["host", "host='db", "host=db password=\\"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
