//! How texts for a model call what can be done: by the commands of a shell, or by the tools that a host
//! has in their place. Texts are written with commands; this says which tool each is.

use std::borrow::Cow;

use clap::ValueEnum;

/// What the reader can call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Surface {
    /// Commands in a shell
    #[default]
    Commands,
    /// Tools, by the extension or over MCP; what is the user's to do stays a command
    Tools,
    /// The tools of the pi extension, and its slash commands for the user
    Pi,
}

/// The tool for a command of an agent.
const TOOLS: &[(&str, &str)] = &[
    ("note", "note_progress"),
    ("pause", "pause_goal"),
    ("block", "pause_goal"),
    ("tweak", "apply_goal_tweak"),
    ("propose", "propose_goal_draft"),
    ("complete", "update_goal"),
    ("abort", "abort_goal"),
    ("status", "get_goal"),
    ("show", "get_goal"),
    ("summary", "get_goal"),
    ("log", "get_goal"),
    ("task set", "set_goal_tasks"),
    ("task add", "set_goal_tasks"),
    ("task tree", "get_goal_tasks"),
    ("task start", "update_goal_task"),
    ("task complete", "update_goal_task"),
    ("task skip", "update_goal_task"),
    ("task fail", "update_goal_task"),
    ("task block", "update_goal_task"),
    ("task reopen", "update_goal_task"),
    ("task update", "update_goal_task"),
    ("task", "update_goal_task"),
    ("stack", "get_goal_tasks"),
    ("next", "get_goal_tasks"),
    ("evidence add", "update_goal_task"),
    ("step", "perform_step"),
    ("ask", "ask_user"),
    ("iterate", "iterate_goal"),
    ("interpret", "interpret_message"),
    ("evaluate", "note_progress"),
    ("agenda", "note_progress"),
    ("delegate", "delegate_goal"),
    ("questions", "list_questions"),
];

/// The slash command of the pi extension for what the user does.
const SLASH: &[(&str, &str)] = &[
    ("focus", "/goal-focus"),
    ("unfocus", "/goal-unfocus"),
    ("resume", "/goal-resume"),
    ("list", "/goal-list"),
    ("set", "/goals-set"),
    ("draft", "/goals"),
];

/// The tools that texts name.
#[cfg(test)]
pub fn named_tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(_, tool)| *tool)
}

impl Surface {
    /// The text with the names of this surface. What stands in fences or is quoted was stored by
    /// somebody, and stays as it is.
    pub fn words(self, text: &str) -> String {
        if self == Surface::Commands {
            return text.to_owned();
        }
        let mut worded = String::with_capacity(text.len());
        let mut fence: Option<&str> = None;
        for line in text.split_inclusive('\n') {
            let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
            match fence {
                Some(open) if line.trim_end() == open => fence = None,
                None if ticks.len() >= 3 => fence = Some(ticks),
                None if !line.starts_with('>') => {
                    worded.push_str(&self.line(line));
                    continue;
                }
                _ => {}
            }
            worded.push_str(line);
        }
        worded
    }

    fn line(self, line: &str) -> Cow<'_, str> {
        if !line.contains("`goal ") {
            return line.into();
        }
        let mut worded = String::with_capacity(line.len());
        // Every second piece stands between backticks.
        for (at, piece) in line.split('`').enumerate() {
            if at > 0 {
                worded.push('`');
            }
            match piece.strip_prefix("goal ").filter(|_| at % 2 == 1) {
                Some(command) => worded.push_str(&self.command(command, piece)),
                None => worded.push_str(piece),
            }
        }
        worded.into()
    }

    /// A command without `goal`; as it was written where this surface has nothing in its place.
    fn command<'t>(self, command: &'t str, whole: &'t str) -> Cow<'t, str> {
        let find = |rows: &[(&str, &'static str)]| {
            rows.iter().find_map(|(name, called)| {
                let rest = command.strip_prefix(name)?;
                let is_whole = rest.is_empty() || rest.starts_with(' ');
                (is_whole && is_arguments(rest)).then_some((*called, rest.len()))
            })
        };
        if let Some((tool, _)) = find(TOOLS) {
            return tool.into();
        }
        match find(SLASH).filter(|_| self == Surface::Pi) {
            Some((slash, rest)) => format!("{slash}{}", &whole[whole.len() - rest..]).into(),
            None => whole.into(),
        }
    }
}

/// Whether these are arguments as our texts have them, and no words of a title that begins like a
/// command.
fn is_arguments(rest: &str) -> bool {
    rest.split_whitespace().all(|word| {
        let letters = word.chars().filter(|c| c.is_alphabetic());
        let is_id = word.contains('-') || word.chars().any(|c| c.is_ascii_digit());
        is_id || word == "done" || letters.clone().all(char::is_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, tools: &str, pi: &str) {
        assert_eq!(Surface::Commands.words(text), text);
        assert_eq!(Surface::Tools.words(text), tools);
        assert_eq!(Surface::Pi.words(text), pi);
    }

    #[test]
    fn commands_of_agents_are_tools_and_those_of_the_user_stay() {
        check(
            "Record: `goal note TEXT --next TEXT`; the user runs `goal focus ID`.\n",
            "Record: `note_progress`; the user runs `goal focus ID`.\n",
            "Record: `note_progress`; the user runs `/goal-focus ID`.\n",
        );
        check(
            "`goal task complete ID`, `goal task add`, `goal block --reason …`",
            "`update_goal_task`, `set_goal_tasks`, `pause_goal`",
            "`update_goal_task`, `set_goal_tasks`, `pause_goal`",
        );
    }

    #[test]
    fn what_somebody_stored_stays() {
        for text in [
            "```\n`goal note`\n```\n",
            "````\n```\n`goal note`\n````\n",
            "> `goal note`\n",
            "The goal is `goal note feature`.\n",
            "goal note, `subgoal note`, `goal`",
        ] {
            check(text, text, text);
        }
        let after = "```\n`goal note`\n```\n`goal note`\n";
        let worded = "```\n`goal note`\n```\n`note_progress`\n";
        check(after, worded, worded);
    }
}
