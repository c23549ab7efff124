//! How a shared ledger stands with the remotes that it is synced with.

use schemars::JsonSchema;
use serde::Serialize;

use crate::render::text::{count, one_line};
use crate::render::work::ago;

/// How the ledger stands with a remote, as far as this clone knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteStanding {
    /// The remote's name, or where it is.
    pub remote: String,
    /// Lines of the ledger that the remote has not got from here.
    pub unsynced: u64,
    /// When they were synced last; null for never.
    pub at: Option<String>,
}

/// `origin: 3 lines not synced, last synced 12 minutes ago`.
pub fn standing(standing: &RemoteStanding, now: i64) -> String {
    let remote = one_line(&standing.remote);
    let unsynced = match standing.unsynced {
        0 => "everything is synced".to_owned(),
        lines => format!("{} not synced", count(lines, "line")),
    };
    match &standing.at {
        Some(at) => format!("{remote}: {unsynced}, last synced {}", ago(at, now)),
        None => format!("{remote}: {unsynced}, never synced yet"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_a_remote_lacks_and_since_when() {
        let mut origin = RemoteStanding {
            remote: "origin".into(),
            unsynced: 3,
            at: Some("2026-11-21T20:00:00.000Z".into()),
        };
        let now = crate::domain::time::millis("2026-11-21T20:12:00.000Z").unwrap();
        let said = standing(&origin, now);
        assert_eq!(
            said,
            "origin: 3 lines not synced, last synced 12 minutes ago"
        );
        origin.unsynced = 0;
        let said = standing(&origin, now);
        assert_eq!(
            said,
            "origin: everything is synced, last synced 12 minutes ago"
        );
        origin = RemoteStanding {
            unsynced: 1,
            at: None,
            ..origin
        };
        assert_eq!(
            standing(&origin, now),
            "origin: 1 line not synced, never synced yet"
        );
    }
}
