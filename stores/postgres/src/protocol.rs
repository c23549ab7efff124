//! The requests of the helper protocol, as `goal` writes them: one JSON object a line.

use serde::Deserialize;

use crate::failure::{Code, Failure};

/// The version of the protocol that this program speaks.
pub const VERSION: u32 = 1;

/// The verbs beside `begin`, `append` and `watch`.
pub const CAN: [&str; 3] = ["create", "ledgers", "lease"];

/// The longest wait that a request may ask for. A longer one is cut to it.
pub const LONGEST_WAIT_MS: u64 = 60 * 60 * 1000;

/// The longest lease.
const LONGEST_LEASE_MS: u64 = 24 * 60 * 60 * 1000;

/// The longest name of a ledger.
const LONGEST_NAME: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(
    tag = "verb",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Request {
    Hello {
        versions: Vec<u32>,
    },
    Begin {
        ledger: String,
        from: u64,
        wait_ms: u64,
    },
    Append {
        after: u64,
        lines: Vec<NewLine>,
        lease: Option<Claim>,
    },
    Watch {
        ledger: String,
        from: u64,
        wait_ms: u64,
    },
    Create {
        ledger: String,
    },
    Ledgers,
    Lease(Lease),
}

/// A line to append.
#[derive(Debug, Deserialize)]
pub struct NewLine {
    /// The id of its event, which is there once in a ledger; `None` of a line without one. The server
    /// knows that from the bytes, of which the id is a hash: what is named here is not believed.
    pub id: Option<String>,
    pub line: String,
}

/// The lease under which an append is made.
#[derive(Debug, Deserialize)]
pub struct Claim {
    pub goal: String,
    pub token: i64,
}

#[derive(Debug, Deserialize)]
pub struct Lease {
    pub ledger: String,
    pub goal: String,
    #[serde(flatten)]
    pub act: Act,
}

#[derive(Debug, Deserialize)]
#[serde(
    tag = "act",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Act {
    Acquire { holder: String, ttl_ms: u64 },
    Renew { token: i64, ttl_ms: u64 },
    Release { token: i64 },
}

#[derive(Deserialize)]
struct Verb {
    verb: String,
}

/// The request of a line.
pub fn parse(line: &str) -> Result<Request, Failure> {
    let error = match serde_json::from_str::<Request>(line) {
        Ok(request) => return checked(request),
        Err(error) => error,
    };
    const VERBS: [&str; 7] = [
        "hello", "begin", "append", "watch", "create", "ledgers", "lease",
    ];
    match serde_json::from_str::<Verb>(line) {
        Ok(Verb { verb }) if !VERBS.contains(&verb.as_str()) => Err(Failure::new(
            Code::Unsupported,
            format!("there is no verb `{verb}`"),
        )),
        _ => Err(Failure::new(
            Code::Invalid,
            format!("the request cannot be read: {error}"),
        )),
    }
}

/// Refuses what would be stored wrongly.
fn checked(request: Request) -> Result<Request, Failure> {
    match &request {
        Request::Append { lines, .. } if lines.iter().any(|it| it.line.contains('\n')) => {
            return Err(Failure::new(Code::Invalid, "a line has a line end in it"));
        }
        Request::Create { ledger }
        | Request::Begin { ledger, .. }
        | Request::Watch { ledger, .. }
        | Request::Lease(Lease { ledger, .. })
            if !is_name(ledger) =>
        {
            return Err(Failure::new(
                Code::Invalid,
                "the name of a ledger is 1 to 200 of the characters A-Z a-z 0-9 . _ / -",
            ));
        }
        Request::Lease(Lease {
            act: Act::Acquire { ttl_ms, .. } | Act::Renew { ttl_ms, .. },
            ..
        }) if *ttl_ms == 0 || *ttl_ms > LONGEST_LEASE_MS => {
            return Err(Failure::new(
                Code::Invalid,
                "a lease lasts from 1 ms to 1 day",
            ));
        }
        _ => {}
    }
    Ok(request)
}

fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"._/-".contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> Code {
        parse(line).unwrap_err().code
    }

    #[test]
    fn the_requests_of_the_page_are_read() {
        for line in [
            r#"{"verb":"hello","versions":[1],"of":"a later version"}"#,
            r#"{"verb":"begin","ledger":"acme/web","from":20480,"waitMs":5000}"#,
            r#"{"verb":"append","after":2,"lines":[{"id":"0b","line":"{}"},{"id":null,"line":""}]}"#,
            r#"{"verb":"append","after":2,"lines":[],"lease":{"goal":"k3v9-x1","token":8}}"#,
            r#"{"verb":"watch","ledger":"acme/web","from":21500,"waitMs":60000}"#,
            r#"{"verb":"create","ledger":"acme/web"}"#,
            r#"{"verb":"ledgers"}"#,
            r#"{"verb":"lease","act":"acquire","ledger":"a","goal":"k","holder":"h","ttlMs":300000}"#,
            r#"{"verb":"lease","act":"renew","ledger":"a","goal":"k","token":8,"ttlMs":300000}"#,
            r#"{"verb":"lease","act":"release","ledger":"a","goal":"k","token":8}"#,
        ] {
            parse(line).unwrap();
        }
    }

    #[test]
    fn what_is_no_request_is_named() {
        assert_eq!(code(r#"{"verb":"truncate"}"#), Code::Unsupported);
        assert_eq!(code("truncate"), Code::Invalid);
        assert_eq!(code(r#"{"verb":"begin","ledger":"a"}"#), Code::Invalid);
        assert_eq!(
            code(r#"{"verb":"append","after":0,"lines":[{"line":"a\nb"}]}"#),
            Code::Invalid
        );
        assert_eq!(code(r#"{"verb":"create","ledger":""}"#), Code::Invalid);
        assert_eq!(code(r#"{"verb":"create","ledger":"a b"}"#), Code::Invalid);
        let begin = r#"{"verb":"begin","ledger":"a b","from":0,"waitMs":0}"#;
        assert_eq!(code(begin), Code::Invalid);
        let long = format!(r#"{{"verb":"create","ledger":"{}"}}"#, "a".repeat(201));
        assert_eq!(code(&long), Code::Invalid);
        let never = r#"{"verb":"lease","act":"renew","ledger":"a","goal":"k","token":1,"ttlMs":0}"#;
        assert_eq!(code(never), Code::Invalid);
    }
}
