//! The contract in a document of ours as a person edited it, for `goal tweak --from-document`.
//!
//! The body's form: `## Objective` with text, `## Success criteria` with a list, and
//! `## Boundaries and constraints` with bold labels, each followed by a list or a text. Every
//! text is escaped (see [`crate::render::escape`]); an item's further lines are indented by two
//! spaces; `_none given_` stands for nothing.

use super::error::DocumentError;
use super::header::parts;
use crate::render::document::{BOXES, LABELS, NONE_GIVEN};
use crate::render::escape::unescape;

/// The parts of a contract that a document shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sections {
    pub objective: String,
    pub success_criteria: Vec<String>,
    pub boundaries: Vec<String>,
    pub constraints: Vec<String>,
    pub if_blocked: Option<String>,
    pub verification_contract: Option<String>,
    /// Names of checks.
    pub checks: Vec<String>,
}

/// Reads the contract back from a document of ours. CRLF is tolerated.
///
/// # Errors
/// A header that is damaged, an objective that is missing or empty, and text under Boundaries and
/// constraints that has no label: nothing a person wrote is dropped in silence.
pub fn contract_from(text: &str) -> Result<Sections, DocumentError> {
    let body = text[parts(text)?.body].replace("\r\n", "\n");
    let body: Vec<&str> = body.lines().collect();
    let objective = section(&body, "## Objective")
        .and_then(paragraph)
        .ok_or(DocumentError::MissingSection("Objective"))?;
    let bounds = section(&body, "## Boundaries and constraints").unwrap_or_default();
    let first = bounds.iter().position(is_label);
    let loose = &bounds[..first.unwrap_or(bounds.len())];
    if let Some(text) = paragraph(loose) {
        let line = text.lines().next().unwrap_or_default();
        return Err(DocumentError::Unlabelled {
            line: line.chars().take(60).collect(),
        });
    }
    let [boundaries, constraints, if_blocked, verification, checks] =
        LABELS.map(|label| labelled(bounds, label));
    Ok(Sections {
        objective,
        success_criteria: items(
            section(&body, "## Success criteria").unwrap_or_default(),
            &BOXES,
        ),
        boundaries: items(boundaries, &[]),
        constraints: items(constraints, &[]),
        if_blocked: paragraph(if_blocked),
        verification_contract: paragraph(verification),
        checks: items(checks, &[]),
    })
}

/// The lines between `heading` and the next section.
fn section<'a, 'b>(body: &'a [&'b str], heading: &str) -> Option<&'a [&'b str]> {
    let start = body.iter().position(|line| line.trim_end() == heading)? + 1;
    let rest = &body[start..];
    let end = rest.iter().position(|line| line.starts_with("## "));
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// The lines between a label and the next one.
fn labelled<'a, 'b>(lines: &'a [&'b str], label: &str) -> &'a [&'b str] {
    let Some(at) = lines.iter().position(|line| line.trim_end() == label) else {
        return &[];
    };
    let rest = &lines[at + 1..];
    let end = rest.iter().position(is_label);
    &rest[..end.unwrap_or(rest.len())]
}

fn is_label(line: &&str) -> bool {
    LABELS.contains(&line.trim_end())
}

/// The text in these lines, unescaped; nothing when there is none.
fn paragraph(lines: &[&str]) -> Option<String> {
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty() && text != NONE_GIVEN).then(|| unescape(text).into_owned())
}

/// The items of a list, without any of these `boxes` at their beginning. A line that begins no item
/// and is not indented goes on with the item before it, as in Markdown, or begins one.
fn items(lines: &[&str], boxes: &[&str]) -> Vec<String> {
    let mut items: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        let begins = match line.trim_end() {
            "-" => Some(""),
            _ => line.strip_prefix("- "),
        };
        match (begins, items.last_mut()) {
            (Some(text), _) => {
                let unboxed = boxes.iter().find_map(|it| text.strip_prefix(it));
                items.push(vec![unboxed.unwrap_or(text)]);
            }
            (None, Some(item)) => item.push(line.strip_prefix("  ").unwrap_or(line)),
            (None, None) => items.push(vec![line]),
        }
    }
    items.iter().filter_map(|item| paragraph(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::escape::escape;
    use proptest::prelude::*;

    const OPEN: &str = include_str!("../../fixtures/documents/ours-active.md");

    #[test]
    fn a_whole_contract_is_read() {
        let contract = contract_from(OPEN).unwrap();
        let expected = Sections {
            objective: "Sort the seed catalogue.\n\n# Not a heading\n\\# Nor this".into(),
            success_criteria: vec![
                "every packet has a row".into(),
                "rows are sorted\nby family\n\nthen by name".into(),
                "# signs survive".into(),
            ],
            boundaries: vec!["the garden shed".into(), "[ ] brackets stay".into()],
            constraints: vec![],
            if_blocked: Some("Ask the gardener.\n\n- or wait".into()),
            verification_contract: Some("The list has no duplicates.".into()),
            checks: vec!["sorted".into(), "unique".into()],
        };
        assert_eq!(contract, expected);
        assert_eq!(contract_from(&OPEN.replace('\n', "\r\n")), Ok(expected));
    }

    #[test]
    fn an_empty_objective_and_loose_text_are_errors() {
        let empty = OPEN.replace("## Objective", "## Objectives");
        let missing = DocumentError::MissingSection("Objective");
        assert_eq!(contract_from(&empty), Err(missing));
        let loose = OPEN.replace("**Boundaries**", "Stay out of the pond.\n\n**Boundaries**");
        let unlabelled = DocumentError::Unlabelled {
            line: "Stay out of the pond.".into(),
        };
        assert_eq!(contract_from(&loose), Err(unlabelled));
    }

    #[test]
    fn free_hand_lists_lose_nothing() {
        let text = "---\nid: a\n---\n## Objective\nx\n## Success criteria\nplain\n- one\nlazy\n-\n- [x] two\n";
        let contract = contract_from(text).unwrap();
        assert_eq!(contract.success_criteria, ["plain", "one\nlazy", "two"]);
    }

    fn words() -> impl Strategy<Value = String> {
        "[a#\\\\][a# \\\\\\n]{0,12}[a#]"
    }

    proptest! {
        #[test]
        fn rendered_texts_are_read_back(objective in words(), items in proptest::collection::vec(words(), 0..3)) {
            let list: String = items
                .iter()
                .map(|item| format!("- [ ] {}\n", escape(item).replace('\n', "\n  ")))
                .collect();
            let text = format!(
                "---\nid: a\n---\n\n## Objective\n\n{}\n\n## Success criteria\n\n{list}\n## Notes\n",
                escape(&objective)
            );
            let contract = contract_from(&text).unwrap();
            prop_assert_eq!(contract.objective, objective);
            prop_assert_eq!(contract.success_criteria, items);
        }
    }
}
