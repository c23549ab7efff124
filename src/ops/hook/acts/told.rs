//! What the user and the model are told of an act.

use super::words::as_typed;
use super::{Act, Typed};
use crate::domain::diagnostic::Diagnostic;
use crate::ops::call::Call;
use crate::ops::complete::Completed;
use crate::ops::failure::Failure;
use crate::ops::questions::OpenQuestion;
use crate::ops::transacted::{Outcome, Record, again};
use crate::render::text::{clean, one_line};
use crate::transaction::place::missing;

/// What came of an act.
pub(super) struct Told {
    /// What the user reads; the model gets it too.
    pub user: String,
    /// What only the model needs.
    pub model: String,
}

pub(super) fn refused(typed: &Typed<'_>, failure: &Failure) -> Told {
    let name = typed.again(typed.act, "");
    let (message, hint) = (&failure.message, failure.hint.trim_end());
    let why = as_typed(typed.before, &format!("{message}; {hint}\n"));
    Told {
        user: format!("{name} did nothing: {why}"),
        model:
            "Do not do it in another way. Tell the user in one sentence what is missing, and end \
                your turn.\n"
                .to_owned(),
    }
}

/// Why nothing can be done and nothing is known: the ledger is missing.
pub(super) fn lost(call: &Call) -> Option<Failure> {
    let lost = missing(&call.workspace)?;
    Some(Failure::new(lost.code.name(), lost.message, lost.hint))
}

/// An open question, and how it is answered here.
pub(super) fn asked(question: &OpenQuestion, typed: &Typed<'_>) -> String {
    let how = typed.again(Act::Answer, &one_line(&question.question_id));
    format!("  {how}: {}\n", one_line(&question.question))
}

/// What was done, and what is to be known of it.
pub(super) fn done<T>(verb: &str, outcome: &Outcome<T>) -> String {
    let id = outcome.goal_id.as_ref();
    let goal = id.map_or_else(String::new, |id| format!(" goal {id}"));
    let notices = outcome.notices.iter().map(noted).collect::<String>();
    format!("{}{verb}{goal}.\n{notices}", again(outcome.repeated))
}

fn noted(notice: &Diagnostic) -> String {
    format!("Note: {} ({})\n", notice.message, notice.hint)
}

/// What an audit came to, or that it is under way.
pub(super) fn judged(completed: &Completed, typed: &Typed<'_>) -> Told {
    let id = &completed.goal_id;
    if completed.pending {
        return Told {
            user: format!(
                "Completion of goal {id} is requested, and its audit is under way. {} once more shows the \
                 verdict when it is there; so do `goal status` and `goal inbox`.\n",
                typed.again(Act::Complete, typed.rest)
            ),
            model: "Change nothing that is audited. End your turn.\n".to_owned(),
        };
    }
    let notices = completed.notices.iter().map(noted).collect::<String>();
    if completed.is_approved() {
        return Told {
            user: format!("Complete: the auditor approved goal {id}.\n{notices}"),
            model: "Say so, and end your turn.\n".to_owned(),
        };
    }
    let said = completed.failure();
    let said = said.map_or_else(String::new, |it| format!(": {}; {}", it.message, it.hint));
    let report = completed.report.as_deref().unwrap_or_default();
    Told {
        user: format!(
            "Goal {id} stays open{said}\n{}\n{notices}",
            clean(report).trim_end()
        ),
        model: "Address the objections; the user asks again, or you do when they are met.\n"
            .to_owned(),
    }
}
