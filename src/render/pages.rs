//! A text in pages, for a host that shows little of a form: what it would cut stands on the next page.

use crate::render::columns::{width, wrapped};

/// What a host shows of a form's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub lines: usize,
    pub columns: usize,
}

/// Room for `10 of 12: `.
const NUMBER: usize = 10;

/// The text in pages that the host shows whole. It stays as it is where it fits; else its lines follow
/// each other, since the host counts them, and each page has its number.
pub fn pages(text: &str, window: Window) -> Vec<String> {
    let fits = |line: &str| width(line) <= window.columns;
    if text.trim_end().lines().count() <= window.lines && text.lines().all(fits) {
        return vec![text.to_owned()];
    }
    // The number takes some of each page's first line; no other line may be longer than that either,
    // so that lines need not be told apart.
    let columns = window.columns.saturating_sub(NUMBER).max(1);
    let lines = wrapped(&in_a_row(text), columns, usize::MAX);
    let pages: Vec<_> = lines.chunks(window.lines.max(1)).collect();
    let many = pages.len();
    let numbered = pages.iter().zip(1..);
    let numbered =
        numbered.map(|(lines, at): (_, usize)| format!("{at} of {many}: {}", lines.join("\n")));
    numbered.collect()
}

/// All of a text in one line: what is indented belongs to the line before it.
fn in_a_row(text: &str) -> String {
    let mut row = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        row.push_str(match (row.is_empty(), line.starts_with(' ')) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => " · ",
        });
        row.push_str(line.trim());
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window {
        lines: 2,
        columns: 40,
    };

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(pages("one\ntwo\n", WINDOW), ["one\ntwo\n"]);
    }

    #[test]
    fn nothing_of_a_long_text_is_lost_and_no_line_is_cut() {
        let text = "Objective: water the beans and the peas\nBoundaries:\n  - no hose\n  - no tap \
                    water\n\nMode: regular\n";
        let found = pages(text, WINDOW);
        assert_eq!(
            found,
            [
                "1 of 2: Objective: water the beans and\nthe peas · Boundaries: - no",
                "2 of 2: hose - no tap water · Mode:\nregular",
            ]
        );
        let long = "x".repeat(1_000);
        let found = pages(&long, WINDOW);
        let lines = found.iter().flat_map(|page| page.lines());
        assert!(lines.clone().all(|line| width(line) <= WINDOW.columns));
        let letters = found.concat().matches('x').count();
        assert_eq!(letters, 1_000);
    }
}
