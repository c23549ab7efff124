//! An act of two recorded steps, of which the first stands without the second. What a failure of the
//! second says of the ledger is true of that step alone and would be taken for the whole act, so it
//! is said anew here.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ledger::append::AppendError;
use crate::ops::failure::Failure;
use crate::store::StoreError;
use crate::transaction::TransactionError;

/// The first step, which is on record.
pub struct FirstStep<'a> {
    /// What it says, as the beginning of a sentence.
    pub says: &'a str,
    /// What to do where the second is not recorded.
    pub again: &'a str,
}

impl FirstStep<'_> {
    /// The failure of the second. It is never retryable: what was done outside the ledger would be
    /// done twice.
    pub fn alone(&self, error: TransactionError) -> Failure {
        let (fate, failure) = second("what came of it", "all that came of it", error);
        let FirstStep { says, again } = self;
        Failure {
            message: format!("{says}, which is on record, and {}", failure.message),
            hint: match fate {
                Fate::Lost => (*again).to_owned(),
                Fate::Unsure => {
                    format!("look with `goal log`; where its result is missing, {again}")
                }
                Fate::Kept => "do not do it again; look with `goal log`".to_owned(),
            },
            retryable: false,
            ..failure
        }
    }
}

/// The notice of a second step, for a caller that tells of the first as done: `what` the second
/// records, and `hint` how to make up for it.
pub fn without_second(code: Code, what: &str, hint: &str, error: TransactionError) -> Diagnostic {
    Diagnostic::new(code, second(what, what, error).1.message, hint)
}

/// What became of a write that failed.
enum Fate {
    Lost,
    Unsure,
    Kept,
}

/// What became of the second step, and its failure, which says that of `what` it records, of `all`
/// of it.
fn second(what: &str, all: &str, error: TransactionError) -> (Fate, Failure) {
    let (fate, cause) = fate(&error);
    let said = match fate {
        Fate::Lost => format!("{what} is not recorded"),
        Fate::Unsure => format!("nobody can say whether {all} stands in the ledger"),
        Fate::Kept => format!("{what} IS recorded, but its receipt is lost"),
    };
    let failure = Failure::from(error);
    let message = format!("{said}: {}", cause.unwrap_or(failure.message));
    (fate, Failure { message, ..failure })
}

/// What became of the write, and what went wrong, where the error's own words speak of the whole
/// ledger.
fn fate(error: &TransactionError) -> (Fate, Option<String>) {
    match error {
        TransactionError::Append(error) => {
            let fate = match error {
                AppendError::NotRecorded {
                    rolled_back: true, ..
                } => Fate::Lost,
                AppendError::NotRecorded { .. } | AppendError::Moved { .. } => Fate::Unsure,
            };
            (fate, Some(error.cause()))
        }
        TransactionError::Store(StoreError::OnlyInStore(error)) => {
            (Fate::Kept, Some(error.cause()))
        }
        TransactionError::Store(StoreError::Unknown { why } | StoreError::Failed { why }) => {
            (Fate::Unsure, Some(why.clone()))
        }
        TransactionError::Unreceipted(why) => (Fate::Kept, Some(why.clone())),
        TransactionError::Rejected(_)
        | TransactionError::Place(_)
        | TransactionError::Lock(_)
        | TransactionError::Path(_)
        | TransactionError::Open(_)
        | TransactionError::Read(_)
        | TransactionError::Line(_)
        | TransactionError::Waits { .. }
        | TransactionError::Store(_)
        | TransactionError::Config(_) => (Fate::Lost, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rejection::Rejection;
    use std::io;

    fn said(error: TransactionError) -> Failure {
        let first = FirstStep {
            says: "task `2` is under way",
            again: "take the step again",
        };
        first.alone(error)
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
            let notice = without_second(Code::NoBaseline, "the end", "look", error);
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
