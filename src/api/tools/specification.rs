//! Each tool as an adapter registers it: name, description, JSON Schemas, annotations.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::api::schema::standard;
use crate::api::tools::host::{Common, HOST_ARGUMENTS};
use crate::api::tools::{Effect, TOOLS, Tool};
use crate::domain::actor::Actor;

/// All tools.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolList {
    pub tools: Vec<ToolSpecification>,
    /// Arguments that the adapter passes; its model need not see them.
    pub host_arguments: [&'static str; 3],
    /// For a model that has these tools: what prompts call commands. An adapter adds it to prompts
    /// that it passes on.
    pub commands_as_tools: &'static str,
}

/// One tool; the field names are those of the Model Context Protocol.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpecification {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema 2020-12 of the arguments.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of the envelope's `data`.
    pub output_schema: Value,
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

/// Prompts name commands, which is what hosts without these tools have.
pub(super) const COMMANDS_AS_TOOLS: &str = "\
Call the commands named above as tools: `goal note` is note_progress, `goal pause` and `goal block` \
pause_goal, `goal tweak` apply_goal_tweak, `goal propose` propose_goal_draft, `goal complete` \
update_goal, `goal abort` abort_goal, `goal status` and `goal show` get_goal, `goal task set` \
set_goal_tasks, `goal task add` add_goal_tasks, the other `goal task` acts update_goal_task, `goal \
evidence add` add_evidence, `goal task tree`, `goal stack` and `goal next` get_goal_tasks, `goal \
step` perform_step, `goal interpret` interpret_message, `goal ask` ask_user, `goal iterate` the tool iteration_ with the act's name behind it, `goal \
questions` list_questions, `goal evaluate` evaluate_progress, `goal agenda` set_agenda, `goal \
delegate` delegate_goal, `goal usage add` record_usage.";

/// The specifications, in the order of the table.
pub fn list() -> ToolList {
    ToolList {
        tools: TOOLS.iter().map(ToolSpecification::of).collect(),
        host_arguments: HOST_ARGUMENTS,
        commands_as_tools: COMMANDS_AS_TOOLS,
    }
}

impl ToolSpecification {
    fn of(tool: &Tool) -> ToolSpecification {
        ToolSpecification {
            name: tool.name,
            description: tool.description,
            input_schema: titled(tool.name, (tool.arguments)()),
            output_schema: titled(tool.name, (tool.result)()),
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
    settings.into_generator().into_root_schema_for::<T>()
}
