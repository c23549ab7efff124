//! A task file of Backlog.md: front matter with id, title, status and dependencies, a description,
//! and criteria with boxes. It becomes one task, made of its criteria.

use super::formats::Source;
use super::json::{details, standing, waits_for};
use super::markdown::{self, PLAIN};
use super::{LeftOut, Plan, PlanError, front};
use crate::domain::task::spec::TaskGiven;
use crate::domain::task::state::TaskStatus;

const CRITERIA: &str = "Acceptance Criteria";
const DESCRIPTION: &str = "Description";

pub(super) fn detect(source: &Source<'_>) -> bool {
    let (front, text, _) = front::split(source.text);
    let has = |name| front::field(front, name).is_some();
    let section = |line: &str| line.trim_start_matches('#').trim() == CRITERIA;
    has("id") && has("title") && has("status") && text.lines().any(section)
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let (front, text, skipped) = front::split(source.text);
    let Some(id) = front::field(front, "id") else {
        let why = "its front matter has no `id`".to_owned();
        return Err(PlanError::OtherFormat {
            format: "backlog",
            why,
        });
    };
    let sections = Sections::of(text);
    let described = sections.of_name(DESCRIPTION).map(|it| it.text.as_str());
    let section = sections.of_name(CRITERIA);
    let section = section.filter(|section| !section.text.trim().is_empty());
    let plan = section.map(|section| markdown::read(&section.text, &PLAIN));
    let mut criteria = match plan {
        None | Some(Err(PlanError::NoTasks)) => Plan::default(),
        Some(read) => read?,
    };
    // Without boxes they are no tasks of their own: nothing says when one is done.
    let plain: Vec<String> = match criteria.boxes.is_empty() {
        true => std::mem::take(&mut criteria.tasks)
            .into_iter()
            .map(|task| details(&[Some(&task.title), task.details.as_deref()]).unwrap_or_default())
            .collect(),
        false => Vec::new(),
    };
    let status = front::field(front, "status").unwrap_or_default();
    let standing = standing(&status);
    let mut remarks = criteria.remarks;
    let mut tasks = criteria.tasks;
    for task in &mut tasks {
        number(task, &id);
    }
    let open = |task: &TaskGiven| task.standing() != TaskStatus::Complete;
    if standing == Some(TaskStatus::Complete) && tasks.iter().any(open) {
        remarks.push(format!(
            "its status is `{status}`, but criteria of it are open"
        ));
    }
    if standing.is_none() {
        remarks.push(format!(
            "its status `{status}` is not known, so it counts as open"
        ));
    }
    let mut left_out = match section {
        Some(section) => section.named(criteria.left_out),
        None => Vec::new(),
    };
    for section in &sections.0 {
        left_out.extend(section.left_out());
    }
    for left in &mut left_out {
        left.line += skipped;
    }
    left_out.sort_by_key(|left| left.line);
    let waits = waits_for(&front::list(front, "dependencies"));
    let task = TaskGiven {
        title: front::field(front, "title").unwrap_or_else(|| id.clone()),
        details: details(&[described, waits.as_deref()]),
        done: standing == Some(TaskStatus::Complete),
        status: standing.filter(|it| *it != TaskStatus::Complete && *it != TaskStatus::Pending),
        tasks,
        own_id: Some(id),
        success_criteria: (!plain.is_empty()).then_some(plain),
        ..TaskGiven::default()
    };
    Ok(Plan {
        tasks: vec![task],
        left_out,
        remarks,
        ..Plan::default()
    })
}

/// A criterion `#2 …` of `task-7` is `task-7#2`.
fn number(task: &mut TaskGiven, id: &str) {
    let said = task.title.strip_prefix('#');
    if let Some((number, title)) = said.and_then(|said| said.split_once(' '))
        && !number.is_empty()
        && number.bytes().all(|it| it.is_ascii_digit())
    {
        task.own_id = Some(format!("{id}#{number}"));
        task.title = title.to_owned();
    }
}

struct Section {
    name: String,
    /// From 1.
    line: usize,
    text: String,
    /// Where each line of its text is, from 1.
    lines: Vec<usize>,
}

impl Section {
    /// What of it is no part of the task: its name, and each box in it.
    fn left_out(&self) -> Vec<LeftOut> {
        if self.name == CRITERIA {
            return Vec::new();
        }
        let boxes = markdown::read(&self.text, &PLAIN).map(|plan| plan.boxes);
        let boxes = boxes.unwrap_or_default().into_iter().map(|it| LeftOut {
            line: it.line + 1,
            text: it.title,
        });
        let name = LeftOut {
            line: self.line,
            text: self.name.clone(),
        };
        let is_whole = self.name == DESCRIPTION || self.name.is_empty();
        let name = (!is_whole).then_some(name);
        let boxes = self.named(boxes.collect());
        name.into_iter().chain(boxes).collect()
    }

    /// Parts of its text, with their lines in the file.
    fn named(&self, mut parts: Vec<LeftOut>) -> Vec<LeftOut> {
        for part in &mut parts {
            let at = part.line.saturating_sub(1);
            part.line = self.lines.get(at).copied().unwrap_or(self.line);
        }
        parts
    }
}

/// The parts of a file below its headings of level 2, and what is before them; without comments.
struct Sections(Vec<Section>);

impl Sections {
    fn of(text: &str) -> Sections {
        let section = |name: &str, line: usize| Section {
            name: name.trim().to_owned(),
            line,
            text: String::new(),
            lines: Vec::new(),
        };
        let mut all = Vec::new();
        let mut open = section("", 1);
        for (at, line) in text.lines().enumerate() {
            if let Some(name) = line.strip_prefix("## ") {
                all.push(std::mem::replace(&mut open, section(name, at + 1)));
            } else if !line.trim_start().starts_with("<!--") {
                open.text.push_str(line);
                open.text.push('\n');
                open.lines.push(at + 1);
            }
        }
        all.push(open);
        Sections(all)
    }

    fn of_name(&self, name: &str) -> Option<&Section> {
        self.0.iter().find(|section| section.name == name)
    }
}
