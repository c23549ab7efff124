//! What is written is read back as the same tree, whatever it is.

use proptest::prelude::*;
use serde_json::json;

use super::super::{Plan, Source, formats, read_as};
use super::*;
use crate::domain::task::spec::Predicate;

fn read_plan(format: &str, text: &str) -> Plan {
    let format = formats::named(format).unwrap();
    let mut plan = read_as(&Source { path: "", text }, format).unwrap();
    plan.tasks.iter_mut().for_each(named);
    plan
}

fn read(format: &str, text: &str) -> Vec<TaskGiven> {
    read_plan(format, text).tasks
}

/// The id that was read is the task's.
fn named(task: &mut TaskGiven) {
    task.id = task.own_id.take().or(task.id.take());
    task.tasks.iter_mut().for_each(named);
}

fn titles() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,8}( [a-z0-9]{1,6}){0,3}",
        1 => "(T00[0-9]|API-[0-9]|[0-9]\\.|[0-9]\\.[0-9]|Phase [0-9]:|\\[x\\]|-|#|>|1\\)) [a-z]{1,5}",
        1 => "[a-z]{1,3} \\[[a-z]\\]",
        1 => "(✅|done:|\\[done\\]) [a-z]{1,4}|[a-z]{1,4} ✅",
        1 => "[!-~]{1,12}",
        1 => "[a-z]{1,4} \\((skipped|blocked): [a-z]{1,4}\\)",
        1 => "[a-z]{1,4}\\n[a-z]{1,4}",
    ]
}

fn details() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        3 => Just(None),
        2 => "[a-z]{1,5}( [a-z]{1,5}){0,2}(\\n\\n?[a-z]{1,5}){0,2}".prop_map(Some),
        2 => "- [a-z]{1,5}(\\n  - [a-z]{1,5}){0,2}".prop_map(Some),
        1 => "\\[[a-z]\\]: [a-z]{1,4}".prop_map(Some),
        1 => "(```|- \\[ \\] |#|>|    |<!-- )[a-z]{1,5}\\n?[a-z ]{0,4}".prop_map(Some),
    ]
}

fn tree() -> impl Strategy<Value = Vec<TaskGiven>> {
    let status = prop_oneof![
        Just(TaskStatus::Pending),
        Just(TaskStatus::Complete),
        Just(TaskStatus::Skipped),
        Just(TaskStatus::Active),
        Just(TaskStatus::Blocked),
        Just(TaskStatus::Failed),
    ];
    let task = (titles(), details(), status, any::<[bool; 9]>());
    let task = task.prop_map(
        |(title, details, status, [why, or, owner, proof, when, criteria, tries, pred, from])| {
            let says = !matches!(status, TaskStatus::Complete | TaskStatus::Pending);
            TaskGiven {
                title,
                details,
                done: status == TaskStatus::Complete,
                status: says.then_some(status),
                reason: (why && says).then(|| "not (now) -->".to_owned()),
                decomp: or.then_some(Decomposition::Or),
                owner: owner.then(|| "me --> \n".to_owned()),
                verification_contract: proof.then(|| "it runs".to_owned()),
                done_when: match when {
                    true => vec![json!({ "kind": "hasEvidence", "key": "k -->" })],
                    false => Vec::new(),
                },
                success_criteria: criteria.then(|| vec!["- [ ] a".into(), "b\nc".into()]),
                max_attempts: tries.then_some(1),
                pred: pred.then(|| Predicate {
                    name: "use_tool".into(),
                    args: json!({ "tool": "`x`" }),
                }),
                provenance: from.then(|| json!({ "planner": "p", "stepIndex": 2 })),
                ..TaskGiven::default()
            }
        },
    );
    let tree = task.prop_recursive(4, 24, 4, |below| {
        (below.clone(), prop::collection::vec(below, 0..4))
            .prop_map(|(task, tasks)| TaskGiven { tasks, ..task })
    });
    let odd = any::<bool>();
    (prop::collection::vec(tree, 1..5), odd).prop_map(|(mut tasks, odd)| {
        number(&mut tasks, "", odd);
        if odd && tasks.len() > 1 {
            tasks[0].after = vec![tasks[1].id.clone().unwrap()];
        }
        tasks
    })
}

fn number(tasks: &mut [TaskGiven], parent: &str, odd: bool) {
    for (at, task) in tasks.iter_mut().enumerate() {
        let id = match (parent, odd && at % 2 == 1) {
            ("", false) => format!("{}", at + 1),
            ("", true) => format!("set-up{at}"),
            (parent, _) => format!("{parent}.{}", at + 1),
        };
        number(&mut task.tasks, &id, odd);
        task.id = Some(id);
    }
    // Below the top level, each second one comes after the one before it, and after what is below that.
    for at in (1..tasks.len()).step_by(2).filter(|_| !parent.is_empty()) {
        let before = &tasks[at - 1];
        let below = before.tasks.iter().filter_map(|task| task.id.clone());
        let after = before.id.iter().cloned().chain(below).collect();
        tasks[at].after = after;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 200 } else { 2_000 }))]

    #[test]
    fn every_tree_is_read_back_as_it_was_written(tasks in tree(), or in any::<bool>(), holds in any::<Option<bool>>()) {
        let decomp = or.then_some(Decomposition::Or);
        let tree = TreeGiven {
            tasks,
            decomp,
            block_completion: holds,
            ..TreeGiven::default()
        };
        let written = Written { title: "Ship it".into(), tree: tree.clone() };
        let text = markdown(&written);
        let plan = read_plan("markdown", &text);
        prop_assert_eq!(&plan.tasks, &tree.tasks, "{}", text);
        prop_assert_eq!(plan.decomp, decomp, "{}", text);
        prop_assert_eq!((&plan.left_out[..], &plan.remarks[..]), (&[][..], &[][..]), "{}", text);
        let text = json(&written);
        let plan = read_plan("json", &text);
        prop_assert_eq!(&plan.tasks, &tree.tasks, "{}", text);
        prop_assert_eq!((plan.decomp, plan.block_completion), (decomp, holds), "{}", text);
    }
}

#[test]
fn a_checklist_is_one_that_people_read() {
    let text = "\
# Ship it

- [~] 1. Build
  - [x] 1.1 Parser

    - with tests

  - [-] 1.2 Cache (skipped: not needed)
- [ ] T002 Ship
";
    let tasks = read("markdown", text);
    let written = Written {
        title: "Ship it".into(),
        tree: TreeGiven {
            tasks,
            ..TreeGiven::default()
        },
    };
    assert_eq!(markdown(&written), format!("{OURS} -->\n{text}"));
    assert_eq!(
        spec_kit(&written),
        "# Tasks: Ship it\n\n## Phase 1: Build\n\n- [x] T001 Parser\n- [x] T002 Cache\n\n\
         ## Phase 2: Ship\n\n- [ ] T003 Ship\n\n"
    );
}

#[test]
fn a_list_of_spec_kit_keeps_the_order_of_the_tasks() {
    let text = "\
- [ ] 1. Look
- [ ] 2. Build <!-- goal {\"after\":[\"1\"]} -->
  - [ ] 2.1 Parser
  - [ ] 2.2 Cache (depends on T009) <!-- goal {\"after\":[\"2.1\"]} -->
- [ ] 3. Ship <!-- goal {\"after\":[\"2\"]} -->
";
    let written = |tasks| Written {
        title: "Ship it".into(),
        tree: TreeGiven {
            tasks,
            ..TreeGiven::default()
        },
    };
    let list = "\
# Tasks: Ship it

- [ ] T001 Look

## Phase 2: Build

- [ ] T002 Parser (depends on T001)
- [ ] T003 Cache (depends on T001, T002)

## Phase 3: Ship

- [ ] T004 Ship (depends on T002, T003)

";
    let first = spec_kit(&written(read("markdown", text)));
    assert_eq!(first, list);
    // Read and written again, it says the same.
    let tasks = read("spec-kit", &first);
    assert_eq!(tasks.len(), 3, "{tasks:?}");
    let again = spec_kit(&written(tasks));
    assert_eq!(
        again
            .replace("Phase 2: Phase 2:", "Phase 2:")
            .replace("Phase 3: Phase 3:", "Phase 3:"),
        list
    );
}

#[test]
fn that_any_one_of_the_top_level_is_enough_comes_back() {
    let tree = TreeGiven {
        tasks: read("markdown", "- [ ] a\n- [ ] b\n"),
        decomp: Some(Decomposition::Or),
        ..TreeGiven::default()
    };
    let text = markdown(&Written {
        title: "x".into(),
        tree,
    });
    let source = Source {
        path: "",
        text: &text,
    };
    let plan = read_as(&source, formats::of(&source)).unwrap();
    assert_eq!(plan.decomp, Some(Decomposition::Or));
}
