//! What is under way, for a person who waits at a terminal: what it is, for how long, how long it may
//! take, and how it is ended.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::render::amounts::spent;

/// How often the line is written anew. What takes less is not shown at all.
const INTERVAL: Duration = Duration::from_secs(1);

/// A line that stands where the person looks; an empty one takes it away.
type Show = dyn Fn(&str) + Send + Sync;

/// Where it is shown; nowhere by default.
#[derive(Clone, Default)]
pub struct StatusLine(Option<Arc<Show>>);

impl StatusLine {
    pub fn shown_by(show: impl Fn(&str) + Send + Sync + 'static) -> StatusLine {
        StatusLine(Some(Arc::new(show)))
    }

    /// Whether somebody looks.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Shows that this is under way for as long as `act` takes. `most` is how long it may take, where
    /// that is known. Ctrl-C has to end it.
    pub(super) fn while_under_way<T>(
        &self,
        what: &str,
        most: Option<Duration>,
        act: impl FnOnce() -> T,
    ) -> T {
        let Some(show) = &self.0 else {
            return act();
        };
        let (ended, end) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || show_until(&end, &**show, what, most));
            let value = act();
            drop(ended);
            value
        })
    }
}

impl Debug for StatusLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StatusLine").field(&self.is_shown()).finish()
    }
}

fn show_until(end: &Receiver<()>, show: &Show, what: &str, most: Option<Duration>) {
    let begun = Instant::now();
    while end.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        show(&line(what, begun.elapsed(), most));
    }
    show("");
}

fn line(what: &str, elapsed: Duration, most: Option<Duration>) -> String {
    let most = most.map_or_else(String::new, |most| format!(" of at most {}", spent(most)));
    format!("  … {what}: {}{most}; Ctrl-C ends it", spent(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_how_long_and_how_it_is_ended() {
        let seconds = Duration::from_secs;
        assert_eq!(
            line("the planner thinks", seconds(75), Some(seconds(600))),
            "  … the planner thinks: 1 min 15 s of at most 10 min 00 s; Ctrl-C ends it"
        );
        assert_eq!(
            line("the audit runs", seconds(2), None),
            "  … the audit runs: 2 s; Ctrl-C ends it"
        );
    }
}
