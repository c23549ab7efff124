//! The skills: their form, and that every command, tool and skill they teach exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use regex::Regex;

use crate::support::Project;

const SKILLS: [&str; 5] = [
    "goal-draft",
    "goal-execute",
    "goal-sisyphus",
    "goal-finalize",
    "goal-auditor-review",
];

/// Words in code spans that look like tools and are none: codes, fields, values.
const NO_TOOLS: [&str; 1] = ["audit_pending"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".pi/skills")
}

fn skill(name: &str) -> String {
    fs::read_to_string(folder().join(name).join("SKILL.md")).unwrap()
}

fn guide() -> String {
    Project::new().run(&["prompt", "guide"]).ok().stdout
}

fn spans(text: &str) -> Vec<String> {
    let span = Regex::new("`([^`\n]+)`").unwrap();
    span.captures_iter(text)
        .map(|found| found[1].to_owned())
        .collect()
}

/// Header and body, as a host takes them apart.
fn parsed(text: &str) -> (Vec<(&str, &str)>, &str) {
    let rest = text.strip_prefix("---\n").unwrap();
    let (header, body) = rest.split_once("\n---\n").unwrap();
    let fields = header.lines().map(|line| line.split_once(": ").unwrap());
    (fields.collect(), body)
}

#[test]
fn every_skill_has_the_form_that_hosts_read() {
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut expected = SKILLS.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
    for name in SKILLS {
        let text = skill(name);
        let (fields, body) = parsed(&text);
        let [
            ("name", named),
            ("description", description),
            ("compatibility", needs),
            ref more @ ..,
        ] = fields[..]
        else {
            panic!("{name}: {fields:?}");
        };
        // A model is shown one of them in every project; that one names the others.
        let hidden: &[_] = match name {
            "goal-execute" => &[],
            _ => &[("disable-model-invocation", "true")],
        };
        assert_eq!(more, hidden, "{name}");
        assert!(
            skill("goal-execute").contains(&format!("](../{name}/SKILL.md)")) || hidden.is_empty()
        );
        assert!(needs.contains("Needs the program goal, version "), "{name}");
        assert_eq!(named, name, "a skill is named as its folder");
        // Plain YAML: nothing in it may need quoting.
        assert!(!description.contains([':', '#', '"', '\'']), "{name}");
        assert!(description.contains("Use when"), "{name}: when is it read?");
        assert!((40..100).contains(&description.len()), "{name}");
        assert!(body.starts_with("\n# "), "{name}");
        assert!(text.lines().count() <= 60, "{name} is long");
    }
}

#[test]
fn every_command_and_option_that_is_taught_exists() {
    let project = Project::new();
    let option = Regex::new(r"--[a-z][a-z-]*").unwrap();
    let mut pages: Vec<(String, String)> = Vec::new();
    pages.extend(SKILLS.map(|name| (name.to_owned(), skill(name))));
    let prompts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/render/prompts");
    for entry in fs::read_dir(prompts).unwrap() {
        let path = entry.unwrap().path();
        pages.push((
            path.display().to_string(),
            fs::read_to_string(path).unwrap(),
        ));
    }
    let mut seen = 0;
    for (page, text) in pages {
        for span in spans(&text) {
            let Some(rest) = span.strip_prefix("goal ") else {
                continue;
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            // `auditor test` has a command of its own below it.
            let named = if words[0] == "auditor" { 2 } else { 1 };
            let help = project.run(&[&words[..named], &["--help"]].concat()).ok();
            for found in option.find_iter(rest) {
                let there = help.stdout.contains(found.as_str());
                assert!(there, "{page}: `{span}`: no {}", found.as_str());
            }
            let values: [(&str, &[&str]); 2] = [
                ("prompt", &["active", "draft", "finalize", "guide"]),
                ("--role", &["risk", "release", "plan-critic", "stale-goal"]),
            ];
            for (before, values) in values {
                let at = words.iter().position(|word| *word == before);
                if let Some(value) = at.and_then(|at| words.get(at + 1)) {
                    assert!(values.contains(value), "{page}: `{span}`");
                    assert!(help.stdout.contains(value), "{page}: `{span}`");
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn every_tool_and_skill_that_is_taught_exists_and_every_tool_is_taught() {
    let tool = Regex::new("^[a-z]+(_[a-z]+)+$").unwrap();
    let listed = Project::new().run(&["tool", "--list", "--all"]).ok().data();
    let listed = listed["tools"].as_array().unwrap().clone();
    // A tool that is shown in no phase is there for those who know it already.
    let shown = listed
        .iter()
        .filter(|it| it["phases"] != serde_json::json!([]));
    let names = shown.map(|it| it["name"].as_str().unwrap().to_owned());
    let tools: BTreeSet<String> = names.collect();
    let mut taught = BTreeSet::new();
    for name in SKILLS {
        for span in spans(&skill(name)) {
            let looks_like_one = tool.is_match(&span) || tools.contains(&span);
            if looks_like_one && !NO_TOOLS.contains(&span.as_str()) {
                assert!(tools.contains(&span), "{name}: `{span}`");
                taught.insert(span);
            } else if span.starts_with("goal-") {
                assert!(SKILLS.contains(&span.as_str()), "{name}: `{span}`");
            }
        }
    }
    assert_eq!(taught, tools);
}

/// One source: what the skill says about when and how stands word for word in the guide.
#[test]
fn the_drafting_skill_and_the_guide_agree() {
    let (skill, guide) = (skill("goal-draft"), guide());
    for heading in ["## What speaks for it", "## How to cut it"] {
        let section = |text: &str| {
            let (_, rest) = text.split_once(&format!("{heading}\n")).unwrap();
            let own = rest.split("\n## ").next().unwrap();
            // The guide's tables are its own.
            let own = own.split("\n| ").next().unwrap();
            own.trim().to_owned()
        };
        assert_eq!(section(&skill), section(&guide), "{heading}");
        assert!(section(&skill).len() > 300);
    }
}

/// Seed 001's criteria, each by a word that its sentence needs.
#[test]
fn the_guide_carries_the_criteria() {
    let guide = guide();
    for part in [
        "ten or more tool calls",
        "phases that differ in kind",
        "found out, then done, then proven",
        "another conversation",
        "change the plan",
        "Three to ten checkpoints",
        "more than twenty",
        "unknown or risky first",
        "Finding out comes before doing",
        "somebody else can check",
        "every two or three",
        "three times",
    ] {
        assert!(guide.contains(part), "{part}");
    }
    let rows = |mark: &str| guide.lines().filter(|line| line.ends_with(mark)).count();
    assert!(rows(": a goal |") >= 5 && rows(": do it |") >= 2, "{guide}");
}
