//! What a goal waits for from outside, in words.

use crate::domain::goal::state::Wait;
use crate::render::text::{inline, one_line, short};

/// Most bytes of what is waited for, where an agent is told.
const REASON: usize = 300;

/// Most bytes of a time there.
const TIME: usize = 40;

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

/// What an agent is told of a wait where nobody looks at a clock.
pub fn is_on(wait: &Wait) -> String {
    let until = wait.until.as_deref();
    let until = until.map(|at| format!(" until {}", short(at, TIME)));
    format!(
        "The goal waits for {}{}: look whether it has come, else end the turn. What you record next \
         ends the wait.",
        inline(&wait.reason, REASON),
        until.unwrap_or_default()
    )
}

/// A text for an agent at a moment: where the time of the wait is over, it says so instead of what the
/// wait is for, or at its end.
pub fn at_moment(text: String, wait: Option<&Wait>, now: i64) -> String {
    let Some(wait) = wait.filter(|wait| wait.is_due(now)) else {
        return text;
    };
    let (on, over) = (is_on(wait), is_over(wait));
    match text.contains(&on) {
        true => text.replace(&on, &over),
        false => format!("{}\n\n{over}\n", text.trim_end()),
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
