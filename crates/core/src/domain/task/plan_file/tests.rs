//! What people write, and what it comes to.

use super::*;

/// `title`, `[x] done`, and what is below in brackets.
fn shown(tasks: &[TaskGiven]) -> String {
    let one = |task: &TaskGiven| {
        let done = if task.done { "[x] " } else { "" };
        match task.tasks.is_empty() {
            true => format!("{done}{}", task.title),
            false => format!("{done}{} ({})", task.title, shown(&task.tasks)),
        }
    };
    tasks.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let plan = read(text).unwrap();
    assert_eq!(shown(&plan.tasks), expected, "{text}");
}

#[test]
fn checkboxes_nest_and_say_what_is_done() {
    check(
        "- [x] one\n- [ ] two\n  - [X] two a\n  - [ ] two b\n\n* [ ] three",
        "[x] one, two ([x] two a, two b), three",
    );
}

#[test]
fn numbered_items_are_tasks_and_their_bullets_remarks() {
    let text = "1. one\n   - a remark\n   - another\n2. two\n   1. in it\n";
    check(text, "one, two (in it)");
    assert_eq!(read(text).unwrap().left_out, 2);
}

#[test]
fn bullets_are_tasks_where_nothing_else_is() {
    check("- one\n  - in it\n- two", "one (in it), two");
}

#[test]
fn tasks_below_a_remark_move_up() {
    check("- remark\n  - [ ] one\n- [ ] two", "one, two");
}

#[test]
fn headings_above_tasks_group_them_and_others_are_left_out() {
    let text =
        "# Plan\n\nWhy.\n\n## A\n\n- [ ] one\n\n## Background\n\nText.\n\n### B\n\n- [ ] two\n";
    check(text, "A (one), Background (B (two))");
    assert_eq!(read(text).unwrap().title.as_deref(), Some("Plan"));
    check("# A\n- [ ] one\n# B\n- [ ] two\n# C\n", "A (one), B (two)");
}

#[test]
fn headings_alone_are_the_tasks() {
    check("# Plan\n## A\ntext\n### in A\n## B\n", "A (in A), B");
    check("# Only\n", "Only");
}

#[test]
fn a_title_is_the_first_paragraph_in_plain_text() {
    check(
        "- [ ] **Run** `cargo test`\n  [here](http://x) <Now>\n\n  More of it.\n",
        "Run `cargo test` here <Now>",
    );
    check(
        "- [ ] one\n  ```\n  - [ ] code\n  ```\n- [ ] two",
        "one, two",
    );
    check("> - [ ] quoted\n\n- [ ] one", "one");
}

#[test]
fn what_says_nothing_is_no_task() {
    for text in [
        "",
        "just words",
        "- \n- \n",
        "```\n- [ ] x\n```",
        "> # quoted",
    ] {
        assert_eq!(read(text), Err(PlanError::NoTasks), "{text:?}");
    }
    check("-\n  - [ ] below nothing", "below nothing");
}

#[test]
fn absurd_nesting_is_refused() {
    let deep: String = (0..200)
        .map(|level| format!("{}- [ ] x\n", "  ".repeat(level)))
        .collect();
    assert_eq!(read(&deep), Err(PlanError::TooDeep));
    let quotes = format!("{}- [ ] x", "> ".repeat(5_000));
    assert_eq!(read(&quotes), Err(PlanError::NoTasks));
}
