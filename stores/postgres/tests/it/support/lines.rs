//! Lines of a ledger as `goal` writes them: linked, with ids that are hashes.

/// What `prev` says in the first line.
pub const NONE: &str = "00000000000000000000000000000000";

/// The id of a line.
pub fn id(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..32].to_owned()
}

/// A line of this type about a goal, with more fields as they stand in JSON.
pub fn line(kind: &str, goal: &str, fields: &str, prev: &str) -> String {
    format!(
        r#"{{"type":"{kind}","goalId":"{goal}",{fields},"at":"2026-01-05T10:00:00.000Z","by":"agent","prev":"{prev}"}}"#
    )
}

/// A note with this text.
pub fn note(goal: &str, text: &str, prev: &str) -> String {
    line("goal_noted", goal, &format!(r#""note":"{text}""#), prev)
}

/// The first line of a goal.
pub fn created(goal: &str, prev: &str) -> String {
    let fields = format!(r#""objective":"Do {goal}","sisyphus":false,"autoContinue":true"#);
    line("goal_created", goal, &fields, prev)
}
