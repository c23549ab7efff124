//! What the words are that stand behind an act.

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
