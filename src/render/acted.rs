//! Who did something, in words, and through which agent's host, where that is to be said.

use crate::domain::actor::Actor;
use crate::domain::passed_on::host;
use crate::render::text::short;

/// The most bytes of a host's name; our own lines have no longer ones.
const NAME: usize = 64;

/// `user`, or `user through claude-code` where an agent's host passed the act on; `the` goes before
/// it.
pub fn acted(by: Actor, via: Option<&str>) -> String {
    match host(Some(by), via) {
        Some(host) => format!("{by} through {}", short(host, NAME)),
        None => by.name().to_owned(),
    }
}

/// The same in a column, whoever acted: `user (claude-code)`, `agent (pi)`, `system`, or `-`.
pub fn in_column(by: Option<Actor>, via: Option<&str>) -> String {
    match (by, via) {
        (None, _) => "-".to_owned(),
        (Some(by), None) => by.name().to_owned(),
        (Some(by), Some(via)) => format!("{by} ({})", short(via, NAME)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_acts_through_a_host() {
        let via = Some("claude\u{1b}-code\n");
        assert_eq!(acted(Actor::User, via), "user through claude\u{fffd}-code");
        assert_eq!(acted(Actor::User, None), "user");
        assert_eq!(acted(Actor::Agent, via), "agent");
        assert_eq!(in_column(Some(Actor::Agent), Some("pi")), "agent (pi)");
        assert_eq!(in_column(None, via), "-");
    }
}
