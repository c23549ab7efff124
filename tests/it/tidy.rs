//! House rules as tests: one-way imports, a pure core, files that say what they are for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the program: where their modules are, in the order in which imports may look back, as
/// `lib.rs` lists them.
const CRATES: [(&str, &[&str]); 2] = [
    (
        "crates/core/src",
        &["domain", "ledger", "reading", "writing", "library"],
    ),
    (
        "src",
        &[
            "acts",
            "render",
            "workspace",
            "documents",
            "snapshot",
            "process",
            "store",
            "projection",
            "transaction",
            "roles",
            "ops",
            "api",
            "cli",
        ],
    ),
];

/// The most lines of a file, without and with the tests in it.
const MOST_LINES: (usize, usize) = (500, 900);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Path and text of every source file below `dir`, the path from the repository's root.
pub fn rust_files(dir: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(dir)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root()).unwrap().to_owned(), text));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no files below {dir}");
    found
}

#[test]
fn lib_lists_the_modules_in_this_order() {
    for (dir, order) in CRATES {
        let lib = fs::read_to_string(root().join(dir).join("lib.rs")).unwrap();
        let listed: Vec<&str> = lib
            .lines()
            .filter_map(|line| {
                let line = line.strip_prefix("pub ").unwrap_or(line);
                line.strip_prefix("mod ")?.strip_suffix(';')
            })
            .collect();
        assert_eq!(listed, order, "{dir}");
    }
}

/// What another program can use of a crate, as `lib.rs` names it: no module that the pages show.
fn public_items(dir: &str) -> BTreeSet<String> {
    let lib = fs::read_to_string(root().join(dir).join("lib.rs")).unwrap();
    let mut items = BTreeSet::new();
    let code: String = lib.lines().filter(|it| !it.starts_with("//")).collect();
    for part in code.split("pub use ").skip(1) {
        let path = part.split(';').next().unwrap();
        let names = path.rsplit("::").next().unwrap();
        let names = path.split_once('{').map_or(names, |(_, it)| it);
        let names = names.trim_end_matches('}').split(',').map(str::trim);
        let names = names.map(|it| it.rsplit(" as ").next().unwrap());
        items.extend(names.filter(|it| !it.is_empty()).map(str::to_owned));
    }
    items
}

#[test]
fn little_of_the_crates_is_public() {
    let expected = [
        "Actor",
        "Command",
        "Contract",
        "Difficulty",
        "Error",
        "ErrorKind",
        "Event",
        "EventId",
        "Events",
        "Follow",
        "Goal",
        "GoalId",
        "InvalidEventId",
        "InvalidId",
        "Ledger",
        "Position",
        "Reader",
        "Receipt",
        "Status",
        "StopHandle",
        "Task",
        "TaskStatus",
        "Transaction",
        "UnknownWord",
    ];
    assert!(expected.len() <= 40, "more than a page shows at once");
    assert_eq!(
        public_items("crates/core/src"),
        expected.map(str::to_owned).into()
    );
    let program = ["*", "main", "manual", "subject"];
    assert_eq!(public_items("src"), program.map(str::to_owned).into());
    let core = fs::read_to_string(root().join("crates/core/src/lib.rs")).unwrap();
    for module in core.split("pub mod ").skip(1) {
        let at = core.find(module).unwrap();
        assert!(core[..at].ends_with("#[doc(hidden)]\npub mod "), "{module}");
    }
}

#[test]
fn imports_point_one_way() {
    let mut wrong = Vec::new();
    for (dir, order) in CRATES {
        let rank = |name: &str| order.iter().position(|it| *it == name);
        for (path, text) in rust_files(dir) {
            let module = path.strip_prefix(dir).unwrap().components().next().unwrap();
            let module = module.as_os_str().to_str().unwrap();
            let Some(own) = rank(module.trim_end_matches(".rs")) else {
                continue;
            };
            for (number, line) in text.lines().enumerate() {
                for part in line.split("crate::").skip(1) {
                    let name: String = part
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    if rank(&name).is_some_and(|other| other > own) {
                        wrong.push(format!(
                            "{}:{}: {}",
                            path.display(),
                            number + 1,
                            line.trim()
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports that point the wrong way:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_core_does_nothing_but_think() {
    let forbidden = [
        "std::fs",
        "std::io",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        // What is in the core can go to another thread.
        "std::rc",
        "std::cell",
        "SystemTime",
        "Instant::now",
        "fastrand",
        "rustix",
        "tempfile",
    ];
    let mut wrong = Vec::new();
    for dir in ["crates/core/src/domain", "src/acts", "src/render"] {
        for (path, text) in rust_files(dir) {
            // Tests may read fixtures.
            if path.ends_with("tests.rs")
                || path.components().any(|part| part.as_os_str() == "tests")
            {
                continue;
            }
            let code = text.split("#[cfg(test)]").next().unwrap();
            for word in forbidden {
                if code.contains(word) {
                    wrong.push(format!("{}: {word}", path.display()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "the pure core reaches outside:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn only_the_transaction_appends() {
    let files = [rust_files("crates/core/src"), rust_files("src")].concat();
    let callers: Vec<String> = files
        .into_iter()
        .filter(|(path, text)| {
            !path.starts_with("crates/core/src/ledger")
                && !path.ends_with("tests.rs")
                && text.contains("ledger::append::")
                && text.contains("Writer")
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    // The store is the seam below the transaction: its turns are taken nowhere else. The library is for
    // other programs.
    let homes = ["crates/core/src/library/", "src/store/", "src/transaction/"];
    let outside = |it: &&String| !homes.iter().any(|home| it.starts_with(home));
    assert!(callers.len() >= homes.len(), "{callers:?}");
    assert_eq!(callers.iter().find(outside), None);
    let turns = rust_files("src").into_iter();
    let turns =
        turns.filter(|(path, text)| !path.starts_with("src/store") && text.contains("AppendTurn"));
    let turns: Vec<String> = turns.map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(
        turns,
        ["src/transaction/mod.rs", "src/transaction/stored.rs"]
    );
}

#[test]
fn the_protocol_has_one_home() {
    let outside: Vec<String> = rust_files("src")
        .into_iter()
        .filter(|(path, text)| {
            !path.starts_with("src/api/mcp")
                && ["rmcp::", "tokio::"].iter().any(|it| text.contains(it))
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn the_screen_has_two_homes() {
    let outside: Vec<String> = rust_files("src")
        .into_iter()
        .filter(|(path, text)| {
            !path.starts_with("src/render/watch")
                && !path.starts_with("src/cli/command/watch")
                && path != Path::new("src/cli/command/watch.rs")
                && text.contains("ratatui::")
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn every_file_says_what_it_is_for_and_stays_small() {
    let mut wrong = Vec::new();
    for dir in ["crates", "src", "tests", "stores"] {
        for (path, text) in rust_files(dir) {
            let lines = text.lines().count();
            let code = text
                .lines()
                .take_while(|it| !it.starts_with("#[cfg(test)]"))
                .count();
            if !text.starts_with("//! ") {
                wrong.push(format!(
                    "{}: the first line is no //! comment",
                    path.display()
                ));
            }
            if code > MOST_LINES.0 || lines > MOST_LINES.1 {
                wrong.push(format!("{}: {lines} lines", path.display()));
            }
            if text.lines().any(|line| {
                line.trim_start().starts_with("#[allow(")
                    || line.trim_start().starts_with("#[ignore")
            }) {
                wrong.push(format!("{}: allow or ignore", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_suite_is_forgotten() {
    let main = fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    for entry in fs::read_dir(root().join("tests/it")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "main" {
            assert!(
                main.contains(&format!("mod {name};")),
                "tests/it/main.rs lacks `mod {name};`"
            );
        }
    }
}

/// The names of the crates of a package's build, without its tests.
fn crates_of(package: &str) -> BTreeSet<String> {
    let done = Command::new(env!("CARGO"))
        .args(["tree", "--prefix", "none", "--edges", "normal,build"])
        .args(["--package", package])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let text = String::from_utf8(done.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn helpers_for_stores_bring_no_crate_into_the_program() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("default-members = [\".\", \"crates/core\"]"));
    let program = crates_of("goal-ledger");
    let helper = crates_of("goal-store-postgres");
    assert!(helper.contains("tokio-postgres") && helper.contains("rustls"));
    for name in ["goal-store-postgres", "tokio-postgres", "rustls", "ring"] {
        assert!(!program.contains(name), "the program has {name}");
    }
}
