//! The envelope: exactly one JSON document on stdout, in every state
//! (docs/design/surfaces.md#one-answer).

use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::ops::failure::Failure;

/// The document; its data in whatever form it is at hand.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<'a, D> {
    ok: bool,
    schema: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<D>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_turn: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notices: &'a [Diagnostic],
}

/// The document of a call that did what was asked. `name` is the command's.
pub fn success<'a, D: Serialize>(
    name: &str,
    root: Option<&'a str>,
    data: Option<D>,
    stop_turn: bool,
) -> Envelope<'a, D> {
    Envelope {
        ok: true,
        schema: schema(name),
        root,
        error: None,
        data,
        stop_turn: Some(stop_turn),
        notices: &[],
    }
}

/// The document of a call that did not, or that has findings: then the full data is there too.
pub fn failure<'a, D: Serialize>(
    name: &str,
    root: Option<&'a str>,
    failure: &'a Failure,
    data: Option<D>,
) -> Envelope<'a, D> {
    Envelope {
        ok: false,
        schema: schema(name),
        root,
        error: Some(failure),
        data,
        stop_turn: None,
        notices: &[],
    }
}

impl<'a, D> Envelope<'a, D> {
    /// The same document with what there is to know of the ledger's place, where there is something.
    pub fn noticing(self, notices: &'a [Diagnostic]) -> Envelope<'a, D> {
        Envelope { notices, ..self }
    }
}

fn schema(name: &str) -> String {
    format!("goal/{name}/1")
}
