//! Focus: what a session works on. It is the user's; no agent surface can set it
//! (docs/ledger-format.md#focus).

use std::collections::BTreeSet;

use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::state::State;

/// The goal that `session` works on: its own latest focus event; if it has none, that of its work
/// tree, where several share the ledger; else the project's; if none was ever recorded and exactly
/// one goal is open, that one, unless the user unfocused a session: a new one does not take up what
/// they left. A focus on a closed or unknown goal is no focus; it does not slide to
/// another.
pub fn focused<'a>(state: &'a State, session: Option<&str>) -> Option<&'a GoalId> {
    match state.focus.entry(session) {
        Some(entry) => {
            let id = entry.as_ref()?;
            let status = state.goals.status(id.as_str())?;
            status.is_open().then_some(id)
        }
        None if state.focus.was_left() => None,
        None => {
            let only = (state.open_count() == 1).then(|| state.open_ids().pop())??;
            state.goals.get(&only).map(|goal| &goal.id)
        }
    }
}

/// The goal that focus returns to when `inner` has ended: the one that was focused when it was
/// created, or, where that has ended too, the one before that.
pub fn outer_of<'a>(state: &'a State, inner: &'a Goal) -> Option<&'a Goal> {
    let mut outer = inner.returns_to.as_ref();
    // Lines that other programs wrote may name each other in a circle.
    let mut seen = BTreeSet::from([&inner.id]);
    while let Some(id) = outer.filter(|id| seen.insert(id)) {
        let goal = state.goals.get(id)?;
        if goal.status.is_open() {
            return Some(goal);
        }
        outer = goal.returns_to.as_ref();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::goal::state::Status;

    fn state(goals: &[(&str, Status)]) -> State {
        let mut state = State::default();
        for (id, status) in goals {
            let id = id.parse().unwrap();
            state.goals.amend(&id, "", |goal, _| goal.status = *status);
        }
        state
    }

    #[track_caller]
    fn check(state: &State, session: Option<&str>, expected: Option<&str>) {
        assert_eq!(focused(state, session).map(GoalId::as_str), expected);
    }

    #[test]
    fn without_a_word_the_only_open_goal_is_it() {
        check(&state(&[]), None, None);
        check(
            &state(&[("a", Status::Paused), ("b", Status::Complete)]),
            None,
            Some("a"),
        );
        check(
            &state(&[("a", Status::Active), ("b", Status::Active)]),
            None,
            None,
        );
    }

    #[test]
    fn a_new_session_does_not_take_up_what_the_user_left() {
        let mut state = state(&[("a", Status::Active), ("b", Status::Aborted)]);
        state.focus.record(Some("s"), None, true);
        check(&state, Some("new"), None);
        state
            .focus
            .record(Some("s"), Some("a".parse().unwrap()), true);
        check(&state, Some("new"), Some("a"));
    }

    #[test]
    fn a_session_has_its_own_word() {
        let mut state = state(&[("a", Status::Active), ("b", Status::Active)]);
        state.focus.record(None, Some("a".parse().unwrap()), true);
        state
            .focus
            .record(Some("s"), Some("b".parse().unwrap()), true);
        state.focus.record(Some("t"), None, true);
        check(&state, None, Some("a"));
        check(&state, Some("s"), Some("b"));
        check(&state, Some("t"), None);
        check(&state, Some("new"), Some("a"));
    }

    #[test]
    fn a_work_tree_has_a_focus_of_its_own_behind_that_of_a_session() {
        let mut state = state(&[("a", Status::Active), ("b", Status::Active)]);
        state.focus.record(None, Some("a".parse().unwrap()), true);
        let goal = Some("b".parse().unwrap());
        state.focus.record(Some("worktree-1"), goal, true);
        state.focus.record(Some("s"), None, true);
        check(&state, None, Some("b"));
        state.focus.seen_from(Some("worktree-1".into()));
        check(&state, None, Some("b"));
        check(&state, Some("new"), Some("b"));
        check(&state, Some("s"), None);
        // One that has chosen nothing has what was chosen last.
        state.focus.seen_from(Some("worktree-2".into()));
        check(&state, None, Some("b"));
        state
            .focus
            .record(Some("worktree-3"), Some("a".parse().unwrap()), true);
        check(&state, None, Some("a"));
        state.focus.seen_from(Some("worktree-1".into()));
        check(&state, None, Some("b"));
    }

    #[test]
    fn a_closed_focus_does_not_slide() {
        let mut state = state(&[("a", Status::Active), ("b", Status::Aborted)]);
        state.focus.record(None, Some("b".parse().unwrap()), true);
        check(&state, None, None);
        state
            .focus
            .record(None, Some("gone".parse().unwrap()), true);
        check(&state, None, None);
    }
}
