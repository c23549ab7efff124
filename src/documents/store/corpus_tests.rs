//! A walk over real documents, when they are there: `GOAL_CORPUS`, or `../shared/corpus` beside
//! the repository.

use camino::{Utf8Path, Utf8PathBuf};

use super::read;
use crate::documents::header::{Style, parts, style};
use crate::documents::legacy;

#[test]
fn real_documents_are_read_and_kept() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus");
    let corpus = std::env::var("GOAL_CORPUS").unwrap_or_else(|_| beside.to_owned());
    let corpus = Utf8Path::new(&corpus);
    if !corpus.is_dir() {
        println!("skipped: no corpus at {corpus}");
        return;
    }
    let mut documents = Vec::new();
    walk(corpus, &mut documents);
    assert!(!documents.is_empty(), "no document under {corpus}");
    for path in &documents {
        check(path);
    }
}

/// History states are named `….md@<commit>`.
fn walk(dir: &Utf8Path, found: &mut Vec<Utf8PathBuf>) {
    for entry in dir.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            walk(path, found);
        } else if kind.is_file() && is_document(path) {
            found.push(path.to_owned());
        }
    }
}

fn is_document(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let name = name.split('@').next().unwrap_or_default();
    path.as_str().contains(".pi/goals/") && name.contains("goal_") && name.ends_with(".md")
}

fn check(path: &Utf8Path) {
    let text = read(path).unwrap();
    assert_eq!(style(&text), Style::BareJson, "{path}");
    let document = legacy::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let body = &text[parts(&text).unwrap().body];
    let section = body
        .split_once("# Goal Prompt\n")
        .and_then(|(_, rest)| rest.split_once("\n## Progress\n"))
        .map(|(section, _)| section.trim());
    assert_eq!(document.objective.as_deref(), section, "{path}");
}
