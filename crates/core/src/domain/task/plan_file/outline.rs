//! A Markdown text as an outline: headings and list items, each below what it belongs to, with the
//! lines of text that belong to it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::{PlanError, extra};
use crate::domain::task::checkbox;

/// Deepest nesting that is read; what is this deep is no plan.
pub(super) const DEEPEST: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineKind {
    Heading(HeadingLevel),
    /// An item with a checkbox, and the mark in it.
    Checkbox(String),
    Numbered,
    Bullet,
}

/// A heading or a list item.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: LineKind,
    /// Its first paragraph as plain text, in one line.
    pub(super) title: String,
    /// The number that a numbered list gives it.
    pub(super) number: Option<String>,
    /// Which list it is in, and at which place, from 0.
    in_list: Option<(usize, u64)>,
    /// Where what is in its box begins in its line, and how long that is, in bytes.
    pub(super) place: Option<(usize, usize)>,
    /// What is in the box of a heading.
    pub(super) mark: Option<String>,
    /// Its box has a star behind it.
    pub(super) optional: bool,
    /// Index of the line where it begins.
    pub(super) line: usize,
    /// Lines of its title, and of other text in it that is in no item below it.
    pub(super) title_lines: BTreeSet<usize>,
    pub(super) lines: BTreeSet<usize>,
    /// What a comment of ours says of it.
    pub(super) extra: Option<extra::Extra>,
    pub(super) below: Vec<Node>,
}

impl Node {
    pub(super) fn any(&self, is: impl Fn(&LineKind) -> bool + Copy) -> bool {
        is(&self.kind) || self.below.iter().any(|node| node.any(is))
    }
}

/// What a text is made of.
pub(super) struct Outline<'a> {
    text: &'a str,
    all_lines: Vec<&'a str>,
    /// Where each line begins.
    starts: Vec<usize>,
    pub(super) roots: Vec<Node>,
    /// Lines of text that belong to no heading and no item.
    pub(super) lines: BTreeSet<usize>,
    /// Headings, then items, from the outside in.
    open: Vec<Open>,
    /// The lists around, from the outside in.
    lists: Vec<List>,
    /// How many lists there were.
    lists_read: usize,
    /// Lists whose items all have the same number, with that number.
    uniform: BTreeMap<usize, u64>,
    /// How far the text was said already.
    said: usize,
    /// Blocks around whose text is no title: quotes, code, tables, footnotes.
    aside: usize,
}

/// A list that is being read.
struct List {
    is_numbered: bool,
    /// Which list of the text it is.
    id: usize,
    items: u64,
    /// The number of its first item.
    first: Option<String>,
    /// All of its items have this number so far.
    is_uniform: bool,
}

/// A node that is being read.
struct Open {
    node: Node,
    /// Inline text still belongs to the title.
    titled: bool,
    /// Where the text of the item begins, behind its marker and box.
    begins: usize,
}

/// Reads the outline.
///
/// # Errors
/// It nests absurdly deep.
pub(super) fn outline(text: &str) -> Result<Outline<'_>, PlanError> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    let mut outline = Outline {
        text,
        all_lines: text.lines().collect(),
        starts: std::iter::once(0).chain(breaks).collect(),
        roots: Vec::new(),
        lines: BTreeSet::new(),
        open: Vec::new(),
        lists: Vec::new(),
        lists_read: 0,
        uniform: BTreeMap::new(),
        said: 0,
        aside: 0,
    };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        outline.take(event, range)?;
    }
    outline.close_while(|_| true);
    number_by_place(&mut outline.roots, &outline.uniform);
    Ok(outline)
}

impl Outline<'_> {
    /// The text of these lines without the indentation that all of them have. Where only blank lines
    /// are between two of them, one blank line is.
    pub(super) fn text_of(&self, lines: &BTreeSet<usize>) -> String {
        let line = |at: usize| self.all_lines.get(at).copied().unwrap_or_default();
        let white = |at: usize| line(at).trim().is_empty();
        let indent = |at: &usize| line(*at).len() - line(*at).trim_start().len();
        let common = lines.iter().filter(|at| !white(**at)).map(indent).min();
        let mut text = String::new();
        let mut before: Option<usize> = None;
        for at in lines {
            let gap = before.is_some_and(|before| before + 1 < *at && (before + 1..*at).all(white));
            if gap {
                text.push('\n');
            }
            // Indentation can be of wider spaces, of which a part cannot be cut.
            let kept = line(*at).get(common.unwrap_or(0)..);
            let kept = kept.unwrap_or_else(|| line(*at).trim_start());
            text.push_str(kept.trim_end());
            text.push('\n');
            before = Some(*at);
        }
        text.trim_matches('\n').to_owned()
    }

    /// The first of these lines, and of each run of lines that follow each other; and each that begins
    /// an item.
    pub(super) fn parts(&self, lines: &BTreeSet<usize>) -> Vec<usize> {
        let begins = |at: &&usize| {
            let line = self.all_lines.get(**at).copied().unwrap_or_default();
            let text = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
            let is_item = ["- ", "* ", "+ ", ". ", ") "];
            is_item.iter().any(|it| text.starts_with(it))
                || **at == 0
                || !lines.contains(&(**at - 1))
        };
        lines.iter().filter(begins).copied().collect()
    }

    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let end = range.start + text.trim_end().len();
        let last = end.max(range.start + 1) - 1;
        self.line_at(range.start)..self.line_at(last) + 1
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), PlanError> {
        match event {
            Event::Start(
                Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_),
            ) => {
                self.end_title();
                if self.aside == 0 {
                    self.block(&range);
                }
                self.aside += 1;
            }
            Event::End(
                TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Table,
            ) => self.aside = self.aside.saturating_sub(1),
            // What is quoted is no plan.
            _ if self.aside > 0 => {}
            Event::Start(Tag::Heading { level, .. }) if self.lists.is_empty() => {
                self.close_while(|kind| matches!(kind, LineKind::Heading(open) if *open >= level));
                self.heading(level, &range)?;
            }
            // What a definition elsewhere makes a link is in the title as it is written.
            Event::Start(Tag::Link {
                link_type: LinkType::Shortcut,
                ..
            }) => {
                let text = self.text;
                self.say(text.get(range.clone()).unwrap_or_default(), &range);
                self.said = range.end;
            }
            Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::InlineHtml(_)
                if range.start < self.said => {}
            Event::Start(Tag::Paragraph) if !self.is_titled() => self.block(&range),
            Event::Start(Tag::List(number)) => {
                self.end_title();
                self.lists.push(List {
                    is_numbered: number.is_some(),
                    id: self.lists_read,
                    items: 0,
                    first: None,
                    is_uniform: true,
                });
                self.lists_read += 1;
            }
            Event::End(TagEnd::List(_)) => self.end_list(),
            Event::Start(Tag::Item) => self.item(&range)?,
            Event::End(TagEnd::Item) => self.close(),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => self.end_title(),
            Event::InlineHtml(text) if text.starts_with("<!--") => self.comment(&text),
            Event::Text(text) | Event::InlineHtml(text) => self.say(&text, &range),
            Event::Code(code) => self.say(&format!("`{code}`"), &range),
            Event::SoftBreak | Event::HardBreak => self.say(" ", &range),
            _ => {}
        }
        Ok(())
    }

    /// A heading, which can have a box.
    fn heading(&mut self, level: HeadingLevel, range: &Range<usize>) -> Result<(), PlanError> {
        let whole = self.text.get(range.clone()).unwrap_or_default();
        let text = whole.trim_start_matches([' ', '#']);
        let at = range.start + whole.len() - text.len();
        let head = Head::boxed(text, None, 0);
        // Headings have other things in brackets, too.
        let is_box = head
            .mark
            .is_some_and(|mark| checkbox::status(mark).is_some())
            && !text[head.length..].trim().is_empty();
        if !is_box {
            return self.begin(LineKind::Heading(level), range.start, range.start);
        }
        self.begin(LineKind::Heading(level), range.start, at + head.length)?;
        let start = self.starts[self.line_at(at)];
        let place = head
            .inside
            .map(|(from, length)| (at + from - start, length));
        let mark = head.mark.map(str::to_owned);
        if let Some(open) = self.open.last_mut() {
            open.node.place = place;
            open.node.mark = mark;
        }
        Ok(())
    }

    fn item(&mut self, range: &Range<usize>) -> Result<(), PlanError> {
        // The range of an indented item begins at its spaces.
        let whole = self.text.get(range.clone()).unwrap_or_default();
        let text = whole.trim_start();
        let at = range.start + whole.len() - text.len();
        let head = Head::of(text);
        let is_numbered = self.lists.last().is_some_and(|list| list.is_numbered);
        let kind = match (head.mark, is_numbered) {
            (Some(mark), _) => LineKind::Checkbox(mark.to_owned()),
            (None, true) => LineKind::Numbered,
            (None, false) => LineKind::Bullet,
        };
        let (number, optional) = (head.number.map(str::to_owned), head.optional);
        let start = self.starts[self.line_at(at)];
        let inside = head
            .inside
            .map(|(from, length)| (at + from - start, length));
        let in_list = self.lists.last_mut().map(|list| list.count(&number));
        self.begin(kind, at, at + head.length)?;
        if let Some(open) = self.open.last_mut() {
            open.node.number = number;
            open.node.in_list = in_list;
            open.node.place = inside;
            open.node.optional = optional;
        }
        Ok(())
    }

    fn end_list(&mut self) {
        let Some(list) = self.lists.pop() else {
            return;
        };
        let number = list.first.and_then(|number| number.parse().ok());
        if let Some(number) = number
            && list.is_uniform
            && list.items > 1
        {
            self.uniform.insert(list.id, number);
        }
    }

    fn begin(&mut self, kind: LineKind, at: usize, begins: usize) -> Result<(), PlanError> {
        if self.open.len() >= DEEPEST {
            return Err(PlanError::TooDeep);
        }
        let line = self.line_at(at);
        self.open.push(Open {
            node: Node {
                kind,
                title: String::new(),
                number: None,
                in_list: None,
                place: None,
                mark: None,
                optional: false,
                line,
                title_lines: BTreeSet::from([line]),
                lines: BTreeSet::new(),
                extra: None,
                below: Vec::new(),
            },
            titled: true,
            begins,
        });
        Ok(())
    }

    fn is_titled(&self) -> bool {
        self.open.last().is_some_and(|open| open.titled)
    }

    /// Text that is no title belongs to what is open.
    fn block(&mut self, range: &Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or_default().trim();
        if text.starts_with("<!--") && text.ends_with("-->") {
            return self.comment(text);
        }
        let lines = self.lines_of(range);
        match self.open.last_mut() {
            Some(open) => open.node.lines.extend(lines),
            None => self.lines.extend(lines),
        }
    }

    /// A comment says nothing, but for one of ours.
    fn comment(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut()
            && let Some(extra) = extra::of_comment(text)
        {
            open.node.extra = Some(extra);
        }
    }

    fn say(&mut self, text: &str, range: &Range<usize>) {
        let lines = self.lines_of(range);
        let Some(open) = self.open.last_mut() else {
            return;
        };
        if !open.titled {
            open.node.lines.extend(lines);
            return;
        }
        let hidden = open.begins.saturating_sub(range.start);
        if hidden > 0 {
            let said = (text.len() == range.len()).then(|| text.get(hidden..));
            open.node.title.push_str(said.flatten().unwrap_or_default());
        } else {
            open.node.title.push_str(text);
        }
        open.node.title_lines.extend(lines);
    }

    fn end_title(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.titled = false;
        }
    }

    fn close_while(&mut self, closes: impl Fn(&LineKind) -> bool) {
        while self.open.last().is_some_and(|it| closes(&it.node.kind)) {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(Open { mut node, .. }) = self.open.pop() else {
            return;
        };
        let words: Vec<&str> = node.title.split_whitespace().collect();
        node.title = words.join(" ");
        let (siblings, lines) = match self.open.last_mut() {
            Some(open) => (&mut open.node.below, &mut open.node.lines),
            None => (&mut self.roots, &mut self.lines),
        };
        let is_box = matches!(node.kind, LineKind::Checkbox(_));
        if node.title.is_empty() && !is_box {
            // Its text belongs to what is around it.
            lines.append(&mut node.lines);
            siblings.append(&mut node.below);
        } else {
            siblings.push(node);
        }
    }
}

impl List {
    /// Takes the number of one more item. Which list that is in, and at which place.
    fn count(&mut self, number: &Option<String>) -> (usize, u64) {
        let place = self.items;
        match place {
            0 => self.first.clone_from(number),
            _ => self.is_uniform &= self.first == *number,
        }
        self.items += 1;
        (self.id, place)
    }
}

/// Numbers the items of lists whose items all have one number (`1. 1. 1.`): Markdown counts them on from
/// that number.
fn number_by_place(nodes: &mut [Node], uniform: &BTreeMap<usize, u64>) {
    for node in nodes {
        if let Some((list, place)) = node.in_list
            && let Some(first) = uniform.get(&list)
        {
            node.number = Some((first + place).to_string());
        }
        number_by_place(&mut node.below, uniform);
    }
}

/// What stands before the text of an item.
struct Head<'a> {
    number: Option<&'a str>,
    /// What is in its box; nothing without a box.
    mark: Option<&'a str>,
    /// Where that begins, and how long it is.
    inside: Option<(usize, usize)>,
    optional: bool,
    /// How many bytes all that has.
    length: usize,
}

impl Head<'_> {
    fn of(item: &str) -> Head<'_> {
        let digits = item.len() - item.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = Some(&item[..digits]).filter(|it| !it.is_empty());
        let marker = digits + usize::from(item.len() > digits);
        Head::boxed(item, number, marker)
    }

    /// The same of a text whose marker has so many bytes.
    fn boxed<'a>(item: &'a str, number: Option<&'a str>, marker: usize) -> Head<'a> {
        let behind = item.get(marker..).unwrap_or_default();
        let white = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let none = Head {
            number,
            mark: None,
            inside: None,
            optional: false,
            length: 0,
        };
        let Some(inside) = behind[white..].strip_prefix('[') else {
            return none;
        };
        let Some((mark, rest)) = inside.split_once(']') else {
            return none;
        };
        let (optional, rest) = match rest.strip_prefix('*') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let inside = Some((marker + white + 1, mark.len()));
        // A mark can be shown as a picture.
        let mark = mark.trim_end_matches('\u{fe0f}').trim();
        let is_mark = mark.chars().count() <= 1 || checkbox::status(mark).is_some();
        if !is_mark || !(rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            return none;
        }
        let mark = if mark.is_empty() { " " } else { mark };
        Head {
            number,
            mark: Some(mark),
            inside,
            optional,
            length: item.len() - rest.len(),
        }
    }
}
