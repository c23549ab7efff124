//! A tool's data as structured content. Some hosts give their model this in place of the text, so it
//! has the text, and beside it nothing that says nothing and nothing that the text says already.

use serde_json::{Map, Value};

/// What the text of `get_goal` has word for word.
const IN_THE_TEXT: [&str; 1] = ["next"];

/// The data without fields that are null or an empty list, at the top and in `goal`, and without
/// what stands in `text` word for word.
pub(super) fn structured(mut data: Value) -> Value {
    let text = data["text"].as_str().unwrap_or_default().to_owned();
    if let Value::Object(fields) = &mut data {
        leave_out(fields, &text, &IN_THE_TEXT);
        if let Some(Value::Object(goal)) = fields.get_mut("goal") {
            leave_out(goal, &text, &["objective"]);
        }
    }
    data
}

fn leave_out(fields: &mut Map<String, Value>, text: &str, in_text: &[&str]) {
    fields.retain(|name, value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let is_said = in_text.contains(&name.as_str())
            && value.as_str().is_some_and(|value| text.contains(value));
        !is_empty && !is_said
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_nothing_and_what_the_text_says_is_left_out() {
        let data = json!({
            "text": "do x, then y", "next": "then y", "nudge": null, "drafts": [],
            "goal": { "objective": "x", "title": null, "checks": [], "notes": [null], "events": 2 },
            "result": { "kept": null, "empty": [] },
        });
        let left = json!({
            "text": "do x, then y",
            "goal": { "notes": [null], "events": 2 },
            "result": { "kept": null, "empty": [] },
        });
        assert_eq!(structured(data), left);
        let other = json!({ "text": "t", "next": "n", "goal": { "objective": "o" } });
        assert_eq!(structured(other.clone()), other);
    }
}
