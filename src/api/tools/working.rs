//! The tools of an agent at work on the focused goal.

use crate::api::tools::arguments::{Abort, Anything, Usage};
use crate::api::tools::told::{ToolAnswer, said, transacted};
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Status;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::Pause;
use crate::ops::{lifecycle, usage as using};
use crate::render::columns::unstyled;
use crate::render::cost;

pub(super) fn usage(call: &Call, used: Usage) -> Result<ToolAnswer, Failure> {
    let used = UsageRecorded {
        counters: used.counters,
        model: used.model,
        task_id: used.task_id,
        role: None,
        read_to: None,
    };
    let outcome = using::add(call, used)?;
    let so_far: String = outcome.data.rows.iter().map(cost::row).collect();
    let next = match outcome.status {
        Some(Status::Active) => "Go on with the next step.",
        _ => "The goal rests. Tell the user why and end the turn.",
    };
    let text = format!("Recorded. So far:\n{}{next}", unstyled(&so_far));
    transacted(outcome, text)
}

pub(super) fn pause(call: &Call, pause: Pause) -> Result<ToolAnswer, Failure> {
    let outcome = lifecycle::pause(call, &pause)?;
    let state = match pause.blocked {
        Some(true) => "blocked",
        _ => "paused",
    };
    let text = format!(
        "The goal is {state}. Tell the user why and what you need, and end the turn; they continue \
         it with `goal resume`."
    );
    transacted(outcome, text)
}

pub(super) fn abort(call: &Call, abort: Abort) -> Result<ToolAnswer, Failure> {
    let outcome = lifecycle::end(call, &abort.reason, None)?;
    let text = "The goal is given up for good. Tell the user why, and end the turn.";
    transacted(outcome, text.into())
}

pub(super) fn step_complete(_: &Call, _: Anything) -> Result<ToolAnswer, Failure> {
    said(
        "Nothing was recorded: steps are not counted, and a step that is done needs no call. \
         Record what a later session must know with `note_progress`, and request completion with \
         `update_goal` when every criterion holds.",
    )
}
