//! What replay finds in the lines of a ledger, in words.

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::wire::Flaw;

/// An event of a type that this version does not know.
pub(super) fn unknown(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::UnknownEvent,
        format!("`{name}` is a type of another program or of a later version"),
        "nothing to do: it is kept and has no effect",
    )
}

/// A line with something that a line of ours never has.
pub(super) fn untidy_line(what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::UntidyLine,
        format!("{what}: an editor or a git setting touched the ledger"),
        "`goal init` writes the git attributes that keep the file as it is",
    )
}

/// A line of ours that stands there a second time.
pub(super) fn duplicate() -> Diagnostic {
    Diagnostic::new(
        Code::DuplicateLine,
        "the same event stands earlier in the file; it is applied once",
        "nothing to do: a union merge leaves such lines",
    )
}

/// Changes the finding of a malformed line: a writer was interrupted in it, and the next one ended it.
pub fn ended_by_the_next(finding: &mut Diagnostic) {
    finding.severity = Severity::Warning;
    finding.message = "skipped: a writer was interrupted within this line, and the next one went \
                       on behind it"
        .to_owned();
    let line = finding.line.unwrap_or_default();
    finding.hint = format!(
        "nothing has to be mended; `goal settle --finding {}@{line} --reason WHY` keeps it from \
         being found again",
        finding.code.name()
    );
}

/// A line with this number in the file that holds no event.
pub(super) fn describe(flaw: &Flaw, line: u64) -> Diagnostic {
    // The line itself stays: what it should have said is recorded anew.
    let then = |code: Code| {
        format!(
            "record with a command what is missing, then `goal settle --finding {}@{line} --reason \
             WHY` keeps it from being found again",
            code.name()
        )
    };
    match flaw {
        Flaw::Malformed(reason) => Diagnostic::new(
            Code::MalformedLine,
            format!("skipped: {reason}"),
            format!(
                "look at line {line} in an editor, without saving, and at what version control has \
                 there; {}",
                then(Code::MalformedLine)
            ),
        ),
        Flaw::BadEvent(error) => Diagnostic::new(
            Code::MalformedEvent,
            format!("skipped: {error}"),
            format!(
                "look at line {line} in an editor, without saving: the program that wrote it needs \
                 mending; {}",
                then(Code::MalformedEvent)
            ),
        ),
        Flaw::Torn => Diagnostic::new(
            Code::TornTail,
            "the file ends within a line: a writer was interrupted",
            format!(
                "go on: the next command that records something ends this line and begins a new \
                 one; from then on it is found as `malformed_line`, a warning, until `goal settle \
                 --finding malformed_line@{line} --reason WHY` says that you know of it"
            ),
        ),
        Flaw::ConflictMarker => Diagnostic::new(
            Code::ConflictMarker,
            "a merge was not finished: git left a conflict marker",
            "keep both sides and delete only the marker lines; `goal init` sets merge=union so \
             that it does not happen again",
        ),
    }
}
