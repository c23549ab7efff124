//! What a run shows of its agent while that works: its last line, at a terminal only.

use std::io::{BufRead, BufReader};

use super::{configure, found, with_agent};
use crate::support::{Project, Ran, auditor};
use crate::terminal::at_terminal_of;

/// Writes lines, the last of them hostile and wider than a terminal, and waits until the test has seen it.
const AGENT: &str = r#"work
printf 'reading\nmove \033[31m8\033[0m of 9\rmove 9 of 9 \342\200\256 %0200d\n' 7
while [ ! -e "$here/go" ]; do sleep 0.02; done
goal complete --summary done >"$here/receipt""#;

#[test]
fn a_terminal_shows_the_last_line_of_the_agent() {
    let (project, id) = Project::with_goal("make it so");
    configure(&project, auditor::APPROVE, AGENT, "");
    let asked = [("  │ move 9 of 9", "")];
    let (shown, status) = at_terminal_of(&project, &["run", &id], &asked, (24, 60));
    assert!(status.success(), "{shown}");
    let line = shown.split("  │ ").nth(1).unwrap();
    let line = line.split(['\r', '\u{1b}']).next().unwrap();
    assert_eq!(
        line,
        format!("move 9 of 9 \u{fffd} {}…", "0".repeat(59 - 4 - 14 - 1))
    );
    // One line up, since two stood.
    assert!(shown.contains("\r\u{1b}[2K\u{1b}[1A\u{1b}[2K"), "{shown:?}");
    assert!(!shown.contains("reading"), "{shown}");
    let last = shown.rsplit('\u{1b}').next().unwrap();
    assert!(last.contains(&format!("Goal {id}: ")), "{last}");
}

#[test]
fn a_pipe_is_told_nothing_of_it() {
    let (project, id) = with_agent("work; echo reading; goal complete --summary done >/dev/null");
    let ran = project.run(&["run", &id]).ok();
    let told = ran.stdout.clone() + &ran.stderr;
    assert!(
        !told.contains("reading") && !told.contains('\u{1b}'),
        "{told}"
    );
}

#[test]
fn a_run_is_followed_turn_by_turn_until_it_is_over() {
    let agent = r#"work
if [ -e "$here/second" ]; then echo again; goal complete --summary done >/dev/null; exit; fi
touch "$here/second"
echo '{"type":"system","subtype":"init"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash","input":{"command":"cargo test"}}]}}'
printf 'the last line'
while [ ! -e "$here/go" ]; do sleep 0.02; done"#;
    let (project, id) = with_agent(agent);
    let none = project.run(&["runs", "--follow", "--quiet"]).exits(2);
    assert!(none.stderr.contains("no run is under way"), "{none}");
    let run = project.call(&["run", &id]).spawn();
    found(|| project.aside.join("second").exists().then_some(()));
    let mut follower = project.call(&["runs", "--follow"]).spawn();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut next = || lines.next().map(Result::unwrap).unwrap_or_default();
    assert_eq!(next(), "Turn 1");
    assert_eq!(next(), "  I look.");
    assert_eq!(next(), "  › Bash cargo test");
    project.go();
    assert_eq!(next(), "  the last line");
    assert!(next().ends_with("exit status 0, changed files"));
    assert_eq!(next(), "Turn 2");
    assert_eq!(next(), "  again");
    next();
    let over = next();
    assert!(over.starts_with("The run is over: complete"), "{over}");
    assert!(follower.wait().unwrap().success());
    Ran::new(&project, &run.wait_with_output().unwrap()).ok();
    let again = project.run(&["runs", "last", "--follow"]).ok().stdout;
    assert!(again.starts_with("Turn 2\n  again\n"), "{again}");
}
