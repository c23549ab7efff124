//! That every code is published and has one exit code, and what read-only file systems make of
//! failures.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Path and text of every source file of the program.
fn sources() -> Vec<(PathBuf, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

#[test]
fn a_code_has_one_exit_code() {
    let own: Vec<&str> = CODES
        .iter()
        .flat_map(|(_, codes)| *codes)
        .copied()
        .collect();
    let of_rejections = Rejection::CODES.iter();
    for (code, class) in of_rejections.clone() {
        assert!(!own.contains(code), "{code} stands in two tables");
        let mut same = of_rejections.clone().filter(|(it, _)| it == code);
        assert!(same.all(|(_, it)| it == class), "{code} has two classes");
        assert_eq!(Exit::of(code), (*class).into());
    }
}

#[test]
fn what_cannot_be_written_since_it_is_mounted_so_is_said_to_be() {
    let error = || io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
    let path = "p".into();
    let failures = [
        Failure::io(&error(), "check its permissions"),
        LockError::Io {
            path,
            source: error(),
        }
        .into(),
    ];
    for failure in failures {
        assert!(failure.hint.contains("mounted read-only"), "{failure:?}");
    }
    let denied = io::Error::from(io::ErrorKind::PermissionDenied);
    assert_eq!(Failure::io(&denied, "hint").hint, "hint");
}

#[test]
fn every_code_of_a_failure_is_published_and_every_published_one_is_used() {
    let mut used = BTreeSet::new();
    for (path, text) in sources() {
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
    used.extend(Rejection::CODES.iter().map(|(code, _)| (*code).to_owned()));
    let published = Failure::codes().into_iter().map(str::to_owned);
    assert_eq!(used, published.collect());
}
