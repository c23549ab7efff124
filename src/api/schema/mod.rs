//! JSON Schemas of everything that machines read (docs/design/surfaces.md#one-answer). A test has
//! the digest of each.

pub mod events;
pub mod fixed;
mod open;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::domain::progress::ProgressQuestion;
use crate::domain::schema::root;
use crate::domain::task::answer::PlannerAnswer;
use crate::domain::task::plan::PlannerInput;
use crate::ops;
use crate::roles::progress::ProgressReply;
use crate::roles::{evaluator, interpreter, summarizer};

/// Place among all schemas, name and maker of a schema. `goal schema` prints them in the order of
/// their places, and then those of the tools.
pub type Row = (u8, &'static str, fn() -> Schema);

/// The schemas of the interfaces; the table of commands has those of each command's `data`.
pub const INTERFACES: &[Row] = &[
    (1, "envelope", fixed::envelope),
    (2, "errors", fixed::errors),
    (3, "events", events::line),
    (4, "frontmatter", fixed::frontmatter),
    (5, "planner-input", data::<PlannerInput>),
    (6, "planner-answer", read::<PlannerAnswer>),
    (7, "version", data::<ops::about::Version>),
    (8, "help", data::<ops::about::Help>),
    (55, "evaluator-input", data::<evaluator::Evaluation>),
    (56, "evaluator-reply", read::<evaluator::Judgement>),
    (57, "evaluator-progress-input", data::<ProgressQuestion>),
    (58, "evaluator-progress-reply", read::<ProgressReply>),
    (59, "interpreter-input", data::<interpreter::Interpreting>),
    (60, "interpreter-reply", read::<interpreter::Interpretation>),
    (61, "summarizer-input", data::<summarizer::Summarizing>),
    (62, "summarizer-reply", read::<summarizer::Summing>),
    (83, "dry-run", data::<ops::rehearse::Rehearsal>),
    (86, "notification", data::<ops::notify::Notification>),
];

/// The schema without what only this program would understand.
pub fn standard(schema: Schema) -> Value {
    let mut value = schema.to_value();
    plain(&mut value);
    value
}

/// The schema of an outcome, as it is printed.
pub fn data<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(open::open);
    root::<T>(settings)
}

/// The schema of what others write and we read.
fn read<T: JsonSchema>() -> Schema {
    root::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Takes out the number formats that only Rust knows; no validator does.
fn plain(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(fields) => {
            let of_rust = |format: &str| {
                ["uint", "int", "float", "double"]
                    .iter()
                    .any(|kind| format.starts_with(kind))
            };
            if fields
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(of_rust)
            {
                fields.shift_remove("format");
            }
            fields.values_mut().for_each(plain);
        }
        _ => {}
    }
}
