//! What the user decides on, in pages that their host shows whole: the next one by each time that they type
//! the act, and nothing is done before the last one was shown.

use super::told::Told;
use super::{Typed, User};
use crate::ops::failure::Failure;
use crate::ops::hook::sessions;

/// The longest page, in characters. Claude Code shows 10,000 of a hook's text, and something stands around
/// the page.
const LONGEST: usize = 8_000;

impl User<'_> {
    /// What the user has to read of this text yet, before they type the act once more; nothing where they
    /// were shown all of it. `what` names the text.
    pub(super) fn unread(
        &self,
        what: &str,
        text: &str,
        typed: &Typed<'_>,
        rest: &str,
    ) -> Result<Option<Told>, Failure> {
        let pages = pages(text, LONGEST);
        let name = |at: usize| match pages.len() {
            1 => what.to_owned(),
            many => format!("{what} page {} of {many}", at + 1),
        };
        let mut from_the_end = (0..pages.len()).rev();
        let read = from_the_end.find(|at| sessions::was_shown(self.session, &name(*at)));
        let next = read.map_or(0, |at| at + 1);
        let Some(page) = pages.get(next) else {
            return Ok(None);
        };
        if !sessions::showed(self.session, &name(next)) {
            let message = "what you were shown cannot be remembered for this session";
            let hint = format!("run `goal {}` at a terminal", typed.act.name());
            return Err(Failure::new("io", message, hint));
        }
        let again = typed.again(typed.act, rest);
        let (many, at) = (pages.len(), next + 1);
        let (place, then) = match (many, at == many) {
            (1, _) => (String::new(), "to do it"),
            (_, true) => (format!("Page {at} of {many}, the last one.\n"), "to do it"),
            (_, false) => (format!("Page {at} of {many}.\n"), "to read the next page"),
        };
        Ok(Some(Told {
            user: format!(
                "{place}{page}\nNothing is decided yet. Type {again} once more {then}.\n"
            ),
            model: format!(
                "Nothing is decided. Decide nothing for the user. Ask them in one sentence to read this \
                 and to type {again}, and end your turn.\n"
            ),
        }))
    }
}

/// The text in pieces of at most so many characters, which end behind a word where that is short enough.
fn pages(text: &str, most: usize) -> Vec<String> {
    let mut pages = vec![String::new()];
    let mut room = most;
    for word in text.split_inclusive([' ', '\n']) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(most) {
            if piece.len() > room {
                pages.push(String::new());
                room = most;
            }
            room -= piece.len();
            if let Some(page) = pages.last_mut() {
                page.extend(piece);
            }
        }
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn pages_end_with_words_and_lose_nothing() {
        assert_eq!(pages("", 4), [""]);
        assert_eq!(pages("ab\ncd\n", 6), ["ab\ncd\n"]);
        assert_eq!(pages("ab\ncd\n", 5), ["ab\n", "cd\n"]);
        assert_eq!(pages("a b c d", 4), ["a b ", "c d"]);
        assert_eq!(pages("äöüäöü\nx", 4), ["äöüä", "öü\nx"]);
    }
}
