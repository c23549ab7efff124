//! A request that was answered is asked again with its key, and meanwhile the line that answers it
//! is taken away, as a checkout does it. Whatever the moment: what is then on the ledger is what
//! the request asks for, or nothing. No event may stand there that nobody asked for.
//!
//! Once the moment is every one between two reads of the ledger, held open on purpose; once it is
//! chosen by chance, beside a real `git checkout`. `GOAL_KEY_ROUNDS` makes the second longer.

use std::fs;

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::scene::{self, Prepare, Scene};
use crate::support::{Project, Ran, auditor};
use crate::{from_environment, say, strace};

/// Commands whose result comes from a program outside the lock, which look their key up before they
/// start it. Each prepares a project and says its words, the key among them.
const OUTSIDE: &[(&str, Prepare)] = &[
    ("baseline", baseline),
    ("check", scene::check),
    ("complete", complete),
    ("escalate", scene::escalate),
    ("evaluate", evaluate),
    ("interpret", interpret),
    ("iterate validate", scene::iterate_validate),
    ("plan by a planner", plan),
    ("plan by a procedure", scene::plan),
    ("review", scene::review),
    ("step", scene::step),
    ("summarize", summarize),
];

/// The other commands that record, with what has to be there before: one transaction each.
const INSIDE: &[(&str, &str)] = &[
    ("", "set another"),
    ("", "note n"),
    ("", "pause --reason r"),
    ("", "block --reason r"),
    ("pause --reason r", "resume"),
    ("", "abort --reason r"),
    ("", "fail --reason r"),
    ("", "abandon --reason r"),
    ("", "unfocus"),
    ("", "draft topic"),
    ("draft topic", "draft --cancel"),
    ("", "propose p"),
    ("propose p", "reject"),
    ("", "tweak"),
    ("", "tweak --objective o"),
    ("", "task add t"),
    ("task add t", "task start 1"),
    ("task add t", "task complete 1"),
    ("task add t", "task skip 1 --reason r"),
    ("task add t", "task fail 1 --reason r"),
    ("task add t", "task block 1 --reason r"),
    ("task add t;task start 1", "task reopen 1 --reason r"),
    ("", "evidence add k v"),
    ("", "ask why"),
    ("", "iterate start --max-iterations 3"),
    ("iterate start --max-iterations 3", "iterate next"),
    (
        "iterate start --max-iterations 3",
        "iterate complete --outcome blocked --summary s",
    ),
    ("", "context summarize s"),
    ("", "baseline b"),
    ("", "evaluate --score 0.5 --gap g"),
    ("", "budget --max-llm-calls 3"),
    ("", "usage add --counter llmCalls=1"),
    ("", "delegate d --to ben"),
];

/// Fields that say what happened; ids, times and links differ from call to call.
const SAID: &[&str] = &[
    "type",
    "by",
    "role",
    "reason",
    "report",
    "verdict",
    "action",
    "reasoning",
    "summary",
    "text",
    "score",
    "source",
    "gapAnalysis",
    "objective",
    "note",
    "key",
    "value",
    "name",
    "pass",
    "taskId",
    "outcome",
    "blocked",
];

/// A role that answers in JSON, as the user configured it.
fn role(project: &Project, role: &str, answer: &str) {
    let script = project.script(role, &format!("cat >/dev/null; echo '{answer}'"));
    let toml = format!("[{role}]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    project.configure(&toml);
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn baseline(project: &Project) -> Vec<String> {
    let script = project.script("check", "echo 'as it was'");
    project.configure(&format!(
        "[checks.c]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    project.set("kept");
    words("baseline --command c --key k")
}

fn complete(project: &Project) -> Vec<String> {
    project.set("kept");
    project.auditor(auditor::APPROVE);
    words("complete --key k")
}

fn evaluate(project: &Project) -> Vec<String> {
    project.set("kept");
    let reply = r#"{"progressScore":0.4,"gapAnalysis":"a gap","shouldEscalate":false}"#;
    role(project, "evaluator", reply);
    words("evaluate --key k")
}

fn interpret(project: &Project) -> Vec<String> {
    project.set("kept");
    let reply =
        r#"{"action":"add_evidence","reasoning":"said so","evidence":{"key":"k","value":"v"}}"#;
    role(project, "interpreter", reply);
    words("interpret the-key-is-v --key k")
}

fn plan(project: &Project) -> Vec<String> {
    project.set("kept");
    let reply = r#"{"subgoals":[{"gloss":"t","pred":{"name":"execute"},"doneWhen":[]}],"decomp":"AND","source":"s"}"#;
    role(project, "planner", reply);
    words("plan --key k")
}

fn summarize(project: &Project) -> Vec<String> {
    project.set("kept");
    role(project, "summarizer", r#"{"summary":"all that happened"}"#);
    words("context summarize --key k")
}

/// A project in which a request was answered.
struct Answered {
    /// The scene's command is the request; its ledger has the answer.
    scene: Scene,
    /// The ledger without the answer.
    without: Vec<u8>,
    /// What the request appends when it is made for the first time.
    asked_for: Vec<Value>,
}

impl Answered {
    fn by(prepare: impl FnOnce(&Project) -> Vec<String>) -> Answered {
        let project = Project::new();
        let args = prepare(&project);
        let without = project.ledger();
        let mut first: Vec<&str> = args.iter().map(String::as_str).collect();
        first.push("--json");
        let ran = project.run(&first);
        assert!(ran.did(), "{ran}");
        let scene = Scene::of(project, |_| args);
        assert_eq!(scene.attempted, [""; 0], "asked again it appends");
        let asked_for = said(&scene.before[without.len()..]);
        assert!(!asked_for.is_empty(), "{:?}", scene.args);
        Answered {
            scene,
            without,
            asked_for,
        }
    }

    /// What stands behind the ledger without the answer is what the request asks for, or how it
    /// begins; how many lines that are.
    fn judge(&self, what: &str, ran: &Ran) -> usize {
        let ledger = self.scene.project.ledger();
        let appended = ledger.strip_prefix(&self.without[..]);
        let appended = appended.unwrap_or_else(|| panic!("{what}: lines are gone\n{ran}"));
        let appended = said(appended);
        assert!(
            self.asked_for.starts_with(&appended),
            "{what}: nobody asked for all of {appended:#?}\nbut for {:#?}\n{ran}",
            self.asked_for
        );
        appended.len()
    }
}

/// What lines say.
fn said(lines: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(lines).unwrap().lines();
    let said = lines.map(|line| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let fields = event.as_object_mut().unwrap();
        fields.retain(|name, _| SAID.contains(&name.as_str()));
        event
    });
    said.collect()
}

/// Takes the answer away as a checkout does: another file stands there.
fn take_away(answered: &Answered) {
    let project = &answered.scene.project;
    fs::remove_file(project.ledger_path()).unwrap();
    if !answered.without.is_empty() {
        fs::write(project.ledger_path(), &answered.without).unwrap();
    }
}

/// At every opening of the ledger by the request that is asked again, the answer goes.
fn between_all_reads(what: &str, prepare: impl FnOnce(&Project) -> Vec<String>) {
    let answered = Answered::by(prepare);
    for number in 1.. {
        answered.scene.restore();
        let project = &answered.scene.project;
        let call = project.call(&answered.scene.args());
        let (child, pid) = strace::stopped(project, call, "open,openat", number);
        let Some(pid) = pid else {
            let ran = Ran::new(project, &child.wait_with_output().unwrap());
            assert!(ran.did(), "{ran}");
            assert!(ran.data()["repeated"].as_bool().unwrap_or(true));
            assert!(number > 1, "{what}: it never opens the ledger");
            return;
        };
        take_away(&answered);
        kill_process(pid, Signal::CONT).unwrap();
        let ran = Ran::new(project, &child.wait_with_output().unwrap());
        answered.judge(&format!("{what}, gone after opening {number}"), &ran);
    }
}

/// Says why the moments cannot be held open here.
fn cannot_stop(what: &str) -> bool {
    let why = strace::usable().err();
    if let Some(why) = &why {
        say(&format!("SKIPPED: {what}: no strace here ({why})"));
    }
    why.is_some()
}

#[test]
fn between_the_reads_of_what_starts_programs() {
    if !cannot_stop("the answer of a request that starts a program goes") {
        for (name, prepare) in OUTSIDE {
            between_all_reads(name, prepare);
        }
    }
}

#[test]
fn between_the_reads_of_one_transaction() {
    if cannot_stop("the answer of a transaction goes") {
        return;
    }
    // It names the draft that it confirms.
    between_all_reads("confirm", scene::confirm);
    for (before, command) in INSIDE {
        between_all_reads(command, |project| {
            project.set("kept");
            for before in before.split(';').filter(|before| !before.is_empty()) {
                let before = words(before);
                let before: Vec<&str> = before.iter().map(String::as_str).collect();
                project.run(&before).ok();
            }
            words(&format!("--key k {command}"))
        });
    }
}

/// How many files a checkout has to put in place beside the ledger, so that it takes its time.
const BESIDE: usize = 300;

#[test]
fn beside_a_checkout() {
    let rounds = from_environment("GOAL_KEY_ROUNDS", 2);
    let (mut all, mut anew) = (0, 0);
    for (name, prepare) in OUTSIDE {
        let answered = Answered::by(prepare);
        let scene = &answered.scene;
        let project = &scene.project;
        let commit = |branch: &str, ledger: &[u8]| {
            project.put_ledger(ledger);
            for number in 0..BESIDE {
                fs::write(project.root.join(format!("file{number}")), branch).unwrap();
            }
            project.git(&["checkout", "-q", "-b", branch]);
            project.git(&["add", "-f", "-A"]);
            project.git(&["commit", "-q", "-m", branch]);
        };
        project.git(&["init", "-q"]);
        commit("without", &answered.without);
        commit("with", &scene.before);
        for _ in 0..rounds {
            project.git(&["checkout", "-q", "-f", "with"]);
            let again = project.call(&scene.args()).spawn();
            project.git(&["checkout", "-q", "-f", "without"]);
            let ran = Ran::new(project, &again.wait_with_output().unwrap());
            all += 1;
            anew += usize::from(answered.judge(name, &ran) > 0);
            project.git(&["clean", "-q", "-f", "-d", "-x"]);
        }
    }
    say(&format!(
        "{all} keyed requests beside a checkout that took their answer: {anew} were made anew, and \
         no event stands there that nobody asked for"
    ));
}
