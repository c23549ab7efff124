//! Whether the server keeps what it acknowledges, read from its settings when a connection begins.

use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::server::{PATIENCE, Parameter};

/// A warning in the answer of `begin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    pub code: &'static str,
    pub message: &'static str,
}

#[derive(Clone, Debug)]
pub struct Facts {
    /// The version of the tables.
    pub version: Option<i32>,
    pub fsync: String,
    pub full_page_writes: String,
    pub synchronous_commit: String,
    pub synchronous_standby_names: String,
    pub standbys: i64,
    pub is_standby: bool,
}

/// Besides reading, it lets the server notice sooner that a client is gone. Settings that a server
/// does not know are passed over.
const QUERY: &str = "
SELECT (SELECT max(version) FROM goal_store.migration),
       coalesce(current_setting('fsync', true), 'on'),
       coalesce(current_setting('full_page_writes', true), 'on'),
       coalesce(current_setting('synchronous_commit', true), 'on'),
       coalesce(current_setting('synchronous_standby_names', true), ''),
       (SELECT count(*) FROM pg_stat_get_wal_senders()),
       pg_is_in_recovery(),
       CASE WHEN current_setting('client_connection_check_interval', true) IS NOT NULL
            THEN set_config('client_connection_check_interval', '2000', false) END,
       CASE WHEN current_setting('tcp_user_timeout', true) IS NOT NULL
            THEN set_config('tcp_user_timeout', $1, false) END";

impl Facts {
    pub async fn read(client: &Client, turn: Duration) -> Result<Self, Failure> {
        let turn = turn.as_millis().to_string();
        let with: [Parameter<'_>; 1] = [(&turn, Type::TEXT)];
        let row = match timeout(PATIENCE, client.query_typed_one(QUERY, &with)).await {
            Ok(Ok(row)) => row,
            Ok(Err(error)) => return Err(explained(error.into())),
            Err(_) => return Err(Failure::silent()),
        };
        Ok(Facts {
            version: row.try_get(0)?,
            fsync: row.try_get(1)?,
            full_page_writes: row.try_get(2)?,
            synchronous_commit: row.try_get(3)?,
            synchronous_standby_names: row.try_get(4)?,
            standbys: row.try_get(5)?,
            is_standby: row.try_get(6)?,
        })
    }

    /// Whether a commit is answered only when it is safe by the server's own settings. Where it is
    /// not, this program sets `synchronous_commit` for its own transactions.
    pub fn waits_for_commits(&self) -> bool {
        ["on", "remote_apply"].contains(&self.synchronous_commit.as_str())
    }

    /// What can make the server lose what it acknowledged, and what no client can mend.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut found = Vec::new();
        if self.fsync == "off" {
            found.push(Warning {
                code: "fsync_off",
                message: "the server has fsync = off: a crash of its machine loses acknowledged events",
            });
        }
        if self.full_page_writes == "off" {
            found.push(Warning {
                code: "full_page_writes_off",
                message: "the server has full_page_writes = off: a crash of its machine can damage the ledger",
            });
        }
        if self.standbys > 0 && self.synchronous_standby_names.trim().is_empty() {
            found.push(Warning {
                code: "standby_asynchronous",
                message: "the server has standbys and waits for none of them (synchronous_standby_names is empty): a failover loses acknowledged events",
            });
        }
        found
    }
}

/// Names the command that helps.
fn explained(failure: Failure) -> Failure {
    match failure.code {
        Code::Failed => Failure::new(
            Code::Failed,
            format!(
                "the database has no tables of goal ({}); its owner makes them with: \
                 goal-store-postgres migrate",
                failure.message
            ),
        ),
        Code::Refused => Failure::new(
            Code::Refused,
            format!(
                "{}; the owner of the database lets a user in with: GRANT goal_writer TO …",
                failure.message
            ),
        ),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            version: Some(1),
            fsync: "on".into(),
            full_page_writes: "on".into(),
            synchronous_commit: "on".into(),
            synchronous_standby_names: String::new(),
            standbys: 0,
            is_standby: false,
        }
    }

    fn codes(facts: &Facts) -> Vec<&'static str> {
        facts.warnings().iter().map(|it| it.code).collect()
    }

    #[test]
    fn a_server_as_it_comes_is_safe() {
        assert!(facts().waits_for_commits());
        assert_eq!(codes(&facts()), [""; 0]);
    }

    #[test]
    fn what_loses_acknowledged_events_is_warned_about() {
        let off = "off".to_owned();
        let facts = Facts {
            fsync: off.clone(),
            full_page_writes: off,
            standbys: 1,
            ..facts()
        };
        assert_eq!(
            codes(&facts),
            ["fsync_off", "full_page_writes_off", "standby_asynchronous"]
        );
        let waits = Facts {
            synchronous_standby_names: "s1".into(),
            standbys: 1,
            ..self::facts()
        };
        assert_eq!(codes(&waits), [""; 0]);
    }

    #[test]
    fn weaker_commits_are_raised() {
        for (setting, waits) in [
            ("off", false),
            ("local", false),
            ("remote_write", false),
            ("remote_apply", true),
        ] {
            let facts = Facts {
                synchronous_commit: setting.into(),
                ..facts()
            };
            assert_eq!(facts.waits_for_commits(), waits, "{setting}");
        }
    }
}
