//! Whatever is accepted is never odd: no diagnostic in replay, and no end is ever left.

mod tasks;

use proptest::prelude::*;

use super::*;
use crate::domain::findings::unaudited;

#[derive(Debug, Clone)]
enum Step {
    Command {
        which: usize,
        actor: usize,
        goal: Option<usize>,
        session: Option<bool>,
    },
    Foreign {
        which: usize,
        goal: usize,
    },
}

const GOALS: [&str; 3] = ["f", "g0", "g1"];

const FOREIGN_EVENTS: [&str; 7] = [
    r#""type":"goal_created","objective":"paint","sisyphus":false,"autoContinue":true"#,
    r#""type":"goal_tweaked","changeSummary":"c""#,
    r#""type":"goal_resumed","reason":"r""#,
    r#""type":"goal_blocked","reason":"r""#,
    r#""type":"audit_result","verdict":"approved","report":"r""#,
    r#""type":"goal_aborted","reason":"r""#,
    r#""type":"goal_focused","reason":"r""#,
];

fn step() -> impl Strategy<Value = Step> {
    let goal = prop::option::of(0..GOALS.len());
    prop_oneof![
        5 => (0..54usize, 0..3usize, goal, prop::option::of(any::<bool>())).prop_map(
            |(which, actor, goal, session)| Step::Command { which, actor, goal, session }
        ),
        1 => (0..FOREIGN_EVENTS.len(), 0..GOALS.len())
            .prop_map(|(which, goal)| Step::Foreign { which, goal }),
    ]
}

fn command(which: usize, number: usize, project: &Project, goal: Option<usize>) -> Command {
    let fresh = format!("g{}", number % 2);
    let revision = || {
        let id = GOALS[goal.unwrap_or(1)].parse().unwrap();
        let state = project.state();
        state
            .goals
            .get(&id)?
            .revision
            .map(|line| project.ledger.id(line))
    };
    match which {
        0 => set(&fresh),
        1 => open(&format!("d{number}"), DraftMode::Regular),
        2 => open(&format!("d{number}"), DraftMode::Sisyphus),
        3 => open_tweak(&format!("d{number}")),
        4 => propose(objective("sow")),
        5 => propose_for("d1", objective("reap")),
        6 => confirm(&fresh),
        7 => reject(),
        8 => cancel(),
        9 => focus(),
        10 => unfocus(),
        11 => pause(),
        12 => block(),
        13 => resume(),
        14 => note(),
        15 => tweak(objective(&format!("water {number}"))),
        16 => abort(),
        17 => fail(),
        18 => abandon(),
        19 => Command::Adopt,
        20 => request(&["a photograph"]),
        21 => start(revision()),
        22 => result(Verdict::Disapproved, revision()),
        23 => go_on(),
        24 => Command::UserPrompted { named: false },
        25 => review(),
        45 => progress::baseline(),
        46 | 47 => progress::escalate(),
        48 => progress::evaluate(number as f64 / 40.0),
        49 => progress::evaluate((number % 4) as f64 / 4.0),
        27..=44 => tasks::act(which - 27, number),
        50 => delegate(&fresh, ["ann", "ben"][number % 2]),
        51 => usage(&[("llmCalls", 1.0), ("costUsd", 0.5)]),
        52 => budget(&[(Limit::MaxLlmCalls, number as u32 % 3)]),
        53 => set_to(&fresh, owned_by("ann", f64::from(number as u8 % 5) / 4.0)),
        _ => result(Verdict::Approved, revision()),
    }
}

fn caller(actor: usize, session: Option<bool>, number: usize) -> Caller {
    let actor = [Actor::User, Actor::Agent, Actor::System][actor];
    Caller {
        session: session.map(|first| if first { "s" } else { "t" }.to_owned()),
        turn: session.map(|_| (number / 4).to_string()),
        ..Caller::new(actor)
    }
}

proptest! {
    #[test]
    fn what_is_accepted_is_never_odd(steps in prop::collection::vec(step(), 0..40), paper: bool) {
        let mut project = nothing();
        if paper {
            project.documents.push(document(Status::Paused));
        }
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Foreign { which, goal } => {
                    let (event, goal) = (FOREIGN_EVENTS[which], GOALS[goal]);
                    let line = format!(r#"{{{event},"goalId":"{goal}","at":"t"}}"#);
                    project = project.then_theirs(&line);
                }
                Step::Command { which, actor, goal, session } => {
                    let command = command(which, number, &project, goal);
                    let caller = caller(actor, session, number);
                    let before = project.state();
                    let Ok(decided) = project.decide_on(goal.map(|i| GOALS[i]), &command, &caller)
                    else { continue };
                    // Holds that replay finds nothing new in it.
                    project.record(decided, &caller);
                    let after = project.state();
                    for goal in after.goals.values() {
                        tasks::holds_together(&goal.tasks)?;
                    }
                    for (id, was) in before.goals.values().map(|it| (&it.id, it)) {
                        let is = after.goals[id].status;
                        prop_assert!(was.status.is_open() || is == was.status);
                        let gate = matches!(command, Command::RecordAudit(_));
                        prop_assert!(gate || is == was.status || is != Status::Complete);
                    }
                }
            }
        }
        // And nothing is ever complete outside the gate: no foreign completion is among these.
        let outside = unaudited(&project.state(), |line| Ok::<_, ()>(project.ledger.id(line)));
        prop_assert_eq!(outside, Ok(Vec::new()));
    }

    #[test]
    fn every_prefix_of_work_on_tasks_stands(
        acts in prop::collection::vec((0..18usize, 0..84usize, any::<bool>()), 0..40),
    ) {
        let mut project = one_goal();
        for (which, number, by_user) in acts {
            let caller = if by_user { user() } else { agent() };
            let command = tasks::act(which, number);
            if let Ok(decided) = project.decide_on(None, &command, &caller) {
                project.record(decided, &caller);
            }
        }
        let mut prefix = Ledger::default();
        for line in project.ledger.lines() {
            prefix.append(std::str::from_utf8(line.bytes).unwrap());
            for goal in prefix.replay().0.goals.values() {
                tasks::holds_together(&goal.tasks)?;
            }
        }
    }
}
