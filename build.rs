//! Says how the program is linked, and from which commit it is built.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_linked_in_place() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    // A build of the work at hand would be made again after every commit, for nothing.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        say_commit();
    }
}

/// Names the commit, where git has it: of a checkout, not of whatever lies around a package.
fn say_commit() {
    let git = |arguments: &[&str]| {
        let ran = Command::new("git").args(arguments).output().ok()?;
        let said = String::from_utf8(ran.stdout).ok()?;
        (ran.status.success() && !said.trim().is_empty()).then(|| said.trim().to_owned())
    };
    if !Path::new(".git").exists() {
        return;
    }
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return;
    };
    println!("cargo::rustc-env=GOAL_COMMIT={commit}");
    // Each commit and each checkout adds a line to it. What is not there would be made again always.
    let moved = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(path) = moved.filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// Whether the program always lies at the same address. Else some 16,000 addresses in it, nearly all
/// of them of names of fields, are worked out at every start, which takes a third of what an empty
/// program takes. Where something else is asked for, by whoever builds it or
/// by the target, it stays as it is. Stack, heap and libraries lie at random addresses all the same.
fn is_linked_in_place() -> bool {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|it| it == value);
    let says = |variable: &str, word: &str| env::var(variable).is_ok_and(|it| it.contains(word));
    is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !says("CARGO_CFG_TARGET_FEATURE", "crt-static")
        && !says("CARGO_ENCODED_RUSTFLAGS", "relocation-model")
}
