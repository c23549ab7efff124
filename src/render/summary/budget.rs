//! How the summary's parts share its bytes.

use crate::domain::verdict::defang;
use crate::render::text::cut;

/// The bytes that are still free. Parts ask in order of their importance, which is not the order
/// in which they are shown.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    /// Names of parts for which there was no room at all.
    dropped: Vec<&'static str>,
}

/// Room kept for naming the parts that were dropped.
const RESERVE: usize = 200;

impl Budget {
    pub(super) fn new(max_bytes: usize) -> Budget {
        Budget {
            left: max_bytes.saturating_sub(RESERVE),
            dropped: Vec::new(),
        }
    }

    /// A part that is useless when cut.
    pub(super) fn whole(&mut self, name: &'static str, text: String) -> String {
        let text = defang(&text);
        if text.len() > self.left {
            self.dropped.push(name);
            return String::new();
        }
        self.left -= text.len();
        text
    }

    /// Heading and text, which is cut to `most` bytes with its heading or to what is left.
    pub(super) fn text(&mut self, heading: &'static str, text: &str, most: usize) -> String {
        let text = &defang(text);
        let most = most.min(self.left);
        let frame = heading.len() + 4;
        // Less than this would be a mark without a text.
        if most < frame + text.len().min(80) {
            self.dropped.push(heading.trim_start_matches(['#', ' ']));
            return String::new();
        }
        let part = format!("{heading}\n\n{}\n\n", cut(text, most - frame));
        self.left -= part.len();
        part
    }

    /// A list with as many of its lines as fit into `most` bytes; how many are not shown is said.
    pub(super) fn list(&mut self, list: &List, most: usize) -> String {
        let most = most.min(self.left);
        let frame = format!("{}\n\n{}", list.heading, list.head);
        // The longest that the line about the rest can be, and the blank line at the end.
        let mut len = frame.len() + list.rest(list.total).len() + 1;
        if len > most {
            self.dropped
                .push(list.heading.trim_start_matches(['#', ' ']));
            return String::new();
        }
        let lines: Vec<String> = list.lines.iter().map(|line| defang(line)).collect();
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        if list.kept == Kept::Last {
            lines.reverse();
        }
        let fitting = lines.iter().take_while(|line| {
            len += line.len() + 1;
            len <= most
        });
        lines.truncate(fitting.count());
        let rest = list.rest(list.total.saturating_sub(lines.len() as u64));
        if !rest.is_empty() {
            lines.push(rest.trim_end());
        }
        if list.kept == Kept::Last {
            lines.reverse();
        }
        let part = format!("{frame}{}\n\n", lines.join("\n"));
        self.left -= part.len();
        part
    }

    /// What had no room, in at most the bytes kept for it.
    pub(super) fn dropped(self, max_bytes: usize) -> String {
        if self.dropped.is_empty() {
            return String::new();
        }
        let text = format!("Left out for lack of room: {}.", self.dropped.join(", "));
        // One byte for the line end.
        cut(&text, RESERVE.min(max_bytes).saturating_sub(1)).into_owned()
    }
}

/// A list of which not everything has to be shown.
#[derive(Debug)]
pub(super) struct List {
    pub(super) heading: &'static str,
    /// Stands before the lines.
    pub(super) head: String,
    /// Without line ends.
    pub(super) lines: Vec<String>,
    /// How many things there are, shown or not.
    pub(super) total: u64,
    pub(super) kept: Kept,
}

/// Which lines stay when not all fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    First,
    Last,
}

impl List {
    /// The line about what is not shown, with its end; nothing when all is.
    fn rest(&self, hidden: u64) -> String {
        match (hidden, self.kept) {
            (0, _) => String::new(),
            (_, Kept::First) => format!("- … and {hidden} more\n"),
            (_, Kept::Last) => format!("- … {hidden} earlier\n"),
        }
    }
}
