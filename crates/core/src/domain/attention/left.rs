//! A task that waits since its worker has ended.

use crate::domain::attention::Facts;
use crate::domain::attention::need::{Choice, Need, NeedKind, safe};
use crate::domain::attention::of_goal::need;
use crate::domain::goal::row::{Row, WhileOpen};
use crate::domain::goal::state::Status;

/// A task under way whose worker has ended. What is said of a run says what became of its task.
pub(super) fn task_left(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    let task = facts.left_tasks.get(&row.id)?;
    let is_nobodys = row.status == Status::Active && !facts.is_leased(&row.id);
    let is_of_run = open.run.is_some() || open.left.is_some() || open.refused.is_some();
    if !is_nobodys || is_of_run {
        return None;
    }
    let (id, goal) = (&task.id, &row.id);
    let reason = format!(
        "task `{id}` `{}` is under way, and the session that worked on it has ended; \
         `continue` in a new session goes on with it",
        task.title
    );
    let agent = facts.agents.get(goal).map_or("", String::as_str);
    let go_on = Choice::new(
        "let a run go on with it",
        format!("goal run --goal {goal}{agent}"),
    );
    let reopen = safe(id).map(|id| {
        let command = format!("goal task reopen {id} --goal {goal} --reason TEXT");
        Choice::new("let the task wait", command)
    });
    let look = Choice::new("look at it", format!("goal show {goal}"));
    let choices = [Some(go_on), reopen, Some(look)];
    let choices = choices.into_iter().flatten().collect();
    let since = Some(task.since.clone());
    Some(need(row, NeedKind::TaskLeft, since, reason, choices))
}
