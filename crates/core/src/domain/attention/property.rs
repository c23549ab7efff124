//! Everything that waits is there exactly once, and nothing else is: held against a naive reader, who
//! notes of each event what it means and knows no state.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::testing::Ledger;
use crate::domain::time::rfc3339;

const GOALS: [&str; 3] = ["a", "b", "c"];
const STOPS: [&str; 4] = ["no_progress", "waiting", "checkpoint", "max_iterations"];

#[derive(Debug, Clone, Copy)]
enum Step {
    Ask {
        approval: bool,
    },
    /// The user answers the oldest open question of the goal.
    Answer,
    Block,
    Pause {
        by_agent: bool,
    },
    OverBudget,
    Resume,
    Object,
    Approve,
    StartRun,
    StopRun(usize),
    Note,
    Tweak,
    Abort,
    /// For the goal's contract, or for a new goal.
    Propose {
        of_goal: bool,
    },
    /// The user decides on the oldest draft.
    Confirm,
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let what = prop_oneof![
        4 => any::<bool>().prop_map(|approval| Step::Ask { approval }),
        2 => Just(Step::Answer),
        2 => Just(Step::Block),
        1 => any::<bool>().prop_map(|by_agent| Step::Pause { by_agent }),
        2 => Just(Step::OverBudget),
        2 => Just(Step::Resume),
        6 => Just(Step::Object),
        1 => Just(Step::Approve),
        3 => Just(Step::StartRun),
        3 => (0..STOPS.len()).prop_map(Step::StopRun),
        2 => Just(Step::Note),
        1 => Just(Step::Tweak),
        1 => Just(Step::Abort),
        2 => any::<bool>().prop_map(|of_goal| Step::Propose { of_goal }),
        1 => Just(Step::Confirm),
    ];
    (0..GOALS.len(), what)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rests {
    No,
    Paused,
    Asks,
    Blocked,
    OverBudget,
}

/// What the naive reader noted of a goal.
#[derive(Debug, Clone)]
struct Noted {
    asked: Vec<(String, NeedKind)>,
    rests: Rests,
    objections: u32,
    run: Option<String>,
    left: Option<usize>,
    over: bool,
}

/// A ledger, and what the naive reader noted of it line by line.
struct NaiveProject {
    ledger: Ledger,
    goals: Vec<Noted>,
    /// Open proposals, and the goals that they are for.
    drafts: Vec<(String, Option<usize>)>,
    lines: i64,
}

impl NaiveProject {
    fn new() -> NaiveProject {
        let mut told = NaiveProject {
            ledger: Ledger::default(),
            goals: Vec::new(),
            drafts: Vec::new(),
            lines: 0,
        };
        for at in 0..GOALS.len() {
            let fields = json!({"objective": "o", "sisyphus": false, "autoContinue": true});
            told.line(Some(at), "goal_created", "user", fields);
            told.goals.push(Noted {
                asked: Vec::new(),
                rests: Rests::No,
                objections: 0,
                run: None,
                left: None,
                over: false,
            });
        }
        told
    }

    fn line(&mut self, goal: Option<usize>, kind: &str, by: &str, fields: Value) {
        self.lines += 1;
        let mut line = json!({"type": kind, "at": rfc3339(self.lines * 1000), "by": by});
        if let Some(at) = goal {
            line["goalId"] = json!(GOALS[at]);
        }
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
            line.extend(fields);
        }
        let linked = self.ledger.linked(&line.to_string());
        self.ledger.append(&linked);
    }

    fn rest(&mut self, at: usize, rests: Rests, fields: Value) {
        self.rest_by(at, "agent", rests, fields);
    }

    fn rest_by(&mut self, at: usize, by: &str, rests: Rests, fields: Value) {
        self.line(Some(at), "goal_paused", by, fields);
        self.goals[at].rests = rests;
        self.goals[at].left = None;
    }

    fn take(&mut self, at: usize, step: Step) {
        if self.goals[at].over {
            return;
        }
        let fresh = format!("n-{}", self.lines);
        match step {
            Step::Ask { approval } => {
                let kind = if approval { "approval" } else { "info" };
                let fields = json!({"questionId": fresh, "kind": kind, "question": "?"});
                self.line(Some(at), "question_asked", "agent", fields);
                let kind = match approval {
                    true => NeedKind::Approval,
                    false => NeedKind::Question,
                };
                self.goals[at].asked.push((fresh, kind));
                self.goals[at].left = None;
            }
            Step::Answer if !self.goals[at].asked.is_empty() => {
                let (id, _) = self.goals[at].asked.remove(0);
                let fields = json!({"questionId": id, "answer": "yes"});
                self.line(Some(at), "question_answered", "user", fields);
            }
            Step::Block => self.rest(at, Rests::Blocked, json!({"reason": "r", "blocked": true})),
            Step::Pause { by_agent: false } => {
                self.rest_by(at, "user", Rests::Paused, json!({"reason": "r"}));
            }
            Step::Pause { by_agent: true } => self.rest(at, Rests::Asks, json!({"reason": "r"})),
            Step::OverBudget => {
                let fields = json!({"reason": "r", "source": "budget"});
                self.rest(at, Rests::OverBudget, fields);
            }
            Step::Resume => {
                self.line(Some(at), "goal_resumed", "user", json!({"reason": "r"}));
                self.goals[at].rests = Rests::No;
                self.goals[at].left = None;
            }
            Step::Object => {
                let fields = json!({"verdict": "disapproved", "report": "no"});
                self.line(Some(at), "audit_result", "auditor", fields);
                self.goals[at].objections += 1;
            }
            Step::Approve => {
                let fields = json!({"verdict": "approved", "report": "yes"});
                self.line(Some(at), "audit_result", "auditor", fields);
                self.goals[at].objections = 0;
            }
            Step::StartRun => {
                let fields = json!({"runId": fresh, "until": "goal", "agent": "x"});
                self.line(Some(at), "run_started", "system", fields);
                self.goals[at].run = Some(fresh);
                self.goals[at].left = None;
            }
            Step::StopRun(cause) => {
                if let Some(run) = self.goals[at].run.take() {
                    let fields = json!({"runId": run, "cause": STOPS[cause]});
                    self.line(Some(at), "run_stopped", "system", fields);
                    self.goals[at].left = Some(cause);
                }
            }
            Step::Note => {
                self.line(Some(at), "goal_noted", "agent", json!({"note": "n"}));
                self.goals[at].left = None;
            }
            Step::Tweak => {
                let fields = json!({"changeSummary": "c", "objective": fresh});
                self.line(Some(at), "goal_tweaked", "user", fields);
                self.goals[at].objections = 0;
            }
            Step::Abort => {
                self.line(Some(at), "goal_aborted", "user", json!({"reason": "r"}));
                self.goals[at].over = true;
                self.drafts.retain(|(_, of)| *of != Some(at));
            }
            Step::Propose { of_goal } => {
                let fields = json!({"draftId": fresh, "contract": {"objective": "o"}});
                let of = of_goal.then_some(at);
                self.line(of, "draft_proposed", "agent", fields);
                self.drafts.push((fresh, of));
                // A proposal is about the goal, and nobody works by it.
                if of_goal {
                    self.goals[at].left = None;
                }
            }
            Step::Confirm if !self.drafts.is_empty() => {
                let (id, of) = self.drafts.remove(0);
                let fields = json!({"draftId": id, "outcome": "rejected"});
                self.line(of, "draft_resolved", "user", fields);
            }
            Step::Answer | Step::Confirm => {}
        }
    }

    /// What waits by what was noted: what it is, and about what.
    fn waits(&self, leased: &[bool], dead: &[bool], foreign: &[bool]) -> Vec<(NeedKind, String)> {
        let mut waits = Vec::new();
        for (at, goal) in self.goals.iter().enumerate().filter(|(_, it)| !it.over) {
            let id = GOALS[at].to_owned();
            waits.extend(goal.asked.iter().map(|(id, kind)| (*kind, id.clone())));
            if foreign[at] {
                waits.push((NeedKind::Foreign, id.clone()));
            }
            match goal.rests {
                Rests::Blocked => waits.push((NeedKind::Blocked, id.clone())),
                Rests::OverBudget => waits.push((NeedKind::Budget, id.clone())),
                Rests::Paused => {}
                Rests::Asks => waits.push((NeedKind::Paused, id.clone())),
                Rests::No => {
                    let died = goal.run.is_some() && dead[at];
                    let stopped = goal.left.map(|cause| STOPS[cause]);
                    let stopped = goal.run.is_none()
                        && match stopped {
                            None | Some("checkpoint") => false,
                            Some("waiting") => goal.asked.is_empty(),
                            Some(_) => true,
                        };
                    if (died || stopped) && !leased[at] {
                        waits.push((NeedKind::RunStopped, id.clone()));
                    }
                    if goal.objections >= STUCK_AFTER {
                        waits.push((NeedKind::Stuck, id));
                    }
                }
            }
        }
        for (id, of) in &self.drafts {
            let kind = match of {
                Some(_) => NeedKind::Tweak,
                None => NeedKind::Draft,
            };
            waits.push((kind, id.clone()));
        }
        waits.sort();
        waits
    }
}

/// What a need is, and about what.
fn about(need: &Need) -> (NeedKind, String) {
    let goal = need.goal_id.as_ref().map(ToString::to_string);
    let id = need.question_id.clone().or(need.draft_id.clone()).or(goal);
    (need.kind, id.unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn everything_that_waits_is_there_once_and_nothing_else(
        steps in prop::collection::vec(step(), 0..40),
        leased in prop::collection::vec(any::<bool>(), 3),
        dead in prop::collection::vec(any::<bool>(), 3),
        foreign in prop::collection::vec(any::<bool>(), 3),
    ) {
        let mut told = NaiveProject::new();
        for (at, step) in steps {
            told.take(at, step);
        }
        let (state, _) = told.ledger.replay();
        let of = |chosen: &[bool]| -> Vec<GoalId> {
            let chosen = GOALS.iter().zip(chosen).filter(|(_, chosen)| **chosen);
            chosen.map(|(id, _)| id.parse().unwrap()).collect()
        };
        let lines = Lines { count: 1, since: None };
        let facts = Facts {
            leased: of(&leased).into_iter().collect(),
            dead: of(&dead).into_iter().collect(),
            foreign: of(&foreign).into_iter().map(|id| (id, lines.clone())).collect(),
            ..Facts::default()
        };
        let rows: Vec<Row> = state.in_order().into_iter().map(|it| Row::of(it, None)).collect();
        let needs = attention(&rows, &state, &facts);
        let mut found: Vec<(NeedKind, String)> = needs.iter().map(about).collect();
        found.sort();
        prop_assert_eq!(found, told.waits(&leased, &dead, &foreign));
        prop_assert_eq!(count(&rows, &state, &facts), needs.len() as u64);
        // One goal by itself is told the same.
        let of_goals = rows.iter().map(|row| attention_of(row, &state, &facts));
        let mut each: Vec<Need> = of_goals.flat_map(|needs| needs.iter().collect::<Vec<_>>()).collect();
        each.extend(needs.iter().filter(|it| it.kind == NeedKind::Draft).cloned());
        let mut each: Vec<(NeedKind, String)> = each.iter().map(about).collect();
        each.sort();
        prop_assert_eq!(each, told.waits(&leased, &dead, &foreign));
        for row in &rows {
            let waits = !row.open.as_ref().is_none_or(|it| it.questions.is_empty());
            let at = GOALS.iter().position(|id| *id == row.id.as_str()).unwrap();
            let asks = told.goals[at].rests == Rests::Asks && row.status.is_open();
            prop_assert_eq!(standing(row, &facts) == Standing::Waiting, waits || asks);
            prop_assert_eq!(standing(row, &facts) == Standing::Ended, !row.status.is_open());
            // A listing looks at no line for it.
            let fewer = Facts { leased: facts.leased.clone(), ..Facts::default() };
            prop_assert_eq!(standing(row, &facts), standing(row, &fewer));
        }
    }
}
