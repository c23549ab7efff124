//! Leases of goals: a file each, with the holder, the token and the end. A token outlives its lease, so
//! that the next one is greater.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ledger::{Ledger, millis};
use super::{Failed, number, refused};

#[derive(Debug, Default, Serialize, Deserialize)]
struct Lease {
    /// Nobody, where it was given back.
    holder: Option<String>,
    token: u64,
    /// In milliseconds since 1970.
    ends: u64,
}

impl Lease {
    fn is_live(&self) -> bool {
        self.holder.is_some() && now() < self.ends
    }

    fn is_of(&self, request: &Value) -> bool {
        self.holder.is_some() && request["token"].as_u64() == Some(self.token)
    }
}

/// Answers the verb `lease`.
pub fn lease(ledger: &Ledger, request: &Value) -> Result<Value, Failed> {
    let _guard = ledger.locked()?;
    let path = path(ledger, request)?;
    let mut lease = read(&path);
    match request["act"].as_str() {
        Some("acquire") => {
            let holder = request["holder"].as_str().map(str::to_owned);
            if lease.is_live() && lease.holder != holder {
                return Err(Failed::Held {
                    holder: lease.holder.unwrap_or_default(),
                    left_ms: lease.ends.saturating_sub(now()),
                });
            }
            lease = Lease {
                holder,
                token: lease.token + 1,
                ends: ending(request)?,
            };
        }
        Some(_) if !lease.is_of(request) => return refused("fenced", "the lease is over"),
        Some("renew") => lease.ends = ending(request)?,
        Some("release") => (lease.holder, lease.token) = (None, lease.token + 1),
        _ => return refused("invalid", "a lease is acquired, renewed or released"),
    }
    let temporary = path.with_extension("new");
    fs::write(&temporary, json!(lease).to_string())?;
    fs::rename(temporary, path)?;
    let left = lease.ends.saturating_sub(now());
    Ok(json!({"ok": true, "token": lease.token, "leftMs": left}))
}

/// Whether what is appended under this claim counts. Asked under the lock that leases are changed under.
pub fn is_current(ledger: &Ledger, claim: &Value) -> Result<bool, Failed> {
    let lease = read(&path(ledger, claim)?);
    Ok(lease.is_of(claim) && lease.is_live())
}

fn path(ledger: &Ledger, request: &Value) -> Result<PathBuf, Failed> {
    match request["goal"].as_str() {
        Some(goal) if !goal.contains('/') => Ok(ledger.path(&format!("{goal}.lease"))),
        _ => refused("invalid", "`goal` is the id of a goal"),
    }
}

fn read(path: &PathBuf) -> Lease {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn ending(request: &Value) -> Result<u64, Failed> {
    Ok(now().saturating_add(number(request, "ttlMs")?))
}

fn now() -> u64 {
    u64::try_from(millis()).unwrap_or(u64::MAX)
}
