//! What a tool answers, as a result of the protocol.

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, to_value};

use super::caller::Ran;
use super::structured::structured;
use crate::api::envelope;
use crate::api::tools::{Tool, ToolAnswer};
use crate::domain::diagnostic::Diagnostic;
use crate::ops::hook::acts::as_typed;
use crate::render::surface::Surface;
use crate::render::text::clean;

/// Where a result carries the receipt: the envelope of `goal tool` without its data.
pub(super) const RECEIPT: &str = "goal-ledger/receipt";

/// Fields of a tool's data that are for the model.
const WORDS: [&str; 3] = ["text", "next", "nudge"];

/// What a tool came to, as a response. The text is for the model, the structured content for programs. Some
/// hosts show their model that alone, others both, so a host that we know gets the text and nothing beside
/// it. Both have the names of tools that the model calls.
pub(super) fn told(tool: &Tool, surface: Surface, mut ran: Ran<ToolAnswer>) -> CallToolResponse {
    let typed_acts = ran.typed_acts;
    let of_the_user = |text: &str| match typed_acts {
        Some(before) => as_typed(before, text),
        None => text.to_owned(),
    };
    if let Ok(answer) = &mut ran.outcome {
        for name in WORDS {
            if let Some(Value::String(words)) = answer.data.get_mut(name) {
                *words = surface.whole_names(words);
                // What others tell is a summary, whose bytes stay.
                if tool.proposes() {
                    *words = of_the_user(words);
                }
            }
        }
    }
    let Ran {
        root,
        outcome,
        remarks,
        ..
    } = ran;
    let (name, root) = (tool.name, root.as_deref());
    let failed = |failure, next: &str| {
        let receipt = envelope::failure(name, root, failure, None::<()>);
        let said = refused(
            &of_the_user(&surface.whole_names(&failure.message)),
            &of_the_user(&surface.whole_names(next)),
        );
        (receipt, said)
    };
    let (receipt, mut result) = match &outcome {
        Err(failure) => failed(failure, &failure.hint),
        Ok(answer) => match &answer.failure {
            // What to do next is in the tool's own words, for those who have the tools. A verdict is no
            // error of the tool, which did what it was asked for; hosts show errors as broken tools.
            Some(failure) => {
                let (receipt, mut said) = failed(failure, text_of(&answer.data));
                said.is_error = Some(false);
                (receipt, said)
            }
            None => (
                envelope::success(name, root, None::<()>, answer.stop_turn),
                CallToolResult::success(vec![ContentBlock::text(text_of(&answer.data))]),
            ),
        },
    };
    // Texts, flags and diagnostics: there is nothing in it that JSON cannot say.
    let receipt = to_value(receipt.noticing(&remarks)).unwrap_or_default();
    let data = outcome.ok().map(|answer| answer.data);
    result.structured_content = data.filter(|_| surface == Surface::Tools).map(structured);
    remark(&mut result, &remarks);
    result.meta = Some(MetaObject(Map::from_iter([(RECEIPT.to_owned(), receipt)])));
    result.into()
}

/// Says to the model, too, what the receipt notices: in the first block, as a command line does.
fn remark(result: &mut CallToolResult, remarks: &[Diagnostic]) {
    let Some(ContentBlock::Text(first)) = result.content.first_mut() else {
        return;
    };
    for notice in remarks {
        let (message, hint) = (clean(&notice.message), clean(&notice.hint));
        first.text.push_str(&format!("\nnote: {message}\n  {hint}"));
    }
}

/// One block, since some clients show the first only.
fn refused(message: &str, next: &str) -> CallToolResult {
    let text = format!("{}\n{}", clean(message), clean(next));
    CallToolResult::error(vec![ContentBlock::text(text.trim_end())])
}

/// Every tool's data has a text.
fn text_of(data: &Value) -> &str {
    data["text"].as_str().unwrap_or_default()
}
