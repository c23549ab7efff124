//! What waits to be settled, as people read it.

use std::fmt::Write;

use crate::render::columns::fit;
use crate::render::text::{count, one_line};

/// Lines of other programs: number, type, and what each says.
pub fn waiting(lines: &[(u64, &str, &str)]) -> String {
    let many = count(lines.len() as u64, "line");
    let mut text = format!("{many} of other programs, without effect so far:\n");
    for (number, kind, summary) in lines {
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "  {number:>5}  {}  {}",
            one_line(kind),
            fit(summary, 60)
        );
    }
    text
}
