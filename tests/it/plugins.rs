//! The plugins: the pages show what is in them, and what their commands name exists.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;

use crate::support::Project;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The texts of a plugin's commands, by their names.
fn commands(host: &str) -> BTreeMap<String, String> {
    let dir = root().join("packaging/plugins").join(host);
    let paths = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    paths
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn the_pages_show_the_files_of_the_plugins() {
    for (page, file) in [
        ("claude-code.md", "claude/hooks/hooks.json"),
        ("claude-code.md", "claude/.mcp.json"),
        ("other.md", "claude/.mcp.json"),
        ("codex.md", "codex/hooks/hooks.json"),
        ("gemini.md", "gemini/hooks/hooks.json"),
    ] {
        let block = format!("```json\n{}```", read(format!("packaging/plugins/{file}")));
        let text = read(format!("docs/hosts/{page}"));
        assert!(
            text.contains(&block),
            "docs/hosts/{page} lacks {file}:\n{block}"
        );
    }
    let servers =
        ["claude", "codex"].map(|host| read(format!("packaging/plugins/{host}/.mcp.json")));
    assert_eq!(servers[0], servers[1]);
}

#[test]
fn a_hook_of_a_plugin_is_one_that_the_program_answers() {
    let project = Project::new();
    let command = Regex::new(r#""command": "goal (hook [^"]*)""#).unwrap();
    for host in ["claude", "codex", "gemini"] {
        let hooks = read(format!("packaging/plugins/{host}/hooks/hooks.json"));
        let calls: Vec<&str> = command
            .captures_iter(&hooks)
            .map(|found| found.get(1).unwrap().as_str())
            .collect();
        assert_eq!(calls.len(), 3, "{hooks}");
        for call in calls {
            let words: Vec<&str> = call.split(' ').collect();
            let ran = project.call(&words).stdin("{}").run();
            assert!(ran.code != Some(2), "{call}: {ran}");
            // Without an option it is Claude Code's, or that of a host with its hooks.
            assert_eq!(words.contains(&host), host != "claude", "{call}");
        }
    }
}

#[test]
fn a_program_that_is_too_old_for_a_plugin_says_so_once() {
    let (project, _) = Project::with_goal("water the beans");
    let command = Regex::new(r#""command": "goal (hook [^"]*)""#).unwrap();
    for host in ["claude", "codex", "gemini"] {
        let hooks = read(format!("packaging/plugins/{host}/hooks/hooks.json"));
        let newer = hooks.replace("--needs 0.1.0", "--needs 99.0.0");
        let answers = command.captures_iter(&newer).map(|found| {
            let words: Vec<&str> = found[1].split(' ').collect();
            let ran = project.call(&words).stdin("{}").run().ok();
            ran.stdout
        });
        let answers: Vec<String> = answers.collect();
        let message: serde_json::Value = serde_json::from_str(&answers[0]).unwrap();
        let own = env!("CARGO_PKG_VERSION");
        assert_eq!(
            message["systemMessage"],
            format!(
                "goal is off in this session: the program is version {own}, and the hooks need \
                 99.0.0 or newer. Run this, then start again:\nnpm install --global goal-ledger"
            )
        );
        assert_eq!(answers[1..], ["", ""], "{host}");
    }
}

/// What belongs together is raised together: hooks, skills, and the extension of pi.
#[test]
fn every_part_for_a_host_names_the_same_version() {
    let needs = read(".pi/extensions/goal/version.ts");
    let needs = Regex::new(r#"NEEDS = "([^"]*)""#)
        .unwrap()
        .captures(&needs)
        .unwrap()[1]
        .to_owned();
    for host in ["claude", "codex", "gemini"] {
        let hooks = read(format!("packaging/plugins/{host}/hooks/hooks.json"));
        let named = hooks.matches(&format!("--needs {needs}\"")).count();
        assert_eq!(named, 3, "{hooks}");
    }
    for skill in fs::read_dir(root().join(".pi/skills")).unwrap() {
        let text = read(skill.unwrap().path().join("SKILL.md"));
        assert!(
            text.contains(&format!("version {needs} or newer")),
            "{text}"
        );
    }
}

#[test]
fn a_plugins_commands_name_what_is_there_and_are_the_same_in_each_host() {
    let (claude, gemini) = (
        commands("claude/commands"),
        commands("gemini/commands/goal"),
    );
    let names = |of: &BTreeMap<String, String>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&claude), names(&gemini));
    let tools = read("docs/tools.md");
    let project = Project::new();
    let tool = Regex::new("the tool `([a-z_]+)`").unwrap();
    let program = Regex::new(r"^!\W?goal ([a-z]+)").unwrap();
    let shell = Regex::new("!`([^`]*)`").unwrap();
    for (name, text) in &claude {
        let (_, body) = text.split_once("\n---\n").unwrap();
        for found in tool.captures_iter(text) {
            assert!(tools.contains(&found[1]), "{name}: {}", &found[1]);
        }
        for found in body.lines().filter_map(|line| program.captures(line)) {
            project.run(&[&found[1], "--help"]).ok();
            let allowed = format!("allowed-tools: Bash(goal {}:*)", &found[1]);
            assert!(text.contains(&allowed), "{name} lacks {allowed}");
        }
        // What Gemini CLI writes in another way.
        let expected = shell
            .replace_all(body, "!{$1}")
            .replace("$ARGUMENTS", "{{args}}");
        assert!(
            gemini[name].contains(expected.trim()),
            "{name}:\n{}",
            gemini[name]
        );
    }
}

#[test]
fn every_manifest_leaves_the_version_to_the_one_of_the_program() {
    for manifest in [
        "claude/.claude-plugin/plugin.json",
        "codex/.codex-plugin/plugin.json",
        "gemini/gemini-extension.json",
    ] {
        let text = read(format!("packaging/plugins/{manifest}"));
        assert!(text.contains("\"version\": \"0.0.0\""), "{manifest}");
        assert!(
            read("packaging/plugins/assemble").contains(manifest),
            "{manifest}"
        );
    }
}

/// What the plugin's status line says in a project.
fn status_line(project: &Project) -> String {
    let bin = project.aside.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("goal");
    if !program.exists() {
        symlink(env!("CARGO_BIN_EXE_goal"), &program).unwrap();
    }
    let call = project.call(&[]).command();
    let environment = call
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut child = Command::new(root().join("packaging/plugins/claude/status-line"))
        .env_clear()
        .envs(environment)
        .env("PATH", format!("{bin}:/usr/bin:/bin"))
        .current_dir(&project.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"session_id\": \"S1\"}").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_status_line_names_the_goal_of_the_session_and_how_it_stands() {
    assert_eq!(status_line(&Project::new()), "");
    let (project, _) = Project::with_goal("Count the samples");
    let line = status_line(&project);
    assert_eq!(line, "goal: ● active  Count the samples\n");
    project.run(&["pause", "--reason", "to see"]).ok();
    let line = status_line(&project);
    assert!(
        line.contains("paused") && line.contains("Count the samples"),
        "{line}"
    );
}
