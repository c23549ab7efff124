//! Ticks: when an evaluation is due, and how long the runner waits between iterations.
//!
//! A tick is one iteration, counted when it is over: with the next one, or with the end of its loop.
//!
//! | an evaluation is due | when since the last one, or since the beginning |
//! |---|---|
//! | for its ticks | at least 3 ticks passed (`[progress] evaluate_every`) |
//! | for its checkpoints | at least 2 more checkpoints are complete: should the plan be revised? |
//!
//! | the interval is | when |
//! |---|---|
//! | 60 s | nothing is due |
//! | 15 s × (1.25 − priority), but not below 7 s | else; that is 7 s from priority 0.783 on |

use std::time::Duration;

/// After how many ticks an evaluation is due, where the configuration does not say.
pub const EVERY: u32 = 3;

/// After how many complete checkpoints it is asked whether the plan should be revised.
pub const CHECKPOINTS: u64 = 2;

/// The priority of a goal whose contract names none.
pub const PRIORITY: f64 = 0.5;

/// Why an evaluation is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    Ticks,
    Checkpoints,
}

/// Whether an evaluation is due after so many ticks and complete checkpoints since the last one.
pub fn due(ticks: u64, checkpoints: u64, every: u32) -> Option<Due> {
    if checkpoints >= CHECKPOINTS {
        Some(Due::Checkpoints)
    } else if ticks >= u64::from(every) {
        Some(Due::Ticks)
    } else {
        None
    }
}

/// How long to wait before the next iteration of a goal, or without one until something is due.
pub fn interval(priority: Option<f64>, idle: bool) -> Duration {
    if idle {
        return Duration::from_secs(60);
    }
    let priority = priority.unwrap_or(PRIORITY).clamp(0.0, 1.0);
    let millis = (15_000.0 * (1.25 - priority)).round().max(7_000.0);
    // From 7,000 to 18,750, whatever another program took for a priority.
    Duration::from_millis(millis as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evaluation_is_due_after_3_ticks_or_2_checkpoints() {
        for (ticks, checkpoints, every, is) in [
            (0, 0, 3, None),
            (2, 0, 3, None),
            (3, 0, 3, Some(Due::Ticks)),
            (4, 1, 3, Some(Due::Ticks)),
            (2, 1, 3, None),
            (2, 2, 3, Some(Due::Checkpoints)),
            (0, 3, 3, Some(Due::Checkpoints)),
            (3, 2, 3, Some(Due::Checkpoints)),
            (0, 0, 1, None),
            (1, 0, 1, Some(Due::Ticks)),
        ] {
            assert_eq!(due(ticks, checkpoints, every), is, "{ticks} {checkpoints}");
        }
    }

    #[test]
    fn the_interval_shrinks_with_priority_but_not_below_7_s() {
        for (priority, millis) in [
            (None, 11_250),
            (Some(0.0), 18_750),
            (Some(0.5), 11_250),
            (Some(0.783_3), 7_001),
            (Some(0.783_333_333_333), 7_000),
            (Some(0.783_4), 7_000),
            (Some(1.0), 7_000),
            (Some(-1.0), 18_750),
            (Some(1e308), 7_000),
            (Some(f64::NAN), 7_000),
        ] {
            let expected = Duration::from_millis(millis);
            assert_eq!(interval(priority, false), expected, "{priority:?}");
            assert_eq!(interval(priority, true), Duration::from_secs(60));
        }
    }
}
