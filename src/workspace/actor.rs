//! How the actor is found out: the user, an agent, an auditor or the tool itself.
//!
//! This guards against accident and drift and leaves evidence; it is no sandbox against a hostile
//! process of the same user.

use std::ffi::OsString;

use crate::domain::actor::Actor;

/// What agent hosts leave in the environment of the commands they run: the host's name for each
/// mark that was found, in the order of `VARIABLES`. A mark whose text is all unprintable is
/// still a mark, of nobody in particular.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks(Vec<Mark>);

/// One mark.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    variable: &'static str,
    host: String,
}

/// How a variable names its host.
#[derive(Debug, Clone, Copy)]
enum Says {
    /// Its value does.
    Itself,
    /// It belongs to this host, whatever its value.
    Host(&'static str),
    /// Others use it as well; it is this host's only with this value.
    Only(&'static str),
}

/// The marks that are known; docs/hosts/how-it-works.md#marks lists them. Seen in November 2026 in
///
/// - any: unjs/std-env `agents.ts`, vercel/vercel `detect-agent`;
/// - Claude Code: the same two, and aws/aws-cdk-cli `detect-agent.ts`;
/// - Codex: openai/codex pull request 10096 and its `spawn.rs`; the last only in lists of others;
/// - pi: badlogic/pi-mono `cli.ts`, the second; Gemini CLI: its page `tools/shell.md`;
/// - Cursor: forum.cursor.com topic 151935, unjs/std-env; opencode: unjs/std-env, copies of its `index.ts`;
/// - Copilot CLI: dotnet/sdk pull request 54227; rjmurillo/ai-agents issue 5369 lacks the first in 1.0.80;
/// - Amp: sageox/ox pull request 62, the second; else lists of others;
/// - Cline: cline/cline discussion 5366 and its page on pagers; Goose: block/goose pull request 7365.
///
/// Aider has none: Aider-AI/aider pull request 5521, which would set `AI_AGENT`, is open.
const VARIABLES: &[(&str, Says)] = &[
    ("AI_AGENT", Says::Itself),
    ("CLAUDECODE", Says::Host("claude-code")),
    ("CODEX_THREAD_ID", Says::Host("codex")),
    ("CODEX_SANDBOX", Says::Host("codex")),
    ("CODEX_SANDBOX_NETWORK_DISABLED", Says::Host("codex")),
    ("CODEX_CI", Says::Host("codex")),
    ("PI_SESSION_ID", Says::Host("pi")),
    ("PI_CODING_AGENT", Says::Host("pi")),
    ("GEMINI_CLI", Says::Host("gemini-cli")),
    ("CURSOR_AGENT", Says::Host("cursor")),
    ("OPENCODE", Says::Host("opencode")),
    ("COPILOT_CLI", Says::Host("copilot-cli")),
    ("COPILOT_AGENT_SESSION_ID", Says::Host("copilot-cli")),
    ("AMP_CURRENT_THREAD_ID", Says::Host("amp")),
    ("AMP_THREAD_URL", Says::Host("amp")),
    ("AGENT", Says::Only("amp")),
    ("CLINE_ACTIVE", Says::Host("cline")),
    ("GOOSE_TERMINAL", Says::Host("goose")),
    ("AGENT", Says::Only("goose")),
];

/// The longest `via` that is recorded, in characters.
const VIA_LIMIT: usize = 64;

impl Marks {
    /// The marks among what `variable` answers. An empty variable is none.
    pub fn find(variable: impl Fn(&'static str) -> Option<OsString>) -> Marks {
        let mark = |(name, says): &(&'static str, Says)| {
            // Whatever its bytes, a mark is a mark.
            let value = variable(name).filter(|value| !value.is_empty())?;
            let host = match says {
                Says::Itself => clean(value.to_string_lossy().trim()),
                Says::Host(host) => (*host).to_owned(),
                Says::Only(host) if value == *host => (*host).to_owned(),
                Says::Only(_) => return None,
            };
            Some(Mark {
                variable: name,
                host,
            })
        };
        Marks(VARIABLES.iter().filter_map(mark).collect())
    }

    /// The mark of a host that said its name in another way.
    pub fn of_host(name: &str) -> Marks {
        Marks::find(|variable| (variable == "AI_AGENT").then(|| name.into()))
    }

    /// The first variable that is a mark.
    pub fn first(&self) -> Option<&'static str> {
        self.0.first().map(|mark| mark.variable)
    }

    /// The variable by which an agent's own shell is told from its host's hooks, where one is set. Claude
    /// Code marks both, its hooks with a name that ends in `_harness`; Codex and Gemini CLI mark the
    /// shell only. An older Claude Code marks both alike.
    pub fn of_agents_shell(&self) -> Option<&'static str> {
        let is_of_shell = |mark: &&Mark| match mark.variable {
            "AI_AGENT" => !(mark.host.ends_with("_harness") || mark.host == "claude-code"),
            "CLAUDECODE" => false,
            _ => true,
        };
        self.0.iter().find(is_of_shell).map(|mark| mark.variable)
    }

    /// The variables that were found, each once.
    pub fn variables(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.iter().map(|it| it.variable.to_owned()).collect();
        names.dedup();
        names
    }

    /// The agent's name as it is recorded in an event's `via`, whoever the actor is: printable
    /// ASCII, at most 64 characters. Nothing when there is no mark.
    pub fn via(&self) -> Option<String> {
        self.0.first()?;
        let named = self.0.iter().find(|mark| !mark.host.is_empty());
        Some(named.map_or_else(|| "unknown".to_owned(), |mark| mark.host.clone()))
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
    pub surface: Surface,
    /// `GOAL_ACTOR`
    pub declared: Option<&'a str>,
    /// What hosts left.
    pub marks: &'a Marks,
    /// Whether the process is one of a run of ours (`goal run`).
    pub in_run: bool,
    /// Whether stdout or stderr is a terminal: a person sees what the program says. A terminal at
    /// stdin alone shows nothing of one, since a captured child inherits it.
    pub on_screen: bool,
}

/// What made a caller an agent that nobody declared to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// A run of ours started it.
    Run,
    /// A host left this variable.
    Mark(&'static str),
    /// Neither stdout nor stderr is a terminal, so there is no sign of a person.
    NoScreen,
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

/// Who acts. An auditor stays one behind every door; tools are used by agents, and so is all that a
/// run starts; then what is declared holds; then a mark makes an agent, at a terminal too, since
/// hosts run commands in terminals of their own; and so does the lack of a terminal that shows what is
/// said. Only then is it the user.
///
/// # Errors
/// `GOAL_ACTOR` names nobody, or the tool itself.
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
    if circumstances.surface == Surface::Tools || because(circumstances).is_some() {
        return Ok(Actor::Agent);
    }
    Ok(declared.unwrap_or(Actor::User))
}

/// What makes the caller of a command an agent without a word of its own: nothing where it is the
/// user, or says itself who it is.
pub fn because(circumstances: &Circumstances<'_>) -> Option<Because> {
    if circumstances.in_run {
        return Some(Because::Run);
    }
    if circumstances.declared.is_some() {
        return None;
    }
    let mark = circumstances.marks.first().map(Because::Mark);
    mark.or((!circumstances.on_screen).then_some(Because::NoScreen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(variables: &[(&str, &str)]) -> Marks {
        Marks::find(|name| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(found.1.into())
        })
    }

    /// Each known mark alone.
    fn marks() -> Vec<Marks> {
        let value = |says: &Says| match says {
            Says::Itself | Says::Host(_) => "1",
            Says::Only(host) => host,
        };
        let alone = |(name, says): &(&str, Says)| set(&[(*name, value(says))]);
        VARIABLES.iter().map(alone).collect()
    }

    fn actor(
        surface: Surface,
        declared: Option<&str>,
        marks: &Marks,
        on_screen: bool,
    ) -> Result<Actor, ActorError> {
        resolve(&Circumstances {
            surface,
            declared,
            marks,
            in_run: false,
            on_screen,
        })
    }

    #[test]
    fn an_agents_shell_is_told_from_the_hooks_of_its_host() {
        for (variables, shell) in [
            (&[][..], None),
            (
                &[
                    ("AI_AGENT", "claude-code_2-1-330_harness"),
                    ("CLAUDECODE", "1"),
                ],
                None,
            ),
            (
                &[
                    ("AI_AGENT", "claude-code_2-1-330_agent"),
                    ("CLAUDECODE", "1"),
                ],
                Some("AI_AGENT"),
            ),
            (&[("CODEX_CI", "1")], Some("CODEX_CI")),
            (&[("GEMINI_CLI", "1")], Some("GEMINI_CLI")),
            (&[("AI_AGENT", "mine")], Some("AI_AGENT")),
        ] {
            assert_eq!(set(variables).of_agents_shell(), shell, "{variables:?}");
        }
    }

    #[test]
    fn an_auditor_is_one_everywhere() {
        for surface in [Surface::CommandLine, Surface::Tools] {
            for on_screen in [true, false] {
                let found = actor(surface, Some("auditor"), &marks()[0], on_screen);
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
        for on_screen in [true, false] {
            let line = |declared| actor(Surface::CommandLine, declared, &marks()[1], on_screen);
            assert_eq!(line(Some("user")), Ok(Actor::User));
            assert_eq!(line(Some("agent")), Ok(Actor::Agent));
        }
    }

    #[test]
    fn every_mark_is_an_agent_at_a_terminal_too() {
        for marks in marks() {
            for on_screen in [true, false] {
                let found = actor(Surface::CommandLine, None, &marks, on_screen);
                assert_eq!(found, Ok(Actor::Agent), "{marks:?}");
            }
        }
    }

    #[test]
    fn without_a_mark_a_terminal_makes_the_user() {
        let none = Marks::default();
        let found = |on_screen| actor(Surface::CommandLine, None, &none, on_screen);
        assert_eq!(found(true), Ok(Actor::User));
        assert_eq!(found(false), Ok(Actor::Agent));
    }

    #[test]
    fn what_others_use_too_is_a_mark_only_with_its_value() {
        assert_eq!(set(&[("AGENT", "jenkins-7")]), Marks::default());
        assert_eq!(set(&[("AGENT", "amp")]).via().unwrap(), "amp");
        assert_eq!(set(&[("CURSOR_AGENT", "")]), Marks::default());
    }

    #[test]
    fn nothing_in_a_run_is_the_user() {
        for (declared, expected) in [
            (None, Actor::Agent),
            (Some("user"), Actor::Agent),
            (Some("agent"), Actor::Agent),
            (Some("auditor"), Actor::Auditor),
        ] {
            let found = resolve(&Circumstances {
                surface: Surface::CommandLine,
                declared,
                marks: &Marks::default(),
                in_run: true,
                on_screen: true,
            });
            assert_eq!(found, Ok(expected), "{declared:?}");
        }
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
        let mut names: Vec<_> = marks().iter().map(|marks| marks.via().unwrap()).collect();
        names.dedup();
        assert_eq!(
            names,
            [
                "1",
                "claude-code",
                "codex",
                "pi",
                "gemini-cli",
                "cursor",
                "opencode",
                "copilot-cli",
                "amp",
                "cline",
                "goose"
            ]
        );
        assert_eq!(Marks::default().via(), None);
        let agent = |text: &str| set(&[("PI_SESSION_ID", "1"), ("AI_AGENT", text)]);
        assert_eq!(
            agent("claude-code_2-1\n\x1b[0m é").via().unwrap(),
            "claude-code_2-1[0m "
        );
        assert_eq!(agent(&"x".repeat(99)).via().unwrap().len(), 64);
        assert_eq!(agent("é").via().unwrap(), "pi");
        assert_eq!(set(&[("AI_AGENT", "é")]).via().unwrap(), "unknown");
    }
}
