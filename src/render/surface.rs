//! How texts for a model call what can be done: by the commands of a shell, or by the tools that a host
//! has in their place. Texts are written with commands, or with the tools' own names; the table of
//! commands says which tool each command is, and this what a host calls it.

use clap::ValueEnum;

use crate::acts;

/// What the reader can call. What is the user's to do stays a command.
///
/// Several hosts have goals of their own, with tools called `get_goal` and `update_goal`: a model that
/// is told only these names calls those. So a host's texts have the whole names of our tools, and where
/// there are such tools, ours have second names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Surface {
    /// Commands in a shell
    #[default]
    Commands,
    /// Tools, with the names that the calling host uses; their own names if that is not known
    Tools,
    /// The tools of the pi extension, and its slash commands for the user
    Pi,
    /// Tools of the server `goal` in Claude Code
    Claude,
    /// Tools of the plugin in Claude Code
    ClaudePlugin,
    /// Tools in Codex
    Codex,
    /// Tools in Qwen Code
    Qwen,
    /// Tools in Gemini CLI
    Gemini,
    /// Tools in opencode
    Opencode,
    /// Tools in GitHub Copilot CLI
    Copilot,
    /// Tools in Cline
    Cline,
}

/// The hosts whose MCP clients we know, by what their names begin with.
const CLIENTS: &[(&str, Surface)] = &[
    ("claude-code", Surface::Claude),
    ("qwen-", Surface::Qwen),
    ("codex", Surface::Codex),
    ("gemini-cli", Surface::Gemini),
    ("opencode", Surface::Opencode),
    ("copilot-cli", Surface::Copilot),
    ("@cline/", Surface::Cline),
];

/// Claude Code and Qwen Code list the names of hidden tools by themselves.
const SEARCHED: &str =
    "Tools that you see only by name are loaded with `ToolSearch` or `tool_search`.";

/// Codex lists no names of hidden tools. Its search goes by words.
const OF_CODEX: &str = "If you do not see the tools of `mcp__goal`, `tool_search` with the query `goal` \
and the limit 20 loads them; in scripts of `exec` they are `tools.mcp__goal__…`. The tools of Codex for \
its own goals know nothing of this one.";

/// The tools that texts name.
pub fn named_tools() -> impl Iterator<Item = &'static str> {
    acts::all().filter_map(|act| act.tool)
}

impl Surface {
    /// What stands before a tool's own name where this host calls it, and how its model gets at tools
    /// that it was not shown.
    fn of_host(self) -> (&'static str, &'static str) {
        const LISTED: &str = "";
        match self {
            Surface::Commands | Surface::Tools | Surface::Pi => ("", LISTED),
            Surface::Gemini => ("mcp_goal_", LISTED),
            Surface::Opencode => ("goal_", LISTED),
            Surface::Copilot => ("goal-", LISTED),
            Surface::Cline => ("goal__", LISTED),
            Surface::Claude | Surface::Qwen => ("mcp__goal__", SEARCHED),
            Surface::ClaudePlugin => ("mcp__plugin_goal_goal__", SEARCHED),
            Surface::Codex => ("mcp__goal.", OF_CODEX),
        }
    }

    /// The surface of an MCP client, by the name that it says.
    pub fn of_client(name: &str) -> Surface {
        let found = CLIENTS.iter().find(|(begins, _)| name.starts_with(begins));
        found.map_or(Surface::Tools, |(_, surface)| *surface)
    }

    /// Whether the host gives its model tools to read resources, of every server that declares some. The goal
    /// has tools of its own, so that would cost some hundred tokens in each request for nothing.
    pub fn has_tools_for_resources(self) -> bool {
        match self {
            Surface::Claude
            | Surface::ClaudePlugin
            | Surface::Codex
            | Surface::Qwen
            | Surface::Opencode => true,
            Surface::Commands
            | Surface::Tools
            | Surface::Pi
            | Surface::Gemini
            | Surface::Copilot
            | Surface::Cline => false,
        }
    }

    /// Whether the host has goals of its own, whose tools are called as some of ours are.
    fn has_goals_of_its_own(self) -> bool {
        matches!(self, Surface::Codex | Surface::Qwen)
    }

    /// How the user types an act to this host, where its hooks are ours: what stands before the act's name.
    /// A plugin has slash commands in Claude Code and opencode; elsewhere it is not known whether there are
    /// some, and what has no slash is taken everywhere. Nothing where no hook carries it out.
    pub fn typed_acts(self) -> Option<&'static str> {
        match self {
            Surface::ClaudePlugin | Surface::Opencode => Some("/goal:"),
            Surface::Claude | Surface::Codex | Surface::Qwen | Surface::Gemini => Some("goal:"),
            Surface::Commands
            | Surface::Tools
            | Surface::Pi
            | Surface::Copilot
            | Surface::Cline => None,
        }
    }

    /// What a tool of ours is called in the list of the server.
    pub fn listed_name(self, tool: &str) -> &str {
        let second = acts::second_name(tool).filter(|_| self.has_goals_of_its_own());
        second.unwrap_or(tool)
    }

    /// How a model loads our tools where its host may hide them; ends in nothing. Empty elsewhere.
    pub fn loading(self) -> &'static str {
        self.of_host().1
    }

    /// The text with the names of this surface: each command as the tool that stands in its place. What
    /// stands in fences or is quoted was stored by somebody, and stays as it is.
    pub fn words(self, text: &str) -> String {
        match self {
            Surface::Commands => text.to_owned(),
            _ => replaced(text, |piece| match piece.strip_prefix("goal ") {
                Some(command) => self.command(command),
                None => self.whole_name(piece),
            }),
        }
    }

    /// The text with the whole names of tools. Its commands stay: some are what a model says to the user.
    pub fn whole_names(self, text: &str) -> String {
        replaced(text, |piece| self.whole_name(piece))
    }

    fn whole_name(self, tool: &str) -> Option<String> {
        let (before, _) = self.of_host();
        let is_tool = || named_tools().any(|named| named == tool);
        (!before.is_empty() && is_tool()).then(|| format!("{before}{}", self.listed_name(tool)))
    }

    /// What stands in the place of a command that was written without `goal`.
    fn command(self, command: &str) -> Option<String> {
        let (act, rest) = acts::at_start(command)?;
        if !is_arguments(rest) {
            return None;
        }
        if let Some(tool) = act.tool {
            return self.whole_name(tool).or_else(|| Some(tool.to_owned()));
        }
        let slash = act.slash.filter(|_| self == Surface::Pi)?;
        Some(format!("{slash}{rest}"))
    }
}

/// The text with other words between backticks, where there are some for what stands there, but not in
/// fences and quotations.
pub fn replaced(text: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let mut worded = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line.trim_end() == open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None if !line.starts_with('>') => {
                // Every second piece stands between backticks.
                for (at, piece) in line.split('`').enumerate() {
                    if at > 0 {
                        worded.push('`');
                    }
                    let other = (at % 2 == 1).then(|| other(piece)).flatten();
                    worded.push_str(other.as_deref().unwrap_or(piece));
                }
                continue;
            }
            _ => {}
        }
        worded.push_str(line);
    }
    worded
}

/// Whether these are arguments as our texts have them, and no words of a title that begins like a
/// command. What follows an option belongs to it.
fn is_arguments(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    let before_options = words.by_ref().take_while(|word| !word.starts_with("--"));
    before_options.into_iter().all(|word| {
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
        check(
            "`goal plan 2.1 --procedure train`, `goal plan for the week`",
            "`plan_goal`, `goal plan for the week`",
            "`plan_goal`, `goal plan for the week`",
        );
    }

    #[test]
    fn a_hosts_texts_have_whole_names_of_tools() {
        let text = "`goal complete --summary …`, `get_goal`, `goal resume`, `own_tool`, get_goal";
        for (surface, before) in [
            (Surface::Claude, "mcp__goal__"),
            (Surface::ClaudePlugin, "mcp__plugin_goal_goal__"),
            (Surface::Gemini, "mcp_goal_"),
            (Surface::Opencode, "goal_"),
            (Surface::Copilot, "goal-"),
            (Surface::Cline, "goal__"),
            (Surface::Tools, ""),
        ] {
            let worded = surface.words(text);
            assert_eq!(
                worded,
                format!(
                    "`{before}update_goal`, `{before}get_goal`, `goal resume`, `own_tool`, get_goal"
                )
            );
            // A text that has them already has them once.
            assert_eq!(surface.words(&worded), worded);
            assert_eq!(
                surface.whole_names(text),
                format!(
                    "`goal complete --summary …`, `{before}get_goal`, `goal resume`, `own_tool`, get_goal"
                )
            );
        }
    }

    #[test]
    fn tools_have_second_names_where_the_host_has_tools_of_their_names() {
        let text = "`goal complete --summary …`, `get_goal`, `goal note TEXT`, `goal resume`";
        for (surface, before) in [
            (Surface::Codex, "mcp__goal."),
            (Surface::Qwen, "mcp__goal__"),
        ] {
            let worded = surface.words(text);
            assert_eq!(
                worded,
                format!(
                    "`{before}update_ledger_goal`, `{before}get_ledger_goal`, `{before}note_progress`, \
                     `goal resume`"
                )
            );
            assert_eq!(surface.words(&worded), worded);
        }
    }

    #[test]
    fn clients_are_known_by_their_names() {
        for (name, surface) in [
            ("claude-code", Surface::Claude),
            ("qwen-cli-mcp-client-goal", Surface::Qwen),
            ("codex-mcp-client", Surface::Codex),
            ("gemini-cli-mcp-client", Surface::Gemini),
            ("opencode", Surface::Opencode),
            ("copilot-cli", Surface::Copilot),
            ("@cline/core", Surface::Cline),
            ("a client", Surface::Tools),
        ] {
            assert_eq!(Surface::of_client(name), surface, "{name}");
        }
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
