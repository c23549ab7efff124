//! How the actor is found out: the user, an agent, an auditor or the tool itself (DESIGN §4.2).
//!
//! This guards against accident and drift and leaves evidence; it is no sandbox against a hostile
//! process of the same user.

use crate::domain::actor::Actor;

/// What agent hosts leave in the environment of their children. An empty variable is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// `AI_AGENT`: the host's name, maybe with a version.
    pub ai_agent: Option<String>,
    /// `CLAUDECODE`
    pub claudecode: Option<String>,
    /// `CODEX_THREAD_ID`
    pub codex_thread_id: Option<String>,
    /// `PI_SESSION_ID`
    pub pi_session_id: Option<String>,
}

/// The longest `via` that is recorded, in characters.
const VIA_LIMIT: usize = 64;

impl Marks {
    /// The agent's name as it is recorded in an event's `via`, whoever the actor is: printable
    /// ASCII, at most 64 characters. Nothing when there is no mark.
    pub fn via(&self) -> Option<String> {
        let named = [
            self.ai_agent.as_deref(),
            self.claudecode.as_ref().map(|_| "claude-code"),
            self.codex_thread_id.as_ref().map(|_| "codex"),
            self.pi_session_id.as_ref().map(|_| "pi"),
        ];
        let mut names = named
            .into_iter()
            .flatten()
            .map(|mark| clean(mark.trim()))
            .peekable();
        names.peek()?;
        // A mark whose text is all unprintable is still a mark.
        Some(
            names
                .find(|name| !name.is_empty())
                .unwrap_or_else(|| "unknown".to_owned()),
        )
    }
}

fn clean(mark: &str) -> String {
    let printable = |c: &char| c.is_ascii_graphic() || *c == ' ';
    mark.chars().filter(printable).take(VIA_LIMIT).collect()
}

/// By which door a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// A command with arguments: a person, or an agent's shell.
    CommandLine,
    /// The tool API or MCP: always an agent.
    Tools,
}

/// All that the actor depends on.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// The door.
    pub surface: Surface,
    /// `GOAL_ACTOR`
    pub declared: Option<&'a str>,
    /// What hosts left.
    pub marks: &'a Marks,
    /// Whether stdin and stdout are both terminals.
    pub at_terminal: bool,
}

/// A `GOAL_ACTOR` that cannot be honoured.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActorError {
    /// No such actor.
    #[error("GOAL_ACTOR is `{shown}`; set it to user, agent or auditor, or unset it")]
    Unknown {
        /// The value, without control characters and cut.
        shown: String,
    },
    /// `system` is what this tool calls itself; taking it from outside would be an escalation.
    #[error("GOAL_ACTOR=system cannot be chosen; set it to user, agent or auditor, or unset it")]
    System,
}

/// Who acts, by the rule of DESIGN §4.2: an auditor stays one behind every door; tools are used by
/// agents; then what is declared; then a mark without a terminal is an agent; else the user.
pub fn resolve(circumstances: &Circumstances<'_>) -> Result<Actor, ActorError> {
    let declared = match circumstances.declared {
        None => None,
        Some("user") => Some(Actor::User),
        Some("agent") => Some(Actor::Agent),
        Some("auditor") => return Ok(Actor::Auditor),
        Some("system") => return Err(ActorError::System),
        Some(other) => {
            return Err(ActorError::Unknown {
                shown: clean(other),
            });
        }
    };
    if circumstances.surface == Surface::Tools {
        return Ok(Actor::Agent);
    }
    let marked = circumstances.marks != &Marks::default();
    Ok(match declared {
        Some(actor) => actor,
        None if marked && !circumstances.at_terminal => Actor::Agent,
        None => Actor::User,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> [Marks; 4] {
        let set = || Some("1".to_owned());
        [
            Marks {
                ai_agent: set(),
                ..Marks::default()
            },
            Marks {
                claudecode: set(),
                ..Marks::default()
            },
            Marks {
                codex_thread_id: set(),
                ..Marks::default()
            },
            Marks {
                pi_session_id: set(),
                ..Marks::default()
            },
        ]
    }

    fn actor(
        surface: Surface,
        declared: Option<&str>,
        marks: &Marks,
        at_terminal: bool,
    ) -> Result<Actor, ActorError> {
        resolve(&Circumstances {
            surface,
            declared,
            marks,
            at_terminal,
        })
    }

    #[test]
    fn an_auditor_is_one_everywhere() {
        for surface in [Surface::CommandLine, Surface::Tools] {
            for at_terminal in [true, false] {
                let found = actor(surface, Some("auditor"), &marks()[0], at_terminal);
                assert_eq!(found, Ok(Actor::Auditor));
            }
        }
    }

    #[test]
    fn tools_are_used_by_agents_whatever_is_declared() {
        for declared in [None, Some("user"), Some("agent")] {
            let found = actor(Surface::Tools, declared, &Marks::default(), true);
            assert_eq!(found, Ok(Actor::Agent), "{declared:?}");
        }
    }

    #[test]
    fn at_the_command_line_what_is_declared_holds() {
        for at_terminal in [true, false] {
            let line = |declared| actor(Surface::CommandLine, declared, &marks()[1], at_terminal);
            assert_eq!(line(Some("user")), Ok(Actor::User));
            assert_eq!(line(Some("agent")), Ok(Actor::Agent));
        }
    }

    #[test]
    fn every_mark_without_a_terminal_is_an_agent() {
        for marks in marks() {
            assert_eq!(
                actor(Surface::CommandLine, None, &marks, false),
                Ok(Actor::Agent)
            );
            assert_eq!(
                actor(Surface::CommandLine, None, &marks, true),
                Ok(Actor::User)
            );
        }
        let none = Marks::default();
        assert_eq!(
            actor(Surface::CommandLine, None, &none, false),
            Ok(Actor::User)
        );
    }

    #[test]
    fn other_values_are_errors_that_name_them() {
        let none = Marks::default();
        for surface in [Surface::CommandLine, Surface::Tools] {
            assert_eq!(
                actor(surface, Some("system"), &none, true),
                Err(ActorError::System)
            );
            for odd in ["root", "User", " user", "a\x1b[31m"] {
                let error = actor(surface, Some(odd), &none, true)
                    .unwrap_err()
                    .to_string();
                assert!(
                    error.contains("GOAL_ACTOR") && !error.contains('\x1b'),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn via_names_the_host() {
        let names: Vec<_> = marks().iter().map(|marks| marks.via().unwrap()).collect();
        assert_eq!(names, ["1", "claude-code", "codex", "pi"]);
        assert_eq!(Marks::default().via(), None);
        let agent = |text: &str| Marks {
            ai_agent: Some(text.to_owned()),
            ..marks()[3].clone()
        };
        assert_eq!(
            agent("claude-code_2-1\n\x1b[0m é").via().unwrap(),
            "claude-code_2-1[0m "
        );
        assert_eq!(agent(&"x".repeat(99)).via().unwrap().len(), 64);
        assert_eq!(agent("é").via().unwrap(), "pi");
        let only = Marks {
            ai_agent: Some("é".to_owned()),
            ..Marks::default()
        };
        assert_eq!(only.via().unwrap(), "unknown");
    }
}
