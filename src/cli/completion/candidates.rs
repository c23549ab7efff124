//! The ids of a project that can stand for a value, each with its title.

use clap_complete::CompletionCandidate;

use crate::domain::attention::safe;
use crate::ops;
use crate::ops::call::Call;
use crate::ops::list::{ListRequest, list};
use crate::ops::tasks::tree;
use crate::render::text::{one_line, short};
use crate::render::view::TaskView;
use crate::workspace::config::resolve;

/// How much of a title a shell gets, in bytes.
const TITLE: usize = 60;

type Candidates = Vec<CompletionCandidate>;

/// What a shell is offered; nothing where it would read the id as more than one word, since another
/// program may have chosen it.
fn candidate(id: impl ToString, title: &str) -> Option<CompletionCandidate> {
    let id = id.to_string();
    safe(&id)?;
    let title = short(&one_line(title), TITLE);
    Some(CompletionCandidate::new(id).help(Some(title.into())))
}

/// The open goals.
pub fn goals(call: &Call) -> Candidates {
    let listed = list(call, &ListRequest::default()).ok();
    let goals = listed.into_iter().flat_map(|listed| listed.goals);
    goals
        .filter_map(|goal| {
            let title = goal.title.as_ref().unwrap_or(&goal.objective);
            candidate(&goal.goal_id, title)
        })
        .collect()
}

pub fn goals_and_tasks(call: &Call) -> Candidates {
    let mut all = tasks(call);
    all.extend(goals(call));
    all
}

/// The tasks of the goal that the words name, or of the focused one.
pub fn tasks(call: &Call) -> Candidates {
    fn gather(tasks: &[TaskView], found: &mut Candidates) {
        for task in tasks {
            found.extend(candidate(&task.id, &task.title));
            gather(&task.tasks, found);
        }
    }
    let mut found = Vec::new();
    let shown = tree(call).ok();
    if let Some(tasks) = shown.and_then(|outcome| outcome.data.tasks) {
        gather(&tasks.list, &mut found);
    }
    found
}

pub fn drafts(call: &Call) -> Candidates {
    let open = ops::drafts::drafts(call).ok();
    let open = open.into_iter().flatten();
    open.filter_map(|(_, draft)| candidate(&draft.draft_id, &draft.topic))
        .collect()
}

pub fn questions(call: &Call) -> Candidates {
    let open = ops::questions::questions(call).ok();
    let open = open.into_iter().flat_map(|open| open.questions);
    open.filter_map(|it| candidate(&it.question_id, &it.question))
        .collect()
}

pub fn runs(call: &Call) -> Candidates {
    let mut found: Candidates = candidate("last", "the latest run").into_iter().collect();
    let listed = ops::runs::runs(call, false).ok();
    let listed = listed.into_iter().flat_map(|listed| listed.runs);
    found.extend(listed.filter_map(|run| candidate(&run.run_id, &run.title)));
    found
}

/// The checks of the configuration.
pub fn checks(call: &Call) -> Candidates {
    let files = call.workspace.config_files().ok();
    let checks = files
        .map(|files| resolve(&files).checks)
        .unwrap_or_default();
    let checks = checks.into_iter();
    checks
        .filter_map(|(name, check)| candidate(name, &check.to_string()))
        .collect()
}
