//! The tool table as the protocol lists it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::api::tools::{self, HOST_ARGUMENTS, ToolSpecification};
use crate::domain::actor::Actor;

/// The tools that `actor` may call, in the order of the table.
pub(super) fn tools(actor: Actor) -> Vec<Tool> {
    let all = tools::list().tools.into_iter();
    all.filter(|tool| tool.callers.contains(&actor))
        .map(listed)
        .collect()
}

fn listed(tool: ToolSpecification) -> Tool {
    let hints = tool.annotations;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only_hint)
        .destructive(hints.destructive_hint)
        .idempotent(hints.idempotent_hint)
        .open_world(hints.open_world_hint);
    Tool::new(
        tool.name,
        tool.description,
        for_the_model(tool.input_schema),
    )
    .with_raw_output_schema(Arc::new(object(tool.output_schema)))
    .with_annotations(annotations)
}

/// The schema without what the host says itself.
fn for_the_model(schema: Value) -> JsonObject {
    let mut schema = object(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !HOST_ARGUMENTS.contains(&name.as_str()));
    }
    schema
}

/// A tool's schemas are objects; a test holds it.
fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}
