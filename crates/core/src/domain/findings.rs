//! Findings about state that need the ids of lines, which replay never computes.

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::state::State;

/// The completions outside the gate, in order of the ledger: an error in a line of ours,
/// information in others' (docs/ledger-format.md#reading). `id` reads the id of a line.
pub fn unaudited<E>(
    state: &State,
    id: impl Fn(LineRef) -> Result<EventId, E>,
) -> Result<Vec<Diagnostic>, E> {
    let mut found = Vec::new();
    for goal in state.goals.in_turn(|status| status == Status::Complete) {
        if let (Some(Audited::None), Some(completion)) = (goal.audited(&id)?, &goal.completion) {
            found.push((
                completion.line,
                unaudited_completion(&goal, completion.ours),
            ));
        }
    }
    found.sort_by_key(|(line, _)| *line);
    let placed = found
        .into_iter()
        .map(|(line, finding)| finding.at(line.number, line.offset));
    Ok(placed.collect())
}

/// That agents' hosts passed on acts of the user, where they did: one remark, whatever their number.
pub fn through_hosts(state: &State) -> Option<Diagnostic> {
    let passed_on = &state.passed_on;
    (!passed_on.is_empty()).then(|| {
        let which = passed_on.said();
        let what = match passed_on.lines() {
            1 => "1 line in which the user acts".to_owned(),
            many => format!("{many} lines in which the user acts"),
        };
        Diagnostic::new(
            Code::UserActViaAgent,
            format!("{what} came through an agent's host: {which}"),
            "`goal log --by user` names the host beside each; see whether they are yours",
        )
    })
}

fn unaudited_completion(goal: &Goal, ours: bool) -> Diagnostic {
    let severity = if ours {
        Severity::Error
    } else {
        Severity::Information
    };
    Diagnostic::new(
        Code::UnauditedCompletion,
        format!(
            "goal {} is complete, but no audit of its last revision approved that",
            goal.id
        ),
        "history stands; if the work is in doubt, set a new goal that checks it",
    )
    .weighing(severity)
}

#[cfg(test)]
mod tests {
    use super::unaudited;
    use crate::domain::diagnostic::Severity;
    use crate::domain::testing::Ledger;

    #[test]
    fn the_weight_depends_on_whose_line_completes() {
        let ledger = Ledger::default()
            .theirs(r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#)
            .theirs(r#"{"type":"goal_created","goalId":"b","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#)
            .theirs(r#"{"type":"goal_completed","goalId":"b","at":"t"}"#)
            .ours(r#"{"type":"goal_completed","goalId":"a","at":"t"}"#);
        let (state, _) = ledger.replay();
        let found = unaudited(&state, |line| Ok::<_, ()>(ledger.id(line))).unwrap();
        let places: Vec<_> = found.iter().map(|d| (d.line, d.severity)).collect();
        assert_eq!(
            places,
            [(Some(3), Severity::Information), (Some(4), Severity::Error)]
        );
    }
}
