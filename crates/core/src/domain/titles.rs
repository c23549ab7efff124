//! What a person calls a goal, a draft, a question or a task: its id, the beginning or end of one, or
//! words of its title. A whole id wins over a part of one, and a part of one over words.

/// The most of a title or topic that a message shows, in characters.
const LONGEST: usize = 48;

/// The words that a title has to have, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TitleWords(Vec<String>);

impl TitleWords {
    /// The words of a text.
    pub fn of(text: &str) -> TitleWords {
        let words = text.split_whitespace();
        TitleWords(words.map(str::to_lowercase).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the title has all of them, in whatever order and case, also as parts of its words.
    pub fn are_in(&self, title: &str) -> bool {
        let title = title.to_lowercase();
        self.0.iter().all(|word| title.contains(word.as_str()))
    }
}

/// The fewest letters that can name something by its title: one stands in nearly every title.
const LETTERS: usize = 2;

impl TitleWords {
    /// The words that can name something. A number cannot, or a mistyped id of a task would do something
    /// to another one.
    pub fn naming(text: &str) -> Option<TitleWords> {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        (letters >= LETTERS).then(|| TitleWords::of(text))
    }
}

/// Whether the text is a beginning or an end of the id.
pub fn is_part(text: &str, id: &str) -> bool {
    !text.is_empty() && (id.starts_with(text) || id.ends_with(text))
}

/// Those that a text can mean, of which each has an id and a title: the one with this id, else those
/// with a part of it, else those whose titles have these words.
pub fn meant<T: Copy>(
    text: &str,
    all: impl Iterator<Item = T> + Clone,
    id: impl Fn(T) -> String,
    title: impl Fn(T) -> String,
) -> Vec<T> {
    if let Some(whole) = all.clone().find(|it| id(*it) == text) {
        return vec![whole];
    }
    let parts: Vec<T> = all.clone().filter(|it| is_part(text, &id(*it))).collect();
    match (parts.is_empty(), TitleWords::naming(text)) {
        (true, Some(words)) => all.filter(|it| words.are_in(&title(*it))).collect(),
        _ => parts,
    }
}

/// A title or topic on one line, cut where it is long.
pub(in crate::domain) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_words_in_any_order_and_case() {
        let title = "Rotate the AUTH token, größer, 漢字の題";
        for (text, has) in [
            ("token auth", true),
            ("Auth", true),
            ("tok", true),
            ("GRÖSSER", false),
            ("GRÖßER", true),
            ("字の", true),
            ("auth tokens", false),
            ("", true),
        ] {
            assert_eq!(TitleWords::of(text).are_in(title), has, "{text}");
        }
        assert!(TitleWords::of(" \n").is_empty());
    }

    #[test]
    fn an_id_wins_over_a_part_of_one_and_that_over_words() {
        let all = [
            ("a", "one"),
            ("ab", "two a"),
            ("cd", "three a"),
            ("cde", "cd and e"),
        ];
        let of = |text: &str| -> Vec<&str> {
            let meant = meant(text, all.iter(), |it| it.0.into(), |it| it.1.into());
            meant.into_iter().map(|it| it.0).collect()
        };
        assert_eq!(of("a"), ["a"]);
        assert_eq!(of("cd"), ["cd"]);
        assert_eq!(of("c"), ["cd", "cde"]);
        assert_eq!(of("b"), ["ab"]);
        assert_eq!(of("AND cd"), ["cde"]);
        assert_eq!(of("E"), [""; 0], "one letter names nothing");
        assert_eq!(of("o"), [""; 0]);
        assert_eq!(of("12"), [""; 0]);
        assert_eq!(of("on"), ["a"]);
        assert_eq!(of(""), [""; 0]);
    }
}
