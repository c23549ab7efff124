//! Several steps in a row, until something waits.

use super::{EarlierStep, StepOptions, Stepped, step};
use crate::ops::call::Call;
use crate::ops::failure::Failure;

/// Most steps in a row: a goal has no more tasks, and each has few attempts.
const MOST: usize = 1000;

/// Takes steps until one waits for something or fails for good. The last one, which has the events of
/// all; and what each of those before it says. A step that is refused after others were taken is the
/// failure of the last of these.
///
/// # Errors
/// The first step is refused; a request key, which names one step.
pub fn until_waits(mut call: Call, asked: &StepOptions) -> Result<(Vec<String>, Stepped), Failure> {
    if call.key.is_some() {
        return Err(Failure::usage(
            "`--key` names one step, and several are asked for",
            "leave out one of the two",
        ));
    }
    let mut last = step(&call, asked)?;
    let mut said = Vec::new();
    // What was named is what the first step was to be taken on, and how.
    call.expect = None;
    while said.len() < MOST && !is_over(&last) {
        match step(&call, &StepOptions::default()) {
            Err(failure) => last.failure = Some(failure),
            Ok(next) => {
                said.push(last.text());
                last = after(last, next);
            }
        }
    }
    Ok((said, last))
}

fn is_over(step: &Stepped) -> bool {
    step.waits_for.is_some() || step.failure.is_some() || step.stop_turn
}

/// The next step, with what was done before it.
fn after(before: Stepped, next: Stepped) -> Stepped {
    let mut earlier = before.earlier;
    earlier.push(EarlierStep {
        did: before.did,
        task_id: before.task.map(|task| task.id),
    });
    Stepped {
        events: [before.events, next.events].concat(),
        notices: [before.notices, next.notices].concat(),
        earlier,
        ..next
    }
}
