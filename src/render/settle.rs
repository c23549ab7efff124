//! What waits to be settled, as people read it.

use std::fmt::Write;

use crate::domain::goal::events::SettledKind;
use crate::render::columns::fit;
use crate::render::text::{count, one_line};
use crate::render::view::GoalView;

/// How much waits for the user's word on a goal, in one line with the command that settles it;
/// nothing where nothing does.
pub(super) fn open(goal: &GoalView) -> Option<String> {
    let lines = goal.to_settle?;
    let said =
        |lines: u64, what: &str| (lines > 0).then(|| format!("{} {what}", count(lines, "line")));
    let said = [
        said(lines.unproven, "not proven to be yours"),
        said(lines.foreign, "of other programs"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    Some(format!(
        "`goal settle {}`: {}",
        goal.goal_id,
        said.join("; ")
    ))
}

/// Lines that wait for the user: number, type, and what each says.
pub fn waiting(kind: SettledKind, lines: &[(u64, &str, &str)]) -> String {
    let many = count(lines.len() as u64, "line");
    let what = match kind {
        SettledKind::Foreign => "of other programs, without effect so far",
        _ => "in force, but not proven to be yours",
    };
    let mut text = format!("{many} {what}:\n");
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
