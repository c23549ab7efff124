//! Counts and policy, in cases and against a naive reading of the same events.

use proptest::prelude::*;

use super::*;
use crate::domain::testing::Ledger;

const CREATED: &str =
    r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true"#;

/// How many continuations without a result are allowed in the stories.
const MOST: u32 = 5;

/// The kinds of events that matter here, by the letter that tells a story: `.` continues, `u` is
/// the user's word, `n` notes something new, `m` the same as before, `v` is evidence, `c` asks for completion, `e`, `d` and `f` are results (of the
/// revision `1`, and `f` of `2`), `t` changes the contract, `k` runs a check, `x` is unknown, `r`
/// and `s` start and stop a run; `w` is evidence under one key, `b` and `o` start and reopen one task.
fn line(kind: char, at: usize) -> String {
    let result = |verdict: &str, revision: char| {
        let revision = revision.to_string().repeat(32);
        format!(
            r#""type":"audit_result","verdict":"{verdict}","report":"r","revision":"{revision}""#
        )
    };
    let fields = match kind {
        '.' => format!(
            r#""type":"goal_continued","revision":"{}","maxContinuations":{MOST}"#,
            "1".repeat(32)
        ),
        'v' => format!(r#""type":"evidence_added","key":"k{at}","value":"v","source":"s""#),
        'w' => format!(r#""type":"evidence_added","key":"k","value":"v{at}","source":"s""#),
        'b' => r#""type":"task_started","taskId":"1""#.into(),
        'o' => r#""type":"task_reopened","taskId":"1""#.into(),
        'm' => format!(
            r#""type":"goal_noted","note":"Waiting{}FOR it""#,
            " ".repeat(at)
        ),
        'u' => r#""type":"user_prompted""#.into(),
        'n' => format!(r#""type":"goal_noted","note":"n {at}""#),
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
    let lines = [CREATED.to_owned()].into_iter().chain(
        story
            .chars()
            .enumerate()
            .map(|(at, kind)| line(kind, at + 1)),
    );
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
fn the_same_note_again_is_none() {
    check("m..m.", Err(StopReason::EmptyTurns));
    check("m.m.nm.m.m.", Err(StopReason::EmptyTurns));
    check("m.n.m.n.", Ok(()));
}

#[test]
fn so_many_turns_without_a_result_bring_it_to_rest_whatever_is_noted() {
    check(".n.n.n.n", Ok(()));
    check(".n.n.n.n.n", Err(StopReason::NoResult(MOST)));
    check(".n.n.n.nv.n", Ok(()));
    check(".n.n.n.nd.n", Ok(()));
    check(".n.n.n.ne.n", Err(StopReason::NoResult(MOST)));
    check(".n.n.n.n.nu.", Ok(()));
}

#[test]
fn the_same_act_again_is_no_result() {
    let no_result = Err(StopReason::NoResult(MOST));
    check("v.n.n.v.n.n", Ok(()));
    check(".n.nw.n.n.n", Ok(()));
    check("w.n.n.w.n.n", no_result);
    check(".n.nb.n.n.n", Ok(()));
    check("b.n.n.b.n.n", no_result);
    check("o.n.n.o.n.n", no_result);
    check("b.n.n.ob.n.n", no_result);
}

#[test]
fn changed_files_are_a_result_and_another_bound_counts_from_now_on() {
    let tree = |tree: &str| {
        let revision = "1".repeat(32);
        format!(
            r#"{{"type":"goal_continued","goalId":"a","revision":"{revision}","maxContinuations":2,"tree":"{tree}","at":"{tree}""#
        )
    };
    let note = |at: u32| format!(r#"{{"type":"goal_noted","goalId":"a","note":"{at}","at":"{at}""#);
    let lines = [
        CREATED.to_owned() + r#","at":"0""#,
        tree("x"),
        note(1),
        tree("y"),
        note(2),
    ];
    let ledger = lines.iter().fold(Ledger::default(), |ledger, line| {
        ledger.ours(&format!("{line}}}"))
    });
    let state = ledger.replay().0;
    let goal = &state.goals[&"a".parse().unwrap()];
    assert_eq!(may_continue(goal), Ok(()));
    let now = |most, tree| goal.continuation.stop_reason_now(goal.revision, most, tree);
    assert_eq!(now(2, Some("y")), None);
    assert_eq!(now(1, Some("y")), Some(StopReason::NoResult(1)));
    assert_eq!(now(1, Some("z")), None);
    assert_eq!(now(1, None), Some(StopReason::NoResult(1)));
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
    let first_m = story.find('m').unwrap_or(story.len());
    let is_progress = |(at, kind): &(usize, char)| "ntv".contains(*kind) || *at == first_m;
    let behind = |at: usize| &story[(at + 1).max(story.len() - since_word.len())..];
    let last = |is: &dyn Fn(&(usize, char)) -> bool| story.char_indices().filter(is).last();
    let since = |found: Option<(usize, char)>| found.map_or(since_word, |(at, _)| behind(at));
    if since(last(&is_progress)).matches('.').count() >= 3 {
        return Err(StopReason::EmptyTurns);
    }
    let is_result = |(_, kind): &(usize, char)| "tvd".contains(*kind);
    if since(last(&is_result)).matches('.').count() >= MOST as usize {
        return Err(StopReason::NoResult(MOST));
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
    fn counting_agrees_with_reading_everything_again(story in "[.unmvcefdtkxrs]{0,32}") {
        prop_assert_eq!(may_continue(&after(&story)), naive(&story), "{}", story);
    }
}
