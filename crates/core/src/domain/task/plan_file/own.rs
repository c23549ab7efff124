//! Our own JSON: a list of tasks, or an object with `tasks`, `decomp` and `blockCompletion`. It is read
//! strictly: a misspelt condition must not silently be none.

use serde::de::DeserializeOwned;

use super::formats::Source;
use super::{Plan, PlanError};
use crate::domain::task::spec::TreeGiven;

pub(super) fn detect(source: &Source<'_>) -> bool {
    source.body().trim_start().starts_with(['[', '{'])
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let text = source.body().trim_start();
    let tree = match text.starts_with('[') {
        true => TreeGiven {
            tasks: strict(text)?,
            ..TreeGiven::default()
        },
        false => strict(text)?,
    };
    Ok(Plan {
        tasks: tree.tasks,
        decomp: tree.decomp,
        block_completion: tree.block_completion,
        ..Plan::default()
    })
}

fn strict<T: DeserializeOwned>(text: &str) -> Result<T, PlanError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner();
        PlanError::Json(match path.as_str() {
            "." => format!("the tasks are no JSON that can be read: {why}"),
            path => format!("`{path}`: {why}"),
        })
    })?;
    json.end()
        .map_err(|error| PlanError::Json(error.to_string()))?;
    Ok(value)
}
