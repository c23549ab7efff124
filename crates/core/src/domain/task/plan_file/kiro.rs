//! `tasks.md` of a Kiro spec: numbered boxes, `[-]` under way, `[ ]*` optional, and below each what it
//! has to do and which requirements it meets.

use super::formats::Source;
use super::markdown::{self, Dialect, PLAIN};
use super::{Plan, PlanError};
use crate::domain::task::checkbox;
use crate::domain::task::state::TaskStatus;

pub(super) fn detect(source: &Source<'_>) -> bool {
    let in_specs = source.is_named(&[".kiro", "specs", "tasks.md"]);
    let requires = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        line.starts_with("_Requirements:")
    };
    in_specs || source.body().lines().any(requires)
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let dialect = Dialect {
        status: |mark| match mark {
            "-" => Some(TaskStatus::Active),
            mark => checkbox::status(mark),
        },
        ..PLAIN
    };
    markdown::read(source.text, &dialect)
}
