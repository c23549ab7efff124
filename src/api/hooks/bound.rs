//! Texts of hooks as long as Claude Code shows them. It puts what is longer into a file, and its model and
//! user see the beginning.

use crate::ops::hook::HookAnswer;
use crate::render::surface::Surface;

/// The longest text, in characters.
const MOST: usize = 9_900;

/// What ends a text that is longer.
const REST: &str =
    "The text is cut here. Before anything else, read the rest: `goal show` tells all of it.";

/// A line that is longer than this is cut within.
const LONG: usize = 1_000;

/// The answer with texts of at most so many characters. What was cut says where the rest is, to the model in
/// the words of its host.
pub fn bounded(answer: HookAnswer, surface: Surface) -> HookAnswer {
    let model = |text: String| cut(text, &surface.words(REST));
    let user = |text: String| cut(text, REST);
    match answer {
        HookAnswer::Nothing => HookAnswer::Nothing,
        HookAnswer::Context(text) => HookAnswer::Context(model(text)),
        HookAnswer::GoOn(prompt) => HookAnswer::GoOn(model(prompt)),
        HookAnswer::GoOnTelling { prompt, why } => HookAnswer::GoOnTelling {
            prompt: model(prompt),
            why: user(why),
        },
        HookAnswer::GivenUp(why) => HookAnswer::GivenUp(user(why)),
        HookAnswer::Told {
            user: told,
            model: known,
        } => HookAnswer::Told {
            user: user(told),
            model: model(known),
        },
        HookAnswer::Refused {
            user: told,
            model: known,
        } => HookAnswer::Refused {
            user: user(told),
            model: model(known),
        },
    }
}

fn cut(text: String, rest: &str) -> String {
    if text.chars().count() <= MOST {
        return text;
    }
    // A fence may have to be closed.
    let room = MOST.saturating_sub(2 * rest.chars().count());
    let end = text
        .char_indices()
        .nth(room)
        .map_or(text.len(), |(at, _)| at);
    let kept = &text[..end];
    let whole = kept.rfind('\n').filter(|at| kept.len() - at <= LONG);
    let kept = whole.map_or(kept, |at| &kept[..at]);
    let fence = open_fence(kept).map_or_else(String::new, |fence| format!("{fence}\n"));
    format!("{kept}\n{fence}\n{rest}\n")
}

/// The fence that begins a quotation which does not end here.
fn open_fence(text: &str) -> Option<&str> {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            Some(fence) if line.trim_end() == fence => open = None,
            None if ticks.len() >= 3 => open = Some(ticks),
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_with_where_the_rest_is() {
        let short = "ä\n".repeat(MOST / 2);
        let context = |text: String| match bounded(HookAnswer::Context(text), Surface::Codex) {
            HookAnswer::Context(text) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(context(short.clone()), short);
        let long = context(format!("begin\n````\n{}\n````\nend", "ä\n".repeat(MOST)));
        assert!(long.chars().count() <= MOST, "{}", long.chars().count());
        let rest = "ä\n````\n\nThe text is cut here. Before anything else, read the rest: \
                    `mcp__goal.get_ledger_goal` tells all of it.\n";
        assert!(
            long.starts_with("begin\n````\n") && long.ends_with(rest),
            "{long}"
        );
        let one_line = context(format!("begin\n````\n{}\n````\nend", "ä".repeat(2 * MOST)));
        assert!(
            one_line.chars().count() > MOST - 2 * REST.len(),
            "{one_line}"
        );
        assert!(one_line.ends_with(rest), "{one_line}");
    }
}
