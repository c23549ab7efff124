//! Counts and policy, in cases and against a naive reading of the same events.

use proptest::prelude::*;

use super::*;
use crate::domain::testing::Ledger;

const CREATED: &str =
    r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true"#;

/// The kinds of events that matter here, by the letter that tells a story: `.` continues, `u` is
/// the user's word, `n` notes, `c` asks for completion, `e`, `d` and `f` are results (of the
/// revision `1`, and `f` of `2`), `t` changes the contract, `k` runs a check, `x` is unknown, `r`
/// and `s` start and stop a run.
fn line(kind: char) -> String {
    let result = |verdict: &str, revision: char| {
        let revision = revision.to_string().repeat(32);
        format!(
            r#""type":"audit_result","verdict":"{verdict}","report":"r","revision":"{revision}""#
        )
    };
    let fields = match kind {
        '.' => format!(r#""type":"goal_continued","revision":"{}""#, "1".repeat(32)),
        'u' => r#""type":"user_prompted""#.into(),
        'n' => r#""type":"goal_noted","note":"n""#.into(),
        'c' => r#""type":"completion_requested""#.into(),
        'e' => result("error", '1'),
        'f' => result("error", '2'),
        'd' => result("disapproved", '1'),
        't' => r#""type":"goal_tweaked","changeSummary":"c""#.into(),
        'k' => r#""type":"check_run","name":"n","pass":true,"output":"o","durationMs":1"#.into(),
        'x' => r#""type":"never_heard_of""#.into(),
        'r' => r#""type":"run_started","runId":"r","until":"goal","agent":"a""#.into(),
        's' => r#""type":"run_stopped","runId":"r","cause":"done""#.into(),
        other => panic!("{other}"),
    };
    // Each stands at a time of its own, or equal ones would be one line.
    format!(r#"{{{fields},"goalId":"a""#)
}

fn after(story: &str) -> Goal {
    let lines = [CREATED.to_owned()]
        .into_iter()
        .chain(story.chars().map(line));
    let ledger = lines
        .enumerate()
        .fold(Ledger::default(), |ledger, (at, line)| {
            ledger.ours(&format!(r#"{line},"at":"{at}"}}"#))
        });
    let (state, found) = ledger.replay();
    let odd: Vec<_> = found
        .iter()
        .filter(|found| !found.message.contains("never_heard_of"))
        .collect();
    assert!(odd.is_empty(), "{odd:?}");
    state.goals[&"a".parse().unwrap()].clone()
}

#[track_caller]
fn check(story: &str, expected: Result<(), StopReason>) {
    assert_eq!(may_continue(&after(story)), expected, "{story}");
}

#[test]
fn three_empty_turns_in_a_row_bring_it_to_rest() {
    check("", Ok(()));
    check("..", Ok(()));
    check("...", Err(StopReason::EmptyTurns));
    check("..n.", Ok(()));
    check("..n...", Err(StopReason::EmptyTurns));
    check("...n", Ok(()));
}

#[test]
fn asking_and_judging_are_no_progress() {
    check(".c.cd.cd", Err(StopReason::EmptyTurns));
    check(".k.k.kx", Err(StopReason::EmptyTurns));
    check(".r.s.", Err(StopReason::EmptyTurns));
}

#[test]
fn three_errors_in_a_row_for_one_revision_bring_it_to_rest() {
    check("nenene", Err(StopReason::AuditErrors));
    check("ee", Ok(()));
    check("eede", Ok(()));
    check("eef", Ok(()));
    check("eefff", Err(StopReason::AuditErrors));
    // A changed contract is another revision, whatever the result said.
    check("eete", Ok(()));
    check("eeet", Ok(()));
}

#[test]
fn the_users_word_lets_it_go_on() {
    check("...u", Ok(()));
    check("eeeu", Ok(()));
    check("eeeue", Ok(()));
    check("...u..", Ok(()));
    check("...u...", Err(StopReason::EmptyTurns));
}

#[test]
fn only_an_active_goal_of_ours_goes_on_by_itself() {
    let changed = |change: fn(&mut Goal)| {
        let mut goal = after("");
        change(&mut goal);
        may_continue(&goal)
    };
    for status in Status::ALL {
        let mut goal = after("");
        goal.status = status;
        let expected = match status {
            Status::Active => Ok(()),
            other => Err(StopReason::NotActive(other)),
        };
        assert_eq!(may_continue(&goal), expected);
    }
    assert_eq!(
        changed(|goal| goal.contract.auto_continue = false),
        Err(StopReason::ByHand)
    );
    assert_eq!(
        changed(|goal| goal.keeper = Keeper::Theirs),
        Err(StopReason::Theirs)
    );
}

#[test]
fn the_users_word_counts_while_continuing_was_given_up_or_a_run_is_on() {
    for (story, heeded) in [
        ("", false),
        ("..", false),
        ("...", true),
        ("eee", true),
        ("eeet", false),
        ("...u", false),
        ("r", true),
        ("rs", false),
    ] {
        assert_eq!(heeds_the_user(&after(story)), heeded, "{story}");
    }
    let mut goal = after("...");
    goal.keeper = Keeper::Theirs;
    assert!(!heeds_the_user(&goal));
}

/// The rule as the contract words it, read off the whole story.
fn naive(story: &str) -> Result<(), StopReason> {
    let since_word = story.rsplit('u').next().unwrap();
    let since_progress = since_word.rsplit(['n', 't']).next().unwrap();
    if since_progress.matches('.').count() >= 3 {
        return Err(StopReason::EmptyTurns);
    }
    let of_revision = since_word.rsplit('t').next().unwrap();
    let mut results = of_revision.chars().rev().filter(|c| "edf".contains(*c));
    let last: String = results.by_ref().take(3).collect();
    if last == "eee" || last == "fff" {
        return Err(StopReason::AuditErrors);
    }
    Ok(())
}

proptest! {
    #[test]
    fn counting_agrees_with_reading_everything_again(story in "[.uncefdtkxrs]{0,24}") {
        prop_assert_eq!(may_continue(&after(&story)), naive(&story), "{}", story);
    }
}
