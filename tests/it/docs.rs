//! Documentation agrees with the tree: what it names exists, what it links to is there, and every
//! command and error code stands in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::{Project, commands};
use crate::tidy::rust_files;

/// Pages that stand elsewhere than at the top and in `docs`.
const ELSEWHERE: [&str; 4] = [
    "experiments/README.md",
    "fixtures/vectors/README.md",
    "fuzz/README.md",
    "tests/hosts/README.md",
];

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every page of the repository, as a path from its root.
pub fn pages() -> Vec<String> {
    let mut found: Vec<String> = ELSEWHERE.map(str::to_owned).to_vec();
    let mut open = vec![PathBuf::new(), PathBuf::from("docs")];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(root().join(&dir)).unwrap() {
            let entry = entry.unwrap();
            let path = dir.join(entry.file_name());
            if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path.to_str().unwrap().to_owned());
            } else if dir.starts_with("docs") && entry.file_type().unwrap().is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "{found:?}");
    found
}

pub fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The code spans of a page, without its code blocks.
pub fn spans(text: &str) -> Vec<String> {
    let mut fenced = false;
    let prose: Vec<&str> = text
        .lines()
        .filter(|line| {
            let fence = line.starts_with("```");
            fenced ^= fence;
            !fence && !fenced
        })
        .collect();
    let span = Regex::new("`([^`\n]+)`").unwrap();
    span.captures_iter(&prose.join("\n"))
        .map(|found| found[1].to_owned())
        .collect()
}

#[test]
fn every_test_and_function_that_is_named_exists() {
    let mut code = String::new();
    for dir in ["crates", "src", "tests"] {
        code.extend(rust_files(dir).into_iter().map(|(_, text)| text));
    }
    let defined = Regex::new(r"\b(?:fn|struct|enum|mod|const|type|trait)\s+(\w+)").unwrap();
    let defined: BTreeSet<&str> = defined
        .captures_iter(&code)
        .map(|found| found.get(1).unwrap().as_str())
        .collect();
    let test = Regex::new(r"^[a-z0-9]+(_[a-z0-9]+){2,}$").unwrap();
    let path = Regex::new(r"^(?:\w+::)+(\w+)$").unwrap();
    let mut missing = Vec::new();
    for name in pages() {
        let about_code = ["ARCHITECTURE.md", "docs/decisions.md"].contains(&&*name);
        if !about_code && !name.starts_with("docs/design/") {
            continue;
        }
        for span in spans(&page(&name)) {
            let item = match path.captures(&span) {
                Some(found) => found[1].to_owned(),
                None if test.is_match(&span) => span.clone(),
                None => continue,
            };
            // Variants, event types and file names are no items; they are in the code all the same.
            if !defined.contains(item.as_str()) && !code.contains(&item) {
                missing.push(format!("{name}: {span}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn pages_about_the_design_stay_short() {
    for name in pages() {
        let lines = page(&name).lines().count();
        assert!(
            !name.starts_with("docs/design/") || lines <= 150,
            "{name}: {lines} lines"
        );
    }
}

/// The anchors of a page's headings, as code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let heading = |line: &str| {
        fenced ^= line.starts_with("```");
        let title = line.trim_start_matches('#').strip_prefix(' ')?;
        (!fenced && line.starts_with('#')).then(|| {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            let title: String = title.to_lowercase().chars().filter(kept).collect();
            title.trim().replace(' ', "-")
        })
    };
    text.lines().filter_map(heading).collect()
}

#[test]
fn every_anchor_is_a_heading() {
    let link = Regex::new(r"\]\(([^)#\s]*)#([^)\s]+)\)").unwrap();
    let mut broken = Vec::new();
    for name in pages() {
        let text = page(&name);
        for found in link.captures_iter(&text) {
            let (to, anchor) = (&found[1], &found[2]);
            let to = match to {
                "" => root().join(&name),
                to => root().join(&name).parent().unwrap().join(to),
            };
            let there = fs::read_to_string(&to).map(|text| anchors(&text).contains(anchor));
            if !found[1].contains("://") && !there.unwrap_or(false) {
                broken.push(format!("{name}: {}", &found[0]));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn comments_cite_pages_that_are_there() {
    let cited = Regex::new(r"((?:docs/[\w./-]+|README|ARCHITECTURE|SECURITY|CONTRIBUTING|CHANGELOG)\.md)(?:#([\w-]+))?").unwrap();
    let mut broken = Vec::new();
    for dir in [
        "crates",
        "src",
        "tests",
        "experiments",
        "fuzz/fuzz_targets",
        "fuzz/src",
    ] {
        for (path, text) in rust_files(dir) {
            let comments = text
                .lines()
                .filter(|line| line.trim_start().starts_with("//"));
            for found in comments.flat_map(|line| cited.captures_iter(line)) {
                let there = fs::read_to_string(root().join(&found[1])).is_ok_and(|text| {
                    let anchor = found.get(2).map(|it| it.as_str());
                    anchor.is_none_or(|anchor| anchors(&text).contains(anchor))
                });
                if !there {
                    broken.push(format!("{}: {}", path.display(), &found[0]));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn no_comment_and_no_page_cites_what_is_not_in_the_repository() {
    let gone = concat!("DESIGN", " §");
    let dirs = [
        "crates",
        "src",
        "tests",
        "experiments",
        "fuzz/fuzz_targets",
        "fuzz/src",
    ];
    let code = dirs.into_iter().flat_map(rust_files);
    let code = code.map(|(path, text)| (path.display().to_string(), text));
    let pages = pages().into_iter().map(|name| (name.clone(), page(&name)));
    let citing: Vec<String> = code
        .chain(pages)
        .filter(|(_, text)| text.contains(gone))
        .map(|(name, _)| name)
        .collect();
    assert!(citing.is_empty(), "{citing:#?}");
}

#[test]
fn every_path_and_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)#\s]+)(?:#[^)]*)?\)").unwrap();
    let ours = Regex::new(r"^(src|tests|docs|fixtures|experiments|\.ci)/[\w./-]*$").unwrap();
    let mut broken = Vec::new();
    for name in pages() {
        let text = page(&name);
        let dir = Path::new(&name).parent().unwrap().to_owned();
        for found in link.captures_iter(&text) {
            let to = &found[1];
            if !to.contains("://") && !root().join(&dir).join(to).exists() {
                broken.push(format!("{name}: {to}"));
            }
        }
        for span in spans(&text) {
            if ours.is_match(&span) && !root().join(span.trim_end_matches('/')).exists() {
                broken.push(format!("{name}: `{span}`"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_readme_begins_with_two_commands_and_ci_runs_them() {
    let readme = page("README.md");
    let block = readme.split("```console\n").nth(1).unwrap();
    let commands: Vec<&str> = block
        .split("```")
        .next()
        .unwrap()
        .lines()
        .map(|line| line.trim_start_matches("$ ").split("  ").next().unwrap())
        .collect();
    assert_eq!(commands, ["cargo run -- tour", "cargo test"]);
    let ci = page(".ci/run");
    assert!(ci.contains("cargo run --quiet -- tour"), "{ci}");
    assert!(ci.contains("cargo test\n"), "{ci}");
    assert!(ci.contains(".ci/fast"), "{ci}");
}

#[test]
fn the_compiler_that_builds_is_the_oldest_that_is_promised() {
    let value = |name: &str, key: &str| {
        page(name)
            .lines()
            .find_map(|line| {
                Some(
                    line.strip_prefix(key)?
                        .trim_matches([' ', '=', '"'])
                        .to_owned(),
                )
            })
            .unwrap()
    };
    let promised = value("Cargo.toml", "rust-version");
    let building = value("rust-toolchain.toml", "channel");
    assert!(
        building.starts_with(&format!("{promised}.")),
        "Cargo.toml promises {promised}, rust-toolchain.toml builds with {building}"
    );
}

#[test]
fn the_page_of_commands_names_every_command() {
    let text = page("docs/commands.md");
    for name in commands() {
        let named = text.contains(&format!("`{name}"));
        assert!(named, "docs/commands.md does not name `{name}`");
    }
}

#[test]
fn the_page_of_commands_has_the_exit_codes_that_help_has() {
    let codes = |text: &str, row: &str| -> Vec<String> {
        let row = Regex::new(row).unwrap();
        row.captures_iter(text)
            .map(|found| found[1].to_owned())
            .collect()
    };
    let help = Project::new().run(&["help", "exit-codes"]).ok().stdout;
    let helped = codes(&help, r"(?m)^ {1,3}(\d+) ");
    assert!(helped.len() > 10, "{help}");
    let page = page("docs/commands.md");
    assert_eq!(codes(&page, r"(?m)^\| (\d+) \|"), helped);
}

#[test]
fn the_projects_own_goals_are_in_order() {
    let project = Project::new();
    let own = root().join(".pi/goals");
    fs::create_dir_all(project.goals("")).unwrap();
    for entry in fs::read_dir(own).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(
                entry.path(),
                project.goals(entry.file_name().to_str().unwrap()),
            )
            .unwrap();
        }
    }
    project.run(&["verify", "--strict"]).ok();
    project.run(&["doctor"]).ok();
}

/// It is read before the code, so it grows only where something else goes.
#[test]
fn the_map_of_the_source_is_short() {
    let map = fs::read(root().join("ARCHITECTURE.md")).unwrap();
    assert!(map.len() <= 12 * 1024, "{} bytes", map.len());
}

/// A person who sets a host up reads one screen, which begins with what the name means there.
#[test]
fn a_page_of_a_host_is_short_and_begins_with_goals_of_the_host() {
    for (page, most) in [
        ("claude-code", 60),
        ("codex", 60),
        ("gemini", 60),
        ("pi", 60),
        ("opencode", 60),
        ("qwen-code", 60),
        ("copilot", 40),
        ("continue", 40),
        ("cline", 40),
    ] {
        let text = fs::read_to_string(root().join(format!("docs/hosts/{page}.md"))).unwrap();
        let lines = text.lines().count();
        assert!(lines <= most, "{page}.md has {lines} lines");
        let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
        let headings: Vec<&str> = headings.collect();
        assert_eq!(headings[0], "Our `/goal` and theirs", "{page}.md");
        for heading in [
            "What it needs",
            "What you see",
            "How to decide",
            "Remove it",
        ] {
            assert!(headings.contains(&heading), "{page}.md lacks: {heading}");
        }
        let left = "[every host leaves](how-it-works.md#remove-all-of-it)";
        assert!(text.contains(left), "{page}.md: {left}");
        assert!(text.contains("auditor"), "{page}.md names no auditor");
    }
}
