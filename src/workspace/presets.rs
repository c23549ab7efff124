//! How the usual agent commands are asked to judge and to work: argv for each, the prompt comes on
//! stdin.
//!
//! An auditor must not be able to change anything, must put its final answer and nothing else on
//! stdout, and must not be talked to by the project it judges: its hooks, extensions, skills, MCP
//! servers and memory files stay out (docs/auditor-protocol.md#the-presets-run). Each row says
//! which flag does which of these duties, and which no flag does. `tests/hosts` runs all four with
//! a scripted model, in the version that each row names. `GOAL_ACTOR=auditor` makes every
//! surface of ours inert besides, and a flag that an older version does not know ends the audit as
//! an error, which leaves the goal open.
//!
//! An agent works in the project with its user's own settings, hooks and skills. It gets no more
//! leave than each host's own mode for working without a person gives: who wants to allow more says
//! so in the host's settings or in a `command` of their own. Its host writes JSON, from which a run takes
//! the last message and what the turn cost (`src/roles/hosts`). `tests/hosts` runs three of the four,
//! as it runs auditors.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent command that is known here.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// pi
    Pi,
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

/// Which model judges, in the words of the command that is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Model {
    /// Who serves it.
    pub provider: Option<String>,
    /// Its name.
    pub model: Option<String>,
    /// How long it thinks.
    pub thinking: Option<String>,
}

/// An option that a command has no flag for. It is refused, since an audit on record as thinking
/// hard that did not is worse than none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the preset `{preset}` takes no `{option}`: remove it, or say it in a `command` of your own"
)]
pub struct UnsupportedOption {
    preset: Preset,
    option: &'static str,
}

impl Model {
    /// The options that can be given, by name.
    pub(super) fn options(&self) -> [(&'static str, Option<&str>); 3] {
        [
            ("provider", self.provider.as_deref()),
            ("model", self.model.as_deref()),
            ("thinking", self.thinking.as_deref()),
        ]
    }
}

/// How a program is called.
struct Program {
    /// What is looked up on the `PATH`; also the preset's name.
    name: &'static str,
    /// Its arguments for an auditor, separated by white space.
    judging: &'static str,
    /// Its arguments for an agent, which may change files.
    working: &'static str,
    /// The options of a [`Model`] that it takes, in its order.
    takes: &'static [(&'static str, Takes)],
    /// Its arguments behind those options.
    end: &'static str,
}

/// How a program takes an option.
enum Takes {
    /// Behind this flag.
    Flag(&'static str),
    /// As a setting of this name. TOML reads a JSON string as it stands.
    Setting(&'static str),
}

impl Preset {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Preset; 4] = [Preset::Pi, Preset::Claude, Preset::Codex, Preset::Gemini];

    pub fn named(name: &str) -> Option<Preset> {
        Preset::ALL
            .into_iter()
            .find(|preset| preset.program() == name)
    }

    /// The program that is looked up on the `PATH`; also the preset's name.
    pub fn program(self) -> &'static str {
        self.row().name
    }

    /// The whole command line for judging.
    ///
    /// # Errors
    /// An option that the command has no flag for.
    pub fn argv(self, model: &Model) -> Result<Vec<String>, UnsupportedOption> {
        self.command(self.row().judging, model)
    }

    /// The whole command line for working, which may change files.
    ///
    /// # Errors
    /// An option that the command has no flag for.
    pub fn agent_argv(self, model: &Model) -> Result<Vec<String>, UnsupportedOption> {
        self.command(self.row().working, model)
    }

    fn command(self, words: &str, model: &Model) -> Result<Vec<String>, UnsupportedOption> {
        let Program {
            name, takes, end, ..
        } = self.row();
        let given = model.options();
        for (option, value) in given {
            if value.is_some() && takes.iter().all(|(taken, _)| *taken != option) {
                let preset = self;
                return Err(UnsupportedOption { preset, option });
            }
        }
        let options = takes.iter().filter_map(|(option, takes)| {
            let (_, value) = given.iter().find(|(given, _)| given == option)?;
            Some(takes.words((*value)?))
        });
        let words = [*name].into_iter().chain(words.split_whitespace());
        let words = words.map(str::to_owned).chain(options.flatten());
        Ok(words
            .chain(end.split_whitespace().map(str::to_owned))
            .collect())
    }

    /// `prompt` with nothing in it that the program would act on before its model reads it. Some put
    /// a file or a skill in the place of a mention, also of one that stands in a fence: what an agent
    /// claims could so bring words of its own outside the fence. A `·` behind the sign prevents it,
    /// and the prompt says that it is there.
    pub fn unmentioned(self, prompt: &str) -> String {
        let sign = match self {
            Preset::Pi => return prompt.to_owned(),
            Preset::Claude | Preset::Gemini => '@',
            Preset::Codex => '$',
        };
        let mut broken = String::with_capacity(prompt.len());
        let mut rest = prompt.chars().peekable();
        while let Some(c) = rest.next() {
            broken.push(c);
            if c == sign && rest.peek().is_some_and(|next| !next.is_whitespace()) {
                broken.push('·');
            }
        }
        if broken.len() == prompt.len() {
            return broken;
        }
        format!(
            "(A `·` behind a `{sign}` below was not written there; read on as without it.)\n\n{broken}"
        )
    }

    fn row(self) -> &'static Program {
        use Takes::{Flag, Setting};
        match self {
            // pi (0.87.1 and 1.5.2 were run).
            // - only reads: `--tools`, an allow-list without shell, edit and write; tools of MCP servers and
            //   extensions are not on it either
            // - only the answer: `--print --mode text`
            // - nothing of the project's: `--no-extensions --no-skills --no-prompt-templates`,
            //   `--no-context-files` for memory files, `--no-approve` (0.79.1 and later) for everything below
            //   `.pi/`, its MCP servers included
            // - leaves nothing: `--no-session`
            //
            // No flag keeps the user's own MCP servers from being started; they cannot be called.
            Preset::Pi => &Program {
                name: "pi",
                judging: "--print --mode text --tools read,grep,find,ls --no-extensions \
                          --no-skills --no-prompt-templates --no-context-files --no-approve \
                          --no-session",
                working: "--print --mode json --no-session",
                takes: &[
                    ("provider", Flag("--provider")),
                    ("model", Flag("--model")),
                    ("thinking", Flag("--thinking")),
                ],
                end: "",
            },
            // Claude Code (2.1.330 was run).
            // - only reads: `--tools` leaves three tools that cannot write; plan mode is not used, since it
            //   ends in a plan and not in an answer
            // - only the answer: `--print --output-format text`
            // - nothing of the project's or the user's: `--safe-mode` (2.1.169 and later) switches off hooks,
            //   plugins, skills, MCP servers and memory files and keeps the login; `--strict-mcp-config`
            //   without a configuration says no to MCP once more; `--setting-sources user` keeps the
            //   project's settings out, whose variables and helper commands safe mode may still honour
            // - leaves nothing: `--no-session-persistence`
            //
            // Hooks that an organisation manages stay. `--tools` takes several values, so another flag must
            // follow it. There is no flag for a provider.
            Preset::Claude => &Program {
                name: "claude",
                judging: "--print --output-format text --tools Read,Grep,Glob --safe-mode \
                          --strict-mcp-config --setting-sources user --no-session-persistence",
                // Edits, and `goal` itself; other commands as the user's settings allow them.
                working: "--print --verbose --output-format stream-json --permission-mode acceptEdits \
                          --allowedTools Bash(goal:*) --no-session-persistence",
                takes: &[("model", Flag("--model")), ("thinking", Flag("--effort"))],
                end: "",
            },
            // Codex (0.169.0 was run).
            // - only reads: `--sandbox read-only`; headless runs ask for no approval
            // - only the answer: `exec` without `--json` writes its progress to stderr; `--color never`
            // - nothing of the project's or the user's: `--ignore-user-config` drops the user's MCP servers,
            //   providers and the list of trusted projects, without which a project's `.codex/` is not read;
            //   `--ignore-rules`; `features.hooks` and `features.plugins` for those two;
            //   `skills.include_instructions=false` for skills, which no flag keeps from being mentioned
            //   ([`Preset::unmentioned`]); `project_doc_max_bytes=0` for memory files
            // - no goals of Codex's own beside ours: `features.goals`
            // - leaves nothing: `--ephemeral`; `--skip-git-repo-check` since nothing is written
            // - `-` reads the prompt from stdin
            //
            // A provider must be one that Codex knows by itself. Not covered by a flag: `AGENTS.md` in the
            // user's own directory.
            Preset::Codex => &Program {
                name: "codex",
                judging: "exec --sandbox read-only --color never --ignore-user-config \
                          --ignore-rules --ephemeral --skip-git-repo-check \
                          --config features.hooks=false --config features.plugins=false \
                          --config features.goals=false \
                          --config skills.include_instructions=false \
                          --config project_doc_max_bytes=0",
                working: "exec --json --sandbox workspace-write --color never --ephemeral \
                          --skip-git-repo-check",
                takes: &[
                    ("model", Flag("--model")),
                    ("provider", Setting("model_provider")),
                    ("thinking", Setting("model_reasoning_effort")),
                ],
                end: "-",
            },
            // Gemini CLI (0.61.0 was run).
            // - only reads: `--approval-mode plan`; its tools for writing stay, for plans in a directory of its
            //   own outside the project, and refuse everything else
            // - only the answer: piped stdin without a prompt makes it headless; `--output-format text`
            // - nothing of the project's or the user's: `--extensions none`; an allow-list of MCP servers
            //   with a name that none has
            //
            // The weakest of the four: no flag switches off hooks, skills or `GEMINI.md`, and it insists on
            // the folder being trusted, after which the project's own settings count. Our own hooks are run,
            // and do nothing. There is no flag for a provider or for thinking.
            Preset::Gemini => &Program {
                name: "gemini",
                judging: "--approval-mode plan --extensions none \
                          --allowed-mcp-server-names none --output-format text",
                working: "--approval-mode auto_edit --output-format stream-json",
                takes: &[("model", Flag("--model"))],
                end: "",
            },
        }
    }
}

impl Takes {
    fn words(&self, value: &str) -> [String; 2] {
        match self {
            Takes::Flag(flag) => [(*flag).to_owned(), value.to_owned()],
            Takes::Setting(key) => {
                let setting = format!("{key}={}", serde_json::Value::from(value));
                ["--config".to_owned(), setting]
            }
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(preset: Preset, provider: &str, model: &str, thinking: &str) -> String {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let model = Model {
            provider: given(provider),
            model: given(model),
            thinking: given(thinking),
        };
        preset
            .argv(&model)
            .map_or_else(|error| error.to_string(), |argv| argv.join(" "))
    }

    #[test]
    fn each_preset_says_exactly_this() {
        let expected = [
            "pi --print --mode text --tools read,grep,find,ls --no-extensions --no-skills \
             --no-prompt-templates --no-context-files --no-approve --no-session",
            "claude --print --output-format text --tools Read,Grep,Glob --safe-mode \
             --strict-mcp-config --setting-sources user --no-session-persistence",
            "codex exec --sandbox read-only --color never --ignore-user-config --ignore-rules \
             --ephemeral --skip-git-repo-check --config features.hooks=false \
             --config features.plugins=false --config features.goals=false \
             --config skills.include_instructions=false --config project_doc_max_bytes=0 -",
            "gemini --approval-mode plan --extensions none --allowed-mcp-server-names none \
             --output-format text",
        ];
        let found = Preset::ALL.map(|preset| line(preset, "", "", ""));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_model_is_passed_on_in_each_ones_words() {
        let ends = |preset, provider, thinking, end: &str| {
            let line = line(preset, provider, "m1", thinking);
            assert!(line.ends_with(end), "{line}");
        };
        ends(
            Preset::Pi,
            "p",
            "high",
            " --provider p --model m1 --thinking high",
        );
        ends(Preset::Claude, "", "high", " --model m1 --effort high");
        let codex =
            r#" --model m1 --config model_provider="p" --config model_reasoning_effort="high" -"#;
        ends(Preset::Codex, "p", "high", codex);
        ends(Preset::Gemini, "", "", " --model m1");
    }

    #[test]
    fn a_value_stays_one_argument() {
        let thinking = Some("a\"b c".to_owned());
        let argv = Preset::Codex
            .argv(&Model {
                thinking,
                ..Model::default()
            })
            .unwrap();
        assert!(
            argv.contains(&r#"model_reasoning_effort="a\"b c""#.to_owned()),
            "{argv:?}"
        );
    }

    #[test]
    fn what_is_stored_mentions_nothing() {
        let prompt = "a@b, @x/y, $late and 5 $ @\n";
        assert_eq!(Preset::Pi.unmentioned(prompt), prompt);
        assert_eq!(Preset::Codex.unmentioned("no @mention"), "no @mention");
        let body = |preset: Preset| {
            let text = preset.unmentioned(prompt);
            text.split_once("\n\n").map(|(_, body)| body.to_owned())
        };
        let at = Some("a@·b, @·x/y, $late and 5 $ @\n".to_owned());
        assert_eq!(body(Preset::Claude), at);
        assert_eq!(body(Preset::Gemini), at);
        let dollar = "a@b, @x/y, $·late and 5 $ @\n".to_owned();
        assert_eq!(body(Preset::Codex), Some(dollar));
    }

    #[test]
    fn what_a_command_has_no_flag_for_is_refused() {
        let refused = [
            line(Preset::Claude, "p", "", ""),
            line(Preset::Gemini, "p", "", ""),
            line(Preset::Gemini, "", "", "high"),
        ];
        for (text, option) in refused.iter().zip(["provider", "provider", "thinking"]) {
            assert!(text.contains(&format!("takes no `{option}`")), "{text}");
        }
    }

    #[test]
    fn names_are_programs() {
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.program()), Some(preset));
        }
        assert_eq!(Preset::named("Claude"), None);
    }

    #[test]
    fn each_preset_works_with_exactly_this() {
        let expected = [
            "pi --print --mode json --no-session",
            "claude --print --verbose --output-format stream-json --permission-mode acceptEdits \
             --allowedTools Bash(goal:*) --no-session-persistence",
            "codex exec --json --sandbox workspace-write --color never --ephemeral \
             --skip-git-repo-check -",
            "gemini --approval-mode auto_edit --output-format stream-json",
        ];
        let found = Preset::ALL.map(|preset| {
            let argv = preset.agent_argv(&Model::default()).unwrap();
            argv.join(" ")
        });
        assert_eq!(found, expected);
        let thinking = Model {
            thinking: Some("high".into()),
            ..Model::default()
        };
        assert!(Preset::Gemini.agent_argv(&thinking).is_err());
    }
}
