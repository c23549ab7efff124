//! The tools by which an agent says how far the focused goal is and what it does next.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::tools::arguments::{Evaluate, SetAgenda};
use crate::api::tools::told::{Answer, transacted};
use crate::domain::goal::state::Status;
use crate::domain::progress::given::StepGiven;
use crate::ops::agenda;
use crate::ops::call::Call;
use crate::ops::evaluate::{self, Evaluated, Given};
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{self, Note};
use crate::ops::transacted::{Outcome, Transacted};
use crate::render::progress::advised;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Noting {
    /// What happened or was found out; with `score`, what is met and what is missing.
    pub note: String,
    /// What to do next.
    pub next: Option<String>,
    /// How far the goal is, from 0 (nothing) to 1 (every criterion holds).
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub score: Option<f64>,
    /// With `score`: going on as before will not get there.
    pub should_escalate: Option<bool>,
    /// The steps that come next, in place of those on record.
    pub agenda: Option<Vec<StepGiven>>,
}

/// Each part is recorded by itself, in this order. A part that is refused says what is on record.
pub(super) fn note(call: &Call, asked: Noting) -> Result<Answer, Failure> {
    let set = |steps| agenda::set(&call.of_part("agenda"), steps);
    let agenda = match asked.agenda.map(set) {
        // An agenda that is on record already is no reason to lose the note.
        Some(Err(failure)) if failure.code == "nothing_changes" => None,
        set => set.transpose()?,
    };
    let note = Note {
        note: asked.note,
        next: asked.next,
    };
    let mut noted = lifecycle::note(call, &note).map_err(|failure| match agenda {
        Some(_) => behind("the agenda is on record", failure),
        None => failure,
    })?;
    if let Some(set) = agenda {
        noted.events.splice(0..0, set.events);
        noted.notices.splice(0..0, set.notices);
        noted.repeated &= set.repeated;
    }
    let mut text = noted_text(noted.status);
    if let Some(score) = asked.score {
        let given = Given {
            score,
            gap: note.note,
            escalate: asked.should_escalate == Some(true),
        };
        let evaluated = evaluate::evaluate(&call.of_part("score"), Some(&given))
            .map_err(|failure| behind("the note is on record", failure))?;
        text = format!("Noted. {}", then(&evaluated.data).unwrap_or(CLOSE_THE_GAP));
        noted = with_score(noted, evaluated);
    }
    transacted(noted, text)
}

fn with_score(noted: Transacted, evaluated: Outcome<Evaluated>) -> Transacted {
    Outcome {
        revision: evaluated.revision,
        status: evaluated.status,
        events: [noted.events, evaluated.events].concat(),
        notices: [noted.notices, evaluated.notices].concat(),
        repeated: noted.repeated && evaluated.repeated,
        stop_turn: evaluated.stop_turn,
        failure: evaluated.failure,
        ..noted
    }
}

/// The failure of a part of a call, after which an earlier part is on record.
fn behind(recorded: &str, failure: Failure) -> Failure {
    Failure {
        message: format!("{recorded}, but then: {}", failure.message),
        retryable: false,
        ..failure
    }
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

pub(super) fn evaluate(call: &Call, asked: Evaluate) -> Result<Answer, Failure> {
    let given = Given {
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

pub(super) fn agenda(call: &Call, asked: SetAgenda) -> Result<Answer, Failure> {
    let outcome = agenda::set(call, asked.steps)?;
    transacted(
        outcome,
        "The agenda is set. Go on with its next step.".into(),
    )
}
