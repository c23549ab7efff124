//! What `goal task step` and `goal confirm` ask a person at a terminal, at a real one: the program's three streams are
//! the end of a pseudoterminal, and the test is whoever sits at it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use serde_json::{Value, json};

use crate::seals::imitated;
use crate::support::auditor::WAIT_AND_APPROVE;
use crate::support::{Project, wait::until};

/// Only a hang takes this long.
const LIMIT: Timespec = Timespec {
    tv_sec: 60,
    tv_nsec: 0,
};
const HANGS: Duration = Duration::from_secs(60);
const CTRL_C: &str = "\u{3}";

/// Runs the program at a terminal; whenever what it shows holds the next of `asked`, types what
/// belongs to it; where that is nothing, lets a script go on that waits for it. All that was shown, and
/// how it ended.
fn at_terminal(project: &Project, args: &[&str], asked: &[(&str, &str)]) -> (String, ExitStatus) {
    at_terminal_of(project, args, asked, (24, 80))
}

/// The same at a terminal of so many rows and columns.
pub fn at_terminal_of(
    project: &Project,
    args: &[&str],
    asked: &[(&str, &str)],
    size: (u16, u16),
) -> (String, ExitStatus) {
    let (mut child, mut keyboard) = begun(project, args, size);
    let mut asked = asked.iter().peekable();
    let (mut shown, mut looked_at) = (String::new(), 0);
    let begun = Instant::now();
    while let Some(more) = read(&mut keyboard, &shown) {
        shown += &more;
        // A line of what is under way changes for as long as the program hangs.
        assert!(
            begun.elapsed() < HANGS,
            "{:?} never came after:\n{shown}",
            asked.peek()
        );
        while let Some((question, keys)) = asked.next_if(|it| shown[looked_at..].contains(it.0)) {
            looked_at += shown[looked_at..].find(question).unwrap() + question.len();
            if keys.is_empty() {
                project.go();
                continue;
            }
            // Until then a key may still be eaten by the terminal itself, as Ctrl-C would be.
            until("it reads single keys", || {
                let modes = tcgetattr(&keyboard).unwrap().local_modes;
                !modes.contains(LocalModes::ICANON)
            });
            keyboard.write_all(keys.as_bytes()).unwrap();
        }
    }
    assert_eq!(asked.next(), None, "was never asked:\n{shown}");
    (shown, child.wait().unwrap())
}

/// Begins the program at a terminal of so many rows and columns; also the end at which the test sits.
fn begun(project: &Project, args: &[&str], size: (u16, u16)) -> (Child, File) {
    let (keyboard, screen) = terminal(size);
    let editor = format!("/bin/sh {}", project.aside.join("editor"));
    let call = project.call(args).env("TERM", "xterm");
    let mut command = call.env("EDITOR", &editor).command();
    let end = || Stdio::from(screen.try_clone().unwrap());
    command.stdin(end()).stdout(end()).stderr(end());
    let child = command.spawn().unwrap();
    // Once the program has closed its ends, ours must not keep the terminal open: they end here.
    (child, keyboard)
}

/// A terminal of so many rows and columns: the end at which the test sits, and that of a program.
fn terminal((rows, columns): (u16, u16)) -> (File, File) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let screen = File::from(open(name.as_c_str(), flags, Mode::empty()).unwrap());
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&screen, size).unwrap();
    (File::from(keyboard), screen)
}

/// What is shown next; nothing when the program has ended.
fn read(terminal: &mut File, shown: &str) -> Option<String> {
    let mut look = [PollFd::new(&*terminal, PollFlags::IN)];
    let ready = poll(&mut look, Some(&LIMIT)).unwrap();
    assert_ne!(ready, 0, "nothing more came after:\n{shown}");
    let mut bytes = [0; 4096];
    // Linux reports the end as an error, macOS as an end.
    let count = terminal.read(&mut bytes).unwrap_or_default();
    (count > 0).then(|| String::from_utf8_lossy(&bytes[..count]).into_owned())
}

fn with_task(pred: &Value) -> (Project, String) {
    let (project, id) = Project::with_goal("Book me a train");
    let tasks = json!([{ "title": "ask", "pred": pred }, { "title": "then" }]);
    let call = project.call(&["task", "set", "-"]);
    call.stdin(&tasks.to_string()).run().ok();
    (project, id)
}

fn day() -> Value {
    json!({ "name": "gather_info",
            "args": { "key": "day", "prompt": "On which day?", "suggestions": ["today"] } })
}

fn booking() -> Value {
    json!({ "name": "confirm", "args": { "question": "Book it?" } })
}

#[test]
fn a_question_is_put_and_its_answer_recorded() {
    let (project, _) = with_task(&day());
    let asked = [("On which day? (today)", "Friday\r")];
    let (shown, status) = at_terminal(&project, &["step"], &asked);
    assert!(status.success(), "{shown}");
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[0]["answer"], "Friday", "{shown}");
    assert_eq!(answered[0]["by"], "user");
    assert_eq!(
        project.events_of_type("evidence_added")[0]["value"],
        "Friday"
    );
    assert!(shown.contains("Answered for goal"), "{shown}");
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(next["task"]["id"], "2");
}

#[test]
fn a_question_that_waits_is_put_again() {
    let (project, _) = with_task(&day());
    project.run_as_agent(&["step"]).ok();
    let (shown, status) = at_terminal(&project, &["step"], &[("On which day?", "Friday\r")]);
    assert!(status.success(), "{shown}");
    assert_eq!(project.events_of_type("question_asked").len(), 1);
    assert_eq!(project.events_of_type("question_answered").len(), 1);
}

#[test]
fn a_confirmation_takes_a_line() {
    for (key, status, attempts) in [
        ("y\r", "complete", 0),
        ("\rny\r", "complete", 0),
        ("n\r", "blocked", 0),
    ] {
        let (project, _) = with_task(&booking());
        let (shown, ended) = at_terminal(&project, &["step"], &[("Book it?", key)]);
        assert!(ended.success(), "{shown}");
        let tree = project.run(&["task", "tree", "--json"]).ok().data();
        let task = &tree["tasks"]["list"][0];
        assert_eq!(task["status"], status, "{shown}\n{tree}");
        assert_eq!(project.events_of_type("task_failed").len(), attempts);
    }
}

#[test]
fn who_leaves_leaves_the_question_open() {
    for (pred, question) in [(day(), "On which day?"), (booking(), "Book it?")] {
        let (project, id) = with_task(&pred);
        let (shown, ended) = at_terminal(&project, &["step"], &[(question, CTRL_C)]);
        assert!(!ended.success(), "{shown}");
        let interrupted = ended.code() == Some(130) || ended.signal() == Some(2);
        assert!(interrupted, "{ended}: {shown}");
        assert_eq!(project.last_event()["type"], "question_asked");
        assert_eq!(project.status(&id), "active");
        let open = project.run(&["questions", "--json"]).ok().data();
        assert_eq!(open["questions"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn nobody_is_asked_where_no_person_reads_the_answer() {
    let (project, _) = with_task(&day());
    let (shown, status) = at_terminal(&project, &["step", "--json"], &[]);
    assert!(status.success(), "{shown}");
    let data: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(data["data"]["did"], "asked", "{shown}");
    assert_eq!(project.last_event()["type"], "question_asked");
}

#[test]
fn a_proposal_is_shown_before_it_is_confirmed() {
    for (key, created) in [("y\r", 1), ("n\r", 0), ("\r", 0), ("yn\r", 0), (CTRL_C, 0)] {
        let project = Project::new();
        project.run(&["draft", "totals"]).ok();
        for objective in ["Add totals", "Add all totals"] {
            project.run_as_agent(&["propose", objective]).ok();
        }
        let (shown, ended) = at_terminal(&project, &["confirm"], &[("Confirm it?", key)]);
        let question = shown.find("Confirm it?").unwrap();
        assert!(shown[..question].contains("Add all totals"), "{shown}");
        assert_eq!(ended.success(), created == 1, "{shown}");
        assert_eq!(
            project.events_of_type("goal_created").len(),
            created,
            "{shown}"
        );
    }
}

#[test]
fn a_file_that_is_no_page_is_replaced_by_a_report_where_the_person_says_so() {
    let (project, _) = Project::with_goal("x");
    let file = project.root.join("page.html");
    for (answer, is_replaced) in [("n\r", false), ("\r", false), ("y\r", true)] {
        std::fs::write(&file, "mine").unwrap();
        let asked = [("Replace it?", answer)];
        let (shown, ended) = at_terminal(&project, &["report", "--html", "page.html"], &asked);
        assert_eq!(ended.success(), is_replaced, "{shown}");
        let there = std::fs::read_to_string(&file).unwrap();
        assert_eq!(there == "mine", !is_replaced, "{shown}");
    }
}

/// A person types it in the shell that the terminal began with, and nothing of it goes to the terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_typed_with_nohup_is_the_users() {
    for (shell, is_users) in [(&["-i"][..], true), (&["-c"], false)] {
        let (project, id) = Project::with_goal("make it so");
        let agent = "work; echo '<promise>COMPLETE</promise>'";
        crate::run::configure(&project, crate::support::auditor::APPROVE, agent, "");
        let (mut keyboard, screen) = terminal((24, 80));
        let goal = project.call(&["run", "--root", project.root.as_str()]);
        let goal = goal.without("GOAL_ACTOR").command();
        let args: Vec<&str> = goal.get_args().filter_map(|it| it.to_str()).collect();
        let typed = format!(
            "nohup {} {} >run.log 2>&1 </dev/null & wait; echo ended >>ended",
            goal.get_program().display(),
            args.join(" ")
        );
        let mut begun = std::process::Command::new("setsid");
        begun.args(["--ctty", "bash", "--norc", "--noprofile"]);
        begun.args(shell).current_dir(&project.aside).env_clear();
        if !is_users {
            begun.arg(&typed);
        }
        let envs = goal.get_envs();
        begun.envs(envs.filter_map(|(name, value)| Some((name, value?))));
        let end = || Stdio::from(screen.try_clone().unwrap());
        let mut begun = begun
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        if is_users {
            writeln!(keyboard, "{typed}").unwrap();
        }
        until("the run has ended", || project.aside.join("ended").exists());
        begun.kill().unwrap();
        begun.wait().unwrap();
        let log = std::fs::read_to_string(project.aside.join("run.log")).unwrap();
        let status = if is_users { "complete" } else { "active" };
        assert_eq!(project.status(&id), status, "{log}");
        assert_eq!(log.contains("only the user may run"), !is_users, "{log}");
    }
}

#[test]
fn what_was_typed_before_a_question_answers_nothing() {
    let project = Project::new();
    project.run(&["draft", "totals"]).ok();
    project.run_as_agent(&["propose", "Add totals"]).ok();
    let (mut child, mut keyboard) = begun(&project, &["confirm"], (24, 80));
    // The terminal takes these long before the program asks.
    keyboard.write_all(b"y\ny\n").unwrap();
    let mut shown = String::new();
    while !shown.contains("Confirm it?") {
        shown += &read(&mut keyboard, &shown).unwrap();
    }
    until("it reads single keys", || {
        let modes = tcgetattr(&keyboard).unwrap().local_modes;
        !modes.contains(LocalModes::ICANON)
    });
    keyboard.write_all(b"\r").unwrap();
    while let Some(more) = read(&mut keyboard, &shown) {
        shown += &more;
    }
    assert!(!child.wait().unwrap().success(), "{shown}");
    assert_eq!(project.count("goal_created"), 0, "{shown}");
}

#[test]
fn a_no_to_trust_exits_as_a_no_to_a_proposal_does() {
    let project = Project::new();
    project.run(&["init"]).ok();
    let auditor = "[auditor]\ncommand = [\"/bin/true\"]\n";
    std::fs::write(project.goals("config.toml"), auditor).unwrap();
    let (shown, status) = at_terminal(&project, &["trust"], &[("Trust this?", "n\r")]);
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(shown.contains("nothing was trusted"), "{shown}");
}

#[test]
fn what_is_taken_as_ones_own_is_shown_before_and_asked_about() {
    let (project, id) = Project::with_goal("x");
    let tweaked = r#""type":"goal_tweaked","changeSummary":"less","objective":"y""#;
    project.append_line(&imitated(
        &project,
        &format!(r#"{tweaked},"goalId":"{id}""#),
    ));
    let before = project.ledger();
    let accept = ["settle", &id, "--accept"];
    let (shown, status) = at_terminal(&project, &accept, &[("Take it as your own?", "n\r")]);
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(
        shown.contains("goal_tweaked") && shown.contains("less"),
        "{shown}"
    );
    assert_eq!(project.ledger(), before);
    let (shown, status) = at_terminal(&project, &accept, &[("Take it as your own?", "y\r")]);
    assert!(status.success(), "{shown}");
    let settled = project.events_of_type("goal_settled");
    assert_eq!(settled[0]["lines"].as_array().unwrap().len(), 1);
    assert_eq!(settled[0]["kind"], "unproven");
}

#[test]
fn a_contract_is_written_and_changed_in_the_editor() {
    let project = Project::new();
    let write =
        "sed -i -e 's/^## Objective$/&\\n\\nSort the seeds/' -e '0,/^- $/s//- a row each/' \"$1\"";
    project.script("editor", write);
    let (shown, ended) = at_terminal(&project, &["set", "--title", "Seeds"], &[]);
    assert!(ended.success(), "{shown}");
    let created = project.events_of_type("goal_created");
    assert_eq!(created[0]["objective"], "Sort the seeds");
    assert_eq!(created[0]["successCriteria"], json!(["a row each"]));
    assert_eq!(created[0]["title"], "Seeds");
    project.script("editor", "sed -i 's/a row each/two rows each/' \"$1\"");
    let (shown, ended) = at_terminal(&project, &["tweak"], &[]);
    assert!(ended.success(), "{shown}");
    let tweaked = project.events_of_type("goal_tweaked");
    assert_eq!(tweaked[0]["successCriteria"], json!(["two rows each"]));
    assert_eq!(tweaked[0].get("objective"), None, "{}", tweaked[0]);
    project.script("editor", "true");
    let before = project.events().len();
    for args in [&["tweak"][..], &["set"]] {
        let (shown, ended) = at_terminal(&project, args, &[]);
        assert_eq!(ended.code(), Some(130), "{shown}");
    }
    project.script("editor", "exit 3");
    let (shown, ended) = at_terminal(&project, &["propose"], &[]);
    assert_eq!(ended.code(), Some(130), "{shown}");
    assert_eq!(project.events().len(), before);
}

#[test]
fn whether_a_goal_is_planned_before_its_run_is_asked() {
    for (key, tasks) in [("y\r", 3), ("n\r", 0)] {
        let (project, id) = Project::with_goal("Build the house");
        let script =
            |name: &str, body: &str| project.script(name, &format!("cat >/dev/null; {body}"));
        let part = r#"{"gloss":"a part","pred":{"name":"execute"},"doneWhen":[],"successCriteria":["it stands"]}"#;
        let plan = format!(r#"{{"subgoals":[{part},{part},{part}],"decomp":"AND","source":"s"}}"#);
        let (auditor, agent, planner) = (
            script("auditor", "echo Fine.; echo '<approved/>'"),
            script("agent", "echo x >>work; echo '<promise>COMPLETE</promise>'"),
            script("planner", &format!("echo '{plan}'")),
        );
        project.configure(&format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
             [planner]\ncommand = [\"/bin/sh\", \"{planner}\"]\n\
             [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
        ));
        let asked = [("cut it into checkpoints first?", key)];
        let (shown, ended) = at_terminal(&project, &["run"], &asked);
        assert!(ended.success(), "{shown}");
        assert_eq!(project.events_of_type("task_complete").len(), tasks);
        assert_eq!(project.status(&id), "complete");
    }
}

#[test]
fn what_is_under_way_is_shown_and_taken_away_again() {
    let (project, id) = Project::with_goal("Book me a train");
    project.auditor(WAIT_AND_APPROVE);
    let shown_while = [("the audit is under way: ", "")];
    let (shown, status) = at_terminal(&project, &["complete"], &shown_while);
    assert!(status.success(), "{shown}");
    assert_eq!(project.status(&id), "complete");
    assert!(shown.contains("Ctrl-C ends it"), "{shown}");
    let (_, after) = shown.rsplit_once("Ctrl-C ends it").unwrap();
    assert!(
        after.starts_with("\r\u{1b}[2K"),
        "the line is taken away: {after:?}"
    );
    for silent in ["--json", "--quiet"] {
        let (project, _) = Project::with_goal("Book me a train");
        project.configure("[checks.slow]\ncommand = [\"/bin/sleep\", \"1.2\"]\n");
        let (shown, _) = at_terminal(&project, &["check", "slow", silent], &[]);
        assert!(!shown.contains("under way"), "{silent}: {shown}");
    }
}

#[test]
fn keys_that_come_while_a_list_is_drawn_are_not_echoed() {
    let project = Project::new();
    for number in 0..30 {
        project.run(&["set", &format!("Goal {number}")]).ok();
    }
    let (mut child, mut keyboard) = begun(&project, &["focus"], (50, 80));
    let mut typing = keyboard.try_clone().unwrap();
    let mut shown = String::new();
    while !shown.contains("esc: leave") {
        shown += &read(&mut keyboard, &shown).unwrap();
    }
    let typist = thread::spawn(move || {
        for _ in 0..500 {
            typing.write_all(b"\x1b[B").unwrap();
            thread::yield_now();
        }
        typing.write_all(b"\x1b").unwrap();
    });
    while let Some(more) = read(&mut keyboard, &shown) {
        shown += &more;
    }
    typist.join().unwrap();
    child.wait().unwrap();
    assert!(!shown.contains("^["), "the terminal itself wrote the keys");
}

#[test]
fn a_captured_child_that_only_inherits_the_keyboard_is_not_the_user() {
    for (at_terminal, by) in [("stdin", "agent"), ("stdout", "user"), ("stderr", "user")] {
        let (project, _) = Project::with_goal("x");
        let (_keyboard, screen) = terminal((24, 80));
        let end = |stream| match stream == at_terminal {
            true => Stdio::from(screen.try_clone().unwrap()),
            false => Stdio::piped(),
        };
        let call = project.call(&["note", "n"]).without("GOAL_ACTOR");
        let mut command = call.command();
        command.stdin(end("stdin"));
        command.stdout(end("stdout")).stderr(end("stderr"));
        let ran = command.spawn().unwrap().wait_with_output().unwrap();
        assert!(ran.status.success(), "{at_terminal}");
        assert_eq!(project.last_event()["by"], by, "{at_terminal}");
    }
}
