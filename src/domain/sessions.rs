//! Which goals each session holds: those that something in it was done for. Only a session that
//! holds a goal goes on with it by itself (docs/design/runs.md#when-an-agent-stops).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::{RUN_SESSION, TREE_KEY};
use crate::domain::goal::state::Goal;
use crate::domain::goals::SavedGoals;
use crate::domain::id::GoalId;
use crate::domain::state::State;

/// The goals that the events of each session name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions(BTreeMap<String, BTreeSet<GoalId>>);

impl Sessions {
    /// An event of this session names this goal. A run is no session of a host.
    pub(in crate::domain) fn record(&mut self, session: &str, goal: &GoalId) {
        if is_of_host(session) {
            let goals = self.0.entry(session.to_owned()).or_default();
            goals.insert(goal.clone());
        }
    }

    /// Adds what others name.
    pub fn add(&mut self, others: &Sessions) {
        for (session, goals) in &others.0 {
            let known = self.0.entry(session.clone()).or_default();
            known.extend(goals.iter().cloned());
        }
    }

    fn goals(&self, session: &str) -> impl Iterator<Item = &GoalId> {
        self.0.get(session).into_iter().flatten()
    }
}

impl State {
    /// The goals that the events of this session name.
    pub fn goals_of_session(&self, session: &str) -> BTreeSet<&GoalId> {
        let saved = self.goals.saved_goals().map(SavedGoals::sessions);
        let saved = saved.into_iter().flat_map(|saved| saved.goals(session));
        self.sessions.goals(session).chain(saved).collect()
    }
}

/// Whether a host gave this id to a session, and not the runner or a work tree.
fn is_of_host(session: &str) -> bool {
    !session.starts_with(TREE_KEY) && !session.starts_with(RUN_SESSION)
}

/// Who holds a goal, as a session sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    /// The session itself; or the host does not say which session it is.
    Own,
    /// No session: the goal was set at a terminal, and no session has worked on it since.
    Nobody,
    /// Another session.
    Another,
}

/// Who holds this goal. `leased` is the session that has its lease, where somebody has.
pub fn hold(state: &State, goal: &Goal, session: Option<&str>, leased: Option<&str>) -> Hold {
    let Some(session) = session else {
        return Hold::Own;
    };
    if let Some(leased) = leased {
        return match leased == session {
            true => Hold::Own,
            false => Hold::Another,
        };
    }
    let chosen = state.focus.of_session(session) == Some(&goal.id);
    if chosen || state.goals_of_session(session).contains(&goal.id) {
        return Hold::Own;
    }
    let worker = goal.worker.as_ref();
    match worker.is_some_and(|worker| is_of_host(&worker.session)) {
        true => Hold::Another,
        false => Hold::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::Ledger;

    const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z""#;
    const NOTED: &str =
        r#"{"type":"goal_noted","goalId":"a","note":"n","at":"2026-01-01T00:00:01.000Z""#;

    #[track_caller]
    fn check(lines: &[String], session: Option<&str>, leased: Option<&str>, expected: Hold) {
        let mut ledger = Ledger::default();
        for line in lines {
            ledger.append(line);
        }
        let (state, _) = ledger.replay();
        let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
        assert_eq!(hold(&state, goal, session, leased), expected, "{lines:?}");
    }

    #[test]
    fn a_session_holds_what_it_created_focused_or_worked_on() {
        let plain = format!("{CREATED}}}");
        let created = format!(r#"{CREATED},"session":"s"}}"#);
        let noted = format!(r#"{NOTED},"session":"s"}}"#);
        let in_run = format!(r#"{NOTED},"session":"run-1"}}"#);
        let alone = std::slice::from_ref(&plain);
        check(alone, Some("s"), None, Hold::Nobody);
        check(alone, None, None, Hold::Own);
        check(&[created], Some("s"), None, Hold::Own);
        let worked = [plain.clone(), noted];
        check(&worked, Some("s"), None, Hold::Own);
        check(&worked, Some("t"), None, Hold::Another);
        check(&[plain, in_run], Some("t"), None, Hold::Nobody);
    }

    #[test]
    fn a_lease_decides_while_it_is_held() {
        let worked = [
            format!("{CREATED}}}"),
            format!(r#"{NOTED},"session":"s"}}"#),
        ];
        check(&worked, Some("s"), Some("t"), Hold::Another);
        check(&worked, Some("t"), Some("t"), Hold::Own);
        check(&worked, None, Some("t"), Hold::Own);
    }
}
