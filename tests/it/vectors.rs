//! The test vectors of the ledger's format (docs/ledger-format.md#test-vectors): of each ledger in
//! `fixtures/vectors` the program says what the `expected.json` beside it says.
//!
//! No run writes the expected files: they are what a second reader made of the page, so that a
//! mistake of the program cannot get into them unseen.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::support::Project;

/// Fewer are a sign that some were lost.
const FEWEST: usize = 20;

/// A ledger, and what a reader has to make of it.
struct Vector {
    name: String,
    ledger: Vec<u8>,
    expected: Value,
}

fn vectors() -> Vec<Vector> {
    let dir = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vectors");
    let entries = dir.read_dir_utf8().unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    let vector = |folder: Utf8PathBuf| {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        Vector {
            name: folder.file_name().unwrap().to_owned(),
            ledger: read("goal_events.jsonl"),
            expected: serde_json::from_slice(&read("expected.json")).unwrap(),
        }
    };
    let mut found: Vec<Vector> = folders.map(|it| vector(it.into_path())).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() >= FEWEST, "only {} vectors", found.len());
    found
}

/// The fields of an object with these names.
fn picked(from: &Value, names: &[&str]) -> Value {
    let fields = names.iter().map(|it| ((*it).to_owned(), from[it].clone()));
    Value::Object(fields.collect())
}

/// Each of the list's entries.
fn each(list: &Value, of: impl Fn(&Value) -> Value) -> Value {
    list.as_array().into_iter().flatten().map(of).collect()
}

fn goal(shown: &Value) -> Value {
    let mut goal = picked(shown, &["status", "objective", "revision", "audited"]);
    goal["contest"] = match &shown["contests"][0] {
        Value::Null => Value::Null,
        contest => json!({
            "kind": contest["kind"],
            "choices": each(&contest["choices"], |choice| {
                picked(choice, &["line", "act", "status", "objective"])
            }),
        }),
    };
    assert_eq!(
        shown["events"],
        shown["recentEvents"].as_array().unwrap().len()
    );
    goal["history"] = each(&shown["recentEvents"], |event| event["id"].clone());
    goal
}

/// What the program says of the ledger of the project at `root`, as far as the page defines it.
fn said(project: &Project, root: &Utf8Path, sessions: &[&str]) -> Value {
    let data = |args: &[&str]| {
        let ran = project.run(&[args, &["--root", root.as_str(), "--json"]].concat());
        ran.data()
    };
    let list = |args: &[&str]| data(&[&["list", "--all"], args].concat())["goals"].clone();
    let focus = |goals: &Value| {
        let mut goals = goals.as_array().unwrap().iter();
        let focused = goals.find(|it| it["focused"] == true);
        focused.map_or(Value::Null, |it| it["goalId"].clone())
    };
    let listed = list(&[]);
    let ids = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["goalId"].as_str().unwrap());
    let goals: Map<String, Value> = ids
        .map(|id| (id.to_owned(), goal(&data(&["show", id])["goal"])))
        .collect();
    let mut verified = data(&["verify"]);
    if let Some(tip) = verified["tip"].as_str() {
        verified = data(&["verify", "--tip", tip]);
    }
    let counts = [
        "tip",
        "lines",
        "linked",
        "covered",
        "jumps",
        "anchorLine",
        "unreached",
    ];
    let mut said = picked(&verified, &counts);
    said["findings"] = each(&verified["findings"], |it| picked(it, &["code", "line"]));
    said["goals"] = goals.into();
    said["focus"] = focus(&listed);
    for session in sessions {
        said["focusOfSession"][*session] = focus(&list(&["--session", session]));
    }
    said
}

/// Where two values differ, a line for each place.
fn differences(at: &str, expected: &Value, got: &Value, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let at = format!("{at}/{name}");
                differences(&at, &expected[name], &got[name], found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{at}/{index}"), one, other, found);
            }
        }
        _ if expected == got => {}
        _ => found.push(format!(
            "  {at}\n    expected {expected}\n    but is   {got}"
        )),
    }
}

/// Fails with all differences where the program says something else of a vector.
fn compare(said: impl Fn(&Vector, &[&str]) -> Value) {
    let mut wrong = Vec::new();
    for vector in vectors() {
        let sessions = vector.expected["focusOfSession"].as_object();
        let sessions: Vec<&str> = sessions.into_iter().flatten().map(|it| &**it.0).collect();
        let mut found = Vec::new();
        let said = said(&vector, &sessions);
        differences("", &vector.expected, &said, &mut found);
        if !found.is_empty() {
            wrong.push(format!("{}:\n{}", vector.name, found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_vector_comes_to_its_result() {
    compare(|vector, sessions| {
        let project = Project::new();
        project.put_ledger(&vector.ledger);
        said(&project, &project.root, sessions)
    });
}

#[test]
fn a_key_of_this_machine_changes_no_result() {
    // Its first line makes the key.
    let (project, _) = Project::with_goal("Port the parser");
    assert!(project.state().join("key").is_file());
    compare(|vector, sessions| {
        let root = project.aside.join("vectors").join(&vector.name);
        let goals = root.join(".pi/goals");
        fs::create_dir_all(&goals).unwrap();
        fs::write(goals.join("goal_events.jsonl"), &vector.ledger).unwrap();
        said(&project, &root, sessions)
    });
}

#[test]
fn the_page_has_a_row_for_each_vector() {
    let page = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vectors/README.md");
    let page = fs::read_to_string(page).unwrap();
    let row = Regex::new(r"(?m)^\| \[`(\w+)`\]\((\w+)/goal_events\.jsonl\) \|").unwrap();
    let mut rows = Vec::new();
    for found in row.captures_iter(&page) {
        assert_eq!(found[1], found[2]);
        rows.push(found[1].to_owned());
    }
    rows.sort();
    let names: Vec<String> = vectors().into_iter().map(|it| it.name).collect();
    assert_eq!(rows, names);
}
