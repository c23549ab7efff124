//! JSON Schemas of everything that machines read (docs/design/surfaces.md#one-answer): one table of
//! names. What it makes is committed under `schemas/` and compared by a test.

mod events;
mod fixed;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::api::tools::{self, TOOLS, ToolList};
use crate::domain::task::answer::PlannerAnswer;
use crate::domain::task::plan::PlannerInput;
use crate::ops;
use crate::ops::complete::{Completed, Pending};
use crate::ops::contracted::Contracted;
use crate::ops::transacted::{Outcome, Transacted};
use crate::render::view::NextView;
use crate::roles::{evaluator, interpreter, summarizer};

type Row = (&'static str, fn() -> Schema);

/// Name and maker of every schema: of the interfaces, then of each command's `data`. `goal schema`
/// prints them in this order, and then those of the tools. A new command adds its line, which a
/// test in `cli` misses otherwise.
const TABLE: &[Row] = &[
    ("envelope", fixed::envelope),
    ("errors", fixed::errors),
    ("events", events::line),
    ("frontmatter", fixed::frontmatter),
    ("planner-input", data::<PlannerInput>),
    ("planner-answer", read::<PlannerAnswer>),
    ("version", data::<ops::about::Version>),
    ("help", data::<ops::about::Help>),
    ("init", data::<ops::init::Initialised>),
    ("set", data::<Transacted>),
    ("list", data::<ops::list::Listed>),
    ("show", data::<ops::show::Shown>),
    ("status", data::<ops::status::Overview>),
    ("log", events::logged),
    ("focus", data::<Transacted>),
    ("unfocus", data::<Transacted>),
    ("adopt", data::<Transacted>),
    ("lease", data::<ops::lease::Leased>),
    ("draft", data::<Transacted>),
    ("propose", data::<Outcome<Contracted>>),
    ("drafts", data::<ops::drafts::DraftList>),
    ("confirm", data::<Outcome<Contracted>>),
    ("reject", data::<Transacted>),
    ("tweak", data::<Outcome<Contracted>>),
    ("run", data::<ops::run::Runs>),
    ("delegate", data::<Outcome<Contracted>>),
    ("audits", data::<ops::audits::Audits>),
    ("commitments", data::<ops::delegate::Commitments>),
    ("usage", data::<Outcome<ops::usage::Used>>),
    ("budget", data::<Outcome<ops::budget::Budgeted>>),
    ("pause", data::<Transacted>),
    ("resume", data::<Transacted>),
    ("block", data::<Transacted>),
    ("note", data::<Transacted>),
    ("plan", data::<Outcome<ops::plan::Planned>>),
    ("procedure", data::<ops::procedure::Procedures>),
    ("baseline", data::<Outcome<ops::baseline::Baselined>>),
    ("evaluate", data::<Outcome<ops::evaluate::Evaluated>>),
    ("escalate", data::<Outcome<ops::plan::Planned>>),
    ("agenda", data::<Outcome<ops::agenda::Agenda>>),
    ("next", data::<NextView>),
    ("stack", data::<ops::tasks::Stack>),
    ("task", data::<Outcome<ops::tasks::Tasked>>),
    ("evidence", data::<Outcome<ops::tasks::Tasked>>),
    ("import", data::<ops::import::Imported>),
    ("review", data::<Outcome<ops::review::Reviewed>>),
    ("step", data::<ops::step::Stepped>),
    ("check", data::<Outcome<ops::check::Checked>>),
    ("iterate", data::<ops::iterate::Iterated>),
    ("questions", data::<ops::questions::OpenQuestions>),
    ("ask", data::<Transacted>),
    ("answer", data::<Transacted>),
    ("interpret", data::<Outcome<ops::interpret::Interpreted>>),
    ("context", data::<Outcome<ops::context::Summarized>>),
    ("evaluator-input", data::<evaluator::Evaluation>),
    ("evaluator-reply", read::<evaluator::Judgement>),
    (
        "evaluator-progress-input",
        data::<crate::domain::progress::question::ProgressQuestion>,
    ),
    (
        "evaluator-progress-reply",
        read::<crate::roles::progress::ProgressReply>,
    ),
    ("interpreter-input", data::<interpreter::Interpreting>),
    ("interpreter-reply", read::<interpreter::Interpretation>),
    ("summarizer-input", data::<summarizer::Summarizing>),
    ("summarizer-reply", read::<summarizer::Summing>),
    ("abort", data::<Transacted>),
    ("fail", data::<Transacted>),
    ("abandon", data::<Transacted>),
    ("complete", data::<Completion>),
    ("summary", data::<ops::summary::Summarised>),
    ("tool", data::<ToolList>),
    ("tour", data::<ops::tour::Toured>),
    ("prompt", data::<ops::prompt::Prompted>),
    ("hook", fixed::hook),
    ("doctor", data::<ops::doctor::Diagnosis>),
    ("settle", data::<ops::settle::Settled>),
    ("verify", data::<ops::verify::Verified>),
    ("repair", data::<ops::repair::Repaired>),
    ("trust", data::<ops::trust::Trusted>),
    ("auditor", data::<ops::auditor_test::Tested>),
    ("config", data::<ops::config::Settings>),
    ("schema", fixed::schemas),
];

/// What `complete` answers: about the goal that is meant, or with `--pending` about those that waited.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is made")]
enum Completion {
    One(Box<Completed>),
    Waiting(Pending),
}

/// Every name, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    let commands = TABLE.iter().map(|(name, _)| *name);
    commands.chain(TOOLS.iter().map(|tool| tool.name))
}

/// The schema of this name.
pub fn named(name: &str) -> Option<Value> {
    let mut schema = match TABLE.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => make(),
        None => tools::named(name)?.result_schema(),
    };
    // A command's type may serve several: what callers know is the name in the envelope.
    schema.insert("title".into(), format!("goal/{name}/1").into());
    Some(standard(schema))
}

/// The schema without what only this program would understand.
pub fn standard(schema: Schema) -> Value {
    let mut value = schema.to_value();
    plain(&mut value);
    value
}

/// The schema of an outcome, as it is printed.
pub(super) fn data<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema of what others write and we read.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_formats_standard() {
        let mut all: Vec<&str> = names().collect();
        for name in &all {
            let text = named(name).unwrap().to_string();
            assert!(
                !text.contains("\"format\":\"uint") && !text.contains("\"int64\""),
                "{name}"
            );
            assert!(
                text.contains(&format!("\"title\":\"goal/{name}/1\"")),
                "{name}"
            );
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), TABLE.len() + TOOLS.len());
        assert_eq!(named("nothing"), None);
    }

    #[test]
    fn every_reference_has_its_definition() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                Value::Object(fields) => {
                    found.extend(
                        fields
                            .get("$ref")
                            .and_then(Value::as_str)
                            .map(str::to_owned),
                    );
                    fields.values().for_each(|field| references(field, found));
                }
                _ => {}
            }
        }
        for name in names() {
            let schema = named(name).unwrap();
            let mut found = Vec::new();
            references(&schema, &mut found);
            for reference in found {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(schema.pointer(pointer).is_some(), "{name}: {reference}");
            }
        }
    }
}
