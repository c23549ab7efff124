//! What waits for the person, as cards.

use minijinja::{Value, context};

use crate::domain::attention::{Choice, Need};
use crate::domain::report::Report;
use crate::render::amounts::lasted;
use crate::render::marks::of_need;
use crate::render::report::page::anchor;
use crate::render::report::words::about;
use crate::render::text::{clean, cut, one_line, short};

/// The most cards; `goal inbox` has all.
const CARDS: usize = 100;
/// Most bytes of a reason, and of what is on a button.
const REASON: usize = 600;
const LABEL: usize = 80;

/// The cards, and how many more there are.
pub(super) fn needs(report: &Report) -> Value {
    let cards = report.needs.iter().take(CARDS);
    context! {
        needs => cards.map(|need| card(need, report)).collect::<Vec<_>>(),
        needs_more => report.needs.len().saturating_sub(CARDS),
    }
}

fn card(need: &Need, report: &Report) -> Value {
    let mark = of_need(need.kind);
    let id = need.goal_id.as_ref();
    let told = id.filter(|id| report.goals.iter().any(|goal| goal.goal_id == **id));
    let since = need.since.as_deref();
    let waits = since.map(|since| lasted(since, &report.window.to));
    let whole = clean(need.reason.trim());
    let reason = cut(&whole, REASON);
    // Whoever answers or agrees does so to all of it.
    let is_whole = !need.is_agreed_to() || reason.len() == whole.len();
    let choices = need.choices.iter().map(|it| button(it, is_whole));
    context! {
        class => mark.tone.name(),
        mark => mark.mark,
        kind => mark.word,
        // The element that tells of its goal, where the page has one.
        goal => told.map(|id| anchor(id.as_str())),
        title => short(&about(need, report), LABEL),
        waits => waits.unwrap_or_default(),
        reason => reason.into_owned(),
        choices => choices.collect::<Vec<_>>(),
    }
}

/// A choice, without its command where that could say something else to a shell than it shows, or
/// where the question or the choice is not shown whole.
fn button(choice: &Choice, is_whole: bool) -> Value {
    let whole = one_line(&choice.label);
    let label = short(&whole, LABEL);
    let is_whole = is_whole && label == whole;
    context! {
        command => (is_whole && is_plain(&choice.command)).then(|| choice.command.clone()),
        label,
    }
}

/// Whether a command is words of letters, digits and a few marks that no shell takes for anything
/// else. It is made of ids, and another program may have chosen one.
fn is_plain(command: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || " -_./=:@".contains(c);
    !command.is_empty() && command.starts_with("goal ") && command.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_says_one_thing_can_be_copied() {
        for plain in [
            "goal answer q-1 --pick 2",
            "goal settle --finding a@12 --reason seen",
        ] {
            assert!(is_plain(plain), "{plain}");
        }
        for odd in [
            "",
            "rm -rf x",
            "goal answer q; rm x",
            "goal answer 'q'",
            "goal answer $(x)",
            "goal answer q\nrm x",
            "goal answer é",
            "goal answer q\u{202e}",
        ] {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
