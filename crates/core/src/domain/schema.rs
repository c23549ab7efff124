//! The JSON Schema of a type with all that it refers to. `schemars` has a function for this that is generic:
//! it would be compiled, and stand in the program, for each of 200 types.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// The schema of this type, as the settings want it. A type that holds itself is referred to by its name.
pub fn root<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    made(settings, T::schema_name, T::json_schema)
}

fn made(
    settings: SchemaSettings,
    name: fn() -> Cow<'static, str>,
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> Schema {
    let mut generator = settings.into_generator();
    let mut root = schema(&mut generator);
    let fields = root.ensure_object();
    let title = fields.entry("title");
    title.or_insert_with(|| Value::String(name().into_owned()));
    if let Some(draft) = &generator.settings().meta_schema {
        fields.insert("$schema".to_owned(), draft.as_ref().into());
    }
    let definitions = generator.take_definitions(false);
    if !definitions.is_empty() {
        fields.insert("$defs".to_owned(), Value::Object(definitions));
    }
    for transform in generator.transforms_mut() {
        transform.transform(&mut root);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{AuditResult, GoalCreated};

    fn is_that_of_the_library<T: JsonSchema>() {
        for settings in [
            SchemaSettings::draft2020_12().for_serialize(),
            SchemaSettings::draft2020_12()
                .for_deserialize()
                .with(|it| it.inline_subschemas = true),
        ] {
            let generator = settings.clone().into_generator();
            let expected = generator.into_root_schema_for::<T>().to_value();
            let made = root::<T>(settings).to_value();
            // Also in the same order.
            assert_eq!(made.to_string(), expected.to_string());
        }
    }

    #[test]
    fn the_schema_is_that_of_the_library() {
        is_that_of_the_library::<AuditResult>();
        is_that_of_the_library::<GoalCreated>();
        is_that_of_the_library::<Vec<u32>>();
        is_that_of_the_library::<crate::domain::proof::Proof>();
    }
}
