//! Who may make which call: every command and every tool has a row here, which each actor tries. A
//! command or a tool without a row fails the test.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Project, Ran, auditor, commands};

/// Whom a call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Only the user may: an agent is told that it is theirs, an auditor that it only reads.
    User,
    /// Whoever works may: an auditor is told that it only reads.
    Worker,
    /// It changes nothing that is the user's: nobody is refused.
    Reader,
}

use Who::{Reader, User, Worker};

/// A call, the calls of the user that go before it, and who may make it. Words are split at spaces.
type Row = (&'static [&'static str], &'static str, Who);

const NONE: &[&str] = &[];
const PROPOSED: &[&str] = &["propose other"];
const PAUSED: &[&str] = &["pause --reason r"];
const ASKED: &[&str] = &["ask Which?"];
const ASKED_AS_AGENT: &[&str] = &[r#"tool ask_user --data {"question":"q"}"#];
const FREE: &[&str] = &["task set PLAN.md --free"];
const STARTED: &[&str] = &["iterate start"];
const VALIDATED: &[&str] = &["iterate start", "iterate validate"];

const COMMANDS: &[Row] = &[
    // What needs the user.
    (NONE, "status", Reader),
    (NONE, "inbox", Reader),
    (ASKED, "answer QUESTION blue", User),
    (NONE, "watch", Reader),
    (NONE, "report", Reader),
    (NONE, "report --mark", User),
    (NONE, "audits", Reader),
    (NONE, "questions", Reader),
    (NONE, "settle", Reader),
    (NONE, "settle --accept", User),
    // Goals.
    (NONE, "set more", User),
    (NONE, "set more --max-tokens 5", User),
    (NONE, "draft topic", User),
    (NONE, "draft --list", Reader),
    (PROPOSED, "draft --cancel", User),
    (PROPOSED, "confirm", User),
    (PROPOSED, "reject", User),
    (NONE, "list", Reader),
    (NONE, "show", Reader),
    (NONE, "tweak", User),
    (NONE, "tweak --objective less", Worker),
    (NONE, "tweak --from-document", User),
    (NONE, "pause --reason r", Worker),
    (PAUSED, "resume", User),
    (NONE, "complete", Worker),
    (NONE, "complete --auditor true", User),
    (NONE, "complete --pending", User),
    (NONE, "focus x", User),
    (NONE, "focus --none", User),
    (NONE, "abort --reason r", Worker),
    (NONE, "abort --as failed --reason r", User),
    (NONE, "abort --as abandoned --reason r", User),
    (NONE, "propose other", Worker),
    (NONE, "drafts", Reader),
    (NONE, "unfocus", User),
    (NONE, "adopt x", User),
    (NONE, "fail --reason r", User),
    (NONE, "abandon --reason r", User),
    (NONE, "block --reason r", Worker),
    (NONE, "delegate part --to ben", Worker),
    (NONE, "commitments", Reader),
    // Work.
    (NONE, "task set PLAN.md", Worker),
    (NONE, "task set OTHER.md", User),
    (NONE, "task set PLAN.md --free", User),
    (NONE, "task add more", Worker),
    (NONE, "task start 1", Worker),
    (NONE, "task complete 1", Worker),
    (NONE, "task skip 1 --reason r", Worker),
    (NONE, "task fail 1 --reason r", Worker),
    (NONE, "task block 1 --reason r", Worker),
    (&["task complete 1"], "task reopen 1 --reason r", Worker),
    (NONE, "task tree", Reader),
    (NONE, "task stack", Reader),
    (NONE, "task step", Worker),
    (NONE, "task import PLAN.md", Worker),
    (NONE, "task import PLAN.md --as goals", User),
    (NONE, "task export", Reader),
    (NONE, "note n", Worker),
    (NONE, "wait --for r", Worker),
    (NONE, "next", Reader),
    (NONE, "ask Which?", Worker),
    (NONE, "evidence add k v", Worker),
    (NONE, "evidence list", Reader),
    (NONE, "check lint", Worker),
    (NONE, "plan", Worker),
    (NONE, "plan --revise --reason r", User),
    (NONE, "plan procedures list", Reader),
    (NONE, "plan procedures show none", Reader),
    (NONE, "plan procedures check", Reader),
    (NONE, "progress evaluate --score 0.5 --gap g", Worker),
    (NONE, "progress baseline so", User),
    (NONE, "progress agenda set STEPS.json", Worker),
    (NONE, "progress agenda done 1", Worker),
    (NONE, "progress iterate start", Worker),
    (STARTED, "progress iterate validate", Worker),
    (VALIDATED, "progress iterate next", Worker),
    (
        STARTED,
        "progress iterate complete --outcome blocked --summary s",
        Worker,
    ),
    (NONE, "progress iterate stats", Reader),
    // It would drop open tasks that hold the completion, and where they are free it would not.
    (NONE, "progress escalate --reason r", User),
    (FREE, "progress escalate --reason r", Worker),
    (NONE, "progress review --role risk", Worker),
    (ASKED, "withdraw QUESTION", User),
    (ASKED_AS_AGENT, "withdraw QUESTION", Worker),
    (NONE, "stack", Reader),
    (NONE, "step", Worker),
    (NONE, "import PLAN.md", Worker),
    (NONE, "import PLAN.md --as goals", User),
    (NONE, "procedure list", Reader),
    (NONE, "procedure show none", Reader),
    (NONE, "procedure check", Reader),
    (NONE, "evaluate --score 0.5 --gap g", Worker),
    (NONE, "baseline so", User),
    (NONE, "agenda set STEPS.json", Worker),
    (NONE, "agenda done 1", Worker),
    (NONE, "iterate start", Worker),
    (STARTED, "iterate validate", Worker),
    (VALIDATED, "iterate next", Worker),
    (
        STARTED,
        "iterate complete --outcome blocked --summary s",
        Worker,
    ),
    (NONE, "iterate stats", Reader),
    (NONE, "escalate --reason r", User),
    (FREE, "escalate --reason r", Worker),
    (FREE, "escalate --reason r --planner true", User),
    (NONE, "review --role risk", Worker),
    (NONE, "review --role risk --reviewer cat", User),
    // Runs and the ledger.
    (NONE, "run --agent-command true --max-iterations 1", User),
    (
        NONE,
        "run --plan --agent-command true --max-iterations 1",
        User,
    ),
    (NONE, "log", Reader),
    (NONE, "runs", Reader),
    (NONE, "budget", Reader),
    (NONE, "budget --max-llm-calls 5", User),
    (NONE, "usage add --counter llmCalls=1", Worker),
    (NONE, "usage report", Reader),
    (NONE, "lease acquire --session s --pid 1", Worker),
    (NONE, "lease acquire --session s --pid 1 --take-over", User),
    (NONE, "lease renew --session s --pid 1", Worker),
    (NONE, "lease release --session s", Worker),
    (NONE, "lease list", Reader),
    (NONE, "verify", Reader),
    (NONE, "doctor", Reader),
    (NONE, "doctor --repair", Worker),
    (NONE, "sync", Worker),
    (NONE, "sync --status", Reader),
    (NONE, "sync --join", User),
    (NONE, "store init none", User),
    // With a ledger in the project it is refused to everybody who may write.
    (NONE, "store pull none", Worker),
    (NONE, "store push", Worker),
    (NONE, "store status", Reader),
    (NONE, "store check true", Reader),
    (NONE, "store leave", User),
    (NONE, "repair", Worker),
    (NONE, "repair --drop 00000000 --reason r", User),
    // Set-up.
    (NONE, "init", Worker),
    (NONE, "init --new", User),
    (NONE, "init --here", User),
    (NONE, "init --auditor true", User),
    (NONE, "config", Reader),
    (NONE, "config set runner.retryFor 60", User),
    (NONE, "config unset runner.retryFor", User),
    // Without a terminal it is refused to everybody.
    (NONE, "config edit", Reader),
    (NONE, "trust", User),
    (NONE, "trust --show", Reader),
    (NONE, "auditor test", Worker),
    (NONE, "auditor test --auditor true", User),
    (NONE, "completions bash", Reader),
    (NONE, "tour", Reader),
    // For programs.
    (NONE, "tool get_goal", Reader),
    (NONE, "schema envelope", Reader),
    (NONE, "hook stop", Reader),
    (NONE, "mcp", Reader),
    (NONE, "prompt active", Reader),
    (NONE, "summary", Reader),
    (NONE, "interpret m", Worker),
    (NONE, "context summarize so", Worker),
];

/// As [`COMMANDS`]: the tool, then its arguments.
const TOOLS: &[Row] = &[
    (NONE, "get_goal", Reader),
    (NONE, "list_goals", Reader),
    (NONE, "goal_summary", Reader),
    (NONE, r#"propose_goal_draft {"objective":"o"}"#, Worker),
    (NONE, r#"apply_goal_tweak {"title":"t"}"#, Worker),
    (NONE, r#"note_progress {"note":"n"}"#, Worker),
    (NONE, "plan_goal", Worker),
    (NONE, "perform_step", Worker),
    (NONE, r#"interpret_message {"message":"m"}"#, Worker),
    (NONE, r#"ask_user {"question":"q"}"#, Worker),
    (ASKED, r#"withdraw_question {"id":"QUESTION"}"#, User),
    (
        ASKED_AS_AGENT,
        r#"withdraw_question {"id":"QUESTION"}"#,
        Worker,
    ),
    (NONE, "list_questions", Reader),
    (NONE, "get_goal_tasks", Reader),
    (
        NONE,
        r#"set_goal_tasks {"tasks":[{"title":"work"}]}"#,
        Worker,
    ),
    (NONE, r#"set_goal_tasks {"tasks":[{"title":"t"}]}"#, User),
    (NONE, r#"add_goal_tasks {"tasks":[{"title":"t"}]}"#, Worker),
    (
        NONE,
        r#"update_goal_task {"taskId":"1","status":"active"}"#,
        Worker,
    ),
    (
        NONE,
        r#"add_evidence {"evidenceKey":"k","value":1}"#,
        Worker,
    ),
    (NONE, r#"iterate_goal {"act":"start"}"#, Worker),
    (NONE, "iteration_start", Worker),
    (STARTED, "iteration_validate", Worker),
    (VALIDATED, "iteration_next", Worker),
    (
        STARTED,
        r#"iteration_complete {"outcome":"blocked","summary":"s"}"#,
        Worker,
    ),
    (
        NONE,
        r#"evaluate_progress {"score":0.5,"gapAnalysis":"g"}"#,
        Worker,
    ),
    (NONE, r#"set_agenda {"steps":[]}"#, Worker),
    (
        NONE,
        r#"delegate_goal {"to":"ben","objective":"o"}"#,
        Worker,
    ),
    (NONE, r#"record_usage {"counters":{"c":1}}"#, Worker),
    (NONE, r#"pause_goal {"reason":"r"}"#, Worker),
    (NONE, r#"update_goal {"status":"complete"}"#, Worker),
    (NONE, r#"abort_goal {"reason":"r"}"#, Worker),
    (NONE, "step_complete", Reader),
    (NONE, "create_goal", User),
];

/// A project with a goal at work, one task, a check, an auditor and files to import.
fn project(before: &[&str]) -> Project {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::DISAPPROVE);
    for (name, text) in [
        ("PLAN.md", "- [ ] work\n- [ ] more\n"),
        ("OTHER.md", "- [ ] other\n"),
        ("STEPS.json", r#"[{"skill":"s","purpose":"p"}]"#),
    ] {
        fs::write(project.root.join(name), text).unwrap();
    }
    project.run(&["task", "add", "work"]).ok();
    for line in before {
        project.run(&words(line)).ok();
    }
    project
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The code of the error with which the call ended.
fn code(ran: &Ran) -> String {
    let last = ran.stdout.lines().next_back().unwrap_or_default();
    let said: Value = serde_json::from_str(last).unwrap_or_default();
    said["error"]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Commands that a refusal names as the manual spells them.
const SPELLINGS: [(&str, &str); 3] = [
    ("unfocus", "focus --none"),
    ("fail", "abort --as failed"),
    ("abandon", "abort --as abandoned"),
];

/// Where what each actor hears differs from the row.
fn tried(before: &[&str], args: &[&str], who: Who) -> Vec<String> {
    let project = project(before);
    let asked = project.events_of_type("question_asked");
    let question = asked
        .last()
        .map(|event| event["questionId"].as_str().unwrap().to_owned());
    let question = question.unwrap_or_default();
    let line: Vec<String> = args
        .iter()
        .map(|arg| arg.replace("QUESTION", &question))
        .collect();
    let args: Vec<&str> = line.iter().map(String::as_str).collect();
    let refusals = [
        (
            "auditor",
            match who {
                Reader => None,
                User | Worker => Some("auditor_read_only"),
            },
        ),
        ("agent", (who == User).then_some("human_owned")),
        ("user", None),
    ];
    // Whoever calls a tool is an agent.
    let actors = if args[0] == "tool" { 2 } else { 3 };
    let mut differs = Vec::new();
    for (actor, refusal) in refusals.into_iter().take(actors) {
        let tree = project.tree();
        let call = project.call(&[&args[..], &["--json"]].concat());
        let ran = call.env("GOAL_ACTOR", actor).run();
        let code = code(&ran);
        let refused = ["auditor_read_only", "human_owned"].contains(&code.as_str());
        if let Some((_, spelling)) = SPELLINGS.iter().find(|(typed, _)| args[0] == *typed)
            && code == "human_owned"
        {
            let named = format!("only the user may run `{spelling}`");
            assert!(ran.stdout.contains(&named), "{ran}");
        }
        let is_right = match refusal {
            Some(refusal) => code == refusal && ran.code == Some(5),
            None => !refused,
        };
        if !is_right {
            differs.push(format!(
                "{} as {actor}: `{code}`, not {refusal:?}",
                args.join(" ")
            ));
        }
        if refused && project.tree() != tree {
            differs.push(format!(
                "{} as {actor}: refused, yet something changed",
                args.join(" ")
            ));
        }
    }
    differs
}

/// The commands below this one, each with all its words; itself where none is below.
fn leaves(path: &str) -> Vec<String> {
    let help = Project::new()
        .run(&[&words(path)[..], &["--help"]].concat())
        .ok()
        .stdout;
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let below = below.take_while(|line| line.is_empty() || line.starts_with(' '));
    let names = below
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|it| !it.starts_with(' '));
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    match names.is_empty() {
        true => vec![path.to_owned()],
        false => names
            .iter()
            .flat_map(|name| leaves(&format!("{path} {name}")))
            .collect(),
    }
}

#[test]
fn every_command_is_refused_to_whom_it_does_not_belong() {
    let known = commands();
    let mut differs = Vec::new();
    for name in &known {
        for path in leaves(name) {
            let is_there = |row: &&Row| format!("{} ", row.1).starts_with(&format!("{path} "));
            if !COMMANDS.iter().any(|row| is_there(&row)) {
                differs.push(format!("no row for `{path}`"));
            }
        }
    }
    for (before, line, who) in COMMANDS {
        let args = words(line);
        if known.iter().any(|name| name == args[0]) {
            differs.extend(tried(before, &args, *who));
        }
    }
    assert_eq!(differs, [""; 0]);
}

#[test]
fn help_marks_what_only_the_user_may() {
    let help = Project::new().run(&["help", "all"]).ok().stdout;
    for name in commands() {
        let line = help
            .lines()
            .find(|line| words(line.trim())[0] == name)
            .unwrap();
        let mark = line.split_whitespace().nth(1).unwrap();
        let rows = COMMANDS.iter().filter(|row| words(row.1)[0] == name);
        let (yours, others): (Vec<Who>, Vec<Who>) =
            rows.map(|row| row.2).partition(|who| *who == User);
        let right = match (yours.is_empty(), others.is_empty()) {
            (true, _) => "",
            (false, true) => "*",
            (false, false) => "+",
        };
        let mark = if ["*", "+"].contains(&mark) { mark } else { "" };
        assert_eq!(mark, right, "{line}");
    }
}

#[test]
fn every_tool_is_refused_to_whom_it_does_not_belong() {
    let listed = Project::new()
        .run(&["tool", "--list", "--all", "--json"])
        .ok();
    let listed = listed.data();
    let tools = listed["tools"].as_array().unwrap().iter();
    let tools: BTreeSet<&str> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
    let rows: BTreeSet<&str> = TOOLS.iter().map(|row| words(row.1)[0]).collect();
    assert_eq!(tools, rows);
    let mut differs = Vec::new();
    for (before, line, who) in TOOLS {
        let (name, data) = line.split_once(' ').unwrap_or((line, "{}"));
        differs.extend(tried(before, &["tool", name, "--data", data], *who));
    }
    assert_eq!(differs, [""; 0]);
}
