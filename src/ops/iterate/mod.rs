//! Iterations: try, validate by what can be observed, learn, try again.

mod outcome;
mod settings;
mod validate;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::documents::agents;
use crate::documents::store::read;
use crate::domain::command::Command;
use crate::domain::event::{IterationCompleted, Payload};
use crate::domain::iteration::IterationCommand;
use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::state::IterationOutcome;
use crate::domain::iteration::stats::{IterationStats, Tally};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::iteration::elapsed;
use crate::render::text::one_line;
use crate::transaction::Recorded;

pub use outcome::{Iterated, IterationStatus};
pub use settings::Start;
pub(in crate::ops) use settings::validation_timeout;
pub(in crate::ops) use validate::results;
pub use validate::validate;

/// Begins to go round. The path of an agent's definition is relative to the working directory.
///
/// # Errors
/// The definition or a variable cannot be used; one is under way already; what is given makes no
/// sense.
pub fn start(call: &Call, asked: &Start) -> Result<Iterated, Failure> {
    let list = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let arguments = json!({
        "goal": call.goal,
        "task": asked.task_id,
        "maxIterations": asked.max_iterations,
        "promises": list(&asked.completion_promises),
        "rules": list(&asked.validation_rules),
        "agent": asked.agent_file,
    });
    let environment = &call.workspace.environment;
    let agent = asked.agent_file.as_deref();
    let agent = agent.map(|path| definition(call, path)).transpose()?;
    let fresh = call.fresh_id();
    let starting = settings::settle(fresh, asked.clone(), agent, &environment.iteration)?;
    let act = IterationCommand::Start(starting);
    record(call, act, arguments)
}

/// What an agent's definition says of its iterations; its path is relative to the working directory.
///
/// # Errors
/// It cannot be read, or says nothing that can be used.
pub(in crate::ops) fn definition(
    call: &Call,
    path: &str,
) -> Result<agents::AgentIteration, Failure> {
    let whole = call.workspace.environment.cwd.join(path);
    let unusable = |why: String| {
        Failure::usage(
            format!("the agent definition {} {why}", one_line(path)),
            "`docs/runs.md` shows what its frontmatter may say",
        )
    };
    let text = read(&whole)
        .map_err(|error| Failure::io(&error, "name a regular file: an agent's definition"))?;
    let found = agents::parse(&text).map_err(unusable)?;
    match found.enabled {
        Some(false) => Err(unusable(
            "says `enabled: false`, so its agent does not iterate".into(),
        )),
        _ => Ok(found),
    }
}

// Which iteration goes on: of `goal progress iterate next` and iteration_next.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Next {
    /// The only one under way without it.
    #[arg(
        long = "iteration",
        value_name = "ID",
        help = "The iteration [default: the only open one]"
    )]
    pub iteration_id: Option<String>,
    /// What the iteration before has taught.
    #[arg(
        long,
        value_name = "TEXT",
        help = "What the last iteration has taught; reports use it"
    )]
    pub learned: Option<String>,
}

/// Counts up. Without an id, the only open iteration is meant.
///
/// # Errors
/// There is none, there are several, or its maximum is reached.
pub fn next(call: &Call, asked: &Next) -> Result<Iterated, Failure> {
    let (iteration, learned) = (asked.iteration_id.clone(), asked.learned.clone());
    let arguments = json!({ "goal": call.goal, "iteration": iteration, "learned": learned });
    let act = IterationCommand::Next { iteration, learned };
    record(call, act, arguments)
}

// How an iteration ends: of `goal progress iterate complete` and iteration_complete.
#[derive(Debug, Clone, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Complete {
    /// The only one under way without it.
    #[arg(
        long = "iteration",
        value_name = "ID",
        help = "The iteration [default: the only open one]"
    )]
    pub iteration_id: Option<String>,
    #[arg(
        long,
        value_name = "HOW",
        value_parser = outcome(),
        help = "How it ended; success only if the latest validation gave COMPLETE"
    )]
    pub outcome: IterationOutcome,
    /// What came of it; why, where it is blocked.
    #[arg(long, value_name = "TEXT", help = "The result")]
    pub summary: String,
}

fn outcome() -> impl TypedValueParser<Value = IterationOutcome> {
    let names = PossibleValuesParser::new(["success", "blocked", "max_iterations"]);
    names.try_map(|name| serde_json::from_value(name.into()))
}

/// Ends an iteration. One that its validation has ended in the same way is answered from the
/// record.
///
/// # Errors
/// A success that no validation shows, a maximum that is not reached, or no such iteration.
pub fn complete(call: &Call, asked: &Complete) -> Result<Iterated, Failure> {
    let Complete {
        iteration_id: iteration,
        outcome,
        summary,
    } = asked.clone();
    if let Some(over) = over_already(call, iteration.as_deref(), outcome)? {
        return Ok(over);
    }
    let arguments = json!({
        "goal": call.goal,
        "iteration": iteration,
        "outcome": outcome,
        "summary": summary,
    });
    let act = IterationCommand::Complete {
        iteration,
        outcome,
        summary,
    };
    record(call, act, arguments)
}

/// A validation may have ended it already, and its turn: that is no reason to refuse an agent that
/// says the same.
fn over_already(
    call: &Call,
    iteration: Option<&str>,
    outcome: IterationOutcome,
) -> Result<Option<Iterated>, Failure> {
    let (Some(id), None) = (iteration, &call.key) else {
        return Ok(None);
    };
    call.refuse_auditor()?;
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let over = goal.iterations.over(id);
    let Some(over) = over.filter(|it| it.outcome == outcome) else {
        return Ok(None);
    };
    let completed = IterationCompleted {
        iteration_id: over.id.clone(),
        outcome,
        summary: over.summary.clone(),
        total_iterations: over.total_iterations,
        elapsed_ms: over.elapsed_ms,
    };
    let known = Iterated {
        goal_id: Some(goal.id.clone()),
        revision: snapshot.revision(goal)?,
        goal_status: Some(goal.status),
        repeated: true,
        ..Iterated::default()
    };
    Ok(Some(Iterated {
        message: "It was over already; this summary is not recorded".into(),
        ..known.ended(&completed, &goal.iterations)
    }))
}

/// How iterations went, over all goals and by rule, agent and goal.
pub fn stats(call: &Call) -> Result<Iterated, Failure> {
    let snapshot = call.look()?;
    let mut all = Tally::default();
    let (mut open, mut goals) = (0, Vec::new());
    for goal in snapshot.state.goals.values() {
        let title = goal.contract.heading();
        goals.extend(goal.iterations.tally.of_goal(&goal.id, title));
        all.add(&goal.iterations.tally);
        open += goal.iterations.open.len() as u64;
    }
    Ok(Iterated {
        stats: Some(IterationStats::of(&all, open, goals)),
        message: "Over all goals".into(),
        ..Iterated::default()
    })
}

fn record(call: &Call, act: IterationCommand, arguments: Value) -> Result<Iterated, Failure> {
    let recorded = call.request(command(call, act)).key(arguments).run()?;
    Ok(told(recorded, None))
}

/// The command of an act on an iteration, at this time.
pub(in crate::ops) fn command(call: &Call, act: IterationCommand) -> Command {
    Command::Iteration {
        act: Box::new(act),
        now: call.workspace.environment.now_millis(),
    }
}

/// The outcome, from what was recorded now or before, and what was promised now.
fn told((receipt, now): Recorded, promise: Option<Signal>) -> Iterated {
    let goal = receipt.goal(&now);
    let iterations = goal.map(|goal| goal.iterations.clone());
    let iterations = iterations.unwrap_or_default();
    let payloads: Vec<Payload> = receipt.payloads().cloned().collect();
    let mut outcome = Iterated::of(receipt);
    for payload in &payloads {
        match payload {
            Payload::IterationStarted(it) => {
                outcome = outcome.active(&it.iteration_id, 0, &iterations);
                outcome.max_iterations = it.max_iterations;
                outcome.task_id.clone_from(&it.task_id);
                outcome.message = format!("Iteration {} is under way", it.iteration_id);
            }
            Payload::IterationAdvanced(it) => {
                let number = iterations.counted(&it.iteration_id, it.iteration);
                outcome = outcome.active(&it.iteration_id, number, &iterations);
                let most = outcome.max_iterations;
                let most = most.map_or_else(String::new, |most| format!("/{most}"));
                outcome.message = format!("Iteration {number}{most} started");
            }
            Payload::IterationValidated(it) => {
                outcome = validate::judged(outcome, it, promise, &iterations);
            }
            Payload::IterationCompleted(it) => {
                let message = std::mem::take(&mut outcome.message);
                outcome = outcome.ended(it, &iterations);
                outcome.message = match message.as_str() {
                    "" => format!(
                        "Iteration {} ended after {}",
                        it.iteration_id,
                        elapsed(it.elapsed_ms)
                    ),
                    message => message.to_owned(),
                };
            }
            Payload::TaskBlocked(it) => {
                outcome.message += &format!(". Task {} is blocked", it.task_id);
            }
            Payload::GoalPaused(_) => outcome.message += ". The goal is blocked",
            _ => {}
        }
    }
    outcome
}
