//! Plan files: what people and other tools write, as tasks. [`formats`] has what is read.

mod backlog;
mod beads;
mod document;
mod extra;
pub mod formats;
mod front;
mod goals;
mod json;
mod kiro;
mod labels;
mod markdown;
mod openspec;
mod outline;
mod own;
mod prd;
mod settle;
mod spec_kit;
mod sync;
mod task_master;
mod todos;
mod write;

pub use document::instead_of_note;
pub use formats::{FORMATS, Format, Source};
pub use goals::{Queue, apart};
pub use markdown::without_note;
pub use spec_kit::without_order;
pub use sync::{BoxSet, Synced, sync};
pub use write::Written;

use std::collections::BTreeSet;

use crate::domain::redact::redact;
use crate::domain::task::spec::{Decomposition, TaskGiven};
use crate::domain::task::state::TaskStatus;

/// What a plan file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// In the order of the file.
    pub tasks: Vec<TaskGiven>,
    /// What our own JSON says of all of them.
    pub decomp: Option<Decomposition>,
    pub block_completion: Option<bool>,
    /// What of it is no task and no part of one, in the order of the file.
    pub left_out: Vec<LeftOut>,
    /// What was read in another way than its writer may think.
    pub remarks: Vec<String>,
    /// Numbers that it gives to what is no task, or to several items: no task is to be numbered so.
    pub reserved: BTreeSet<String>,
    /// Where the boxes of its tasks are, in the order of the file.
    boxes: Vec<BoxAt>,
}

/// The box of a task in a plan file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BoxAt {
    /// From 0.
    line: usize,
    /// Where what is in its brackets begins in that line, and how long that is, in bytes.
    column: usize,
    length: usize,
    status: TaskStatus,
    own_id: Option<String>,
    title: String,
    /// Titles from the top level down to its own.
    path: Vec<String>,
}

/// A part of a plan file that is no task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// From 1; 0 where the format has no lines.
    pub line: usize,
    /// What it begins with.
    pub text: String,
}

/// Why a text is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("there is no task in it")]
    NoTasks,
    #[error("its lists nest deeper than {} levels", outline::DEEPEST)]
    TooDeep,
    #[error("it is not in the format `{format}`: {why}")]
    OtherFormat { format: &'static str, why: String },
    #[error("{0}")]
    Json(String),
}

/// Reads a plan in this format; [`formats::of`] says which one a file has. What looks like a secret is
/// left out at once, so that no message can show it.
///
/// # Errors
/// There is no task in it, it nests absurdly deep, or it is in another format.
pub fn read_as(source: &Source<'_>, format: &Format) -> Result<Plan, PlanError> {
    let ends = source.text.contains('\r').then(|| {
        let text = source.text.replace("\r\n", "\n");
        text.replace('\r', "\n")
    });
    let text = ends.as_deref().unwrap_or(source.text);
    let mut plan = (format.read)(&Source { text, ..*source })?;
    if !format.is_ours {
        settle::settle(&mut plan);
    }
    // A list of none is a list.
    if plan.tasks.is_empty() && format.name != "json" {
        return Err(PlanError::NoTasks);
    }
    // Most plans hold none, and one look at all of it is quicker than one at each item.
    let mut texts = Vec::new();
    plan.each_text(&mut |text| texts.push(text.clone()));
    if !redact(&texts.join("\n")).found.is_empty() {
        plan.each_text(&mut hide);
    }
    Ok(plan)
}

impl Plan {
    fn each_text(&mut self, act: &mut impl FnMut(&mut String)) {
        self.title.iter_mut().for_each(&mut *act);
        let left_out = self.left_out.iter_mut();
        left_out.for_each(|left| act(&mut left.text));
        self.remarks.iter_mut().for_each(&mut *act);
        each_text(&mut self.tasks, act);
        for it in &mut self.boxes {
            act(&mut it.title);
            it.path.iter_mut().for_each(&mut *act);
        }
    }
}

fn each_text(tasks: &mut [TaskGiven], act: &mut impl FnMut(&mut String)) {
    for task in tasks {
        act(&mut task.title);
        let others = [&mut task.details, &mut task.reason, &mut task.own_id];
        others.into_iter().flatten().for_each(&mut *act);
        each_text(&mut task.tasks, act);
    }
}

fn hide(text: &mut String) {
    let redacted = redact(text);
    if !redacted.found.is_empty() {
        *text = redacted.text.into_owned();
    }
}

#[cfg(test)]
mod formats_tests;
#[cfg(test)]
mod shapes_tests;
#[cfg(test)]
mod tests;
