//! Scenes: a prepared project and the command that meets a fault in it, again and again from the
//! same start. A later command of the program is one more function here.

pub mod loops;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};

use camino::{Utf8Path, Utf8PathBuf};

use crate::oracle::event_types;
use crate::support::{Project, Ran, auditor};

/// Prepares a project and says the command. Each is keyed where the program allows it, so that
/// trying again must not do it twice.
pub type Prepare = fn(&Project) -> Vec<String>;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A project's first event: directory and ledger are made too.
pub fn set(_: &Project) -> Vec<String> {
    words(&["set", "attempted", "--key", "k"])
}

/// A goal that is not focused, so that nothing else touches its document by chance.
pub fn pause(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    words(&[
        "pause",
        "--goal",
        &id,
        "--reason",
        "attempted",
        "--key",
        "k",
    ])
}

/// A second goal comes from a proposal.
pub fn confirm(project: &Project) -> Vec<String> {
    project.set("kept");
    project.run(&["propose", "attempted"]).ok();
    [project.confirmation(), words(&["--key", "k"])].concat()
}

/// One document is missing, one was edited by hand, one holds nothing.
pub fn repair(project: &Project) -> Vec<String> {
    for objective in ["missing", "edited", "empty"] {
        project.set(objective);
    }
    for path in documents(project) {
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("# missing") {
            fs::remove_file(path).unwrap();
        } else if text.contains("# edited") {
            fs::write(path, text.replace("# edited", "# scribbled over")).unwrap();
        } else {
            fs::write(path, "").unwrap();
        }
    }
    words(&["repair"])
}

/// A reviewer that answers. With a key: asking again must not record it twice.
pub fn review(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    project.reviewer(
        "risk",
        "cat >/dev/null; echo 'It may rain.'; echo 'Verdict: low'",
    );
    words(&["review", "--role", "risk", "--goal", &id, "--key", "k"])
}

/// A procedure that is named. With a key: asking again must not plan it twice.
pub fn plan(project: &Project) -> Vec<String> {
    let id = project.set("Book a train ticket");
    project.set("focused");
    let directory = project.goals("procedures");
    fs::create_dir(&directory).unwrap();
    let train = include_str!("../../fixtures/procedures/train.md");
    fs::write(directory.join("train.md"), train).unwrap();
    words(&["plan", "--procedure", "train", "--goal", &id, "--key", "k"])
}

/// An evaluation that spends the goal's escalations and grants its runway: two events in one write.
/// With a key: asking again must not record it twice.
pub fn evaluate(project: &Project) -> Vec<String> {
    let id = escalating(project);
    for score in ["0.5", "0.5"] {
        let args = ["evaluate", "--score", score, "--gap", "g", "--goal", &id];
        project.run(&args).ok();
        project
            .run(&["escalate", "--reason", "r", "--goal", &id])
            .ok();
    }
    let args = ["evaluate", "--score", "0.5", "--gap", "g", "--goal", &id];
    project.run(&args).ok();
    project
        .run(&["escalate", "--reason", "r", "--goal", &id])
        .ok();
    project.run(&args).ok();
    words(&[
        "evaluate", "--score", "0.6", "--gap", "nearly", "--goal", &id, "--key", "k",
    ])
}

/// An escalation with its plan. With a key: once the plan is there, asking again neither escalates
/// nor plans again.
pub fn escalate(project: &Project) -> Vec<String> {
    let id = escalating(project);
    words(&["escalate", "--reason", "r", "--goal", &id, "--key", "k"])
}

/// A goal that is not focused, and a planner; the goal's id.
fn escalating(project: &Project) -> String {
    let id = project.set("kept");
    project.set("focused");
    let plan = r#"{"subgoals":[{"gloss":"t","pred":{"name":"execute"},"doneWhen":[]}],"decomp":"AND","source":"s"}"#;
    let script = project.script("planner", &format!("cat >/dev/null; echo '{plan}'"));
    project.configure(&format!(
        "[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    id
}

/// A tool that answers. That its task is under way is recorded before; with a key, asking again
/// neither records it twice nor runs the tool again once its result is there.
pub fn step(project: &Project) -> Vec<String> {
    let id = stepping(project, r#"{"name":"use_tool","args":{"tool":"t"}}"#);
    let script = project.script("tool", "cat >/dev/null; echo '{\"found\":7}'");
    project.configure(&format!(
        "[tools.t]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    words(&["step", "--goal", &id, "--key", "k"])
}

/// A question that waits.
pub fn answer(project: &Project) -> Vec<String> {
    stepping(project, r#"{"name":"gather_info","args":{"key":"city"}}"#);
    project.run(&["step"]).ok();
    let asked = project.last_event();
    let question = asked["questionId"].as_str().unwrap();
    words(&["answer", question, "Paris", "--key", "k"])
}

/// A goal with one task; its id.
fn stepping(project: &Project, pred: &str) -> String {
    let id = project.set("kept");
    let task = format!(r#"[{{"title":"t","pred":{pred}}}]"#);
    project.call(&["task", "set", "-"]).stdin(&task).run().ok();
    id
}

/// A loop at its maximum whose rule fails: run, judged, ended and its task blocked in one write.
pub fn iterate_validate(project: &Project) -> Vec<String> {
    let id = stepping(project, r#"{"name":"execute"}"#);
    checking(project, "exit 1");
    let start = ["iterate", "start", "--task", "1", "--rule", "c"];
    project
        .run(&[&start[..], &["--max-iterations", "1"]].concat())
        .ok();
    project.run(&["iterate", "next", "--learned", "l"]).ok();
    words(&["iterate", "validate", "--goal", &id, "--key", "k"])
}

/// A check that passes. With a key: asking again neither records it twice nor runs it again.
pub fn check(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    checking(project, "exit 0");
    words(&["check", "c", "--goal", &id, "--key", "k"])
}

/// The check `c` of the user's own.
fn checking(project: &Project, body: &str) {
    let script = project.script("check", body);
    project.configure(&format!(
        "[checks.c]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
}

/// A lease where there was none yet; asked again it is renewed. No event.
pub fn lease(project: &Project) -> Vec<String> {
    project.set("kept");
    let pid = std::process::id().to_string();
    words(&["lease", "acquire", "--session", "s", "--pid", &pid])
}

/// A plan, half of it done: several events in one write.
pub fn task_set(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    let plan = project.aside.join("PLAN.md");
    fs::write(
        &plan,
        "- [x] done\n- [ ] to do\n  - [x] this\n  - [ ] that\n",
    )
    .unwrap();
    words(&["task", "set", plan.as_str(), "--goal", &id, "--key", "k"])
}

/// A child that takes another goal's place: creation, link and pause in one write.
pub fn delegate(project: &Project) -> Vec<String> {
    project.configure("[owners]\nslots = 1\n");
    let id = project.set("kept");
    project
        .run(&["set", "gives way", "--owner", "ben", "--priority", "0.1"])
        .ok();
    words(&[
        "delegate",
        "attempted",
        "--to",
        "ben",
        "--goal",
        &id,
        "--key",
        "k",
    ])
}

/// A record that goes over the user's limit: it and the pause in one write.
pub fn usage_over_budget(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.run(&["budget", "--max-llm-calls", "1"]).ok();
    project.set("focused");
    words(&[
        "usage",
        "add",
        "--counter",
        "llmCalls=2",
        "--goal",
        &id,
        "--key",
        "k",
    ])
}

/// An auditor that approves. Without a key: asking again after an interruption is a new request.
pub fn complete(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    project.auditor(auditor::APPROVE);
    words(&["complete", "--goal", &id, "--auditor-timeout", "30"])
}

/// A host reports a stop of which it names the turn: reported again, it is the same stop. Its
/// session has a focus of its own, which a goal that is set besides does not move.
pub fn hook_stop(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    let focus = ["focus", "--goal", &id, "--session", "s"];
    project.run(&focus).ok();
    let input = format!(
        r#"{{"session_id":"s","turn_id":"t","cwd":"{}"}}"#,
        project.root
    );
    fs::write(project.aside.join(INPUT), input).unwrap();
    words(&["hook", "stop", "--host", "codex"])
}

/// What the command reads, beside the project; nothing without it.
const INPUT: &str = "input";

/// A prepared project, its bytes, and what the command appends when nothing goes wrong.
#[derive(Debug)]
pub struct Scene {
    pub project: Project,
    /// The command with its arguments; prints JSON.
    pub args: Vec<String>,
    /// The ledger before the fault.
    pub before: Vec<u8>,
    /// Types of the events that the command appends, in order.
    pub attempted: Vec<String>,
    saved: Saved,
}

impl Scene {
    pub fn new(prepare: Prepare) -> Scene {
        Scene::of(Project::new(), prepare)
    }

    /// In a project that is there already, in a place of its own.
    pub fn of(project: Project, prepare: impl FnOnce(&Project) -> Vec<String>) -> Scene {
        let mut args = prepare(&project);
        args.push("--json".into());
        let before = project.ledger();
        let mut saved = BTreeMap::new();
        for place in places(&project) {
            save(&place, &mut saved);
        }
        let mut scene = Scene {
            project,
            args,
            before,
            attempted: Vec::new(),
            saved,
        };
        let ran = scene.run();
        assert!(ran.did(), "{ran}");
        scene.attempted = event_types(&scene.project.ledger()[scene.before.len()..]);
        scene.restore();
        scene
    }

    pub fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    /// Runs the command without a fault.
    pub fn run(&self) -> Ran {
        let input = fs::read_to_string(self.input()).unwrap_or_default();
        self.project.call(&self.args()).stdin(&input).run()
    }

    /// The file that holds what the command reads, if it reads anything.
    pub fn input(&self) -> Utf8PathBuf {
        self.project.aside.join(INPUT)
    }

    /// Whether the command audits, in a process of its own.
    pub fn audits(&self) -> bool {
        self.attempted.iter().any(|name| name == "goal_completed")
    }

    /// Puts project and state directory back as they were.
    pub fn restore(&self) {
        for place in places(&self.project) {
            if place.exists() {
                fs::remove_dir_all(place).unwrap();
            }
        }
        for (path, (bytes, mode)) in &self.saved {
            match bytes {
                None => fs::create_dir_all(path).unwrap(),
                Some(bytes) => fs::write(path, bytes).unwrap(),
            }
            fs::set_permissions(path, mode.clone()).unwrap();
        }
    }
}

/// Where the program writes.
fn places(project: &Project) -> [Utf8PathBuf; 2] {
    [
        project.root.join(".pi"),
        project.aside.join("home/state/goal"),
    ]
}

/// What lies somewhere: a file's bytes or nothing for a directory, with its mode.
type Saved = BTreeMap<Utf8PathBuf, (Option<Vec<u8>>, Permissions)>;

fn save(path: &Utf8Path, into: &mut Saved) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    let bytes = found.is_file().then(|| fs::read(path).unwrap());
    into.insert(path.to_owned(), (bytes, found.permissions()));
    if !found.is_dir() {
        return;
    }
    for entry in path.read_dir_utf8().unwrap() {
        save(entry.unwrap().path(), into);
    }
}

/// The documents of a project, archived ones too.
pub fn documents(project: &Project) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    for dir in [project.goals(""), project.goals("archived")] {
        let Ok(entries) = dir.read_dir_utf8() else {
            continue;
        };
        let paths = entries.map(|entry| entry.unwrap().into_path());
        found.extend(paths.filter(|path| path.extension() == Some("md")));
    }
    found
}
