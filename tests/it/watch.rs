//! `goal watch`, as far as it needs no keys: one frame, and who gets none. `tests/watch/run` drives
//! the screen itself.

use insta::assert_snapshot;

use crate::support::Project;

#[test]
fn one_frame_goes_to_a_pipe_as_plain_text() {
    let (project, id) = Project::with_goal("Write the parser");
    let ask = [
        "ask",
        "Which one?",
        "--suggest",
        "the old one",
        "--suggest",
        "none",
    ];
    project.run(&ask).ok();
    let question = project.last_event()["questionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut frame = project.run(&["watch", "--once", "80x20"]).ok().stdout;
    let name = project.root.file_name().unwrap().to_owned();
    for (varies, shown) in [(&id, 'g'), (&question, 'q'), (&name, 'p')] {
        frame = frame.replace(varies, &shown.to_string().repeat(varies.len()));
    }
    assert!(!frame.contains('\u{1b}'), "{frame:?}");
    assert_snapshot!(frame, @"
     goal watch   ppppppp  1 needs you · 1 waiting
    ── goals ───────────────────────────────────────────────────────────────────────
    NEEDS YOU
    ›? Write the parser                             question                     now




    ── Write the parser ────────────────────────────────────────────────────────────
     question          Write the parser                                    just now
       Which one?
         1  the old one
         2  none
       goal answer qqqqqqqqqqqqqqq --pick N, or your own words

    ── latest ──────────────────────────────────────────────────────────────────────
     00:00  Write the parser      goal created         Write the parser
     00:00  Write the parser      goal focused         created by the user
     00:00  Write the parser      question asked       qqqqqqqqqqqqqqq: Which one?
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn a_frame_is_coloured_where_that_is_asked_for() {
    let (project, _) = Project::with_goal("Write the parser");
    let frame = project.run(&["watch", "--once", "60x10", "--color", "always"]);
    let frame = frame.ok().stdout;
    assert!(
        frame.contains("\u{1b}[7m") && frame.contains("\u{1b}[34m"),
        "{frame:?}"
    );
}

#[test]
fn only_what_is_asked_for_is_on_the_frame() {
    let project = Project::new();
    for (owner, objective) in [("ann", "Write the parser"), ("bob", "Write the lexer")] {
        project.run(&["set", objective, "--owner", owner]).ok();
    }
    let frame = project
        .run(&["watch", "--once", "80x20", "--owner", "ann"])
        .ok()
        .stdout;
    assert!(
        frame.contains("Write the parser") && !frame.contains("lexer"),
        "{frame}"
    );
    let id = project.last_event()["goalId"].as_str().unwrap().to_owned();
    let frame = project
        .run(&["watch", "--once", "80x20", "--goal", &id])
        .ok()
        .stdout;
    assert!(
        frame.contains("Write the lexer") && !frame.contains("parser"),
        "{frame}"
    );
    project
        .run(&["watch", "--once", "80x20", "--goal", "nobody"])
        .exits(3);
}

#[test]
fn watching_writes_nothing() {
    let (project, _) = Project::with_goal("Write the parser");
    let before = project.ledger();
    project.run(&["watch", "--once", "80x20"]).ok();
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_screen_is_no_document_and_needs_a_terminal() {
    let project = Project::new();
    let refused = project.run(&["watch"]).exits(2);
    assert_snapshot!(refused.stderr, @"
    error: `goal watch` needs a terminal that it can draw on
      `goal watch --once 80x24` prints one frame; `goal status` needs no terminal
    ");
    let refused = project.run(&["watch", "--json"]).exits(2);
    assert_eq!(refused.error_code(), "usage");
    for size in [
        "80", "80x", "x", "0x10", "80x24x3", "1001x10", "-1x4", "a×b",
    ] {
        let option = format!("--once={size}");
        let refused = project.run(&["watch", &option]).exits(2);
        assert!(
            refused.stderr.contains("such as 80x24"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn an_agent_may_look() {
    let (project, _) = Project::with_goal("Write the parser");
    let frame = project
        .run_as_agent(&["watch", "--once", "60x10"])
        .ok()
        .stdout;
    assert!(frame.contains("Write the parser"), "{frame}");
}
