//! Which goals a report tells of one by one. In a project of ten thousand goals that is a window:
//! those that are open or that something happened to.

use crate::domain::goal::row::Row;
use crate::domain::id::GoalId;
use crate::domain::report::document::LeftOut;
use crate::domain::report::window::Window;

/// The most goals that a report tells of one by one, unless all are asked for.
pub const MOST: usize = 150;

/// The goals that are told of.
#[derive(Debug, Default)]
pub struct Selection {
    /// In order of creation.
    pub ids: Vec<GoalId>,
    pub left_out: LeftOut,
}

impl Selection {
    /// Of these goals, in order of creation, those that are open or changed in the window, all of
    /// them with `all`. Where they are too many, those that `first` names, then open ones, then
    /// those that changed last.
    pub fn of(
        rows: &[Row],
        window: &Window,
        all: bool,
        first: impl Fn(&GoalId) -> bool,
    ) -> Selection {
        let mut selection = Selection::default();
        let wanted = |goal: &&Row| all || goal.status.is_open() || window.has(&goal.updated_at);
        let mut chosen: Vec<&Row> = rows.iter().filter(wanted).collect();
        selection.left_out.ended_before = (rows.len() - chosen.len()) as u64;
        if !all && chosen.len() > MOST {
            chosen.sort_by(|a, b| {
                let rank = |goal: &Row| (first(&goal.id), goal.status.is_open());
                let of_both = rank(b).cmp(&rank(a));
                of_both.then_with(|| b.updated_at.cmp(&a.updated_at))
            });
            selection.left_out.too_many = (chosen.len() - MOST) as u64;
            chosen.truncate(MOST);
            chosen.sort_by_key(|goal| goal.ordinal);
        }
        selection.ids = chosen.into_iter().map(|goal| goal.id.clone()).collect();
        selection
    }
}
