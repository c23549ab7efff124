//! Who calls, from what the host sends with every request beside the model's arguments.

use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::api::tools::HOST_ARGUMENTS;
use crate::ops::call::{Call, host_id};
use crate::ops::failure::Failure;
use crate::workspace::actor::Marks;

/// Where Codex says which session and turn a call belongs to.
const CODEX_TURN: &str = "x-codex-turn-metadata";

/// What the host said of one call. That is no idempotency key: numbers of requests and progress
/// tokens begin anew with every process, and names of a model's calls are the model's to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Identity {
    session: Option<String>,
    turn: Option<String>,
    client: Option<String>,
}

impl Identity {
    /// # Errors
    /// An id that cannot stand in the ledger.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Result<Identity, Failure> {
        let client = context.client_info().map(|client| client.name);
        Identity::read(&context.meta, client)
    }

    fn read(meta: &JsonObject, client: Option<String>) -> Result<Identity, Failure> {
        let turn = codex_turn(meta.get(CODEX_TURN));
        let said = |name: &str| {
            let id = turn.get(name).and_then(Value::as_str);
            host_id(&format!("`{name}` in `{CODEX_TURN}`"), id)
        };
        Ok(Identity {
            session: said("session_id")?,
            turn: said("turn_id")?,
            client,
        })
    }

    /// The host's session, where it says which.
    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The host's turn, where it says which.
    pub(super) fn turn(&self) -> Option<&str> {
        self.turn.as_deref()
    }

    /// Says it of the call, where the server's own options do not say otherwise.
    pub(super) fn apply(self, call: &mut Call) {
        let caller = &mut call.caller;
        caller.session = caller.session.take().or(self.session);
        caller.turn = caller.turn.take().or(self.turn);
        caller.via = caller.via.take().or_else(|| {
            let client = self.client.as_deref();
            client.and_then(|name| Marks::of_host(name).via())
        });
    }
}

/// An object, or the text of one.
fn codex_turn(said: Option<&Value>) -> JsonObject {
    match said {
        Some(Value::Object(turn)) => turn.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => JsonObject::new(),
    }
}

/// Refuses arguments that are the host's to say: a model could take another session's place.
///
/// # Errors
/// One of them is there.
pub(super) fn refuse_host_arguments(arguments: Option<&JsonObject>) -> Result<(), Failure> {
    let named = |name: &&&str| arguments.is_some_and(|all| all.contains_key(**name));
    match HOST_ARGUMENTS.iter().find(named) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(
            format!("unknown field `{name}`: it is the host's to say"),
            format!("leave `{name}` out"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(meta: Value) -> Result<Identity, Failure> {
        Identity::read(meta.as_object().unwrap(), Some("a client".into()))
    }

    #[test]
    fn codex_says_session_and_turn_as_object_or_text() {
        let turn = json!({ "session_id": "s", "turn_id": "t", "model": "m" });
        for said in [turn.clone(), turn.to_string().into()] {
            let identity = read(json!({ CODEX_TURN: said })).unwrap();
            assert_eq!(identity.session.as_deref(), Some("s"));
            assert_eq!(identity.turn.as_deref(), Some("t"));
        }
    }

    #[test]
    fn what_is_no_such_thing_says_nothing() {
        let nobody = read(json!({})).unwrap();
        assert_eq!(nobody.client.as_deref(), Some("a client"));
        for odd in [
            json!(null),
            json!(1),
            json!([]),
            json!("{"),
            json!("[]"),
            json!({ "session_id": 7 }),
        ] {
            assert_eq!(read(json!({ CODEX_TURN: odd })).unwrap(), nobody);
        }
    }

    #[test]
    fn an_id_that_cannot_stand_in_the_ledger_is_refused() {
        for odd in ["", "a\nb", &"x".repeat(257)] {
            let failure = read(json!({ CODEX_TURN: { "turn_id": odd } })).unwrap_err();
            assert!(failure.message.contains("turn_id"), "{}", failure.message);
        }
    }

    #[test]
    fn a_model_does_not_say_who_it_is() {
        assert!(refuse_host_arguments(None).is_ok());
        for name in HOST_ARGUMENTS {
            let arguments = json!({ "note": "n", name: null });
            let failure = refuse_host_arguments(arguments.as_object()).unwrap_err();
            assert!(failure.message.contains(name), "{}", failure.message);
        }
    }
}
