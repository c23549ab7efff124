//! Goals, drafts, questions and tasks that are named by words of their titles.

use crate::support::Project;

#[test]
fn a_goal_is_named_by_words_and_the_act_says_which_one() {
    let project = Project::new();
    let rotate = project.set("Rotate the auth token");
    project.set("Write auth docs");
    let ran = project
        .run(&["abort", "--goal", "ROTATE token", "--reason", "r"])
        .ok();
    assert!(
        ran.stderr.contains(&format!(
            "`ROTATE token` is goal {rotate}: Rotate the auth token"
        )),
        "{ran}"
    );
    assert_eq!(project.last_event()["goalId"], rotate.as_str());
    // The open one is meant where an ended one fits too.
    let shown = project.run(&["show", "auth", "--json"]).ok().data();
    assert_eq!(shown["goal"]["objective"], "Write auth docs");
    project.set("Test the auth flow");
    let refused = project.run(&["pause", "--goal", "auth", "--reason", "r"]);
    assert_eq!(refused.code, Some(3), "{refused}");
    assert!(
        refused.stderr.contains("Write auth docs") && refused.stderr.contains("Test the auth flow"),
        "{refused}"
    );
    assert_eq!(project.count("goal_paused"), 0);
}

#[test]
fn what_the_caller_expects_is_named_by_its_id_alone() {
    let project = Project::new();
    project.set("Rotate the auth token");
    let refused = project.run(&["note", "n", "--expect-goal", "auth token"]);
    assert_eq!(refused.code, Some(3), "{refused}");
}

#[test]
fn a_task_is_named_by_words_and_a_number_never_is() {
    let (project, _) = Project::with_goal("x");
    for title in ["Write 7 tests", "Write docs", "Ship"] {
        project.run(&["task", "add", title]).ok();
    }
    project.run(&["task", "complete", "tests"]).ok();
    assert_eq!(project.last_event()["taskId"], "1");
    for unclear in ["7", "write"] {
        let refused = project.run(&["task", "complete", unclear]);
        assert_eq!(refused.code, Some(3), "{refused}");
    }
    assert_eq!(project.count("task_complete"), 1);
}

#[test]
fn a_draft_is_named_by_words_of_its_topic() {
    let project = Project::new();
    for topic in ["Slow tests", "Slow builds"] {
        let draft = project.run(&["draft", topic, "--json"]).ok().data();
        let id = draft["draftId"].as_str().unwrap().to_owned();
        project.run_as_agent(&["propose", &id, topic]).ok();
    }
    let refused = project.run(&["confirm", "slow"]);
    assert_eq!(refused.code, Some(3), "{refused}");
    assert!(refused.stderr.contains("Slow builds"), "{refused}");
    // Nobody sees here what they would agree to, and the words may be another draft's by now.
    let unseen = project.run(&["confirm", "builds", "--json"]).exits(2);
    assert_eq!(unseen.error_code(), "draft_required");
    let shown = project.run(&["draft", "--list", "--json"]).ok().data();
    let drafts = shown["drafts"].as_array().unwrap();
    let builds = drafts
        .iter()
        .find(|it| it["topic"] == "Slow builds")
        .unwrap();
    project
        .run(&["confirm", builds["draftId"].as_str().unwrap()])
        .ok();
    assert_eq!(
        project.events_of_type("goal_created")[0]["objective"],
        "Slow builds"
    );
    let ran = project.run(&["reject", "tests"]).ok();
    assert!(ran.stderr.contains("`tests` is draft"), "{ran}");
}

#[test]
fn a_question_is_named_by_its_words_or_its_goals() {
    let project = Project::new();
    for title in ["Migrate ids", "Deploy"] {
        let goal = project.set(title);
        project
            .run(&["ask", "Which database?", "--goal", &goal])
            .ok();
    }
    let refused = project.run(&["answer", "database", "the new one"]);
    assert_eq!(refused.code, Some(3), "{refused}");
    let ran = project
        .run(&["answer", "deploy database", "the new one"])
        .ok();
    assert!(ran.stderr.contains("Which database?"), "{ran}");
    assert_eq!(project.count("question_answered"), 1);
}

/// One letter can be written in several ways, and `ß` is `SS` in upper case.
#[test]
fn a_title_is_found_however_its_letters_are_written() {
    let project = Project::new();
    let street = project.set("Straße prüfen");
    let cafe = project.set("Caf\u{e9} öffnen");
    for (words, id) in [
        ("STRASSE", &street),
        ("Pru\u{308}fen", &street),
        ("cafe\u{301}", &cafe),
        ("CAFÉ", &cafe),
    ] {
        let shown = project.run(&["show", words, "--json"]).ok().data();
        assert_eq!(shown["goal"]["goalId"], **id, "{words}");
        let listed = project.run(&["list", words, "--json"]).ok().data();
        assert_eq!(listed["goals"][0]["goalId"], **id, "{words}");
    }
}
