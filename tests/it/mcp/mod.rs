//! `goal mcp` as hosts use it: the real program, driven by a client that is made of JSON lines.

mod client;
mod forms;
mod hosts;
mod session;
mod table;
mod unread;

use serde_json::Value;

/// The text that a model reads of a result.
fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let texts = blocks.map(|block| block["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

/// The error code of a result's receipt, which must be that of a failure.
#[track_caller]
fn code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    let receipt = &result["_meta"]["goal-ledger/receipt"];
    assert_eq!(receipt["ok"], false, "{result}");
    receipt["error"]["code"].as_str().unwrap()
}
