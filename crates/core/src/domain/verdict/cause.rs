//! Why an audit gave no opinion, or a check's failure stood in for one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

macro_rules! causes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// The cause of an `audit_result`. Ledgers are read for ever, by older versions too, so a
        /// name that is not known is kept as it is and written back unchanged.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum Cause {
            $($(#[$doc])* $variant,)*
            /// A name that a newer version or another program wrote.
            Other(String),
        }

        impl Cause {
            /// Every cause that this version sets, in the order of the table.
            pub const KNOWN: &'static [Cause] = &[$(Cause::$variant),*];

            /// The name in ledger and interfaces.
            pub fn name(&self) -> &str {
                match self {
                    $(Cause::$variant => $name,)*
                    Cause::Other(name) => name,
                }
            }
        }

        impl From<String> for Cause {
            fn from(name: String) -> Cause {
                match name.as_str() {
                    $($name => Cause::$variant,)*
                    _ => Cause::Other(name),
                }
            }
        }
    };
}

causes! {
    /// The output holds no marker.
    NoMarker = "no_marker";
    /// It holds an approving and a disapproving one.
    BothMarkers = "both_markers";
    /// It approves more than once.
    RepeatedMarker = "repeated_marker";
    /// Its marker is not alone on the last non-empty line.
    MisplacedMarker = "misplaced_marker";
    /// Its approving marker lies inside a code fence.
    FencedMarker = "fenced_marker";
    /// The auditor exited with a status other than 0.
    NonZeroExit = "non_zero_exit";
    /// It was killed at the deadline.
    Timeout = "timeout";
    /// A signal killed it.
    Signal = "signal";
    /// The caller gave it up.
    Cancelled = "cancelled";
    /// It wrote nothing, or white space only.
    EmptyOutput = "empty_output";
    /// It wrote more than the cap.
    OversizedOutput = "oversized_output";
    /// Its output is not UTF-8.
    InvalidUtf8 = "invalid_utf8";
    /// A check of the contract failed, and no auditor was asked. The only cause of a disapproval.
    CheckFailed = "check_failed";
    /// The goal changed while it was audited.
    Stale = "stale";
    /// It is not proven that the user agreed to the contract.
    ContractUnproven = "contract_unproven";
    /// Lines of the ledger were taken away or changed.
    HistoryUnproven = "history_unproven";
    /// The auditor approved, and its verdict could not be signed.
    NotSigned = "not_signed";
    /// The audit's process ended without a result.
    Interrupted = "interrupted";
    /// The auditor's configuration cannot be used.
    AuditorInvalid = "auditor_invalid";
    /// The user has not trusted the auditor's command.
    AuditorUntrusted = "auditor_untrusted";
    /// The auditor is not the one of the user's last own call, or what its command runs changed
    /// between the checks and its start.
    AuditorChanged = "auditor_changed";
    /// A file that a check's command line names changed between the begin of the audit and the check.
    CheckChanged = "check_changed";
    /// The auditor cannot be spawned.
    AuditorMissing = "auditor_missing";
}

impl From<Cause> for String {
    fn from(cause: Cause) -> String {
        cause.name().to_owned()
    }
}

impl JsonSchema for Cause {
    fn schema_name() -> Cow<'static, str> {
        "Cause".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let known: Vec<&str> = Cause::KNOWN.iter().map(Cause::name).collect();
        json_schema!({
            "description": "Why an audit ended as it did. Readers must accept other names.",
            "type": "string",
            "examples": known,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_goes_there_and_back_even_one_never_heard_of() {
        for cause in Cause::KNOWN {
            let json = serde_json::to_string(cause).unwrap();
            assert_eq!(json, format!("\"{}\"", cause.name()));
            assert_eq!(&serde_json::from_str::<Cause>(&json).unwrap(), cause);
        }
        let json = "\"eaten_by_dog\"";
        let cause: Cause = serde_json::from_str(json).unwrap();
        assert_eq!(cause, Cause::Other("eaten_by_dog".into()));
        assert_eq!(serde_json::to_string(&cause).unwrap(), json);
        assert!(serde_json::from_str::<Cause>("7").is_err());
    }

    #[test]
    fn the_published_schema_names_every_known_cause_and_refuses_no_other() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Result {
            cause: Cause,
        }
        let schema = schemars::schema_for!(Result).to_value();
        assert_eq!(schema["properties"]["cause"]["$ref"], "#/$defs/Cause");
        let known: Vec<&str> = Cause::KNOWN.iter().map(Cause::name).collect();
        let cause = &schema["$defs"]["Cause"];
        assert_eq!(cause["examples"], serde_json::json!(known));
        assert_eq!(
            (&cause["type"], cause.get("enum")),
            (&"string".into(), None)
        );
    }
}
