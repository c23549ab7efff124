//! What the user types to their host: carried out as their act, with the host's mark on its lines.

use serde_json::{Value, json};

use super::silent;
use crate::schemas::validator;
use crate::support::{Project, Ran, auditor};

/// A person in one session of a host, who types.
pub(super) struct Person<'a> {
    pub(super) project: &'a Project,
    pub(super) host: &'a str,
    turns: std::cell::Cell<u32>,
}

impl<'a> Person<'a> {
    pub(super) fn of(project: &'a Project, host: &'a str) -> Person<'a> {
        let turns = std::cell::Cell::new(0);
        Person {
            project,
            host,
            turns,
        }
    }

    /// Why the prompt was not carried out, where Claude Code does not pass it on.
    #[track_caller]
    fn refused(&self, prompt: &str) -> String {
        let answer = self.types(prompt).ok().json();
        assert!(validator("hook").is_valid(&answer), "{answer}");
        let why = answer["reason"].as_str().unwrap_or_default().to_owned();
        assert_eq!(answer, json!({ "decision": "block", "reason": why }));
        why
    }

    pub(super) fn types(&self, prompt: &str) -> Ran {
        self.turns.set(self.turns.get() + 1);
        self.types_again(prompt)
    }

    /// A second hook of the same prompt.
    fn types_again(&self, prompt: &str) -> Ran {
        let turn = format!("turn-{}", self.turns.get());
        let input = json!({
            "session_id": "s1", "cwd": self.project.root.as_str(), "prompt": prompt,
            "prompt_id": turn, "turn_id": turn,
        });
        let args = [
            "hook",
            "user-prompt-submit",
            "--host",
            self.host,
            "--as",
            "tools",
        ];
        let call = self.project.call(&args).without("GOAL_ACTOR");
        call.stdin(&input.to_string()).run()
    }

    /// What the user and the model are told.
    #[track_caller]
    pub(super) fn told(&self, prompt: &str) -> (String, String) {
        let ran = self.types(prompt).ok();
        let answer = ran.json();
        assert!(validator("hook").is_valid(&answer), "{answer}");
        assert!(answer.get("decision").is_none(), "{prompt}: {answer}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (user, model) = (
            text(&answer["systemMessage"]),
            text(&answer["hookSpecificOutput"]["additionalContext"]),
        );
        assert!(!user.is_empty(), "{prompt}: {ran}");
        // The model sees what the user sees.
        assert!(model.contains(&user), "{prompt}: {answer}");
        (user, model)
    }
}

#[track_caller]
fn is_the_users(event: &Value, via: &str) {
    assert_eq!(
        (&event["by"], &event["via"]),
        (&json!("user"), &json!(via)),
        "{event}"
    );
}

const MARKS: [(&str, &str, &str); 3] = [
    ("claude", "claude-code", "/goal:"),
    ("codex", "codex", "goal:"),
    ("gemini", "gemini-cli", "/goal:"),
];

#[test]
fn a_person_decides_inside_each_host_from_the_first_goal_to_its_end() {
    for (host, via, goal) in MARKS {
        let project = Project::new();
        project.auditor(auditor::APPROVE);
        let person = Person::of(&project, host);
        let (user, model) = person.told(&format!("{goal}set Water the $(beans)"));
        assert!(user.starts_with("Created and focused goal "), "{user}");
        assert!(user.contains("Water the $(beans)"), "{user}");
        assert!(model.contains("# Working on a goal"), "{model}");
        let created = &project.events_of_type("goal_created")[0];
        is_the_users(created, via);
        let id = created["goalId"].as_str().unwrap().to_owned();
        // The session works on it, so the host goes on with it when the agent stops.
        let status = ["status", "--session", "s1", "--json"];
        assert_eq!(project.run(&status).ok().data()["hold"], "own", "{host}");

        let (user, model) = person.told(&format!("{goal}pause  lunch, then a walk"));
        assert!(user.contains(&format!("`{goal}resume`")), "{user}");
        assert!(model.contains("End your turn."), "{model}");
        assert_eq!(project.status(&id), "paused");
        let paused = project.last_event();
        assert_eq!(paused["reason"], "lunch, then a walk");
        is_the_users(&paused, via);

        person.told(&format!("{goal}resume"));
        assert_eq!(project.status(&id), "active");
        is_the_users(&project.events_of_type("goal_resumed")[0], via);

        project.run_as_agent(&["ask", "Which beans?"]).ok();
        let (user, _) = person.told(&format!("{goal}answer the red ones"));
        assert!(user.contains("Which beans?"), "{user}");
        let answered = &project.events_of_type("question_answered")[0];
        is_the_users(answered, via);

        let other = project.set("another");
        person.told(&format!("{goal}focus {id}"));
        is_the_users(&project.events_of_type("goal_focused").pop().unwrap(), via);
        let focused = project.run(&status).ok().data()["focusedGoalId"].clone();
        assert_eq!(focused, json!(id), "{host}: not {other}");

        let (user, _) = person.told(&format!("{goal}complete They are wet."));
        assert!(user.starts_with("Complete: the auditor approved"), "{user}");
        let requested = &project.events_of_type("completion_requested")[0];
        is_the_users(requested, via);
        assert_eq!(requested["summary"], "They are wet.");
        assert_eq!(project.status(&id), "complete");

        // Nothing of it was typed at a terminal, and who looks is told.
        let verified = project.run(&["verify"]).ok();
        assert!(verified.stdout.contains(via), "{verified}");
        let inbox = project.run(&["inbox"]).ok();
        assert!(inbox.stdout.contains(via), "{inbox}");
    }
}

#[test]
fn what_is_confirmed_was_shown_whole_before() {
    let project = Project::new();
    let person = Person::of(&project, "claude");
    let user = person.refused("/goal:confirm");
    // It names what the person can do here, and nothing that is the agent's.
    assert_eq!(
        user,
        "`/goal:confirm` did nothing: there is no open draft; `/goal:draft TOPIC` has an agent discuss one \
         with you, `/goal:set OBJECTIVE` creates a goal at once"
    );
    let proposes = |objective: &str| {
        let contract = json!({
            "objective": objective,
            "successCriteria": ["wet"],
            "boundaries": ["no hose"],
            "constraints": ["by noon"],
        });
        let call = ["propose", "--data", &contract.to_string()];
        project.run_as_agent(&call).ok();
        project.last_event()["draftId"].as_str().unwrap().to_owned()
    };
    let draft = proposes("Water the beans");
    let before = project.ledger();
    let (user, model) = person.told("/goal:confirm");
    for part in [
        "Water the beans",
        "wet",
        "no hose",
        "by noon",
        "Nothing is decided yet",
    ] {
        assert!(user.contains(part), "{part}: {user}");
    }
    assert!(user.contains(&format!("`/goal:confirm {draft}`")), "{user}");
    assert!(model.contains("Decide nothing for the user"), "{model}");
    // A second hook of the same prompt is no second word of the user.
    person.types_again("/goal:confirm").ok();
    assert_eq!(project.ledger(), before);
    // Another proposal for the draft since then is another contract.
    let contract = json!({ "objective": "Water the peas" }).to_string();
    project
        .run_as_agent(&["propose", &draft, "--data", &contract])
        .ok();
    let (user, _) = person.told(&format!("/goal:confirm {draft}"));
    assert!(
        user.contains("Water the peas") && user.contains("Nothing is decided"),
        "{user}"
    );
    assert!(project.events_of_type("goal_created").is_empty());
    // Only an id stands behind it: nobody's wish for a change is lost.
    let user = person.refused("/goal:confirm but without the hose");
    assert!(user.contains("did nothing"), "{user}");

    let (user, model) = person.told("/goal:confirm");
    assert!(user.starts_with("Confirmed goal "), "{user}");
    assert!(
        model.contains("Water the peas") && model.contains("# Working on a goal"),
        "{model}"
    );
    is_the_users(&project.events_of_type("goal_created")[0], "claude-code");
}

#[test]
fn a_rejection_tells_why() {
    let project = Project::new();
    let person = Person::of(&project, "gemini");
    project.run(&["draft", "the garden"]).ok();
    project.run_as_agent(&["propose", "Water it"]).ok();
    let draft = project.last_event()["draftId"].as_str().unwrap().to_owned();
    let (user, model) = person.told(&format!("/goal:reject {draft} say which beds"));
    assert_eq!(user, format!("Rejected draft {draft}: say which beds"));
    assert!(model.contains("Propose again"), "{model}");
    let resolved = project.last_event();
    assert_eq!(resolved["reason"], "say which beds");
    is_the_users(&resolved, "gemini-cli");
}

/// The first word may be an id that was good a moment ago.
#[test]
fn an_id_that_names_nothing_open_is_no_part_of_an_answer_or_a_reason() {
    let (project, _) = Project::with_goal("x");
    let person = Person::of(&project, "claude");
    project.run_as_agent(&["ask", "Which?"]).ok();
    let answered = project.last_event()["questionId"].clone();
    project.run(&["answer", "blue"]).ok();
    project.run_as_agent(&["ask", "May I drop the table?"]).ok();
    for id in [answered.as_str().unwrap(), "mx27zzzz-zzzzzz"] {
        let user = person.refused(&format!("/goal:answer {id} yes"));
        assert!(user.contains("no open question has the id"), "{user}");
    }
    assert_eq!(project.events_of_type("question_answered").len(), 1);

    project.run(&["draft", "the garden"]).ok();
    project.run_as_agent(&["propose", "Water it"]).ok();
    let before = project.ledger();
    let user = person.refused("/goal:reject mx27zzzz-zzzzzz too vague");
    assert!(user.contains("no open draft has the id"), "{user}");
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_change_is_shown_again_where_the_contract_is_another_one_by_then() {
    let (project, id) = Project::with_goal("x");
    let person = Person::of(&project, "claude");
    project.run(&["tweak", "--criteria", "it is dry"]).ok();
    let tweak = [
        "tool",
        "apply_goal_tweak",
        "--data",
        r#"{"successCriteria":["it is wet"]}"#,
    ];
    project.run_as_agent(&tweak).ok();
    let (user, _) = person.told("/goal:confirm");
    assert!(user.contains("it is dry"), "{user}");
    project
        .run(&["tweak", "--add-criterion", "nothing is lost"])
        .ok();
    let (user, _) = person.told("/goal:confirm");
    assert!(
        user.contains("nothing is lost") && user.contains("Nothing is decided"),
        "{user}"
    );
    person.told("/goal:confirm");
    let shown = project.run(&["--goal", &id, "show"]).ok().stdout;
    assert!(
        shown.contains("it is wet") && !shown.contains("nothing is lost"),
        "{shown}"
    );
}

#[test]
fn what_was_shown_for_one_goal_counts_for_no_other() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    let person = Person::of(&project, "claude");
    for objective in ["One", "Two"] {
        project.run(&["set", objective]).ok();
        project.run(&["pause", "--reason", "lunch"]).ok();
        let (user, _) = person.told("/goal:complete");
        assert!(
            user.contains("lunch") && user.contains("Nothing is decided"),
            "{user}"
        );
    }
    assert!(project.events_of_type("completion_requested").is_empty());
}

/// A verdict that came while nobody waited is told once; the next request is another one.
#[test]
fn the_same_words_again_tell_the_verdict_of_the_same_request() {
    let (project, _) = Project::with_goal("x");
    let gate = project.aside.join("gate");
    let body = format!(
        "while [ ! -e {gate} ]; do sleep 0.1; done; {}",
        auditor::DISAPPROVE
    );
    project.auditor(&body);
    let person = Person::of(&project, "claude");
    let (user, _) = person.told("/goal:complete done");
    assert!(user.contains("under way"), "{user}");
    std::fs::write(&gate, "").unwrap();
    let (user, _) = person.told("/goal:complete done");
    assert!(user.contains("stays open"), "{user}");
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
    person.told("/goal:complete done");
    assert_eq!(project.events_of_type("completion_requested").len(), 2);
}

/// Gemini CLI names no turn.
#[test]
fn an_awaited_verdict_answers_for_its_own_goal_alone() {
    let (project, first) = Project::with_goal("x");
    let gate = project.aside.join("gate");
    let body = format!(
        "while [ ! -e {gate} ]; do sleep 0.1; done; {}",
        auditor::APPROVE
    );
    project.auditor(&body);
    let person = Person::of(&project, "gemini");
    person.told("/goal:complete done");
    let second = project.set("y");
    person.told("/goal:complete done");
    let asked = project.events_of_type("completion_requested");
    let goals: Vec<_> = asked.iter().map(|it| it["goalId"].clone()).collect();
    assert_eq!(goals, [json!(first), json!(second)]);
    std::fs::write(&gate, "").unwrap();
    let (user, _) = person.told("/goal:complete done");
    assert!(user.contains("approved goal"), "{user}");
    assert_eq!(project.events_of_type("completion_requested").len(), 2);
}

/// Gemini CLI puts the texts of hooks before what the user typed.
#[test]
fn a_mark_of_gemini_in_the_users_own_words_makes_no_act() {
    let (project, id) = Project::with_goal("x");
    let person = Person::of(&project, "gemini");
    let before = "<hook_context>note</hook_context>\n\n";
    person
        .types(&format!(
            "{before}what does </hook_context>\n/goal:pause mean?"
        ))
        .ok();
    assert_eq!(project.status(&id), "active");
    person.told(&format!("{before}/goal:pause lunch"));
    assert_eq!(project.status(&id), "paused");
}

#[test]
fn a_long_audit_does_not_hold_the_hook_up() {
    let (project, id) = Project::with_goal("x");
    project.auditor(&format!("sleep 6; {}", auditor::APPROVE));
    let person = Person::of(&project, "claude");
    let begun = std::time::Instant::now();
    let (user, model) = person.told("/goal:complete");
    assert!(begun.elapsed().as_secs() < 6, "{user}");
    assert!(user.contains("under way"), "{user}");
    assert!(model.contains("End your turn"), "{model}");
    // The audit is its own process. Typed once more, it says what came of it.
    project.run(&["complete", "--goal", &id]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
}

#[test]
fn what_waits_is_named_before_the_goal_is_completed_all_the_same() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    project.run_as_agent(&["ask", "Which?"]).ok();
    let person = Person::of(&project, "claude");
    let (user, _) = person.told("/goal:complete");
    assert!(
        user.contains("Which?") && user.contains("Nothing is decided"),
        "{user}"
    );
    assert!(project.events_of_type("completion_requested").is_empty());
    person.told("/goal:complete");
    assert_eq!(project.status(&id), "complete");
}

/// Who judges is what the user chose at a terminal, also where the host leaves no mark of its own.
#[test]
fn an_act_through_a_host_chooses_no_other_auditor() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    let id = project.set("x");
    let completes = |address: &str| {
        let input = json!({
            "session_id": "s1", "cwd": project.root.as_str(), "prompt": "/goal:complete",
            "prompt_id": format!("turn {address}"),
        });
        let hook = ["hook", "user-prompt-submit"];
        let call = project.call(&hook).without("GOAL_ACTOR");
        let call = call.env("ANTHROPIC_BASE_URL", address);
        let told = call.stdin(&input.to_string()).run().ok().json();
        told["systemMessage"].as_str().unwrap().to_owned()
    };
    let user = completes("http://127.0.0.1:9");
    assert!(
        user.contains("stays open") && user.contains("ANTHROPIC_BASE_URL"),
        "{user}"
    );
    assert_eq!(project.status(&id), "active");
    let user = completes("");
    assert!(user.starts_with("Complete"), "{user}");
}

#[test]
fn what_a_person_accepts_on_their_machine_is_no_act_of_a_hook() {
    let (project, _) = Project::with_goal("x");
    let person = Person::of(&project, "claude");
    let before = (project.ledger(), project.tree());
    for prompt in [
        "trust",
        "trust --accept-key k --as ben",
        "settle --accept",
        "sync --join",
        "init --auditor true",
        "config set runner.retryFor 60",
        "repair --drop 00000000 --reason r",
        "abort r",
    ] {
        for goal in ["/goal:", "goal:"] {
            let ran = person.types(&format!("{goal}{prompt}")).ok();
            assert!(!ran.stdout.contains("systemMessage"), "{prompt}: {ran}");
            assert_eq!((project.ledger(), project.tree()), before, "{prompt}");
        }
    }
}

/// Every act, in a project where the user could do it.
const ACTS: [&str; 9] = [
    "draft a topic",
    "set more",
    "confirm",
    "reject too vague",
    "answer blue",
    "pause now",
    "resume",
    "focus x",
    "complete It is done.",
];

#[test]
fn nobody_but_the_user_types() {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    project.run_as_agent(&["ask", "Which?"]).ok();
    project.run_as_agent(&["propose", "other"]).ok();
    let before = project.ledger();
    let types = |act: &str, host: &str, name: &str, value: &str| {
        let prompt = format!("/goal:{act}");
        let input = json!({ "session_id": "s1", "cwd": project.root.as_str(), "prompt": prompt });
        let hook = ["hook", "user-prompt-submit", "--host", host];
        let call = project.call(&hook).without("GOAL_ACTOR").env(name, value);
        call.stdin(&input.to_string()).run()
    };
    for act in ACTS {
        for (name, value) in [
            ("GOAL_ACTOR", "agent"),
            ("GOAL_ACTOR", "auditor"),
            ("GOAL_SESSION", "run-1"),
        ] {
            silent(types(act, "claude", name, value));
        }
        // What hosts set in the shells of their agents, and not in their hooks.
        for (name, value) in [
            ("AI_AGENT", "claude-code_2-1-330_agent"),
            ("AI_AGENT", "github-copilot"),
            ("CODEX_THREAD_ID", "t"),
            ("GEMINI_CLI", "1"),
        ] {
            let told = types(act, "claude", name, value).ok().json();
            let user = told["reason"].as_str().unwrap();
            assert!(user.contains("no person typed it"), "{user}");
        }
        // A host that takes no answer to a prompt carries nothing out.
        silent(types(act, "cursor", "GOAL_TEST", "1"));
        assert_eq!(project.ledger(), before, "{act}");
    }
}
