//! What a tool answers, as a result of the protocol.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};

use crate::api::envelope;
use crate::api::tools::{Answer, Tool};
use crate::ops::failure::Failure;
use crate::render::text::clean;

/// Where a result carries the receipt: the envelope of `goal tool` without its data.
pub(super) const RECEIPT: &str = "goal-ledger/receipt";

/// The result of a tool's call. The text is for the model, the structured content for whoever
/// checks it against the tool's output schema.
pub(super) fn result(
    tool: &Tool,
    root: Option<&str>,
    answer: Result<Answer, Failure>,
) -> CallToolResult {
    let name = tool.name;
    let (receipt, mut result) = match answer {
        Ok(answer) => {
            let text = text_of(&answer.data);
            let (receipt, mut result) = match &answer.failure {
                None => (
                    envelope::success(name, root, Value::Null, answer.stop_turn),
                    CallToolResult::success(vec![text]),
                ),
                Some(failure) => (
                    envelope::failure(name, root, failure, None),
                    CallToolResult::error(vec![explained(failure), text]),
                ),
            };
            result.structured_content = Some(answer.data);
            (receipt, result)
        }
        Err(failure) => (
            envelope::failure(name, root, &failure, None),
            CallToolResult::error(vec![explained(&failure)]),
        ),
    };
    result.meta = Some(MetaObject(Map::from_iter([(
        RECEIPT.to_owned(),
        without_data(receipt),
    )])));
    result
}

/// The data stands in the structured content.
fn without_data(mut receipt: Value) -> Value {
    if let Value::Object(fields) = &mut receipt {
        fields.shift_remove("data");
    }
    receipt
}

/// Every tool's data has a text.
fn text_of(data: &Value) -> ContentBlock {
    ContentBlock::text(data["text"].as_str().unwrap_or_default())
}

fn explained(failure: &Failure) -> ContentBlock {
    let hint = match failure.hint.as_str() {
        "" => String::new(),
        hint => format!("\n{}", clean(hint)),
    };
    ContentBlock::text(format!("{}{hint}", clean(&failure.message)))
}
