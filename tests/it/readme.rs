//! What pages show is what a reader sees: the commands of their console blocks are run in order in a
//! new project, and what they print is compared with the page.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use camino::Utf8Path;
use regex::Regex;

use crate::docs::{page, pages, root, spans};
use crate::support::{Project, commands};

/// Commands of the README that no test runs: they build this repository, test it or install it.
const NOT_RUN: [&str; 8] = [
    "cargo run -- tour",
    "cargo test",
    "cargo install --path .",
    "packaging/build x86_64-unknown-linux-musl out",
    "packaging/checksums out && packaging/install.sh --from out",
    "npm install --global ./out/*.tgz",
    "apt install ./out/*.deb",
    "cargo doc --open -p goal-core",
];

/// Where the pages' project is.
const ROOT: &str = "/home/ann/parser";

/// A command of a console block, and what the page shows below it.
struct Step {
    command: String,
    shown: String,
}

/// The commands of all console blocks. The lines of a here-document belong to its command.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let mut lines = block.split("```").next().unwrap().lines();
        while let Some(line) = lines.next() {
            let Some(command) = line.strip_prefix("$ ") else {
                let step = steps.last_mut().unwrap();
                step.shown += &format!("{line}\n");
                continue;
            };
            let mut command = command.to_owned();
            while command.contains("<<'EOF'") && !command.ends_with("\nEOF") {
                command += &format!("\n{}", lines.next().unwrap());
            }
            steps.push(Step {
                command,
                shown: String::new(),
            });
        }
    }
    steps
}

/// What a command prints, as at a terminal, and its exit status. `last` is that of the command before.
fn run(project: &Project, command: &str, last: i32) -> (String, i32) {
    let pinned = project.call(&[]).command();
    let pinned = pinned
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let program = Utf8Path::new(env!("CARGO_BIN_EXE_goal")).parent().unwrap();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    let ran = Command::new("/bin/sh")
        .args(["-c", &format!("exec 2>&1\n(exit {last})\n{command}")])
        .current_dir(&project.root)
        .env_clear()
        .envs(pinned)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    (text, ran.status.code().unwrap())
}

/// A text without what differs from run to run: the project's path, ids and revisions.
fn normal(text: &str, root: &str) -> String {
    let mut text = text.replace(root, ROOT);
    for (varying, name) in [
        (r"\bm[0-9a-z]{7}-[0-9a-z]{6}\b", "GOAL"),
        (r"\b[0-9a-f]{32}\b", "ID"),
        (r"\b[0-9a-f]{8}…", "ID…"),
    ] {
        text = Regex::new(varying)
            .unwrap()
            .replace_all(&text, name)
            .into_owned();
    }
    text
}

/// Runs what the console blocks of a text show, in a new project, and compares.
fn hold(text: &str) {
    hold_in(&Project::new(), text);
}

fn hold_in(project: &Project, text: &str) {
    let mut status = 0;
    let mut ours = 0;
    for Step { command, shown } in steps(text) {
        let bare = command.split("  #").next().unwrap().trim_end();
        if NOT_RUN.contains(&bare) {
            assert_eq!(shown, "", "no test runs `{command}`");
            continue;
        }
        ours += usize::from(command.contains("goal "));
        let (printed, ended) = run(project, &command, status);
        status = ended;
        let root = project.root.as_str();
        let (printed, shown) = (normal(&printed, root), normal(&shown, root));
        assert_eq!(
            printed, shown,
            "left: what `{command}` prints; right: the page"
        );
    }
    assert!(ours > 0, "{text}");
}

#[test]
fn the_blocks_of_the_readme_do_what_they_show() {
    hold(&page("README.md"));
}

#[test]
fn the_blocks_of_other_pages_do_what_they_show() {
    hold(&page("docs/commands.md"));
    let hosts = page("docs/hosts/other.md");
    let section = hosts
        .split("\n## ")
        .find(|it| it.starts_with("Commands with"));
    hold(section.unwrap());
}

/// The blocks of this language in a text.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    text.split(&format!("```{language}\n"))
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

#[test]
fn the_plan_and_the_procedure_of_a_page_give_what_it_shows() {
    let text = page("docs/work.md");
    let project = Project::new();
    project.run(&["-q", "set", "Make it faster"]).ok();
    let written = blocks(&text, "markdown");
    fs::write(project.root.join("PLAN.md"), written[0]).unwrap();
    let procedures = project.goals("procedures");
    fs::create_dir_all(&procedures).unwrap();
    fs::write(procedures.join("train.md"), written[1]).unwrap();
    hold_in(&project, &text);
}

#[test]
fn the_checks_of_a_page_print_what_it_shows() {
    let project = Project::new();
    project.run(&["-q", "set", "Make it faster"]).ok();
    let fails = "echo 'test result: FAILED. 41 passed; 1 failed'; exit 101";
    for (name, command) in [("tests_pass", fails), ("lint_clean", "true")] {
        let key = format!("checks.{name}.command");
        project
            .run(&["config", "set", &key, "--", "sh", "-c", command])
            .ok();
    }
    hold_in(&project, &page("docs/runs.md"));
}

#[test]
fn a_block_that_shows_something_else_is_found() {
    let readme = page("README.md");
    for (shown, other) in [
        ("stays open.", "is complete."),
        ("  address its objections", "  read its objections"),
        ("## Usage\\n'", "## Use\\n'"),
        ("Complete: the auditor approved goal", "Approved goal"),
    ] {
        assert!(readme.contains(shown), "{shown}");
        let changed = readme.replace(shown, other);
        let held = std::panic::catch_unwind(|| hold(&changed));
        assert!(held.is_err(), "{other}");
    }
}

/// It is what a stranger reads first, so it grows only where something else goes.
#[test]
fn the_readme_is_short() {
    let words = page("README.md").split_whitespace().count();
    assert!(words <= 1300, "{words} words");
}

/// What begins like a command and is none: placeholders, and messages that a page quotes.
const NO_COMMAND: [&str; 5] = ["COMMAND", "help", "…", "was", "ended"];

/// The help of a command's part, such as `task add`; of the command where the word is none.
fn help_of(project: &Project, command: &str, part: &str) -> String {
    let of_part = project.run(&[command, part, "--help"]);
    if !part.is_empty() && of_part.success() {
        return of_part.stdout;
    }
    project.run(&[command, "--help"]).ok().stdout
}

#[test]
fn every_command_in_the_text_of_a_page_is_there() {
    let known = commands();
    let project = Project::new();
    let options = project.run(&["help", "options"]).ok().stdout;
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    for name in pages() {
        for span in spans(&page(&name)) {
            let Some(words) = span.strip_prefix("goal ") else {
                continue;
            };
            let words: Vec<&str> = words.split(' ').collect();
            let command = words[0];
            if NO_COMMAND.contains(&command) || command.starts_with('-') {
                continue;
            }
            if !known.iter().any(|it| it == command) {
                let of_a_feature = ["mcp", "watch"].contains(&command);
                assert!(of_a_feature, "{name}: `{span}`");
                continue;
            }
            let part = words.get(1).copied().unwrap_or_default();
            let help = helps
                .entry(format!("{command} {part}"))
                .or_insert_with(|| help_of(&project, command, part));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let there = help.contains(option) || options.contains(option);
                assert!(there, "{name}: `{span}` has no {option}");
            }
        }
    }
}

#[test]
fn what_is_not_run_is_known() {
    let readme = page("README.md");
    for command in NOT_RUN {
        assert!(readme.contains(command), "README.md has no `{command}`");
        let scripts = command.split(' ').filter(|it| it.starts_with("packaging/"));
        for script in scripts {
            assert!(root().join(script).exists(), "{script}");
        }
    }
    // Nothing else in the text looks like a command of a shell.
    let command = Regex::new(r"^(?:cargo|npm|npx|apt|pi|sh|packaging/\w+) ").unwrap();
    for span in spans(&readme).iter().filter(|span| command.is_match(span)) {
        assert!(NOT_RUN.contains(&span.as_str()), "`{span}`");
    }
}
