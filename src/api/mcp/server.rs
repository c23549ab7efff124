//! The server: lists the tools that fit, calls them, and asks the user about proposals where the
//! client can; offers prompts and resources.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::answer::told;
use super::caller::{Caller, Ran};
use super::identity::{Identity, refuse_host_arguments};
use super::listed::Listed;
use super::readings::Readings;
use super::told::{Sessions, UnderWay};
use super::{Open, elicitation, prompts, resources};
use crate::api::tools::{self, Effect, Tool, ToolAnswer};
use crate::domain::actor::Actor;
use crate::domain::rejection::Rejection;
use crate::ledger::lock::turns::Turns;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::sessions as hooks;
use crate::ops::phase::{Phase, session_phase};
use crate::render::surface::Surface;
use crate::render::text::{clean, short};

/// Told to a client that opens a session which works on a goal, or discusses one.
const INSTRUCTIONS: &str = "\
Goals of this project. Begin with `get_goal`: it says what is to be done and what comes next. When an \
answer says to end the turn, end it.";

/// One server, for one client.
pub(super) struct Server {
    /// An agent, or an auditor, who only reads.
    pub(super) actor: Actor,
    /// Whether an answered form is the user's word.
    pub(super) forms: bool,
    /// What the host's model calls our tools, where the client's name does not say it.
    pub(super) surface: Option<Surface>,
    pub(super) open: Open,
    pub(super) readings: Readings,
    pub(super) sessions: Arc<Sessions>,
    pub(super) listed: Arc<Listed>,
    pub(super) turns: Arc<Turns>,
}

/// What a client is offered beside tools, which are listed as they fit. Where there is nothing it is
/// offered nothing.
#[derive(Debug, Default)]
struct Offer {
    /// There is a project with a place for goals.
    has_prompts: bool,
    /// There is one, and a client that shows resources to its user alone.
    has_resources: bool,
    /// Nothing where no goal is worked on here, since they name a tool for it.
    instructions: Option<String>,
}

impl Offer {
    fn withhold(&self, capabilities: &mut ServerCapabilities) {
        if !self.has_prompts {
            capabilities.prompts = None;
        }
        if !self.has_resources {
            capabilities.resources = None;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let version = env!("CARGO_PKG_VERSION");
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("goal", version))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut opened = self.negotiate_initialize(&request)?;
        let offer = self.offer(&context).await;
        offer.withhold(&mut opened.capabilities);
        opened.instructions = offer.instructions;
        Ok(opened)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        let offer = self.offer(&context).await;
        offer.withhold(&mut info.capabilities);
        info.instructions = offer.instructions;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.caller(&context).map_err(protocol_error)?;
        let tools = self.listed.list(caller, has_subscriptions(&context)).await;
        Ok(ListToolsResult::with_all_items(
            tools.map_err(protocol_error)?,
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::named(&request.name).ok_or_else(|| unknown(&request.name))?;
        let answer = self.called(tool, request, &context).await;
        if tool.effect != Effect::Reads {
            self.listed.check().await;
        }
        answer
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let named = prompts::named(&request.name);
        let prompt = named
            .ok_or_else(|| ErrorData::invalid_params(prompts::unknown(&request.name), None))?;
        let caller = self.caller(&context).map_err(protocol_error)?;
        let filled = prompt
            .filled(&caller, prompts::topic(request.arguments.as_ref()))
            .await;
        if prompt.asks_for_a_goal() {
            self.listed.ask();
            self.listed.check().await;
        }
        Ok(filled.map_err(protocol_error)?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context).map_err(protocol_error)?;
        match resources::read(&caller, &request.uri).await {
            Some(read) => Ok(read.map_err(protocol_error)?.into()),
            None => {
                let said = format!("there is no resource `{}`", short(&request.uri, 100));
                Err(ErrorData::resource_not_found(said, None))
            }
        }
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    /// Tells a client that subscribed of other tools, until it leaves.
    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.listed.hear();
        let until = subscription.request_context().ct.clone();
        while let Some(Ok(())) = until.run_until_cancelled(changes.changed()).await {
            // A client that did not ask for it is not told, and one that left has cancelled.
            let _told = subscription.sink().notify_tool_list_changed().await;
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(misfit(&request))
    }
}

impl Server {
    async fn called(
        &self,
        tool: &'static Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = match self.caller(context) {
            Ok(caller) => caller,
            Err(failure) => return Ok(told(tool, self.surface_of(context), Ran::failed(failure))),
        };
        if let Some(state) = &request.request_state {
            let responses = request.input_responses.as_ref();
            let learn = |answer: &ToolAnswer| self.sessions.learn(&caller.identity, answer);
            return elicitation::resumed(tool, &caller, context, (state, responses), learn).await;
        }
        let mut arguments = request.arguments;
        match tool.name {
            "get_goal" => self.readings.count(&caller.identity, &mut arguments),
            _ => self.readings.went_on(),
        }
        let session = caller.identity.session();
        if tool.effect != Effect::Reads && self.sessions.is_stopped(session) {
            let told = caller.run(|call| Ok(hooks::told(&call))).await.outcome;
            self.sessions
                .hears(session, told.unwrap_or_default().as_ref());
        }
        if tool.effect != Effect::Reads && self.sessions.is_stopped(session) {
            return Ok(told(tool, caller.surface, Ran::failed(after_a_stop())));
        }
        // Held until the call is answered.
        let under_way = Arc::new(
            tool.changes_the_focused_goal()
                .then(|| self.sessions.begin(session)),
        );
        let held = under_way.clone();
        let work = move |call| answered(tool, call, arguments, held.as_ref().as_ref());
        let ran = caller.run(work).await;
        let learn = |answer: &ToolAnswer| self.sessions.learn(&caller.identity, answer);
        if let Ok(answer) = &ran.outcome {
            if tool.name == "get_goal" {
                self.sessions.go_on(session);
            }
            learn(answer);
        }
        match elicitation::waiting(tool, &ran) {
            Some(draft) => elicitation::ask(tool, &caller, context, (ran, draft), learn).await,
            None => Ok(told(tool, caller.surface, ran)),
        }
    }

    /// What a client is offered that opens a session now.
    async fn offer(&self, context: &RequestContext<RoleServer>) -> Offer {
        let Ok(caller) = self.caller(context) else {
            return Offer::default();
        };
        let stand = caller.run(|call| session_phase(&call)).await.outcome;
        let phase = stand.unwrap_or_default().phase;
        let works = matches!(phase, Some(Phase::Draft | Phase::Active | Phase::Resting));
        Offer {
            has_prompts: phase.is_some(),
            has_resources: phase.is_some() && !caller.surface.has_tools_for_resources(),
            instructions: works.then(|| caller.surface.whole_names(INSTRUCTIONS)),
        }
    }

    fn surface_of(&self, context: &RequestContext<RoleServer>) -> Surface {
        let client = || {
            context
                .client_info()
                .map(|client| Surface::of_client(&client.name))
        };
        self.surface.or_else(client).unwrap_or(Surface::Tools)
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, Failure> {
        Ok(Caller {
            actor: self.actor,
            forms: self.forms,
            identity: Identity::of(context)?,
            surface: self.surface_of(context),
            open: self.open.clone(),
            turns: self.turns.clone(),
        })
    }
}

/// What a call is refused for that changes something after an answer ended the turn, where the host does
/// not say which turn it is: nothing tells then whether a new one has begun, but that the goal is read.
fn after_a_stop() -> Failure {
    Failure {
        hint: "end the turn; the next one begins with `get_goal`, after which you can go on"
            .to_owned(),
        ..Rejection::TurnStopped.into()
    }
}

/// Whether the client has to subscribe to hear of changes.
fn has_subscriptions(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28)
}

/// A failure as the protocol's error: answers that list or read have no other place for words.
fn protocol_error(failure: Failure) -> ErrorData {
    let words = format!("{}: {}", failure.message, failure.hint);
    ErrorData::internal_error(clean(&words), None)
}

/// Requests that the protocol's types do not fit; of those we know, the parameters are wrong.
fn misfit(request: &CustomRequest) -> ErrorData {
    match request.method.as_str() {
        "tools/call" => ErrorData::invalid_params(
            "tools/call takes `name`, a string, and `arguments`, an object",
            None,
        ),
        "prompts/get" => ErrorData::invalid_params("prompts/get takes `name`, a string", None),
        "resources/read" => ErrorData::invalid_params("resources/read takes `uri`, a string", None),
        method => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, clean(method), None),
    }
}

fn answered(
    tool: &Tool,
    call: Call,
    arguments: Option<JsonObject>,
    under_way: Option<&UnderWay>,
) -> Result<ToolAnswer, Failure> {
    if !tool.callers().contains(&call.caller.actor) {
        return Err(Rejection::AuditorReadOnly.into());
    }
    let arguments = arguments.as_ref();
    refuse_host_arguments(arguments)?;
    let given = || arguments.cloned().map_or(Value::Null, Value::Object);
    match under_way {
        Some(held) => held.held(call, arguments, |call| tool.call(call, given())),
        None => tool.call(call, given()),
    }
}

/// The protocol has an error of its own for it.
fn unknown(name: &str) -> ErrorData {
    let failure = tools::unknown(name);
    ErrorData::invalid_params(format!("{}: {}", failure.message, failure.hint), None)
}
