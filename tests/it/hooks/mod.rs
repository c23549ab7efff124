//! Hooks of agent hosts: each event of each host as it was recorded, and what the contract says of
//! failures, repetitions and turns in vain.

mod acts;
mod contract;
mod dialects;
mod holding;
mod knowing;
mod naming;
mod news;
mod restart;
mod stops;
mod together;
mod usage;

use std::fs;

use crate::support::{Project, Ran};

const HOSTS: [&str; 5] = ["claude", "codex", "gemini", "cursor", "copilot"];

/// The session of a host's recorded inputs.
fn session(host: &str) -> &'static str {
    match host {
        "claude" => "5f0e2c1a-host",
        "codex" => "01a2-host",
        "gemini" => "g-host",
        "copilot" => "cp-host",
        _ => "c-host",
    }
}

impl Project {
    /// A project with a goal that the sessions of all hosts hold, since each was focused on it.
    fn held(objective: &str) -> (Project, String) {
        let (project, id) = Project::with_goal(objective);
        project.hosts_focus(&id);
        (project, id)
    }

    /// The sessions of all hosts are focused on this goal.
    pub fn hosts_focus(&self, id: &str) {
        for host in HOSTS {
            let focus = ["focus", "--goal", id, "--session", session(host)];
            self.run(&focus).ok();
        }
    }

    /// A hook of `host`, fed with the recorded input of this name.
    pub fn hook(&self, host: &str, recorded: &str) -> Ran {
        self.hook_with(host, recorded, |input| input)
    }

    /// The same with an input that was changed first.
    fn hook_with(&self, host: &str, recorded: &str, change: impl Fn(String) -> String) -> Ran {
        let input = change(self.recorded(host, recorded));
        self.call(&["hook", event(recorded), "--host", host])
            .without("GOAL_ACTOR")
            .stdin(&input)
            .run()
    }

    /// A recorded input, with this project's root in it.
    fn recorded(&self, host: &str, name: &str) -> String {
        let path = format!(
            "{}/fixtures/hooks/{host}/{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        text.replace("$ROOT", self.root.as_str())
    }

    /// What a host's transcript does between two stops.
    fn transcript_grows(&self) {
        let path = self.root.join("transcript.jsonl");
        let text = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, text + "{}\n").unwrap();
    }

    pub fn count(&self, name: &str) -> usize {
        self.events_of_type(name).len()
    }
}

/// The event that a recorded input is of.
fn event(recorded: &str) -> &str {
    match recorded {
        "session-start-compact" => "session-start",
        "stop-again" => "stop",
        name => name,
    }
}

/// It said nothing to the host.
#[track_caller]
fn silent(ran: Ran) {
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.stdout, "", "{ran}");
}
