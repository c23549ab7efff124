//! The committed schemas are those that the program makes: a change of an interface is seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::tidy::rust_files;
use goal_ledger::api::schema::{named, names};
use goal_ledger::domain::rejection::Rejection;
use goal_ledger::ops::failure::Failure;

#[test]
fn the_committed_schemas_are_those_of_the_program() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some_and(|value| value == "1");
    let mut different = Vec::new();
    for name in names() {
        let path = dir.join(format!("{name}.json"));
        let made = format!("{:#}\n", named(name).unwrap());
        if fs::read_to_string(&path).ok().as_deref() == Some(&made) {
            continue;
        }
        if update {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, made).unwrap();
        } else {
            different.push(format!("schemas/{name}.json differs"));
        }
    }
    let known: BTreeSet<String> = names().map(|name| format!("{name}.json")).collect();
    for entry in fs::read_dir(&dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !known.contains(&name) {
            if update {
                fs::remove_file(entry.path()).unwrap();
            } else {
                different.push(format!("schemas/{name} is no schema of the program"));
            }
        }
    }
    assert!(
        different.is_empty(),
        "an interface changed:\n  {}\nIf that is meant, run `UPDATE_SCHEMAS=1 cargo test schemas`, \
         look at the difference (is it compatible?), and commit it with the change.",
        different.join("\n  ")
    );
}

#[test]
fn every_code_of_a_failure_is_published_and_every_published_one_is_used() {
    let mut used = BTreeSet::new();
    for (path, text) in rust_files("src") {
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(
            !code.contains("code: \""),
            "{}: make it with `Failure::new`, so that this test sees its code",
            path.display()
        );
        for call in code.split("Failure::new(").skip(1) {
            // A call that passes no literal is a rejection's or a definition's.
            if let Some(rest) = call.trim_start().strip_prefix('"') {
                used.insert(rest.split('"').next().unwrap().to_owned());
            }
        }
    }
    used.retain(|code| !Rejection::CODES.contains(&code.as_str()));
    let published: BTreeSet<String> = Failure::CODES.iter().map(|it| it.to_string()).collect();
    assert_eq!(used, published);
    let shared = |code: &&&str| Rejection::CODES.contains(code);
    assert_eq!(Failure::CODES.iter().find(shared), None);
}
