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
    let known = [DESCRIPTION, CRITERIA];
    let others = sections.0.iter();
    let others = others.filter(|section| !known.contains(&&*section.name));
    let left_out = others.map(|section| LeftOut {
        line: section.line + skipped,
        text: section.name.clone(),
    });
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
        left_out: left_out.collect(),
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
}

/// The parts of a file below its headings of level 2, without comments.
struct Sections(Vec<Section>);

impl Sections {
    fn of(text: &str) -> Sections {
        let mut all: Vec<Section> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if let Some(name) = line.strip_prefix("## ") {
                all.push(Section {
                    name: name.trim().to_owned(),
                    line: at + 1,
                    text: String::new(),
                });
            } else if let Some(section) = all.last_mut()
                && !line.trim_start().starts_with("<!--")
            {
                section.text.push_str(line);
                section.text.push('\n');
            }
        }
        Sections(all)
    }

    fn of_name(&self, name: &str) -> Option<&Section> {
        self.0.iter().find(|section| section.name == name)
    }
}
