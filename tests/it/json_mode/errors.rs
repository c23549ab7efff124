//! Every error that a caller can cause, each with a way to cause it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::{document, iterations, owners, progress, runs, tasks};
use crate::schemas::printed;
use crate::seals::imitated;
use crate::support::lock::Held;
use crate::support::{Project, Ran, auditor};

/// Brings a project to where the call that follows is refused with this code.
pub type Provoke = fn(&Project) -> Ran;

const NOTE: &[&str] = &["note", "n", "--json"];

pub fn with_goal(project: &Project) -> String {
    project.set("x")
}

/// Leaves two changes of the contract that knew nothing of each other.
fn contest(project: &Project) {
    let tweak = |objective: &'static str| {
        move |project: &Project| {
            project.run(&["tweak", "--objective", objective]).ok();
        }
    };
    project.beside(tweak("one way"), tweak("another way"));
}

fn append(project: &Project, line: &str) {
    let ledger = String::from_utf8(project.ledger()).unwrap();
    project.put_ledger(format!("{ledger}{line}\n"));
}

fn document_of(project: &Project) -> PathBuf {
    let entries = fs::read_dir(project.goals("")).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    paths
        .find(|path| path.extension().is_some_and(|it| it == "md"))
        .unwrap()
}

const ERRORS: &[(&str, Provoke)] = &[
    ("usage", |project| project.run(&["fail", "--json"])),
    ("no_focus", |project| project.run(NOTE)),
    ("unknown_goal", |project| {
        project.run(&["show", "zzz", "--json"])
    }),
    ("unknown_tool", |project| project.run(&["tool", "zzz"])),
    ("wrong_tool", |project| {
        project.run(&["tool", "update_goal", "--data", r#"{"status":"paused"}"#])
    }),
    ("human_owned", |project| {
        project.run_as_agent(&["set", "x", "--json"])
    }),
    ("auditor_read_only", |project| {
        let call = project.call(&["set", "x", "--json"]);
        call.env("GOAL_ACTOR", "auditor").run()
    }),
    ("ambiguous_goal", |project| {
        with_goal(project);
        with_goal(project);
        project.run(&["show", "x", "--json"])
    }),
    ("already", |project| {
        with_goal(project);
        project.run(&["resume", "--json"])
    }),
    ("goal_closed", |project| {
        let goal = with_goal(project);
        project.run(&["abort", "--reason", "r"]).ok();
        project.run(&["note", "n", "--goal", &goal, "--json"])
    }),
    ("not_focused", |project| {
        let goal = with_goal(project);
        with_goal(project);
        project.run_as_agent(&["note", "n", "--goal", &goal, "--json"])
    }),
    ("stale", |project| {
        with_goal(project);
        project.run(&["note", "n", "--json", "--expect", &"0".repeat(32)])
    }),
    ("unfinished_merge", |project| {
        with_goal(project);
        append(project, "<<<<<<< HEAD");
        project.run(NOTE)
    }),
    ("turn_stopped", |project| {
        with_goal(project);
        let turn = ["--session", "s", "--turn", "t", "--json"];
        let pause = ["tool", "pause_goal", "--data", r#"{"reason":"r"}"#];
        project.run(&[&turn[..], &pause].concat()).ok();
        project.run_as_agent(&[&turn[..], &["note", "n"]].concat())
    }),
    ("already_planned", |project| {
        with_goal(project);
        project.run(&["task", "add", "t"]).ok();
        project.run(&["plan", "--json"])
    }),
    ("no_planner", |project| {
        with_goal(project);
        project.run(&["plan", "--json"])
    }),
    ("unknown_procedure", |project| {
        project.run(&["procedure", "show", "zzz", "--json"])
    }),
    ("unknown_question", |project| {
        project.run(&["answer", "q", "v", "--json"])
    }),
    ("ambiguous_question", |project| {
        with_goal(project);
        for question in ["which one?", "which other?"] {
            project.run(&["ask", question]).ok();
        }
        project.run(&["answer", "which", "v", "--json"])
    }),
    ("not_come", |project| {
        Project::set(project, "x");
        project.run(&[
            "wait", "--for", "x", "--until", "1s", "--json", "--on", "false",
        ])
    }),
    ("ambiguous_task", |project| {
        with_goal(project);
        for task in ["one task", "another task"] {
            project.run(&["task", "add", task]).ok();
        }
        project.run(&["task", "start", "task", "--json"])
    }),
    ("no_role", |project| {
        with_goal(project);
        project.run(&["interpret", "m", "--json"])
    }),
    ("role_failed", |project| {
        with_goal(project);
        project.configure("[interpreter]\ncommand = [\"cat\"]\n");
        project.run(&["interpret", "m", "--json"])
    }),
    ("step_running", |project| {
        let goal = with_goal(project);
        let path = project.goals(&format!(".locks/{goal}.step"));
        let _held = Held::at(&path).unwrap();
        project.run(&["step", "--json"])
    }),
    ("plan_running", |project| {
        let goal = with_goal(project);
        project.configure("[planner]\ncommand = [\"cat\"]\n");
        let path = project.goals(&format!(".locks/{goal}.plan"));
        let _held = Held::at(&path).unwrap();
        project.run(&["plan", "--lock-timeout", "0", "--json"])
    }),
    ("empty_field", |project| {
        project.run(&["set", " ", "--json"])
    }),
    ("invalid_field", |project| {
        project.run(&["set", "x", "--priority", "2", "--json"])
    }),
    ("secret", |project| {
        let secret = ["use ghp_", &"a1B2".repeat(9)].concat();
        project.run(&["set", &secret, "--json"])
    }),
    ("too_large", |project| {
        project.run(&["set", &"x".repeat(64 * 1024 + 1), "--json"])
    }),
    ("nothing_changes", |project| {
        with_goal(project);
        project.run(&["tweak", "--objective", "x", "--json"])
    }),
    ("no_draft", |project| project.run(&["confirm", "--json"])),
    ("nothing_to_withdraw", |project| {
        project.run(&["withdraw", "nosuch", "--json"])
    }),
    ("no_agenda", |project| {
        with_goal(project);
        project.run(&["agenda", "done", "1", "--json"])
    }),
    ("no_proposal", |project| {
        project.run(&["draft", "t"]).ok();
        let drafts = project.run(&["drafts", "--json"]).ok().data();
        let id = drafts["drafts"][0]["draftId"].as_str().unwrap().to_owned();
        project.run(&["confirm", &id, "--json"])
    }),
    ("ambiguous_draft", |project| {
        project.run(&["draft", "t"]).ok();
        project.run(&["draft", "u"]).ok();
        project.run(&["draft", "--cancel", "--json"])
    }),
    ("resting", |project| {
        with_goal(project);
        project.run(&["pause", "--reason", "r"]).ok();
        project.run_as_agent(&["evidence", "add", "k", "v", "--json"])
    }),
    ("draft_required", |project| {
        project.run_as_agent(&["propose", "x"]).ok();
        project.run(&["confirm", "--json"])
    }),
    ("expect_required", |project| {
        project.run(&["draft", "t"]).ok();
        project.run_as_agent(&["propose", "x"]).ok();
        project.run_as_agent(&["propose", "y"]).ok();
        let drafts = project.run(&["drafts", "--json"]).ok().data();
        let id = drafts["drafts"][0]["draftId"].as_str().unwrap().to_owned();
        project.run(&["confirm", &id, "--json"])
    }),
    ("proposal_waits", |project| {
        project.run(&["draft", "t"]).ok();
        project.run_as_agent(&["propose", "x"]).ok();
        let drafts = project.run(&["drafts", "--json"]).ok().data();
        let id = drafts["drafts"][0]["draftId"].as_str().unwrap().to_owned();
        project.run_as_agent(&["propose", &id, "y", "--session", "s", "--json"])
    }),
    ("mode_mismatch", |project| {
        project.run(&["draft", "t"]).ok();
        project.run(&["propose", "x", "--sisyphus", "--json"])
    }),
    ("tweak_open", |project| {
        with_goal(project);
        project.run(&["tweak"]).ok();
        project.run(&["tweak", "--json"])
    }),
    ("no_auditor", |project| {
        with_goal(project);
        project.run(&["complete", "--json"])
    }),
    ("no_evidence", |project| {
        project.auditor(auditor::APPROVE);
        project.run(&["set", "x", "--verification", "v"]).ok();
        project.run(&["complete", "--json"])
    }),
    ("nothing_to_settle", |project| {
        with_goal(project);
        project.run(&["settle", "--leave", "--json"])
    }),
    ("contested", |project| {
        with_goal(project);
        contest(project);
        project.run(&["complete", "--json"])
    }),
    ("no_choice", |project| {
        with_goal(project);
        contest(project);
        project.run(&["settle", "--take", "00000000", "--json"])
    }),
    ("tasks_open", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        project.run(&["task", "add", "one"]).ok();
        project.run(&["complete", "--json"])
    }),
    ("user_is_asked", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        project.run(&["ask", "Which one?"]).ok();
        project.run_as_agent(&["complete", "--json"])
    }),
    ("completion_not_approved", |project| {
        with_goal(project);
        project.auditor(auditor::DISAPPROVE);
        project.run(&["complete", "--json"])
    }),
    ("contract_unproven", |project| {
        let id = with_goal(project);
        project.auditor(auditor::APPROVE);
        let fields = format!(
            r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","objective":"less""#
        );
        project.append_line(&imitated(project, &fields));
        project.run(&["complete", "--json"])
    }),
    ("history_unproven", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        let before = project.ledger();
        project.run(&["note", "n"]).ok();
        project.put_ledger(before);
        project.run(&["complete", "--json"])
    }),
    ("key_unusable", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        fs::write(project.state().join("key"), "short").unwrap();
        project.run(&["complete", "--json"])
    }),
    ("awaits_signature", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        let gate = "[gate]\nrequire = \"signed\"\n";
        fs::write(project.goals("config.toml"), gate).unwrap();
        project.run(&["complete", "--json"])
    }),
    ("audit_pending", |project| {
        with_goal(project);
        project.auditor(auditor::WAIT_AND_APPROVE);
        let ran = project.run(&["complete", "--wait", "0", "--json"]);
        fs::write(project.aside.join("go"), "").unwrap();
        project.run(&["complete"]).ok();
        ran
    }),
    ("no_reviewer", |project| {
        with_goal(project);
        project.run(&["review", "--role", "risk", "--json"])
    }),
    ("review_failed", |project| {
        with_goal(project);
        project.reviewer("risk", auditor::EXIT_3);
        project.run(&["review", "--role", "risk", "--json"])
    }),
    ("no_verdict", |project| {
        project.auditor(auditor::NONE);
        project.run(&["auditor", "test", "--json"])
    }),
    ("config_invalid", |project| {
        with_goal(project);
        fs::write(project.goals("config.toml"), "[auditor]\ncommand = 3\n").unwrap();
        project.run(&["trust", "--json"])
    }),
    ("no_document", |project| {
        with_goal(project);
        fs::remove_file(document_of(project)).unwrap();
        project.run(&["tweak", "--from-document", "--json"])
    }),
    ("document_outdated", |project| {
        with_goal(project);
        let document = document_of(project);
        let older = fs::read_to_string(&document).unwrap();
        project.run(&["tweak", "--title", "t"]).ok();
        fs::write(&document, older).unwrap();
        project.run(&["tweak", "--from-document", "--json"])
    }),
    ("event_not_found", |project| {
        project.run(&["log", "--since", &"1".repeat(32), "--json"])
    }),
    ("findings", |project| {
        with_goal(project);
        append(project, "no JSON");
        project.run(&["verify", "--json"])
    }),
    ("waiting", |project| {
        with_goal(project);
        project.run(&["block", "--reason", "r"]).ok();
        project.run(&["inbox", "--exit-status", "--json"])
    }),
    ("difference", |project| {
        fs::write(project.root.join("golden.md"), "x").unwrap();
        project.run(&["summary", "--compare", "golden.md", "--json"])
    }),
    ("lease_held", |project| {
        let acquire = ["lease", "acquire", "--session", "s", "--pid", "1"];
        project.run(&["set", "x"]).ok();
        project.run(&acquire).ok();
        let other = ["lease", "acquire", "--session", "t", "--pid", "1", "--json"];
        project.run(&other)
    }),
    ("lease_lost", |project| {
        project.run(&["set", "x"]).ok();
        let renew = ["lease", "renew", "--session", "s", "--pid", "1", "--json"];
        project.run(&renew)
    }),
    ("lock_timeout", |project| {
        with_goal(project);
        let held = fs::File::open(project.goals("")).unwrap();
        fs2::FileExt::lock_exclusive(&held).unwrap();
        project.run(&["note", "n", "--lock-timeout", "0.05", "--json"])
    }),
    ("not_synced", |project| {
        project.git(&["init", "-q"]);
        with_goal(project);
        project.run(&["sync", "/nowhere", "--json"])
    }),
    ("store_refused", |project| {
        project.run(&["store", "push", "--json"])
    }),
    ("store_unreachable", |project| {
        project.run(&["list", "--store", "--json"])
    }),
    ("unsafe_path", |project| {
        fs::create_dir_all(project.goals("goal_events.jsonl")).unwrap();
        project.run(&["list", "--json"])
    }),
];

/// Codes that other suites cause, since it takes a system that fails, or another program at work.
const ELSEWHERE: &[(&str, &str)] = &[
    ("audit_running", "supervisor"),
    ("config_untrusted", "a user without a home"),
    (
        "id_taken",
        "two processes with the same pins at the same moment",
    ),
    ("interrupted", "supervisor"),
    ("io", "crash: full disks, missing permissions"),
    ("home_unresolved", "worktrees"),
    ("waits_here", "worktrees, in a sandbox"),
    ("no_work_tree", "worktrees"),
    ("ledger_missing", "place"),
    ("ledger_moved", "storm"),
    ("not_adopted", "legacy"),
    ("stopped_elsewhere", "legacy"),
    ("not_continued", "hooks, in the host's own words"),
    ("not_recorded", "crash: short writes"),
    ("not_taken_in", "sync, with the data of what came in"),
    ("plan_failed", "plans, with the data of what is recorded"),
    ("push_refused", "sync, with a remote that forbids it"),
    (
        "receipt_lost",
        "nothing but a disk that fails between two reads",
    ),
    ("not_runnable", "run, of all goals, while one is paused"),
    ("root_not_named", "place"),
    ("store_diverged", "stores"),
    ("store_failed", "stores, with a helper that fails"),
    ("store_left", "stores, with a second machine"),
    ("store_unknown", "stores"),
    ("tree_busy", "run, in a tree of its own"),
    ("tree_unfit", "run, in a tree of its own"),
    ("unrelated_ledger", "sync"),
    ("internal", "nothing that is known"),
];

/// Every family's errors that a caller can cause, with a way to cause them.
fn errors() -> impl Iterator<Item = &'static (&'static str, Provoke)> {
    let families = [
        ERRORS,
        tasks::ERRORS,
        iterations::ERRORS,
        progress::ERRORS,
        owners::ERRORS,
        runs::ERRORS,
    ];
    families.into_iter().flatten()
}

#[test]
fn every_error_is_one_document_with_its_code() {
    for (code, provoke) in errors() {
        let project = Project::new();
        let ran = provoke(&project);
        assert_eq!(document(&ran)["error"]["code"], *code, "{ran}");
        assert_eq!(ran.stderr, "", "{code}");
        let expects_data = matches!(ran.code, Some(6 | 7));
        assert_eq!(document(&ran)["data"].is_object(), expects_data, "{ran}");
    }
    let mut named: BTreeSet<&str> = errors().map(|(code, _)| *code).collect();
    named.extend(ELSEWHERE.iter().map(|(code, _)| *code));
    assert_eq!(
        named.len(),
        errors().count() + ELSEWHERE.len(),
        "a code stands twice"
    );
    let published = printed("errors");
    let published = published["anyOf"][0]["enum"].as_array().unwrap().iter();
    let published: BTreeSet<&str> = published.map(|code| code.as_str().unwrap()).collect();
    assert_eq!(named, published);
}
