//! The texts of a contract in their order, as the summary and the prompts show them.

use crate::domain::goal::contract::Contract;
use crate::render::text::clean;

/// Label and cleaned text of every field that holds something. Lists have an item a line, further
/// lines of an item indented, so that no item can pass for two.
pub(super) fn texts(contract: &Contract) -> Vec<(&'static str, String)> {
    let one = |text: &Option<String>| text.as_deref().map(clean).unwrap_or_default();
    let all = [
        ("Objective", clean(&contract.objective)),
        ("Success criteria", list(&contract.success_criteria)),
        ("Boundaries", list(&contract.boundaries)),
        ("Constraints", list(&contract.constraints)),
        ("If blocked", one(&contract.if_blocked)),
        (
            "Verification contract",
            one(&contract.verification_contract),
        ),
        ("Checks", list(&contract.checks)),
        ("Category", one(&contract.category)),
        ("Progress signal", one(&contract.progress_signal)),
        ("Failure signal", one(&contract.failure_signal)),
        ("Completion condition", one(&contract.completion_condition)),
        ("Owner", one(&contract.owner)),
    ];
    all.into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// `- ` before every item; its further lines are indented.
pub(super) fn list(items: &[String]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("- {}", indented(&clean(item))))
        .collect();
    items.join("\n")
}

/// Every line but the first, and but blank ones, moved right by two spaces.
pub(super) fn indented(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| match (at, line) {
            (0, line) | (_, line @ "") => line.to_owned(),
            (_, line) => format!("  {line}"),
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_item_passes_for_two() {
        let items = ["one".to_owned(), "two\n- three\n\nfour".to_owned()];
        assert_eq!(list(&items), "- one\n- two\n  - three\n\n  four");
        assert_eq!(list(&[]), "");
    }
}
