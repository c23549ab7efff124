//! What an agent reads when an act is the user's, and what anybody reads who types another word for a
//! command: one file has all of it, `fixtures/refusals.txt`. `UPDATE_REFUSALS=1` writes it.

use std::fs;

use crate::actors::{USERS, project};
use crate::support::{Project, Ran};

const GOLDEN: &str = "fixtures/refusals.txt";
const OTHER_WORDS: &str = include_str!("../../src/cli/other_words.txt");

/// What was typed, the exit code and what was said, without what differs from run to run.
fn told(project: &Project, args: &[&str], ran: &Ran) -> String {
    let mut said = ran.stderr.replace(project.root.as_str(), "ROOT");
    for event in project.events() {
        for (key, name) in [
            ("goalId", "GOAL"),
            ("draftId", "DRAFT"),
            ("questionId", "QUESTION"),
        ] {
            if let Some(id) = event[key].as_str() {
                said = said.replace(id, name);
            }
        }
    }
    let exit = ran.code.unwrap();
    format!("$ goal {}\n{said}(exit {exit})\n", args.join(" "))
}

#[test]
fn what_refusals_and_redirects_say_is_on_file() {
    let mut text = String::new();
    for (before, args) in USERS {
        let project = project(before);
        let ran = project.run_as_agent(args);
        text += &format!("{}\n", told(&project, args, &ran));
    }
    let (project, _) = Project::with_goal("x");
    let words = OTHER_WORDS.lines().filter_map(|it| it.split_once(": "));
    for word in words.flat_map(|(words, _)| words.split(' ')) {
        // Behind a command there is a slash before it.
        let words: Vec<&str> = word.split('/').collect();
        let ran = project.run_as_agent(&words);
        text += &format!("{}\n", told(&project, &words, &ran));
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/refusals.txt");
    if std::env::var_os("UPDATE_REFUSALS").is_some() {
        fs::write(golden, &text).unwrap();
    }
    let kept = fs::read_to_string(golden).unwrap();
    let differs = kept
        .lines()
        .zip(text.lines())
        .find(|(kept, now)| kept != now);
    assert!(kept == text, "{GOLDEN} differs first at {differs:?}");
}
