//! Asking a role whose answer goes on record: which command plays it, and what it means that it
//! cannot be asked or does not answer. Nothing is recorded then.

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::render::text::one_line;
use crate::roles::command::{Choosing, Fault, NoAnswer, Wanted, ask, choose, unreadable};
use crate::roles::reply::{Asked, parse};
use crate::workspace::config::{CommandInForce, Role};

/// Asks the role in JSON and waits for its reply.
///
/// # Errors
/// Nobody is configured for it, it may not run, or it gave no fitting reply.
pub fn asked<A: Asked>(call: &Call, role: Role, question: &A) -> Result<A::Reply, Failure> {
    let name = role.name();
    let choosing = choose(&call.workspace, call.caller.actor, role, &Wanted::default())?;
    let chosen = ready(choosing, || {
        Failure::new(
            "no_role",
            format!("no {name} is configured"),
            format!(
                "set `[{name}]` in the configuration (the user's to do); `docs/roles.md` says how"
            ),
        )
    })?;
    let cancel = interrupt::asked()?;
    let input = serde_json::to_string(question).map_err(|error| Failure::internal(&error))?;
    let none = |why: String| format!("the {name} gave no answer: {why}; nothing is recorded");
    let unfit = |why: String| {
        let hint = format!(
            "try its command by hand: it reads JSON from stdin, and writes one object of \
             `goal schema {}`",
            A::REPLY
        );
        Failure::new("role_failed", none(why), hint)
    };
    match ask(&chosen, &call.workspace.root.path, &(input + "\n"), &cancel) {
        Ok(text) => {
            let reply = parse::<A>(&text);
            reply.map_err(|problem| unfit(format!("its answer does not fit: {problem}")))
        }
        Err(NoAnswer::Unreadable(cause, stderr)) => {
            Err(unfit(unreadable(&cause, &one_line(&stderr))))
        }
        Err(NoAnswer::Cancelled) => {
            let why = none("it was cancelled".to_owned());
            Err(Failure::new("interrupted", why, "run the command again"))
        }
        Err(NoAnswer::NotStarted(error)) => Err(Failure::new(
            "role_failed",
            none(format!("it could not be started: {error}")),
            "mend its command; `goal config` shows what is in force",
        )),
    }
}

/// The command that can be started. `none` says what to do where none is configured.
///
/// # Errors
/// None is, it is not trusted, or the configuration cannot be used.
pub(super) fn ready(
    choosing: Option<Choosing>,
    none: impl FnOnce() -> Failure,
) -> Result<CommandInForce, Failure> {
    match choosing {
        Some(Choosing::Ready(chosen)) => Ok(chosen),
        None => Err(none()),
        Some(Choosing::Unusable { fault, why }) => Err(match fault {
            Fault::Untrusted => Failure::untrusted(why),
            Fault::Invalid => Failure::new(
                "config_invalid",
                why,
                "mend the configuration; `goal config` shows what is in force",
            ),
        }),
    }
}
