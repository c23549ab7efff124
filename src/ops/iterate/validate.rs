//! Validating an iteration: promises from the agent's output, rules as checks, one judgement.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::outcome::Iterated;
use super::{command, settings, told};
use crate::domain::command::Outside;
use crate::domain::event::IterationValidated;
use crate::domain::iteration::judge::{self, Passing, Signal, judge};
use crate::domain::iteration::state::{Iterations, Open, RuleResult};
use crate::domain::iteration::{IterationCommand, Validated};
use crate::domain::redact::redact;
use crate::domain::time::millis;
use crate::ops::call::Call;
use crate::ops::check;
use crate::ops::failure::Failure;
use crate::render::iteration::{elapsed, gist};
use crate::roles::checks::Outcome;

/// Reads the promises in `output`, runs the rules and judges both. Without an id, the only open
/// iteration is meant; without an output, nothing is promised. `done` is told of each rule as it
/// ends.
///
/// An iteration that is blocked, or at its maximum, ends, and its task (without one the goal) is
/// blocked, in the same write.
///
/// # Errors
/// Refusals before any rule runs; a rule of the project that is not trusted; an iteration that
/// moved on meanwhile. Rules that fail are an outcome.
pub fn validate(
    call: &Call,
    iteration: Option<&str>,
    output: Option<&[u8]>,
    done: &(dyn Fn(&Outcome) + Sync),
) -> Result<Iterated, Failure> {
    call.refuse_auditor()?;
    let output = output.map(String::from_utf8_lossy);
    let arguments = json!({ "goal": call.goal, "iteration": iteration, "output": output });
    if let Some(recorded) = call.answer_again(IterationCommand::VALIDATE, &arguments)? {
        return Ok(told(recorded, None));
    }
    // What would be refused in the end is refused before anything runs.
    let snapshot = call.may(Outside::OnGoal)?;
    let goal = call.target(&snapshot)?;
    let open = goal.iterations.find(iteration)?;
    let variables = &call.workspace.environment.iteration;
    let default = Duration::from_millis(settings::validation_timeout(variables)?);
    let outcomes = check::run(call, &open.rules, default, done)?;
    let promised = output.and_then(|text| judge::find(&text, &open.promises));
    let signal = promised.as_ref().map(|it| it.signal);
    let act = IterationCommand::Validate(Validated {
        seen: IterationValidated {
            iteration_id: open.id.clone(),
            iteration: open.current,
            results: results(&outcomes),
            ..IterationValidated::default()
        },
        promise: promised,
        runs: check::runs(&outcomes, open.task.as_deref()),
    });
    let request = call.request(command(call, act)).on(&goal.id);
    let mut validated = told(request.key(arguments).run()?, signal);
    if let Some(long) = overtime(open, call.workspace.environment.now_millis()) {
        validated.message += &long;
    }
    Ok(validated)
}

/// What each rule came to, by its name.
pub(in crate::ops) fn results(outcomes: &[Outcome]) -> BTreeMap<String, RuleResult> {
    let results = outcomes.iter().map(|outcome| {
        // Filtered before it is cut: of half a secret the filter knows nothing.
        let (pass, message) = (outcome.pass, gist(&redact(&outcome.report).text));
        (outcome.name.clone(), RuleResult { pass, message })
    });
    results.collect()
}

/// What a validation that is on record came to.
pub(super) fn judged(
    outcome: Iterated,
    validated: &IterationValidated,
    promise: Option<Signal>,
    iterations: &Iterations,
) -> Iterated {
    let id = &validated.iteration_id;
    let number = iterations.counted(id, validated.iteration);
    let outcome = outcome.active(id, number, iterations);
    let signals = [Signal::Complete, Signal::Blocked];
    let signal = validated.signal.as_deref();
    let signal = signals.into_iter().find(|it| Some(it.name()) == signal);
    let counts = (number, outcome.max_iterations);
    let results: BTreeMap<String, RuleResult> = validated.results.clone();
    // With the signal that came of it, the same judgement; the promise only adds to the words.
    let judged = judge(&results, Passing::Sign, promise.or(signal), counts);
    Iterated {
        validation_results: Some(results),
        completion_signal: Some(signal),
        should_continue: Some(judged.should_continue),
        message: judged.message,
        ..outcome
    }
}

/// Says that an iteration took longer than it was meant to, which stops nothing.
fn overtime(open: &Open, now: i64) -> Option<String> {
    let took = u64::try_from(now.saturating_sub(millis(&open.since)?)).ok()?;
    let meant = open.timeout_ms.filter(|meant| took > *meant)?;
    Some(format!(
        ". It has taken {}, longer than the {} it was meant to",
        elapsed(took),
        elapsed(meant)
    ))
}
