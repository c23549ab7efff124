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
    let waits = goal.may_be_silent(now.at);
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
const GO_ON: [&[&str]; 7] = [
    &["continue"],
    &["go", "on"],
    &["carry", "on"],
    &["keep", "going"],
    &["resume"],
    &["weiter"],
    &["mach", "weiter"],
];

/// Words that may stand before them.
const BEFORE: [&str; 10] = [
    "please", "ok", "okay", "bitte", "yes", "ja", "sure", "just", "let's", "lets",
];

/// Words that may stand behind them.
const BEHIND: [&str; 5] = ["please", "bitte", "now", "jetzt", "here"];

/// Words right behind them that take the wish back.
const NO: [&str; 8] = ["no", "not", "nope", "wait", "stop", "but", "nein", "nicht"];

/// Words that take it back wherever they stand.
const ELSE: [&str; 4] = ["forget", "instead", "vergiss", "stattdessen"];

/// Words that say what is gone on with.
const WORK: [&str; 6] = ["goal", "work", "task", "ziel", "arbeit", "aufgabe"];

/// Articles in German, beside [`WHICH`].
const ARTICLES: [&str; 4] = ["das", "dem", "die", "der"];

/// A word as it was written, in small letters, and whether punctuation ends it.
#[derive(Debug)]
struct Said {
    word: String,
    ends: bool,
}

/// Whether they are the wish to go on, maybe with the goal: words that only begin like it are another
/// request. Without a goal no title counts.
pub fn goes_on(prompt: &str, goal: Option<&Goal>) -> bool {
    let said = said(prompt);
    let is_any = |said: &Said, of: &[&str]| of.contains(&said.word.as_str());
    let before = said.iter().take_while(|it| is_any(it, &BEFORE)).count();
    let said = &said[before..];
    let is_wish = |wish: &&&[&str]| {
        let (words, ends): (Vec<_>, Vec<_>) = said
            .iter()
            .take(wish.len())
            .map(|it| (it.word.as_str(), it.ends))
            .unzip();
        words == **wish && !ends.iter().rev().skip(1).any(|ends| *ends)
    };
    let Some(wish) = GO_ON.iter().find(is_wish) else {
        return false;
    };
    let is_behind = |at: &usize| !said[at - 1].ends && is_any(&said[*at], &BEHIND);
    let behind = (wish.len()..said.len()).take_while(is_behind).count();
    let (wish, rest) = said.split_at(wish.len() + behind);
    if rest.iter().any(|it| is_any(it, &ELSE)) {
        return false;
    }
    match rest.first() {
        None => true,
        Some(next) if wish.last().is_some_and(|it| it.ends) => !is_any(next, &NO),
        Some(_) => is_the_work(rest, goal),
    }
}

/// Whether they begin with the work on the goal, as in `with the README work`, or with words of the goal.
fn is_the_work(rest: &[Said], goal: Option<&Goal>) -> bool {
    let end = rest.iter().position(|it| it.ends);
    let clause = &rest[..end.map_or(rest.len(), |at| at + 1)];
    let clause: Vec<&str> = clause.iter().map(|it| it.word.as_str()).collect();
    let with = ["with", "mit"].contains(&clause[0]);
    let object = &clause[usize::from(with)..];
    let is_article = |it: &&str| WHICH.contains(it) || ARTICLES.contains(it);
    let Some((first, others)) = object.split_first() else {
        return false;
    };
    if is_article(first) && others.iter().any(|it| WORK.contains(it)) {
        return true;
    }
    let heading = goal.map(|goal| words(goal.contract.heading()));
    let named = object.iter().filter(|it| !is_article(it));
    let mut named = named.flat_map(|it| words(it)).peekable();
    let is_named =
        |heading: Vec<String>| named.peek().is_some() && named.all(|word| heading.contains(&word));
    with && heading.is_some_and(is_named)
}

fn said(prompt: &str) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for word in prompt.split_whitespace() {
        let word = word.to_lowercase().replace('\u{2019}', "'");
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let ends = bare.len() < word.len();
        match all.last_mut() {
            Some(last) if bare.is_empty() => last.ends = true,
            _ => all.push(Said {
                word: bare.to_owned(),
                ends,
            }),
        }
    }
    all
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

/// `the goal`, but neither `the goal of this function` nor `not the goal`.
fn as_the_goal(said: &[String]) -> bool {
    (1..said.len()).any(|at| {
        let is_meant = WHICH.contains(&said[at - 1].as_str()) && said[at] == "goal";
        let before = at.checked_sub(2).map(|at| said[at].as_str());
        let is_refused = before.is_some_and(|it| NO.contains(&it) || ELSE.contains(&it));
        is_meant && !is_refused && said.get(at + 1).is_none_or(|after| after != "of")
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
        let mut goal = Goal::implicit("a".parse().unwrap(), 0, "");
        goal.contract.objective = "Write the usage section".into();
        for (prompt, expected) in [
            ("continue", true),
            ("Continue.", true),
            ("continue please", true),
            ("continue the README work", true),
            ("continue with the usage section", true),
            ("please go on with the work", true),
            ("go on with the goal, and commit often", true),
            ("continue. The tests are green now.", true),
            ("ok, weiter!", true),
            ("weiter mit dem Ziel", true),
            ("yes, continue", true),
            ("ja, mach weiter", true),
            ("Let\u{2019}s go on", true),
            ("sure - just keep going", true),
            ("lets continue", true),
            ("resume", true),
            ("what does continue mean?", false),
            ("go", false),
            ("go. on", false),
            ("goon", false),
            ("please", false),
            ("yes", false),
            ("where were we?", false),
            ("", false),
            ("!", false),
            ("resume.md: fix the typo", false),
            ("continue-on-error is wrong in CI", false),
            ("please resume my CV", false),
            ("go on a diet plan", false),
            ("go on holiday: book a flight", false),
            ("continue with the tests", false),
            ("continue with", false),
            ("continue; no, forget the goal, do X instead", false),
            ("continue, not that", false),
            ("continue with the next question, not the goal", false),
        ] {
            assert_eq!(goes_on(prompt, Some(&goal)), expected, "{prompt}");
        }
        assert!(!goes_on("continue with the usage section", None));
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
            ("continue; no, forget the goal, do X instead", false),
            ("continue with the next question, not the goal", false),
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
