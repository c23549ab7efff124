//! Signals while the screen is shown. Those that end or stop the process wait until the terminal is
//! as it was; during a dialog they do what they always do.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::{flag, low_level};

/// What came.
#[derive(Debug)]
pub struct Signals {
    ending: Arc<AtomicUsize>,
    pausing: Arc<AtomicBool>,
    /// The screen is left for a dialog.
    away: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// The system takes no handler.
    pub fn listen() -> io::Result<Signals> {
        let signals = Signals {
            ending: Arc::default(),
            pausing: Arc::default(),
            away: Arc::default(),
        };
        for signal in [SIGTERM, SIGHUP, SIGTSTP] {
            flag::register_conditional_default(signal, Arc::clone(&signals.away))?;
        }
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&signals.ending), number)?;
        }
        flag::register(SIGTSTP, Arc::clone(&signals.pausing))?;
        Ok(signals)
    }

    /// Whether one asked the process to end.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed) != 0
    }

    /// Ends the process as that signal does, so that whoever sent it sees that; returns where none
    /// came.
    pub fn end(&self) {
        let number = self.ending.load(Ordering::Relaxed);
        if let Ok(number @ 1..) = i32::try_from(number) {
            // It returns only for a signal that ends nothing.
            let _returned = low_level::emulate_default_handler(number);
        }
    }

    /// Whether one asked it to stop for a while; it has to be asked only once.
    pub fn is_pausing(&self) -> bool {
        self.pausing.swap(false, Ordering::Relaxed)
    }

    /// Stops the process until it is told to go on.
    ///
    /// # Errors
    /// The system does not stop it.
    pub fn pause(&self) -> io::Result<()> {
        low_level::emulate_default_handler(SIGTSTP)?;
        self.pausing.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Lets signals do what they always do while `dialog` runs. Ctrl-C leaves only the dialog.
    pub fn away<T>(&self, dialog: impl FnOnce() -> T) -> T {
        self.away.store(true, Ordering::Relaxed);
        let done = dialog();
        self.away.store(false, Ordering::Relaxed);
        let interrupt = usize::try_from(SIGINT).unwrap_or_default();
        let stay = Ordering::Relaxed;
        let _other = self.ending.compare_exchange(interrupt, 0, stay, stay);
        done
    }
}
