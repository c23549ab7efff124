//! Procedures that cannot be used.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::procedure::list;

/// One finding a file, with the first thing that is wrong with it.
pub fn look(call: &Call) -> Result<Vec<Diagnostic>, Failure> {
    let broken = list(call, None)?.broken.into_iter();
    let findings = broken.map(|file| {
        let first = file.problems.first();
        let (line, what) = first.map_or((1, ""), |it| (it.line, it.message.as_str()));
        Diagnostic::new(
            Code::ProcedureMalformed,
            format!(
                "the procedure {} cannot be used: line {line}: {what}",
                file.path
            ),
            "nothing of it is used; `goal procedure check` lists all that is wrong",
        )
    });
    Ok(findings.collect())
}
