//! What every tool takes beside its own arguments: which goal and revision the caller means, and
//! what the host says about session, turn and request.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::api::tools::arguments;
use crate::domain::id::EventId;
use crate::ops::call::{Call, host_id};
use crate::ops::failure::Failure;

/// Arguments that are the host's to say. An adapter leaves them out of what it shows its model.
pub const HOST_ARGUMENTS: [&str; 3] = ["session", "turn", "key"];

/// Taken by every tool.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Common {
    /// Asserts that this is the focused goal; any other is refused.
    goal_id: Option<String>,
    /// Asserts the goal's revision for what changes it; after a change of contract, tasks or status it is refused.
    revision: Option<EventId>,
    /// The host's session id.
    session: Option<String>,
    /// The host's turn id. Changes in a turn that has ended are refused.
    turn: Option<String>,
    /// Idempotency key: the same request with the same key returns the first result.
    key: Option<String>,
}

/// Names of the common arguments.
const NAMES: [&str; 5] = ["goalId", "revision", "session", "turn", "key"];

/// Takes the common arguments out of a tool's, into the call.
///
/// # Errors
/// One of another type, or one that contradicts what the host said already.
pub(super) fn take(call: &mut Call, arguments: &mut Value) -> Result<(), Failure> {
    let Value::Object(all) = arguments else {
        // Whoever reads the tool's own arguments says what is wrong.
        return Ok(());
    };
    let mut common = Map::new();
    for name in NAMES {
        if let Some(value) = all.shift_remove(name) {
            common.insert(name.to_owned(), value);
        }
    }
    let mut common: Common = arguments::typed(Value::Object(common))?;
    if call.workspace.environment.is_of_run() {
        (common.session, common.turn) = (None, None);
    }
    settle(&mut call.caller.session, "session", common.session)?;
    settle(&mut call.caller.turn, "turn", common.turn)?;
    settle(&mut call.key, "key", common.key)?;
    settle(&mut call.goal, "goalId", common.goal_id)?;
    call.expect = match (call.expect, common.revision) {
        (Some(given), Some(said)) if given != said => return Err(contradicts("revision")),
        (given, said) => given.or(said),
    };
    Ok(())
}

/// A goal that is named must be the caller's focused one, also where none is changed, and at the
/// revision that is named.
///
/// # Errors
/// It is another goal, or another revision of it.
pub(super) fn assert_goal(call: &Call) -> Result<(), Failure> {
    call.look().map(drop)
}

/// What the host said holds; a model may repeat it, but not say something else.
fn settle(given: &mut Option<String>, name: &str, said: Option<String>) -> Result<(), Failure> {
    let said = host_id(&format!("`{name}`"), said.as_deref())?;
    match (&*given, said) {
        (Some(given), Some(said)) if *given != said => Err(contradicts(name)),
        (Some(_), _) | (None, None) => Ok(()),
        (None, said) => {
            *given = said;
            Ok(())
        }
    }
}

fn contradicts(name: &str) -> Failure {
    Failure::usage(
        format!("`{name}` is not what the host said of this call"),
        format!("leave `{name}` out"),
    )
}
