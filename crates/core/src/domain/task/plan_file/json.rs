//! What the formats of other tools that are JSON have in common: their words for how a task stands,
//! and texts that become details.

use serde_json::Value;

use super::PlanError;
use super::formats::Source;
use crate::domain::goal::contract::{first_line, without_marks};
use crate::domain::task::spec::TaskGiven;
use crate::domain::task::state::TaskStatus;

/// The JSON of a file; nothing where it is none.
pub(super) fn value(source: &Source<'_>) -> Option<Value> {
    serde_json::from_str(source.body()).ok()
}

/// The JSON of a file that is to be in this format.
///
/// # Errors
/// It is no JSON.
pub(super) fn value_for(source: &Source<'_>, format: &'static str) -> Result<Value, PlanError> {
    serde_json::from_str(source.body()).map_err(|error| PlanError::OtherFormat {
        format,
        why: error.to_string(),
    })
}

/// The list under this name; none where there is no such.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// A text that says something.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value[name].as_str().filter(|text| !text.trim().is_empty())
}

/// A number or text as an id.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|id| !id.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// These texts, a paragraph each.
pub(super) fn details(parts: &[Option<&str>]) -> Option<String> {
    let parts = parts.iter().flatten().map(|part| part.trim());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The sentence about the tasks that one waits for.
pub(super) fn waits_for(ids: &[String]) -> Option<String> {
    (!ids.is_empty()).then(|| format!("Waits for {}.", ids.join(", ")))
}

/// Words that tools use for how a task stands, in small letters and without signs between words.
const WORDS: [(&str, TaskStatus); 21] = [
    ("pending", TaskStatus::Pending),
    ("open", TaskStatus::Pending),
    ("todo", TaskStatus::Pending),
    ("deferred", TaskStatus::Pending),
    ("draft", TaskStatus::Pending),
    ("pinned", TaskStatus::Pending),
    ("inprogress", TaskStatus::Active),
    ("active", TaskStatus::Active),
    ("review", TaskStatus::Active),
    ("inreview", TaskStatus::Active),
    ("hooked", TaskStatus::Active),
    ("blocked", TaskStatus::Blocked),
    ("done", TaskStatus::Complete),
    ("complete", TaskStatus::Complete),
    ("completed", TaskStatus::Complete),
    ("closed", TaskStatus::Complete),
    ("cancelled", TaskStatus::Skipped),
    ("canceled", TaskStatus::Skipped),
    ("wontdo", TaskStatus::Skipped),
    ("skipped", TaskStatus::Skipped),
    ("failed", TaskStatus::Failed),
];

/// How a task stands by such a word; nothing for a word that no tool is known to use.
pub(super) fn standing(word: &str) -> Option<TaskStatus> {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    let row = WORDS.iter().find(|(word, _)| *word == plain);
    row.map(|(_, status)| *status)
}

/// A task that stands so. A word that is not known is a remark, and counts as open; so is one that
/// says more than our words can.
pub(super) fn task(
    id: Option<String>,
    title: &str,
    word: &str,
    remarks: &mut Vec<String>,
) -> TaskGiven {
    // A long text is named by its first line that says something, and the text is its details.
    let (name, text) = match title.trim() {
        line if !line.contains('\n') => (line, None),
        text => (
            first_line(text).map_or(text, without_marks),
            Some(text.to_owned()),
        ),
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let title = words.join(" ");
    let standing = standing(word).unwrap_or_else(|| {
        remarks.push(format!(
            "the status `{word}` of `{title}` is not known, so it counts as open"
        ));
        TaskStatus::Pending
    });
    let says = standing != TaskStatus::Complete && standing != TaskStatus::Pending;
    TaskGiven {
        title,
        details: text,
        done: standing == TaskStatus::Complete,
        status: says.then_some(standing),
        reason: says.then(|| format!("its plan says `{word}`")),
        own_id: id,
        ..TaskGiven::default()
    }
}
