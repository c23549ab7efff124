//! States for tests, through the real replay.

use serde_json::{Value, json};

use crate::domain::event::Payload;
use crate::domain::id::EventId;
use crate::domain::proof::{Proof, Prover, Why};
use crate::domain::replay::Replayed;
use crate::domain::seal::Key;
use crate::domain::state::State;
use crate::domain::task::state::Tasks;
use crate::reading::replay_bytes;
use crate::render::work::Onlooker;

/// A person at a terminal, at 2026-11-21T20:30 UTC.
pub const NOBODY: Onlooker<'_> = Onlooker {
    session: None,
    now: 1_795_293_000_000,
};

/// The state after these lines, each a JSON object.
pub fn state_of(lines: &[impl AsRef<str>]) -> State {
    let (mut ledger, mut last) = (Vec::new(), EventId::ZERO);
    for line in lines.iter().map(AsRef::as_ref) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if let Some(prev) = line.get_mut("prev") {
            *prev = json!(last);
        }
        let line = line.to_string();
        last = EventId::of_line(line.as_bytes());
        ledger.extend_from_slice(line.as_bytes());
        ledger.push(b'\n');
    }
    let Replayed {
        state, diagnostics, ..
    } = replay_bytes(&ledger);
    let flawed: Vec<_> = diagnostics
        .iter()
        .filter(|it| it.message.contains("skipped"))
        .collect();
    assert!(flawed.is_empty(), "{flawed:?}");
    state
}

/// A line of ours for the goal `goal`: `fields` and what every line has, a minute after the last.
pub fn line(minute: u32, kind: &str, goal: &str, fields: Value) -> String {
    let mut line = json!({
        "type": kind,
        "goalId": goal,
        "at": format!("2026-11-21T20:{minute:02}:00.000Z"),
        "by": "user",
        "prev": EventId::of_line(&[minute as u8]).to_string(),
    });
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    line.to_string()
}

/// The creation of a goal.
pub fn created(minute: u32, goal: &str, objective: &str) -> String {
    let fields = json!({"objective": objective, "sisyphus": false, "autoContinue": true});
    line(minute, "goal_created", goal, fields)
}

/// The creation of a goal with a whole contract.
pub fn created_in_full(minute: u32, goal: &str) -> String {
    let fields = json!({
        "objective": "Make the parser accept tabs.\n\nSpaces stay as they are.",
        "sisyphus": true,
        "autoContinue": true,
        "title": "Tabs in the parser",
        "successCriteria": ["tabs parse", "old files parse\nto the same tree"],
        "boundaries": ["the lexer's public types"],
        "constraints": ["no new dependency"],
        "ifBlocked": "Ask on the issue.",
        "verificationContract": "The test suite passes.",
        "checks": ["tests"],
        "category": "code",
    });
    line(minute, "goal_created", goal, fields)
}

/// So many tasks, of which those that `fate` names are done (`c`) or skipped (`s`).
pub fn tasks(count: usize, fate: impl Fn(usize) -> char) -> Tasks {
    let mut tasks = Tasks::default();
    let named = |n: &usize| json!({ "id": format!("t{n}"), "title": "x".repeat(1000) });
    let list: Vec<_> = (0..count).map(|n| named(&n)).collect();
    let mut happen = |name: &str, fields: Value| {
        let payload = Payload::decode(name, &fields.to_string()).unwrap();
        tasks = tasks.after(&[payload]);
    };
    happen(
        "task_list_set",
        json!({ "taskCount": count, "blockCompletion": true, "tasks": list }),
    );
    for n in 0..count {
        let id = format!("t{n}");
        match fate(n) {
            'c' => happen("task_complete", json!({ "taskId": id })),
            's' => happen("task_skipped", json!({ "taskId": id, "reason": "r" })),
            _ => {}
        }
    }
    tasks
}

/// Titles of which every width is wrong in another way: plain, with joined emoji, from right to left, of
/// wide characters.
pub const TITLES: [&str; 4] = [
    "Rotate the token of the service that signs in",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 family plan with 👩🏽\u{200d}💻 and ❤\u{fe0f} for every customer",
    "می\u{200c}خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود",
    "漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです",
];

/// Every reason why something is not proven.
pub fn whys() -> [Why; 11] {
    [
        Why::UnknownLedger,
        Why::UnknownKey(Key::new([1; 32]).id()),
        Why::EarlierSeal,
        Why::Unsealed,
        Why::WrongSeal,
        Why::Consent,
        Why::SignatureUnchecked,
        Why::NotSigned,
        Why::WrongSignature,
        Why::OtherTool,
        Why::OutsideGate,
    ]
}

/// Every way in which something is proven, and every reason why it is not.
pub fn proofs() -> Vec<Proof> {
    let by = [
        Prover::Own,
        Prover::Accepted("ann".to_owned()),
        Prover::Signer,
    ];
    let proven = by.into_iter().map(|by| Proof::Proven { by });
    proven.chain(whys().map(Proof::unproven)).collect()
}
