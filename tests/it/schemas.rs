//! The committed schemas are those that the program makes: a change of an interface is seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use goal_ledger::api::schema::{named, names};

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
