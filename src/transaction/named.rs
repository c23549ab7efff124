//! What a caller named by words of its title is said with what was recorded.

use crate::domain::decide::drafts;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::id::GoalId;
use crate::domain::select::is_part;
use crate::snapshot::Snapshot;
use crate::transaction::Request;

/// Which goal or draft was meant where words of its title named it.
pub(super) fn by_title(
    before: &Snapshot,
    request: &Request,
    target: Option<&GoalId>,
) -> Option<Diagnostic> {
    let state = &before.state;
    if let (Some(named), Some(id)) = (&request.goal, target)
        && !is_part(named, id.as_str())
    {
        let goal = state.goals.get(id)?;
        let title = goal.contract.heading();
        return Some(Diagnostic::named_by_title(
            named,
            &format!("goal {id}"),
            title,
        ));
    }
    let (named, draft) = drafts::of_command(state, &request.command)?;
    let id = &draft.draft_id;
    let by_title = !is_part(named, id);
    by_title.then(|| Diagnostic::named_by_title(named, &format!("draft {id}"), draft.about()))
}
