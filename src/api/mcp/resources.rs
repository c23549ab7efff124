//! What a client can read without a tool: the focused goal, the summary, and the tip of the ledger.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::json;

use super::caller::Caller;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::orient::orient;
use crate::ops::summary::summarise;
use crate::ops::verify::{VerifyOptions, verify};
use crate::render::summary::Limits;

/// One resource: its address, its name, what it is, its type, and how it is read.
struct Offered {
    uri: &'static str,
    name: &'static str,
    description: &'static str,
    mime: &'static str,
    read: fn(&Call) -> Result<String, Failure>,
}

const RESOURCES: &[Offered] = &[
    Offered {
        uri: "goal://focused",
        name: "focused goal",
        description: "The goal that is worked on, as `get_goal` has it in `goal`; null without one",
        mime: "application/json",
        read: focused,
    },
    Offered {
        uri: "goal://summary",
        name: "summary",
        description: "What is focused, what happened and what is next",
        mime: "text/markdown",
        read: |call| Ok(summarise(call, &Limits::default())?.summary),
    },
    Offered {
        uri: "goal://tip",
        name: "tip of the ledger",
        description: "The id of the last line, to keep elsewhere: `goal verify --tip` compares it",
        mime: "application/json",
        read: tip,
    },
];

fn focused(call: &Call) -> Result<String, Failure> {
    let goal = orient(call, 1)?.goal;
    serde_json::to_string(&goal).map_err(|error| Failure::internal(&error))
}

fn tip(call: &Call) -> Result<String, Failure> {
    let verified = verify(call, VerifyOptions::default())?;
    Ok(json!({ "tip": verified.tip, "lines": verified.lines }).to_string())
}

/// All resources, as the protocol lists them.
pub(super) fn all() -> Vec<Resource> {
    let listed = RESOURCES.iter().map(|it| {
        let resource = Resource::new(it.uri, it.name);
        resource
            .with_description(it.description)
            .with_mime_type(it.mime)
    });
    listed.collect()
}

/// The resource at this address; nothing where there is none.
///
/// # Errors
/// The project cannot be read.
pub(super) async fn read(
    caller: &Caller,
    uri: &str,
) -> Option<Result<ReadResourceResult, Failure>> {
    let found = RESOURCES.iter().find(|it| it.uri == uri)?;
    let text = caller.run(|call| (found.read)(&call)).await.outcome;
    Some(text.map(|text| {
        let contents = ResourceContents::text(text, found.uri).with_mime_type(found.mime);
        ReadResourceResult::new(vec![contents])
    }))
}
