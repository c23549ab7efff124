//! Changes a contract: by given fields, or by a person's edit of the goal's document.

use serde_json::json;

use camino::{Utf8Path, Utf8PathBuf};

use crate::documents::error::DocumentError;
use crate::documents::header::{Style, style};
use crate::documents::{ours, sections, store};
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::decide::{must_be_open, needs_adoption};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::fields::set_in;
use crate::domain::goal::state::Goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::contracted::{Contracted, told_of_checks};
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::projection::plan;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;

/// Changes the contract: at once for the user; an agent's change waits for `confirm`, under the
/// named draft, else under its session's own, else under a new one. Without a summary the fields
/// are named.
///
/// # Errors
/// Nothing would change, the goal is closed, or the change holds a secret; the user names a draft.
pub fn tweak(
    call: &Call,
    change: ContractChange,
    summary: Option<&str>,
    draft: Option<&str>,
) -> Result<Outcome<Contracted>, Failure> {
    if draft.is_some() && call.caller.actor == Actor::User {
        let message =
            "--draft says under which draft an agent's change waits; yours takes effect at once";
        return Err(Failure::usage(message, "leave it out"));
    }
    let mut arguments = json!({ "change": change, "summary": summary, "goal": call.goal });
    if let Some(draft) = draft {
        arguments["draft"] = draft.into();
    }
    let summary = summary.map_or_else(|| names(&change), str::to_owned);
    let command = Command::Tweak {
        change: Box::new(change),
        summary,
        draft: draft.map(str::to_owned),
        fresh: call.fresh_id(),
    };
    let mut outcome: Outcome<Contracted> = call.request(command).key(arguments).run()?.into();
    let checks = outcome.data.proposal.checks.as_ref();
    outcome.notices.extend(told_of_checks(call, checks));
    Ok(outcome)
}

/// The goal's success criteria with some more and without some, and the goal's revision that this is
/// about.
///
/// # Errors
/// There is no goal, or no criterion with a text that is to go.
pub fn criteria(
    call: &Call,
    add: &[String],
    drop: &[String],
) -> Result<(Option<EventId>, Vec<String>), Failure> {
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let mut criteria = goal.contract.success_criteria.clone();
    for text in drop {
        let at = criteria.iter().position(|it| it.trim() == text.trim());
        let Some(at) = at else {
            let message = format!("the goal has no success criterion `{}`", one_line(text));
            return Err(Failure::usage(
                message,
                "`goal show` has their texts; copy one",
            ));
        };
        criteria.remove(at);
    }
    criteria.extend(add.iter().cloned());
    Ok((snapshot.revision(goal)?, criteria))
}

fn names(change: &ContractChange) -> String {
    let labels: Vec<&str> = set_in(change).iter().map(|field| field.label).collect();
    format!("changed: {}", labels.join(", "))
}

/// Takes a person's edit of the goal's document over into the contract
/// (docs/design/documents.md#notes-and-edits-by-hand). Only a field that the document shows can
/// change, and only if its text differs from what the program would write now. `file` is a copy
/// that was kept of an edited document; its path is relative to the working directory or the root.
///
/// # Errors
/// Those of [`tweak`]; an agent as the caller; no document, or one that is damaged or shows an
/// older revision, from which an edit cannot be told.
pub fn from_document(
    mut call: Call,
    file: Option<&Utf8Path>,
    summary: Option<&str>,
) -> Result<Outcome<Contracted>, Failure> {
    if call.caller.actor == Actor::Agent {
        return Err(Rejection::HumanOwned {
            act: "tweak --from-document",
            say: "run `goal tweak --from-document` to take over your edit of the document".into(),
        }
        .into());
    }
    let snapshot = call.read()?;
    let copy = file.map(|file| KeptCopy::read(&call, file)).transpose()?;
    if let Some(copy) = &copy {
        call.goal.get_or_insert_with(|| copy.goal.to_string());
    }
    let goal = call.target(&snapshot)?;
    must_be_open(goal)?;
    let change = match &copy {
        Some(copy) => copy.edits(&call, &snapshot, goal)?,
        None => edits(&call, &snapshot, goal)?,
    };
    // The change is for the revision that was read: if another process changes the goal meanwhile,
    // it is refused.
    call.expect = call.expect.or(snapshot.revision(goal)?);
    call.goal = Some(goal.id.to_string());
    let summary = match summary {
        None => Some(format!("{}, from the document", names(&change))),
        given => given.map(str::to_owned),
    };
    tweak(&call, change, summary.as_deref(), None)
}

/// What a person changed in the goal's document.
fn edits(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Result<ContractChange, Failure> {
    let id = &goal.id;
    let mut text = None;
    // A document of another tool has no effect on a goal of ours.
    for entry in snapshot.active_documents_of(id)? {
        let read = store::read(&entry.path)?;
        if style(&read) != Style::BareJson {
            text.get_or_insert(read);
        }
    }
    let Some(text) = text else {
        return Err(Failure::new(
            "no_document",
            format!("goal {id} has no document of ours to read"),
            match needs_adoption(goal) {
                true => format!("`goal adopt {id}` writes it; edit it, then run this again"),
                false => "`goal repair` writes it; edit it, then run this again".to_owned(),
            },
        ));
    };
    let edited = EditedContract::in_document(&text)?;
    let revision = snapshot.revision(goal)?.map(|id| id.to_string());
    if edited.revision.is_some() && edited.revision != revision {
        return Err(Failure::new(
            "document_outdated",
            format!("the document of goal {id} shows an older state of it"),
            "run `goal repair`, which keeps your edit beside it as `.orig`, and edit it again",
        ));
    }
    differing(edited.change, snapshot, &call.workspace.paths, goal)
}

/// What of these fields is an edit: only a difference from what we would write for the goal as it
/// is now.
pub(super) fn differing(
    shown: ContractChange,
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<ContractChange, Failure> {
    let unedited = match plan(snapshot, paths, goal)? {
        Some(plan) => EditedContract::in_document(&String::from_utf8_lossy(&plan.after)).ok(),
        None => None,
    };
    let unedited = unedited.map(|shown| shown.change).unwrap_or_default();
    Ok(shown.without(&unedited).differing(&goal.contract))
}

/// Whether this copy of the goal's document says something of the contract that is not in force.
///
/// # Errors
/// It cannot be told.
pub fn is_unsettled(
    text: &str,
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<bool, Failure> {
    let shown = EditedContract::in_document(text)?;
    let change = differing(shown.change, snapshot, paths, goal)?;
    Ok(!set_in(&change).is_empty())
}

/// An edited document that was kept beside the one that was rendered over it.
struct KeptCopy {
    path: Utf8PathBuf,
    goal: GoalId,
    shown: EditedContract,
}

impl KeptCopy {
    fn read(call: &Call, file: &Utf8Path) -> Result<KeptCopy, Failure> {
        let workspace = &call.workspace;
        let here = workspace.environment.cwd.join(file);
        let path = match here.symlink_metadata() {
            Ok(_) => here,
            Err(_) => workspace.root.path.join(file),
        };
        let text = store::read(&path)?;
        Ok(KeptCopy {
            goal: ours::parse(&text)?.id,
            shown: EditedContract::in_document(&text)?,
            path,
        })
    }

    fn edits(
        &self,
        call: &Call,
        snapshot: &Snapshot,
        goal: &Goal,
    ) -> Result<ContractChange, Failure> {
        if self.goal != goal.id {
            return Err(Failure::usage(
                format!("{} is of goal {}, not of {}", self.path, self.goal, goal.id),
                format!("leave out `--goal`, or pass `--goal {}`", self.goal),
            ));
        }
        if self.contract_changed_since(snapshot, goal)? {
            return Err(Failure::new(
                "document_outdated",
                format!("the contract was changed since {} was edited", self.path),
                "compare the two, and make what is still wanted of it with `goal tweak`",
            ));
        }
        let shown = self.shown.change.clone();
        differing(shown, snapshot, &call.workspace.paths, goal)
    }

    /// Whether a line that stands behind the state that was edited changed the contract: then the
    /// copy's other fields are not the user's edits.
    fn contract_changed_since(&self, snapshot: &Snapshot, goal: &Goal) -> Result<bool, Failure> {
        let begin = LineRef {
            offset: 0,
            len: 0,
            number: 1,
        };
        let mut changed = true;
        for (line, event) in snapshot.events_of(&goal.id, begin)? {
            let is_shown = Some(snapshot.id(line)?.to_string()) == self.shown.revision;
            if is_shown {
                changed = false;
            } else if event.payload.name() == "goal_tweaked" {
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// What the sections of a document say of the contract.
pub(super) fn in_sections(text: &str) -> Result<ContractChange, DocumentError> {
    let sections = sections::contract_from(text)?;
    Ok(ContractChange {
        objective: Some(sections.objective),
        success_criteria: Some(sections.success_criteria),
        boundaries: Some(sections.boundaries),
        constraints: Some(sections.constraints),
        if_blocked: Some(sections.if_blocked.unwrap_or_default()),
        verification_contract: Some(sections.verification_contract.unwrap_or_default()),
        checks: Some(sections.checks),
        ..ContractChange::default()
    })
}

/// What a document of ours shows of the contract.
struct EditedContract {
    revision: Option<String>,
    change: ContractChange,
}

impl EditedContract {
    fn in_document(text: &str) -> Result<EditedContract, DocumentError> {
        let header = ours::parse(text)?;
        let change = ContractChange {
            title: header.title,
            ..in_sections(text)?
        };
        Ok(EditedContract {
            revision: header.revision,
            change,
        })
    }
}
