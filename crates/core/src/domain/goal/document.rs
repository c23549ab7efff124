//! What a goal's document adds to the ledger, for goals whose contract no line of ours carries.
//!
//! To a goal whose contract a line of ours carries no document adds anything: it has one keeper.

use std::collections::BTreeSet;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::GoalPaused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::state::{ContractSource, Goal, Keeper, Pause, Status};
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Mark;
use crate::domain::time::millis;

/// What a document of another tool says.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFacts {
    pub goal_id: GoalId,
    pub contract: ContractChange,
    pub status: Status,
    pub created_at: String,
    pub updated_at: String,
    pub pause_reason: Option<String>,
    pub suggested_action: Option<String>,
    pub tasks: Vec<TaskSpec>,
    /// What became of tasks, by id.
    pub marks: Vec<(String, Mark)>,
    /// `None` when the document has no task list.
    pub block_completion: Option<bool>,
    /// Path relative to the root, for messages.
    pub path: String,
    /// The document is one of ours.
    pub ours: bool,
}

/// Adds what a document says. The caller passes documents in order of their creation.
pub fn absorb(state: &mut State, facts: &DocumentFacts) -> Option<Diagnostic> {
    let id = &facts.goal_id;
    state
        .goals
        .amend(id, &facts.created_at, |goal, existed| match existed {
            true => add(goal, facts),
            false => {
                make(goal, facts);
                None
            }
        })
}

/// A goal of which no line tells.
fn make(goal: &mut Goal, facts: &DocumentFacts) {
    if facts.ours {
        goal.keeper = Keeper::Lost;
    }
    goal.contract.apply(&facts.contract);
    // What rests is not continued; that says nothing of how it goes on.
    goal.contract.auto_continue = facts.contract.auto_continue.unwrap_or(true);
    goal.in_document.contract = true;
    stand(goal, facts);
    add_tasks(goal, facts);
}

fn add(goal: &mut Goal, facts: &DocumentFacts) -> Option<Diagnostic> {
    if goal.has_contract_of_ours() {
        return None;
    }
    add_tasks(goal, facts);
    add_contract(goal, facts);
    // Without an event there is nothing that the document could be newer than.
    if goal.events == 0 || goal.keeper == Keeper::Ours || !goal.status.is_open() {
        return None;
    }
    let agrees = as_written(goal.status) == as_written(facts.status);
    let is_stop = facts.status != Status::Active;
    match is_newer(facts, goal) {
        // A pause with its reason, too, where the ledger knows only that there is one.
        Some(true) if is_stop && (!agrees || facts.pause_reason.is_some()) => {
            stand(goal, facts);
            None
        }
        Some(false) => None,
        _ => (!agrees).then(|| newer(goal, facts)),
    }
}

/// The document's contract; but such a document ends the objective at a line `## Progress` of its
/// own text, where the ledger has it whole.
fn add_contract(goal: &mut Goal, facts: &DocumentFacts) {
    goal.in_document.contract = true;
    let recorded = goal.contract.objective.clone();
    goal.contract.apply(&facts.contract);
    let is_longer = recorded.len() > goal.contract.objective.len();
    if is_longer && goal.contract_source != ContractSource::Document {
        goal.contract.objective = recorded;
    }
}

/// Whether the document was written after the goal's last event; nothing where the times do not
/// tell.
fn is_newer(facts: &DocumentFacts, goal: &Goal) -> Option<bool> {
    Some(millis(&facts.updated_at)? > millis(&goal.updated_at)?)
}

/// A blocked goal stands as paused in such a document.
fn as_written(status: Status) -> Status {
    match status {
        Status::Blocked => Status::Paused,
        other => other,
    }
}

/// Takes the status that the document says.
fn stand(goal: &mut Goal, facts: &DocumentFacts) {
    goal.status = match (goal.status, facts.status) {
        (Status::Blocked, Status::Paused) => Status::Blocked,
        (_, status) => status,
    };
    goal.in_document.status = facts.status != Status::Active;
    goal.updated_at.clone_from(&facts.updated_at);
    match facts.status {
        Status::Active => {}
        Status::Paused | Status::Blocked => {
            goal.pause = Some(Pause {
                reason: facts
                    .pause_reason
                    .clone()
                    .unwrap_or_else(|| "no reason recorded".into()),
                suggested_action: facts.suggested_action.clone(),
                source: Some(GoalPaused::IN_DOCUMENT.into()),
                by: None,
                via: None,
                at: Some(facts.updated_at.clone()).filter(|at| !at.is_empty()),
            });
        }
        _ => {
            goal.pause = None;
            goal.ended_at = Some(facts.updated_at.clone());
        }
    }
}

/// A list without definitions in the ledger has them in the document; the ids that events
/// completed are kept where the document still has them.
fn add_tasks(goal: &mut Goal, facts: &DocumentFacts) {
    let Some(block_completion) = facts.block_completion else {
        return;
    };
    if !goal.tasks.specs.is_empty() {
        return;
    }
    let tasks = &mut goal.tasks;
    tasks.define(facts.tasks.clone());
    tasks.in_document = !facts.tasks.is_empty();
    // What the ledger made hold the gate, no file lets go.
    tasks.block_completion |= block_completion;
    let known: BTreeSet<String> = tasks
        .flat()
        .iter()
        .map(|(_, task)| task.id.clone())
        .collect();
    tasks.marks.retain(|id, _| known.contains(id));
    for (id, mark) in &facts.marks {
        let marks = tasks.marks.entry(id.clone());
        marks.or_insert_with(|| mark.clone());
    }
    tasks.count = tasks.flat().len() as u64;
}

/// What only a document says is followed where it stops the goal, and else said.
fn newer(goal: &Goal, facts: &DocumentFacts) -> Diagnostic {
    let (id, says, is) = (&goal.id, facts.status.name(), goal.status.name());
    Diagnostic::new(
        Code::DocumentNewer,
        format!(
            "{} says goal {id} is {says}, the ledger says {is}; the ledger counts",
            facts.path
        ),
        match facts.status {
            Status::Active => {
                format!("the user takes it over and goes on: `goal resume --goal {id}`")
            }
            _ => format!("look at both; the user takes it over with `goal adopt {id}`"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::goal::chain::Audited;
    use crate::domain::task::state::TaskStatus;
    use crate::domain::testing::Ledger;

    const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"short","sisyphus":false,"autoContinue":true,"at":"t"}"#;
    const LIST: &str =
        r#"{"type":"task_list_set","goalId":"a","taskCount":2,"blockCompletion":true,"at":"t"}"#;
    const DONE: &str = r#"{"type":"task_complete","goalId":"a","taskId":"1","at":"t"}"#;

    fn facts(status: Status) -> DocumentFacts {
        DocumentFacts {
            goal_id: "a".parse().unwrap(),
            contract: ContractChange {
                objective: Some("the long one".into()),
                ..ContractChange::default()
            },
            status,
            created_at: "t".into(),
            updated_at: "u".into(),
            pause_reason: None,
            suggested_action: Some("wait".into()),
            tasks: Vec::new(),
            marks: Vec::new(),
            block_completion: None,
            path: ".pi/goals/active_goal_0_a.md".into(),
            ours: false,
        }
    }

    fn task(id: &str) -> TaskSpec {
        serde_json::from_str(&format!(r#"{{"id":"{id}","title":"t"}}"#)).unwrap()
    }

    fn absorbed(ledger: Ledger, facts: &DocumentFacts) -> (Goal, Option<Code>) {
        let mut state = ledger.replay().0;
        let found = absorb(&mut state, facts).map(|found| found.code);
        (state.goals.get(&facts.goal_id).unwrap().clone(), found)
    }

    #[test]
    fn a_document_alone_makes_the_goal() {
        let (goal, found) = absorbed(Ledger::default(), &facts(Status::Paused));
        assert_eq!(
            (goal.status, goal.keeper, found),
            (Status::Paused, Keeper::Theirs, None)
        );
        assert_eq!(goal.contract.objective, "the long one");
        assert_eq!((goal.created, goal.revision, goal.events), (false, None, 0));
        let pause = goal.pause.unwrap();
        assert_eq!(pause.reason, "no reason recorded");
        assert_eq!(pause.suggested_action.as_deref(), Some("wait"));
        // One that does not say when it was written does not say since when the goal rests.
        let undated = DocumentFacts {
            updated_at: String::new(),
            ..facts(Status::Paused)
        };
        let (undated, _) = absorbed(Ledger::default(), &undated);
        assert_eq!(undated.pause.unwrap().at, None);
        let (ended, _) = absorbed(Ledger::default(), &facts(Status::Complete));
        assert_eq!(ended.ended_at.as_deref(), Some("u"));
        let audited = ended.audited(|_| Err("no line is read"));
        assert_eq!(audited, Ok(Some(Audited::None)));
    }

    #[test]
    fn a_second_document_of_a_goal_without_events_is_no_contradiction() {
        let mut state = State::default();
        assert_eq!(absorb(&mut state, &facts(Status::Active)), None);
        assert_eq!(absorb(&mut state, &facts(Status::Complete)), None);
        assert_eq!(state.goals.len(), 1);
    }

    #[test]
    fn the_contract_is_the_ledgers_once_a_line_of_ours_carries_it() {
        let objective = |ledger| {
            absorbed(ledger, &facts(Status::Active))
                .0
                .contract
                .objective
        };
        let tweaked = r#"{"type":"goal_tweaked","goalId":"a","changeSummary":"c","at":"t"}"#;
        assert_eq!(objective(Ledger::default().theirs(CREATED)), "the long one");
        assert_eq!(objective(Ledger::default().theirs(tweaked)), "the long one");
        let ours = || Ledger::default().ours(CREATED);
        assert_eq!(objective(ours()), "short");
        assert_eq!(objective(ours().theirs(tweaked)), "short");
        let again = tweaked.replace("\"c\"", "\"c\",\"objective\":\"ours again\"");
        assert_eq!(objective(ours().theirs(tweaked).ours(&again)), "ours again");
    }

    #[test]
    fn the_status_is_the_ledgers_and_a_contradiction_is_found() {
        {
            let ledger = Ledger::default().theirs(CREATED);
            let (goal, found) = absorbed(ledger.clone(), &facts(Status::Paused));
            assert_eq!(
                (goal.status, found),
                (Status::Active, Some(Code::DocumentNewer))
            );
            let (goal, found) = absorbed(ledger.clone(), &facts(Status::Complete));
            assert_eq!(
                (goal.status, found),
                (Status::Active, Some(Code::DocumentNewer))
            );
            assert_eq!(absorbed(ledger.clone(), &facts(Status::Active)).1, None);
            // Such a document knows no blocker, only a pause.
            let blocked = r#"{"type":"goal_blocked","goalId":"a","reason":"r","at":"t"}"#;
            assert_eq!(
                absorbed(ledger.clone().theirs(blocked), &facts(Status::Paused)).1,
                None
            );
            let ended = r#"{"type":"goal_aborted","goalId":"a","reason":"r","at":"t"}"#;
            assert_eq!(
                absorbed(ledger.theirs(ended), &facts(Status::Active)).1,
                None
            );
        }
    }

    #[test]
    fn an_uncreated_goal_with_a_complete_document_stays_open_and_says_so() {
        let noted = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t"}"#;
        let (goal, found) = absorbed(Ledger::default().theirs(noted), &facts(Status::Complete));
        assert_eq!(
            (goal.status, found),
            (Status::Active, Some(Code::DocumentNewer))
        );
        assert_eq!(goal.contract.objective, "the long one");
    }

    #[test]
    fn tasks_without_definitions_have_them_in_the_document() {
        let ledger = Ledger::default().theirs(CREATED).theirs(LIST).theirs(DONE);
        let gone = DONE.replace("\"1\"", "\"gone\"");
        let skipped = Mark {
            status: TaskStatus::Skipped,
            ..Mark::default()
        };
        let facts = DocumentFacts {
            tasks: vec![task("1"), task("2"), task("3")],
            marks: vec![("1".into(), Mark::default()), ("2".into(), skipped)],
            block_completion: Some(false),
            ..facts(Status::Active)
        };
        let (goal, _) = absorbed(ledger.theirs(&gone), &facts);
        let tasks = goal.tasks;
        assert_eq!(
            tasks.mark("1").status,
            TaskStatus::Complete,
            "the ledger's word stays"
        );
        assert_eq!((tasks.count, tasks.open(), tasks.marks.len()), (3, 1, 2));
        assert!(
            tasks.block_completion,
            "a file does not let go what the ledger holds"
        );
        // Definitions of ours are not replaced.
        let ours = LIST.replace("\"at\"", r#""tasks":[{"id":"x","title":"t"}],"at""#);
        let (goal, _) = absorbed(Ledger::default().ours(CREATED).ours(&ours), &facts);
        assert_eq!(goal.tasks.specs[0].id, "x");
        // Without a list there is nothing to take.
        let without = self::facts(Status::Active);
        let (goal, _) = absorbed(Ledger::default(), &without);
        assert_eq!(goal.tasks.count, 0);
    }

    #[test]
    fn a_newer_document_stops_a_goal_that_another_tool_keeps() {
        let created = CREATED.replace("\"t\"", "\"2026-06-01T10:00:00.000Z\"");
        let at = |updated_at: &str, status| DocumentFacts {
            updated_at: updated_at.into(),
            pause_reason: Some("the token is missing".into()),
            ..facts(status)
        };
        let theirs = || Ledger::default().theirs(&created);
        let (later, earlier) = ("2026-06-02T10:00:00Z", "2026-05-02T10:00:00Z");
        let (goal, found) = absorbed(theirs(), &at(later, Status::Paused));
        assert_eq!((goal.status, found), (Status::Paused, None));
        let pause = goal.pause.unwrap();
        assert_eq!(pause.reason, "the token is missing");
        assert_eq!(pause.suggested_action.as_deref(), Some("wait"));
        let (goal, found) = absorbed(theirs(), &at(later, Status::Aborted));
        assert_eq!((goal.status, found), (Status::Aborted, None));
        assert!(goal.in_document.status);
        let (goal, found) = absorbed(theirs(), &at(earlier, Status::Aborted));
        assert_eq!((goal.status, found), (Status::Active, None));
        // No document wakes a goal, and none says anything of ours.
        let paused =
            r#"{"type":"goal_paused","goalId":"a","reason":"r","at":"2026-06-01T11:00:00.000Z"}"#;
        let (goal, found) = absorbed(theirs().theirs(paused), &at(later, Status::Active));
        assert_eq!(
            (goal.status, found),
            (Status::Paused, Some(Code::DocumentNewer))
        );
        let ours = Ledger::default().ours(&created);
        let (goal, found) = absorbed(ours, &at(later, Status::Aborted));
        assert_eq!((goal.status, found), (Status::Active, None));
    }

    #[test]
    fn the_longer_objective_counts_unless_the_other_tool_has_changed_it() {
        let long = CREATED.replace("\"short\"", "\"long and whole\"");
        let objective = |ledger| {
            let (goal, _) = absorbed(ledger, &facts(Status::Active));
            goal.contract.objective
        };
        let theirs = Ledger::default().theirs(&long);
        assert_eq!(objective(theirs.clone()), "long and whole");
        let tweaked = r#"{"type":"goal_tweaked","goalId":"a","changeSummary":"c","at":"t"}"#;
        assert_eq!(objective(theirs.theirs(tweaked)), "the long one");
    }
}
