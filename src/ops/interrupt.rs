//! Being told to stop while a command of somebody else's runs. It has a process group of its own:
//! whoever ends us must end it through us.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Says from now on whether Ctrl-C, a closing terminal or `kill` asked this process to stop; none
/// of them ends it any more.
///
/// # Errors
/// The system takes no handler.
pub fn asked() -> io::Result<impl Fn() -> bool> {
    let flag = flag(&[SIGINT, SIGTERM, SIGHUP])?;
    Ok(move || flag.load(Ordering::Relaxed))
}

/// A flag that any of these signals raises. None of them ends this process any more.
///
/// # Errors
/// The system takes no handler.
pub(super) fn flag(signals: &[i32]) -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::default();
    for signal in signals {
        signal_hook::flag::register(*signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}
