//! The numbers and ids that a plan gives its items. Where one is a single item's, it becomes the id of
//! that task, so that who reads the plan can name it.

use std::collections::{BTreeMap, BTreeSet};

use super::outline::{LineKind, Node};

/// What an item's text begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Label<'a> {
    /// `1.`, `2.3`, `[TASK-12]`, `US1:`, `T001`: an id, and the title behind it.
    Id(&'a str, &'a str),
    /// `TASK-12` before other words, `F1.`: an id where another item has such a one, too.
    Maybe(&'a str, &'a str),
    /// `1 Build`: an id where another item is `1.1`. Else it is a number in a sentence.
    Bare(&'a str, &'a str),
    /// `#12`: a number that stays in the title.
    Said(&'a str),
    /// `Phase 2:`, `Phase 2 —`: a word and a number, which stay in the title.
    Word(&'a str, &'a str),
}

/// Words that number the parts of a plan.
const PARTS: [&str; 6] = ["Task", "Phase", "Step", "Part", "Milestone", "Stage"];

/// What can stand between a number and a title.
const DASHES: [char; 3] = ['-', '–', '—'];

/// The ids of the plan's own, by the lines of their items, and the ids that stand at several.
#[derive(Debug, Default)]
pub(super) struct OwnIds {
    /// Each with the title that is left.
    pub(super) of_line: BTreeMap<usize, (String, String)>,
    pub(super) repeated: BTreeSet<String>,
    /// Numbers that the plan gives to what is no task, or to several items: no task is numbered so.
    pub(super) reserved: BTreeSet<String>,
}

/// Finds them in what is left of a plan whose headings and boxes say these numbers.
pub(super) fn own_ids(nodes: &[Node], said_numbers: BTreeSet<String>) -> OwnIds {
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
    let numbers_others = |number: &str| {
        let mut others = labels.iter().filter_map(|(_, label)| match label {
            Label::Id(id, _) => id.strip_prefix(number),
            _ => None,
        });
        others.any(|rest| rest.starts_with('.'))
    };
    for (node, label) in &labels {
        match label {
            Label::Id(id, rest) => said.entry(id).or_default().push((node.line, rest)),
            Label::Maybe(id, rest) if is_series(id) => {
                said.entry(id).or_default().push((node.line, rest));
            }
            Label::Bare(id, rest) if numbers_others(id) => {
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
    let mut numbered = Vec::new();
    own.list_numbers(nodes, None, &mut numbered);
    // What a heading calls so is rather meant than an item of a list in its text.
    let is_other = |(node, number): &(&Node, String)| {
        node.kind == LineKind::Numbered && said_numbers.contains(number)
    };
    match numbered.iter().any(is_other) {
        true => own.reserve(numbered),
        false => own.add_all(numbered),
    }
    for word in PARTS {
        let parts = labels.iter().filter_map(|(node, label)| match label {
            Label::Word(of, number) if *of == word => Some((*node, (*number).to_owned())),
            _ => None,
        });
        own.add_all(parts.collect());
    }
    own.reserved.extend(said_numbers);
    let given: BTreeSet<&String> = own.of_line.values().map(|(id, _)| id).collect();
    let known = |number: &String| given.contains(number) || own.repeated.contains(number);
    own.reserved.retain(|number| !known(number));
    own
}

/// The numbers and ids that headings and boxes say of themselves.
pub(super) fn said_numbers(nodes: &[Node]) -> BTreeSet<String> {
    let mut flat = Vec::new();
    flatten(nodes, &mut flat);
    let counts = |node: &&&Node| matches!(node.kind, LineKind::Heading(_) | LineKind::Checkbox(_));
    let numbers = flat
        .iter()
        .filter(counts)
        .filter_map(|node| match label(&node.title)? {
            Label::Id(id, _) | Label::Bare(id, _) => Some(id.to_owned()),
            Label::Word(_, number) | Label::Said(number) => Some(number.to_owned()),
            Label::Maybe(..) => None,
        });
    numbers.collect()
}

impl OwnIds {
    /// The numbers that lists give their items. In a list below a numbered item, `2.` is `1.2`.
    fn list_numbers<'a>(
        &self,
        nodes: &'a [Node],
        above: Option<&str>,
        numbers: &mut Vec<(&'a Node, String)>,
    ) {
        for node in nodes {
            let is_item = matches!(node.kind, LineKind::Checkbox(_) | LineKind::Numbered);
            let counts = is_item && !has_id(node);
            let number = node.number.as_ref().filter(|_| counts);
            let number = number.map(|number| match above {
                Some(above) => format!("{above}.{number}"),
                None => number.clone(),
            });
            let said = self.of_line.get(&node.line).map(|(id, _)| id);
            let said = said.filter(|id| is_number(id)).cloned();
            if let Some(number) = &number {
                numbers.push((node, number.clone()));
            }
            self.list_numbers(&node.below, said.or(number).as_deref(), numbers);
        }
    }

    fn reserve(&mut self, numbers: Vec<(&Node, String)>) {
        let numbers = numbers.into_iter().map(|(_, number)| number);
        self.reserved.extend(numbers);
    }

    /// Numbers that are all of one kind, where each of them is one item's alone.
    fn add_all(&mut self, numbers: Vec<(&Node, String)>) {
        let mut taken: BTreeSet<&str> = self.of_line.values().map(|(id, _)| &**id).collect();
        taken.extend(self.repeated.iter().map(String::as_str));
        let unique = numbers.iter().all(|(_, number)| taken.insert(number));
        if !unique {
            return self.reserve(numbers);
        }
        for (node, number) in numbers {
            let own = (number, node.title.clone());
            self.of_line.entry(node.line).or_insert(own);
        }
    }
}

/// Whether a comment of ours says its id.
fn has_id(node: &Node) -> bool {
    let extra = node.extra.as_ref();
    extra.is_some_and(|extra| extra.contains_key("id"))
}

fn flatten<'a>(nodes: &'a [Node], flat: &mut Vec<&'a Node>) {
    for node in nodes {
        if !has_id(node) {
            flat.push(node);
        }
        flatten(&node.below, flat);
    }
}

/// An id without its last numbers.
fn letters(id: &str) -> &str {
    id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

fn label(title: &str) -> Option<Label<'_>> {
    let (first, rest) = title.split_once(' ')?;
    if let Some(inside) = first.strip_prefix('[') {
        let inside = inside.trim_end_matches(':').strip_suffix(']')?;
        return (is_code(inside) || is_number(inside)).then_some(Label::Id(inside, rest));
    }
    let inside = first.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    let first = inside.unwrap_or(first);
    let bare = first.trim_end_matches([':', '.', ')']);
    let is_marked = bare.len() + 1 == first.len();
    if is_number(bare) && (is_marked || (bare == first && bare.contains('.'))) {
        return Some(Label::Id(bare, rest));
    }
    if is_number(first) {
        let behind = rest
            .strip_prefix(DASHES)
            .and_then(|it| it.strip_prefix(' '));
        return Some(match behind {
            Some(behind) => Label::Id(first, behind),
            None => Label::Bare(first, rest),
        });
    }
    if let Some(number) = first.strip_prefix('#') {
        return is_number(number).then_some(Label::Said(number));
    }
    if is_code(bare) && is_marked {
        return Some(match first.ends_with(':') {
            true => Label::Id(bare, rest),
            false => Label::Maybe(bare, rest),
        });
    }
    if is_code(first) {
        let digits = first.trim_start_matches('T');
        let is_task = first.len() == digits.len() + 1 && digits.len() >= 3 && is_digits(digits);
        return Some(match is_task {
            true => Label::Id(first, rest),
            false => Label::Maybe(first, rest),
        });
    }
    let (number, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    let word = PARTS.iter().find(|word| word.eq_ignore_ascii_case(first))?;
    let bare = number.trim_end_matches([':', '.', ')']);
    // `Phase 2 of three` is a sentence.
    let is_apart = bare != number || behind.is_empty() || behind.starts_with(DASHES);
    (is_number(bare) && is_apart).then_some(Label::Word(word, bare))
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
            ("3 - Write", "3", "Write"),
            ("`1.2` Write", "1.2", "Write"),
        ] {
            assert_eq!(label(title), Some(Label::Id(id, rest)), "{title}");
        }
        for title in [
            "2024. Look back",
            "1.",
            "a. Set up",
            "feat: Write",
            "[P] Write",
            "http://x y",
            "Task force",
            "Phase 2 of three",
        ] {
            assert_eq!(label(title), None, "{title}");
        }
        assert_eq!(label("UTF-8 in"), Some(Label::Maybe("UTF-8", "in")));
        assert_eq!(label("F1. in"), Some(Label::Maybe("F1", "in")));
        assert_eq!(label("3 retries"), Some(Label::Bare("3", "retries")));
        assert_eq!(label("#3 retries"), Some(Label::Said("3")));
        for title in [
            "phase 2: Build",
            "Phase 2",
            "PHASE 2 — Build",
            "Phase 2 - Build",
        ] {
            assert_eq!(label(title), Some(Label::Word("Phase", "2")), "{title}");
        }
    }
}
