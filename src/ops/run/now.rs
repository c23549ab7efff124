//! The project as a runner saw it last: as its latest transaction left it, or as it was read when
//! somebody else had appended.

use std::cell::{Ref, RefCell};

use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;

/// How the project stands, for the runner of one goal.
pub(super) struct Now<'a> {
    call: &'a Call,
    id: GoalId,
    latest: RefCell<Snapshot>,
}

impl Now<'_> {
    pub fn new(call: &Call, id: GoalId, latest: Snapshot) -> Now<'_> {
        Now {
            call,
            id,
            latest: RefCell::new(latest),
        }
    }

    /// A transaction of the runner's own left the project like this.
    pub fn is(&self, after: Snapshot) {
        *self.latest.borrow_mut() = after;
    }

    /// The project. It is read only where the ledger is not as the latest look left it.
    ///
    /// # Errors
    /// The system refuses to read it.
    pub fn project(&self) -> Result<Ref<'_, Snapshot>, Failure> {
        let is_current = self
            .latest
            .borrow()
            .is_current(&self.call.workspace.paths)?;
        if !is_current {
            self.is(self.call.read()?);
        }
        Ok(self.latest.borrow())
    }

    /// The goal.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn goal(&self) -> Result<Goal, Failure> {
        let goal = select::by_id(&self.project()?.state, &self.id)?.clone();
        self.call.whole()?;
        Ok(goal)
    }
}
