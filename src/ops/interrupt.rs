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

/// A flag that any of these signals raises. None of them ends this process any more. One that was
/// ignored when the process began stays ignored: whoever started it with `nohup`, or in the background
/// of a script, wants it to go on.
///
/// # Errors
/// The system takes no handler.
pub(super) fn flag(signals: &[i32]) -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::default();
    let ignored = ignored();
    for signal in signals.iter().filter(|it| ignored & (1 << (**it - 1)) == 0) {
        signal_hook::flag::register(*signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// The signals that this process ignores, a bit each from 1 on. None where the system does not say in
/// a file.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}
