//! The tools by which an agent says how far the focused goal is and what it does next.

use crate::api::tools::arguments::{Evaluate, SetAgenda};
use crate::api::tools::told::{Answer, transacted};
use crate::ops::agenda;
use crate::ops::call::Call;
use crate::ops::evaluate::{self, Given};
use crate::ops::failure::Failure;
use crate::render::progress::advised;

pub(super) fn evaluate(call: &Call, asked: Evaluate) -> Result<Answer, Failure> {
    let given = Given {
        score: asked.score,
        gap: asked.gap_analysis,
        escalate: asked.should_escalate == Some(true),
    };
    let outcome = evaluate::evaluate(call, Some(&given))?;
    let text = match &outcome.data.progress {
        _ if outcome.data.abandoned => {
            "The goal is given up for good, as the user's configuration says. Tell the user why, \
             and end the turn."
        }
        Some(progress) => advised(progress.advice).unwrap_or("Recorded. Close the gap next."),
        None => "Recorded. Close the gap next.",
    };
    let text = text.to_owned();
    transacted(outcome, text)
}

pub(super) fn agenda(call: &Call, asked: SetAgenda) -> Result<Answer, Failure> {
    let outcome = agenda::set(call, asked.steps)?;
    transacted(
        outcome,
        "The agenda is set. Go on with its next step.".into(),
    )
}
