//! What an event says, on one line.

use crate::domain::event::Payload;
use crate::render::text::one_line;

/// The gist of an event, cleaned and on one line of any length; may be empty. The event's type,
/// time and author are not in it: they stand beside it wherever it is shown.
pub fn summary(payload: &Payload) -> String {
    one_line(&payload.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, fields: &str, expected: &str) {
        let payload = Payload::decode(name, fields).unwrap();
        assert_eq!(summary(&payload), expected);
    }

    #[test]
    fn each_says_what_matters() {
        check(
            "goal_created",
            r#"{"objective":"\n tidy up \nmore","sisyphus":true,"autoContinue":true,"imported":true}"#,
            "tidy up (sisyphus, taken over from another tool)",
        );
        check(
            "goal_paused",
            r#"{"reason":"waits","blocked":true,"suggestedAction":"ask"}"#,
            "blocked: waits; suggested: ask",
        );
        check(
            "goal_tweaked",
            r#"{"changeSummary":"wider","objective":"o","checks":[]}"#,
            "wider — objective, checks",
        );
        check(
            "goal_tweaked",
            r#"{"changeSummary":"changed: success criteria","successCriteria":["a"]}"#,
            "changed: success criteria",
        );
        check(
            "completion_requested",
            r#"{"summary":"done","evidence":["a","b"]}"#,
            "done — evidence: a; b",
        );
        check(
            "audit_result",
            r#"{"verdict":"error","report":"killed\nlate","cause":"timeout"}"#,
            "error (timeout): killed late",
        );
        check(
            "audit_result",
            r#"{"verdict":"approved","report":" "}"#,
            "approved without a report",
        );
        check(
            "draft_proposed",
            r##"{"draftId":"d","contract":{"objective":"# A heading\nmore"}}"##,
            "d: A heading",
        );
        check(
            "audit_started",
            r#"{"command":["pi","-p"],"model":"m"}"#,
            "pi (m)",
        );
        check(
            "goal_aborted",
            r#"{"reason":"no","outcome":"failed"}"#,
            "failed: no",
        );
        check(
            "task_list_set",
            r#"{"taskCount":1,"blockCompletion":true}"#,
            "1 task; completion waits for it",
        );
        check("task_complete", r#"{"taskId":"t","evidence":" "}"#, "t");
        check("runway_granted", "{}", "");
        check("pirate_day", r#"{"arr":1}"#, "");
    }

    #[test]
    fn no_stored_text_steers_a_terminal() {
        check(
            "goal_noted",
            r#"{"note":"a\u001b[31mb\u202e\nc\u009b","next":"\u0007"}"#,
            "a\u{fffd}[31mb\u{fffd} c\u{fffd}; next: \u{fffd}",
        );
    }
}
