//! `goal mcp` as hosts use it: the real program, driven by a client that is made of JSON lines.

pub mod client;
mod forms;
mod hosts;
mod offered;
mod phases;
mod session;
mod table;
mod unread;

use serde_json::Value;

use crate::support::Project;

/// Every tool, with what a listing for a model leaves out.
fn all_tools(project: &Project) -> Vec<Value> {
    let mut listed = project.run(&["tool", "--list", "--all"]).ok().data();
    serde_json::from_value(listed["tools"].take()).unwrap()
}

/// Holds structured content against the schema of the tool's data. What is null or an empty list is
/// left out of it, and what the text says.
#[track_caller]
fn fits(project: &Project, tool: &str, content: &Value) {
    let tools = all_tools(project);
    let found = tools.into_iter().find(|it| it["name"] == tool).unwrap();
    let mut schema = found["outputSchema"].clone();
    loosen(&mut schema);
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    if let Err(error) = validator.validate(content) {
        panic!("{tool}: {error} at {}: {content}", error.instance_path());
    }
}

fn loosen(schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(loosen),
        Value::Object(fields) => {
            let properties = fields.get("properties").cloned().unwrap_or_default();
            let can_be_missing = |name: &Value| {
                let name = name.as_str().unwrap();
                let text = properties[name].to_string();
                let is_empty = ["\"null\"", "\"array\""].iter().any(|it| text.contains(it));
                is_empty || ["next", "objective"].contains(&name)
            };
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.retain(|name| !can_be_missing(name));
            }
            fields.values_mut().for_each(loosen);
        }
        _ => {}
    }
}

/// The text that a model reads of a result.
pub fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let texts = blocks.map(|block| block["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

/// The code of the receipt of a result that is no error of the tool, and no success either.
#[track_caller]
fn verdict(result: &Value) -> &str {
    assert_eq!(result["isError"], false, "{result}");
    let receipt = &result["_meta"]["goal-ledger/receipt"];
    assert_eq!(receipt["ok"], false, "{result}");
    receipt["error"]["code"].as_str().unwrap()
}

/// The error code of a result's receipt, which must be that of a failure.
#[track_caller]
fn code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    let receipt = &result["_meta"]["goal-ledger/receipt"];
    assert_eq!(receipt["ok"], false, "{result}");
    receipt["error"]["code"].as_str().unwrap()
}
