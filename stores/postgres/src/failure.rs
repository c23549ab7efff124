//! Why a request failed: the codes of the protocol, and which error of the server is which.

use serde::Serialize;
use tokio_postgres::error::SqlState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    Busy,
    Unreachable,
    Unknown,
    Moved,
    Ahead,
    NoLedger,
    Duplicate,
    Fenced,
    Held,
    Refused,
    Unsupported,
    Invalid,
    Failed,
}

/// The value of `error` in an answer.
#[derive(Debug, Serialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// Who has the lease that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// For how long they have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<i64>,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            holder: None,
            left_ms: None,
        }
    }

    pub fn held(holder: String, left_ms: i64) -> Self {
        let message = format!("{holder} has the lease");
        Failure {
            holder: Some(holder),
            left_ms: Some(left_ms),
            ..Self::new(Code::Held, message)
        }
    }

    pub fn ahead(from: u64, end: u64) -> Self {
        Self::new(
            Code::Ahead,
            format!("the replica has {from} bytes, and the store only {end}"),
        )
    }

    /// The server said nothing for so long that the connection is given up.
    pub fn silent() -> Self {
        Self::new(Code::Unreachable, "the server does not answer")
    }

    /// The exit code of the commands for people.
    pub fn exit_code(&self) -> u8 {
        match self.code {
            Code::Busy | Code::Unreachable | Code::Unknown => 75,
            Code::Refused => 77,
            Code::Invalid => 78,
            _ => 74,
        }
    }
}

/// An error of the server, or of the connection to it, outside a commit.
impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            // The library says where it failed, and its source says why. Neither has the password.
            let message = match std::error::Error::source(&error) {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            };
            return Failure::new(Code::Unreachable, message);
        };
        let message = match said.hint() {
            Some(hint) => format!("{}; {hint}", said.message()),
            None => said.message().to_owned(),
        };
        Failure::new(code_of(said.code()), message)
    }
}

fn code_of(state: &SqlState) -> Code {
    match state {
        &SqlState::LOCK_NOT_AVAILABLE => Code::Busy,
        &SqlState::INSUFFICIENT_PRIVILEGE => Code::Refused,
        &SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME => Code::Failed,
        // A standby: the primary is elsewhere, or is being promoted just now.
        &SqlState::READ_ONLY_SQL_TRANSACTION => Code::Unreachable,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Code::Moved,
        &SqlState::UNDEFINED_DATABASE => Code::Unreachable,
        &SqlState::INVALID_PARAMETER_VALUE | &SqlState::CHARACTER_NOT_IN_REPERTOIRE => {
            Code::Invalid
        }
        // Those of the functions: migrations/2_rights.sql.
        other if other.code() == "GL001" => Code::NoLedger,
        other if other.code() == "GL002" => Code::Moved,
        other if other.code() == "GL003" => Code::Fenced,
        other => match other.code().get(..2) {
            // Connections, log-ins, too many connections, and a server that is shut down.
            Some("08" | "28" | "53" | "57") => Code::Unreachable,
            _ => Code::Failed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_the_server_have_codes() {
        for (state, code) in [
            ("55P03", Code::Busy),
            ("42501", Code::Refused),
            ("42P01", Code::Failed),
            ("25006", Code::Unreachable),
            ("25P03", Code::Moved),
            ("22021", Code::Invalid),
            ("22023", Code::Invalid),
            ("GL001", Code::NoLedger),
            ("GL002", Code::Moved),
            ("GL003", Code::Fenced),
            ("28P01", Code::Unreachable),
            ("3D000", Code::Unreachable),
            ("53300", Code::Unreachable),
            ("57P01", Code::Unreachable),
            ("57P03", Code::Unreachable),
            ("XX000", Code::Failed),
        ] {
            assert_eq!(code_of(&SqlState::from_code(state)), code, "{state}");
        }
    }

    #[test]
    fn an_error_is_written_as_the_page_says() {
        let held = serde_json::to_string(&Failure::held("host-a run-17".into(), 1200)).unwrap();
        assert_eq!(
            held,
            r#"{"code":"held","message":"host-a run-17 has the lease","holder":"host-a run-17","leftMs":1200}"#
        );
        let none = Failure::new(Code::NoLedger, "there is none");
        assert_eq!(
            serde_json::to_string(&none).unwrap(),
            r#"{"code":"no_ledger","message":"there is none"}"#
        );
    }
}
