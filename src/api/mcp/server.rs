//! The server: lists the table, calls its tools, and asks the user about proposals where the
//! client can.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::answer::told;
use super::caller::{Caller, Ran};
use super::identity::{Identity, refuse_host_arguments};
use super::readings::Readings;
use super::{Open, elicitation, listing};
use crate::api::tools::{self, Answer, Tool};
use crate::domain::actor::Actor;
use crate::domain::rejection::Rejection;
use crate::ledger::lock::turns::Turns;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::clean;

/// Told to every client that opens a session.
const INSTRUCTIONS: &str = "\
The goals of this project, in an append-only ledger. Begin with get_goal: it says what is to be \
done and what comes next. Goals are the user's to create, focus and resume; an independent auditor \
decides about completion. When an answer says to end the turn, end it.";

/// One server, for one client.
pub(super) struct Server {
    /// An agent, or an auditor, who only reads.
    pub(super) actor: Actor,
    /// Whether an answered form is the user's word.
    pub(super) forms: bool,
    pub(super) open: Open,
    pub(super) readings: Readings,
    pub(super) turns: Arc<Turns>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("goal", version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listing::tools(self.actor)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::named(&request.name).ok_or_else(|| unknown(&request.name))?;
        let caller = match Identity::of(&context) {
            Ok(identity) => Caller {
                actor: self.actor,
                forms: self.forms,
                identity,
                open: self.open.clone(),
                turns: self.turns.clone(),
            },
            Err(failure) => return Ok(told(tool, Ran::failed(failure))),
        };
        if let Some(state) = &request.request_state {
            let responses = request.input_responses.as_ref();
            return elicitation::resumed(tool, &caller, &context, state, responses).await;
        }
        let mut arguments = request.arguments;
        if tool.name == "get_goal" {
            self.readings.count(&caller.identity, &mut arguments);
        }
        let ran = caller
            .run(move |call| answered(tool, call, arguments))
            .await;
        match elicitation::waiting(tool, &ran) {
            Some(draft) => elicitation::ask(tool, &caller, &context, ran, draft).await,
            None => Ok(told(tool, ran)),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(misfit(&request))
    }
}

/// Requests that the protocol's types do not fit; of those we know, the parameters are wrong.
fn misfit(request: &CustomRequest) -> ErrorData {
    match request.method.as_str() {
        "tools/call" => ErrorData::invalid_params(
            "tools/call takes `name`, a string, and `arguments`, an object",
            None,
        ),
        method => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, clean(method), None),
    }
}

fn answered(tool: &Tool, call: Call, arguments: Option<JsonObject>) -> Result<Answer, Failure> {
    if !tool.callers().contains(&call.caller.actor) {
        return Err(Rejection::AuditorReadOnly.into());
    }
    refuse_host_arguments(arguments.as_ref())?;
    tool.call(call, arguments.map_or(Value::Null, Value::Object))
}

/// The protocol has an error of its own for it.
fn unknown(name: &str) -> ErrorData {
    let failure = tools::unknown(name);
    ErrorData::invalid_params(format!("{}: {}", failure.message, failure.hint), None)
}
