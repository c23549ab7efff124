//! The texts of a contract in their order, as the summary and the prompts show them, and whole
//! contracts and changes of them as people read them.

use crate::domain::goal::contract::{Contract, ContractChange, Difficulty};
use crate::domain::goal::fields::set_in;
use crate::render::text::{clean, one_line};

/// A contract in full: every field that says something, its label on a line and its text indented
/// below. Ends in a line end.
pub fn contract(contract: &Contract) -> String {
    let title = contract.title.as_deref().unwrap_or_default();
    let auto_continue = if contract.auto_continue { "yes" } else { "no" };
    let number = |number: f64| number.to_string();
    let mut fields = vec![
        ("Title", one_line(title)),
        ("Mode", mode(contract.sisyphus)),
    ];
    fields.extend(texts(contract));
    fields.push(("Auto-continue", auto_continue.to_owned()));
    fields.push((
        "Priority",
        contract.priority.map(number).unwrap_or_default(),
    ));
    let tier = contract
        .difficulty
        .map(Difficulty::name)
        .unwrap_or_default();
    fields.push(("Difficulty", tier.to_owned()));
    let said = fields.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(label, text)| block(label, &text)).collect()
}

/// A contract as it is proposed for a new goal.
pub fn proposed(change: &ContractChange) -> String {
    let mut whole = Contract {
        auto_continue: true,
        ..Contract::default()
    };
    whole.apply(change);
    contract(&whole)
}

/// The fields that a change sets, with the values they get.
pub fn change(change: &ContractChange) -> String {
    let mut after = Contract::default();
    after.apply(change);
    let shown = texts(&after);
    let fields = set_in(change).into_iter().map(|field| {
        let text = match field.name {
            "title" => one_line(after.title.as_deref().unwrap_or_default()),
            "sisyphus" => mode(after.sisyphus),
            "autoContinue" => if after.auto_continue { "yes" } else { "no" }.to_owned(),
            "priority" => after.priority.map(|it| it.to_string()).unwrap_or_default(),
            "difficulty" => after
                .difficulty
                .map(Difficulty::name)
                .unwrap_or_default()
                .to_owned(),
            _ => {
                let same = |(label, _): &&(&str, String)| label.eq_ignore_ascii_case(field.label);
                let text = shown.iter().find(same);
                text.map(|(_, text)| text.clone()).unwrap_or_default()
            }
        };
        let text = if text.is_empty() { "(emptied)" } else { &text };
        block(&capitalised(field.label), text)
    });
    fields.collect()
}

fn block(label: &str, text: &str) -> String {
    if !text.contains('\n') && !text.starts_with("- ") && text.len() <= 60 {
        return format!("{label}: {text}\n");
    }
    format!("{label}:\n  {}\n", indented(text))
}

fn mode(sisyphus: bool) -> String {
    if sisyphus {
        "sisyphus (ordered, patient work)".to_owned()
    } else {
        "regular".to_owned()
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

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

    #[test]
    fn a_contract_is_shown_with_all_it_says() {
        let full = Contract {
            objective: "a\nb".into(),
            sisyphus: true,
            title: Some("T\x1b\nU".into()),
            boundaries: vec!["stay\nin".into()],
            if_blocked: Some("ask".into()),
            priority: Some(0.5),
            difficulty: Some(Difficulty::Simple),
            ..Contract::default()
        };
        let text = "Title: T\u{fffd} U\nMode: sisyphus (ordered, patient work)\nObjective:\n  a\n  b\n\
            Boundaries:\n  - stay\n    in\nIf blocked: ask\nAuto-continue: no\nPriority: 0.5\n\
            Difficulty: simple\n";
        assert_eq!(contract(&full), text);
    }

    #[test]
    fn a_change_shows_what_it_empties() {
        let some = ContractChange {
            auto_continue: Some(false),
            title: Some(String::new()),
            success_criteria: Some(vec![]),
            verification_contract: Some("a diff".into()),
            ..ContractChange::default()
        };
        let text = "Auto-continue: no\nTitle: (emptied)\nSuccess criteria: (emptied)\n\
            Verification contract: a diff\n";
        assert_eq!(change(&some), text);
        let whole = "Mode: regular\nVerification contract: a diff\nAuto-continue: no\n";
        assert_eq!(proposed(&some), whole);
    }

    #[test]
    fn every_text_field_of_a_change_is_found() {
        use crate::domain::goal::fields::{FIELDS, Kind, strict};
        for field in FIELDS {
            let value = match field.kind {
                Kind::Text => "said".into(),
                Kind::List => serde_json::json!(["said"]),
                _ => continue,
            };
            let some = strict(&serde_json::json!({ field.name: value })).unwrap();
            assert!(change(&some).contains("said"), "{}", field.name);
        }
    }
}
