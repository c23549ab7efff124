//! What an agent began in the background and has not heard the end of, as its transcript tells.

use super::LineTold;

/// Something in the background.
pub(super) struct Begun {
    /// The call that began it.
    call: String,
    /// What the host answered to that call.
    answer: String,
    is_agent: bool,
    /// The agent heard its end; hosts can tell an end twice.
    has_ended: bool,
}

/// Tools with which an agent looks after what it began.
const LOOKING: [&str; 4] = ["AgentOutputTool", "BashOutput", "TaskOutput", "Read"];

/// What was begun and its end, after this. The user's word and an end that names nothing known leave
/// nothing: in doubt the agent goes on.
pub(super) fn heed(begun: &mut Vec<Begun>, told: &LineTold) {
    match told {
        LineTold::Word => begun.clear(),
        LineTold::Call { tool, .. } if !LOOKING.contains(&tool.as_str()) => {
            begun.retain(|it| it.is_agent);
        }
        LineTold::Begun { call, is_agent } => begun.push(Begun {
            call: call.clone(),
            answer: String::new(),
            is_agent: *is_agent,
            has_ended: false,
        }),
        LineTold::Launched { call, text } => {
            let begun = begun.iter_mut().find(|it| it.call == *call);
            if let Some(begun) = begun {
                begun.answer.clone_from(text);
            }
        }
        LineTold::Failed { call } => begun.retain(|it| it.call != *call),
        LineTold::Ended { text } => {
            let mut is_known = false;
            for named in begun.iter_mut().filter(|it| it.is_named_in(text)) {
                (named.has_ended, is_known) = (true, true);
            }
            if !is_known {
                begun.clear();
            }
        }
        _ => {}
    }
}

/// Whether the agent has still to hear the end of something.
pub(super) fn is_any_under_way(begun: &[Begun]) -> bool {
    begun.iter().any(|it| !it.has_ended)
}

impl Begun {
    /// Whether a text names it, by its call or by a name that the host gave it.
    fn is_named_in(&self, text: &str) -> bool {
        let words = |text: &str| {
            let words = text.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c));
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        let answer = words(&self.answer);
        let names = answer.windows(2).filter(|pair| {
            ["ID", "agentId", "agent_id", "task_id", "shell_id"].contains(&pair[0].as_str())
        });
        let told = words(text);
        let is_told = |name: &String| told.contains(name);
        is_told(&self.call) || names.map(|pair| &pair[1]).any(is_told)
    }
}
