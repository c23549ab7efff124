//! The plugins: the pages show what is in them, and what their commands name exists.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;

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

/// The hosts for which there are hooks to install.
const HOSTS: [&str; 4] = ["claude", "codex", "gemini", "copilot"];

fn hooks_file(host: &str) -> String {
    read(format!("packaging/plugins/{host}/hooks/hooks.json"))
}

/// The command lines of a host's hooks.
fn hook_lines(host: &str) -> Vec<String> {
    fn commands(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::Array(all) => all.iter().for_each(|it| commands(it, into)),
            Value::Object(fields) => {
                into.extend(
                    fields
                        .get("command")
                        .map(|it| it.as_str().unwrap().to_owned()),
                );
                fields.values().for_each(|it| commands(it, into));
            }
            _ => {}
        }
    }
    let mut lines = Vec::new();
    commands(
        &serde_json::from_str(&hooks_file(host)).unwrap(),
        &mut lines,
    );
    // Codex does not say that a session ended.
    let expected = if host == "codex" { 3 } else { 4 };
    assert_eq!(lines.len(), expected, "{lines:?}");
    lines
}

/// What installs the program before Cargo.toml names a repository; from then on it is npm.
const INSTALL: &str = match env!("CARGO_PKG_REPOSITORY").is_empty() {
    true => "cargo install --path . # in a checkout of goal",
    false => "npm install --global goal-ledger",
};

/// What the person is told when a session starts where the program is missing.
const MISSING: &str = "{ echo '{\"systemMessage\":\"goal is off in this session: the program goal is not on \
                       the PATH. Install it, in a checkout with Rust: cargo install --path .\"}'; exit 0; }";

/// What a line of a hook calls the program with. Where the program is missing it ends with 0; only what is
/// JSON reaches the host, so that another program of that name says nothing to a model.
fn words(line: &str) -> Vec<&str> {
    let absent = line.strip_prefix("command -v goal >/dev/null 2>&1 || ");
    let absent = absent.and_then(|it| it.split_once("; said=$(goal "));
    let (absent, call) = absent.unwrap_or_else(|| panic!("another shape: {line}"));
    let call = call.strip_suffix(r#") || exit 1; case $said in '{'*) printf %s "$said";; esac"#);
    let call = call.unwrap_or_else(|| panic!("another shape: {line}"));
    let words: Vec<&str> = call.split(' ').collect();
    let starts = words[1] == "session-start";
    assert_eq!(absent, if starts { MISSING } else { "exit 0" }, "{line}");
    words
}

#[test]
fn the_pages_show_the_files_of_the_plugins() {
    let text = read("docs/hosts/how-it-works.md");
    let server = read("packaging/plugins/codex/.mcp.json");
    let block = format!("```json\n{server}```");
    assert!(text.contains(&block), "how-it-works.md lacks:\n{block}");
    // By hand the server has the name `goal` of its own, and not that of a plugin.
    let project = Project::new();
    let dir = assembled(&project);
    let takes = |line: &&str| line.contains("hooks.json` into ");
    let mut taken = 0;
    for line in text.lines().filter(takes) {
        let file = line.split('`').nth(1).unwrap();
        let mut hooks = fs::read_to_string(dir.join(file)).unwrap();
        if line.contains("`--as tools` in place of `--as claude-plugin`") {
            hooks = hooks.replace("--as claude-plugin", "--as tools");
        }
        let named = if file.starts_with("qwen/") {
            "--as qwen"
        } else {
            "--as tools"
        };
        assert!(
            hooks.contains(named) && !hooks.contains("plugin"),
            "{file}: {hooks}"
        );
        taken += 1;
    }
    assert_eq!(taken, 4, "{text}");
}

#[test]
fn a_hook_of_a_plugin_is_one_that_the_program_answers() {
    let project = Project::new();
    for host in HOSTS {
        for line in hook_lines(host) {
            let words = words(&line);
            let ran = project.call(&words).stdin("{}").run();
            assert!(ran.code != Some(2), "{line}: {ran}");
            // Without an option it is Claude Code's, or that of a host with its hooks.
            assert_eq!(words.contains(&host), host != "claude", "{line}");
        }
    }
}

/// Hosts take exit 2 for a veto, Gemini CLI every exit from 2 on, also that of a shell which found no
/// program.
#[test]
fn a_hook_vetoes_nothing_where_the_program_is_missing_or_fails() {
    let project = Project::new();
    let bin = project.aside.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let run = |line: &str| {
        let ran = Command::new("/bin/sh")
            .args(["-c", line])
            .env_clear()
            .env("PATH", &bin)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [ran.stdout, ran.stderr].map(|it| String::from_utf8(it).unwrap());
        (ran.status.code(), said)
    };
    let goal = |body: &str| {
        // Written by another process: what a thread beside this one starts in between would keep a
        // file of ours open, and a file that is open for writing cannot be run.
        let program = bin.join("goal");
        let written = Command::new("/bin/sh")
            .args([
                "-c",
                r#"printf '#!/bin/sh\n%s\n' "$1" > "$0"; chmod 755 "$0""#,
            ])
            .args([program.as_str(), body])
            .status();
        assert!(written.unwrap().success());
    };
    for line in HOSTS.into_iter().flat_map(hook_lines) {
        let _none = fs::remove_file(bin.join("goal"));
        let (code, [said, error]) = run(&line);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{line}");
        match words(&line)[1] {
            "session-start" => {
                let said: Value = serde_json::from_str(&said).unwrap();
                let said = said["systemMessage"].as_str().unwrap();
                assert!(said.contains("not on the PATH"), "{said}");
            }
            _ => assert_eq!(said, "", "{line}"),
        }
        // As a panic, an abort for want of memory, and a signal end a program.
        for body in [
            "exit 1",
            "exit 2",
            "exit 3",
            "exit 101",
            "exit 134",
            "kill -KILL $$",
        ] {
            goal(&format!("echo '{{}}'; {body}"));
            let (code, [said, _]) = run(&line);
            assert_eq!((code, said.as_str()), (Some(1), ""), "{body}: {line}");
        }
        goal(r#"printf '%s\n' '{"a":"two\nlines \\"}'"#);
        let answer = r#"{"a":"two\nlines \\"}"#.to_owned();
        assert_eq!(run(&line), (Some(0), [answer, String::new()]), "{line}");
        // Another program of that name.
        for says in ["Algorand goal v3", "", "usage: goal [-h]"] {
            goal(&format!("echo '{says}'"));
            let nothing = [String::new(), String::new()];
            assert_eq!(run(&line), (Some(0), nothing), "{says}: {line}");
        }
    }
}

#[test]
fn the_real_program_answers_through_the_lines_of_the_hooks() {
    let (project, id) = Project::with_goal("water the beans");
    let bin = project.aside.join("bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_goal"), bin.join("goal")).unwrap();
    for host in HOSTS {
        let line = &hook_lines(host)[0];
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]).env("PATH", &bin);
        shell
            .env_clear()
            .env("PATH", &bin)
            .env("HOME", project.aside.join("home"));
        shell.current_dir(&project.root).stdin(Stdio::piped());
        let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
        let input = br#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
        shell.stdin.take().unwrap().write_all(input).unwrap();
        let ran = shell.wait_with_output().unwrap();
        let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
        let told = match host {
            "copilot" => &told["additionalContext"],
            _ => &told["hookSpecificOutput"]["additionalContext"],
        };
        assert!(told.as_str().unwrap().contains(&id), "{host}: {told}");
    }
}

#[test]
fn a_program_that_is_too_old_for_a_plugin_says_so_once() {
    let (project, _) = Project::with_goal("water the beans");
    let named = Regex::new(r"--needs \S+\b").unwrap();
    for host in HOSTS {
        let lines = hook_lines(host).into_iter();
        let newer = lines.map(|line| named.replace_all(&line, "--needs 99.0.0").into_owned());
        let answers = newer.map(|line| {
            let ran = project.call(&words(&line)).stdin("{}").run().ok();
            ran.stdout
        });
        let answers: Vec<String> = answers.collect();
        let message: Value = serde_json::from_str(&answers[0]).unwrap();
        let own = env!("CARGO_PKG_VERSION");
        assert_eq!(
            message["systemMessage"],
            format!(
                "goal is off in this session: the program is version {own}, and the hooks need \
                 99.0.0 or newer. Run this, then start again:\n{INSTALL}"
            )
        );
        assert!(answers[1..].iter().all(String::is_empty), "{host}");
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
    for line in HOSTS.into_iter().flat_map(hook_lines) {
        let words = words(&line);
        assert_eq!(words[words.len() - 2..], ["--needs", &needs], "{line}");
    }
    let opencode = read("packaging/plugins/opencode/goal.js");
    assert!(opencode.contains(&format!("NEEDS = \"{needs}\"")));
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
    let project = Project::new();
    let program = Regex::new(r"^!\W?(goal( [a-z]+)+)").unwrap();
    let shell = Regex::new("!`([^`]*)`").unwrap();
    for (name, text) in &claude {
        let (_, body) = text.split_once("\n---\n").unwrap();
        for found in body.lines().filter_map(|line| program.captures(line)) {
            let command: Vec<&str> = found[1].split(' ').skip(1).collect();
            project.run(&[&command[..1], &["--help"]].concat()).ok();
            let allowed = format!("allowed-tools: Bash({}:*)", &found[1]);
            assert!(text.contains(&allowed), "{name} lacks {allowed}");
        }
        // Claude Code puts what the user typed into a shell command as it is, unquoted.
        let shells = shell.find_iter(body).map(|it| it.as_str());
        assert!(shells.into_iter().all(|it| !it.contains('$')), "{body}");
        // What Gemini CLI writes in another way. It quotes what the user typed for the shell.
        let opens = "!{GOAL_ACTOR=user goal --quiet draft -- {{args}}; goal";
        let expected = shell
            .replace_all(body, "!{$1}")
            .replace("$ARGUMENTS", "{{args}}")
            .replace("--as claude-plugin", "--as gemini");
        assert!(
            gemini[name]
                .replace(opens, "!{goal")
                .contains(expected.trim()),
            "{name}:\n{}",
            gemini[name]
        );
    }
}

/// The plugins as they are installed.
fn assembled(project: &Project) -> PathBuf {
    let dir = project.aside.join("plugins");
    let assemble = Command::new(root().join("packaging/plugins/assemble"))
        .arg(&dir)
        .status()
        .unwrap();
    assert!(assemble.success());
    dir.into()
}

/// The texts for a model below a directory.
fn texts(dir: &Path, into: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, into);
        } else if path
            .extension()
            .is_some_and(|it| it == "md" || it == "toml")
        {
            into.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Hosts have tools of the same names.
#[test]
fn a_plugin_calls_tools_as_its_host_does() {
    let (project, _) = Project::with_goal("x");
    let dir = assembled(&project);
    let headings = read("docs/tools.md");
    let headings = headings.lines().filter_map(|line| line.strip_prefix("## "));
    let tools = headings.collect::<Vec<_>>().join("|");
    let seconds = "get_ledger_goal|update_ledger_goal";
    let tool = Regex::new(&format!("`([a-z_.]*?)({tools}|{seconds})`")).unwrap();
    let page = Regex::new(r"\]\((goal-[a-z-]+\.md)\)").unwrap();
    for (host, surface) in [
        ("claude", "claude-plugin"),
        ("codex", "codex"),
        ("gemini", "gemini"),
        ("qwen", "qwen"),
    ] {
        let prompt = project.run(&["prompt", "active", "--as", surface]).ok();
        let before = tool.captures(&prompt.stdout).unwrap()[1].to_owned();
        assert!(before.contains("goal"), "{before}");
        let mut found = Vec::new();
        texts(&dir.join(host), &mut found);
        // Hosts name each skill to their model in every project: one, and the others as its pages.
        let skills = found.iter().filter(|(path, _)| path.ends_with("SKILL.md"));
        let skills: Vec<_> = skills.collect();
        let [(path, skill)] = skills[..] else {
            panic!("{skills:?}")
        };
        let pages = page.captures_iter(skill).map(|it| it[1].to_owned());
        let pages: Vec<_> = pages
            .filter(|it| path.with_file_name(it).is_file())
            .collect();
        assert_eq!(pages.len(), 4, "{pages:?}");
        let mut called = 0;
        for (path, text) in &found {
            for names in tool.captures_iter(text) {
                assert_eq!(names[1], before, "{} in {}", &names[2], path.display());
                let has_seconds = ["codex", "qwen"].contains(&host);
                let collides = ["get_goal", "update_goal"].contains(&&names[2]);
                let is_second = seconds.contains(&names[2]) && !collides;
                assert!(
                    !collides || !has_seconds,
                    "{} in {}",
                    &names[2],
                    path.display()
                );
                assert!(
                    !is_second || has_seconds,
                    "{} in {}",
                    &names[2],
                    path.display()
                );
                called += 1;
            }
        }
        assert!(called > 10, "{host}: {called}");
    }
}

/// The server has its own name there, and not that of a plugin.
#[test]
fn the_extension_of_qwen_code_has_the_hooks_of_claude_code() {
    let project = Project::new();
    let hooks = fs::read_to_string(assembled(&project).join("qwen/hooks/hooks.json")).unwrap();
    let expected = hooks_file("claude").replace("--as claude-plugin", "--as qwen");
    assert_eq!(hooks, expected);
}

#[test]
fn every_manifest_leaves_the_version_to_the_one_of_the_program() {
    for manifest in [
        "claude/.claude-plugin/plugin.json",
        "codex/.codex-plugin/plugin.json",
        "gemini/gemini-extension.json",
        "qwen/qwen-extension.json",
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
    let used = ["seconds=3725", "tokensIn=44000", "tokensOut=1200"];
    let used = used.iter().flat_map(|it| ["--counter", it]);
    let used: Vec<&str> = ["usage", "add"].into_iter().chain(used).collect();
    project.run(&used).ok();
    project.run(&["ask", "Which?"]).ok();
    let line = status_line(&project);
    assert_eq!(
        line,
        "goal: ? active  1 h 02 min  45k tokens  1 waits for you  Count the samples\n"
    );
    project.run(&["tweak", "--title", &"long ".repeat(40)]).ok();
    let line = status_line(&project);
    assert!(
        line.chars().count() <= 81 && line.contains("  long"),
        "{line}"
    );
    project.run(&["pause", "--reason", "to see"]).ok();
    let line = status_line(&project);
    assert!(line.contains("paused"), "{line}");
}
