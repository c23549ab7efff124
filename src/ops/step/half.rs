//! A step of which the first half is on record, that its task is under way, and the second may not
//! be: what came of it. What a failure says of the ledger is true of the second half alone and
//! would be taken for the whole step, so it is said anew here.

use crate::domain::task::events::TaskSpec;
use crate::ledger::append::AppendError;
use crate::ops::failure::Failure;
use crate::render::text::one_line;
use crate::transaction::TransactionError;

/// What becomes of the result, and what to do about it.
struct Fate {
    result: &'static str,
    next: &'static str,
}

const LOST: Fate = Fate {
    result: "what came of it is not recorded",
    next: "find out what its tool has done already, mend the cause, and take the step again with \
           `goal step`",
};
const UNSURE: Fate = Fate {
    result: "nobody can say whether all that came of it stands in the ledger",
    next: "look with `goal log`; where its result is missing, find out what its tool has done \
           already, and take the step again with `goal step`",
};
const KEPT: Fate = Fate {
    result: "what came of it IS recorded, but its receipt is lost",
    next: "do not take it again; look with `goal log`",
};

/// The failure of the second half. It is never retryable: the tool would run twice.
pub(super) fn half_recorded(task: &TaskSpec, error: TransactionError) -> Failure {
    let fate = match &error {
        TransactionError::Append(AppendError::NotRecorded {
            rolled_back: false, ..
        })
        | TransactionError::Append(AppendError::Moved { .. }) => UNSURE,
        TransactionError::Unreceipted(_) => KEPT,
        TransactionError::Append(AppendError::NotRecorded {
            rolled_back: true, ..
        })
        | TransactionError::Rejected(_)
        | TransactionError::Lock(_)
        | TransactionError::Path(_)
        | TransactionError::Open(_)
        | TransactionError::Read(_)
        | TransactionError::Line(_) => LOST,
    };
    let cause = cause(&error);
    let failure = Failure::from(error);
    Failure {
        message: format!(
            "task `{}` is under way, which is on record, and {}: {}",
            one_line(&task.id),
            fate.result,
            cause.unwrap_or(failure.message),
        ),
        hint: fate.next.into(),
        retryable: false,
        ..failure
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
        half_recorded(&TaskSpec::new("2", "search"), error)
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
    fn words_of_others_stay_as_they_are() {
        let words = "nothing is recorded and the ledger is as it was before";
        let failure = said(io::Error::other(words).into());
        assert!(failure.message.ends_with(words), "{failure:?}");
    }
}
