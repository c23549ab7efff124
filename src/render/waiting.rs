//! What a goal waits for from outside, in words.

use crate::domain::goal::state::Wait;
use crate::render::text::{inline, one_line};

/// Most bytes of what is waited for, where an agent is told.
const REASON: usize = 300;

/// What is waited for, since when, and until when; at which time it is `now`.
pub fn waits(wait: &Wait, now: i64, time: impl Fn(&str) -> String) -> String {
    let reason = one_line(&wait.reason);
    let since = time(&wait.at);
    match &wait.until {
        None => format!("{reason}, since {since}"),
        Some(until) if wait.is_due(now) => {
            format!("{reason}, since {since}; its time was over {}", time(until))
        }
        Some(until) => format!(
            "{reason}, since {since}, until {} at the latest",
            time(until)
        ),
    }
}

/// What an agent is told where the time of a wait is over.
pub fn is_over(wait: &Wait) -> String {
    let until = wait.until.as_deref().unwrap_or_default();
    format!(
        "The goal waited for {} until {}, which is over: look first whether it has come.",
        inline(&wait.reason, REASON),
        one_line(until)
    )
}
