//! Requests that were answered, so that a repeated one appends nothing
//! (docs/ledger-format.md#idempotency-keys).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::actor::Caller;
use crate::domain::goal::push_bounded;
use crate::domain::line::LineRef;

/// How many lines with a request key are remembered.
const REMEMBERED: usize = 10_000;

/// A line that was appended for a request, and the hash of the request's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredRequest {
    pub hash: u64,
    pub line: LineRef,
}

/// The latest replayed lines that have a request key. A replay that goes on from a saved state lacks
/// the earlier ones: the caller passes them in, since they are seldom needed.
#[derive(Debug, Clone, Default)]
pub struct Requests(VecDeque<AnsweredRequest>);

impl Requests {
    /// Records that a line with this key was appended.
    pub(in crate::domain) fn record(&mut self, key: &str, line: LineRef) {
        let hash = hash(key);
        push_bounded(&mut self.0, AnsweredRequest { hash, line }, REMEMBERED);
    }

    /// The lines of `before`, then the remembered ones, cut to the latest `REMEMBERED`, oldest first.
    pub fn all(&self, before: Vec<AnsweredRequest>) -> Vec<AnsweredRequest> {
        let mut all = before;
        all.extend(&self.0);
        all.drain(..all.len().saturating_sub(REMEMBERED));
        all
    }

    /// The lines that may have been appended for this key, of these and those `before` them; 64 bits
    /// of hash are no proof, so the caller reads the lines to confirm.
    pub fn candidates(&self, key: &str, before: Vec<AnsweredRequest>) -> Vec<LineRef> {
        let hash = hash(key);
        let all = self.all(before).into_iter();
        all.filter(|answer| answer.hash == hash)
            .map(|answer| answer.line)
            .collect()
    }
}

/// A hash that is the same in every build: it is saved.
fn hash(key: &str) -> u64 {
    xxh3_64(key.as_bytes())
}

/// The `requestKey` of a request: the caller's key, `#`, and 16 hex digits over session, turn,
/// command and canonical arguments. The same key with other arguments is another request, since
/// some hosts restart their call ids every turn.
pub fn request_key(key: &str, caller: &Caller, command: &str, arguments: &Value) -> String {
    let id = |id: &Option<String>| id.as_deref().map_or(Value::Null, Value::from);
    let mut arguments = arguments.clone();
    arguments.sort_all_objects();
    let parts = Value::from(vec![
        id(&caller.session),
        id(&caller.turn),
        Value::from(command),
        arguments,
    ]);
    let digest = blake3::hash(parts.to_string().as_bytes());
    format!("{key}#{}", &digest.to_hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::actor::Actor;
    use serde_json::json;

    #[test]
    fn the_digest_covers_everything_but_the_order_of_arguments() {
        let key = |turn: Option<&str>, args: Value| {
            let caller = Caller {
                session: Some("s".into()),
                turn: turn.map(str::to_owned),
                ..Caller::new(Actor::User)
            };
            request_key("k1", &caller, "note", &args)
        };
        let first = key(None, json!({"a": 1, "b": {"c": 2, "d": 3}}));
        assert!(first.starts_with("k1#") && first.len() == 19, "{first}");
        assert_eq!(first, key(None, json!({"b": {"d": 3, "c": 2}, "a": 1})));
        assert_ne!(
            first,
            key(Some("t"), json!({"a": 1, "b": {"c": 2, "d": 3}}))
        );
        assert_ne!(first, key(None, json!({"a": 1, "b": {"c": 2, "d": 4}})));
    }

    #[test]
    fn only_the_latest_requests_are_remembered() {
        let mut requests = Requests::default();
        for number in 0..=REMEMBERED as u64 {
            requests.record(
                &number.to_string(),
                LineRef {
                    offset: number,
                    len: 1,
                    number,
                },
            );
        }
        assert!(requests.candidates("0", Vec::new()).is_empty());
        assert_eq!(requests.candidates("1", Vec::new()).len(), 1);
    }
}
