//! What waits for the person: `goal inbox`, `goal answer`, and what agents and hosts are told of it.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, Ran};
use crate::terminal::at_terminal_of;

/// The whole of a text without ids and ages, which differ from run to run.
fn plain(ran: &Ran, ids: &[(&str, &str)]) -> String {
    let mut text = ran.stdout.clone();
    for (id, name) in ids {
        text = text.replace(id, name);
    }
    text
}

fn needs(project: &Project) -> Vec<Value> {
    let inbox = project.run(&["inbox", "--json"]).ok().data();
    let needs = inbox["needs"].as_array().unwrap().clone();
    assert_eq!(inbox["waiting"], needs.len());
    needs
}

/// What waits, in the words of its kind.
fn kinds(project: &Project) -> Vec<String> {
    let needs = needs(project).into_iter();
    needs
        .map(|it| it["kind"].as_str().unwrap().to_owned())
        .collect()
}

fn asked(project: &Project) -> String {
    let ask = [
        "ask",
        "Which one?",
        "--suggest",
        "the live one",
        "--suggest",
        "none",
    ];
    project.run_as_agent(&ask).ok();
    let asked = project.last_event();
    asked["questionId"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_waits_in_a_new_project() {
    let project = Project::new();
    assert_snapshot!(project.run(&["inbox"]).ok().stdout, @"Nothing needs you.");
    project.run(&["inbox", "--exit-status"]).ok();
    assert_eq!(project.run(&["inbox", "--count"]).ok().stdout, "0\n");
}

#[test]
fn everything_is_listed_with_the_command_that_settles_it() {
    let (project, id) = Project::with_goal("Migrate to UUIDv7");
    let ask = [
        "ask",
        "Which one?",
        "--suggest",
        "the live one",
        "--suggest",
        "none",
    ];
    project.run(&ask).ok();
    let question = project.last_event()["questionId"]
        .as_str()
        .unwrap()
        .to_owned();
    project
        .run(&["ask", "May I delete them?", "--approval"])
        .ok();
    let approval = project.last_event()["questionId"]
        .as_str()
        .unwrap()
        .to_owned();
    project
        .run(&["block", "--reason", "no access to the database"])
        .ok();
    project.run(&["propose", "Split the billing module"]).ok();
    let draft = project.last_event()["draftId"].as_str().unwrap().to_owned();
    let ran = project.run(&["inbox"]).ok();
    let ids = [
        (&*id, "GOAL"),
        (&*question, "Q-1"),
        (&*approval, "Q-2"),
        (&*draft, "DRAFT"),
    ];
    assert_snapshot!(plain(&ran, &ids), @"
    question          Migrate to UUIDv7                                     just now
      Which one?
        1  the live one
        2  none
      goal answer Q-1 --pick N, or your own words

    approval          Migrate to UUIDv7                                     just now
      May I delete them?
      goal answer Q-2 yes  yes
      goal answer Q-2 no   no

    blocked           Migrate to UUIDv7                                     just now
      no access to the database
      goal resume --goal GOAL               go on
      goal abort --goal GOAL --reason TEXT  give it up

    proposal          Split the billing module                              just now
      a contract is proposed
      + objective: Split the billing module
      goal confirm DRAFT  agree
      goal reject DRAFT   refuse

    4 need you
    ");
    assert_eq!(
        kinds(&project),
        ["question", "approval", "blocked", "draft"]
    );
    assert_eq!(project.run(&["inbox", "--count"]).ok().stdout, "4\n");
    let waits = project.run(&["inbox", "--exit-status", "--json"]);
    assert_eq!(waits.exits(7).error_code(), "waiting");
    let silent = project.run(&["inbox", "--exit-status", "-q"]).exits(7);
    assert_eq!((&*silent.stdout, &*silent.stderr), ("", ""));
    let counted = project.run(&["inbox", "--exit-status", "-q", "--count"]);
    assert_eq!(counted.exits(7).stdout, "4\n");
    let of_questions = project.run(&["inbox", "--questions", "--count"]).ok();
    assert_eq!(of_questions.stdout, "2\n");
    let of_nobody = project.run(&["inbox", "--owner", "nobody", "--count"]).ok();
    assert_eq!(of_nobody.stdout, "0\n");
    let status = project.run(&["status"]).ok().stdout;
    assert!(status.ends_with("\n4 need you: `goal inbox`\n"), "{status}");
    let listed = project.run(&["list", "--json"]).ok().data();
    assert_eq!(listed["goals"][0]["standing"], "waiting");
}

#[test]
fn the_only_question_needs_no_id_and_suggestions_have_numbers() {
    let (project, _) = Project::with_goal("a");
    let question = asked(&project);
    project.run(&["answer", "--pick", "3"]).exits(2);
    project.run(&["answer", &question, "--pick", "1"]).ok();
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[0]["answer"], "the live one");
    project.run(&["answer", "again"]).exits(2);
    asked(&project);
    project.run(&["answer", "my own words"]).ok();
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[1]["answer"], "my own words");
    asked(&project);
    project.run_as_agent(&["ask", "May I?", "--approval"]).ok();
    project.run(&["answer", "yes"]).exits(2);
    let approval = project.last_event()["questionId"]
        .as_str()
        .unwrap()
        .to_owned();
    project.run(&["answer", &approval, "--pick", "2"]).ok();
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[2]["answer"], false);
    assert_eq!(kinds(&project), ["question"]);
}

#[test]
fn an_agent_that_asked_is_not_told_to_go_on_as_if_nothing_were_open() {
    let (project, goal) = Project::with_goal("Migrate to UUIDv7");
    let question = asked(&project);
    project.hosts_focus(&goal);
    for host in ["claude", "codex", "gemini"] {
        let told = project.hook(host, "stop").ok().json();
        let said = told["systemMessage"].as_str().unwrap();
        let expected = format!(
            "Goal `Migrate to UUIDv7` waits for your answer: Which one?\nAnswer with `goal answer {question} VALUE`."
        );
        assert_eq!(said, expected);
    }
    assert_eq!(project.count("goal_continued"), 0);
    for kind in ["active", "continue"] {
        let prompt = project.run_as_agent(&["prompt", kind]).ok().stdout;
        assert!(
            prompt.contains("The user was asked `Which one?`"),
            "{prompt}"
        );
    }
    let summary = project.run(&["summary"]).ok().stdout;
    assert!(
        summary.contains("### Asked of the user, and not answered yet"),
        "{summary}"
    );
    let next = project.run(&["next"]).ok().stdout;
    assert!(
        next.contains(&format!("`goal answer {question} VALUE`")),
        "{next}"
    );
    let got = project.run_as_agent(&["tool", "get_goal"]).ok().data();
    assert_eq!(got["goal"]["needs"][0]["kind"], "question");
    assert_eq!(got["goal"]["standing"], "waiting");
    // The first prompt tells all of the goal, each later one a line.
    project.hook("claude", "user-prompt-submit").ok();
    let spoke = project.hook("claude", "user-prompt-submit").ok().stdout;
    assert!(
        spoke.contains("waits for the user's answer to 1 question"),
        "{spoke}"
    );

    project.run(&["answer", "none"]).ok();
    let told = project.hook("claude", "stop").ok().stdout;
    assert!(told.contains("# Continue goal"), "{told}");
}

#[test]
fn it_waits_until_something_waits() {
    let (project, _) = Project::with_goal("a");
    assert_eq!(
        project
            .run(&["inbox", "--wait", "0", "--count"])
            .ok()
            .stdout,
        "0\n"
    );
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            project
                .run(&["inbox", "--wait", "60", "--json"])
                .ok()
                .data()
        });
        project.run_as_agent(&["ask", "Which?"]).ok();
        assert_eq!(waits.join().unwrap()["needs"][0]["kind"], "question");
    });
}

#[test]
fn with_and_without_what_is_saved_the_same_waits() {
    let project = Project::new();
    for number in 0..30 {
        let goal = project.set(&format!("goal {number}"));
        let reason = format!("reason {number}");
        if number % 3 == 0 {
            project
                .run(&["block", "--goal", &goal, "--reason", &reason])
                .ok();
        }
    }
    for number in 0..400 {
        project.run(&["note", &format!("note {number}")]).ok();
    }
    project.run(&["list"]).ok();
    let saved = project.run(&["inbox", "--json"]).ok().data();
    let whole = project.run(&["inbox", "--json", "--no-cache"]).ok().data();
    assert_eq!(saved, whole);
    assert_eq!(saved["waiting"], 10);
    assert_eq!(
        saved["standings"],
        json!({"blocked": 10, "live": 1, "quiet": 19})
    );
}

#[test]
fn the_picker_answers_and_shows_the_command() {
    let (project, _) = Project::with_goal("Migrate to UUIDv7");
    let question = asked(&project);
    let typed = [("esc: leave", "\r"), ("What now?", "\u{1b}[B\u{1b}[B\r")];
    let (shown, status) = at_terminal_of(&project, &["inbox"], &typed, (24, 80));
    assert!(status.success(), "{shown}");
    assert!(
        shown.contains(&format!("$ goal answer {question} --pick 2")),
        "{shown}"
    );
    assert!(shown.contains("Nothing needs you."), "{shown}");
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[0]["answer"], "none");
    assert_eq!(answered[0]["by"], "user");
}

#[test]
fn the_picker_takes_words_and_changes_nothing_when_it_is_left() {
    let (project, _) = Project::with_goal("Migrate");
    asked(&project);
    let leave = [("esc: leave", "\u{1b}")];
    let (shown, status) = at_terminal_of(&project, &["inbox"], &leave, (24, 80));
    assert!(status.success(), "{shown}");
    assert_eq!(project.count("question_answered"), 0);
    let typed = [
        ("esc: leave", "\r"),
        ("What now?", "\u{1b}[A\r"),
        ("Text", "neither of them\r"),
    ];
    let (shown, status) = at_terminal_of(&project, &["inbox"], &typed, (24, 80));
    assert!(status.success(), "{shown}");
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[0]["answer"], "neither of them", "{shown}");
}

/// A key and the Enter that people type behind it: neither reaches the next list and acts there.
#[test]
fn an_enter_too_many_acts_on_no_other_goal() {
    let (project, blocked) = Project::with_goal("A");
    let block = ["block", "--goal", &blocked, "--reason", "x"];
    project.run_as_agent(&block).ok();
    project.run_as_agent(&["propose", "B"]).ok();
    let before = project.status(&blocked);
    let typed = [
        ("esc: leave", "\u{1b}[B\r"),
        ("What now?", "\u{1b}[B\r"),
        ("Confirm it?", "y\rn\r\r"),
        // Nothing fits what is typed; then the list of what waits shows the other goal.
        ("esc: leave", "n\r\r\u{15}\r"),
        ("What now?", "\r\r\u{1b}"),
        ("needs you", "\u{1b}"),
    ];
    let (shown, _) = at_terminal_of(&project, &["inbox"], &typed, (24, 80));
    assert_eq!(project.count("goal_created"), 2, "{shown}");
    assert_eq!(project.count("goal_resumed"), 0, "{shown}");
    assert_eq!(project.status(&blocked), before, "{shown}");
}

/// Forty columns and ten rows: no line is wider, and what is chosen is what stands there.
#[test]
fn the_picker_fits_a_small_terminal() {
    let project = Project::new();
    for number in 0..12 {
        let long = format!("{number} goal with a title that is far wider than forty columns are");
        let goal = project.set(&long);
        project
            .run(&["block", "--goal", &goal, "--reason", "r"])
            .ok();
    }
    let down = "\u{1b}[B".repeat(7) + "\r";
    let typed = [
        ("esc: leave", &*down),
        ("What now?", "\u{1b}[B\r"),
        ("11 need you", "\u{1b}"),
    ];
    let (shown, status) = at_terminal_of(&project, &["inbox"], &typed, (10, 40));
    assert!(status.success(), "{shown}");
    let picker = shown.split("What now?").next().unwrap();
    for line in anstream::adapter::strip_str(picker)
        .to_string()
        .split(['\n', '\r'])
    {
        // A command is never cut.
        if line.contains("goal abort") || line.contains("goal resume") {
            continue;
        }
        assert!(line.chars().count() <= 40, "{line:?}");
    }
    let resumed = project.events_of_type("goal_resumed");
    let goals = project.run(&["list", "--json"]).ok().data();
    let resumed_goal = goals["goals"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["goalId"] == resumed[0]["goalId"]);
    assert!(
        resumed_goal.unwrap()["objective"]
            .as_str()
            .unwrap()
            .starts_with("7 goal"),
        "{shown}"
    );
}

/// What an agent pauses waits for the user, who lifts it or lets it rest.
#[test]
fn an_agent_that_pauses_asks() {
    let (project, id) = Project::with_goal("Migrate to UUIDv7");
    let pause = ["pause", "--reason", "needs a decision: A or B?"];
    project
        .run_as_agent(&[&pause[..], &["--suggest", "say which"]].concat())
        .ok();
    let ran = project.run(&["inbox"]).ok();
    let text = plain(&ran, &[(&id, "GOAL")]);
    // Agents have a clock of their own in tests.
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("agent paused      Migrate"), "{first}");
    assert_snapshot!(rest, @"
      needs a decision: A or B? (suggested: say which)
      goal resume --goal GOAL               go on
      goal note --goal GOAL TEXT            note something first
      goal pause --goal GOAL --reason TEXT  let it rest

    1 needs you
    ");
    for command in ["status", "show"] {
        let shown = project.run(&[command]).ok().stdout;
        let (told, _) = shown
            .split_once("What happened last")
            .unwrap_or((&shown, ""));
        assert_eq!(told.matches("A or B?").count(), 1, "{shown}");
        assert!(
            told.contains("agent paused, `goal resume --goal"),
            "{shown}"
        );
    }
    let waits = project.run(&["inbox", "--exit-status", "--json"]);
    assert_eq!(waits.exits(7).error_code(), "waiting");
    let report = project.run(&["report"]).ok().stdout;
    assert!(
        report.contains("1 thing waits for you") && report.contains("A or B?"),
        "{report}"
    );
    let listed = project.run(&["list"]).ok().stdout;
    assert!(listed.contains("needs a decision: A or B?"), "{listed}");
    let listed = project.run(&["list", "--json"]).ok().data();
    assert_eq!(listed["goals"][0]["standing"], "waiting");
    assert_eq!(listed["goals"][0]["rests"], "needs a decision: A or B?");
    let status = project.run(&["status"]).ok().stdout;
    assert!(
        status.ends_with("\n1 needs you: `goal inbox`\n"),
        "{status}"
    );
    let next = project.run(&["next"]).ok().stdout;
    assert!(next.contains("waits for you"), "{next}");
    let got = project.run_as_agent(&["tool", "get_goal"]).ok().data();
    assert_eq!(got["goal"]["needs"][0]["kind"], "paused");
    let text = got["text"].as_str().unwrap();
    assert!(text.contains("It waits for the user"), "{text}");
    project.hosts_focus(&id);
    // The first prompt tells all of the goal, each later one a line.
    project.hook("claude", "user-prompt-submit").ok();
    let spoke = project.hook("claude", "user-prompt-submit").ok().stdout;
    assert!(
        spoke.contains("paused by an agent and waits for the user"),
        "{spoke}"
    );

    // An agent cannot lift it by pausing again, the user can.
    project.run_as_agent(&pause).exits(4);
    project.run(&["pause", "--reason", "not now"]).ok();
    assert!(needs(&project).is_empty());
    project.run(&["pause", "--reason", "not now"]).exits(4);
    let listed = project.run(&["list", "--json"]).ok().data();
    assert_eq!(listed["goals"][0]["standing"], "resting");
    project.run(&["resume", "--reason", "now"]).ok();
    assert!(needs(&project).is_empty());
    project.run_as_agent(&pause).ok();
    project.run(&["resume", "--reason", "B"]).ok();
    assert!(needs(&project).is_empty());
}

#[test]
fn an_agents_pause_needs_the_person_wherever_the_goal_is_shown() {
    let (project, id) = Project::with_goal("water the beans");
    let pause = ["pause", "--reason", "which bed is it?"];
    project.run_as_agent(&pause).ok();
    for command in ["status", "show"] {
        let shown = project.run(&[command]).ok().stdout;
        let asks = shown.lines().find(|line| line.contains("needs you"));
        let asks = asks.unwrap_or_else(|| panic!("{command}: {shown}"));
        let resume = format!("goal resume --goal {id}");
        assert!(asks.contains(&resume), "{command}: {shown}");
    }
    project.run(&["pause", "--reason", "later"]).ok();
    let shown = project.run(&["show"]).ok().stdout;
    assert!(!shown.contains("needs you"), "{shown}");
}
