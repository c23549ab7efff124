//! How a run goes about its work: as the call says, and where it says nothing, as the goal's latest run.

use super::RunRequest;
use crate::domain::goal::state::Goal;
use crate::domain::run::state::Choices;
use crate::render::text::shell_word;
use crate::workspace::presets::Preset;

impl RunRequest {
    /// What holds for a run of this goal.
    pub(super) fn choices(&self, goal: &Goal) -> Choices {
        let latest = goal.runs.choices();
        Choices {
            worktree: self.worktree.unwrap_or(latest.worktree),
            commit: self.commit.unwrap_or(latest.commit),
            plan: self.plan.unwrap_or(latest.plan),
        }
    }

    /// What a run takes over from the one before, and how it is told otherwise; nothing where it takes
    /// over nothing.
    pub(super) fn taken_over(&self, choices: Choices) -> Option<String> {
        let worktree = choices.worktree && self.worktree.is_none();
        let commit = choices.commit && self.commit.is_none();
        let (how, otherwise) = match (worktree, commit) {
            (false, false) => return None,
            (true, false) => ("in the goal's own work tree", "--no-worktree says"),
            (false, true) => ("with a commit for each turn", "--no-commit says"),
            (true, true) => (
                "in the goal's own work tree, with a commit for each turn",
                "--no-worktree and --no-commit say",
            ),
        };
        Some(format!(
            "Goes on as the goal's last run did: {how}.\n{otherwise} otherwise."
        ))
    }

    /// The options of this call that no later one knows by itself, as they are typed.
    pub(super) fn again(&self) -> String {
        let mut options = Vec::new();
        if let Some(agent) = &self.agent.command {
            let option = match Preset::named(agent) {
                Some(_) => "--agent",
                None => "--agent-command",
            };
            options.push(format!("{option} {}", shell_word(agent)));
        }
        let rules = self.rules.iter();
        options.extend(rules.map(|rule| format!("--rule {}", shell_word(rule))));
        let file = self.agent_file.iter();
        options.extend(file.map(|file| format!("--agent-file {}", shell_word(file))));
        let retry_for = self.retry_for.iter();
        options.extend(retry_for.map(|it| format!("--retry-for {}", it.as_secs())));
        if self.paced {
            options.push("--paced".to_owned());
        }
        options.iter().map(|option| format!(" {option}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::roles::command::CommandOptions;

    #[test]
    fn what_a_later_call_does_not_know_is_typed_again() {
        assert_eq!(RunRequest::default().again(), "");
        let asked = RunRequest {
            agent: CommandOptions {
                command: Some("./my agent".into()),
                timeout: None,
            },
            rules: vec!["lint".into(), "types".into()],
            agent_file: Some("agents/a.md".into()),
            retry_for: Some(Duration::from_secs(60)),
            paced: true,
            // These are on record.
            worktree: Some(true),
            commit: Some(true),
            ..RunRequest::default()
        };
        let expected = " --agent-command './my agent' --rule lint --rule types \
                        --agent-file agents/a.md --retry-for 60 --paced";
        assert_eq!(asked.again(), expected);
    }
}
