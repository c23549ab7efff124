//! How transactions read: one line that says what is so now, and the event that made it so.

use crate::ops::transacted::Transacted;

/// `Paused goal mr5cf6ch-akrg4u (revision 0123abcd…).`
pub fn done(verb: &str, outcome: &Transacted) -> String {
    let goal = outcome
        .goal_id
        .as_ref()
        .map_or_else(String::new, |id| format!(" goal {id}"));
    let revision = outcome.revision.map_or_else(String::new, |revision| {
        format!(" (revision {}…)", &revision.to_string()[..8])
    });
    let again = if outcome.repeated {
        "Already recorded: "
    } else {
        ""
    };
    format!("{again}{verb}{goal}{revision}.\n")
}
