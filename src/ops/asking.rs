//! Asking a role whose answer goes on record: which command plays it, and what it means that it
//! cannot be asked or does not answer. Nothing is recorded then.

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::roles::command::{Choosing, Fault, Wanted, choose};
use crate::roles::reply::{Asked, NoReply, ask};
use crate::workspace::config::{CommandInForce, Role};

/// Asks the role and waits for its reply.
///
/// # Errors
/// Nobody is configured for it, it may not run, or it gave no fitting reply.
pub fn asked<A: Asked>(call: &Call, role: Role, question: &A) -> Result<A::Reply, Failure> {
    let name = role.name();
    let chosen = usable(call, role)?;
    let cancel = interrupt::asked()?;
    ask(&chosen, &call.workspace.root.path, question, &cancel)
        .map_err(|none| failed(name, A::REPLY, &none))
}

fn usable(call: &Call, role: Role) -> Result<CommandInForce, Failure> {
    let name = role.name();
    let choosing = choose(&call.workspace, call.caller.actor, role, &Wanted::default())?;
    ready(choosing, || {
        Failure::new(
            "no_role",
            format!("no {name} is configured"),
            format!(
                "set `[{name}]` in the configuration (the user's to do); `docs/roles.md` says how"
            ),
        )
    })
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
        Some(Choosing::Unusable {
            fault: Fault::Untrusted,
            why,
        }) => Err(Failure::untrusted(why)),
        Some(Choosing::Unusable {
            fault: Fault::Invalid,
            why,
        }) => Err(Failure::new(
            "config_invalid",
            why,
            "mend the configuration; `goal config` shows what is in force",
        )),
    }
}

fn failed(name: &str, schema: &str, none: &NoReply) -> Failure {
    let message = format!("the {name} gave no answer: {none}; nothing is recorded");
    match none {
        NoReply::Cancelled => Failure::new("interrupted", message, "run the command again"),
        NoReply::NotStarted(_) => Failure::new(
            "role_failed",
            message,
            "mend its command; `goal config` shows what is in force",
        ),
        _ => Failure::new(
            "role_failed",
            message,
            format!(
                "try its command by hand: it reads JSON from stdin, and writes one object of \
                 `goal schema {schema}`"
            ),
        ),
    }
}
