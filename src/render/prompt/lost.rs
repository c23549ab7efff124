//! What a contract has lost, for the auditor.

use crate::domain::actor::Actor;
use crate::domain::goal::difference::Item;
use crate::domain::goal::state::Goal;
use crate::domain::verdict::{defang, fence};
use crate::render::acted::acted;
use crate::render::text::{clean, one_line};

/// How many of the first and of the last losses are told.
const FIRST: usize = 10;
const LAST: usize = 10;

/// What the contract said once and does not say any more; empty where it has lost nothing.
pub(super) fn lost(goal: &Goal) -> String {
    let items = &goal.lost.items;
    if items.is_empty() {
        return String::new();
    }
    let last = items.len().saturating_sub(LAST).max(FIRST.min(items.len()));
    let mut lines: Vec<String> = items[..FIRST.min(items.len())].iter().map(line).collect();
    let between = (last - lines.len()) as u64 + goal.lost.before;
    if between > 0 {
        lines.push(format!("- and {between} more"));
    }
    lines.extend(items[last..].iter().map(line));
    let lines = fence(&defang(&clean(&lines.join("\n"))));
    format!(
        "What became of the contract: since it was first confirmed, this was taken away or \
         reworded.\n\n{lines}"
    )
}

fn line(item: &Item) -> String {
    let by = match (item.ours, item.by) {
        (false, _) => "by another tool".to_owned(),
        (true, Some(Actor::User)) => {
            let user = acted(Actor::User, item.via.as_deref());
            match item.proposed {
                true => format!("proposed by an agent, confirmed by the {user}"),
                false => format!("by the {user}"),
            }
        }
        (true, Some(Actor::Agent)) => "by an agent".to_owned(),
        (true, _) => "by nobody who is named".to_owned(),
    };
    let (field, text, at) = (&item.field, one_line(&item.text), one_line(&item.at));
    format!("- {field}, {at}, {by}: {text}")
}
