//! What the words are that stand behind an act, and acts as words of a text.

use super::Act;
use crate::render::surface::replaced;

/// The text with each command that the user can type in their host as it is typed there: `before` stands
/// before its name. One with options is typed at a terminal.
pub fn as_typed(before: &str, text: &str) -> String {
    replaced(text, |piece| typed_here(before, piece))
}

/// A command as it is typed in the host; nothing for what is typed at a terminal.
pub(super) fn typed_here(before: &str, command: &str) -> Option<String> {
    let command = command.strip_prefix("goal ")?;
    let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
    let is_act = Act::ALL.iter().any(|act| act.name() == name);
    (is_act && !rest.contains("--")).then(|| format!("{before}{command}"))
}

/// Whether a word has the form of the ids that this program makes, so that it is no word of a sentence.
pub(super) fn is_like_an_id(word: &str) -> bool {
    let is_part = |part: &str, length| {
        let mut letters = part.chars();
        part.len() == length && letters.all(|it| it.is_ascii_digit() || it.is_ascii_lowercase())
    };
    word.split_once('-')
        .is_some_and(|(time, chance)| is_part(time, 8) && is_part(chance, 6))
        && word.contains(|it: char| it.is_ascii_digit())
}

/// The text, or this where there is none.
pub(super) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    match text.is_empty() {
        true => otherwise,
        false => text,
    }
}

/// The first word, and what stands behind it.
pub(super) fn first_word(text: &str) -> (&str, &str) {
    let (first, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, behind.trim_start())
}

#[cfg(test)]
mod tests {
    use super::as_typed;

    #[test]
    fn only_acts_without_options_are_typed_in_the_host() {
        let text =
            "`goal confirm d-1`, `goal reject`, `goal init`, `goal focus --none`, goal set\n";
        assert_eq!(
            as_typed("/goal:", text),
            "`/goal:confirm d-1`, `/goal:reject`, `goal init`, `goal focus --none`, goal set\n"
        );
        let quoted = "> `goal confirm d-1`\n";
        assert_eq!(as_typed("/goal:", quoted), quoted);
    }
}
