//! What a document of the older extension tells the state, in the domain's words.

use super::legacy::{Legacy, LegacyTask};
use super::{ours, sections};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::document::DocumentFacts;
use crate::domain::goal::state::Status;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{Mark, TaskStatus};

/// The facts of a document. `archived` says in which directory it lies, `path` is for messages.
pub fn facts(legacy: &Legacy, archived: bool, path: &str) -> DocumentFacts {
    let list = legacy.task_list.as_ref();
    let tasks = list.map_or(&[][..], |list| &list.tasks);
    let mut marks = Vec::new();
    collect(tasks, &mut marks);
    DocumentFacts {
        goal_id: legacy.id.clone(),
        contract: ContractChange {
            objective: legacy.objective.clone(),
            sisyphus: legacy.sisyphus,
            // A pause sets it to false; how the goal goes on afterwards it does not say.
            auto_continue: legacy
                .auto_continue
                .filter(|_| status(legacy, archived) == Status::Active),
            ..ContractChange::default()
        },
        status: status(legacy, archived),
        created_at: legacy.created_at.clone().unwrap_or_default(),
        updated_at: legacy.updated_at.clone().unwrap_or_default(),
        pause_reason: legacy.pause_reason.clone(),
        suggested_action: legacy.pause_suggested_action.clone(),
        tasks: tasks.iter().map(spec).collect(),
        marks,
        block_completion: legacy.task_list.as_ref().map(|list| list.block_completion),
        path: path.to_owned(),
        ours: false,
    }
}

/// The facts of a goal whose other tool's document says `theirs` and that has this document of ours
/// too. Ours is the later one: it was written when the goal was taken over, and from then on. Where
/// the ledger is there it tells all of this itself.
pub fn overruled(theirs: &DocumentFacts, text: &str, path: &str) -> Option<DocumentFacts> {
    let header = ours::parse(text).ok()?;
    let status = Status::named(header.status.as_deref()?)?;
    let mut contract = theirs.contract.clone();
    if let Ok(shown) = sections::contract_from(text) {
        contract.objective = Some(shown.objective);
        contract.success_criteria = Some(shown.success_criteria);
        contract.boundaries = Some(shown.boundaries);
        contract.constraints = Some(shown.constraints);
        contract.verification_contract = shown.verification_contract;
        contract.if_blocked = shown.if_blocked;
    }
    contract.title = header.title;
    contract.auto_continue = header.auto_continue;
    Some(DocumentFacts {
        contract,
        status,
        updated_at: header
            .updated_at
            .unwrap_or_else(|| theirs.updated_at.clone()),
        path: path.to_owned(),
        ours: true,
        ..theirs.clone()
    })
}

/// That extension knows `active`, `paused` and `complete`; what it archived without completing
/// it was given up.
fn status(legacy: &Legacy, archived: bool) -> Status {
    match (legacy.status.as_deref(), archived) {
        (Some("complete" | "completed" | "achieved"), _) => Status::Complete,
        (_, true) => Status::Aborted,
        (Some("paused"), false) => Status::Paused,
        (Some("blocked"), false) => Status::Blocked,
        (_, false) => Status::Active,
    }
}

fn spec(task: &LegacyTask) -> TaskSpec {
    TaskSpec {
        tasks: task.subtasks.iter().map(spec).collect(),
        verification_contract: task.verification_contract.clone(),
        ..TaskSpec::new(&task.id, &task.title)
    }
}

fn collect(tasks: &[LegacyTask], found: &mut Vec<(String, Mark)>) {
    for task in tasks {
        let status = match task.status.as_deref() {
            Some("complete" | "completed" | "done") => TaskStatus::Complete,
            Some("skipped") => TaskStatus::Skipped,
            Some("active" | "in_progress" | "started") => TaskStatus::Active,
            Some("blocked") => TaskStatus::Blocked,
            Some("failed") => TaskStatus::Failed,
            _ => TaskStatus::Pending,
        };
        let mark = Mark {
            status,
            evidence: task.evidence.clone(),
            ..Mark::default()
        };
        found.push((task.id.clone(), mark));
        collect(&task.subtasks, found);
    }
}
