//! What people write, and what it comes to.

use super::*;
use crate::domain::task::state::TaskStatus;

/// `title`, before it `id:` and `[x]` for what is done or another word for how it stands, and what is
/// below in brackets.
pub(super) fn shown(tasks: &[TaskGiven]) -> String {
    let one = |task: &TaskGiven| {
        let mark = match task.standing() {
            TaskStatus::Pending => String::new(),
            TaskStatus::Complete => "[x] ".into(),
            other => format!("[{other}] "),
        };
        let id = task.own_id.as_deref().map(|id| format!("{id}: "));
        let (id, title) = (id.unwrap_or_default(), &task.title);
        match task.tasks.is_empty() {
            true => format!("{mark}{id}{title}"),
            false => format!("{mark}{id}{title} ({})", shown(&task.tasks)),
        }
    };
    tasks.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A text without a file.
pub(super) fn source(text: &str) -> Source<'_> {
    Source { path: "", text }
}

/// Reads it in the format that it has.
pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    read_as(source, formats::of(source))
}

fn plan(text: &str) -> Plan {
    read(&source(text)).unwrap()
}

pub(super) fn left_out(plan: &Plan) -> Vec<(usize, &str)> {
    let left = plan.left_out.iter();
    left.map(|left| (left.line, &*left.text)).collect()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(&plan(text).tasks), expected, "{text}");
}

/// The same of a text in this format.
#[track_caller]
pub(super) fn check_as(format: &str, text: &str, expected: &str) {
    let format = formats::named(format).unwrap();
    let plan = read_as(&source(text), format).unwrap();
    assert_eq!(shown(&plan.tasks), expected, "{text}");
}

#[test]
fn checkboxes_nest_and_say_what_is_done() {
    check(
        "- [x] one\n- [ ] two\n  - [X] two a\n  - [ ] two b\n\n* [ ] three",
        "[x] one, two ([x] two a, two b), three",
    );
}

/// People indent by four spaces, by a tab, and a whole list by one.
#[test]
fn checkboxes_are_seen_however_far_they_are_indented() {
    for (indent, wide) in [
        ("  ", ""),
        ("    ", ""),
        ("\t", ""),
        ("    ", " "),
        ("  ", "   "),
    ] {
        check(
            &format!(
                "{wide}- [x] a\n{wide}{indent}- [ ] b\n{wide}{indent}- [x] c\n{wide}- [-] d\n"
            ),
            "[x] a (b, [x] c), [skipped] d",
        );
    }
    check("1. [x] a\n    - [ ] b\n", "[x] 1: a (b)");
    check("* [ ] a\n\n    * [ ] deep\n", "a (deep)");
}

#[test]
fn lines_end_in_any_way() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["- [ ] a", "- [x] b", "- [ ] 7. c", ""].join(end);
        check(&text, "a, [x] b, 7: c");
    }
}

#[test]
fn a_rule_in_the_first_line_is_no_front_matter() {
    check("---\n\n- [ ] a\n- [ ] b\n\n---\n\n- [ ] c\n", "a, b, c");
    check("---\ntags: x\n---\n- [ ] a\n", "a");
}

#[test]
fn text_of_a_bullet_without_a_title_is_named() {
    let plan = plan("- [ ] a\n\n# B\n\n-\n  ```\n  code\n  ```\n");
    assert!(!left_out(&plan).is_empty(), "{plan:?}");
}

#[test]
fn numbered_items_are_tasks_and_their_bullets_details() {
    let text = "1. one\n   - a remark\n   - another\n2. two\n   1. in it\n";
    check(text, "1: one, 2: two (2.1: in it)");
    let plan = plan(text);
    assert_eq!(
        plan.tasks[0].details.as_deref(),
        Some("- a remark\n- another")
    );
    assert!(plan.left_out.is_empty());
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
    let plan = plan(text);
    assert_eq!(plan.title.as_deref(), Some("Plan"));
    assert_eq!(left_out(&plan), [(3, "Why.")]);
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
        let read = read(&source(text));
        assert_eq!(read, Err(PlanError::NoTasks), "{text:?}");
    }
    check("-\n  - [ ] below nothing", "below nothing");
}

#[test]
fn absurd_nesting_is_refused() {
    let deep: String = (0..200)
        .map(|level| format!("{}- [ ] x\n", "  ".repeat(level)))
        .collect();
    let error = |text: &str| read(&source(text)).map(|_| ()).unwrap_err();
    assert_eq!(error(&deep), PlanError::TooDeep);
    let quotes = format!("{}- [ ] x", "> ".repeat(5_000));
    assert_eq!(error(&quotes), PlanError::NoTasks);
}

#[test]
fn every_mark_of_one_character_is_a_task() {
    let text = "## 1. Build\n- [x] 1.1 Done\n- [~] 1.2 Begun\n- [-] 1.3 Left (skipped: not now)\n\
                - [/] 1.4 Half\n- []  1.5 Empty\n- [>] 1.6 Odd\n- [>] 1.7 Odd too\n\
                - [A](url)\n- [b]: no\n";
    check(
        text,
        "1: Build ([x] 1.1: Done, [active] 1.2: Begun, [skipped] 1.3: Left, [active] 1.4: Half, \
         1.5: Empty, 1.6: Odd, 1.7: Odd too)",
    );
    let plan = plan(text);
    let below = &plan.tasks[0].tasks;
    assert_eq!(below[2].reason.as_deref(), Some("not now"));
    assert_eq!(
        plan.remarks,
        ["the mark `[>]` of 2 boxes is not known, so it counts as open"]
    );
    // What is no box is no task; it stays with what it is part of.
    assert_eq!(plan.tasks[0].details.as_deref(), Some("- [A](url)"));
}

#[test]
fn where_boxes_are_they_alone_are_tasks() {
    let text = "Before.\n\n## Work\n\n- [x] one\n- [x] two\n\n## Plan\n\n1. read\n2. write\n\n\
                ## Notes\n\nA word.\n\n- a remark\n";
    check(text, "Work ([x] one, [x] two)");
    let expected = [
        (1, "Before."),
        (8, "Plan"),
        (10, "1. read"),
        (11, "2. write"),
        (13, "Notes"),
        (15, "A word."),
        (17, "- a remark"),
    ];
    assert_eq!(left_out(&plan(text)), expected);
    let above = plan("- a remark\n- another\n  - [ ] one\n");
    assert_eq!(left_out(&above), [(1, "a remark"), (2, "another")]);
    check("1. Build\n   - [ ] one\n2. a remark\n", "1: Build (one)");
}

#[test]
fn the_numbers_of_a_plan_are_its_ids() {
    check(
        "## 0. Before\n- [ ] 0.1 Wait\n## 1. Build\n- [ ] 1.1 Write\n- [ ] T001 Name it\n",
        "0: Before (0.1: Wait), 1: Build (1.1: Write, T001: Name it)",
    );
    check(
        "- [ ] [TASK-12] one\n- [ ] **US-3**: two\n- [ ] UTF-8 in\n",
        "TASK-12: one, US-3: two, UTF-8 in",
    );
    check(
        "- [ ] API-1 one\n- [ ] API-2 two\n",
        "API-1: one, API-2: two",
    );
    check("3. [ ] one\n4. [x] two\n", "3: one, [x] 4: two");
    check(
        "## 0 Before\n- [ ] 0.1 Wait\n## 1 Build\n- [ ] 1.1 Write\n",
        "0: Before (0.1: Wait), 1: Build (1.1: Write)",
    );
    check("- [ ] F1. one\n- [ ] F2. two\n", "F1: one, F2: two");
    check("- [ ] 2 – two\n- [ ] 1 – one\n", "2: two, 1: one");
    // Where a list begins anew, its numbers name nothing, and nothing else is named so.
    let anew = "## A\n1. [ ] one\n## B\n1. [ ] two\n";
    check(anew, "A (one), B (two)");
    assert_eq!(reserved(anew), ["1"]);
    // Below a numbered item they go on from its number.
    check(
        "1. [ ] one\n   1. [ ] a\n   3. [ ] b\n2. [ ] two\n   1. [ ] c\n",
        "1: one (1.1: a, 1.3: b), 2: two (2.1: c)",
    );
    check(
        "## 1. A\n2. [ ] one\n## 2. B\n2. [ ] two\n",
        "1: A (1.2: one), 2: B (2.2: two)",
    );
    check(
        "### Task 1: A\n- [ ] Step 1: one\n### Task 2: B\n- [ ] Step 1: two\n",
        "1: Task 1: A (Step 1: one), 2: Task 2: B (Step 1: two)",
    );
    let text = "- [ ] 2.1 one\n- [ ] 2.1 two\n";
    check(text, "2.1: 2.1 one, 2.1: 2.1 two");
    assert_eq!(
        plan(text).remarks,
        ["`2.1` stands at several items, so it is no task's id"]
    );
}

fn reserved(text: &str) -> Vec<String> {
    plan(text).reserved.into_iter().collect()
}

#[test]
fn a_number_of_something_else_is_no_tasks() {
    for (text, numbers) in [
        ("## 1. Why\nIt is due.\n\n## Build\n- [ ] one\n", &["1"][..]),
        ("## Phase 2 — Why\nDue.\n\n## Build\n- [ ] one\n", &["2"]),
        ("## A\n- [ ] Step 1: a\n## B\n- [ ] Step 1: b\n", &["1"]),
        (
            "### Task 1: A\n- [ ] Step 1: a\n### Task 2: B\n- [ ] Step 1: b\n",
            &[],
        ),
        ("- [ ] one\n\n1. first this\n2. then that\n", &[]),
        ("## 0 A\n- [ ] 1 b\n- [ ] #3 c\n", &["0", "1", "3"]),
        ("- [ ] 1. one\n- [ ] 2. two\n", &[]),
        (
            "## Task 1: A\nText.\n\n## Checks\n1. one\n2. two\n",
            &["1", "2"],
        ),
    ] {
        assert_eq!(reserved(text), numbers, "{text}");
    }
}

#[test]
fn details_stay_with_their_task() {
    let text = "\
## A

Why A.

- [ ] one
  - first
    - deeper

  A paragraph
  of two lines.

  ```
  - [ ] code
  ```
  - [x] below
    > quoted
- [ ]* two
";
    let plan = plan(text);
    check(text, "A (one ([x] below), two)");
    let group = &plan.tasks[0];
    let details = |task: &TaskGiven| task.details.clone().unwrap_or_default();
    assert_eq!(details(group), "Why A.");
    assert_eq!(
        details(&group.tasks[0]),
        "- first\n  - deeper\n\nA paragraph\nof two lines.\n\n```\n- [ ] code\n```"
    );
    assert_eq!(details(&group.tasks[0].tasks[0]), "> quoted");
    assert_eq!(details(&group.tasks[1]), "Optional.");
    let long = format!("- [ ] one\n  - {}\n", "é".repeat(2_000));
    let plan = self::plan(&long);
    assert!(details(&plan.tasks[0]).len() <= 2_000);
    assert_eq!(
        plan.remarks,
        ["the details of `one` are cut after 2000 bytes"]
    );
}

#[test]
fn front_matter_and_comments_are_no_plan() {
    let text =
        "---\nname: Fix login\ntodos:\n---\n<!-- begin -->\n- [ ] one <!-- id 3 -->\n\nWhy.\n";
    check(text, "one");
    let plan = plan(text);
    assert_eq!(plan.title.as_deref(), Some("Fix login"));
    assert_eq!(left_out(&plan), [(8, "Why.")]);
    check("---\n\n- [ ] one\n", "one");
    check("# Plan\n\n## Tasks\n\n- [ ] one\n", "one");
}

#[test]
fn a_secret_does_not_leave_the_reader() {
    let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    let plan = plan(&format!(
        "Use {token}\n\n- [ ] deploy with {token}\n  - {token}\n"
    ));
    assert!(!format!("{plan:?}").contains(token), "{plan:?}");
    assert_eq!(plan.tasks[0].title, "deploy with [redacted:github_token]");
}

/// Whoever reads the plan sees the boxes, and no comments.
#[test]
fn a_comment_says_nothing_against_the_box() {
    for (text, shown) in [
        ("- [ ] a\n  <!-- goal {\"status\":\"complete\"} -->\n", "a"),
        ("- [ ] a\n  <!-- goal {\"done\":true} -->\n", "a"),
        (
            "- [x] a\n  <!-- goal {\"status\":\"pending\"} -->\n",
            "[x] a",
        ),
        (
            "- [ ] a\n  <!-- goal {\"status\":\"blocked\"} -->\n",
            "[blocked] a",
        ),
    ] {
        check(text, shown);
    }
}

#[test]
fn a_comment_that_counts_for_nothing_is_named() {
    let plan = plan("- [ ] a\n  <!-- goal {\"doneWen\":[]} -->\n");
    assert!(plan.remarks[0].contains("the comment of `a`"), "{plan:?}");
}

#[test]
fn marks_of_several_characters_are_read() {
    check(
        "- [done] a\n- [WIP] b\n- [✅] c\n- [✔️] d\n- [ x ] e\n- [  ] f\n- [ ] g\n",
        "[x] a, [active] b, [x] c, [x] d, [x] e, f, g",
    );
    let odd = plan("- [x] a\n\n## B\n\n- [50%] b\n");
    assert_eq!(left_out(&odd), [(3, "B"), (5, "- [50%] b")]);
    let named = plan("## B\n\n- [x] a\n\n## C\n\n- [50%] b\n  - [ ] c\n");
    assert_eq!(named.tasks[1].details.as_deref(), Some("- [50%] b"));
}

#[test]
fn a_heading_can_have_a_box() {
    let text = "# Plan\n\n## [x] 1. Build\n\n- with care\n1. in order\n\n### [ ] 2. Test\n\n## [Unreleased]\n\n## Notes\n- one\n";
    check(text, "[x] 1: Build ([x] 1.1: in order, 2: Test)");
    let plan = plan(text);
    let details = plan.tasks[0].details.as_deref();
    assert_eq!(details, Some("- with care"));
    let expected = [(10, "[Unreleased]"), (12, "Notes"), (13, "- one")];
    assert_eq!(left_out(&plan), expected);
}

#[test]
fn a_box_at_a_heading_says_nothing_of_other_parts() {
    check(
        "# Plan\n## [x] Phase 1\n- a\n## Phase 2\n- c\n- d\n",
        "[x] 1: Phase 1 ([x] a), 2: Phase 2 (c, d)",
    );
    check("## [x] A\n- a\n## [ ] B\n", "[x] A ([x] a), B");
    check("## [x] A\n## B\n", "[x] A, B");
}

#[test]
fn what_stands_in_a_part_that_is_left_out_is_named() {
    let plan = plan("- [x] a\n\n## Later\nOne day.\nOr never.\n\n- b\n- c\n  1. d\n");
    let expected = [
        (3, "Later"),
        (4, "One day."),
        (7, "- b"),
        (8, "- c"),
        (9, "1. d"),
    ];
    assert_eq!(left_out(&plan), expected);
}

#[test]
fn signs_at_titles_are_read_where_no_box_is() {
    check(
        "1. ✅ Build\n2. Test ✔️\n3. 🚧 Ship\n4. Rest\n",
        "[x] 1: Build, [x] 2: Test, [active] 3: Ship, 4: Rest",
    );
    check(
        "## Build ✅\n- parse\n- read\n## Test\n- run\n",
        "[x] Build ([x] parse, [x] read), Test (run)",
    );
    check("- [ ] ✅ show a sign\n", "✅ show a sign");
}

#[test]
fn a_definition_of_a_link_changes_no_other_title() {
    check(
        "- [ ] Fix [auth] now\n- [x] two\n\n  [auth]: http://x\n  [x]: http://y\n",
        "Fix [auth] now, [x] two",
    );
}

/// Its first lines are comments, as those of other front matter can be.
#[test]
fn a_document_of_ours_is_known_by_its_front_matter() {
    let text = "---\n# Made from the ledger. Only the section Notes is yours to edit.\n\
                # `goal tweak` changes the contract.\nledger: x\nrevision: \"1\"\ntitle: \"T: it\"\n---\n\n\
                # T: it\n\n## Tasks\n\n- [ ] 1: A (blocked: no key (yet))\n- [ ] 2: B (waits for 1)\n\
                - [ ] 3: C (blocked) (so titled)\n\n## Notes\n";
    let format = formats::of(&source(text));
    assert_eq!(format.name, "document");
    let plan = plan(text);
    assert_eq!(shown(&plan.tasks), "[blocked] 1: A, 2: B, 3: C (blocked)");
    assert_eq!(plan.tasks[1].after, ["1"]);
}

#[test]
fn a_comment_in_front_matter_is_no_heading() {
    let with = |front: &str| shown(&plan(&format!("---\n{front}---\n- a\n")).tasks);
    assert_eq!(with("# by hand\ntitle: T\nlabels:\n  - b\n- c\n\n"), "a");
    // This is a rule, a text, and another rule.
    assert_eq!(with("# Plan\n\nSome text.\n\n## Build\n\n"), "Build (a)");
}

#[test]
fn a_title_of_our_own_document_that_ends_as_a_note_does() {
    let document = |line: &str| {
        let text = format!("---\nledger: x\nrevision: y\ntitle: T\n---\n\n## Tasks\n{line}\n");
        shown(&plan(&text).tasks)
    };
    assert_eq!(document("- [x] 1: Fix (blocked)"), "[x] 1: Fix (blocked)");
    for title in [
        "Fix (blocked)",
        "Fix (any one of these)",
        "Fix (waits for 2)",
        "a: b",
    ] {
        let line = format!("- [ ] 1: {title}{}", instead_of_note(title));
        assert_eq!(document(&line), format!("1: {title}"));
    }
    assert_eq!(instead_of_note("Fix (all of it)"), "");
    assert_eq!(instead_of_note("feat: Fix"), "");
}
