//! The frontmatter of our documents, read leniently.

use std::collections::BTreeMap;

use gray_matter::Pod;

use super::error::DocumentError;
use super::header::{Style, parts, style};
use super::yaml::values;
use crate::domain::id::GoalId;

/// What the frontmatter of a document of ours says. Everything but the id may be missing: it is a
/// projection, and the ledger knows better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OurHeader {
    pub id: GoalId,
    pub status: Option<String>,
    /// The goal's revision when the document was rendered.
    pub revision: Option<String>,
    /// Id of the goal's latest event when the document was rendered.
    pub event: Option<String>,
    /// See [`super::notes::digest`].
    pub digest: Option<String>,
    pub title: Option<String>,
    pub sisyphus: Option<bool>,
    pub auto_continue: Option<bool>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

const TEXTS: [&str; 8] = [
    "id",
    "status",
    "revision",
    "event",
    "digest",
    "title",
    "createdAt",
    "updatedAt",
];
const FLAGS: [&str; 2] = ["sisyphus", "autoContinue"];

/// Reads the frontmatter of a document of ours. Unknown keys are ignored, unquoted texts keep
/// their spelling (`0042`, `1e5`, `true`), and of a key that a union merge left twice the last
/// counts.
///
/// # Errors
/// Frontmatter that is missing or not closed, a malformed quoted value, no valid `id`.
pub fn parse(text: &str) -> Result<OurHeader, DocumentError> {
    if style(text) != Style::Frontmatter {
        return Err(DocumentError::NoHeader {
            expected: "a `---` line",
        });
    }
    let header = parts(text)?.header;
    let yaml = tidied(&text[header]);
    let values = values(&yaml).map_err(DocumentError::Yaml)?;
    let values = values.ok_or(DocumentError::MissingField("id"))?;
    let text = |key| match values.get(key) {
        Some(Pod::String(text)) => Some(text.clone()),
        _ => None,
    };
    let flag = |key| match values.get(key) {
        Some(Pod::Boolean(flag)) => Some(*flag),
        _ => None,
    };
    Ok(OurHeader {
        id: text("id")
            .ok_or(DocumentError::MissingField("id"))?
            .parse()?,
        status: text("status"),
        revision: text("revision"),
        event: text("event"),
        digest: text("digest"),
        title: text("title"),
        sisyphus: flag("sisyphus"),
        auto_continue: flag("autoContinue"),
        created_at: text("createdAt"),
        updated_at: text("updatedAt"),
    })
}

/// The header with one line for each known key and plain texts quoted.
///
/// The parser is shown nothing else, because it would turn plain texts into numbers and booleans,
/// refuse doubled keys, recurse into nested collections as deep as they go, and expand aliases.
fn tidied(header: &str) -> String {
    let mut values: BTreeMap<&str, String> = BTreeMap::new();
    let mut current = None;
    for line in header.lines() {
        if line.starts_with([' ', '\t']) {
            let value = current.and_then(|key| values.get_mut(key));
            if let Some(value) = value {
                value.push(' ');
                value.push_str(line.trim());
            }
            continue;
        }
        current = line.split_once(':').map(|(key, _)| key.trim_end());
        if let Some((key, value)) = line.split_once(':') {
            values.insert(key.trim_end(), value.trim().to_owned());
        }
    }
    let known = TEXTS.iter().chain(&FLAGS);
    known
        .filter_map(|key| {
            Some(format!(
                "{key}: {}\n",
                scalar(key, values.get(key)?.trim())?
            ))
        })
        .collect()
}

/// A value as YAML that stays what it is, or nothing when it is empty.
fn scalar(key: &str, value: &str) -> Option<String> {
    if value.starts_with(['"', '\'']) {
        return Some(value.to_owned());
    }
    let plain = value.find(" #").map_or(value, |comment| &value[..comment]);
    let plain = plain.trim_end();
    if FLAGS.contains(&key) {
        return matches!(plain, "true" | "false").then(|| plain.to_owned());
    }
    let empty = matches!(plain, "" | "~" | "null") || plain.starts_with('#');
    (!empty).then(|| super::yaml::scalar(&plain.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = include_str!("../../fixtures/documents/ours-active.md");

    #[test]
    fn a_whole_header_is_read() {
        let header = parse(OPEN).unwrap();
        assert_eq!(header.id.as_str(), "mrexampl-000002");
        assert_eq!(header.status.as_deref(), Some("active"));
        assert_eq!(header.title.as_deref(), Some("Seeds: \"a\" to z"));
        assert_eq!(header.sisyphus, Some(false));
        assert_eq!(header.auto_continue, Some(true));
        assert_eq!(
            header.created_at.as_deref(),
            Some("2026-03-01T08:00:00.000Z")
        );
        let crlf = format!("\u{feff}{}", OPEN.replace('\n', "\r\n"));
        assert_eq!(parse(&crlf).unwrap(), header);
    }

    #[test]
    fn hand_written_values_keep_their_spelling() {
        let text = "---\nid: 0042\nstatus: true # so\ntitle: 1e5\nrevision: 'it''s'\nevent: [a, *b]\n\
            digest: ~\ncreatedAt: 2026-01-02\nsisyphus: false\nautoContinue: maybe\n\
            other:\n  - [[[[\n? bad\n---\n";
        let header = parse(text).unwrap();
        assert_eq!(header.id.as_str(), "0042");
        assert_eq!(header.status.as_deref(), Some("true"));
        assert_eq!(header.title.as_deref(), Some("1e5"));
        assert_eq!(header.revision.as_deref(), Some("it's"));
        assert_eq!(header.event.as_deref(), Some("[a, *b]"));
        assert_eq!(header.digest, None);
        assert_eq!(header.created_at.as_deref(), Some("2026-01-02"));
        assert_eq!(header.sisyphus, Some(false));
        assert_eq!(header.auto_continue, None);
    }

    #[test]
    fn what_a_union_merge_doubles_is_read_once() {
        let header = parse("---\nid: a\nstatus: \"active\"\nstatus: \"paused\"\n---\n").unwrap();
        assert_eq!(header.status.as_deref(), Some("paused"));
        let folded = parse("---\nid: a\ntitle: \"two\n  lines\"\n---\n").unwrap();
        assert_eq!(folded.title.as_deref(), Some("two lines"));
    }

    #[test]
    fn unreadable_headers_are_errors() {
        assert!(matches!(parse("text"), Err(DocumentError::NoHeader { .. })));
        assert!(matches!(parse("{}"), Err(DocumentError::NoHeader { .. })));
        assert_eq!(parse("---\nid: a\n"), Err(DocumentError::Unclosed));
        for empty in ["---\n---\n", "---\ntitle: a\n---\n", "---\nid:\n---\n"] {
            assert_eq!(parse(empty), Err(DocumentError::MissingField("id")));
        }
        assert!(matches!(
            parse("---\nid: \"a\n---\n"),
            Err(DocumentError::Yaml(_))
        ));
        assert!(matches!(
            parse("---\nid: ../a\n---\n"),
            Err(DocumentError::Id(_))
        ));
    }
}
