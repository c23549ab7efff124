//! The runway: one more unproductive escalation for a goal that is nearly there.
//!
//! | granted | when the escalations are spent and |
//! |---|---|
//! | once | it was not granted before, the latest score is ≥ 0.5, and above the one before |

use crate::domain::progress::history::History;

/// Whether a goal whose escalations are spent gets its runway.
pub fn grants(history: &History, granted: bool) -> bool {
    !granted && history.is_halfway() && history.is_improving()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::progress::testing::history;

    #[test]
    fn it_takes_half_of_the_way_and_a_rise_and_is_granted_once() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.6], false),
            (&[0.4, 0.499_999], false),
            (&[0.4, 0.5], true),
            (&[0.5, 0.5], false),
            (&[0.5, 0.500_001], true),
            (&[0.7, 0.6], false),
        ] {
            assert_eq!(grants(&history(scores), false), is, "{scores:?}");
            assert!(!grants(&history(scores), true), "{scores:?}");
        }
    }
}
