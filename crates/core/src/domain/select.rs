//! Which goal, draft, question or task a command means: what was typed, or the focus; and what the
//! caller could have meant.
//!
//! What a caller could have meant, as messages list it: the first ten with what they are about, and
//! how many more there are.
//!
//! What a person calls a goal, a draft, a question or a task: its id, the beginning or end of one, or
//! words of its title. A whole id wins over a whole title, that over a part of an id, and that over
//! words of a title.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::domain::actor::{Actor, Caller};
use crate::domain::focus::focused;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::verdict::one_line;

/// The goal with this id.
pub fn by_id<'a>(state: &'a State, id: &GoalId) -> Result<&'a Goal, Rejection> {
    let unknown = || Rejection::UnknownGoal {
        selector: id.to_string(),
    };
    state.goals.get(id).ok_or_else(unknown)
}

/// The goal that `selector` names by its id, or by any unambiguous prefix or suffix of one. An exact id
/// always wins.
pub fn by_text<'a>(state: &'a State, selector: &str) -> Result<&'a Goal, Rejection> {
    if let Some(goal) = selector
        .parse::<GoalId>()
        .ok()
        .and_then(|id| state.goals.get(&id))
    {
        return Ok(goal);
    }
    let ids = state.goals.ids(|_| true).into_iter();
    let found: Vec<GoalId> = ids.filter(|id| is_part(selector, id.as_str())).collect();
    only(state, selector, &found)
}

/// The goal that a caller names: as [`by_text`] finds it, else the only open goal whose title has these
/// words, else the only one that ended.
pub fn named<'a>(state: &'a State, selector: &str) -> Result<&'a Goal, Rejection> {
    let found = by_text(state, selector);
    if found
        .as_ref()
        .is_ok_and(|goal| goal.id.as_str() == selector)
    {
        return found;
    }
    let whole = titled(state, |title| is_title(selector, title));
    if !whole.is_empty() {
        return open_first(state, selector, whole);
    }
    let Some(words) = Naming::of(selector) else {
        return found;
    };
    if !matches!(found, Err(Rejection::UnknownGoal { .. })) {
        return found;
    }
    let titled = titled(state, |title| words.fit(title));
    open_first(state, selector, titled)
}

/// The only open one of these goals, or if all have ended the only one.
fn open_first<'a>(
    state: &'a State,
    selector: &str,
    titled: Vec<(GoalId, Status)>,
) -> Result<&'a Goal, Rejection> {
    let (open, ended): (Vec<_>, Vec<_>) =
        titled.into_iter().partition(|(_, status)| status.is_open());
    let meant = if open.is_empty() { ended } else { open };
    let ids: Vec<GoalId> = meant.into_iter().map(|(id, _)| id).collect();
    only(state, selector, &ids)
}

/// The goals whose titles are so, in order of creation.
fn titled(state: &State, is_so: impl Fn(&str) -> bool) -> Vec<(GoalId, Status)> {
    let all = state.goals.list(|_| true).into_iter();
    let titled = all.filter(|goal| is_so(goal.heading()));
    titled
        .map(|goal| (goal.id().clone(), goal.status()))
        .collect()
}

/// The only goal that was found.
fn only<'a>(state: &'a State, selector: &str, found: &[GoalId]) -> Result<&'a Goal, Rejection> {
    match found {
        [only] => by_id(state, only),
        [] => Err(Rejection::UnknownGoal {
            selector: selector.to_owned(),
        }),
        _ => Err(Rejection::AmbiguousGoal {
            selector: selector.to_owned(),
            candidates: Candidates::goals(state, found),
        }),
    }
}

/// How much of an id is enough to name its goal ([`by_text`]).
#[derive(Debug, Default)]
pub struct ShortestIds {
    /// Of all goals, in order.
    sorted: Vec<GoalId>,
}

impl ShortestIds {
    /// Those of the goals of this project.
    pub fn of(state: &State) -> ShortestIds {
        let mut sorted = state.goals.ids(|_| true);
        sorted.sort_unstable();
        ShortestIds { sorted }
    }

    /// How many bytes of its beginning name this goal and no other; nothing where no goal is known.
    pub fn of_id(&self, id: &GoalId) -> Option<usize> {
        let at = self.sorted.binary_search(id).ok()?;
        let text = id.as_str();
        let before = at.checked_sub(1).and_then(|at| self.sorted.get(at));
        let beside = before.into_iter().chain(self.sorted.get(at + 1));
        let shared = beside.map(|other| shared(text, other.as_str())).max();
        let ends_one = |start: &str| {
            let mut others = self.sorted.iter().filter(|other| *other != id);
            others.any(|other| other.as_str().ends_with(start))
        };
        let from = shared.unwrap_or(0) + 1;
        let len = (from..text.len()).find(|len| !ends_one(&text[..*len]));
        Some(len.unwrap_or(text.len()))
    }
}

/// With how many equal bytes two texts begin.
fn shared(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

/// The goal a command acts on: what was named, else the focus. For an agent a name only asserts:
/// any other goal than its focused one is refused, but for one that ended in its session, whose
/// cost may be known only then (docs/design/goals.md#which-goal-a-command-means).
pub fn target<'a>(
    state: &'a State,
    selector: Option<&str>,
    caller: &Caller,
) -> Result<&'a Goal, Rejection> {
    let focus = focused(state, caller.session.as_deref());
    let Some(selector) = selector else {
        let goal = focus.and_then(|id| state.goals.get(id));
        return goal.ok_or_else(|| Rejection::no_focus(state));
    };
    let goal = named(state, selector)?;
    if caller.actor == Actor::Agent && focus != Some(&goal.id) && !ended_here(goal, caller) {
        return Err(Rejection::NotFocused {
            named: goal.id.clone(),
            focused: focus.cloned(),
        });
    }
    Ok(goal)
}

fn ended_here(goal: &Goal, caller: &Caller) -> bool {
    let session = caller.session.as_deref();
    let worker = goal.worker.as_ref().map(|it| it.session.as_str());
    !goal.status.is_open() && session.is_some() && worker == session
}

/// The most that a listing in a message shows.
pub const MOST_SHOWN: usize = 10;

/// Goals or drafts that could have been meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Ids with what they are about.
    first: Vec<(String, String)>,
    total: usize,
}

impl Candidates {
    /// These goals. Only those that are shown are looked at.
    pub fn goals(state: &State, ids: &[GoalId]) -> Candidates {
        let about = |id: &GoalId| Some(state.goals.get(id)?.contract.heading());
        let all = ids.iter();
        Candidates::of(all.map(|id| (id.as_str(), about(id).unwrap_or_default())))
    }

    /// These drafts.
    pub fn drafts(drafts: &[&Draft]) -> Candidates {
        let all = drafts.iter();
        Candidates::of(all.map(|draft| (draft.draft_id.as_str(), draft.about())))
    }

    /// Other things, with their ids and what they are about.
    pub fn of<'a>(all: impl ExactSizeIterator<Item = (&'a str, &'a str)>) -> Candidates {
        let total = all.len();
        let first = all.take(MOST_SHOWN);
        Candidates {
            first: first
                .map(|(id, about)| (id.to_owned(), line(about)))
                .collect(),
            total,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (id, about)) in self.first.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            match about.as_str() {
                "" => write!(f, "{comma}{id}")?,
                about => write!(f, "{comma}{id} ({about})")?,
            }
        }
        match self.total - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The most of a title or topic that a message shows, in characters.
const LONGEST: usize = 48;

/// A text as it is compared with others: whatever the case of its letters, and however its accents are
/// written. Upper case first, which makes `SS` of `ß`.
pub fn folded(text: &str) -> String {
    let upper: String = text.nfd().flat_map(char::to_uppercase).collect();
    upper.to_lowercase()
}

/// The words that a title has to have, folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TitleWords(Vec<String>);

impl TitleWords {
    /// The words of a text.
    pub fn of(text: &str) -> TitleWords {
        let words = text.split_whitespace();
        TitleWords(words.map(folded).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the title has all of them, in whatever order and case, also as parts of its words.
    pub fn are_in(&self, title: &str) -> bool {
        let title = folded(title);
        self.0.iter().all(|word| title.contains(word.as_str()))
    }
}

/// The fewest letters that can name something by its title: one stands in nearly every title.
const LETTERS: usize = 2;

/// The words by which a caller names what it acts on.
#[derive(Debug)]
pub struct Naming(TitleWords);

impl Naming {
    /// The words that can name something. A number cannot, or a mistyped id of a task would do something
    /// to another one.
    pub fn of(text: &str) -> Option<Naming> {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        (letters >= LETTERS).then(|| Naming(TitleWords::of(text)))
    }

    /// Whether a word of the title begins with each of them, in whatever order and case. `id` does not
    /// name "A guide": what is named may be ended for good.
    pub fn fit(&self, title: &str) -> bool {
        let title = folded(title);
        let TitleWords(words) = &self.0;
        words.iter().all(|word| begins_a_word(word, &title))
    }
}

/// Whether a word of the title begins so. Scripts without small letters mostly write no spaces: there it may
/// stand anywhere.
fn begins_a_word(start: &str, title: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let has_spaces = start.starts_with(char::is_lowercase);
    let mut places = title.match_indices(start);
    places.any(|(at, _)| !has_spaces || !title[..at].ends_with(goes_on))
}

/// The fewest characters that can be the end of an id: one letter is as likely a title.
const CHARACTERS: usize = 2;

/// Whether the text is the id, or a beginning or an end of it.
pub fn is_part(text: &str, id: &str) -> bool {
    let is_end = text.len() >= CHARACTERS && id.ends_with(text);
    !text.is_empty() && (id.starts_with(text) || is_end)
}

/// Whether the text is the whole title, in whatever case. It needs a letter: a number may be a mistyped
/// id.
fn is_title(text: &str, title: &str) -> bool {
    text.chars().any(char::is_alphabetic) && folded(text.trim()) == folded(title.trim())
}

/// Those that a text can mean, of which each has an id and a title: the one with this id, else those
/// with this title, else those with a part of the id, else those whose titles have these words.
pub fn meant<T: Copy>(
    text: &str,
    all: impl Iterator<Item = T> + Clone,
    id: impl Fn(T) -> String,
    title: impl Fn(T) -> String,
) -> Vec<T> {
    if let Some(whole) = all.clone().find(|it| id(*it) == text) {
        return vec![whole];
    }
    let titled: Vec<T> = all
        .clone()
        .filter(|it| is_title(text, &title(*it)))
        .collect();
    if !titled.is_empty() {
        return titled;
    }
    let parts: Vec<T> = all.clone().filter(|it| is_part(text, &id(*it))).collect();
    match (parts.is_empty(), Naming::of(text)) {
        (true, Some(words)) => all.filter(|it| words.fit(&title(*it))).collect(),
        _ => parts,
    }
}

/// A title or topic on one line, cut where it is long.
pub(in crate::domain) fn line(text: &str) -> String {
    one_line(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::goal::state::Status;

    fn state(ids: &[&str]) -> State {
        let mut state = State::default();
        for id in ids {
            state.goals.amend(&id.parse().unwrap(), "", |_, _| ());
        }
        state
    }

    #[track_caller]
    fn selects(state: &State, selector: &str, expected: Result<&str, &str>) {
        let found = by_text(state, selector);
        let found = found.as_ref().map(|goal| goal.id.as_str());
        assert_eq!(found.map_err(|error| error.code()), expected, "{selector}");
    }

    #[test]
    fn an_agent_names_its_focused_goal_or_one_that_ended_in_its_session() {
        const SET: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z","session":"s"}"#;
        const ENDED: &str = r#"{"type":"goal_aborted","goalId":"a","reason":"r","at":"2026-01-01T00:00:01.000Z","session":"s"}"#;
        let named = |lines: &[&str], session: &str| {
            let mut ledger = crate::domain::testing::Ledger::default();
            for line in lines {
                ledger.append(line);
            }
            let (state, _) = ledger.replay();
            let caller = Caller {
                actor: Actor::Agent,
                session: Some(session.to_owned()),
                continues: Vec::new(),
                turn: None,
                via: None,
            };
            target(&state, Some("a"), &caller)
                .map(|_| ())
                .map_err(|error| error.code())
        };
        assert_eq!(named(&[SET, ENDED], "s"), Ok(()));
        assert_eq!(named(&[SET, ENDED], "t"), Err("not_focused"));
    }

    #[test]
    fn a_prefix_or_suffix_is_enough_when_it_is_clear() {
        let state = state(&["mr5cf6ch-akrg4u", "mr5cf6zz-bbbg4u", "mr5"]);
        selects(&state, "mr5cf6c", Ok("mr5cf6ch-akrg4u"));
        selects(&state, "bbbg4u", Ok("mr5cf6zz-bbbg4u"));
        selects(&state, "mr5cf6", Err("ambiguous_goal"));
        selects(&state, "g4u", Err("ambiguous_goal"));
        selects(&state, "akr", Err("unknown_goal"));
        selects(&state, "", Err("unknown_goal"));
        selects(&state, "../mr5", Err("unknown_goal"));
        // A whole id is clear even when longer ones begin with it.
        selects(&state, "mr5", Ok("mr5"));
    }

    #[test]
    fn a_goal_is_named_by_words_of_its_title_where_no_id_fits() {
        let mut state = state(&["a-1", "b-2", "c-3", "d-4"]);
        let titles = [
            "Rotate the auth token",
            "Auth for the API",
            "a-1 is late",
            "Auth audit",
        ];
        for (id, title) in ["a-1", "b-2", "c-3", "d-4"].into_iter().zip(titles) {
            let id = id.parse().unwrap();
            state
                .goals
                .amend(&id, "", |goal, _| goal.contract.objective = title.into());
        }
        let end = |goal: &mut Goal, _| goal.status = Status::Complete;
        state.goals.amend(&"d-4".parse().unwrap(), "", end);
        let names = |selector: &str| {
            let found = named(&state, selector);
            found
                .map(|goal| goal.id.to_string())
                .map_err(|error| error.code())
        };
        assert_eq!(names("TOKEN rotate"), Ok("a-1".into()));
        assert_eq!(names("a-1"), Ok("a-1".into()), "an id wins");
        assert_eq!(names("late"), Ok("c-3".into()));
        assert_eq!(names("auth"), Err("ambiguous_goal"), "of the open ones");
        assert_eq!(
            names("auth audit"),
            Ok("d-4".into()),
            "an ended one where no open one fits"
        );
        assert_eq!(names("nothing"), Err("unknown_goal"));
        assert!(by_text(&state, "rotate").is_err());
    }

    #[test]
    fn the_shortest_beginning_of_an_id_names_its_goal_and_a_shorter_one_does_not() {
        for ids in [
            &[
                "mr5cf6ch-akrg4u",
                "mr5cf6zz-bbbg4u",
                "mr5",
                "x-m",
                "x-mr5cf6z",
            ][..],
            &["only"],
        ] {
            let state = state(ids);
            let shortest = ShortestIds::of(&state);
            for id in ids {
                let len = shortest.of_id(&id.parse().unwrap()).unwrap();
                selects(&state, &id[..len], Ok(id));
                for less in 1..len {
                    let found = by_text(&state, &id[..less]).map(|it| it.id.as_str());
                    assert_ne!(found, Ok(*id), "{less}");
                }
            }
        }
        assert_eq!(ShortestIds::default().of_id(&"a".parse().unwrap()), None);
    }

    #[test]
    fn candidates_stand_in_order_of_appearance() {
        let state = state(&["x2", "x1"]);
        let found = by_text(&state, "x");
        let Err(Rejection::AmbiguousGoal { candidates, .. }) = found else {
            panic!("{found:?}");
        };
        assert!(candidates.to_string().starts_with("x2 ("), "{candidates}");
        assert_eq!(candidates.len(), 2);
    }

    #[test]
    fn without_a_name_it_is_the_focus_of_the_session() {
        let mut state = state(&["a", "b"]);
        let user = Caller::new(Actor::User);
        let none = target(&state, None, &user);
        assert!(matches!(none, Err(Rejection::NoFocus { open }) if open.len() == 2));
        state
            .focus
            .record(Some("s"), Some("b".parse().unwrap()), true);
        let in_session = Caller {
            session: Some("s".into()),
            ..user
        };
        assert_eq!(target(&state, None, &in_session).unwrap().id.as_str(), "b");
        for id in ["a", "b"] {
            let complete = |goal: &mut Goal, _| goal.status = Status::Complete;
            state.goals.amend(&id.parse().unwrap(), "", complete);
        }
        assert!(target(&state, None, &in_session).is_err());
        assert_eq!(
            target(&state, Some("b"), &in_session).unwrap().id.as_str(),
            "b"
        );
    }

    #[test]
    fn an_agents_name_is_an_assertion() {
        let mut state = state(&["a", "b"]);
        let agent = Caller::new(Actor::Agent);
        let refused = |state: &State, name| target(state, Some(name), &agent).unwrap_err();
        let nothing = refused(&state, "a").to_string();
        assert_eq!(nothing, "goal a is not the focused goal");
        state.focus.record(None, Some("b".parse().unwrap()), true);
        assert_eq!(
            refused(&state, "a").to_string(),
            "goal a is not the focused goal, which is b"
        );
        assert!(target(&state, Some("b"), &agent).is_ok());
    }
}

#[cfg(test)]
mod candidates_tests {
    use super::*;

    #[test]
    fn ten_are_shown_and_the_others_counted() {
        let mut state = State::default();
        let ids: Vec<GoalId> = (0..12).map(|n| format!("g{n}").parse().unwrap()).collect();
        for id in &ids {
            state.goals.amend(id, "", |goal, _| {
                goal.contract.objective = "water the \t beans ".repeat(4);
            });
        }
        let about = "water the beans water the beans water the beans …";
        let two = Candidates::goals(&state, &ids[..2]);
        assert_eq!(two.to_string(), format!("g0 ({about}), g1 ({about})"));
        let all = Candidates::goals(&state, &ids);
        assert_eq!(all.len(), 12);
        assert!(
            all.to_string()
                .ends_with(&format!("g9 ({about}) and 2 more"))
        );
    }
}

#[cfg(test)]
mod titles_tests {
    use super::*;

    #[test]
    fn a_title_has_words_in_any_order_and_case() {
        let title = "Rotate the AUTH token, größer, 漢字の題";
        for (text, has) in [
            ("token auth", true),
            ("Auth", true),
            ("tok", true),
            ("GRÖSSER", true),
            ("GRÖßER", true),
            ("字の", true),
            ("auth tokens", false),
            ("", true),
        ] {
            assert_eq!(TitleWords::of(text).are_in(title), has, "{text}");
        }
        assert!(TitleWords::of(" \n").is_empty());
    }

    #[test]
    fn what_names_something_begins_words_of_its_title() {
        let title = "A guide to the AUTH-token, très long, größer, 漢字の題";
        for (text, fits) in [
            ("guide", true),
            ("gui TOKEN", true),
            ("GRÖSSE", true),
            ("字の", true),
            ("id", false),
            ("guide oken", false),
            ("uth", false),
            ("res", false),
            ("s long", false),
        ] {
            assert_eq!(Naming::of(text).unwrap().fit(title), fits, "{text}");
        }
        assert!(Naming::of("12 x").is_none());
    }

    #[test]
    fn an_id_wins_over_a_part_of_one_and_that_over_words() {
        let all = [
            ("a", "one"),
            ("ab", "two a"),
            ("cd", "three a"),
            ("cde", "cd and e"),
        ];
        let of = |text: &str| -> Vec<&str> {
            let meant = meant(text, all.iter(), |it| it.0.into(), |it| it.1.into());
            meant.into_iter().map(|it| it.0).collect()
        };
        assert_eq!(of("a"), ["a"]);
        assert_eq!(of("cd"), ["cd"]);
        assert_eq!(of("c"), ["cd", "cde"]);
        assert_eq!(of("b"), [""; 0], "one letter is no end");
        assert_eq!(of("de"), ["cde"]);
        assert_eq!(of("ONE"), ["a"], "a whole title");
        assert_eq!(of("AND cd"), ["cde"]);
        assert_eq!(of("E"), [""; 0], "one letter names nothing");
        assert_eq!(of("o"), [""; 0]);
        assert_eq!(of("12"), [""; 0]);
        assert_eq!(of("on"), ["a"]);
        assert_eq!(of(""), [""; 0]);
    }
}
