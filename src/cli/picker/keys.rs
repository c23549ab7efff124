//! The terminal's keys, as long as a list is shown.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};

use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};

/// Holds the terminal in raw mode until it is dropped. `Term::read_key` does so only while it waits:
/// a key that comes while the list is drawn would be written onto the list by the terminal itself,
/// and Ctrl-C would throw away the keys before it.
pub struct Keys {
    terminal: OwnedFd,
    before: Termios,
}

impl Keys {
    /// Keys that came before are forgotten.
    ///
    /// # Errors
    /// There is no terminal, or it refuses.
    pub fn held() -> io::Result<Keys> {
        let terminal = terminal()?;
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        // Lines that are written still begin at the left edge.
        raw.output_modes = before.output_modes;
        tcsetattr(&terminal, OptionalActions::Flush, &raw)?;
        Ok(Keys { terminal, before })
    }
}

/// Forgets what was typed before it was asked for: it was meant for something else.
///
/// # Errors
/// There is no terminal, or it refuses.
pub fn forget_typed() -> io::Result<()> {
    Ok(tcflush(terminal()?, QueueSelector::IFlush)?)
}

/// Where `Term::read_key` reads.
fn terminal() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    match stdin.is_terminal() {
        true => stdin.as_fd().try_clone_to_owned(),
        false => Ok(File::open("/dev/tty")?.into()),
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _best_effort = tcsetattr(&self.terminal, OptionalActions::Drain, &self.before);
    }
}
