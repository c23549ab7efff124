//! Says how the program is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_linked_in_place() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Whether the program always lies at the same address. Else some 16,000 addresses in it, nearly all
/// of them of names of fields, are worked out at every start, which takes a third of what an empty
/// program takes (docs/performance.md). Where something else is asked for, by whoever builds it or
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
