//! The terminal while it shows the screen, and its return to what it was: when the screen is left,
//! when something goes wrong, and in a panic.

use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::ColorChoice;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::cursor::{Hide, Show};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use crate::render::watch::{Detail, Scene, Screen, colourless, draw};

/// Whether the terminal shows the screen now. A process has one terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// The terminal with the screen on it.
pub struct OnScreen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    coloured: bool,
}

impl OnScreen {
    /// Takes the terminal for the screen. It is given back when this goes out of use, or in a panic.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn begin() -> io::Result<OnScreen> {
        leave_in_panic();
        // In its place from the first moment on, whatever fails later.
        let on_screen = OnScreen {
            terminal: Terminal::new(CrosstermBackend::new(stdout()))?,
            coloured: ColorChoice::global() != ColorChoice::Never,
        };
        enter(&mut stdout())?;
        Ok(on_screen)
    }

    /// Draws what changed.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn draw(&mut self, screen: &mut Screen, scene: &Scene, detail: &Detail) -> io::Result<()> {
        let coloured = self.coloured;
        self.terminal.draw(|frame| {
            let area = frame.area();
            draw(screen, scene, detail, area, frame.buffer_mut());
            if !coloured {
                colourless(frame.buffer_mut());
            }
        })?;
        Ok(())
    }

    /// Forgets what is on the terminal, so that all of it is drawn anew.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn forget(&mut self) -> io::Result<()> {
        // `clear` would ask the terminal where its cursor is, and wait for the answer among the keys.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Gives the terminal back while `elsewhere` runs.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn away<T>(&mut self, elsewhere: impl FnOnce() -> T) -> io::Result<T> {
        leave(&mut stdout())?;
        let done = elsewhere();
        enter(&mut stdout())?;
        self.forget()?;
        Ok(done)
    }
}

impl Drop for OnScreen {
    fn drop(&mut self) {
        let _best_effort = leave(&mut stdout());
    }
}

/// From now on a panic leaves the screen before anything is said of it.
fn leave_in_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let _best_effort = leave(&mut stdout());
        before(info);
    }));
}

fn enter(to: &mut impl Write) -> io::Result<()> {
    SHOWN.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(to, EnterAlternateScreen, Hide)
}

/// Leaves the terminal as it was; does nothing where that was done already.
fn leave(to: &mut impl Write) -> io::Result<()> {
    if !SHOWN.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let raw = disable_raw_mode();
    execute!(to, LeaveAlternateScreen, Show)?;
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_the_screen_once() {
        SHOWN.store(true, Ordering::Relaxed);
        leave_in_panic();
        let panicked = panic::catch_unwind(|| panic!("on purpose"));
        assert!(panicked.is_err());
        assert!(!SHOWN.load(Ordering::Relaxed), "the screen is still shown");
        let mut again = Vec::new();
        leave(&mut again).unwrap();
        assert!(again.is_empty(), "it is left once");
        SHOWN.store(true, Ordering::Relaxed);
        leave(&mut again).unwrap();
        let said = String::from_utf8(again).unwrap();
        assert!(said.contains("\u{1b}[?1049l") && said.contains("\u{1b}[?25h"));
    }
}
