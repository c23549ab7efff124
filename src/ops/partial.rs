//! An act of which the first half is on record, that it began, and the second may not be: what came
//! of it. What a failure says of the ledger is true of the second half alone and would be taken for
//! the whole act, so it is said anew here.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ledger::append::AppendError;
use crate::ops::failure::Failure;
use crate::transaction::TransactionError;

/// What began, and what to do when its result is not there.
pub struct PartialAct {
    /// That it began, as the beginning of a sentence.
    pub on_record: String,
    /// What to do where the result is not recorded.
    pub again: &'static str,
}

const LOST: &str = "what came of it is not recorded";
const UNSURE: &str = "nobody can say whether all that came of it stands in the ledger";
const KEPT: &str = "what came of it IS recorded, but its receipt is lost";

/// The failure of the second half. It is never retryable: what was done outside the ledger would be
/// done twice.
pub fn partially_recorded(begun: &PartialAct, error: TransactionError) -> Failure {
    let result = match fate(&error) {
        Fate::Lost => LOST,
        Fate::Unsure => UNSURE,
        Fate::Kept => KEPT,
    };
    let cause = cause(&error);
    let failure = Failure::from(error);
    let hint = match result {
        KEPT => "do not do it again; look with `goal log`".into(),
        UNSURE => format!(
            "look with `goal log`; where its result is missing, {}",
            begun.again
        ),
        _ => begun.again.to_owned(),
    };
    let why = cause.unwrap_or(failure.message);
    Failure {
        message: format!(
            "{}, which is on record, and {result}: {why}",
            begun.on_record
        ),
        hint,
        retryable: false,
        ..failure
    }
}

/// The notice of a second half without which the first stands: `what` is the second, `hint` says how
/// to make up for it.
pub fn half_notice(code: Code, what: &str, hint: &str, error: TransactionError) -> Diagnostic {
    let fate = match fate(&error) {
        Fate::Lost => format!("{what} is not recorded"),
        Fate::Unsure => format!("nobody can say whether {what} stands in the ledger"),
        Fate::Kept => format!("{what} IS recorded, but its receipt is lost"),
    };
    let why = cause(&error).unwrap_or_else(|| Failure::from(error).message);
    Diagnostic::new(code, format!("{fate}: {why}"), hint)
}

/// What became of a write that failed.
enum Fate {
    Lost,
    Unsure,
    Kept,
}

fn fate(error: &TransactionError) -> Fate {
    match error {
        TransactionError::Append(AppendError::NotRecorded {
            rolled_back: false, ..
        })
        | TransactionError::Append(AppendError::Moved { .. }) => Fate::Unsure,
        TransactionError::Unreceipted(_) => Fate::Kept,
        TransactionError::Append(AppendError::NotRecorded {
            rolled_back: true, ..
        })
        | TransactionError::Rejected(_)
        | TransactionError::Place(_)
        | TransactionError::Lock(_)
        | TransactionError::Path(_)
        | TransactionError::Open(_)
        | TransactionError::Read(_)
        | TransactionError::Line(_)
        | TransactionError::Config(_) => Fate::Lost,
    }
}

/// What went wrong, where the error's own words speak of the whole ledger.
fn cause(error: &TransactionError) -> Option<String> {
    match error {
        TransactionError::Append(AppendError::NotRecorded {
            path, step, source, ..
        }) => Some(format!("cannot {step} `{path}`: {source}")),
        TransactionError::Append(AppendError::Moved { path }) => Some(format!(
            "`{path}` was replaced or changed by another program"
        )),
        TransactionError::Unreceipted(why) => Some(why.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rejection::Rejection;
    use std::io;

    fn said(error: TransactionError) -> Failure {
        let begun = PartialAct {
            on_record: "task `2` is under way".into(),
            again: "take the step again",
        };
        partially_recorded(&begun, error)
    }

    fn not_recorded(rolled_back: bool) -> TransactionError {
        let source = io::Error::other("no space left");
        let (path, step) = ("/p/goal_events.jsonl".into(), "write to");
        TransactionError::Append(AppendError::NotRecorded {
            path,
            step,
            rolled_back,
            source,
        })
    }

    #[test]
    fn each_failure_says_what_is_true_of_both_halves() {
        let moved = AppendError::Moved { path: "/p".into() };
        let line = io::Error::other("gone");
        for (error, code, fate) in [
            (
                not_recorded(true),
                "not_recorded",
                "is not recorded: cannot write to `/p/goal_events.jsonl`: no space left",
            ),
            (not_recorded(false), "not_recorded", "nobody can say"),
            (moved.into(), "ledger_moved", "nobody can say"),
            (
                TransactionError::Unreceipted("gone".into()),
                "receipt_lost",
                "IS recorded",
            ),
            (
                Rejection::AuditorReadOnly.into(),
                "auditor_read_only",
                "is not recorded",
            ),
            (line.into(), "io", "is not recorded: gone"),
        ] {
            let failure = said(error);
            assert_eq!(failure.code, code);
            assert!(
                failure.message.starts_with("task `2` is under way"),
                "{failure:?}"
            );
            assert!(failure.message.contains(fate), "{failure:?}");
            assert!(!failure.message.contains("nothing is"), "{failure:?}");
            assert!(
                !failure.message.contains("run the command again"),
                "{failure:?}"
            );
            assert!(!failure.retryable);
            let again = failure.hint.contains("take the step again");
            assert_eq!(again, code != "receipt_lost", "{failure:?}");
        }
    }

    #[test]
    fn a_notice_says_nothing_of_the_first_half() {
        for (error, fate) in [
            (not_recorded(true), "the end is not recorded: cannot write"),
            (not_recorded(false), "nobody can say whether the end stands"),
            (
                TransactionError::Unreceipted("gone".into()),
                "the end IS recorded, but its receipt is lost: gone",
            ),
            (
                Rejection::AuditorReadOnly.into(),
                "the end is not recorded: ",
            ),
        ] {
            let notice = half_notice(Code::NoBaseline, "the end", "look", error);
            assert!(notice.message.starts_with(fate), "{notice:?}");
            assert!(!notice.message.contains("nothing is recorded"));
            assert_eq!(notice.hint, "look");
        }
    }

    #[test]
    fn words_of_others_stay_as_they_are() {
        let words = "nothing is recorded and the ledger is as it was before";
        let failure = said(io::Error::other(words).into());
        assert!(failure.message.ends_with(words), "{failure:?}");
    }
}
