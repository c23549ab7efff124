//! The numbers and ids that a plan gives its items. Where one is a single item's, it becomes the id of
//! that task, so that who reads the plan can name it.

use std::collections::{BTreeMap, BTreeSet};

use super::outline::{LineKind, Node};

/// What an item's text begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Label<'a> {
    /// `1.`, `2.3`, `[TASK-12]`, `US1:`, `T001`: an id, and the title behind it.
    Id(&'a str, &'a str),
    /// `TASK-12` before other words: an id where another item has such a one, too.
    Maybe(&'a str, &'a str),
    /// `Phase 2:`: a word and a number, which stay in the title.
    Word(&'a str, &'a str),
}

/// Words that number the parts of a plan.
const PARTS: [&str; 6] = ["Task", "Phase", "Step", "Part", "Milestone", "Stage"];

/// The ids of the plan's own, by the lines of their items, and the ids that stand at several.
#[derive(Debug, Default)]
pub(super) struct OwnIds {
    /// Each with the title that is left.
    pub(super) of_line: BTreeMap<usize, (String, String)>,
    pub(super) repeated: BTreeSet<String>,
}

/// Finds them.
pub(super) fn own_ids(nodes: &[Node]) -> OwnIds {
    let mut flat = Vec::new();
    flatten(nodes, &mut flat);
    let labels: Vec<(&Node, Label<'_>)> = flat
        .iter()
        .filter_map(|node| Some((*node, label(&node.title)?)))
        .collect();
    let mut own = OwnIds::default();
    let mut said = BTreeMap::<&str, Vec<(usize, &str)>>::new();
    let mut series = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (_, label) in &labels {
        if let Label::Id(id, _) | Label::Maybe(id, _) = label {
            series.entry(letters(id)).or_default().insert(id);
        }
    }
    let is_series = |id: &str| series.get(letters(id)).is_some_and(|ids| ids.len() > 1);
    for (node, label) in &labels {
        match label {
            Label::Id(id, rest) => said.entry(id).or_default().push((node.line, rest)),
            Label::Maybe(id, rest) if is_series(id) => {
                said.entry(id).or_default().push((node.line, rest));
            }
            _ => {}
        }
    }
    for (id, items) in said {
        match &items[..] {
            [(line, rest)] => {
                let (id, rest) = (id.to_owned(), (*rest).to_owned());
                own.of_line.insert(*line, (id, rest));
            }
            _ => {
                own.repeated.insert(id.to_owned());
            }
        }
    }
    let numbered = flat.iter().filter_map(|node| {
        let is_item = matches!(node.kind, LineKind::Checkbox(_) | LineKind::Numbered);
        let number = node.number.as_deref().filter(|_| is_item)?;
        Some((*node, number))
    });
    own.add_all(&numbered.collect::<Vec<_>>());
    for word in PARTS {
        let parts = labels.iter().filter_map(|(node, label)| match label {
            Label::Word(of, number) if *of == word => Some((*node, *number)),
            _ => None,
        });
        own.add_all(&parts.collect::<Vec<_>>());
    }
    own
}

impl OwnIds {
    /// Numbers that are all of one kind, where each of them is one item's alone.
    fn add_all(&mut self, numbers: &[(&Node, &str)]) {
        let mut taken: BTreeSet<&str> = self.of_line.values().map(|(id, _)| &**id).collect();
        taken.extend(self.repeated.iter().map(String::as_str));
        let unique = numbers.iter().all(|(_, number)| taken.insert(number));
        if !unique {
            return;
        }
        for (node, number) in numbers {
            let title = node.title.clone();
            let own = ((*number).to_owned(), title);
            self.of_line.entry(node.line).or_insert(own);
        }
    }
}

fn flatten<'a>(nodes: &'a [Node], flat: &mut Vec<&'a Node>) {
    for node in nodes {
        // A comment of ours says its id.
        if node
            .extra
            .as_ref()
            .is_none_or(|extra| !extra.contains_key("id"))
        {
            flat.push(node);
        }
        flatten(&node.below, flat);
    }
}

/// An id without its last digits.
fn letters(id: &str) -> &str {
    id.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn label(title: &str) -> Option<Label<'_>> {
    let (first, rest) = title.split_once(' ')?;
    if let Some(inside) = first.strip_prefix('[') {
        let inside = inside.trim_end_matches(':').strip_suffix(']')?;
        return (is_code(inside) || is_number(inside)).then_some(Label::Id(inside, rest));
    }
    let bare = first.trim_end_matches([':', '.', ')']);
    let is_marked = bare.len() + 1 == first.len();
    if is_number(bare) && (is_marked || (bare == first && bare.contains('.'))) {
        return Some(Label::Id(bare, rest));
    }
    if is_code(bare) && (is_marked && first.ends_with(':')) {
        return Some(Label::Id(bare, rest));
    }
    if is_code(first) {
        let digits = first.trim_start_matches('T');
        let is_task = first.len() == digits.len() + 1 && digits.len() >= 3 && is_digits(digits);
        return Some(match is_task {
            true => Label::Id(first, rest),
            false => Label::Maybe(first, rest),
        });
    }
    let (number, _) = rest.split_once(' ')?;
    let word = PARTS.iter().find(|word| word.eq_ignore_ascii_case(first))?;
    let bare = number.trim_end_matches([':', '.', ')']);
    (is_number(bare) && bare != number).then_some(Label::Word(word, bare))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// `3`, `2.10`: what people number with.
fn is_number(text: &str) -> bool {
    let short = |part: &str| is_digits(part) && part.len() <= 3;
    text.split('.').all(short)
}

/// `T001`, `TASK-12`, `us_3`: letters, and digits behind them.
fn is_code(text: &str) -> bool {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let named = text.len() - letters.len();
    let digits = letters.strip_prefix(['-', '_']).unwrap_or(letters);
    (1..=12).contains(&named) && digits.split('.').all(is_digits) && digits.len() <= 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_told_from_a_word() {
        for (title, id, rest) in [
            ("1. Set up", "1", "Set up"),
            ("2) Set up", "2", "Set up"),
            ("2.3 Write", "2.3", "Write"),
            ("2.3. Write", "2.3", "Write"),
            ("T001 [P] Write", "T001", "[P] Write"),
            ("[TASK-12] Write", "TASK-12", "Write"),
            ("[1.2]: Write", "1.2", "Write"),
            ("US-3: Write", "US-3", "Write"),
        ] {
            assert_eq!(label(title), Some(Label::Id(id, rest)), "{title}");
        }
        for title in [
            "3 retries on failure",
            "2024. Look back",
            "1.",
            "a. Set up",
            "feat: Write",
            "[P] Write",
            "http://x y",
            "Task force",
            "Phase 2",
        ] {
            assert_eq!(label(title), None, "{title}");
        }
        assert_eq!(label("UTF-8 in"), Some(Label::Maybe("UTF-8", "in")));
        assert_eq!(label("phase 2: Build"), Some(Label::Word("Phase", "2")));
    }
}
