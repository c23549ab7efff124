//! Waiting for something to become true: by looking, with a limit that only a hang reaches.

use std::thread;
use std::time::{Duration, Instant};

/// Far more than anything takes, even on a machine that does ten other things.
const LIMIT: Duration = Duration::from_secs(120);

/// Looks until it is true. `what` names it for the failure.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
