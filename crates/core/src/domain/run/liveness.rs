//! Whether the runner of a run that has no end on record is alive: the one place that says so.
//!
//! Processes can be looked at on their own machine only, and the file of a lease lies where the runner
//! took it. So one machine never says of another's runner that it died.
//!
//! | what is known here | the runner is |
//! |---|---|
//! | the runner's own lease file, and it is held | alive |
//! | the runner's own lease file, and its process is gone, or it lapsed | dead |
//! | no such file; the run names this machine, and its process is gone | dead |
//! | anything else | unknown: the run is on another machine, in another clone, or names no machine |
//!
//! Where a store keeps the leases, whoever has the goal's lease there knows that nobody else runs it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::lease::{Holder, LeaseFound, LeaseStatus};
use crate::domain::run::state::Run;
use crate::domain::seal::KeyId;

/// A machine: what people call it, and the key with which it seals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The host name; two machines can have the same.
    pub name: Option<String>,
    pub key: Option<KeyId>,
}

impl Machine {
    /// Whether `here` is this machine. Where it had no key its name alone counts.
    fn is(&self, here: &Machine) -> bool {
        let is_named = self.name.is_some() || self.key.is_some();
        is_named && self.name == here.name && (self.key.is_none() || self.key == here.key)
    }
}

/// What a run that has no end on record says of its runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub run_id: String,
    pub session: Option<String>,
    /// `at` of its start.
    pub started_at: String,
    /// What was called the agent: a preset's name or a path.
    pub agent: String,
    pub machine: Machine,
    /// The runner's process there; earlier versions did not say it.
    pub pid: Option<i32>,
    /// `at` of the latest line of its session.
    pub heard_at: String,
}

impl Begun {
    /// What this run says.
    pub fn of(run: &Run) -> Begun {
        Begun {
            run_id: run.id.clone(),
            session: run.session.clone(),
            started_at: run.started_at.clone(),
            agent: run.agent.clone(),
            machine: run.machine.clone(),
            pid: run.pid,
            heard_at: run.heard_at.clone(),
        }
    }

    /// Whether its runner took this lease. A run that goes on with another has the other's session, on
    /// whatever machine.
    fn is_leased_to(&self, holder: &Holder) -> bool {
        let (name, host) = (&self.machine.name, &holder.host);
        self.session.is_some()
            && self.session == holder.session
            && self.pid.is_none_or(|pid| pid == holder.pid)
            && (name.is_none() || host.is_none() || name == host)
    }

    /// Where it is, as far as anybody knows.
    pub fn heard(&self) -> Heard {
        Heard {
            machine: self.machine.name.clone(),
            last_heard: self.heard_at.clone(),
        }
    }
}

/// A run whose runner cannot be looked at from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RunningOn")]
pub struct Heard {
    /// The name of its machine; null where the run does not say it.
    pub machine: Option<String>,
    /// The time of the latest line of its session.
    pub last_heard: String,
}

impl Heard {
    /// `running on NAME`.
    pub fn place(&self) -> String {
        let name = self.machine.as_deref();
        format!("running on {}", name.unwrap_or("an unknown machine"))
    }
}

/// `running on NAME, last heard TIME`.
impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, last heard {}", self.place(), self.last_heard)
    }
}

/// Whether a runner is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Liveness {
    Live,
    Dead,
    /// It cannot be looked at from here.
    Unknown(Heard),
}

/// Whether the runner of an open run is alive. `lease` is what stands in the place of the goal's lease;
/// `here` names this machine, and `is_alive` says whether a process of it exists. They are asked only
/// where that decides.
pub fn liveness(
    run: &Begun,
    lease: Option<&LeaseFound>,
    here: impl FnOnce() -> Machine,
    is_alive: impl FnOnce(i32) -> bool,
) -> Liveness {
    if let Some(LeaseFound::Lease(lease, status)) = lease
        && run.is_leased_to(&lease.holder)
    {
        return match status {
            LeaseStatus::Held => Liveness::Live,
            LeaseStatus::Dead | LeaseStatus::Lapsed | LeaseStatus::Unreadable => Liveness::Dead,
        };
    }
    match run.pid {
        Some(pid) if run.machine.is(&here()) && !is_alive(pid) => Liveness::Dead,
        _ => Liveness::Unknown(run.heard()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::lease::Lease;
    use crate::domain::seal::Key;

    /// A machine's name, and which key it has.
    type Named = (Option<&'static str>, Option<u8>);

    const HERE: Named = (Some("desk"), Some(1));
    const UNSAID: Named = (None, None);

    fn machine((name, key): Named) -> Machine {
        Machine {
            name: name.map(str::to_owned),
            key: key.map(|key| Key::new([key; Key::LEN]).id()),
        }
    }

    fn run(on: Named, pid: Option<i32>) -> Begun {
        Begun {
            run_id: "r".into(),
            session: Some("run-r".into()),
            started_at: "s".into(),
            agent: "a".into(),
            machine: machine(on),
            pid,
            heard_at: "h".into(),
        }
    }

    fn leased(session: &str, pid: i32, host: Option<&str>, status: LeaseStatus) -> LeaseFound {
        let lease = Lease {
            goal_id: "a-1".parse().unwrap(),
            holder: Holder {
                session: Some(session.into()),
                pid,
                host: host.map(str::to_owned),
            },
            acquired_at: None,
            heartbeat_at: None,
            expires_at: 0,
            token: None,
        };
        LeaseFound::Lease(lease, status)
    }

    /// What is said of the run on the machine [`HERE`], of which process 7 alone is alive.
    #[track_caller]
    fn check(run: &Begun, lease: Option<&LeaseFound>, expected: &str) {
        let found = match liveness(run, lease, || machine(HERE), |pid| pid == 7) {
            Liveness::Live => "live".to_owned(),
            Liveness::Dead => "dead".to_owned(),
            Liveness::Unknown(heard) => {
                assert_eq!(heard.last_heard, "h");
                format!("on {}", heard.machine.as_deref().unwrap_or("?"))
            }
        };
        assert_eq!(found, expected, "{run:?} {lease:?}");
    }

    #[test]
    fn the_runners_own_lease_file_decides() {
        use LeaseStatus::{Dead, Held, Lapsed};
        let old = run(UNSAID, None);
        let own = run(HERE, Some(8));
        let renamed = run((Some("laptop"), Some(1)), Some(8));
        for (status, expected) in [(Held, "live"), (Dead, "dead"), (Lapsed, "dead")] {
            let of = |host| leased("run-r", 8, host, status);
            check(&own, Some(&of(Some("desk"))), expected);
            check(&old, Some(&of(Some("desk"))), expected);
            // Old extensions write no host. A machine can get another name while a run goes on.
            check(&own, Some(&of(None)), expected);
            check(&renamed, Some(&of(Some("laptop"))), expected);
        }
    }

    #[test]
    fn a_lease_file_of_somebody_else_says_nothing() {
        use LeaseStatus::{Dead, Held};
        let taken_over = run((Some("desk"), Some(2)), Some(9));
        let there = run((Some("barn"), Some(2)), Some(8));
        for status in [Held, Dead] {
            // The run before on this machine, with which the other one goes on.
            let before = leased("run-r", 8, Some("desk"), status);
            check(&taken_over, Some(&before), "on desk");
            check(&there, Some(&before), "on barn");
            let session = leased("s", 7, Some("desk"), status);
            check(&run(UNSAID, None), Some(&session), "on ?");
            check(&run(HERE, Some(7)), Some(&session), "on desk");
            check(&run(HERE, Some(8)), Some(&session), "dead");
        }
        let unreadable = LeaseFound::Unreadable("no JSON".into());
        check(&there, Some(&unreadable), "on barn");
        let nameless = Begun {
            session: None,
            ..run(UNSAID, None)
        };
        check(&nameless, Some(&leased("s", 7, None, Dead)), "on ?");
    }

    #[test]
    fn a_process_is_looked_at_on_its_own_machine_only() {
        for (on, pid, expected) in [
            (HERE, Some(8), "dead"),
            // In another clone on this machine.
            (HERE, Some(7), "on desk"),
            (HERE, None, "on desk"),
            // Another machine with the same name, or with the same home.
            ((Some("desk"), Some(2)), Some(8), "on desk"),
            ((Some("barn"), Some(1)), Some(8), "on barn"),
            // It had no key.
            ((Some("desk"), None), Some(8), "dead"),
            ((Some("barn"), None), Some(8), "on barn"),
            // Of an earlier version, or on a machine without a name.
            (UNSAID, Some(8), "on ?"),
            ((None, Some(1)), Some(8), "on ?"),
            (UNSAID, None, "on ?"),
        ] {
            check(&run(on, pid), None, expected);
        }
        // Who cannot read the key does not know whether it is this machine.
        let hidden = machine((Some("desk"), None));
        let found = liveness(&run(HERE, Some(8)), None, || hidden, |_| false);
        assert!(matches!(found, Liveness::Unknown(_)), "{found:?}");
    }
}
