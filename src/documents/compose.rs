//! Puts a document of ours together: frontmatter, rendered body, Notes.

use serde_json::Value;

use super::notes::{NOTES, digest, is_edited};
use super::yaml::scalar;

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
pub fn compose(pairs: &[(&str, Value)], body: &str, notes: &str) -> String {
    let end = if body.is_empty() || body.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let digest = digest(&format!("{}{body}{end}", emit(pairs)));
    let mut pairs = pairs.to_vec();
    pairs.push(("digest", digest.into()));
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

/// Frontmatter between `---` lines: texts and flags. Texts are JSON strings, which are valid YAML, so
/// that no value is ever taken for a number, a boolean or a comment (docs/design/documents.md#headers).
fn emit(pairs: &[(&str, Value)]) -> String {
    let mut header = format!("{FENCE}{COMMENT}");
    for (key, value) in pairs {
        header.push_str(&format!("{key}: {}\n", scalar(value)));
    }
    header + FENCE
}

#[cfg(test)]
mod tests {
    use super::super::{notes, ours};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_quoted() {
        let pairs = [
            ("id", "0042".into()),
            ("title", "a: \"b\"\n# c".into()),
            ("sisyphus", true.into()),
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
        let now = |status: &str| {
            let pairs = [("id", "a".into()), ("status", status.into())];
            compose(&pairs, "\n# A goal\n\n", "mine\n")
        };
        assert!(!is_edited(&before) && before != now("active"));
        assert!(is_uncommented(&before, &now("active")));
        assert!(!is_uncommented(&before, &now("paused")));
        assert!(!is_uncommented(&now("active"), &now("active")));
        let edited = before.replace("# A goal", "# Another");
        assert!(!is_uncommented(&edited, &now("active")));
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
                ("id", "a".into()),
                ("title", title.as_str().into()),
                ("event", event.as_str().into()),
                ("sisyphus", flag.into()),
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
