//! Each tool as an adapter registers it: name, description, JSON Schemas, annotations.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::api::schema::standard;
use crate::api::tools::host::{Common, HOST_ARGUMENTS};
use crate::api::tools::shown::brief;
use crate::api::tools::{Effect, TOOLS, Tool};
use crate::domain::actor::Actor;
use crate::domain::schema::root;
use crate::ops::phase::{Phase, SessionPhase, Use};

/// Tools: those that a model is shown now, or all.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolList {
    /// Where the session stands that is shown these tools; null where there is no project with
    /// goals, and where all tools are listed.
    pub phase: Option<Phase>,
    pub tools: Vec<ToolSpecification>,
    /// Arguments that the adapter passes; its model need not see them.
    pub host_arguments: [&'static str; 3],
}

/// One tool; the field names are those of the Model Context Protocol.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpecification {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema 2020-12 of the arguments: of all where all tools are listed, else of those that a
    /// model is shown.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of the envelope's `data`; only where all tools are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// In which phases a model is shown it; none for a tool that only answers when it is called.
    pub phases: Vec<Phase>,
    pub annotations: Annotations,
    /// Who may call it.
    pub callers: Vec<Actor>,
}

/// Hints for hosts; what is refused is decided by the ledger's state.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's own fields, each with a meaning of its own"
)]
pub struct Annotations {
    pub read_only_hint: bool,
    pub destructive_hint: bool,
    pub idempotent_hint: bool,
    pub open_world_hint: bool,
}

/// Every tool with all there is to say about it, in the order of the table.
pub fn list() -> ToolList {
    of_tools(None, TOOLS.iter().map(ToolSpecification::of))
}

/// The tools that a model is shown that stands there.
pub fn shown(stand: &SessionPhase) -> ToolList {
    let tools = TOOLS.iter().filter(|tool| tool.is_shown(stand));
    let specified = tools.map(|tool| ToolSpecification::for_a_model(tool, &stand.uses));
    of_tools(stand.phase, specified)
}

fn of_tools(phase: Option<Phase>, tools: impl Iterator<Item = ToolSpecification>) -> ToolList {
    ToolList {
        phase,
        tools: tools.collect(),
        host_arguments: HOST_ARGUMENTS,
    }
}

impl ToolSpecification {
    fn of(tool: &Tool) -> ToolSpecification {
        let result = titled(tool.name, (tool.result)());
        ToolSpecification::with(tool, titled(tool.name, (tool.arguments)()), Some(result))
    }

    fn for_a_model(tool: &Tool, uses: &BTreeSet<Use>) -> ToolSpecification {
        ToolSpecification::with(tool, brief(standard((tool.arguments)()), uses), None)
    }

    fn with(tool: &Tool, input: Value, output: Option<Value>) -> ToolSpecification {
        ToolSpecification {
            name: tool.name,
            description: tool.description,
            input_schema: input,
            output_schema: output,
            phases: tool.phases().collect(),
            annotations: Annotations::of(tool.effect),
            callers: tool.callers().to_vec(),
        }
    }
}

impl Annotations {
    /// What a call with this effect is.
    pub fn of(effect: Effect) -> Annotations {
        Annotations {
            read_only_hint: effect == Effect::Reads,
            destructive_hint: effect == Effect::Ends,
            idempotent_hint: effect != Effect::Records,
            open_world_hint: false,
        }
    }
}

/// The schema under the tool's name instead of that of a Rust type.
fn titled(name: &str, mut schema: Schema) -> Value {
    schema.insert("title".into(), name.into());
    schema.remove("description");
    standard(schema)
}

/// The schema of a tool's own arguments with those of every tool.
pub(super) fn arguments<A: JsonSchema>() -> Schema {
    let mut own = of::<A>();
    let mut common = of::<Common>();
    let common = common.get_mut("properties").map(Value::take);
    let properties = own
        .ensure_object()
        .entry("properties")
        .or_insert_with(|| Value::Object(Default::default()));
    if let (Value::Object(properties), Some(Value::Object(common))) = (properties, common) {
        properties.extend(common);
    }
    // A tool that takes anything says so itself: a host that checks arguments would keep its answer
    // from the model.
    own.ensure_object()
        .entry("additionalProperties")
        .or_insert(false.into());
    own
}

/// In one piece, since not every host follows references.
fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    root::<T>(settings)
}
