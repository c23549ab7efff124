//! Leases: which long-lived process works a goal. Judged here, kept by `workspace::leases` in
//! sidecar files that the older extensions read and write too. A lease is no event and holds up
//! nothing but another lease: reading and every other command go on.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::domain::id::GoalId;
use crate::domain::time;

/// How long a lease lasts that does not say so, in milliseconds: that of the short locks which
/// other programs of the family put in the same place.
const UNSAID: i64 = 30_000;

/// Who holds, or would hold, a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The host's session id; a lease is its session's. The short locks of others name none.
    pub session: Option<String>,
    /// The process whose end also ends the lease; above 0.
    pub pid: i32,
    /// The machine that the process runs on; the older extensions do not write it.
    pub host: Option<String>,
}

/// A lease as its file says it. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub goal_id: GoalId,
    pub holder: Holder,
    pub acquired_at: Option<i64>,
    pub heartbeat_at: Option<i64>,
    pub expires_at: i64,
    /// The token of the same lease in the store that the ledger belongs to.
    pub token: Option<u64>,
}

/// A lease in a store. What is appended under it is refused once it is over (docs/stores.md#leases).
/// As text `GOAL:TOKEN`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    pub goal: GoalId,
    pub token: u64,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.goal, self.token)
    }
}

impl FromStr for Claim {
    type Err = ();

    fn from_str(text: &str) -> Result<Claim, ()> {
        let (goal, token) = text.rsplit_once(':').ok_or(())?;
        Ok(Claim {
            goal: goal.parse().map_err(drop)?,
            token: token.parse().map_err(drop)?,
        })
    }
}

/// How a lease stands at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LeaseStatus {
    /// The process is alive and the lease has not lapsed.
    Held,
    /// The process is gone.
    Dead,
    /// It was not renewed in time.
    Lapsed,
    /// The file says nothing that can be read; nobody holds anything by it.
    Unreadable,
}

/// What stands in a lease's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseFound {
    /// A lease, and how it stands.
    Lease(Lease, LeaseStatus),
    /// Something else, and why it is no lease.
    Unreadable(String),
}

/// Why a lease was not acquired, renewed or released.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another session holds it.
    #[error("goal {} is leased to {}", .0.goal_id, .0.described())]
    Held(Box<Lease>),
    /// There is nothing to renew or release under this session and process.
    #[error("the lease of goal {goal_id} is not this session's any more, or not this process's")]
    Lost { goal_id: GoalId },
}

impl Lease {
    /// Whether the process is alive *and* the lease has not lapsed. `alive` is nothing when that
    /// cannot be told here, as for a process of another host: then time alone counts.
    pub fn standing(&self, now: i64, alive: Option<bool>) -> LeaseStatus {
        if alive == Some(false) {
            LeaseStatus::Dead
        } else if now >= self.expires_at {
            LeaseStatus::Lapsed
        } else {
            LeaseStatus::Held
        }
    }

    /// `session s, pid 12, until 2026-…`.
    fn described(&self) -> String {
        let session = match &self.holder.session {
            Some(session) => format!("session {session}"),
            None => "another program".to_owned(),
        };
        let until = time::rfc3339(self.expires_at);
        format!("{session}, pid {}, until {until}", self.holder.pid)
    }

    fn is_of(&self, session: Option<&str>, pid: Option<i32>) -> bool {
        session.is_some()
            && self.holder.session.as_deref() == session
            && pid.is_none_or(|pid| pid == self.holder.pid)
    }

    /// The bytes of its file, in the older extensions' shape: one JSON object. `host` and `token` are ours.
    pub fn encode(&self) -> String {
        let mut owner = Map::new();
        owner.insert("sessionId".into(), json!(self.holder.session));
        owner.insert("pid".into(), json!(self.holder.pid));
        if let Some(host) = &self.holder.host {
            owner.insert("host".into(), json!(host));
        }
        let at = |millis: Option<i64>| time::rfc3339(millis.unwrap_or(self.expires_at));
        let mut file = json!({
            "goalId": self.goal_id,
            "owner": owner,
            "acquiredAt": at(self.acquired_at),
            "expiresAt": at(None),
            "heartbeatAt": at(self.heartbeat_at),
        });
        if let Some(token) = self.token {
            file["token"] = json!(token);
        }
        file.to_string()
    }

    /// Reads a file for the goal in whose place it stands: our shape, that of the older extensions,
    /// and `{pid, startedAt}`, the short lock of others. Flat fields do as well as nested ones,
    /// and epoch milliseconds as well as RFC 3339.
    ///
    /// # Errors
    /// Why it is no lease.
    pub fn decode(goal_id: &GoalId, bytes: &[u8]) -> Result<Lease, String> {
        let file: Value = serde_json::from_slice(bytes).map_err(|_| "it is not JSON".to_owned())?;
        let file = file.as_object().ok_or("it is no JSON object")?;
        if let Some(named) = file.get("goalId").and_then(Value::as_str)
            && named != goal_id.as_str()
        {
            return Err("it names another goal".into());
        }
        let owner = file.get("owner").and_then(Value::as_object).unwrap_or(file);
        let text = |name| owner.get(name)?.as_str().map(str::to_owned);
        let pid = owner.get("pid").and_then(Value::as_i64);
        let pid = pid.and_then(|pid| i32::try_from(pid).ok());
        let pid = pid.filter(|pid| *pid > 0);
        let at = |name: &str| millis(file.get(name)?);
        let acquired_at = at("acquiredAt").or_else(|| at("startedAt"));
        let heartbeat_at = at("heartbeatAt").or(acquired_at);
        let expires_at = match file.get("expiresAt") {
            Some(said) => millis(said),
            None => heartbeat_at.map(|at| at.saturating_add(UNSAID)),
        };
        Ok(Lease {
            goal_id: goal_id.clone(),
            holder: Holder {
                session: text("sessionId").or_else(|| text("session")),
                pid: pid.ok_or("it names no process")?,
                host: text("host"),
            },
            acquired_at,
            heartbeat_at,
            expires_at: expires_at.ok_or("it does not say when it lapses")?,
            token: file.get("token").and_then(Value::as_u64),
        })
    }
}

fn millis(said: &Value) -> Option<i64> {
    said.as_i64()
        .or_else(|| said.as_str().and_then(time::millis))
}

/// The lease after `holder` acquires it for `ttl` milliseconds. A stale or unreadable one is no
/// hindrance; a live one is its session's, unless it is taken over.
///
/// # Errors
/// [`Refusal::Held`] by another session.
pub fn acquire(
    goal_id: &GoalId,
    found: Option<&LeaseFound>,
    holder: Holder,
    (now, ttl): (i64, i64),
    take_over: bool,
) -> Result<Lease, Refusal> {
    let mut acquired_at = now;
    if let Some(LeaseFound::Lease(lease, LeaseStatus::Held)) = found {
        if lease.is_of(holder.session.as_deref(), None) {
            acquired_at = lease.acquired_at.unwrap_or(now);
        } else if !take_over {
            return Err(Refusal::Held(Box::new(lease.clone())));
        }
    }
    Ok(Lease {
        goal_id: goal_id.clone(),
        holder,
        acquired_at: Some(acquired_at),
        heartbeat_at: Some(now),
        expires_at: now.saturating_add(ttl),
        token: None,
    })
}

/// The lease after `holder` acquires it for itself: unlike [`acquire`], not even another process of
/// its own session may hold it.
///
/// # Errors
/// [`Refusal::Held`] by another process.
pub fn hold(
    goal_id: &GoalId,
    found: Option<&LeaseFound>,
    holder: Holder,
    term: (i64, i64),
) -> Result<Lease, Refusal> {
    match found {
        Some(LeaseFound::Lease(lease, LeaseStatus::Held)) if lease.holder != holder => {
            Err(Refusal::Held(Box::new(lease.clone())))
        }
        _ => acquire(goal_id, found, holder, term, true),
    }
}

/// The lease after `holder` renewed it for `ttl` milliseconds. A lapsed one can be renewed as long
/// as nobody else took it.
///
/// # Errors
/// [`Refusal::Held`] by another session; [`Refusal::Lost`] where this holder's lease is not there.
pub fn renew(
    goal_id: &GoalId,
    found: Option<&LeaseFound>,
    holder: Holder,
    (now, ttl): (i64, i64),
) -> Result<Lease, Refusal> {
    match found {
        Some(LeaseFound::Lease(lease, _))
            if lease.is_of(holder.session.as_deref(), Some(holder.pid)) =>
        {
            Ok(Lease {
                holder,
                heartbeat_at: Some(now),
                expires_at: now.saturating_add(ttl),
                ..lease.clone()
            })
        }
        Some(LeaseFound::Lease(lease, LeaseStatus::Held))
            if !lease.is_of(holder.session.as_deref(), None) =>
        {
            Err(Refusal::Held(Box::new(lease.clone())))
        }
        _ => Err(Refusal::Lost {
            goal_id: goal_id.clone(),
        }),
    }
}

/// Whether what was found may be removed: by its session (and process, where one is named), by
/// anybody when it is stale, and by `anybodys` whoever holds it.
///
/// # Errors
/// [`Refusal::Held`] by another session; [`Refusal::Lost`] to another process of this session.
pub fn release(
    found: &LeaseFound,
    session: Option<&str>,
    pid: Option<i32>,
    anybodys: bool,
) -> Result<(), Refusal> {
    match found {
        LeaseFound::Lease(lease, LeaseStatus::Held) if !anybodys && !lease.is_of(session, pid) => {
            Err(match lease.is_of(session, None) {
                true => Refusal::Lost {
                    goal_id: lease.goal_id.clone(),
                },
                false => Refusal::Held(Box::new(lease.clone())),
            })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
