//! Calls on projects, for the tests of use cases.

use std::time::Duration;

use crate::domain::actor::{Actor, Caller};
use crate::ops::call::Call;
use crate::ops::under_way::StatusLine;
pub use crate::workspace::testing::{Linked, Project};

impl Project {
    /// The user's call on the project, with `--goal` where it is given.
    pub fn call(&self, goal: Option<&str>) -> Call {
        Call {
            workspace: self.workspace(),
            caller: Caller::new(Actor::User),
            goal: goal.map(str::to_owned),
            expect: None,
            expect_goal: None,
            key: None,
            lock_timeout: Duration::from_secs(5),
            status_line: StatusLine::default(),
        }
    }
}
