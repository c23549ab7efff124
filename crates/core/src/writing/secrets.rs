//! Secrets stay out of the ledger: what an event says passes the filter for secrets before it is
//! recorded (docs/ledger-format.md#sizes-and-redaction).

use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::domain::event::Payload;
use crate::domain::redact::{redact, redact_but, secrets, shown};
use crate::domain::rejection::Rejection;

/// What happens to a text in which the filter finds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// The secret is replaced.
    Replace,
    /// The event is refused: somebody relies on the text as it is.
    Refuse,
    /// The filter does not look: the field names something by an id, which this program made or
    /// which stands in the ledger already.
    Keep,
}

/// What happens to a field of an event, with all that is in it.
fn treatment(payload: &Payload, field: &str) -> Treatment {
    if ids(payload).contains(&field) {
        return Treatment::Keep;
    }
    match (payload, field) {
        // The user confirms these as they are.
        (Payload::GoalCreated(_) | Payload::GoalTweaked(_) | Payload::DraftProposed(_), _) => {
            Treatment::Refuse
        }
        // Conditions ask for the key, and the helper of a store for the ledger's name.
        (Payload::EvidenceAdded(_) | Payload::QuestionAsked(_), "key")
        | (Payload::StoreJoined(_), "ledger") => Treatment::Refuse,
        _ => Treatment::Replace,
    }
}

/// The fields of an event that name something by its id.
fn ids(payload: &Payload) -> &'static [&'static str] {
    match payload {
        Payload::GoalCreated(_) => &["parentGoalId", "draftId", "returnsTo", "like"],
        Payload::GoalTweaked(_) | Payload::DraftStarted(_) | Payload::DraftResolved(_) => {
            &["draftId"]
        }
        Payload::DraftProposed(_) => &["draftId", "parentGoalId"],
        Payload::GoalDelegated(_) => &["childGoalId"],
        // Its last part is the goal's id.
        Payload::GoalCompleted(_) | Payload::GoalAborted(_) => &["archivePath"],
        Payload::TaskExpanded(_)
        | Payload::TaskStarted(_)
        | Payload::TaskComplete(_)
        | Payload::TaskSkipped(_)
        | Payload::TaskFailed(_)
        | Payload::TaskBlocked(_)
        | Payload::TaskReopened(_)
        | Payload::EvidenceAdded(_)
        | Payload::ConditionChecked(_)
        | Payload::CheckRun(_)
        | Payload::PlanRequested(_)
        | Payload::PlanFailed(_)
        | Payload::UsageRecorded(_) => &["taskId"],
        Payload::QuestionAsked(_) => &["questionId", "taskId"],
        Payload::QuestionAnswered(_) | Payload::QuestionWithdrawn(_) => &["questionId"],
        Payload::IterationStarted(_) => &["iterationId", "taskId"],
        Payload::IterationValidated(_) => &["iterationId", "runId"],
        Payload::IterationAdvanced(_) | Payload::IterationCompleted(_) => &["iterationId"],
        Payload::RunStarted(_) => &["runId", "resumes"],
        Payload::RunWaiting(_) | Payload::RunStopped(_) => &["runId"],
        _ => &[],
    }
}

/// The filter of one transaction.
pub struct Filter<'a> {
    /// Reads which texts are no secrets to the user: only where something was found, which is rare.
    read_allowed: &'a dyn Fn() -> Vec<String>,
    allowed: OnceCell<Vec<String>>,
    /// Names of the formats of which something was replaced.
    pub replaced: BTreeSet<&'static str>,
}

impl<'a> Filter<'a> {
    pub fn new(read_allowed: &'a dyn Fn() -> Vec<String>) -> Filter<'a> {
        Filter {
            read_allowed,
            allowed: OnceCell::new(),
            replaced: BTreeSet::new(),
        }
    }

    /// Passes a payload through the filter.
    ///
    /// # Errors
    /// A secret stands where nothing can be put in its place.
    pub fn redacted(&mut self, payload: Payload) -> Result<Payload, Rejection> {
        let mut fields = payload.encode();
        let mut replaced = SecretsFound::default();
        for (name, value) in fields.iter_mut() {
            let treatment = treatment(&payload, name);
            if treatment == Treatment::Keep {
                continue;
            }
            let mut found = SecretsFound::default();
            self.filter(name, value, &mut found);
            if treatment == Treatment::Refuse && !found.0.is_empty() {
                return Err(found.rejection());
            }
            replaced.0.extend(found.0);
        }
        if replaced.0.is_empty() {
            return Ok(payload);
        }
        let text = Value::Object(fields).to_string();
        // A field that takes no other text is refused too.
        let redacted = Payload::decode(payload.name(), &text).map_err(|_| replaced.rejection())?;
        self.replaced
            .extend(replaced.0.iter().flat_map(|field| &field.formats));
        Ok(redacted)
    }

    fn filter(&self, field: &str, value: &mut Value, found: &mut SecretsFound) {
        match value {
            Value::String(text) => {
                if let Some(redacted) = self.look(field, text, found) {
                    *text = redacted;
                }
            }
            Value::Array(items) => {
                let items = items.iter_mut();
                items.for_each(|item| self.filter(field, item, found));
            }
            Value::Object(fields) => {
                if fields.keys().any(|name| !redact(name).found.is_empty()) {
                    self.rename(field, fields, found);
                }
                let inner = fields.iter_mut();
                inner.for_each(|(name, value)| self.filter(name, value, found));
            }
            _ => {}
        }
    }

    /// The text without its secrets; nothing where it has none.
    fn look(&self, field: &str, text: &str, found: &mut SecretsFound) -> Option<String> {
        if redact(text).found.is_empty() {
            return None;
        }
        let allowed = self.allowed.get_or_init(self.read_allowed);
        let filtered = redact_but(text, allowed);
        if filtered.found.is_empty() {
            return None;
        }
        let words = secrets(text, allowed);
        let words = words
            .iter()
            .map(|secret| format!("{} as {}", shown(secret.text), secret.format));
        found.0.push(FieldFound {
            field: field.to_owned(),
            words: words.collect(),
            formats: filtered.found,
        });
        Some(filtered.text.into_owned())
    }

    /// Takes secrets out of the names in an object. Names that become the same get a number.
    fn rename(&self, field: &str, fields: &mut Map<String, Value>, found: &mut SecretsFound) {
        for (name, value) in std::mem::take(fields) {
            let redacted = self.look(field, &name, found).unwrap_or(name);
            let mut free = redacted.clone();
            let mut number = 1;
            while fields.contains_key(&free) {
                number += 1;
                free = format!("{redacted} {number}");
            }
            fields.insert(free, value);
        }
    }
}

/// What was found in an event.
#[derive(Debug, Default)]
struct SecretsFound(Vec<FieldFound>);

/// What was found in one text of it.
#[derive(Debug)]
struct FieldFound {
    field: String,
    /// Which words, as they may be shown.
    words: Vec<String>,
    formats: Vec<&'static str>,
}

impl SecretsFound {
    /// Most words that a message names.
    const MOST: usize = 5;

    fn rejection(&self) -> Rejection {
        let field = self.0.first().map(|found| found.field.clone());
        let mut words: Vec<&str> = Vec::new();
        for word in self.0.iter().flat_map(|found| &found.words) {
            if !words.contains(&word.as_str()) {
                words.push(word);
            }
        }
        let more = words.len().saturating_sub(Self::MOST);
        words.truncate(Self::MOST);
        let mut words = words.join(", ");
        if more > 0 {
            words += &format!(" and {more} more");
        }
        Rejection::Secret {
            field: field.unwrap_or_default(),
            words,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn token() -> String {
        ["ghp_", &"a1B2".repeat(9)].concat()
    }

    /// Puts the text in the place of every text and name below a value.
    fn fill(value: &mut Value, text: &str) {
        match value {
            Value::String(old) => *old = text.to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, text)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| fill(value, text));
                let more = json!({ text: 1, "id": text, "key": [text], "lines": { "take": text } });
                fields.append(&mut more.as_object().unwrap().clone());
            }
            _ => {}
        }
    }

    /// Of every event each field that takes any text, at every depth.
    #[test]
    fn no_text_of_an_event_passes_by_the_filter() {
        let fixture = include_str!("../../../../fixtures/events/every_variant.jsonl");
        for line in fixture.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let name = event["type"].as_str().unwrap();
            let Ok(payload) = Payload::decode(name, line) else {
                continue;
            };
            for (field, value) in payload.encode() {
                let mut fields = payload.encode();
                fill(&mut fields[&field], &token());
                let text = Value::Object(fields).to_string();
                // Ids of events, numbers and words of a list take no other text.
                let Ok(filled) = Payload::decode(name, &text) else {
                    continue;
                };
                let holds = |payload: &Payload| {
                    Value::Object(payload.encode())
                        .to_string()
                        .contains(&token())
                };
                if !holds(&filled) {
                    continue;
                }
                let is_id = ids(&payload).contains(&field.as_str());
                match Filter::new(&Vec::new).redacted(filled) {
                    Ok(recorded) => assert_eq!(holds(&recorded), is_id, "{name}: {field}: {value}"),
                    Err(Rejection::Secret { field, .. }) => assert!(!field.contains(&token())),
                    Err(other) => panic!("{name}: {field}: {other}"),
                }
            }
        }
    }

    #[test]
    fn names_that_become_the_same_stay_apart() {
        let (one, other) = (token(), token().replace('B', "C"));
        let mut value = json!({ "a": 1, one: 2, other: 3 });
        let mut found = SecretsFound::default();
        Filter::new(&Vec::new).filter("value", &mut value, &mut found);
        let name = "[redacted:github_token]";
        assert_eq!(value, json!({ "a": 1, name: 2, format!("{name} 2"): 3 }));
        assert_eq!(found.0.len(), 2);
    }
}
