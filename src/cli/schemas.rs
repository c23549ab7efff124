//! Every schema by its name: of the interfaces, of each command's data, and of the tools.

use serde_json::Value;

use crate::api::schema::{INTERFACES, Row, standard};
use crate::api::tools::{self, TOOLS};
use crate::cli::command::SCHEMAS;

fn rows() -> Vec<&'static Row> {
    let mut rows: Vec<&Row> = INTERFACES.iter().chain(SCHEMAS).collect();
    rows.sort_unstable_by_key(|(place, ..)| *place);
    rows
}

/// Every name, in the order of their places.
pub fn names() -> impl Iterator<Item = &'static str> {
    let rows = rows().into_iter().map(|(_, name, _)| *name);
    rows.chain(TOOLS.iter().map(|tool| tool.name))
}

/// The schema of this name.
pub fn named(name: &str) -> Option<Value> {
    let mut schema = match rows().into_iter().find(|(_, known, _)| *known == name) {
        Some((_, _, make)) => make(),
        None => tools::named(name)?.result_schema(),
    };
    // A command's type may serve several: what callers know is the name in the envelope.
    schema.insert("title".into(), format!("goal/{name}/1").into());
    Some(standard(schema))
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
        assert_eq!(all.len(), names().count());
        assert_eq!(named("nothing"), None);
        let places = rows().into_iter().map(|(place, ..)| usize::from(*place));
        assert!(
            places.eq(1..=INTERFACES.len() + SCHEMAS.len()),
            "a place is taken twice"
        );
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
