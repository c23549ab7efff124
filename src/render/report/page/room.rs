//! How much text of audits and contracts a page may have in all: it must open at once, however
//! much was written.

use crate::render::text::{clean, cut};

/// All of it, in bytes as they stand on the page.
const ALL: usize = 900 * 1024;

/// What is left of it.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    pub fn new() -> Room {
        Room(ALL)
    }

    /// The text, cleaned, of at most so many bytes; where there is no room left, its beginning.
    pub fn take(&mut self, text: &str, most: usize) -> String {
        let text = clean(text.trim_end());
        let text = cut(&text, most.min(self.0.max(LEAST)));
        self.0 = self.0.saturating_sub(escaped(&text));
        text.into_owned()
    }
}

/// How many bytes a text has at most once it is escaped.
fn escaped(text: &str) -> usize {
    let marks = text.bytes().filter(|byte| b"<>&\"'/".contains(byte));
    text.len() + 5 * marks.count()
}

/// What every text has, in bytes.
const LEAST: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_where_the_room_is_used_up() {
        let mut room = Room::new();
        let long = "word ".repeat(100_000);
        assert!(room.take(&long, 4000).len() <= 4000);
        for _ in 0..1000 {
            room.take(&long, 4000);
        }
        assert!(room.take(&long, 4000).len() <= LEAST);
        assert_eq!(room.take("short\n", 4000), "short");
    }
}
