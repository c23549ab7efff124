//! The conformance suite for helpers of stores (docs/stores.md#what-a-helper-must-hold): each rule is
//! tried with helper processes of its own, in ledgers of its own with random names.

mod appends;
mod bench;
mod leases;
mod requests;
mod turns;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::store::helper::Access;

use bench::Bench;

/// What a rule came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ruled {
    pub rule: String,
    /// Null where it was not tried.
    pub passed: Option<bool>,
    /// What went wrong, or why it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why a rule is not held.
pub type Broken = String;

type Rule = (&'static str, fn(&Bench) -> Result<(), Broken>);

/// The rules, the simple ones first: a later one relies on those before it.
const RULES: &[Rule] = &[
    (
        "hello agrees on version 1 and refuses others",
        requests::hello,
    ),
    (
        "a senseless request is refused, and the helper goes on",
        requests::senseless,
    ),
    ("create makes a ledger once", requests::create),
    (
        "a ledger that is not there is `no_ledger`",
        requests::no_ledger,
    ),
    ("lines come back byte for byte, in order", requests::bytes),
    (
        "an answer begins with the line that holds the byte before `from`",
        requests::from,
    ),
    ("a `from` beyond the end is `ahead`", requests::ahead),
    (
        "watch answers at once, when a line comes, or after `waitMs`",
        requests::watch,
    ),
    ("ledgers lists them", requests::ledgers),
    (
        "an append goes only where its turn began, else `moved`",
        appends::moved,
    ),
    (
        "an id is there once, and a refused append leaves nothing",
        appends::duplicate,
    ),
    (
        "an append ends the turn, whatever its answer is",
        appends::ends_turn,
    ),
    (
        "a helper whose stdin ends gives its turn back",
        turns::hung_up,
    ),
    (
        "whoever waits longer than `waitMs` is answered `busy`",
        turns::busy,
    ),
    ("turns do not overlap", turns::overlap),
    (
        "a helper that is killed in an append leaves all of it or nothing",
        turns::killed_in_append,
    ),
    (
        "a helper that is killed in its turn loses it",
        turns::killed,
    ),
    (
        "a helper that stops loses its turn, and its append is refused",
        turns::stopped,
    ),
    (
        "leases have one holder, and tokens that grow",
        leases::one_holder,
    ),
    (
        "an append with an outdated token is `fenced`",
        leases::fenced,
    ),
];

/// Tries the rules, those with these words in them, on the helper with this command. `step` is told of
/// each before it is tried; `most_turn` is the longest that the store lets a helper keep its turn.
///
/// # Errors
/// The caller only reads, or no rule has these words.
pub fn check(
    call: &Call,
    command: &[String],
    most_turn: Duration,
    words: &str,
    step: &dyn Fn(&str),
) -> Result<Vec<Ruled>, Failure> {
    call.refuse_auditor()?;
    let is_meant = |(rule, _): &&Rule| rule.contains(words);
    if !RULES.iter().any(|it| is_meant(&it)) {
        return Err(Failure::usage(
            "no rule has these words",
            "leave `--only` out, which lists the rules",
        ));
    }
    let bench = Bench::new(
        Access {
            command: command.to_vec(),
            cwd: call.workspace.root.path.clone(),
        },
        most_turn,
        call.fresh_id(),
    );
    let mut ruled = Vec::new();
    for (rule, attempt) in RULES.iter().filter(is_meant) {
        step(rule);
        let broken = attempt(&bench).err();
        let skipped = bench.skipped();
        ruled.push(Ruled {
            rule: (*rule).to_owned(),
            passed: (broken.is_some() || skipped.is_none()).then_some(broken.is_none()),
            why: broken.or(skipped),
        });
    }
    Ok(ruled)
}
