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
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(move || flag.load(Ordering::Relaxed))
}
