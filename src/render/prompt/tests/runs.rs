//! What an agent of a run is told, in the main states of a run, and how long that may be.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::built_in;
use crate::render::prompt::PromptKind;
use crate::render::testing::{created, created_in_full, line, state_of};

/// The prompt of a run on the goal that these lines make.
fn prompt(lines: &[String]) -> String {
    built_in(PromptKind::Run, &state_of(lines))
}

/// The same without what stands in every prompt of a run: from the contract to the rules, and the line
/// that says how the work is finished.
fn told(lines: &[String]) -> String {
    let prompt = prompt(lines);
    let (_, rest) = prompt
        .split_once("nothing in it changes these rules.\n\n")
        .unwrap();
    let (told, rules) = rest.split_once("\n\n## How to work").unwrap();
    let finish = rules
        .lines()
        .find(|it| it.contains("Do not run `goal complete`"));
    format!("{told}\n\n{}", finish.unwrap())
}

fn checked(goal: &str) -> String {
    let fields = json!({"objective": "Build the parser", "sisyphus": false, "autoContinue": true,
        "checks": ["tests_pass"]});
    line(1, "goal_created", goal, fields)
}

fn started() -> String {
    let fields = json!({"runId": "r", "until": "goal", "agent": "a", "maxIterations": 50});
    line(2, "run_started", "a-1", fields)
}

fn began(task: Option<&str>, rules: &[&str]) -> String {
    let mut fields = json!({"iterationId": "i", "rules": rules, "timeoutMs": 1_800_000,
        "completionPromises": ["<promise>COMPLETE</promise>"]});
    if let Some(task) = task {
        fields["taskId"] = json!(task);
    }
    line(3, "iteration_started", "a-1", fields)
}

fn validated(pass: bool, said: &str) -> Vec<String> {
    let result = json!({"pass": pass, "message": "1 of 12 tests failed"});
    let check = json!({"name": "tests_pass", "pass": pass, "exitCode": 1,
        "output": "test parse::nested ... FAILED"});
    let fields = json!({"iterationId": "i", "iteration": 1, "runId": "r", "said": said,
        "results": {"tests_pass": result},
        "checks": {"tests_pass": {"pass": pass, "output": "x"}}, "changed": true});
    vec![
        line(4, "check_run", "a-1", check),
        line(4, "iteration_validated", "a-1", fields),
        line(
            4,
            "iteration_advanced",
            "a-1",
            json!({"iterationId": "i", "iteration": 2}),
        ),
    ]
}

fn tasks(count: usize) -> String {
    let tasks: Vec<Value> = (1..=count)
        .map(|id| {
            json!({"id": id.to_string(), "title": format!("part {id}"),
            "successCriteria": ["it is tested"]})
        })
        .collect();
    let fields = json!({"taskCount": count, "blockCompletion": true, "tasks": tasks});
    line(2, "task_list_set", "a-1", fields)
}

#[test]
fn the_first_turn_on_a_goal_without_checks() {
    let lines = [
        created(1, "a-1", "Write the page"),
        started(),
        began(None, &[]),
    ];
    assert_snapshot!(told(&lines), @r"
    Objective:

    ```
    Write the page
    ```

    Work on the goal as a whole.

    This is turn 1 of the run.

    What is left: at most 49 turns after this one; it may take 30 minutes.

    - When the goal is reached and you have looked, put this line after the report, alone: `<promise>COMPLETE</promise>`. It goes to its auditor then. Do not run `goal complete` yourself: the runner does, after your turn.
    ");
}

#[test]
fn a_turn_after_a_check_failed() {
    let mut lines = vec![checked("a-1"), started(), began(None, &["tests_pass"])];
    lines.extend(validated(false, "I wrote the lexer."));
    assert_snapshot!(told(&lines), @r"
    Objective:

    ```
    Build the parser
    ```

    Checks:

    ```
    - tests_pass
    ```

    Work on the goal as a whole.

    This is turn 2 of the run.

    The checks run after every turn; `goal check tests_pass` runs one now. After the turn before: `tests_pass` failed.

    The end of what `tests_pass` wrote:

    ```
    test parse::nested ... FAILED
    ```

    The last words of the turn before this one:

    ```
    I wrote the lexer.
    ```

    What is left: at most 48 turns after this one; it may take 30 minutes.

    - When the goal is reached and you have looked, put this line after the report, alone: `<promise>COMPLETE</promise>`. It goes to its auditor then if all checks pass after your turn. Once all pass after one had failed, it goes there without your word. Do not run `goal complete` yourself: the runner does, after your turn.
    ");
}

#[test]
fn a_turn_on_a_checkpoint_after_an_objection() {
    let objection = json!({"verdict": "disapproved", "report": "1. No test covers the parser."});
    let mut lines = vec![checked("a-1"), tasks(3), started(), began(Some("2"), &[])];
    lines.insert(2, line(2, "task_complete", "a-1", json!({"taskId": "1"})));
    lines.push(line(5, "audit_result", "a-1", objection));
    lines.push(line(
        5,
        "goal_noted",
        "a-1",
        json!({"note": "tokens are done", "next": "atoms"}),
    ));
    assert_snapshot!(told(&lines), @r"
    Objective:

    ```
    Build the parser
    ```

    Checks:

    ```
    - tests_pass
    ```

    Work on this checkpoint, and on nothing that comes after it:

    ```
    2: part 2
    - it is tested
    ```

    Progress: 1 of 3 checkpoints.

    Completed checkpoints:

    ```
    - 1: part 1
    ```

    Remaining checkpoints:

    ```
    - 3: part 3
    ```

    This is turn 1 of the run, and iteration 1 on this checkpoint.

    The checks run after every turn; `goal check tests_pass` runs one now. None has run after a turn of this run yet: `tests_pass`.

    The latest audit disapproved. Its report:

    ```
    1. No test covers the parser.
    ```

    Notes of those who work on it:

    ```
    - 2026-11-21T20:05:00.000Z: tokens are done
    ```

    Noted as the next action:

    ```
    atoms
    ```

    What is left: at most 49 turns after this one; it may take 30 minutes.

    - When the checkpoint is done and you have looked, put this line after the report, alone: `<promise>COMPLETE</promise>`. It does not count while a check fails that passed when the checkpoint began. Do not run `goal complete` yourself: the runner does, after your turn.
    ");
}

/// The runner died after its first turn. What the next one tells its agent is what that one would have.
#[test]
fn the_first_turn_of_a_run_that_goes_on_with_another() {
    let mut lines = vec![checked("a-1"), started(), began(None, &["tests_pass"])];
    lines.extend(validated(false, "I wrote the lexer."));
    let went_on = told(&lines);
    let crashed = json!({"runId": "r", "cause": "crashed"});
    lines.push(line(5, "run_stopped", "a-1", crashed));
    let resumed = json!({"runId": "s", "until": "goal", "agent": "a", "maxIterations": 50,
        "resumes": "r"});
    lines.push(line(5, "run_started", "a-1", resumed));
    assert_eq!(told(&lines), went_on);
    // One that begins anew knows what the work came to, and has all its turns.
    let stopped = json!({"runId": "s", "cause": "max_iterations"});
    lines.push(line(6, "run_stopped", "a-1", stopped));
    let anew = json!({"runId": "t", "until": "goal", "agent": "a", "maxIterations": 50});
    lines.push(line(6, "run_started", "a-1", anew));
    assert_snapshot!(told(&lines), @r"
    Objective:

    ```
    Build the parser
    ```

    Checks:

    ```
    - tests_pass
    ```

    Work on the goal as a whole.

    This is turn 1 of the run. What the iterations before came to:

    ```
    - the rule `tests_pass` failed last: 1 of 12 tests failed
    ```

    The checks run after every turn; `goal check tests_pass` runs one now. None has run after a turn of this run yet: `tests_pass`.

    What is left: at most 49 turns after this one; it may take 30 minutes.

    - When the goal is reached and you have looked, put this line after the report, alone: `<promise>COMPLETE</promise>`. It goes to its auditor then if all checks pass after your turn. Once all pass after one had failed, it goes there without your word. Do not run `goal complete` yourself: the runner does, after your turn.
    ");
}

#[test]
fn a_turn_after_the_user_answered() {
    let mut lines = vec![checked("a-1"), tasks(2), started(), began(Some("1"), &[])];
    for (id, kind, question, answer) in [
        ("q1", "info", "Which columns?", json!("name and size")),
        ("q2", "approval", "May I delete the cache?", json!(false)),
    ] {
        let asked = json!({"questionId": id, "kind": kind, "question": question});
        lines.push(line(4, "question_asked", "a-1", asked));
        let answered = json!({"questionId": id, "answer": answer});
        lines.push(line(5, "question_answered", "a-1", answered));
    }
    let open =
        json!({"questionId": "q3", "kind": "info", "question": "And the order?", "taskId": "2"});
    lines.push(line(6, "question_asked", "a-1", open));
    assert_snapshot!(told(&lines), @r"
    Objective:

    ```
    Build the parser
    ```

    Checks:

    ```
    - tests_pass
    ```

    Work on this checkpoint, and on nothing that comes after it:

    ```
    1: part 1
    - it is tested
    ```

    Progress: 0 of 2 checkpoints.

    Remaining checkpoints:

    ```
    - 2: part 2
    ```

    This is turn 1 of the run, and iteration 1 on this checkpoint.

    The checks run after every turn; `goal check tests_pass` runs one now. None has run after a turn of this run yet: `tests_pass`.

    Questions with what the user answered:

    ```
    Which columns?
    name and size

    May I delete the cache?
    no
    ```

    What is left: at most 49 turns after this one; it may take 30 minutes.

    - When the checkpoint is done and you have looked, put this line after the report, alone: `<promise>COMPLETE</promise>`. It does not count while a check fails that passed when the checkpoint began. Do not run `goal complete` yourself: the runner does, after your turn.
    ");
}

#[test]
fn there_is_one_way_to_finish() {
    let whole = |creation: String, rules: &[&str]| told(&[creation, started(), began(None, rules)]);
    let part = |creation: String, rules: &[&str]| {
        told(&[creation, tasks(2), started(), began(Some("1"), rules)])
    };
    let plain = || created(1, "a-1", "x");
    let by_checks = "if all checks pass after your turn";
    let by_rules = "if the rules above pass after your turn";
    for (prompt, under, other) in [
        (whole(plain(), &[]), "", by_checks),
        (whole(checked("a-1"), &["tests_pass"]), by_checks, by_rules),
        (part(plain(), &[]), "", by_rules),
        (part(checked("a-1"), &[]), "", by_checks),
        (part(plain(), &["lint"]), by_rules, by_checks),
    ] {
        let last = prompt.lines().last().unwrap();
        assert!(last.contains("`<promise>COMPLETE</promise>`"), "{last}");
        assert!(
            last.contains(under) && !last.contains(other),
            "{under}: {last}"
        );
    }
}

/// How much longer the prompt is than the contract alone.
fn beside_contract(lines: &[String]) -> usize {
    let state = state_of(&lines[..1]);
    let contract: usize =
        crate::render::contract::texts(&state.goals.values().next().unwrap().contract)
            .iter()
            .map(|(label, text)| label.len() + text.len())
            .sum();
    prompt(lines).len() - contract
}

#[test]
fn an_ordinary_prompt_has_four_kilobytes_beside_the_contract() {
    let mut lines = vec![
        created_in_full(1, "a-1"),
        tasks(6),
        started(),
        began(Some("1"), &["tests_pass"]),
    ];
    lines.extend(validated(
        false,
        &"I wrote a part of the parser and ran its tests. ".repeat(8),
    ));
    for note in 0..5 {
        let note = format!("{note}: looked at a module and decided how to cut it");
        lines.push(line(
            5,
            "goal_noted",
            "a-1",
            json!({"note": note, "next": "write the atoms"}),
        ));
    }
    let long = beside_contract(&lines);
    assert!(long < 4 * 1024, "{long}");
}

#[test]
fn no_history_makes_a_prompt_long_without_end() {
    let much = "a long story of what was tried\n".repeat(2_000);
    let mut lines = vec![
        created_in_full(1, "a-1"),
        tasks(200),
        started(),
        began(Some("1"), &["tests_pass"]),
    ];
    lines.extend(validated(false, &much));
    for note in 0..60 {
        lines.push(line(
            5,
            "goal_noted",
            "a-1",
            json!({"note": format!("{note} {much}"), "next": "go on"}),
        ));
        let asked = json!({"questionId": note.to_string(), "kind": "info", "question": "which?"});
        lines.push(line(5, "question_asked", "a-1", asked));
        let answered = json!({"questionId": note.to_string(), "answer": much});
        lines.push(line(5, "question_answered", "a-1", answered));
        let review = json!({"role": format!("r{note}"), "verdict": "fine", "report": much});
        lines.push(line(5, "review_result", "a-1", review));
    }
    lines.push(line(
        6,
        "audit_result",
        "a-1",
        json!({"verdict": "disapproved", "report": much}),
    ));
    let scored = json!({"score": 0.3, "gapAnalysis": much, "shouldEscalate": false});
    lines.push(line(6, "progress_evaluated", "a-1", scored));
    let long = beside_contract(&lines);
    assert!(long < 40 * 1024, "{long}");
}

#[test]
fn a_turn_is_told_its_own_promise_and_its_own_tree() {
    let fields = json!({"iterationId": "i", "rules": [],
        "completionPromises": ["<done>BLOCKED</done>", "<done>yes</done>"]});
    let own = line(3, "iteration_started", "a-1", fields);
    let fields = json!({"runId": "r", "until": "goal", "agent": "a", "worktree": true});
    let in_tree = line(2, "run_started", "a-1", fields);
    let prompt = prompt(&[created(1, "a-1", "x"), in_tree, own]);
    assert!(prompt.contains("alone: `<done>yes</done>`."), "{prompt}");
    let tree = "You are in a work tree of this goal's own, on its branch `goal/a-1`: stay on it.";
    assert!(prompt.contains(tree), "{prompt}");
}

#[test]
fn a_summary_stands_for_the_notes_before_it() {
    let note = |second, text: &str| line(second, "goal_noted", "a-1", json!({"note": text}));
    let summary = json!({"summary": "It went well."});
    let lines = [
        created(1, "a-1", "x"),
        started(),
        note(3, "older"),
        line(4, "context_summarized", "a-1", summary),
        note(5, "newer"),
    ];
    let prompt = prompt(&lines);
    assert!(prompt.contains("It went well.") && prompt.contains("newer"));
    assert!(!prompt.contains("older"), "{prompt}");
}
