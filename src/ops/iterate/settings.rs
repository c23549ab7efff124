//! What an iteration begins with: the call beats the agent's file, that the environment, that the
//! built-in defaults.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::documents::agents::AgentIteration;
use crate::domain::event::IterationStarted;
use crate::domain::iteration::judge::{BLOCKED, COMPLETE};
use crate::ops::failure::Failure;
use crate::workspace::environment::IterationVariables;

/// How many iterations there are when nobody said.
const MOST: u64 = 15;
/// How long one may take when nobody said, in milliseconds.
const TIMEOUT: u64 = 300_000;
/// How long a rule may take when nobody said, in milliseconds.
const VALIDATION_TIMEOUT: u64 = 60_000;

// What an iteration is begun with: of `goal progress iterate start` and iteration_start. The agent's file has
// what is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    /// The task that it is for; the goal itself without it.
    #[arg(
        long = "task",
        value_name = "TASK",
        help = "The task that it is for [default: the goal itself]"
    )]
    pub task_id: Option<String>,
    /// How many iterations at most; 15 without it, or as configured.
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000),
        help = "Maximum of iterations [default: the agent's file, ITERATION_MAX_DEFAULT, 15]"
    )]
    pub max_iterations: Option<u64>,
    /// Promises of your own, each a line; one that contains BLOCKED blocks, any other completes.
    #[arg(
        long = "promise",
        value_name = "TEXT",
        help = "A promise in addition to <promise>COMPLETE</promise> and \
                <promise>BLOCKED</promise>. If it contains BLOCKED it blocks, else it completes"
    )]
    pub completion_promises: Option<Vec<String>>,
    /// Names of checks that must pass.
    #[arg(long = "rule", value_name = "NAME", help = "A check that must pass")]
    pub validation_rules: Option<Vec<String>>,
    /// Path of an agent's definition whose frontmatter has `iteration`; what is given here beats it.
    #[arg(
        long = "agent",
        value_name = "FILE",
        help = "An agent's definition, whose frontmatter has `iteration`; options override it"
    )]
    pub agent_file: Option<String>,
}

/// Settles what holds; `fresh` is for the iteration's id.
///
/// # Errors
/// A variable that is no number.
pub fn settle(
    fresh: String,
    given: Start,
    agent: Option<AgentIteration>,
    environment: &IterationVariables,
) -> Result<IterationStarted, Failure> {
    let agent = agent.unwrap_or_default();
    let most = number("ITERATION_MAX_DEFAULT", environment.most.as_deref(), MOST);
    let own = |given: Option<Vec<String>>, agent: Option<Vec<String>>| {
        given.filter(|given| !given.is_empty()).or(agent)
    };
    let promises = own(given.completion_promises, agent.completion_promises);
    let mut rules = own(given.validation_rules, agent.validation_rules).unwrap_or_default();
    let mut seen = std::collections::BTreeSet::new();
    rules.retain(|rule| seen.insert(rule.clone()));
    Ok(IterationStarted {
        iteration_id: fresh,
        task_id: given.task_id,
        max_iterations: Some(match given.max_iterations.or(agent.max_iterations) {
            Some(most) => most,
            None => most?,
        }),
        completion_promises: promises
            .unwrap_or_else(|| vec![COMPLETE.to_owned(), BLOCKED.to_owned()]),
        rules,
        timeout_ms: Some(number(
            "ITERATION_TIMEOUT",
            environment.timeout.as_deref(),
            TIMEOUT,
        )?),
        passing: None,
    })
}

/// How long a rule may take that has no deadline of its own, in milliseconds.
///
/// # Errors
/// The variable is no number.
pub fn validation_timeout(environment: &IterationVariables) -> Result<u64, Failure> {
    let said = environment.validation_timeout.as_deref();
    number("ITERATION_VALIDATION_TIMEOUT", said, VALIDATION_TIMEOUT)
}

fn number(name: &str, said: Option<&str>, default: u64) -> Result<u64, Failure> {
    let Some(said) = said else { return Ok(default) };
    match said.trim().parse() {
        Ok(number) if (1..=1_000_000_000).contains(&number) => Ok(number),
        _ => Err(Failure::usage(
            format!("{name} is `{said}`, which is no whole number from 1 to 1000000000"),
            "correct it, or unset it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn settle_fresh(
        given: Start,
        agent: Option<AgentIteration>,
        environment: &IterationVariables,
    ) -> Result<IterationStarted, Failure> {
        settle("fresh".into(), given, agent, environment)
    }

    fn call() -> Start {
        Start {
            max_iterations: Some(1),
            completion_promises: Some(texts(&["call"])),
            validation_rules: Some(texts(&["a", "b", "a"])),
            ..Start::default()
        }
    }

    fn file() -> Option<AgentIteration> {
        Some(AgentIteration {
            enabled: Some(true),
            max_iterations: Some(2),
            completion_promises: Some(texts(&["file"])),
            validation_rules: Some(texts(&["c"])),
        })
    }

    fn variables(most: &str, timeout: &str) -> IterationVariables {
        IterationVariables {
            most: Some(most.into()),
            timeout: Some(timeout.into()),
            validation_timeout: None,
        }
    }

    #[test]
    fn the_call_beats_the_agents_file() {
        let settled = settle_fresh(call(), file(), &variables("3", "4")).unwrap();
        assert_eq!(
            (settled.max_iterations, settled.timeout_ms),
            (Some(1), Some(4))
        );
        assert_eq!(settled.completion_promises, ["call"]);
        assert_eq!(settled.rules, ["a", "b"], "each once");
    }

    #[test]
    fn the_agents_file_beats_the_environment() {
        let settled = settle_fresh(Start::default(), file(), &variables("3", "4")).unwrap();
        assert_eq!(settled.max_iterations, Some(2));
        assert_eq!(settled.completion_promises, ["file"]);
        assert_eq!(settled.rules, ["c"]);
        // What the file leaves out is the environment's.
        let settled = settle_fresh(
            Start::default(),
            Some(AgentIteration::default()),
            &variables("3", "4"),
        );
        assert_eq!(settled.unwrap().max_iterations, Some(3));
    }

    #[test]
    fn the_environment_beats_the_defaults() {
        let settled = settle_fresh(Start::default(), None, &variables("3", "4")).unwrap();
        assert_eq!(
            (settled.max_iterations, settled.timeout_ms),
            (Some(3), Some(4))
        );
        let variables = IterationVariables {
            validation_timeout: Some("5".into()),
            ..IterationVariables::default()
        };
        assert_eq!(validation_timeout(&variables), Ok(5));
    }

    #[test]
    fn the_defaults_are_those_of_the_seed() {
        let none = IterationVariables::default();
        let settled = settle_fresh(Start::default(), None, &none).unwrap();
        assert_eq!(
            (settled.max_iterations, settled.timeout_ms),
            (Some(15), Some(300_000))
        );
        assert_eq!(settled.completion_promises, [COMPLETE, BLOCKED]);
        assert!(settled.rules.is_empty());
        assert_eq!(validation_timeout(&none), Ok(60_000));
    }

    #[test]
    fn a_variable_that_is_no_number_is_named_where_it_would_count() {
        for wrong in ["0", "-1", "1.5", "many", "99999999999"] {
            let error = settle_fresh(Start::default(), None, &variables(wrong, "4")).unwrap_err();
            assert!(
                error.message.contains("ITERATION_MAX_DEFAULT"),
                "{}",
                error.message
            );
            assert!(settle_fresh(call(), None, &variables(wrong, "4")).is_ok());
            let error = settle_fresh(call(), None, &variables("3", wrong)).unwrap_err();
            assert!(
                error.message.contains("ITERATION_TIMEOUT"),
                "{}",
                error.message
            );
        }
    }
}
