//! What starting any Rust program costs.

fn main() {}
