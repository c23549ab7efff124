//! What a host reads on stdout: one JSON object in its own dialect, or nothing.
//!
//! No key more than the dialect asks for: Codex discards an answer with a key that it does not
//! know, and with it the decision.

use serde_json::{Value, json};

use crate::api::hooks::{Event, Host};
use crate::ops::hook::HookAnswer;

/// The answer in the dialect of `host`; `None` if it is empty or the dialect cannot say it.
pub fn write(host: Host, event: Event, answer: &HookAnswer) -> Option<Value> {
    match answer {
        HookAnswer::Nothing => None,
        HookAnswer::Context(text) => context(host, event, text),
        HookAnswer::GoOn(prompt) => Some(go_on(host, prompt)),
        HookAnswer::GoOnTelling { prompt, why } => {
            let mut answer = go_on(host, prompt);
            if host != Host::Cursor {
                answer["systemMessage"] = why.as_str().into();
            }
            Some(answer)
        }
        HookAnswer::GivenUp(why) => match host {
            Host::Claude
            | Host::Codex
            | Host::Gemini
            | Host::Pi
            | Host::Copilot
            | Host::Opencode => Some(json!({ "systemMessage": why })),
            Host::Cursor => None,
        },
        // Claude Code shows a message of a hook on its screen only. The reason of a prompt that is not passed
        // on it also prints where it has none.
        HookAnswer::Refused { user, .. } if host == Host::Claude => {
            Some(json!({ "decision": "block", "reason": user.trim_end() }))
        }
        HookAnswer::Told { user, model } | HookAnswer::Refused { user, model } => {
            let mut told = context(host, event, model)?;
            if host != Host::Cursor {
                told["systemMessage"] = user.trim_end().into();
            }
            Some(told)
        }
    }
}

fn go_on(host: Host, prompt: &str) -> Value {
    match host {
        Host::Claude | Host::Codex | Host::Pi | Host::Copilot | Host::Opencode => {
            json!({ "decision": "block", "reason": prompt })
        }
        Host::Gemini => json!({ "decision": "deny", "reason": prompt }),
        Host::Cursor => json!({ "followup_message": prompt }),
    }
}

fn context(host: Host, event: Event, text: &str) -> Option<Value> {
    let name = match (host, event) {
        (Host::Cursor, Event::SessionStart) => return Some(json!({ "additional_context": text })),
        (Host::Cursor, _) => return None,
        (Host::Copilot, Event::SessionStart | Event::UserPromptSubmit) => {
            return Some(json!({ "additionalContext": text }));
        }
        (_, Event::SessionStart) => "SessionStart",
        (Host::Gemini, Event::UserPromptSubmit) => "BeforeAgent",
        (_, Event::UserPromptSubmit) => "UserPromptSubmit",
        (_, Event::Stop | Event::SessionEnd | Event::PreCompact | Event::PostCompact) => {
            return None;
        }
    };
    Some(json!({
        "hookSpecificOutput": { "hookEventName": name, "additionalContext": text }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: Host, event: Event, answer: &HookAnswer, expected: &str) {
        let written = write(host, event, answer).map_or_else(String::new, |json| json.to_string());
        assert_eq!(written, expected, "{host:?} {event:?} {answer:?}");
    }

    #[test]
    fn each_host_is_answered_in_its_own_way() {
        let go_on = HookAnswer::GoOn("p".into());
        let block = r#"{"decision":"block","reason":"p"}"#;
        check(Host::Claude, Event::Stop, &go_on, block);
        check(Host::Codex, Event::Stop, &go_on, block);
        check(
            Host::Gemini,
            Event::Stop,
            &go_on,
            r#"{"decision":"deny","reason":"p"}"#,
        );
        check(
            Host::Cursor,
            Event::Stop,
            &go_on,
            r#"{"followup_message":"p"}"#,
        );

        let last = HookAnswer::GoOnTelling {
            prompt: "p".into(),
            why: "w".into(),
        };
        let block = r#"{"decision":"block","reason":"p","systemMessage":"w"}"#;
        check(Host::Codex, Event::Stop, &last, block);
        let deny = r#"{"decision":"deny","reason":"p","systemMessage":"w"}"#;
        check(Host::Gemini, Event::Stop, &last, deny);
        check(
            Host::Cursor,
            Event::Stop,
            &last,
            r#"{"followup_message":"p"}"#,
        );

        let given_up = HookAnswer::GivenUp("w".into());
        for host in [Host::Claude, Host::Codex, Host::Gemini] {
            check(host, Event::Stop, &given_up, r#"{"systemMessage":"w"}"#);
        }
        check(Host::Cursor, Event::Stop, &given_up, "");
    }

    #[test]
    fn context_goes_where_the_host_takes_it() {
        let context = HookAnswer::Context("c".into());
        let specific = |name: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"c"}}}}"#
            )
        };
        for host in [Host::Claude, Host::Codex, Host::Gemini] {
            check(
                host,
                Event::SessionStart,
                &context,
                &specific("SessionStart"),
            );
            check(host, Event::PreCompact, &context, "");
            check(host, Event::PostCompact, &context, "");
        }
        let start = r#"{"additional_context":"c"}"#;
        check(Host::Cursor, Event::SessionStart, &context, start);
        let prompt = Event::UserPromptSubmit;
        check(
            Host::Claude,
            prompt,
            &context,
            &specific("UserPromptSubmit"),
        );
        check(Host::Codex, prompt, &context, &specific("UserPromptSubmit"));
        check(Host::Gemini, prompt, &context, &specific("BeforeAgent"));
        check(Host::Cursor, prompt, &context, "");
        check(Host::Claude, Event::Stop, &HookAnswer::Nothing, "");
    }

    /// Codex and Qwen Code print nothing of a prompt that is not passed on.
    #[test]
    fn a_refusal_is_shown_where_no_screen_is() {
        let refused = HookAnswer::Refused {
            user: "u\n".into(),
            model: "m".into(),
        };
        let prompt = Event::UserPromptSubmit;
        let block = r#"{"decision":"block","reason":"u"}"#;
        check(Host::Claude, prompt, &refused, block);
        let told = |name: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"m"}},"systemMessage":"u"}}"#
            )
        };
        check(Host::Codex, prompt, &refused, &told("UserPromptSubmit"));
        check(Host::Gemini, prompt, &refused, &told("BeforeAgent"));
    }
}
