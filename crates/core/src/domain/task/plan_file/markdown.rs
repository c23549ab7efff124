//! A plan in Markdown, whoever's habits it follows.
//!
//! | in the file | is |
//! |---|---|
//! | an item with a checkbox | a task; the mark in the box says how it stands |
//! | a heading with a checkbox | a task; the box says no more than how it stands |
//! | an item of a numbered list | a task where the file has no checkboxes |
//! | a plain bullet | a task where the file has neither of those |
//! | a heading above tasks | a task made of them |
//! | a heading, in a file without lists | a task |
//! | the only top heading, of level 1, above others | the plan's title |
//! | a heading `Tasks` that is above all tasks | nothing |
//! | other text in or below one of those | its details |
//!
//! Items below items and headings below headings are tasks below tasks. Front matter and comments are
//! no part of a plan. All else is left out, and named.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::HeadingLevel;

use super::labels::{OwnIds, own_ids, said_numbers};
use super::outline::{LineKind, Node, Outline, outline};
use super::{BoxAt, LeftOut, Plan, PlanError, extra, front};
use crate::domain::task::checkbox;
use crate::domain::task::spec::TaskGiven;
use crate::domain::task::state::TaskStatus;

/// Most bytes of details that a task keeps; a plan may hold whole files of code.
const DETAILS: usize = 2_000;

/// What one tool's habits change.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    /// How a task with this mark stands.
    pub(super) status: fn(&str) -> Option<TaskStatus>,
    /// Whether an item with a checkbox and this title is a task.
    pub(super) is_task: fn(&str) -> bool,
}

/// As most people write.
pub(super) const PLAIN: Dialect = Dialect {
    status: checkbox::status,
    is_task: |_| true,
};

/// Which items are tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tasks {
    Boxes,
    Numbered,
    Bullets,
    Headings,
}

/// Reads a plan.
///
/// # Errors
/// There is no task in it, or it nests absurdly deep.
pub(super) fn read(text: &str, dialect: &Dialect) -> Result<Plan, PlanError> {
    let (front, text, skipped) = front::split(text);
    let outline = outline(text)?;
    let mut reader = Reader {
        outline,
        dialect,
        tasks: Tasks::Headings,
        own: OwnIds::default(),
        left_out: Vec::new(),
        boxes: Vec::new(),
        path: Vec::new(),
        is_finished: false,
        odd_marks: BTreeMap::new(),
        remarks: Vec::new(),
    };
    let mut plan = reader.plan()?;
    if plan.title.is_none() {
        plan.title = front::field(front, "title").or_else(|| front::field(front, "name"));
    }
    for left in &mut plan.left_out {
        left.line += skipped + 1;
    }
    for it in &mut plan.boxes {
        it.line += skipped;
    }
    plan.left_out.sort_by_key(|left| left.line);
    Ok(plan)
}

struct Reader<'a> {
    outline: Outline<'a>,
    dialect: &'a Dialect,
    tasks: Tasks,
    own: OwnIds,
    /// With lines from 0.
    left_out: Vec<LeftOut>,
    /// With lines from 0.
    boxes: Vec<BoxAt>,
    /// A sign says that what is around is done.
    is_finished: bool,
    /// Titles of the tasks around, from the top level down.
    path: Vec<String>,
    /// Marks that the table does not have, and how many boxes have each.
    odd_marks: BTreeMap<String, usize>,
    remarks: Vec<String>,
}

impl Reader<'_> {
    fn plan(&mut self) -> Result<Plan, PlanError> {
        let nodes = std::mem::take(&mut self.outline.roots);
        let has = |is: fn(&LineKind) -> bool| nodes.iter().any(|node| node.any(is));
        self.tasks = if nodes.iter().any(|node| self.has_boxed_item(node)) {
            Tasks::Boxes
        } else if has(|kind| *kind == LineKind::Numbered) {
            Tasks::Numbered
        } else if has(|kind| *kind == LineKind::Bullet) {
            Tasks::Bullets
        } else {
            Tasks::Headings
        };
        let mut top = std::mem::take(&mut self.outline.lines);
        let numbers = said_numbers(&nodes);
        let mut nodes = self.pruned(nodes, None);
        let mut title = None;
        if let [only] = &mut nodes[..]
            && only.kind == LineKind::Heading(HeadingLevel::H1)
            && !only.below.is_empty()
            && only.mark.is_none()
        {
            title = Some(std::mem::take(&mut only.title));
            top.extend(&only.lines);
            nodes = std::mem::take(&mut only.below);
        }
        if let [only] = &mut nodes[..]
            && matches!(only.kind, LineKind::Heading(_))
            && only.title == "Tasks"
        {
            top.extend(&only.lines);
            nodes = std::mem::take(&mut only.below);
        }
        self.leave_out_lines(&top);
        self.own = own_ids(&nodes, numbers);
        let tasks: Vec<TaskGiven> = nodes.into_iter().map(|node| self.task(node)).collect();
        if tasks.is_empty() {
            return Err(PlanError::NoTasks);
        }
        self.remark();
        Ok(Plan {
            title,
            tasks,
            left_out: std::mem::take(&mut self.left_out),
            remarks: std::mem::take(&mut self.remarks),
            boxes: std::mem::take(&mut self.boxes),
            reserved: std::mem::take(&mut self.own.reserved),
            ..Plan::default()
        })
    }

    /// A box at a heading says how that heading stands, and nothing of the lists below it.
    fn has_boxed_item(&self, node: &Node) -> bool {
        let is_item = matches!(node.kind, LineKind::Checkbox(_));
        (is_item && self.is_box(node)) || node.below.iter().any(|node| self.has_boxed_item(node))
    }

    fn is_box(&self, node: &Node) -> bool {
        let has_box = matches!(node.kind, LineKind::Checkbox(_)) || node.mark.is_some();
        has_box && (self.dialect.is_task)(&node.title)
    }

    fn is_task(&self, node: &Node) -> bool {
        match self.tasks {
            Tasks::Boxes => self.is_box(node),
            Tasks::Numbered => node.kind == LineKind::Numbered || self.is_box(node),
            Tasks::Bullets => !matches!(node.kind, LineKind::Heading(_)) || self.is_box(node),
            Tasks::Headings => true,
        }
    }

    /// The tasks, and what groups them. What is neither goes into the details of what it is part of, or
    /// is left out where it is part of no task.
    fn pruned(&mut self, nodes: Vec<Node>, mut parent: Option<&mut Node>) -> Vec<Node> {
        let mut kept = Vec::with_capacity(nodes.len());
        for mut node in nodes {
            let below = std::mem::take(&mut node.below);
            node.below = self.pruned(below, Some(&mut node));
            let is_heading = matches!(node.kind, LineKind::Heading(_));
            let groups = !node.below.is_empty() && (is_heading || node.kind == LineKind::Numbered);
            if node.title.is_empty() {
                self.leave_out(&node, "an empty box");
                kept.append(&mut node.below);
            } else if groups || self.is_task(&node) {
                kept.push(node);
            } else {
                match &mut parent {
                    Some(parent) if !is_heading => {
                        parent.lines.extend(&node.title_lines);
                        parent.lines.extend(&node.lines);
                    }
                    _ => self.leave_out(&node, &node.title),
                }
                kept.append(&mut node.below);
            }
        }
        kept
    }

    /// Names the node, and what of its text is a paragraph or an item.
    fn leave_out(&mut self, node: &Node, text: &str) {
        let (line, text) = (node.line, text.to_owned());
        self.left_out.push(LeftOut { line, text });
        self.leave_out_lines(&node.lines);
    }

    fn leave_out_lines(&mut self, lines: &BTreeSet<usize>) {
        for line in self.outline.parts(lines) {
            let text = self.outline.text_of(&[line].into());
            // A rule says nothing.
            if text.contains(char::is_alphanumeric) {
                self.left_out.push(LeftOut { line, text });
            }
        }
    }

    fn task(&mut self, node: Node) -> TaskGiven {
        let (own_id, title) = match self.own.of_line.remove(&node.line) {
            Some((id, title)) => (Some(id), title),
            None => (self.repeated(&node.title), node.title),
        };
        let mut details = self.outline.text_of(&node.lines);
        if node.optional {
            details = format!("Optional.\n{details}").trim_end().to_owned();
        }
        if details.len() > DETAILS {
            let end = details.floor_char_boundary(DETAILS);
            details.truncate(end);
            let more = format!("the details of `{title}` are cut after {DETAILS} bytes");
            self.remarks.push(more);
        }
        if self.tasks == Tasks::Headings && details.lines().any(is_like_task) {
            self.remarks.push(format!(
                "`{title}` holds rows or boxes that are in no list, so they are its details; as \
                 `- [ ] …` each is a task"
            ));
        }
        let mark = match &node.kind {
            LineKind::Checkbox(mark) => Some(mark),
            _ => node.mark.as_ref(),
        };
        let (status, title) = match mark {
            Some(mark) => (self.status_of(mark), title),
            None if self.tasks == Tasks::Boxes => (TaskStatus::Pending, title),
            None => self.signed(title),
        };
        let finished = std::mem::replace(
            &mut self.is_finished,
            self.tasks != Tasks::Boxes && status == TaskStatus::Complete,
        );
        let (title, reason) = match status {
            TaskStatus::Skipped => without_reason(title),
            _ => (title, None),
        };
        let done = status == TaskStatus::Complete;
        let says = !done && status != TaskStatus::Pending;
        let mut task = TaskGiven {
            title,
            details: Some(details).filter(|it| !it.is_empty()),
            done,
            status: says.then_some(status),
            reason,
            own_id,
            ..TaskGiven::default()
        };
        match node.extra.as_ref().map(|extra| extra::with(&task, extra)) {
            None => {}
            Some(Ok(said)) => task = said,
            Some(Err(why)) => {
                let title = &task.title;
                self.remarks.push(format!(
                    "the comment of `{title}` is not what a task has, so it counts for nothing: {why}"
                ));
            }
        }
        self.path.push(task.title.clone());
        if let Some((column, length)) = node.place {
            self.boxes.push(BoxAt {
                line: node.line,
                column,
                length,
                status,
                own_id: task.own_id.clone(),
                title: task.title.clone(),
                path: self.path.clone(),
            });
        }
        task.tasks = node.below.into_iter().map(|node| self.task(node)).collect();
        self.path.pop();
        self.is_finished = finished;
        task
    }

    fn status_of(&mut self, mark: &str) -> TaskStatus {
        (self.dialect.status)(mark).unwrap_or_else(|| {
            *self.odd_marks.entry(mark.to_owned()).or_default() += 1;
            TaskStatus::Pending
        })
    }

    /// How an item without a box stands by a sign at its title, or by one at what it is part of.
    fn signed(&self, title: String) -> (TaskStatus, String) {
        match checkbox::signed(&title) {
            Some((status, rest)) => (status, rest.to_owned()),
            None if self.is_finished => (TaskStatus::Complete, title),
            None => (TaskStatus::Pending, title),
        }
    }

    /// The id that this item and another one have. It is given to neither, and to no other task.
    fn repeated(&self, title: &str) -> Option<String> {
        let mut repeated = self.own.repeated.iter();
        let first = title.split(' ').next().unwrap_or_default();
        let bare = first.trim_matches(|c| matches!(c, '[' | ']' | ':' | '.' | ')'));
        repeated.find(|id| *id == bare).cloned()
    }

    fn remark(&mut self) {
        for (mark, count) in &self.odd_marks {
            let boxes = if *count == 1 { "box" } else { "boxes" };
            self.remarks.push(format!(
                "the mark `[{mark}]` of {count} {boxes} is not known, so it counts as open"
            ));
        }
        for id in &self.own.repeated {
            self.remarks.push(format!(
                "`{id}` stands at several items, so it is no task's id"
            ));
        }
    }
}

/// Whether a line is a row of a table, or has a box and is no item.
fn is_like_task(line: &str) -> bool {
    let line = line.trim_start();
    ["|", "[ ] ", "[x] ", "[X] "]
        .iter()
        .any(|it| line.starts_with(it))
}

/// The title without a note on how its task stood: ` (skipped: why)`, ` (failed …)`, ` (blocked: why)`.
/// A task that is open again has such a note in a plan where only its box was set.
pub fn without_note(title: &str) -> &str {
    let notes = [" (skipped: ", " (failed", " (blocked: "];
    let begins = notes.iter().filter_map(|note| title.find(note)).min();
    match begins.filter(|at| *at > 0 && title.ends_with(')')) {
        Some(at) => &title[..at],
        None => title,
    }
}

/// The title without ` (skipped: why)`, as our own documents have it, and the reason.
fn without_reason(title: String) -> (String, Option<String>) {
    let said = title
        .strip_suffix(')')
        .and_then(|rest| rest.split_once(" (skipped: "));
    match said {
        Some((title, reason)) => (title.to_owned(), Some(reason.to_owned())),
        None => (title, None),
    }
}
