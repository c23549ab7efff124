//! Choosing one of several things at a terminal. What is typed filters them; what is chosen is on the
//! screen when it is chosen, whatever the size of the terminal.

mod keys;
mod list;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dialoguer::console::Term;

use crate::ops::failure::Failure;
use crate::render::columns::fit;
use crate::render::inbox::Entry;
use keys::Keys;
pub use keys::forget_typed;
use list::{List, Then};

/// What there is to choose from.
pub trait Choices {
    /// How many there are.
    fn count(&self) -> usize;
    /// One of them on a line of so many columns.
    fn row(&self, at: usize, columns: usize) -> String;
    /// The text that a filter looks at: what tells it from the others, uncut.
    fn text(&self, at: usize) -> String;
}

impl Choices for [String] {
    fn count(&self) -> usize {
        self.len()
    }

    fn row(&self, at: usize, columns: usize) -> String {
        self.get(at).map_or_else(String::new, |it| fit(it, columns))
    }

    fn text(&self, at: usize) -> String {
        self.get(at).cloned().unwrap_or_default()
    }
}

/// Things of which each has a kind, a title and an age.
pub struct Entries<'a> {
    pub all: Vec<Entry<'a>>,
    /// Milliseconds since 1970.
    pub now: i64,
}

impl Choices for Entries<'_> {
    fn count(&self) -> usize {
        self.all.len()
    }

    fn row(&self, at: usize, columns: usize) -> String {
        let entry = self.all.get(at);
        entry.map_or_else(String::new, |it| it.row(self.now, columns))
    }

    fn text(&self, at: usize) -> String {
        let entry = self.all.get(at);
        entry.map_or_else(String::new, |it| format!("{} {}", it.kind, it.title))
    }
}

/// Lets the person choose, beginning at `first`; nothing where they leave or there is nothing. Where
/// a choice acts at once nothing is marked at first: an Enter that was meant for something else must
/// not act.
///
/// # Errors
/// The terminal cannot be read or written.
pub fn pick(
    prompt: &str,
    choices: &(impl Choices + ?Sized),
    first: Option<usize>,
) -> Result<Option<usize>, Failure> {
    if choices.count() == 0 {
        return Ok(None);
    }
    // Ctrl-C must leave by the way below: the cursor is hidden while the list is shown.
    let interrupted = Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&interrupted))?;
    let _keys = Keys::held()?;
    let mut screen = Screen::new();
    screen.term.hide_cursor()?;
    let mut list = List::new(prompt, choices, first);
    let chosen = choose(&mut screen, &mut list, &interrupted);
    let cleared = screen.clear().and_then(|()| screen.term.show_cursor());
    let chosen = chosen?;
    cleared?;
    Ok(chosen)
}

fn choose(
    screen: &mut Screen,
    list: &mut List<'_, impl Choices + ?Sized>,
    interrupted: &AtomicBool,
) -> io::Result<Option<usize>> {
    loop {
        let size = screen.term.size();
        screen.draw(&list.frame(size.0.into(), size.1.into()), size)?;
        let key = match screen.term.read_key() {
            Ok(key) => key,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            Err(error) => return Err(error),
        };
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // What was drawn for another size may not be on the screen any more.
        if screen.term.size() != size {
            continue;
        }
        match list.press(&key) {
            Then::Goes => {}
            Then::Leaves => return Ok(None),
            Then::Chooses(at) => return Ok(Some(at)),
        }
    }
}

/// The lines that are drawn on the terminal.
struct Screen {
    term: Term,
    lines: usize,
    size: (u16, u16),
}

/// A line that takes more columns than was counted is cut by the terminal, and does not wrap.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

impl Screen {
    fn new() -> Screen {
        let term = Term::buffered_stderr();
        let size = term.size();
        Screen {
            term,
            lines: 0,
            size,
        }
    }

    /// Puts these lines in the place of those that were drawn before.
    fn draw(&mut self, lines: &[String], size: (u16, u16)) -> io::Result<()> {
        match size == self.size {
            true => self.term.clear_last_lines(self.lines)?,
            // A terminal may have broken the old lines into more than there were.
            false => self.term.clear_screen()?,
        }
        self.term.write_str(NO_WRAP)?;
        for line in lines {
            self.term.write_line(line)?;
        }
        self.term.write_str(WRAP)?;
        (self.lines, self.size) = (lines.len(), size);
        self.term.flush()
    }

    fn clear(&mut self) -> io::Result<()> {
        self.term.clear_last_lines(self.lines)?;
        self.lines = 0;
        self.term.flush()
    }
}
