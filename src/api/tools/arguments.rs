//! The arguments of each tool, read strictly: what is wrong is refused with the field named.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::goal::contract::{ContractChange, FIELDS};
use crate::domain::goal::fields::strict;
use crate::domain::goal::state::Status;
use crate::domain::iteration::state::IterationOutcome;
use crate::domain::progress::StepGiven;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::spec::{Decomposition, TaskGiven};
use crate::ops::failure::Failure;
use crate::render::text::short;

/// Arguments of one tool.
pub(super) trait Arguments: Sized {
    /// Reads them from a JSON object without the common ones.
    fn from_object(fields: Map<String, Value>) -> Result<Self, Failure>;
}

/// Reads a tool's arguments; none at all are an empty object.
pub(super) fn read<A: Arguments>(arguments: Value) -> Result<A, Failure> {
    match arguments {
        Value::Object(fields) => A::from_object(fields),
        Value::Null => A::from_object(Map::new()),
        _ => Err(Failure::usage(
            "a tool's arguments must be a JSON object",
            HINT,
        )),
    }
}

/// The most that is said of what was wrong, in bytes: a refusal repeats what it was given.
const LONGEST: usize = 1000;

const HINT: &str = "the tool's schema says what it takes";

/// What is wrong with arguments that do not go together.
pub(super) fn misfit(message: &str) -> Failure {
    Failure::usage(message, HINT)
}

/// Refuses a field that is given and does not go with the others: it would be lost. `given` has the
/// fields that could be, and whether they are.
pub(super) fn only(of: &str, takes: &[&str], given: &[(&str, bool)]) -> Result<(), Failure> {
    let lost = given
        .iter()
        .find(|(name, given)| *given && !takes.contains(name));
    let Some((name, _)) = lost else {
        return Ok(());
    };
    let takes = match takes {
        [] => "nothing else".to_owned(),
        takes => format!("`{}`", takes.join("`, `")),
    };
    Err(misfit(&format!(
        "`{name}` does not go with {of}, which takes {takes}"
    )))
}

/// Reads fields whose types say all there is to say about them.
///
/// # Errors
/// An unknown field, a missing one, or one of another type, each by its path.
pub(super) fn typed<A: DeserializeOwned>(fields: Value) -> Result<A, Failure> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner();
        let message = match path.as_str() {
            // The message of a missing or unknown field names it.
            "." => why.to_string(),
            path => format!("`{path}`: {why}"),
        };
        Failure::usage(short(&message, LONGEST), HINT)
    })
}

impl<A: DeserializeOwned> Arguments for A {
    fn from_object(fields: Map<String, Value>) -> Result<Self, Failure> {
        typed(Value::Object(fields))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetGoal {
    /// How often it was called in this turn, this time included; the adapter counts.
    pub calls: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListGoals {
    /// The ended ones too.
    pub all: Option<bool>,
    /// Only goals of these statuses.
    pub status: Option<Vec<Status>>,
    /// Most goals, the first of the order; 50 without it.
    pub limit: Option<NonZeroU32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Usage {
    /// What to add to which counter, such as llmCalls, tokensIn (without tokensCached), tokensCached,
    /// tokensOut, costUsd, seconds; names are free, numbers not negative.
    pub counters: BTreeMap<String, f64>,
    /// Which model it was.
    pub model: Option<String>,
    /// The task that it was spent for.
    pub task_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Update {
    /// Only `complete` can be asked for.
    #[schemars(extend("enum" = ["complete"]))]
    pub status: String,
    /// What was achieved, for the auditor.
    pub summary: Option<String>,
    /// What proves it: commands and their results, files, pages.
    pub evidence: Option<Vec<String>>,
    /// How long to wait for the verdict, in seconds, at most 45; later the same call gets it.
    pub wait_seconds: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Abort {
    /// Why it is given up.
    pub reason: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetTasks {
    pub tasks: Vec<TaskGiven>,
    /// Add them at the end, and keep what is there.
    pub append: Option<bool>,
    /// Add them below the task with this id.
    pub under: Option<String>,
    /// Whether all top-level tasks are needed (`AND`, without it) or one is enough.
    pub decomp: Option<Decomposition>,
    /// Whether open tasks hold completion; only the user lowers it.
    pub block_completion: Option<bool>,
    /// Why the tasks change; the auditor reads it.
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddTasks {
    pub tasks: Vec<TaskGiven>,
    /// Id of the task that they are part of; the top level without it.
    pub under: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateTask {
    /// Id of the task. Evidence without it is the goal's.
    pub task_id: Option<String>,
    pub status: Option<TaskBecomes>,
    /// Why; needed for all but `active` and `complete`.
    pub reason: Option<String>,
    /// For `complete`: what proves it, such as a command and its result.
    pub evidence: Option<String>,
    /// For `complete`: what was done.
    pub summary: Option<String>,
    /// In place of `status`: the key under which conditions ask for `value`.
    pub evidence_key: Option<EvidenceKey>,
    /// What is shown under `evidenceKey`: any JSON.
    pub value: Option<Value>,
}

/// What a task becomes.
// The words of hosts' own lists of tasks are taken, too; models are not told, since each word costs tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskBecomes {
    /// Work on it begins.
    #[serde(alias = "in_progress")]
    Active,
    /// It is done.
    #[serde(alias = "completed", alias = "done")]
    Complete,
    /// It is left out.
    Skipped,
    /// One attempt failed; after the last that it has, the task.
    Failed,
    /// It cannot go on.
    Blocked,
    /// It is to be done again, or after all.
    Pending,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddEvidence {
    /// What conditions ask for by `key`.
    pub evidence_key: Option<EvidenceKey>,
    /// Any JSON.
    pub value: Option<Value>,
    /// In place of both: several values, each under its key.
    pub facts: Option<Map<String, Value>>,
    /// The task that shows it; the goal itself without it.
    pub task_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanGoal {
    /// The task that is to be decomposed; the goal itself without it.
    pub task_id: Option<String>,
    /// Ask for ordered checkpoints with success criteria.
    pub checkpoints: Option<bool>,
    /// Id of the procedure to follow, if you find that it applies.
    pub procedure: Option<String>,
    /// Why what is not complete is planned anew; a first plan has none. The user's to do where
    /// open tasks hold completion.
    pub revise: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Withdraw {
    /// Id of the question or draft.
    pub id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PerformStep {
    /// Run the task's tool again, although it ran and answered: it may do what cannot be done
    /// twice.
    pub again: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Interpret {
    /// What the user said, word by word.
    pub message: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Iterate {
    /// `start`; after each try `validate`; `next` before another; `complete` in the end.
    pub act: IterationAct,
    /// Start: the task that it is for; the goal itself without it.
    pub task_id: Option<String>,
    /// Start: how many iterations at most; 15 without it, or as configured.
    pub max_iterations: Option<u64>,
    /// Start: more promises, each one line. One with the word BLOCKED blocks, any other completes.
    pub completion_promises: Option<Vec<String>>,
    /// Start: names of checks that must pass.
    pub validation_rules: Option<Vec<String>>,
    /// Start: path of an agent's definition whose frontmatter has `iteration`.
    pub agent_file: Option<String>,
    /// Id of the iteration, if several are running.
    pub iteration_id: Option<String>,
    /// Validate: what you wrote, with the promise alone on a line.
    pub output: Option<String>,
    /// Next: what the iteration before has taught.
    pub learned: Option<String>,
    /// Complete: success only where the latest validation says COMPLETE.
    pub outcome: Option<IterationOutcome>,
    /// Complete: the result; if it is blocked, the reason.
    pub summary: Option<String>,
}

/// A step of an iteration loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IterationAct {
    Start,
    Validate,
    Next,
    Complete,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IterationValidate {
    /// The only one under way without it.
    pub iteration_id: Option<String>,
    /// What you wrote, with the promise alone on a line, outside code fences, quotations and
    /// HTML comments.
    pub output: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluate {
    /// From 0 (nothing of it) to 1 (every criterion holds); only progress since the baseline.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub score: f64,
    /// What is met, what is not, and the next concrete step.
    pub gap_analysis: String,
    /// The current plan will not reach the goal: a new plan is needed.
    pub should_escalate: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetAgenda {
    /// In their order; none empties the agenda.
    pub steps: Vec<StepGiven>,
}

/// Taken as it is: the call comes to the same whatever it says.
#[derive(Debug, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct Anything {}

impl Arguments for Anything {
    fn from_object(_: Map<String, Value>) -> Result<Self, Failure> {
        Ok(Anything {})
    }
}

/// How a new goal is worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Regular,
    /// Ordered, patient work: one step after the other.
    Sisyphus,
}

#[derive(Debug, JsonSchema)]
#[schemars(extend("required" = ["objective"]), transform = without("sisyphus"))]
#[schemars(rename_all = "camelCase")]
pub struct Proposal {
    /// Its draft; without it your session's, else a new one.
    pub draft_id: Option<String>,
    /// As the draft was opened, where there is one.
    pub mode: Option<Mode>,
    #[schemars(flatten)]
    pub contract: ContractChange,
}

#[derive(Debug, JsonSchema)]
#[schemars(extend("required" = ["to", "objective"]), transform = without("owner"))]
pub struct Delegation {
    /// Who is to achieve it.
    pub to: String,
    #[schemars(flatten)]
    pub contract: ContractChange,
}

#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Tweak {
    /// Its draft; without it your session's, else a new one.
    pub draft_id: Option<String>,
    /// What changes, in a sentence.
    pub change_summary: Option<String>,
    #[schemars(flatten)]
    pub contract: ContractChange,
}

/// Leaves out a field of the contract which another argument says.
fn without(field: &str) -> impl Fn(&mut Schema) {
    move |schema| {
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.shift_remove(field);
        }
    }
}

/// The fields that stand beside a contract's.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProposalFields {
    draft_id: Option<String>,
    mode: Option<Mode>,
    change_summary: Option<String>,
    to: Option<String>,
}

impl Arguments for Proposal {
    fn from_object(fields: Map<String, Value>) -> Result<Self, Failure> {
        let instead = ("sisyphus", "`mode` says how the goal is worked on");
        let (beside, contract) = beside_new(&["draftId", "mode"], instead, fields)?;
        Ok(Proposal {
            draft_id: beside.draft_id,
            mode: beside.mode,
            contract,
        })
    }
}

impl Arguments for Delegation {
    fn from_object(fields: Map<String, Value>) -> Result<Self, Failure> {
        let instead = ("owner", "`to` says who is to achieve it");
        let (beside, contract) = beside_new(&["to"], instead, fields)?;
        let to = beside.to.ok_or_else(|| missing("to"))?;
        Ok(Delegation { to, contract })
    }
}

impl Arguments for Tweak {
    fn from_object(fields: Map<String, Value>) -> Result<Self, Failure> {
        let (beside, contract) = beside_contract(&["draftId", "changeSummary"], fields)?;
        Ok(Tweak {
            draft_id: beside.draft_id,
            change_summary: beside.change_summary,
            contract,
        })
    }
}

pub(super) fn missing(field: &str) -> Failure {
    Failure::usage(format!("missing field `{field}`"), HINT)
}

/// As [`beside_contract`], for a new goal. One field of its contract is said by another argument.
fn beside_new(
    names: &[&str],
    (said, why): (&str, &str),
    fields: Map<String, Value>,
) -> Result<(ProposalFields, ContractChange), Failure> {
    if fields.contains_key(said) {
        let message = format!("unknown field `{said}`: {why}");
        return Err(Failure::usage(message, HINT));
    }
    let (beside, contract) = beside_contract(names, fields)?;
    match contract.objective {
        Some(_) => Ok((beside, contract)),
        None => Err(missing("objective")),
    }
}

/// The named fields, and the contract that all others make up.
fn beside_contract(
    names: &[&str],
    mut fields: Map<String, Value>,
) -> Result<(ProposalFields, ContractChange), Failure> {
    let taken = names.iter().filter_map(|name| {
        let value = fields.shift_remove(*name)?;
        Some(((*name).to_owned(), value))
    });
    let beside = typed(Value::Object(taken.collect()))?;
    // Models say null for what they leave out; a field that does not exist cannot be left out.
    let known = |name: &str| FIELDS.iter().any(|field| field.name == name);
    fields.retain(|name, value| !(value.is_null() && known(name)));
    let contract = strict(&Value::Object(fields))
        .map_err(|error| Failure::usage(short(&error.to_string(), LONGEST), error.hint()))?;
    Ok((beside, contract))
}
