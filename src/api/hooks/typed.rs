//! The acts that the user types to their host: `/goal:confirm` and the like.
//!
//! Claude Code reports a slash command of a plugin as it was typed. Gemini CLI reports the text of the
//! command's file, so that file is the line itself. The screens of Codex and Qwen Code refuse a slash
//! command that they do not know, so there the same is typed without the slash.

use crate::api::hooks::Host;
use crate::ops::hook::acts::{Act, Through, Typed};

/// What begins an act; with the slash first, since both end in the same.
const BEFORE: [&str; 2] = ["/goal:", "goal:"];

/// The act that the whole prompt is, and the host through which it comes. Nothing where it is another
/// prompt.
pub fn typed(host: Host, prompt: &str) -> Option<(Typed<'_>, Through)> {
    let (mark, names_session) = match host {
        Host::Claude => ("claude-code", false),
        Host::Codex => ("codex", true),
        Host::Gemini => ("gemini-cli", false),
        Host::Opencode => ("opencode", false),
        // Cursor takes no answer to a prompt, pi has commands of its own, and in Copilot CLI nobody
        // tried it.
        Host::Cursor | Host::Pi | Host::Copilot => return None,
    };
    let prompt = prompt.trim();
    let begins = |before: &&str| prompt.starts_with(*before);
    let before = BEFORE.into_iter().find(begins)?;
    let line = prompt.strip_prefix(before)?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let act = Act::ALL.into_iter().find(|it| it.name() == name)?;
    let rest = rest.trim();
    let through = Through {
        mark,
        names_session,
        tells_drafting: host == Host::Claude && before == BEFORE[0],
    };
    Some((Typed { act, rest, before }, through))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_prompt_is_an_act() {
        let read = |host, prompt| {
            let (typed, _): (Typed<'_>, _) = typed(host, prompt)?;
            Some((typed.act, typed.rest.to_owned(), typed.before))
        };
        let act = |act, rest: &str, before| Some((act, rest.to_owned(), before));
        for (prompt, found) in [
            (
                "/goal:draft it's $(y)",
                act(Act::Draft, "it's $(y)", "/goal:"),
            ),
            (
                "/goal:draft\n two\nlines ",
                act(Act::Draft, "two\nlines", "/goal:"),
            ),
            (" /goal:confirm ", act(Act::Confirm, "", "/goal:")),
            ("goal:pause  lunch", act(Act::Pause, "lunch", "goal:")),
            ("/goal:confirms x", None),
            ("type /goal:confirm", None),
            ("goal: confirm", None),
            ("goal confirm", None),
            ("/goal confirm", None),
            ("", None),
        ] {
            for host in [Host::Claude, Host::Codex, Host::Gemini, Host::Opencode] {
                assert_eq!(read(host, prompt), found, "{prompt}");
            }
            assert_eq!(read(Host::Cursor, prompt), None);
            assert_eq!(read(Host::Pi, prompt), None);
        }
    }

    /// What a person accepts on their machine is said at a terminal.
    #[test]
    fn what_is_accepted_in_person_is_no_act() {
        for name in [
            "trust", "settle", "sync", "init", "config", "abort", "repair",
        ] {
            for before in BEFORE {
                for rest in ["", " --accept", " --join x", " --accept-key k"] {
                    let prompt = format!("{before}{name}{rest}");
                    assert_eq!(
                        typed(Host::Claude, &prompt).map(|it| it.0),
                        None,
                        "{prompt}"
                    );
                }
            }
        }
    }
}
