//! Who acts, and for whom: what every command is judged by and every event records.

use crate::domain::redact::redact;
use crate::domain::words::words;

words! {
    /// Who acts. How it is found out is the workspace's business.
    #[expect(
        missing_docs,
        reason = "a comment on a variant would change the published schemas"
    )]
    pub enum Actor listed {
        User = "user",
        Agent = "agent",
        Auditor = "auditor",
        System = "system",
    }
}

/// What begins the key of a work tree, which a focus line of it has as its session. No host's session
/// works there.
pub const TREE_KEY: &str = "worktree-";

/// What the name of a run's session begins with. Nobody in such a session is the user.
pub const RUN_SESSION: &str = "run-";

/// Why a text is no id of a host's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadHostId {
    pub message: String,
    pub hint: &'static str,
}

/// An id that a host gave under this name. Such ids go into the ledger as they are, so they must
/// be short and printable, and no secrets.
///
/// # Errors
/// It is not.
pub fn host_id(name: &str, text: &str) -> Result<String, BadHostId> {
    if text.is_empty() || text.len() > 256 || text.chars().any(char::is_control) {
        return Err(BadHostId {
            message: format!("{name} must have 1 to 256 bytes and no control characters"),
            hint: "pass the host's own id",
        });
    }
    let found = redact(text).found;
    if !found.is_empty() {
        let found = found.join(", ");
        return Err(BadHostId {
            message: format!("{name} holds what looks like a secret ({found})"),
            hint: "pass another id: it is recorded as it stands, and stays on record",
        });
    }
    Ok(text.to_owned())
}

/// The circumstances of one command: the actor, and the host's ids where given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub actor: Actor,
    /// The host's session id; focus and turns belong to it.
    pub session: Option<String>,
    /// The sessions that this one continues, as the host says, the nearest first: their drafts and
    /// the goals that they hold are this one's too.
    pub continues: Vec<String>,
    /// The host's turn id: after a stop, further mutations of an agent in it are refused.
    pub turn: Option<String>,
    /// The agent mark found in the environment, whoever the actor is.
    pub via: Option<String>,
}

impl Caller {
    /// Whether what was done in this session is the caller's own.
    pub fn works_in(&self, session: Option<&str>) -> bool {
        let continues = |session: &str| self.continues.iter().any(|it| it == session);
        session == self.session.as_deref() || session.is_some_and(continues)
    }

    /// The caller in this session.
    #[cfg(test)]
    pub fn in_session(self, session: &str) -> Caller {
        Caller {
            session: Some(session.into()),
            ..self
        }
    }

    /// The caller with this actor and no ids.
    pub fn new(actor: Actor) -> Caller {
        Caller {
            actor,
            session: None,
            continues: Vec::new(),
            turn: None,
            via: None,
        }
    }
}
