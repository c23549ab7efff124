//! How the usual agent commands are asked to work: argv for each, the prompt comes on stdin.
//!
//! An agent works in the project with its user's own settings, hooks and skills. It gets no more
//! leave than each host's own mode for working without a person gives: who wants to allow more says
//! so in the host's settings or in a `command` of their own. Unlike the auditor presets these were
//! put together from each host's documentation, and no suite runs them.

use super::{Model, Preset, UnsupportedOption, option, setting, words};

impl Preset {
    /// The whole command line for working, which may change files.
    ///
    /// # Errors
    /// An option that the command has no flag for.
    pub fn agent_argv(self, model: &Model) -> Result<Vec<String>, UnsupportedOption> {
        let mut argv = vec![self.program().to_owned()];
        match self {
            Preset::Pi => {
                argv.extend(words(&["--print", "--mode", "text", "--no-session"]));
                argv.extend(option("--provider", model.provider.as_deref()));
                argv.extend(option("--model", model.model.as_deref()));
                argv.extend(option("--thinking", model.thinking.as_deref()));
            }
            Preset::Claude => {
                self.refuse("provider", model.provider.as_deref())?;
                argv.extend(words(&["--print", "--output-format", "text"]));
                // Edits, and `goal` itself; other commands as the user's settings allow them.
                argv.extend(words(&["--permission-mode", "acceptEdits"]));
                argv.extend(words(&["--allowedTools", "Bash(goal:*)"]));
                argv.extend(words(&["--no-session-persistence"]));
                argv.extend(option("--model", model.model.as_deref()));
                argv.extend(option("--effort", model.thinking.as_deref()));
            }
            Preset::Codex => {
                argv.extend(words(&["exec", "--sandbox", "workspace-write"]));
                argv.extend(words(&["--color", "never", "--ephemeral"]));
                argv.extend(words(&["--skip-git-repo-check"]));
                argv.extend(option("--model", model.model.as_deref()));
                argv.extend(setting("model_provider", model.provider.as_deref()));
                argv.extend(setting("model_reasoning_effort", model.thinking.as_deref()));
                argv.push("-".to_owned());
            }
            Preset::Gemini => {
                self.refuse("provider", model.provider.as_deref())?;
                self.refuse("thinking", model.thinking.as_deref())?;
                argv.extend(words(&["--approval-mode", "auto_edit"]));
                argv.extend(words(&["--output-format", "text"]));
                argv.extend(option("--model", model.model.as_deref()));
            }
        }
        Ok(argv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_works_with_exactly_this() {
        let expected = [
            "pi --print --mode text --no-session",
            "claude --print --output-format text --permission-mode acceptEdits \
             --allowedTools Bash(goal:*) --no-session-persistence",
            "codex exec --sandbox workspace-write --color never --ephemeral \
             --skip-git-repo-check -",
            "gemini --approval-mode auto_edit --output-format text",
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
