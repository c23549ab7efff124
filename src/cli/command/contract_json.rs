//! A contract as JSON: the options that take it, and reading it strictly.

use clap::Args;

use crate::cli::input;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::fields::strict;
use crate::ops::failure::Failure;

/// Options that take a contract as JSON, instead of those that take it field by field.
#[derive(Debug, Clone, Default, Args)]
pub struct JsonArgs {
    /// The contract as a JSON object with the ledger's field names, such as
    /// {"objective": "…", "successCriteria": ["…"], "ifBlocked": "…"}
    #[arg(long, value_name = "JSON", conflicts_with_all = ["data_file", "ContractArgs"])]
    data: Option<String>,
    /// The same from a file; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "ContractArgs")]
    data_file: Option<String>,
}

impl JsonArgs {
    /// The contract that was passed, if one was.
    ///
    /// # Errors
    /// A file that cannot be read, no JSON, an unknown field, a value of another type.
    pub fn contract(&self) -> Result<Option<ContractChange>, Failure> {
        let given = input::data(&self.data, &self.data_file)?;
        given.map(|(text, from)| parse(&text, from)).transpose()
    }
}

fn parse(text: &str, from: &str) -> Result<ContractChange, Failure> {
    let value = input::json(text, from)?;
    strict(&value).map_err(|error| Failure::usage(format!("{from}: {error}"), error.hint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_field_are_named() {
        for (text, message) in [
            ("{", "--data is not JSON: EOF while parsing an object"),
            ("[]", "--data: a contract must be a JSON object"),
            (r#"{"x":1}"#, "--data: a contract has no field `x`"),
            (r#"{"title":1}"#, "--data: `title` must be a text"),
        ] {
            let failure = parse(text, "--data").unwrap_err();
            assert!(failure.message.starts_with(message), "{}", failure.message);
            assert_eq!(failure.code, "usage");
        }
        let contract = parse(r#"{"objective":"a","checks":[]}"#, "--data").unwrap();
        assert_eq!(contract.objective.as_deref(), Some("a"));
        assert_eq!(contract.checks, Some(vec![]));
    }
}
