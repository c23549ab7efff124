//! The options that describe a contract, shared by `set`, `propose` and `tweak`.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::domain::goal::contract::{ContractChange, Difficulty};

/// Options of a contract.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The contract")]
pub struct ContractArgs {
    /// A short name
    #[arg(long)]
    title: Option<String>,
    /// What must be true in the end; may be repeated
    #[arg(long = "criteria", value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    criteria: Vec<String>,
    /// What is not to be touched; may be repeated
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    boundary: Vec<String>,
    /// How it is to be done; may be repeated
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    constraint: Vec<String>,
    /// What to do when stuck
    #[arg(long, value_name = "TEXT")]
    if_blocked: Option<String>,
    /// What proves completion; then `complete` needs evidence
    #[arg(long, value_name = "TEXT")]
    verification: Option<String>,
    /// Name of a configured check that must pass; may be repeated
    #[arg(long = "check", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    check: Vec<String>,
    /// What kind of goal it is, in a word of yours
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
    /// Observable signs of progress
    #[arg(long, value_name = "TEXT")]
    progress_signal: Option<String>,
    /// Observable signs of failure
    #[arg(long, value_name = "TEXT")]
    failure_signal: Option<String>,
    /// The finish line, as a machine could check it
    #[arg(long, value_name = "TEXT")]
    completion_condition: Option<String>,
    /// Weight among goals, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    priority: Option<f64>,
    /// Who owes it
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// trivial, simple, moderate or complex
    #[arg(long, value_parser = difficulty, value_name = "TIER")]
    difficulty: Option<Difficulty>,
}

fn difficulty(text: &str) -> Result<Difficulty, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "expected trivial, simple, moderate or complex".to_owned())
}

impl ContractArgs {
    /// The changes that these options name, with this objective.
    pub fn change(&self, objective: Option<String>) -> ContractChange {
        let list = |items: &Vec<String>| (!items.is_empty()).then(|| items.clone());
        ContractChange {
            objective,
            sisyphus: None,
            auto_continue: None,
            title: self.title.clone(),
            success_criteria: list(&self.criteria),
            boundaries: list(&self.boundary),
            constraints: list(&self.constraint),
            if_blocked: self.if_blocked.clone(),
            verification_contract: self.verification.clone(),
            checks: list(&self.check),
            category: self.category.clone(),
            progress_signal: self.progress_signal.clone(),
            failure_signal: self.failure_signal.clone(),
            completion_condition: self.completion_condition.clone(),
            priority: self.priority,
            owner: self.owner.clone(),
            difficulty: self.difficulty,
        }
    }
}
