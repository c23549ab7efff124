//! A contract that a person writes in an editor: a new one, or the goal's own, changed.

use crate::documents::error::DocumentError;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::fields::set_in;
use crate::domain::id::{EventId, GoalId};
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::ops::tweak::{differing, in_sections, tweak};
use crate::projection::plan;

/// What stands in the editor at first.
pub const TEMPLATE: &str = include_str!("written.md");

/// What a document has above its sections, of which nothing is read here.
const HEADER: &str = "---\nid: a\n---\n";

/// The contract that was written.
///
/// # Errors
/// There is no objective; a text stands where nothing says what it is.
pub fn contract(text: &str) -> Result<ContractChange, Failure> {
    let unwritten = || {
        let message = "no objective was written; nothing changed";
        Failure::new("interrupted", message, "write it below `## Objective`")
    };
    match in_sections(&format!("{HEADER}{text}")) {
        Ok(written) => Ok(written.differing(&Contract::default())),
        Err(DocumentError::MissingSection(_)) => Err(unwritten()),
        Err(error) => Err(error.into()),
    }
}

/// The contract of a goal as its document shows it, to be changed.
#[derive(Debug)]
pub struct ShownContract {
    pub text: String,
    goal: GoalId,
    revision: Option<EventId>,
}

/// The contract that the call is about.
///
/// # Errors
/// There is no such goal; it has ended; the project cannot be read.
pub fn shown(call: &Call) -> Result<ShownContract, Failure> {
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let document = plan(&snapshot, &call.workspace.paths, goal)?;
    let document = document.map(|plan| String::from_utf8_lossy(&plan.after).into_owned());
    let body = document.as_deref().and_then(sections).ok_or_else(|| {
        let message = format!("goal {} has no document to edit", goal.id);
        Failure::new(
            "no_document",
            message,
            "`goal tweak --objective TEXT` names what changes",
        )
    })?;
    Ok(ShownContract {
        text: body.to_owned(),
        goal: goal.id.clone(),
        revision: snapshot.revision(goal)?,
    })
}

/// The sections of a document that have the contract.
fn sections(document: &str) -> Option<&str> {
    let from = document.find("## Objective\n")?;
    let end = document[from..].find("## Status\n").map(|at| from + at);
    Some(&document[from..end.unwrap_or(document.len())])
}

/// Makes the changes that were written into what was shown.
///
/// # Errors
/// Those of [`tweak`]; nothing was changed; the goal changed meanwhile.
pub fn taken_over(
    mut call: Call,
    shown: &ShownContract,
    text: &str,
) -> Result<Outcome<Contracted>, Failure> {
    let snapshot = call.read()?;
    call.goal = Some(shown.goal.to_string());
    call.expect = call.expect.or(shown.revision);
    let goal = call.target(&snapshot)?;
    let written = in_sections(&format!("{HEADER}{text}"))?;
    let change = differing(written, &snapshot, &call.workspace.paths, goal)?;
    if set_in(&change).is_empty() {
        let message = "nothing was changed in the editor; the contract is as it was";
        let hint = "`goal tweak TOPIC` opens a discussion of a change";
        return Err(Failure::new("interrupted", message, hint));
    }
    tweak(&call, change, None, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_below_the_headings_is_the_contract() {
        let text = TEMPLATE
            .replace("## Objective\n\n", "## Objective\n\nSort the seeds\n")
            .replacen("- \n", "- every packet has a row\n", 1)
            .replace("**If blocked**\n", "**If blocked**\n\nask\n");
        let expected = ContractChange {
            objective: Some("Sort the seeds".into()),
            success_criteria: Some(vec!["every packet has a row".into()]),
            if_blocked: Some("ask".into()),
            ..ContractChange::default()
        };
        assert_eq!(contract(&text).unwrap(), expected);
        let empty = contract(TEMPLATE).unwrap_err();
        assert!(empty.message.contains("no objective was written"));
    }
}
