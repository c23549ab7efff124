//! Which goals each session holds, worked on, or is meant to hold.
//!
//! A session holds those that something in it was done for. Only a session that
//! holds a goal goes on with it by itself (docs/design/runs.md#when-an-agent-stops).
//!
//! A session also holds a goal that the user's words in it name. It worked on the goals that its events
//! name.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::{Caller, RUN_SESSION, TREE_KEY};
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
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
    /// The session that worked on the goal last is known to have ended.
    pub over: bool,
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
    // Not every host says that a session ended, so one that was silent for long counts as ended.
    // Who waits for something outside does nothing until that has come.
    let waits = goal.waits_for().is_some_and(|wait| wait.ends() > now.at);
    let is_at_work = |at: &str| !now.over && (waits || is_within(at, now.at, now.quiet_after));
    match worker.is_some_and(|it| is_at_work(&it.at)) {
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

/// Whether the caller's session worked on another goal that is open, or chose one.
pub fn holds_another(state: &State, goal: &Goal, caller: &Caller) -> bool {
    let Some(session) = &caller.session else {
        return false;
    };
    let worked = state.goals_of_session(session);
    let others = worked.into_iter().chain(state.focus.of_session(session));
    others
        .filter(|id| **id != goal.id)
        .any(|id| state.goals.get(id).is_some_and(|it| it.status.is_open()))
}

/// The words by which a person who is back goes on.
const GO_ON: [&[&str]; 6] = [
    &["continue"],
    &["go", "on"],
    &["carry", "on"],
    &["resume"],
    &["weiter"],
    &["mach", "weiter"],
];

/// Words that may stand before them.
const POLITE: [&str; 5] = ["please", "ok", "okay", "bitte", "yes"];

/// Whether they begin with the wish to go on, whatever with.
pub fn goes_on(prompt: &str) -> bool {
    let said = words(prompt);
    let polite = said.iter().take_while(|it| POLITE.contains(&it.as_str()));
    let said = &said[polite.count()..];
    let begins = |wish: &&[&str]| {
        said.len() >= wish.len() && wish.iter().zip(said).all(|(word, said)| word == said)
    };
    GO_ON.iter().any(begins)
}

/// The fewest letters of a title that can name its goal: a shorter one stands in any prompt.
const LETTERS: usize = 8;

/// Words before `goal` that say which goal is meant.
const WHICH: [&str; 8] = [
    "the", "this", "that", "my", "our", "your", "current", "active",
];

/// Whether they name the goal that the session would work on: by its id, by its title or objective,
/// or as `the goal`.
pub fn names(prompt: &str, goal: &Goal) -> bool {
    let said = words(prompt);
    let heading = words(goal.contract.heading());
    let letters = heading
        .iter()
        .map(|word| word.chars().count())
        .sum::<usize>();
    let by_title = letters >= LETTERS && said.windows(heading.len()).any(|it| it == heading);
    prompt.contains(goal.id.as_str()) || by_title || as_the_goal(&said)
}

/// `the goal`, but not `the goal of this function`.
fn as_the_goal(said: &[String]) -> bool {
    (1..said.len()).any(|at| {
        let is_meant = WHICH.contains(&said[at - 1].as_str()) && said[at] == "goal";
        is_meant && said.get(at + 1).is_none_or(|after| after != "of")
    })
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

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

    /// The goals that the events of this session name.
    pub(in crate::domain) fn goals(&self, session: &str) -> impl Iterator<Item = &GoalId> {
        self.0.get(session).into_iter().flatten()
    }
}

/// Whether a host gave this id to a session, and not the runner or a work tree.
pub(in crate::domain) fn is_of_host(session: &str) -> bool {
    !session.starts_with(TREE_KEY) && !session.starts_with(RUN_SESSION)
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
            over: false,
            at,
            quiet_after: HOUR,
        };
        check_at(lines, sessions, now, expected);
    }

    #[test]
    fn a_session_that_has_ended_holds_nothing_against_others() {
        let worked = [
            format!("{CREATED}}}"),
            format!(r#"{NOTED},"session":"s"}}"#),
        ];
        let now = |leased| Now {
            leased,
            over: true,
            at: millis("2026-01-01T00:01:00.000Z").unwrap(),
            quiet_after: HOUR,
        };
        check_at(&worked, &["t"], now(None), Hold::Nobody);
        check_at(&worked, &["s"], now(None), Hold::Own);
        check_at(&worked, &["t"], now(Some("s")), Hold::Another);
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
                over: false,
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

#[cfg(test)]
mod naming_tests {
    use super::*;

    #[test]
    fn a_person_who_is_back_goes_on_with_a_few_words() {
        for (prompt, expected) in [
            ("continue", true),
            ("Continue.", true),
            ("continue the README work", true),
            ("please go on with the work", true),
            ("ok, weiter!", true),
            ("resume", true),
            ("what does continue mean?", false),
            ("go", false),
            ("goon", false),
            ("please", false),
            ("where were we?", false),
            ("", false),
        ] {
            assert_eq!(goes_on(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn a_goal_is_named_by_id_title_or_as_the_goal() {
        let mut goal = Goal::implicit("mwrt-1".parse().unwrap(), 0, "");
        goal.contract.objective = "Water the beans!".into();
        for (prompt, expected) in [
            ("go on with mwrt-1", true),
            ("please water the  BEANS today", true),
            ("go on with the goal", true),
            ("Work on this goal, now.", true),
            ("what is 2+2", false),
            ("go on", false),
            ("what is the goal of this function?", false),
            ("set a goal", false),
            ("", false),
        ] {
            assert_eq!(names(prompt, &goal), expected, "{prompt}");
        }
        goal.contract.objective = "beans".into();
        assert!(!names("are beans green?", &goal));
        goal.contract.objective = String::new();
        assert!(!names("anything", &goal));
    }
}
