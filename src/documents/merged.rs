//! Documents that git put together from the lines of several renderings, and whether anything else
//! is in them (docs/design/documents.md#after-a-git-merge).

use std::collections::BTreeSet;

use super::header::parts;
use super::notes::{NOTES, before_notes};

/// What stands in a document's header once for each rendering of which lines are in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    pub digests: BTreeSet<String>,
    /// Ids of the events after which it was rendered.
    pub events: BTreeSet<String>,
    /// Where it lay.
    pub paths: BTreeSet<String>,
}

/// What a document says of its renderings.
pub fn stated(text: &str) -> Stated {
    let header = parts(text).map_or("", |parts| {
        let end = parts.header.end;
        // Where both sides changed what stands right behind it too, git puts the end of the other
        // header behind that.
        let rest = before_notes(text).get(end..).unwrap_or_default();
        let more = rest.rfind("\n---\n").unwrap_or_default();
        &text[parts.header.start..end + more]
    });
    let mut stated = Stated::default();
    for (key, value) in header.lines().filter_map(|line| line.split_once(": ")) {
        let of_key = match key {
            "digest" => &mut stated.digests,
            "event" => &mut stated.events,
            "path" => &mut stated.paths,
            _ => continue,
        };
        of_key.extend(serde_json::from_str::<String>(value));
    }
    stated
}

/// Whether git may have put a document together: it has the header of several renderings, or
/// conflict markers.
pub fn is_merged(text: &str) -> bool {
    stated(text).digests.len() > 1 || has_markers(text)
}

/// Whether git left conflict markers in a document.
pub fn has_markers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

fn is_marker(line: &str) -> bool {
    let of_git = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    let marker = of_git.iter().find_map(|marker| line.strip_prefix(marker));
    marker.is_some_and(|label| label.is_empty() || label.starts_with(' '))
}

/// The lines of a rendering that tell it from another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendering(BTreeSet<String>);

impl Rendering {
    /// The lines of this one and of another.
    pub fn add(&mut self, other: Rendering) {
        self.0.extend(other.0);
    }

    /// The lines of a document before its Notes.
    pub fn of(text: &str) -> Rendering {
        Rendering(significant(before_notes(text)).map(str::to_owned).collect())
    }
}

fn significant(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().filter(|line| !line.is_empty())
}

/// Whether a document has before its Notes nothing but lines of these renderings, and lacks no line
/// but such as one of them took out: `base` has what two of them both began with. A rebase leaves
/// lines of renderings that came `between`, without their headers.
pub fn is_made_of(
    text: &str,
    sides: &[Rendering],
    between: &Rendering,
    base: impl Fn(usize, usize) -> Rendering,
) -> bool {
    let has_markers = has_markers(text);
    // With the style `diff3` git shows what both sides began with as well.
    let bases = || (1..sides.len()).map(|side| base(0, side));
    let shown: Vec<Rendering> = has_markers.then(bases).into_iter().flatten().collect();
    let all = || sides.iter().chain(&shown).chain([between]);
    let is_rendered = |line: &str| all().any(|it| it.0.contains(line));
    let mut lines = significant(before_notes(text));
    if !lines.all(|line| is_rendered(line) || has_markers && is_marker(line)) {
        return false;
    }
    let there: BTreeSet<&str> = significant(text).collect();
    let was_taken_out = |line: &String, side: usize| {
        let others = (0..sides.len()).filter(|other| !sides[*other].0.contains(line));
        let mut bases = others.map(|other| base(side.min(other), side.max(other)));
        bases.any(|base| base.0.contains(line))
    };
    sides.iter().enumerate().all(|(side, rendering)| {
        let mut gone = rendering.0.iter().filter(|it| !there.contains(it.as_str()));
        gone.all(|line| was_taken_out(line, side))
    })
}

/// The Notes of a document that was made of renderings with these lines. Where both sides changed what
/// stands right before the Notes, git repeats that and the heading among them.
pub fn without_renderings(notes: &str, lines: &Rendering) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in notes.split_inclusive('\n') {
        let is_mine = |it: &&str| !it.trim().is_empty() && !lines.0.contains(it.trim_end());
        let rendered = kept.iter().rposition(is_mine).map_or(0, |last| last + 1);
        let repeats = kept[rendered..].iter().any(|it| !it.trim().is_empty());
        match line.trim_end() == NOTES && repeats {
            true => kept.truncate(rendered),
            false => kept.push(line),
        }
    }
    kept.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str =
        "---\nid: \"a\"\ndigest: \"0\"\n---\n\nActive.\n\n- one\n- two\n\n## Notes\n";

    fn is_made(text: &str, sides: [&str; 2]) -> bool {
        let between = Rendering::of("Resting.\n");
        is_made_of(text, &sides.map(Rendering::of), &between, |_, _| {
            Rendering::of(BASE)
        })
    }

    #[test]
    fn a_header_says_what_a_document_was_made_of() {
        let text = "---\npath: \"p\"\nevent: \"1\"\ndigest: \"a\"\nevent: \"2\"\ndigest: \"b\"\n---\n\
                    digest: \"c\"\n";
        let found = stated(text);
        assert_eq!(found.digests, ["a", "b"].map(String::from).into());
        assert_eq!(found.events, ["1", "2"].map(String::from).into());
        assert_eq!(found.paths, ["p".to_owned()].into());
        assert!(is_merged(text) && !is_merged(BASE));
        assert!(is_merged(&format!("{BASE}<<<<<<< a\n>>>>>>> b\n")));
        assert_eq!(stated("no header"), Stated::default());
    }

    #[test]
    fn lines_of_two_renderings_are_no_edit_and_any_other_line_is() {
        let one = BASE.replace("Active.", "Paused.").replace("\"0\"", "\"1\"");
        let other = BASE.replace("- two", "- three").replace("\"0\"", "\"2\"");
        let sides = [one.as_str(), other.as_str()];
        let merged = one
            .replace("- two", "- three")
            .replace("\"1\"\n", "\"1\"\ndigest: \"2\"\n");
        assert!(is_made(&merged, sides));
        assert!(is_made(&format!("{merged}mine\n"), sides), "Notes");
        assert!(is_made(&merged.replace('\n', "\r\n"), sides));
        assert!(is_made(
            &merged.replace("Paused.", "Paused.\nResting."),
            sides
        ));
        for (from, to) in [
            ("- three\n", "- three\n- four\n"),
            ("- three\n", ""),
            ("- one\n", ""),
            ("Paused.", "Active."),
            ("Paused.\n", ""),
            ("id: \"a\"\n", ""),
        ] {
            let edited = merged.replace(from, to);
            assert_ne!(edited, merged);
            assert!(!is_made(&edited, sides), "{from:?} -> {to:?}");
        }
    }

    #[test]
    fn notes_lose_only_what_git_repeated_among_them() {
        let lines = Rendering::of("side next\n");
        for (notes, expected) in [
            ("mine\nside next\n\n## Notes\nyours\n", "mine\nyours\n"),
            ("side next\r\n\r\n## Notes\r\nyours\r\n", "yours\r\n"),
            ("mine\n\n## Notes\nyours\n", "mine\n\n## Notes\nyours\n"),
            ("side next\nmine\n## Notes\n", "side next\nmine\n## Notes\n"),
            ("mine\nside next\n", "mine\nside next\n"),
        ] {
            assert_eq!(without_renderings(notes, &lines), expected);
        }
    }

    #[test]
    fn conflict_markers_are_no_edit_and_what_is_between_them_may_be() {
        let one = BASE.replace("Active.", "Paused.");
        let other = BASE.replace("Active.", "Blocked.");
        let conflict =
            "<<<<<<< HEAD\nPaused.\n||||||| base\nActive.\n=======\nBlocked.\n>>>>>>> side";
        let merged = BASE.replace("Active.", conflict);
        let sides = [one.as_str(), other.as_str()];
        assert!(is_made(&merged, sides));
        assert!(!is_made(&merged.replace("Blocked.", "Done."), sides));
        assert!(!is_made(
            &BASE.replace("- two", "=======\n- two"),
            [BASE, BASE]
        ));
    }
}
