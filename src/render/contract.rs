//! The texts of a contract in their order, as the summary and the prompts show them, and whole
//! contracts and changes of them as people read them.

use serde_json::Value;

use crate::domain::goal::contract::{Contract, ContractChange, Field, FieldKind, worded};
use crate::domain::goal::difference::Difference;
use crate::render::text::{clean, one_line};

/// A contract in full: every field that says something, its label on a line and its text indented
/// below; what is to be achieved comes first. How it is worked on stands there where it is not as usual.
/// Ends in a line end.
pub fn contract(contract: &Contract) -> String {
    contract_without(contract, &[])
}

/// What a contract is about in two lines, since some hosts show no more, and behind them the rest. What has
/// lines of its own is there once more as it is.
pub(super) fn in_two_lines(whole: &Contract) -> (String, String) {
    let criteria = match whole.success_criteria.as_slice() {
        [] => "none".to_owned(),
        all => listed(all),
    };
    let head = format!(
        "Objective: {}\nSuccess criteria: {criteria}\n",
        one_line(&whole.objective)
    );
    let mut shown = Vec::new();
    if !whole.objective.trim().contains('\n') {
        shown.push("objective");
    }
    if !any_has_lines(&whole.success_criteria) {
        shown.push("successCriteria");
    }
    (head, contract_without(whole, &shown))
}

/// A contract as the user read it before they confirmed it.
pub fn confirmed(whole: &Contract) -> String {
    let (head, rest) = in_two_lines(whole);
    match rest.is_empty() {
        true => head,
        false => format!("{head}\n{rest}"),
    }
}

/// The same without these fields.
fn contract_without(contract: &Contract, left_out: &[&str]) -> String {
    let named = |name: &str| {
        let (field, value) = contract.values().find(|(field, _)| field.name == name)?;
        Some((capitalised(label(&field)), text(name, &value)))
    };
    let is_said = |name: &&str| match *name {
        "sisyphus" => contract.sisyphus,
        "autoContinue" => !contract.auto_continue,
        _ => true,
    };
    let last = [
        "title",
        "sisyphus",
        "autoContinue",
        "priority",
        "difficulty",
    ];
    let last = last.into_iter().filter(is_said);
    let fields = texts_without(contract, left_out).chain(last.filter_map(named));
    let said = fields.filter(|(_, text)| !text.is_empty());
    said.map(|(label, text)| block(&label, &text)).collect()
}

/// A contract as it is proposed for a new goal.
pub fn proposed(change: &ContractChange) -> String {
    contract(&of_proposal(change))
}

/// The contract that a new goal has once its proposal is confirmed.
pub(super) fn of_proposal(change: &ContractChange) -> Contract {
    let mut whole = Contract {
        auto_continue: true,
        ..Contract::default()
    };
    whole.apply(change);
    whole
}

/// The fields that a change sets, with the values they get, in the order of a contract.
pub fn change(change: &ContractChange) -> String {
    let set = change.values().filter(|(_, value)| !value.is_null());
    let (first, last): (Vec<_>, Vec<_>) = set.partition(|(field, _)| is_text(field));
    let fields = first.into_iter().chain(last);
    fields
        .map(|(field, value)| {
            let text = Some(text(field.name, &value)).filter(|it| !it.is_empty());
            block(
                &capitalised(label(&field)),
                text.as_deref().unwrap_or("(emptied)"),
            )
        })
        .collect()
}

/// What becomes of a contract, a field after the other: what goes before what comes, each on a line of
/// its own.
pub(super) fn difference(differences: &[Difference]) -> String {
    let block = |it: &Difference| {
        let stays = match it.stay {
            0 => String::new(),
            1 => " (1 stays)".to_owned(),
            many => format!(" ({many} stay)"),
        };
        let pieces = it.pieces().map(|(mark, piece)| {
            let piece = indented(&indented(&clean(&piece)));
            format!("  {mark} {piece}\n")
        });
        let pieces: String = pieces.collect();
        let pieces = match pieces.is_empty() {
            true => "  the order changes\n".to_owned(),
            false => pieces,
        };
        format!("{}{stays}:\n{pieces}", capitalised(label(&it.field)))
    };
    differences.iter().map(block).collect()
}

/// The same on one line.
pub(super) fn difference_line(differences: &[Difference]) -> String {
    let of_field = |it: &Difference| {
        let pieces = it.pieces();
        let pieces = pieces.map(|(mark, piece)| format!("{mark} {}", one_line(&piece)));
        let pieces: Vec<String> = pieces.collect();
        format!("{}: {}", label(&it.field), pieces.join(", "))
    };
    let fields: Vec<String> = differences.iter().map(of_field).collect();
    capitalised(&fields.join("; "))
}

/// Items on one line, numbered where there are several.
fn listed(items: &[String]) -> String {
    if let [one] = items {
        return one_line(one);
    }
    let items = items.iter().zip(1..);
    let items = items.map(|(item, number)| format!("({number}) {}", one_line(item)));
    items.collect::<Vec<_>>().join(" ")
}

/// Whether one of them has lines of its own.
fn any_has_lines(items: &[String]) -> bool {
    items.iter().any(|item| item.trim().contains('\n'))
}

/// What a field says, cleaned. Lists have an item a line, further lines of an item indented, so that
/// no item can pass for two.
fn text(name: &str, value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::String(text) if name == "title" => one_line(text),
        Value::String(text) => clean(text),
        Value::Array(items) => {
            let items = items.iter().filter_map(Value::as_str);
            list(&items.map(str::to_owned).collect::<Vec<_>>())
        }
        value => worded(name, value),
    }
}

/// What the field is called for somebody who does not know our words.
fn label(field: &Field) -> &'static str {
    match field.name {
        "sisyphus" => "way of working",
        "autoContinue" => "goes on by itself after each turn",
        _ => field.label,
    }
}

fn block(label: &str, text: &str) -> String {
    if !text.contains('\n') && !text.starts_with("- ") && text.len() <= 60 {
        return format!("{label}: {text}\n");
    }
    format!("{label}:\n  {}\n", indented(text))
}

/// How a goal is worked on, in a few words.
pub(super) fn mode(contract: &Contract) -> &'static str {
    match (contract.sisyphus, contract.auto_continue) {
        (true, true) => "Sisyphus (ordered, patient), continues by itself",
        (true, false) => "Sisyphus (ordered, patient)",
        (false, true) => "regular, continues by itself",
        (false, false) => "regular",
    }
}

/// The text with a capital, as a label or at the beginning of a sentence.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// Label and text of every field but the title that holds a text or a list.
pub(super) fn texts(contract: &Contract) -> Vec<(String, String)> {
    texts_without(contract, &[]).collect()
}

pub(super) fn texts_without(
    contract: &Contract,
    left_out: &[&str],
) -> impl Iterator<Item = (String, String)> {
    let fields = contract.values();
    let fields = fields.filter(|(field, _)| is_text(field) && !left_out.contains(&field.name));
    fields
        .map(|(field, value)| (capitalised(field.label), text(field.name, &value)))
        .filter(|(_, text)| !text.is_empty())
}

/// Whether the field holds a text or a list that says what is wanted; a title only names it.
fn is_text(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Text | FieldKind::List) && field.name != "title"
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
    use crate::domain::goal::contract::Difficulty;

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
        let text = "Objective:\n  a\n  b\nBoundaries:\n  - stay\n    in\nIf blocked: ask\n\
            Title: T\u{fffd} U\nWay of working: sisyphus (ordered, patient work)\n\
            Goes on by itself after each turn: no\nPriority: 0.5\nDifficulty: simple\n";
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
        let text = "Success criteria: (emptied)\nVerification contract: a diff\n\
            Goes on by itself after each turn: no\nTitle: (emptied)\n";
        assert_eq!(change(&some), text);
        let whole = "Verification contract: a diff\nGoes on by itself after each turn: no\n";
        assert_eq!(proposed(&some), whole);
    }

    #[test]
    fn every_text_field_of_a_change_is_found() {
        use crate::domain::goal::contract::FIELDS;
        use crate::domain::goal::fields::strict;
        for field in FIELDS {
            let value = match field.kind {
                FieldKind::Text => "said".into(),
                FieldKind::List => serde_json::json!(["said"]),
                _ => continue,
            };
            let some = strict(&serde_json::json!({ field.name: value })).unwrap();
            assert!(change(&some).contains("said"), "{}", field.name);
        }
    }
}
