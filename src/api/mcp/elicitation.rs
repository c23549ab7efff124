//! Asking the user about a proposal by a form of the client. What they choose is their act, and to decline
//! the form is to reject the proposal; a form that they cancel, or that fails, leaves the proposal waiting
//! for `goal confirm`.
//!
//! Whoever starts a server answers its forms, and an agent can start one. Neither marks nor
//! terminals tell an agent's server from a host's: hosts leave their marks in the servers that they
//! start as well. So forms follow the rule of commands: they are shown only where a command with
//! this server's environment would be the user's, which without a terminal takes `GOAL_ACTOR=user`
//! in the host's configuration.
//!
//! Up to revision 2025-11-25 the server sends the question while the call waits; from 2026-07-28
//! on it answers the call with the question, and the client repeats the call with the answer.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, EnumSchema, ErrorData, InputRequest, InputRequiredResult,
    InputResponses, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};

use super::answer::told;
use super::caller::{Caller, Ran};
use super::decision::{Decision, Question, decide, shown, undecided};
use crate::api::tools::{Tool, ToolAnswer};
use crate::render::pages::Window;
use crate::render::surface::Surface;

/// Name of the question, and of its only field.
const DECISION: &str = "decision";

/// How long a form may stand. Clients end calls sooner, and then the proposal waits as well.
const LONGEST: Duration = Duration::from_secs(600);

/// How often a question is asked anew where what it asks about changed meanwhile.
const ANEW: usize = 3;

/// The draft whose proposal waits for the user after this call.
pub(super) fn waiting(tool: &Tool, ran: &Ran<ToolAnswer>) -> Option<String> {
    if !tool.proposes() {
        return None;
    }
    let data = &ran.outcome.as_ref().ok()?.data;
    let draft = data["draftId"].as_str()?;
    (data["applied"] == false).then(|| draft.to_owned())
}

/// Asks about the draft where the client can show a form; else the tool's own answer has the words
/// for the user.
pub(super) async fn ask(
    tool: &Tool,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
    (ran, draft): (Ran<ToolAnswer>, String),
    learn: impl Fn(&ToolAnswer),
) -> Result<CallToolResponse, ErrorData> {
    if !caller.forms || !shows_forms(context) {
        return Ok(told(tool, caller.surface, ran));
    }
    let window = window(context);
    let question = caller
        .run({
            let draft = draft.clone();
            move |call| Question::about(&call, &draft, window)
        })
        .await;
    let Ok(mut question) = question.outcome else {
        return Ok(told(tool, caller.surface, ran));
    };
    if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
        return Ok(asking(&question, 0));
    }
    let mut decision = sent(context, &question).await;
    for _ in 0..ANEW {
        if decision != Some(Decision::Confirm) {
            break;
        }
        let id = draft.clone();
        let now = caller.run(move |call| Question::about(&call, &id, window));
        // What became of one that does not wait any more is said below.
        let Ok(now) = now.await.outcome else { break };
        if now.is_as(&question) {
            break;
        }
        question = now;
        decision = sent(context, &question).await;
    }
    let ran = match decision {
        None => ran,
        Some(decision) => decided(caller, question.state(0), decision).await,
    };
    if let Ok(answer) = &ran.outcome {
        learn(answer);
    }
    Ok(told(tool, caller.surface, ran))
}

/// The call of before, repeated with the answer to its question. Nothing is proposed again.
pub(super) async fn resumed(
    tool: &Tool,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
    (state, responses): (&str, Option<&InputResponses>),
    learn: impl Fn(&ToolAnswer),
) -> Result<CallToolResponse, ErrorData> {
    // Who shows no forms, or may show none, was asked nothing, so no person can have answered.
    if !tool.proposes() || !caller.forms || !shows_forms(context) {
        return Err(ErrorData::invalid_params(
            format!("{} asked nothing", tool.name),
            None,
        ));
    }
    let answer = responses.and_then(|all| all.get(DECISION)).cloned();
    let answer: Option<ElicitResult> = answer.and_then(|it| serde_json::from_value(it).ok());
    let is_read = answer.as_ref().is_some_and(is_read);
    if is_read && let Some((question, next)) = next_page(caller, context, state).await {
        return Ok(asking(&question, next));
    }
    let state = state.to_owned();
    let asks = asks_before_it_declines(context);
    let ran = match answer.and_then(|answer| chosen(&answer, asks)) {
        Some(decision) => decided(caller, state, decision).await,
        None => caller.run(move |call| undecided(&call, &state)).await,
    };
    if let Ok(answer) = &ran.outcome {
        learn(answer);
    }
    Ok(told(tool, caller.surface, ran))
}

/// The question whose page this state names, and its next page; its first one where another contract is
/// proposed now, or it would change another one. Nothing where that was the last, or nothing is proposed.
async fn next_page(
    caller: &Caller,
    context: &RequestContext<RoleServer>,
    state: &str,
) -> Option<(Question, usize)> {
    let (window, id) = (window(context), shown(state)?.2.to_owned());
    let question = caller.run(move |call| Question::about(&call, &id, window));
    let question = question.await.outcome.ok()?;
    let next = question.page_after(state)?;
    Some((question, next))
}

/// The answer that asks with this page.
fn asking(question: &Question, page: usize) -> CallToolResponse {
    let request = InputRequest::Elicitation(form(question, page));
    let requests = BTreeMap::from([(DECISION.to_owned(), request)]);
    InputRequiredResult::new(Some(requests), Some(question.state(page))).into()
}

/// What the client shows of a form. Claude Code 2.1.330 shows two lines, each cut at the window's width;
/// Qwen Code is taken to do the same, and of other clients it is not known that they cut.
fn window(context: &RequestContext<RoleServer>) -> Option<Window> {
    let client = context.client_info()?;
    let cuts = matches!(
        Surface::of_client(&client.name),
        Surface::Claude | Surface::Qwen
    );
    cuts.then_some(Window {
        lines: 2,
        columns: 72,
    })
}

/// Carries out what the person in front of the client chose.
async fn decided(caller: &Caller, state: String, decision: Decision) -> Ran<ToolAnswer> {
    let user = caller.user();
    let surface = caller.surface;
    user.run(move |call| decide(call, &state, decision, surface))
        .await
}

/// Whether the client shows forms; one that does not say which kinds it knows knows this one.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|it| it.elicitation);
    elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none())
}

/// The form of this page. Only the last one has a field.
fn form(question: &Question, page: usize) -> ElicitRequest {
    let schema = ElicitationSchema::builder();
    let is_last = page + 1 == question.pages.len();
    let choice = EnumSchema::builder(Decision::WORDS.map(str::to_owned).to_vec())
        .untitled()
        .title("Your decision")
        .description("Reject or decline to have it proposed again; cancel to decide later.")
        .build();
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.pages[page].clone(),
        requested_schema: match is_last {
            true => schema.required_enum_schema(DECISION, choice),
            false => schema,
        }
        .build_unchecked(),
    })
}

/// Whether a form that this client declines was shown to somebody. `codex exec` declines every form by
/// itself, and says nothing by which it could be told from the program at a terminal.
fn asks_before_it_declines(context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_info();
    !client.is_some_and(|client| Surface::of_client(&client.name) == Surface::Codex)
}

/// Sends the question and waits; nothing when the user chose nothing or the call was cancelled. A page
/// is followed by the next once it was read.
async fn sent(context: &RequestContext<RoleServer>, question: &Question) -> Option<Decision> {
    let last = question.pages.len().checked_sub(1)?;
    let asks = asks_before_it_declines(context);
    for page in 0..last {
        let answer = answered(context, question, page).await?;
        if !is_read(&answer) {
            return chosen(&answer, asks);
        }
    }
    chosen(&answered(context, question, last).await?, asks)
}

/// Sends one form and waits.
async fn answered(
    context: &RequestContext<RoleServer>,
    question: &Question,
    page: usize,
) -> Option<ElicitResult> {
    let request = ServerRequest::ElicitRequest(form(question, page));
    let options = PeerRequestOptions::with_timeout(LONGEST);
    let asking = async {
        let handle = context.peer.send_request_with_option(request, options);
        handle.await.ok()?.await_response().await.ok()
    };
    match context.ct.run_until_cancelled(asking).await?? {
        ClientResult::ElicitResult(answer) => Some(answer),
        _ => None,
    }
}

/// Whether the user went on from this page.
fn is_read(answer: &ElicitResult) -> bool {
    answer.action == ElicitationAction::Accept
}

/// What the user chose in the form: nothing unless they sent it with one of its two words, or declined it
/// where the client asks them first.
fn chosen(answer: &ElicitResult, asks: bool) -> Option<Decision> {
    match answer.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline if asks => return Some(Decision::Reject),
        _ => return None,
    }
    let word = answer.content.as_ref()?.get(DECISION)?.as_str()?;
    serde_json::from_value(word.into()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_a_word_of_the_form_decides() {
        let answered = |value: Value| chosen(&serde_json::from_value(value).unwrap(), true);
        let accept = |content: Value| answered(json!({ "action": "accept", "content": content }));
        assert_eq!(
            accept(json!({ "decision": "confirm" })),
            Some(Decision::Confirm)
        );
        assert_eq!(
            accept(json!({ "decision": "reject" })),
            Some(Decision::Reject)
        );
        for odd in [
            json!({}),
            json!({ "decision": "" }),
            json!({ "decision": "Confirm" }),
            json!({ "decision": true }),
            json!({ "confirm": true }),
            json!(null),
            json!([]),
            json!("confirm"),
        ] {
            assert_eq!(accept(odd.clone()), None, "{odd}");
        }
        assert_eq!(answered(json!({ "action": "accept" })), None);
        let content = json!({ "decision": "confirm" });
        let ended = |action: &str| json!({ "action": action, "content": content });
        assert_eq!(answered(ended("cancel")), None);
        assert_eq!(answered(ended("decline")), Some(Decision::Reject));
        let declined = serde_json::from_value(ended("decline")).unwrap();
        assert_eq!(chosen(&declined, false), None);
    }
}
