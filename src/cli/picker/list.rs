//! What is chosen from, as it is filtered and shown: without a terminal.

use dialoguer::console::Key;

use super::Choices;
use crate::domain::select::TitleWords;
use crate::render::columns::fit;

/// Lines that are no choices: the prompt, the filter, the keys, and the line where the cursor is.
const AROUND: usize = 4;

/// Columns before a choice.
const MARK: usize = 2;

const KEYS: &str = "type to filter, ↑↓, enter, esc: leave";

/// The state of a choice that is being made.
pub(super) struct List<'a, C: ?Sized> {
    prompt: &'a str,
    choices: &'a C,
    typed: String,
    /// The choices that fit what was typed.
    found: Vec<usize>,
    /// Which of them is marked, once one is.
    at: Option<usize>,
    /// Which of them are on the screen.
    shown: std::ops::Range<usize>,
}

/// What follows from a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Then {
    Goes,
    Leaves,
    Chooses(usize),
}

impl<'a, C: Choices + ?Sized> List<'a, C> {
    pub(super) fn new(prompt: &'a str, choices: &'a C, first: Option<usize>) -> List<'a, C> {
        List {
            prompt,
            choices,
            typed: String::new(),
            found: (0..choices.count()).collect(),
            at: first.map(|first| first.min(choices.count().saturating_sub(1))),
            shown: 0..0,
        }
    }

    /// The lines for a terminal of this size. The marked choice is always among them, unless not one has
    /// room.
    pub(super) fn frame(&mut self, rows: usize, columns: usize) -> Vec<String> {
        // In its last column a terminal may wrap already.
        let columns = columns.saturating_sub(1).max(1);
        let room = rows.saturating_sub(AROUND);
        let most = self.found.len().saturating_sub(room);
        let mut top = self.shown.start.min(most);
        if let Some(at) = self.at {
            top = top.min(at);
            if at >= top + room {
                top = (at + 1).saturating_sub(room);
            }
        }
        self.shown = top..(top + room).min(self.found.len());
        let mut lines = vec![fit(self.prompt, columns), fit(&self.filter(), columns)];
        for at in self.shown.clone() {
            let mark = if Some(at) == self.at { "> " } else { "  " };
            let row = self
                .choices
                .row(self.found[at], columns.saturating_sub(MARK));
            lines.push(fit_keeping_spaces(mark, &row, columns));
        }
        let keys = match (room, self.found.is_empty()) {
            (0, _) => "the terminal is too low to choose in",
            (_, true) => "nothing fits; backspace widens, esc leaves",
            (_, false) => KEYS,
        };
        lines.push(fit(keys, columns));
        lines.truncate(rows.saturating_sub(1).max(1));
        lines
    }

    /// What was typed, and how many choices fit it.
    fn filter(&self) -> String {
        let (found, all) = (self.found.len(), self.choices.count());
        let counted = match found == all {
            true => format!("{all}"),
            false => format!("{found} of {all}"),
        };
        let (first, last) = (self.shown.start + 1, self.shown.end);
        match self.shown.len() < found {
            true => format!("filter: {}_  ({counted}, here {first}-{last})", self.typed),
            false => format!("filter: {}_  ({counted})", self.typed),
        }
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: &Key) -> Then {
        let last = self.found.len().saturating_sub(1);
        let page = self.shown.len().max(1);
        match key {
            Key::Escape | Key::CtrlC => return Then::Leaves,
            Key::Enter => {
                let marked = self.at.filter(|at| self.shown.contains(at));
                return match marked.and_then(|at| self.found.get(at)) {
                    Some(chosen) => Then::Chooses(*chosen),
                    None => Then::Goes,
                };
            }
            Key::ArrowUp | Key::BackTab => {
                self.at = Some(self.at.and_then(|at| at.checked_sub(1)).unwrap_or(last));
            }
            Key::ArrowDown | Key::Tab => {
                self.at = Some(self.at.filter(|at| *at < last).map_or(0, |at| at + 1));
            }
            Key::PageUp => self.at = Some(self.at.map_or(0, |at| at.saturating_sub(page))),
            Key::PageDown => self.at = Some(self.at.map_or(0, |at| (at + page).min(last))),
            Key::Home => self.at = Some(0),
            Key::End => self.at = Some(last),
            Key::Backspace => {
                self.typed.pop();
                self.search();
            }
            // Ctrl-U, as in a shell.
            Key::Char('\u{15}') => {
                self.typed.clear();
                self.search();
            }
            Key::Char(typed) if !typed.is_control() => {
                self.typed.push(*typed);
                self.search();
            }
            _ => {}
        }
        Then::Goes
    }

    /// Looks for what fits what was typed. What was marked stays marked where it still fits; else the
    /// first that fits is marked, once there is something typed.
    fn search(&mut self) {
        let marked = self.at.and_then(|at| self.found.get(at)).copied();
        let words = TitleWords::of(&self.typed);
        let all = 0..self.choices.count();
        self.found = all
            .filter(|at| words.are_in(&self.choices.text(*at)))
            .collect();
        let still = self.found.iter().position(|at| Some(*at) == marked);
        self.at = match self.at.is_some() || !self.typed.is_empty() {
            true => Some(still.unwrap_or(0)),
            false => None,
        };
    }
}

/// A row, whose columns are set, behind its mark.
fn fit_keeping_spaces(mark: &str, row: &str, columns: usize) -> String {
    let line = format!("{mark}{row}");
    match crate::render::columns::width(&line) <= columns {
        true => line,
        false => format!("{mark}{}", fit(row, columns.saturating_sub(MARK).max(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::columns::width;
    use proptest::prelude::*;

    struct Titles(Vec<String>);

    impl Choices for Titles {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn row(&self, at: usize, columns: usize) -> String {
            fit(&self.0[at], columns)
        }
        fn text(&self, at: usize) -> String {
            self.0[at].clone()
        }
    }

    fn titles(many: usize) -> Titles {
        let title = |n| {
            format!(
                "Goal {n} whose title is longer than what fits in forty columns 漢字 👩\u{200d}💻"
            )
        };
        Titles((0..many).map(title).collect())
    }

    #[test]
    fn it_filters_as_one_types_and_fits_the_terminal() {
        let titles = titles(30);
        let mut list = List::new("Work on which goal?", &titles, Some(25));
        insta::assert_snapshot!(list.frame(10, 40).join("\n"), @"
        Work on which goal?
        filter: _ (30, here 21-26)
          Goal 20 whose title is longer than w…
          Goal 21 whose title is longer than w…
          Goal 22 whose title is longer than w…
          Goal 23 whose title is longer than w…
          Goal 24 whose title is longer than w…
        > Goal 25 whose title is longer than w…
        type to filter, ↑↓, enter, esc: leave
        ");
        for typed in "goal 2".chars() {
            list.press(&Key::Char(typed));
        }
        insta::assert_snapshot!(list.frame(10, 40).join("\n"), @"
        Work on which goal?
        filter: goal 2_ (12 of 30, here 7-12)
          Goal 24 whose title is longer than w…
        > Goal 25 whose title is longer than w…
          Goal 26 whose title is longer than w…
          Goal 27 whose title is longer than w…
          Goal 28 whose title is longer than w…
          Goal 29 whose title is longer than w…
        type to filter, ↑↓, enter, esc: leave
        ");
        list.press(&Key::Char('x'));
        insta::assert_snapshot!(list.frame(10, 40).join("\n"), @"
        Work on which goal?
        filter: goal 2x_ (0 of 30)
        nothing fits; backspace widens, esc le…
        ");
        assert_eq!(list.press(&Key::Enter), Then::Goes);
        assert_eq!(list.press(&Key::Escape), Then::Leaves);
    }

    #[test]
    fn what_has_no_room_is_not_chosen() {
        let titles = titles(3);
        let mut list = List::new("?", &titles, Some(0));
        assert_eq!(list.press(&Key::Enter), Then::Goes, "nothing is drawn yet");
        list.frame(4, 40);
        assert_eq!(
            list.press(&Key::Enter),
            Then::Goes,
            "no line is left for one"
        );
        list.frame(5, 40);
        assert_eq!(list.press(&Key::Enter), Then::Chooses(0));
        list.press(&Key::ArrowDown);
        assert_eq!(
            list.press(&Key::Enter),
            Then::Goes,
            "it moved and is not drawn"
        );
    }

    #[test]
    fn where_nothing_is_marked_enter_does_nothing() {
        let titles = titles(30);
        let begun = || {
            let mut list = List::new("What now?", &titles, None);
            assert!(!list.frame(10, 40).iter().any(|line| line.starts_with('>')));
            for key in [Key::Enter, Key::Backspace, Key::Char('\u{15}'), Key::Enter] {
                assert_eq!(list.press(&key), Then::Goes, "{key:?}");
            }
            list
        };
        for (key, chosen) in [
            (Key::ArrowDown, 0),
            (Key::Tab, 0),
            (Key::ArrowUp, 29),
            (Key::PageDown, 0),
            (Key::PageUp, 0),
            (Key::Home, 0),
            (Key::End, 29),
            (Key::Char('7'), 7),
        ] {
            let mut list = begun();
            list.press(&key);
            list.frame(10, 40);
            assert_eq!(list.press(&Key::Enter), Then::Chooses(chosen), "{key:?}");
        }
    }

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![
            Just(Key::ArrowUp),
            Just(Key::ArrowDown),
            Just(Key::PageUp),
            Just(Key::PageDown),
            Just(Key::Home),
            Just(Key::End),
            Just(Key::Backspace),
            Just(Key::Char('\u{15}')),
            prop::sample::select(vec!['1', '2', ' ', 'g', 'x', '字']).prop_map(Key::Char),
        ]
    }

    proptest! {
        #[test]
        fn what_is_chosen_is_marked_on_the_screen(
            many in 1usize..40,
            first in prop::option::of(0usize..50),
            keys in prop::collection::vec((key(), 1usize..30, 1usize..100), 0..30),
        ) {
            let titles = titles(many);
            let mut list = List::new("Which one of these many goals do you want to work on now?", &titles, first);
            for (key, rows, columns) in keys {
                let frame = list.frame(rows, columns);
                prop_assert!(frame.len() < rows.max(2), "{frame:?}");
                for line in &frame {
                    prop_assert!(width(line) <= columns.saturating_sub(1).max(MARK + 1), "{columns}: {line}");
                }
                let marked: Vec<&String> = frame.iter().filter(|it| it.starts_with("> ")).collect();
                match list.press(&Key::Enter) {
                    Then::Chooses(at) => {
                        let row = titles.row(at, columns.saturating_sub(1 + MARK));
                        prop_assert_eq!(marked.len(), 1);
                        prop_assert!(columns < 8 || marked[0].ends_with(row.as_str()), "{} {}", marked[0], row);
                    }
                    _ => prop_assert!(marked.is_empty(), "{frame:?}"),
                }
                list.press(&key);
            }
        }
    }
}
