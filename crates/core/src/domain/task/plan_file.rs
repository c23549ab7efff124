//! Plan files: what people write in Markdown, as tasks.
//!
//! | in the file | is |
//! |---|---|
//! | an item with a checkbox, or of a numbered list | a task; `[x]` means done |
//! | a plain bullet | a task where the file has neither of those, else a remark |
//! | a heading above tasks | a task made of them |
//! | a heading, in a file without lists | a task |
//! | the only top heading, of level 1, above others | the plan's title |
//!
//! Items below items and headings below headings are tasks below tasks. All else is left out.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::domain::task::spec::TaskGiven;

/// Deepest nesting that is read; what is this deep is no plan.
const DEEPEST: usize = 64;

/// What a plan file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Without ids; in the order of the file.
    pub tasks: Vec<TaskGiven>,
    /// How many list items are no tasks.
    pub left_out: usize,
}

/// Why a text is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("there is no task in it")]
    NoTasks,
    #[error("its lists nest deeper than {DEEPEST} levels")]
    TooDeep,
}

/// Reads a plan. Any text is read; most is no plan.
///
/// # Errors
/// There is no task in it, or it nests absurdly deep.
pub fn read(text: &str) -> Result<Plan, PlanError> {
    let mut nodes = outline(text)?;
    let mut left_out = 0;
    let has = |kind: fn(&LineKind) -> bool| nodes.iter().any(|node| node.any(kind));
    if has(|kind| matches!(kind, LineKind::Checkbox(_) | LineKind::Numbered)) {
        nodes = without_remarks(nodes, &mut left_out);
    }
    if nodes.iter().any(|node| node.any(LineKind::is_item)) {
        nodes.retain(|node| node.any(LineKind::is_item));
        nodes.iter_mut().for_each(Node::drop_bare_headings);
    }
    let mut title = None;
    if let [only] = &mut nodes[..]
        && only.kind == LineKind::Heading(HeadingLevel::H1)
        && !only.below.is_empty()
    {
        title = Some(std::mem::take(&mut only.title));
        nodes = std::mem::take(&mut only.below);
    }
    let tasks: Vec<TaskGiven> = nodes.into_iter().map(Node::into_task).collect();
    if tasks.is_empty() {
        return Err(PlanError::NoTasks);
    }
    Ok(Plan {
        title,
        tasks,
        left_out,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Heading(HeadingLevel),
    Checkbox(bool),
    Numbered,
    Bullet,
}

impl LineKind {
    fn is_item(&self) -> bool {
        !matches!(self, LineKind::Heading(_))
    }
}

#[derive(Debug)]
struct Node {
    kind: LineKind,
    title: String,
    below: Vec<Node>,
}

impl Node {
    fn any(&self, kind: fn(&LineKind) -> bool) -> bool {
        kind(&self.kind) || self.below.iter().any(|node| node.any(kind))
    }

    fn drop_bare_headings(&mut self) {
        self.below.retain(|node| node.any(LineKind::is_item));
        self.below.iter_mut().for_each(Node::drop_bare_headings);
    }

    fn into_task(self) -> TaskGiven {
        TaskGiven {
            title: self.title,
            done: self.kind == LineKind::Checkbox(true),
            tasks: self.below.into_iter().map(Node::into_task).collect(),
            ..TaskGiven::default()
        }
    }
}

/// Takes plain bullets out; tasks below them move up.
fn without_remarks(nodes: Vec<Node>, left_out: &mut usize) -> Vec<Node> {
    let mut kept = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        node.below = without_remarks(node.below, left_out);
        if node.kind == LineKind::Bullet {
            *left_out += 1;
            kept.append(&mut node.below);
        } else {
            kept.push(node);
        }
    }
    kept
}

/// A node that is being read.
struct Open {
    node: Node,
    /// Inline text still belongs to the title.
    titled: bool,
}

/// Headings and list items, each below what it belongs to.
struct Outline {
    roots: Vec<Node>,
    /// Headings, then items, from the outside in.
    open: Vec<Open>,
    /// Whether the lists around are numbered.
    lists: Vec<bool>,
    /// Blocks around whose text is no title: quotes, code, tables, footnotes.
    aside: usize,
}

fn outline(text: &str) -> Result<Vec<Node>, PlanError> {
    let mut outline = Outline {
        roots: Vec::new(),
        open: Vec::new(),
        lists: Vec::new(),
        aside: 0,
    };
    for event in Parser::new_ext(text, Options::ENABLE_TASKLISTS) {
        outline.take(event)?;
    }
    outline.close_while(|_| true);
    Ok(outline.roots)
}

impl Outline {
    fn take(&mut self, event: Event<'_>) -> Result<(), PlanError> {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                self.end_title();
                self.aside += 1;
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock) => {
                self.aside = self.aside.saturating_sub(1);
            }
            // What is quoted is no plan.
            _ if self.aside > 0 => {}
            Event::Start(Tag::Heading { level, .. }) if self.lists.is_empty() => {
                self.close_while(|kind| matches!(kind, LineKind::Heading(open) if *open >= level));
                self.begin(LineKind::Heading(level))?;
            }
            Event::Start(Tag::List(number)) => {
                self.end_title();
                self.lists.push(number.is_some());
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) => {
                let numbered = self.lists.last() == Some(&true);
                self.begin(if numbered {
                    LineKind::Numbered
                } else {
                    LineKind::Bullet
                })?;
            }
            Event::End(TagEnd::Item) => self.close(),
            Event::TaskListMarker(done) => {
                if let Some(open) = self.open.last_mut() {
                    open.node.kind = LineKind::Checkbox(done);
                }
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => self.end_title(),
            Event::Text(text) | Event::InlineHtml(text) => self.say(&text),
            Event::Code(code) => self.say(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, kind: LineKind) -> Result<(), PlanError> {
        if self.open.len() >= DEEPEST {
            return Err(PlanError::TooDeep);
        }
        self.open.push(Open {
            node: Node {
                kind,
                title: String::new(),
                below: Vec::new(),
            },
            titled: true,
        });
        Ok(())
    }

    fn say(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut()
            && open.titled
        {
            open.node.title.push_str(text);
        }
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
        let siblings = match self.open.last_mut() {
            Some(open) => &mut open.node.below,
            None => &mut self.roots,
        };
        if node.title.is_empty() {
            siblings.append(&mut node.below);
        } else {
            siblings.push(node);
        }
    }
}

#[cfg(test)]
mod tests;
