//! What a host passes on stdin: one JSON object, of which a few fields matter.
//!
//! Read leniently, since hosts add fields and change what they pass: what is unknown is skipped
//! at any depth, and a field of another type counts as absent.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde::Deserialize;

use crate::api::hooks::Host;
use crate::domain::wire::lenient;
use crate::ops::hook::Stop;
use crate::roles::transcripts::{Dialect, Spent, Transcript};

/// The most that is read, in bytes: a prompt or an answer of a model is part of it.
pub const MOST: u64 = 16 * 1024 * 1024;

/// What matters of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    /// The host's id of the session; focus belongs to it.
    pub session: Option<String>,
    /// The host's id of the turn, where it has one.
    pub turn: Option<String>,
    /// Where the session works.
    pub cwd: Option<Utf8PathBuf>,
    /// What the user said.
    pub prompt: Option<String>,
    /// What tells this stop from the next.
    pub stop: Stop,
    /// What ended is not a turn of the agent: the user or an error stopped it, or a subagent ended.
    pub broke_off: bool,
}

/// Why a host's input cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("stdin is empty; the host must pass a JSON object there")]
    Empty,
    #[error("more than {} MiB came on stdin", MOST / 1024 / 1024)]
    Oversized,
    #[error("stdin holds no JSON object")]
    NoObject,
    #[error("stdin holds no JSON object: {0}")]
    Json(#[from] serde_json::Error),
}

/// Every host's fields by their own names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(deserialize_with = "lenient::optional")]
    session_id: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    conversation_id: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    turn_id: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    prompt_id: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    generation_id: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    cwd: Option<Utf8PathBuf>,
    #[serde(deserialize_with = "lenient::optional")]
    workspace_roots: Option<Vec<Utf8PathBuf>>,
    #[serde(deserialize_with = "lenient::optional")]
    transcript_path: Option<Utf8PathBuf>,
    #[serde(deserialize_with = "lenient::optional")]
    stop_hook_active: Option<bool>,
    #[serde(deserialize_with = "lenient::optional")]
    used_tools: Option<bool>,
    #[serde(deserialize_with = "lenient::optional")]
    spent: Option<SpentFields>,
    #[serde(deserialize_with = "lenient::optional")]
    prompt: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    last_assistant_message: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    loop_count: Option<u64>,
    #[serde(deserialize_with = "lenient::optional")]
    status: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    hook_event_name: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    permission_mode: Option<String>,
}

/// What a plugin of ours tells of cost: the sum since its last report, up to this moment.
#[derive(Debug, Deserialize)]
struct SpentFields {
    counters: BTreeMap<String, f64>,
    model: Option<String>,
    /// In milliseconds since 1970.
    to: u64,
}

impl From<SpentFields> for Spent {
    fn from(told: SpentFields) -> Spent {
        Spent {
            counters: told.counters,
            model: told.model,
            read_to: told.to,
        }
    }
}

/// Reads what a host passed.
pub fn read(host: Host, bytes: &[u8]) -> Result<Input, InputError> {
    if bytes.len() as u64 > MOST {
        return Err(InputError::Oversized);
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    match bytes.trim_ascii_start().first() {
        None => return Err(InputError::Empty),
        Some(b'{') => {}
        Some(_) => return Err(InputError::NoObject),
    }
    let fields: Fields = serde_json::from_slice(bytes)?;
    Ok(match host {
        Host::Claude | Host::Pi => Input {
            turn: named(fields.prompt_id.clone()),
            ..of_session(Dialect::Claude, fields)
        },
        Host::Codex => Input {
            turn: named(fields.turn_id.clone()),
            ..of_session(Dialect::Codex, fields)
        },
        // It names no turn, and what hooks added stands in the prompt.
        Host::Gemini => Input {
            prompt: fields.prompt.as_deref().map(without_context),
            ..of_session(Dialect::Gemini, fields)
        },
        // It names no turn.
        Host::Copilot => of_session(Dialect::Copilot, fields),
        Host::Opencode => of_opencode(fields),
        Host::Cursor => Input {
            session: named(fields.conversation_id),
            turn: named(fields.generation_id),
            cwd: first(fields.workspace_roots),
            prompt: fields.prompt,
            stop: Stop {
                went_on: fields.loop_count.is_some_and(|count| count > 0),
                count: fields.loop_count,
                ..Stop::default()
            },
            broke_off: fields.status.is_some_and(|status| status != "completed"),
        },
    })
}

/// What Claude Code and its kin pass.
fn of_session(dialect: Dialect, fields: Fields) -> Input {
    let path = fields.transcript_path;
    Input {
        session: named(fields.session_id),
        turn: None,
        cwd: fields.cwd.filter(|path| !path.as_str().is_empty()),
        stop: Stop {
            went_on: fields.stop_hook_active == Some(true),
            count: None,
            message: fields.last_assistant_message,
            transcript: path.map(|path| Transcript { dialect, path }),
            spent: None,
            used_tools: fields.used_tools,
            only_plans: fields.permission_mode.as_deref() == Some("plan"),
        },
        prompt: fields.prompt,
        broke_off: fields.hook_event_name.as_deref() == Some("SubagentStop"),
    }
}

/// What our plugin for opencode passes: no transcript, but what the turn spent, and whether it used tools.
fn of_opencode(mut fields: Fields) -> Input {
    let turn = named(fields.prompt_id.take());
    let spent = fields.spent.take().map(Spent::from);
    let input = of_session(Dialect::Claude, fields);
    Input {
        turn,
        stop: Stop {
            spent,
            ..input.stop
        },
        ..input
    }
}

/// What stands behind the contexts of hooks. Where the user wrote such a mark too, nobody can tell where
/// their words begin, and the prompt stays as it is.
fn without_context(prompt: &str) -> String {
    const END: &str = "</hook_context>";
    let behind = prompt.split_once(END).map(|(_, behind)| behind);
    let said = behind
        .filter(|it| !it.contains(END))
        .filter(|_| prompt.trim_start().starts_with("<hook_context>"));
    said.unwrap_or(prompt).to_owned()
}

/// An empty id names nothing.
fn named(id: Option<String>) -> Option<String> {
    id.filter(|id| !id.is_empty())
}

fn first(roots: Option<Vec<Utf8PathBuf>>) -> Option<Utf8PathBuf> {
    let first = roots?.into_iter().next();
    first.filter(|path| !path.as_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTS: [Host; 5] = [
        Host::Claude,
        Host::Codex,
        Host::Gemini,
        Host::Cursor,
        Host::Copilot,
    ];

    #[test]
    fn the_users_word_is_without_what_hooks_added() {
        let told = r#"{"prompt":"<hook_context>the goal</hook_context>\n\ngo on"}"#;
        assert_eq!(fields(Host::Gemini, told).prompt.unwrap().trim(), "go on");
        let said = r#"{"prompt":"what is </hook_context> for?"}"#;
        let prompt = fields(Host::Gemini, said).prompt;
        assert_eq!(prompt.as_deref(), Some("what is </hook_context> for?"));
        assert!(
            fields(Host::Claude, told)
                .prompt
                .unwrap()
                .contains("the goal")
        );
    }

    fn fields(host: Host, text: &str) -> Input {
        read(host, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn each_host_names_session_and_turn_its_own_way() {
        let text = r#"{"session_id":"s","prompt_id":"p","turn_id":"t","conversation_id":"c",
            "generation_id":"g","cwd":"/here","workspace_roots":["/there","/else"]}"#;
        let read = HOSTS.map(|host| {
            let input = fields(host, text);
            [input.session, input.turn, input.cwd.map(String::from)]
        });
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read[0], [some("s"), some("p"), some("/here")]);
        assert_eq!(read[1], [some("s"), some("t"), some("/here")]);
        assert_eq!(read[2], [some("s"), None, some("/here")]);
        assert_eq!(read[3], [some("c"), some("g"), some("/there")]);
    }

    #[test]
    fn what_is_odd_counts_as_absent() {
        let odd = [
            "{}".to_owned(),
            "\u{feff} \n{\"session_id\":null}".to_owned(),
            r#"{"session_id":7,"turn_id":[],"prompt_id":{},"cwd":true,"transcript_path":0,"stop_hook_active":"yes"}"#.to_owned(),
            r#"{"session_id":"","cwd":"","conversation_id":"","workspace_roots":[]}"#.to_owned(),
            r#"{"session_id":"\ud83d","last_assistant_message":"\udc00"}"#.to_owned(),
            format!(r#"{{"new":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
            format!(r#"{{"cwd":{}1{}}}"#, r#"{"a":"#.repeat(100_000), "}".repeat(100_000)),
        ];
        for (text, host) in odd.iter().flat_map(|text| HOSTS.map(|host| (text, host))) {
            assert_eq!(fields(host, text), Input::default());
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in [
            "",
            " \n",
            "\u{feff}",
            "[]",
            "null",
            "\"{}\"",
            "{",
            "{}{}",
            "{\"a\":\u{1}}",
        ] {
            assert!(read(Host::Claude, text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(Host::Claude, b"{\"cwd\":\"\xff\"}").is_err());
        let much = vec![b' '; MOST as usize + 1];
        assert!(matches!(
            read(Host::Claude, &much),
            Err(InputError::Oversized)
        ));
    }

    #[test]
    fn what_broke_off_is_said_by_cursor_only() {
        for (text, broke_off) in [
            (r#"{"status":"completed"}"#, false),
            (r#"{"status":"aborted"}"#, true),
            (r#"{"status":"error"}"#, true),
            ("{}", false),
        ] {
            assert_eq!(fields(Host::Cursor, text).broke_off, broke_off, "{text}");
            assert!(!fields(Host::Codex, text).broke_off);
        }
    }
}
