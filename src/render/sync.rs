//! How a shared ledger stands with the remotes that it is synced with.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::safe;
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
    /// Writes there that were not taken in, because they follow a line that neither side has.
    pub not_taken_in: u64,
    /// Lines there that cannot be used, since no line of `goal` names them.
    pub left_there: u64,
    /// When they were synced last; null for never.
    pub at: Option<String>,
}

impl RemoteStanding {
    /// Something of ours is on one side only.
    pub fn is_behind(&self) -> bool {
        self.unsynced > 0 || self.not_taken_in > 0
    }
}

/// `origin: 3 lines not synced, last synced 12 minutes ago`.
pub fn standing(standing: &RemoteStanding, now: i64) -> String {
    let mut parts = Vec::new();
    if standing.not_taken_in > 0 {
        parts.push(format!(
            "{} there not taken in (`{}` takes {} in, user only)",
            count(standing.not_taken_in, "line"),
            joining(&standing.remote),
            match standing.not_taken_in {
                1 => "it",
                _ => "them",
            }
        ));
    }
    if standing.unsynced > 0 {
        parts.push(format!("{} not synced", count(standing.unsynced, "line")));
    }
    if parts.is_empty() {
        parts.push("everything is synced".to_owned());
    }
    if standing.left_there > 0 {
        let lines = count(standing.left_there, "line");
        parts.push(format!("{lines} of other programs there"));
    }
    parts.push(match &standing.at {
        Some(at) => format!("last synced {}", ago(at, now)),
        None => "never synced yet".to_owned(),
    });
    format!("{}: {}", one_line(&standing.remote), parts.join(", "))
}

/// The command by which the user takes in what follows a line that neither side has.
pub fn joining(remote: &str) -> String {
    match safe(remote) {
        Some(remote) => format!("goal sync {remote} --join"),
        None => "goal sync REMOTE --join".to_owned(),
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
            not_taken_in: 0,
            left_there: 0,
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
        let left = RemoteStanding {
            not_taken_in: 5,
            left_there: 1,
            ..origin.clone()
        };
        assert_eq!(
            standing(&left, now),
            "origin: 5 lines there not taken in (`goal sync origin --join` takes them in, user \
             only), 1 line of other programs there, last synced 12 minutes ago"
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
