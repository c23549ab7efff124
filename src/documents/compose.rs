//! Puts a document of ours together: frontmatter, rendered body, Notes.

use super::notes::{NOTES, digest, is_edited};

/// A value of the frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar<'a> {
    Text(&'a str),
    Flag(bool),
}

/// Stands before the frontmatter and behind it.
const FENCE: &str = "---\n";

/// Said at the top of every document, where editors show it and pages that are made from Markdown
/// do not.
const COMMENT: &str = "\
# Made from the ledger. Only the section Notes is yours to edit.
# `goal tweak` changes the contract; edited here, it is in force after `goal tweak --from-document`.
";

/// The whole text of a document: `pairs` and the digest as frontmatter, then `body` (everything
/// from the title up to Notes, in which no line may be `## Notes`), then `notes` byte for byte.
///
/// The digest is ours to write: `pairs` must not contain `digest`.
pub fn compose(pairs: &[(&str, Scalar<'_>)], body: &str, notes: &str) -> String {
    let end = if body.is_empty() || body.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let digest = digest(&format!("{}{body}{end}", emit(pairs)));
    let mut pairs = pairs.to_vec();
    pairs.push(("digest", Scalar::Text(&digest)));
    format!("{}{body}{end}{NOTES}\n{notes}", emit(&pairs))
}

/// Whether a document is `composed` as earlier versions wrote it, which said nothing at the top:
/// then it is as it should be until its goal changes.
pub fn is_uncommented(text: &str, composed: &str) -> bool {
    let Some(rest) = text.strip_prefix(FENCE) else {
        return false;
    };
    // Digests leave the digest out, which is the only other difference.
    !is_edited(text) && digest(&format!("{FENCE}{COMMENT}{rest}")) == digest(composed)
}

/// Frontmatter between `---` lines. Texts are JSON strings, which are valid YAML, so that no value
/// is ever taken for a number, a boolean or a comment (docs/design/documents.md#headers).
fn emit(pairs: &[(&str, Scalar<'_>)]) -> String {
    let mut header = format!("{FENCE}{COMMENT}");
    for (key, value) in pairs {
        let value = match value {
            Scalar::Text(text) => quoted(text),
            Scalar::Flag(flag) => flag.to_string(),
        };
        header.push_str(&format!("{key}: {value}\n"));
    }
    header + FENCE
}

/// `text` as a JSON string that is also a YAML scalar on one line: JSON leaves some characters
/// raw that YAML takes for line breaks or does not allow. Our own parser is more patient, but
/// people read frontmatter with others.
pub(super) fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'..='\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::{notes, ours};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_quoted() {
        let pairs = [
            ("id", Scalar::Text("0042")),
            ("title", Scalar::Text("a: \"b\"\n# c")),
            ("sisyphus", Scalar::Flag(true)),
        ];
        let texts = "id: \"0042\"\ntitle: \"a: \\\"b\\\"\\n# c\"\nsisyphus: true\n";
        assert_eq!(emit(&pairs), format!("---\n{COMMENT}{texts}---\n"));
        assert!(
            COMMENT
                .lines()
                .all(|line| line.starts_with("# ") && !line.contains(": "))
        );
    }

    #[test]
    fn a_document_of_an_earlier_version_is_neither_edited_nor_stale() {
        // As the first edition wrote it.
        let before = "---\nid: \"a\"\nstatus: \"active\"\ndigest: \"DIGEST\"\n---\n\n# A goal\n\n";
        let before = before.replace("DIGEST", &digest(before)) + "## Notes\nmine\n";
        let now = |status| {
            let pairs = [("id", Scalar::Text("a")), ("status", Scalar::Text(status))];
            compose(&pairs, "\n# A goal\n\n", "mine\n")
        };
        assert!(!is_edited(&before) && before != now("active"));
        assert!(is_uncommented(&before, &now("active")));
        assert!(!is_uncommented(&before, &now("paused")));
        assert!(!is_uncommented(&now("active"), &now("active")));
        let edited = before.replace("# A goal", "# Another");
        assert!(!is_uncommented(&edited, &now("active")));
    }

    #[test]
    fn what_yaml_does_not_allow_raw_is_escaped() {
        let text = "\u{7f}\u{85}\u{9f}\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}";
        let escaped = r#""\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff""#;
        assert_eq!(quoted(text), escaped);
        assert_eq!(quoted("\u{a0}é\u{1f331}"), "\"\u{a0}é\u{1f331}\"");
    }

    fn any_notes() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<String>(),
            Just("---\n".to_owned()),
            Just("## Notes\n".to_owned()),
            Just("## Notes\r\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\ndigest: \"0\"\n".to_owned()),
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn what_is_composed_is_read_back(
            title in any::<String>(),
            control in "[\\x00-\\x20\\x7f-\\xa0\u{2028}\u{feff}\u{ffff}:#'\"\\\\-]{0,8}",
            flag in any::<bool>(),
            body in "[a# \\n]{0,20}",
            notes in any_notes(),
        ) {
            let event = format!("{control}{title}");
            let pairs = [
                ("id", Scalar::Text("a")),
                ("title", Scalar::Text(&title)),
                ("event", Scalar::Text(&event)),
                ("sisyphus", Scalar::Flag(flag)),
            ];
            let text = compose(&pairs, &body, &notes);
            let header = ours::parse(&text).unwrap();
            prop_assert_eq!(header.title.as_deref(), Some(title.as_str()));
            prop_assert_eq!(header.event.as_deref(), Some(event.as_str()));
            prop_assert_eq!(header.sisyphus, Some(flag));
            prop_assert_eq!(notes::notes_of(&text), Some(notes.as_str()));
            prop_assert!(!notes::is_edited(&text));
        }
    }
}
