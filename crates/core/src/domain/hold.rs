//! Which goals each session holds: those that something in it was done for. Only a session that
//! holds a goal goes on with it by itself (docs/design/runs.md#when-an-agent-stops).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Caller;
use crate::domain::goal::state::Goal;
use crate::domain::sessions::is_of_host;
use crate::domain::state::State;
use crate::domain::time::is_within;

/// Who holds a goal, as a session sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    /// The session itself, or one that it continues; or the host does not say which session it is.
    Own,
    /// No session: the goal was set at a terminal, and no session has worked on it since; or the session
    /// that did has been quiet for long.
    Nobody,
    /// Another session.
    Another,
}

/// What the ledger does not tell of who holds a goal.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The session that has the goal's lease, where somebody has.
    pub leased: Option<&'a str>,
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// How long after its last event another session still holds the goal.
    pub quiet_after: Duration,
}

/// Who holds this goal.
pub fn hold(state: &State, goal: &Goal, caller: &Caller, now: Now<'_>) -> Hold {
    let Some(session) = &caller.session else {
        return Hold::Own;
    };
    // One process has a lease, also where a session and its fork both work.
    if let Some(leased) = now.leased {
        return match leased == session {
            true => Hold::Own,
            false => Hold::Another,
        };
    }
    if worked_on(state, goal, caller) {
        return Hold::Own;
    }
    let worker = goal.worker.as_ref();
    let worker = worker.filter(|worker| is_of_host(&worker.session));
    // A session that ended says nothing of it, so one that was silent for long counts as ended.
    match worker.is_some_and(|it| is_within(&it.at, now.at, now.quiet_after)) {
        true => Hold::Another,
        false => Hold::Nobody,
    }
}

/// Whether something was done for this goal in the caller's session, or in one that it continues. The
/// caller of a host without sessions is believed to have done it.
pub fn worked_on(state: &State, goal: &Goal, caller: &Caller) -> bool {
    let Some(session) = &caller.session else {
        return true;
    };
    let mut own = std::iter::once(session).chain(&caller.continues);
    own.any(|session| {
        let chosen = state.focus.of_session(session) == Some(&goal.id);
        chosen || state.goals_of_session(session).contains(&goal.id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::actor::Actor;
    use crate::domain::testing::Ledger;
    use crate::domain::time::millis;

    const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z""#;
    const NOTED: &str =
        r#"{"type":"goal_noted","goalId":"a","note":"n","at":"2026-01-01T00:00:01.000Z""#;

    const HOUR: Duration = Duration::from_secs(3600);

    fn state(lines: &[String]) -> State {
        let mut ledger = Ledger::default();
        for line in lines {
            ledger.append(line);
        }
        ledger.replay().0
    }

    fn caller(sessions: &[&str]) -> Caller {
        let mut sessions = sessions.iter().map(|it| (*it).to_owned());
        Caller {
            session: sessions.next(),
            continues: sessions.collect(),
            ..Caller::new(Actor::Agent)
        }
    }

    #[track_caller]
    fn check_at(lines: &[String], sessions: &[&str], now: Now<'_>, expected: Hold) {
        let state = state(lines);
        let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
        let found = hold(&state, goal, &caller(sessions), now);
        assert_eq!(found, expected, "{lines:?}");
    }

    /// A minute after the goal was made, as the caller sees it whose session comes first and continues
    /// the others.
    #[track_caller]
    fn check(lines: &[String], sessions: &[&str], leased: Option<&str>, expected: Hold) {
        let at = millis("2026-01-01T00:01:00.000Z").unwrap();
        let now = Now {
            leased,
            at,
            quiet_after: HOUR,
        };
        check_at(lines, sessions, now, expected);
    }

    #[test]
    fn a_session_holds_what_it_created_focused_or_worked_on() {
        let plain = format!("{CREATED}}}");
        let created = format!(r#"{CREATED},"session":"s"}}"#);
        let noted = format!(r#"{NOTED},"session":"s"}}"#);
        let in_run = format!(r#"{NOTED},"session":"run-1"}}"#);
        let alone = std::slice::from_ref(&plain);
        check(alone, &["s"], None, Hold::Nobody);
        check(alone, &[], None, Hold::Own);
        check(&[created], &["s"], None, Hold::Own);
        let worked = [plain.clone(), noted];
        check(&worked, &["s"], None, Hold::Own);
        check(&worked, &["t"], None, Hold::Another);
        check(&[plain, in_run], &["t"], None, Hold::Nobody);
    }

    #[test]
    fn a_session_holds_what_one_before_it_worked_on() {
        let worked = [
            format!("{CREATED}}}"),
            format!(r#"{NOTED},"session":"s"}}"#),
        ];
        check(&worked, &["fork", "between", "s"], None, Hold::Own);
        check(&worked, &["fork", "between"], None, Hold::Another);
        // The session that the fork goes back to is still at it.
        check(&worked, &["fork", "s"], Some("s"), Hold::Another);
    }

    #[test]
    fn a_session_that_was_silent_for_long_holds_the_goal_for_itself_alone() {
        let worked = [
            format!("{CREATED}}}"),
            format!(r#"{NOTED},"session":"s"}}"#),
        ];
        for (at, leased, expected) in [
            ("2026-01-01T01:00:00.999Z", None, Hold::Another),
            ("2026-01-01T01:00:01.000Z", None, Hold::Nobody),
            ("2026-01-01T01:00:01.000Z", Some("s"), Hold::Another),
            // The clock of the machine that wrote it was ahead.
            ("2025-12-31T00:00:00.000Z", None, Hold::Another),
        ] {
            let now = Now {
                leased,
                at: millis(at).unwrap(),
                quiet_after: HOUR,
            };
            check_at(&worked, &["t"], now, expected);
            check_at(&worked, &["s"], now, Hold::Own);
        }
    }

    #[test]
    fn a_lease_decides_while_it_is_held() {
        let worked = [
            format!("{CREATED}}}"),
            format!(r#"{NOTED},"session":"s"}}"#),
        ];
        check(&worked, &["s"], Some("t"), Hold::Another);
        check(&worked, &["t"], Some("t"), Hold::Own);
        check(&worked, &[], Some("t"), Hold::Own);
    }
}
