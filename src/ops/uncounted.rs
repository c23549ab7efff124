//! Hosts that report no cost: a limit does not count in them, and that is said where a limit is set, and by
//! the first answers to a session of such a host.

use crate::domain::cost::budget::Limit;
use crate::domain::goal::state::Goal;
use crate::ops::call::Call;

/// How the names of hosts begin whose sessions report what they spend.
const REPORTING: [&str; 6] = ["claude", "codex", "copilot", "gemini", "opencode", "pi"];

/// What whoever sets a limit should know.
pub const WHERE: &str = "Cost counts as hosts report it: Claude Code, Codex, Copilot CLI and Gemini CLI by our \
                         hooks, opencode by our plugin, and pi. Other hosts, and MCP alone, report none.";

/// What the caller's session is told, whose host is known to report no cost, of a goal with limits.
pub fn here(call: &Call, goal: &Goal) -> Option<String> {
    let host = call.caller.via.as_deref()?;
    match reports(host) {
        true => None,
        false => told(host, goal),
    }
}

/// That this host reports no cost, and which limits of the goal that is about; nothing where it has none.
pub fn told(host: &str, goal: &Goal) -> Option<String> {
    let limits = goal.cost.limits.0.keys().map(|limit| Limit::name(*limit));
    let limits: Vec<&str> = limits.collect();
    (!limits.is_empty()).then(|| {
        format!(
            "{host} reports no cost, so what is spent here does not count under the limits of goal {}: {}.",
            goal.id,
            limits.join(", ")
        )
    })
}

fn reports(host: &str) -> bool {
    let names = |it: &str| {
        let rest = host.strip_prefix(it);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    REPORTING.iter().copied().any(names)
}

#[cfg(test)]
mod tests {
    use super::reports;

    #[test]
    fn hosts_that_report_are_known_by_the_beginning_of_their_names() {
        for host in [
            "claude-code_2-1-332_agent",
            "codex",
            "copilot-cli",
            "gemini-cli",
            "opencode",
            "pi",
        ] {
            assert!(reports(host), "{host}");
        }
        for host in ["qwen-code", "pixel", "cursor", "unknown"] {
            assert!(!reports(host), "{host}");
        }
    }
}
