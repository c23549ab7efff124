//! The tools by which an agent says how far the focused goal is and what it does next.

use crate::api::tools::arguments::{Evaluate, SetAgenda};
use crate::api::tools::told::{ToolAnswer, transacted};
use crate::domain::goal::state::Status;
use crate::ops::agenda;
use crate::ops::call::Call;
use crate::ops::evaluate::{self, Evaluated, GivenScore, Noting};
use crate::ops::failure::Failure;
use crate::render::progress::advised;

/// All of it is recorded, or nothing.
pub(super) fn note(call: &Call, asked: Noting) -> Result<ToolAnswer, Failure> {
    let is_scored = asked.score.is_some();
    let waits = asked.wait_for.is_some();
    let (noted, evaluated) = evaluate::note(call, asked)?;
    let text = match is_scored {
        _ if waits => "Noted. The goal waits: end the turn.".to_owned(),
        true => format!("Noted. {}", then(&evaluated).unwrap_or(CLOSE_THE_GAP)),
        false => noted_text(noted.status),
    };
    transacted(noted, text)
}

fn noted_text(status: Option<Status>) -> String {
    match status {
        Some(Status::Active) => "Noted. Go on with the next step.".to_owned(),
        status => format!(
            "Noted. The goal is {}: do not work on it, and end the turn; the user takes it up again \
             with `goal resume`.",
            status.map_or("not active", Status::name)
        ),
    }
}

pub(super) fn evaluate(call: &Call, asked: Evaluate) -> Result<ToolAnswer, Failure> {
    let given = GivenScore {
        score: asked.score,
        gap: asked.gap_analysis,
        escalate: asked.should_escalate == Some(true),
    };
    let outcome = evaluate::evaluate(call, Some(&given))?;
    let text = match then(&outcome.data) {
        Some(then) => then.to_owned(),
        None => format!("Recorded. {CLOSE_THE_GAP}"),
    };
    transacted(outcome, text)
}

const CLOSE_THE_GAP: &str = "Close the gap next.";

/// What an evaluation calls for.
fn then(evaluated: &Evaluated) -> Option<&'static str> {
    if evaluated.abandoned {
        return Some(
            "The goal is given up for good, as the user's configuration says. Tell the user why, \
             and end the turn.",
        );
    }
    advised(evaluated.progress.as_ref()?.advice)
}

pub(super) fn agenda(call: &Call, asked: SetAgenda) -> Result<ToolAnswer, Failure> {
    let outcome = agenda::set(call, asked.steps)?;
    transacted(
        outcome,
        "The agenda is set. Go on with its next step.".into(),
    )
}
