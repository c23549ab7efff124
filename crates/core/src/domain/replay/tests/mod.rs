//! Replay on small ledgers: a table of cases from files, what each leaves in the state, how much
//! of the ledger is read again, and properties over ledgers that nobody thought of.

mod agents;
mod cases;
mod details;
mod effort;
mod histories;
mod properties;
mod repeated;
mod rests;

use crate::domain::event::Event;
use crate::domain::goal::state::Goal;
use crate::domain::goals::Goals;
use crate::domain::replay::{Replay, Replayed};
use crate::domain::state::State;

/// What is known of a project can go to another thread, and several can look at it.
const _: () = {
    const fn can_be_shared<T: Send + Sync>() {}
    can_be_shared::<Goals>();
    can_be_shared::<Goal>();
    can_be_shared::<State>();
    can_be_shared::<Replayed>();
    can_be_shared::<Event>();
    const fn can_be_sent<T: Send>() {}
    can_be_sent::<Replay<'_>>();
};
