//! What a shell completes, in the real shells: each reads the script and is asked for the words that
//! can follow. A shell that is not installed is passed over, and the test says so.

use std::process::{Command, Stdio};

use crate::support::Project;

/// A project with a goal, a task, a check, a draft and a question.
fn project() -> (Project, String) {
    let (project, goal) = Project::with_goal("Sort the seeds");
    project.run(&["task", "add", "Count them"]).ok();
    project.run(&["draft", "Fewer weeds"]).ok();
    project.run(&["ask", "Which bed?"]).ok();
    project
        .run(&["config", "set", "checks.dry.command", "true"])
        .ok();
    (project, goal)
}

/// What the program offers for these words, the last of which is being typed.
fn offered(project: &Project, words: &[&str]) -> Vec<String> {
    let at = words.len().to_string();
    let line = [&["--", "goal"], words].concat();
    let call = project.call(&line);
    let call = call
        .env("GOAL_COMPLETE", "zsh")
        .env("_CLAP_COMPLETE_INDEX", &at);
    let call = call.env("_CLAP_IFS", "\n");
    let ran = call.run().ok();
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn ids_are_offered_with_their_titles() {
    let (project, goal) = project();
    let asked = project.events_of_type("question_asked");
    let question = asked[0]["questionId"].as_str().unwrap();
    let drafts = project.run(&["draft", "--list", "--json"]).ok().json();
    let draft = drafts["data"]["drafts"][0]["draftId"].as_str();
    for (words, id, title) in [
        (&["show", ""][..], goal.as_str(), "Sort the seeds"),
        (&["note", "--goal", ""], &goal, "Sort the seeds"),
        (&["task", "complete", ""], "1", "Count them"),
        (&["answer", ""], question, "Which bed?"),
        (&["check", ""], "dry", "true"),
        (&["set", "x", "--check", ""], "dry", "true"),
        (&["confirm", ""], draft.unwrap(), "Fewer weeds"),
    ] {
        let offered = offered(&project, words);
        let found = offered.iter().find(|it| it.starts_with(id));
        let found = found.unwrap_or_else(|| panic!("{words:?}: {offered:?}"));
        assert!(found.contains(title), "{words:?}: {found}");
    }
}

#[test]
fn commands_that_people_type_come_first_and_the_others_once_they_are_meant() {
    let (project, _) = project();
    let all = offered(&project, &[""]);
    let has = |all: &[String], name: &str| all.iter().any(|it| it.split(':').next() == Some(name));
    assert!(has(&all, "set") && has(&all, "progress"), "{all:?}");
    assert!(!has(&all, "evaluate") && !has(&all, "__guard"), "{all:?}");
    let meant = offered(&project, &["eval"]);
    assert!(has(&meant, "evaluate"), "{meant:?}");
    assert!(has(&offered(&project, &["set", "--cri"]), "--criteria"));
}

/// Asks a shell that has read the script for what follows `goal show `.
#[track_caller]
fn in_shell(shell: &str, ask: &str) {
    let there = Command::new(shell)
        .args(["-c", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if there.is_err() {
        eprintln!("passed over: {shell} is not installed");
        return;
    }
    let (project, goal) = project();
    let script = project.run(&["completions", shell]).ok().stdout;
    let file = project.aside.join("script");
    std::fs::write(&file, script).unwrap();
    let program = camino::Utf8Path::new(env!("CARGO_BIN_EXE_goal"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap());
    let mut command = project.call(&[]).command();
    let environment: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    command = Command::new(shell);
    let ran = command
        .env_clear()
        .envs(environment)
        .env("PATH", path)
        .env("SCRIPT", file.as_str())
        .current_dir(&project.root)
        .args(["-c", ask])
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert!(shown.contains(&goal), "{shell}: {shown}\n{ran:?}");
}

#[test]
fn bash_completes() {
    in_shell(
        "bash",
        "source $SCRIPT; COMP_WORDS=(goal show ''); COMP_CWORD=2; COMP_TYPE=9; \
         _clap_complete_goal goal '' show; printf '%s\\n' \"${COMPREPLY[@]}\"",
    );
}

#[test]
fn fish_completes() {
    in_shell("fish", "source $SCRIPT; complete -C 'goal show '");
}

#[test]
fn zsh_completes() {
    // zsh has its completion only where a line is edited: what it would insert is taken from it.
    in_shell(
        "zsh",
        "compdef() { :; }; source $SCRIPT; words=(goal show ''); CURRENT=3; \
         _describe() { local name=${@[-1]}; print -l ${(P)name}; }; _clap_dynamic_completer_goal",
    );
}
