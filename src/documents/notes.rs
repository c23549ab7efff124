//! Notes, which belong to people, and whether anything outside them was edited.

use super::header::{lines, parts};
use super::ours;

/// The heading of the last section of a document of ours.
pub(super) const NOTES: &str = "## Notes";

/// The bytes after the line `## Notes`, to be carried over as they are; nothing when the document
/// has no such line. The first such line of the body counts: no rendered text can hold one, since
/// [`crate::render::escape::escape`] defangs it, while the Notes themselves may.
///
/// A document whose header is damaged still has its Notes.
pub fn notes_of(text: &str) -> Option<&str> {
    heading(text).map(|(_, notes)| &text[notes..])
}

/// Whether a document of ours was edited outside its Notes since it was written. One that carries
/// no digest, or whose header cannot be read, counts as edited.
pub fn is_edited(text: &str) -> bool {
    let stated = ours::parse(text).ok().and_then(|header| header.digest);
    stated.is_none_or(|stated| stated != digest(before_notes(text)))
}

/// The document up to the line `## Notes`, or all of it where there is none.
pub fn before_notes(text: &str) -> &str {
    &text[..heading(text).map_or(text.len(), |(start, _)| start)]
}

/// Notes that hold those of two documents of one goal. Notes whose lines stand together in the others
/// are not said twice.
pub fn joined(notes: &str, others: &str) -> String {
    if holds(notes, others) {
        notes.to_owned()
    } else if holds(others, notes) {
        others.to_owned()
    } else if notes.ends_with('\n') {
        format!("{notes}{others}")
    } else {
        format!("{notes}\n{others}")
    }
}

fn holds(notes: &str, others: &str) -> bool {
    let lines: Vec<&str> = notes.lines().map(str::trim_end).collect();
    let others: Vec<&str> = others.lines().map(str::trim_end).collect();
    let is_said = |line: &&str| !line.is_empty();
    let (Some(first), Some(last)) = (
        others.iter().position(is_said),
        others.iter().rposition(is_said),
    ) else {
        return true;
    };
    let others = &others[first..=last];
    lines.windows(others.len()).any(|it| it == others)
}

/// 16 hex digits of BLAKE3 over a document's text before its Notes, without the header's `digest`
/// line. A BOM and the CR of a CRLF do not count, since git and editors add them.
pub fn digest(before_notes: &str) -> String {
    let text = before_notes
        .strip_prefix('\u{feff}')
        .unwrap_or(before_notes);
    let header = parts(text).map_or(0..0, |parts| parts.header);
    let mut hasher = blake3::Hasher::new();
    for (start, line) in lines(text) {
        if header.contains(&start) && line.starts_with("digest:") {
            continue;
        }
        match line.strip_suffix("\r\n") {
            Some(line) => hasher.update(line.as_bytes()).update(b"\n"),
            None => hasher.update(line.as_bytes()),
        };
    }
    let mut hex = hasher.finalize().to_hex();
    hex.truncate(16);
    hex.to_string()
}

/// Where the heading's line begins, and where the Notes after it do.
fn heading(text: &str) -> Option<(usize, usize)> {
    let body = parts(text).map_or(0, |parts| parts.body.start);
    let (start, line) = lines(&text[body..]).find(|(_, line)| line.trim_end() == NOTES)?;
    Some((body + start, body + start + line.len()))
}

#[cfg(test)]
mod tests {
    use super::super::compose::compose;
    use super::*;

    fn document(notes: &str) -> String {
        let pairs = [("id", "a".into()), ("status", "active".into())];
        compose(&pairs, "\n# A goal\n\n## Objective\n\nSow.\n\n", notes)
    }

    #[test]
    fn edits_outside_notes_are_found_and_edits_of_notes_are_not() {
        let text = document("mine\n");
        assert!(!is_edited(&text));
        assert!(!is_edited(&format!("{text}more")));
        assert!(!is_edited(&text.replace('\n', "\r\n")));
        assert!(!is_edited(&format!("\u{feff}{text}")));
        assert!(is_edited(&text.replace("Sow.", "Reap.")));
        assert!(is_edited(&text.replace("\"active\"", "\"paused\"")));
        assert!(is_edited(&text.replace("\ndigest:", "\nother:")));
        assert!(is_edited(&text.replace("# A goal", "digest: x\n# A goal")));
        assert!(is_edited("no header at all"));
    }

    #[test]
    fn notes_of_two_documents_are_kept_once() {
        for (one, other, both) in [
            ("a\n", "", "a\n"),
            ("", "b\n", "b\n"),
            ("a\nb\n", "b\n", "a\nb\n"),
            ("b\n", "\nb\nc\n", "\nb\nc\n"),
            ("a\n", "b", "a\nb"),
            ("a", "b\n", "a\nb\n"),
            ("- tea at 5\n", "tea\n", "- tea at 5\ntea\n"),
        ] {
            assert_eq!(joined(one, other), both);
            assert_eq!(joined(both, other), both, "said twice");
        }
    }

    #[test]
    fn a_removed_heading_without_text_is_no_edit() {
        let text = document("");
        let cut = text.strip_suffix("## Notes\n").unwrap();
        assert_eq!(notes_of(cut), None);
        assert!(!is_edited(cut));
    }

    #[test]
    fn notes_survive_a_damaged_header() {
        let text = document("keep\r\nme");
        assert_eq!(notes_of(&text), Some("keep\r\nme"));
        let damaged = text.replacen("---\n", "", 1);
        assert_eq!(notes_of(&damaged), Some("keep\r\nme"));
        assert_eq!(notes_of("---\nid: a\n## Notes\nx"), Some("x"));
        assert_eq!(notes_of("## Notes"), Some(""));
    }

    #[test]
    fn the_digest_is_pinned() {
        assert_eq!(digest(""), "af1349b9f5f9a1a6");
    }
}
