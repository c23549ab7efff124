//! In which order goals are listed.

use clap::ValueEnum;

use crate::domain::attention::Standing;
use crate::domain::goal::row::Row;
use crate::domain::time::millis;

/// What decides the order of a listing. Goals of which it says nothing stand last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// By standing, goals that need you first; then by priority
    Standing,
    /// The highest priority first
    #[default]
    Priority,
    /// The goal without an event for the longest time first
    Age,
    /// The latest created first
    Created,
    /// The most expensive first
    Cost,
    /// The lowest score first
    Score,
    /// By title
    Title,
}

impl Sort {
    /// Puts goals that are in order of creation in this order.
    pub(in crate::ops) fn sort(self, goals: &mut [(Standing, Row)]) {
        let first_known = |it: Option<f64>| (it.is_none(), it.unwrap_or_default());
        match self {
            Sort::Standing => {
                Sort::Priority.sort(goals);
                goals.sort_by_key(|(standing, _)| *standing);
            }
            Sort::Priority => goals.sort_by(|(_, a), (_, b)| b.rank().total_cmp(&a.rank())),
            Sort::Age => goals.sort_by_key(|(_, it)| {
                let at = millis(&it.updated_at);
                (at.is_none(), at)
            }),
            Sort::Created => goals.reverse(),
            Sort::Cost | Sort::Score => {
                let number = |it: &Row| {
                    first_known(match self {
                        Sort::Cost => it.cost_usd.map(|it| -it),
                        _ => it.score,
                    })
                };
                goals.sort_by(|(_, a), (_, b)| {
                    let ((no_a, a), (no_b, b)) = (number(a), number(b));
                    no_a.cmp(&no_b).then(a.total_cmp(&b))
                });
            }
            Sort::Title => goals.sort_by_cached_key(|(_, it)| it.heading().to_lowercase()),
        }
    }
}
