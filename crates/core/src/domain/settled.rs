//! What the user has settled: findings that nothing in the ledger can mend, since it is never
//! edited. A settlement is bound to the kind of finding and to the lines that it names. It changes
//! no goal and no verdict on one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::diagnostic::Code;
use crate::domain::event::ledger::{GoalSettled, SettledKind};
use crate::domain::id::EventId;

/// The findings that the user has settled: their code, and the line that each is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled(BTreeSet<(String, EventId)>);

impl Settled {
    /// Records a settlement of ours.
    pub fn record(&mut self, settled: &GoalSettled) {
        if let Some(code) = code_of(settled) {
            let lines = settled.lines.iter();
            self.0.extend(lines.map(|line| (code.to_owned(), *line)));
        }
    }

    /// Whether the user has settled this kind of finding at the line with this id.
    pub fn covers(&self, code: Code, line: EventId) -> bool {
        self.names(code)
            .any(|name| self.0.contains(&(name.to_owned(), line)))
    }

    /// Whether the user has taken this line as their own, whose origin is not proven.
    pub fn takes(&self, line: EventId) -> bool {
        self.0.contains(&(UNPROVEN.to_owned(), line))
    }

    /// The lines whose text the user took out, here or elsewhere.
    pub fn dropped(&self) -> impl Iterator<Item = EventId> {
        let dropped = self.0.iter().filter(|(name, _)| name == DROPPED);
        dropped.map(|(_, line)| *line)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many findings of this kind are settled.
    pub fn count(&self, code: Code) -> u64 {
        let is_of = |name: &str| self.names(code).any(|known| known == name);
        self.0.iter().filter(|(name, _)| is_of(name)).count() as u64
    }

    /// The names under which findings of this kind are settled: a line whose origin is not proven
    /// is settled as that, or as the finding that it is.
    fn names(&self, code: Code) -> impl Iterator<Item = &'static str> {
        let unproven = matches!(code, Code::UnsealedLine | Code::UnknownKey);
        [Some(code.name()), unproven.then_some(UNPROVEN)]
            .into_iter()
            .flatten()
    }

    /// Those of the lines that this settlement names and none before it has.
    pub(in crate::domain) fn new_in(&self, settled: &GoalSettled) -> Vec<EventId> {
        let code = code_of(settled).unwrap_or_default().to_owned();
        let is_new = |line: &&EventId| !self.0.contains(&(code.clone(), **line));
        settled.lines.iter().filter(is_new).copied().collect()
    }
}

/// What lines are settled as whose text the user took out.
pub const DROPPED: &str = "line_dropped";

/// What lines are settled as whose origin is not proven.
const UNPROVEN: &str = "contract_unproven";

/// The code of the findings that it settles. What is settled of contracts and contests later
/// versions know.
fn code_of(settled: &GoalSettled) -> Option<&str> {
    match settled.kind {
        SettledKind::Foreign => Some(Code::ForeignLine.name()),
        SettledKind::Finding => settled.finding.as_deref(),
        SettledKind::Unproven => Some(UNPROVEN),
        SettledKind::Contest => Some("contested"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Payload;
    use crate::domain::testing::{Ledger, event};

    fn settles(kind: &str, finding: Option<&str>, lines: &[EventId]) -> String {
        let finding = finding.map_or(String::new(), |code| format!(r#","finding":"{code}""#));
        let lines = serde_json::to_string(lines).unwrap();
        format!(
            r#"{{"type":"goal_settled","kind":"{kind}"{finding},"lines":{lines},"reason":"r","at":"t"}}"#
        )
    }

    fn ids() -> [EventId; 2] {
        ["1", "2"].map(|digit| digit.repeat(32).parse().unwrap())
    }

    #[test]
    fn a_settlement_is_bound_to_its_kind_and_its_lines() {
        let [one, two] = ids();
        let settled = settles("finding", Some("malformed_line"), &[one]);
        let (state, _) = Ledger::default().ours(&settled).replay();
        assert!(state.settled.covers(Code::MalformedLine, one));
        assert!(!state.settled.covers(Code::MalformedLine, two));
        assert!(!state.settled.covers(Code::BrokenLink, one));
        assert!(state.goals.is_empty());
        // Nobody settles anything by an echo.
        let (state, _) = Ledger::default().theirs(&settled).replay();
        assert_eq!(state.settled, Settled::default());
    }

    #[test]
    fn what_is_settled_is_counted_by_kind_and_once() {
        let [one, two] = ids();
        let ledger = Ledger::default()
            .ours(&settles("finding", Some("malformed_line"), &[one, two]))
            .ours(&settles("finding", Some("malformed_line"), &[two]))
            .ours(&settles("unproven", None, &[one]))
            .ours(&settles("foreign", None, &[two]));
        let settled = ledger.replay().0.settled;
        for (code, count) in [
            (Code::MalformedLine, 2),
            (Code::BrokenLink, 0),
            (Code::ForeignLine, 1),
            // A line that is settled as unproven is settled whatever its seal lacks.
            (Code::UnsealedLine, 1),
            (Code::UnknownKey, 1),
        ] {
            assert_eq!(settled.count(code), count, "{code:?}");
        }
        assert!(!settled.is_empty());
        assert!(Settled::default().is_empty());
        assert!(settled.covers(Code::UnsealedLine, one));
        assert!(!settled.covers(Code::MalformedLine, EventId::ZERO));
        assert_eq!([one, two].map(|line| settled.takes(line)), [true, false]);
    }

    #[test]
    fn a_settlement_says_anew_only_what_none_before_it_has() {
        let [one, two] = ids();
        let ledger = Ledger::default().ours(&settles("unproven", None, &[one]));
        let before = ledger.replay().0.settled;
        for (kind, new) in [("unproven", vec![two]), ("foreign", vec![one, two])] {
            let Payload::GoalSettled(settled) = event(&settles(kind, None, &[one, two])).payload
            else {
                panic!("another payload");
            };
            assert_eq!(before.new_in(&settled), new, "{kind}");
        }
    }

    #[test]
    fn only_what_neither_judges_nor_ends_a_goal_can_become_the_users_own_act() {
        for (fields, taken) in [
            (
                r#""type":"goal_tweaked","changeSummary":"s","objective":"o""#,
                true,
            ),
            (r#""type":"goal_tweaked","changeSummary":"s""#, false),
            (
                r#""type":"task_list_set","taskCount":1,"blockCompletion":true,"tasks":[{"id":"1","title":"t"}]"#,
                true,
            ),
            (
                r#""type":"task_list_set","taskCount":0,"blockCompletion":true"#,
                true,
            ),
            // Nobody knows which tasks these are.
            (
                r#""type":"task_list_set","taskCount":1,"blockCompletion":true"#,
                false,
            ),
            (r#""type":"goal_noted","note":"n""#, true),
            (r#""type":"goal_resumed","reason":"r""#, true),
            (
                r#""type":"goal_created","objective":"o","sisyphus":false,"autoContinue":true"#,
                false,
            ),
            (
                r#""type":"audit_result","verdict":"approved","report":"r""#,
                false,
            ),
            (r#""type":"goal_completed""#, false),
            (r#""type":"goal_aborted","reason":"r""#, false),
        ] {
            let event = event(&format!(r#"{{{fields},"goalId":"a","at":"t"}}"#));
            assert_eq!(event.payload.may_be_taken(), taken, "{fields}");
        }
    }
}
