//! What a person calls a goal, a draft, a question or a task: its id, the beginning or end of one, or
//! words of its title. A whole id wins over a part of one, and a part of one over words.

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

/// Whether the text is a beginning or an end of the id.
pub fn is_part(text: &str, id: &str) -> bool {
    !text.is_empty() && (id.starts_with(text) || id.ends_with(text))
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
}
