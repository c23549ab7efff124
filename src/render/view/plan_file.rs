//! What was read of a plan file beside its tasks.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::task::plan_file::{Format, Plan};
use crate::domain::task::spec::{TaskGiven, TaskSpec};
use crate::render::text::{count, one_line, short};
use crate::render::view::TaskView;

/// A plan file, without its tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanFileView {
    pub format: String,
    /// What of it became nothing: its line, and what it begins with.
    pub left_out: Vec<String>,
    /// What was read in another way than its writer may think.
    pub remarks: Vec<String>,
}

/// Most bytes of a part that was left out.
const PART: usize = 100;

/// Most parts that a person is told of; the JSON has all of them.
const PARTS: usize = 10;

/// What a task is called, with those below it.
pub struct Named<'a> {
    id: &'a str,
    title: &'a str,
    below: Vec<Named<'a>>,
}

impl<'a> From<&'a TaskSpec> for Named<'a> {
    fn from(spec: &'a TaskSpec) -> Self {
        Named {
            id: &spec.id,
            title: &spec.title,
            below: spec.tasks.iter().map(Named::from).collect(),
        }
    }
}

impl<'a> From<&'a TaskView> for Named<'a> {
    fn from(view: &'a TaskView) -> Self {
        Named {
            id: &view.id,
            title: &view.title,
            below: view.tasks.iter().map(Named::from).collect(),
        }
    }
}

impl PlanFileView {
    pub fn of(format: &Format, plan: &Plan) -> PlanFileView {
        let left_out = plan.left_out.iter().map(|left| {
            let text = short(&one_line(&left.text), PART);
            match left.line {
                0 => text,
                line => format!("line {line}: {text}"),
            }
        });
        PlanFileView {
            format: format.name.to_owned(),
            left_out: left_out.collect(),
            remarks: plan.remarks.clone(),
        }
    }

    /// Says which tasks have not the id that their plan gives them, since another task has it.
    pub fn say_other_ids(&mut self, given: &[&TaskGiven], tasks: &[Named<'_>]) {
        for (given, task) in given.iter().zip(tasks) {
            let own = given.own_id.as_deref().filter(|own| *own != task.id);
            let is_said = |own: &str| {
                let own = format!("`{own}`");
                self.remarks.iter().any(|it| it.starts_with(&own))
            };
            if let Some(own) = own.filter(|own| !is_said(own)) {
                let title = short(&one_line(task.title), PART);
                self.remarks.push(format!(
                    "`{own}` is another task already, so `{title}` is task `{}`",
                    task.id
                ));
            }
            self.say_other_ids(&given.tasks.iter().collect::<Vec<_>>(), &task.below);
        }
    }

    /// Says which tasks the plan now calls otherwise: by its number and the task's id.
    pub fn say_moved(&mut self, moved: &[(String, String)]) {
        let each = moved
            .iter()
            .map(|(number, id)| format!("`{number}` is task `{id}`"));
        let each: Vec<String> = each.collect();
        if !each.is_empty() {
            let remark = format!("the plan's numbers moved: {}", each.join(", "));
            self.remarks.push(remark);
        }
    }

    /// Says which tasks the plan calls done and are open: by id and title.
    pub fn say_still_open(&mut self, tasks: &[(String, String)]) {
        for (id, title) in tasks {
            let title = short(&one_line(title), PART);
            self.remarks.push(format!(
                "the plan says that task `{id}` `{title}` is done; it stays open, since that is not \
                 proved or is left to the user"
            ));
        }
    }

    /// For a person; nothing where there is nothing to say.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.format != "markdown" && self.format != "json" {
            text.push_str(&format!("Read as {}.\n", self.format));
        }
        for remark in &self.remarks {
            text.push_str(&format!("Note: {}.\n", one_line(remark)));
        }
        if !self.left_out.is_empty() {
            let parts = count(self.left_out.len() as u64, "part");
            text.push_str(&format!("Left out: {parts} of the plan.\n"));
            for part in self.left_out.iter().take(PARTS) {
                text.push_str(&format!("  {}\n", one_line(part)));
            }
            let more = self.left_out.len().saturating_sub(PARTS);
            if more > 0 {
                text.push_str(&format!("  … and {more} more, which --json shows\n"));
            }
        }
        text
    }
}
