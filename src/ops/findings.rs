//! What `verify` and `doctor` have in common: when findings make a call fail.

use crate::domain::diagnostic::{Diagnostic, Severity};
use crate::domain::findings::{CountedFindings, by_severity};
use crate::ops::failure::Failure;
use crate::render::text::count;

/// The error that goes with the data when something weighs enough: errors, and with `strict`
/// warnings too (docs/commands.md#exit-codes).
pub fn failure(findings: &[Diagnostic], rest: &[CountedFindings], strict: bool) -> Option<Failure> {
    let counts = by_severity(findings, rest);
    let of = |severity| counts.get(&severity).copied().unwrap_or_default();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if errors == 0 && !(strict && warnings > 0) {
        return None;
    }
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(count(errors, "error"));
    }
    if strict && warnings > 0 {
        parts.push(count(warnings, "warning"));
    }
    Some(Failure::new(
        "findings",
        format!("found {}", parts.join(" and ")),
        "each finding says what to do about it",
    ))
}

#[cfg(test)]
mod tests {
    use super::failure;
    use crate::domain::diagnostic::{Code, Diagnostic};

    #[test]
    fn errors_always_weigh_and_warnings_only_when_strict() {
        let of = |codes: &[Code], strict| {
            let findings: Vec<_> = codes
                .iter()
                .map(|code| Diagnostic::new(*code, "m", "h"))
                .collect();
            failure(&findings, &[], strict).map(|failure| failure.message)
        };
        let (error, warning, information) = (Code::BrokenLink, Code::TornTail, Code::UnknownEvent);
        assert_eq!(of(&[], true), None);
        assert_eq!(of(&[warning, information], false), None);
        assert_eq!(of(&[information], true), None);
        assert_eq!(of(&[warning], true).unwrap(), "found 1 warning");
        assert_eq!(
            of(&[error, error, warning], false).unwrap(),
            "found 2 errors"
        );
        assert_eq!(
            of(&[error, warning], true).unwrap(),
            "found 1 error and 1 warning"
        );
    }
}
