//! The rolling summary of a goal, which stands for raw history in `goal prompt continue`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::Outside;
use crate::domain::event::Payload;
use crate::domain::goal::state::Goal;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::spec::tokens;
use crate::ops::asking::asked;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::event;
use crate::roles::summarizer::Summarizing;
use crate::snapshot::Snapshot;
use crate::transaction::Receipt;
use crate::workspace::config::{Role, resolve};

/// The outcome of `context summarize`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summarized {
    /// What is on record: without secrets that are known by their shape.
    pub summary: String,
    /// Estimated: a token is four bytes.
    pub tokens: usize,
}

/// Records the summary: the given one, else what the summarizer makes of what happened.
///
/// # Errors
/// One that says nothing or has too many tokens, no goal, no summarizer or no fitting answer.
pub fn summarize(call: &Call, given: Option<&str>) -> Result<Outcome<Summarized>, Failure> {
    call.refuse_auditor()?;
    let most = resolve(&call.workspace.config_files()?).keys.context;
    let most = most.summary_tokens.value;
    let arguments = json!({ "goal": call.goal, "summary": given });
    let act = |summary: &str| TaskCommand::Summarize {
        summary: summary.to_owned(),
        most,
    };
    if let Some(given) = given {
        return Ok(call.request(act(given)).key(arguments).run()?.into());
    }
    if let Some(recorded) = call.answer_again(TaskCommand::SUMMARIZE, &arguments)? {
        return Ok(recorded.into());
    }
    // What would be refused in the end is refused before anybody is asked.
    let snapshot = call.may(Outside::OnGoal)?;
    let goal = call.target(&snapshot)?;
    let question = Summarizing {
        goal_id: goal.id.to_string(),
        objective: goal.contract.objective.clone(),
        previous_summary: goal.context.as_ref().map(|context| context.text.clone()),
        history: history(&snapshot, goal)?,
        max_tokens: most,
    };
    let told = asked(call, Role::Summarizer, Some(goal), &question)?;
    let request = call.request(act(&told.said.summary)).on(&goal.id);
    let request = request.costing(Some(told.cost));
    Ok(request.key(arguments).run()?.into())
}

/// What happened since the summary in force, oldest first.
fn history(snapshot: &Snapshot, goal: &Goal) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for line in &goal.recent {
        let Some(event) = snapshot.event(*line)? else {
            continue;
        };
        match &event.payload {
            Payload::ContextSummarized(_) => lines.clear(),
            payload => lines.push(format!(
                "{} {}: {}",
                event.at,
                payload.name(),
                event::summary(payload)
            )),
        }
    }
    Ok(lines)
}

impl From<&Receipt> for Summarized {
    fn from(receipt: &Receipt) -> Summarized {
        let summary = receipt.payloads().find_map(|payload| match payload {
            Payload::ContextSummarized(it) => Some(it.summary.clone()),
            _ => None,
        });
        let summary = summary.unwrap_or_default();
        Summarized {
            tokens: tokens(&summary),
            summary,
        }
    }
}
