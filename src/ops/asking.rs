//! Asking a role whose answer goes on record: which command plays it, and what it means that it
//! cannot be asked or does not answer. Of an answer that cannot be used nothing is recorded but what
//! the call cost.

use std::time::{Duration, Instant};

use crate::domain::actor::Actor;
use crate::domain::cost::CostCommand;
use crate::domain::cost::state::{LLM_CALLS, SECONDS};
use crate::domain::decide::needs_adoption;
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Goal;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::render::text::one_line;
use crate::roles::command::{Choosing, CommandOptions, Fault, NoAnswer, answered, run, unreadable};
use crate::roles::reply::{Asked, parse};
use crate::workspace::config::{CommandInForce, Role};

/// What a role said, and what it cost to ask it, which is recorded with what follows from it.
#[derive(Debug)]
pub(super) struct RoleReply<T> {
    pub said: T,
    pub cost: UsageRecorded,
}

/// Asks the role in JSON about this goal, and waits for its reply.
///
/// # Errors
/// Nobody is configured for it, it may not run, or it gave no fitting reply.
pub(super) fn asked<A: Asked>(
    call: &Call,
    role: Role,
    goal: Option<&Goal>,
    question: &A,
) -> Result<RoleReply<A::Reply>, Failure> {
    let name = role.name();
    let choosing = call.choose(role, &CommandOptions::default())?;
    let chosen = ready(choosing, || {
        Failure::new(
            "no_role",
            format!("no {name} is configured"),
            format!(
                "set `[{name}]` in the configuration (user only); `goal schema {name}-input` \
                 describes its input"
            ),
        )
    })?;
    let input = serde_json::to_string(question).map_err(|error| Failure::internal(&error))?;
    let none = |why: String, left: &str| format!("the {name} gave no answer: {why}; {left}");
    let unfit = |why: String, left: &str| {
        let hint = format!(
            "try its command by hand: it reads JSON from stdin, and writes one object of \
             `goal schema {}`",
            A::REPLY
        );
        Failure::new("role_failed", none(why, left), hint)
    };
    let (answer, cost) = timed(call, role, &chosen, &(input + "\n"))?;
    let fit = match answer {
        Ok(text) => parse::<A>(&text),
        Err(NoAnswer::Unreadable(cause, stderr)) => {
            let left = charge(call, goal, cost);
            return Err(unfit(unreadable(&cause, &one_line(&stderr)), left));
        }
        Err(NoAnswer::Cancelled) => {
            let why = none("it was cancelled".to_owned(), charge(call, goal, cost));
            return Err(Failure::new("interrupted", why, "run the command again"));
        }
        Err(NoAnswer::NotStarted(error)) => {
            return Err(Failure::new(
                "role_failed",
                none(format!("it could not be started: {error}"), NOTHING),
                "fix its command; `goal config` shows what is in force",
            ));
        }
    };
    match fit {
        Ok(said) => Ok(RoleReply { said, cost }),
        Err(problem) => {
            let left = charge(call, goal, cost);
            Err(unfit(format!("its answer does not fit: {problem}"), left))
        }
    }
}

/// Asks the command that plays a role, and says what the call cost.
///
/// # Errors
/// Ctrl-C cannot be listened for.
pub(super) fn timed(
    call: &Call,
    role: Role,
    chosen: &CommandInForce,
    prompt: &str,
) -> Result<(Result<String, NoAnswer>, UsageRecorded), Failure> {
    let cancel = interrupt::asked()?;
    let begun = Instant::now();
    let what = format!("the {} is at work", role.name());
    let answer = call
        .status_line
        .while_under_way(&what, Some(chosen.timeout.value), || {
            answered(run(chosen, &call.workspace.root.path, prompt, &cancel))
        });
    let model = chosen.model.model.clone();
    Ok((answer, cost_of(role, model, begun.elapsed())))
}

/// What one call of a role's program counts as.
pub(super) fn cost_of(role: Role, model: Option<String>, took: Duration) -> UsageRecorded {
    let seconds = took.as_millis() as f64 / 1000.0;
    UsageRecorded {
        counters: [(LLM_CALLS.to_owned(), 1.0), (SECONDS.to_owned(), seconds)].into(),
        model,
        task_id: None,
        role: Some(role.name().to_owned()),
        read_to: None,
    }
}

/// What there is to say of the ledger where nothing was recorded.
pub(super) const NOTHING: &str = "nothing is recorded";

/// Records what a call cost that brought nothing, where it was about a goal of ours, and says what is
/// recorded.
pub(super) fn charge(call: &Call, goal: Option<&Goal>, cost: UsageRecorded) -> &'static str {
    let Some(goal) = goal.filter(|goal| !needs_adoption(goal)) else {
        return NOTHING;
    };
    let request = call.request(CostCommand::Add(cost)).on(&goal.id);
    match request.by(Actor::System).run() {
        Ok(_) => "nothing is recorded but what the call cost",
        // That it brought nothing is what the caller has to be told.
        Err(_) => NOTHING,
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
    usable(choosing.ok_or_else(none)?)
}

/// The command that was chosen, where it can be started.
///
/// # Errors
/// It is not trusted, or the configuration cannot be used.
pub(super) fn usable(choosing: Choosing) -> Result<CommandInForce, Failure> {
    match choosing {
        Choosing::Ready(chosen) => Ok(chosen),
        Choosing::Unusable { fault, why } => Err(match fault {
            Fault::Untrusted | Fault::Changed => Failure::untrusted(why),
            Fault::Invalid => Failure::new(
                "config_invalid",
                why,
                "fix the configuration; `goal config` shows what is in force",
            ),
        }),
    }
}
