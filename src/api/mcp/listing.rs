//! The tool table as the protocol lists it.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::api::tools::{self, ToolSpecification};
use crate::domain::actor::Actor;
use crate::ops::phase::SessionPhase;
use crate::render::surface::Surface;

/// The tools that a model is shown that stands there, as far as `actor` may call them, in the order
/// of the table, with their names on this surface.
pub(super) fn tools(actor: Actor, surface: Surface, stand: &SessionPhase) -> Vec<Tool> {
    let shown = tools::shown(stand).tools.into_iter();
    shown
        .filter(|tool| tool.callers.contains(&actor))
        .map(|tool| listed(tool, surface))
        .collect()
}

fn listed(tool: ToolSpecification, surface: Surface) -> Tool {
    let hints = tool.annotations;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only_hint)
        .destructive(hints.destructive_hint)
        .idempotent(hints.idempotent_hint)
        .open_world(hints.open_world_hint);
    let name = surface.listed_name(tool.name).to_owned();
    Tool::new(name, tool.description, object(tool.input_schema)).with_annotations(annotations)
}

/// A tool's schemas are objects; a test holds it.
fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}
