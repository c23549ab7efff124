//! A list, a screen, a page and a text say the same of the same goal.

use serde_json::{Value, json};

use super::*;
use crate::domain::actor::Actor;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::row::Row;
use crate::domain::proof::Proof;
use crate::domain::run::remains::remains;
use crate::domain::state::State;
use crate::domain::task::done::TasksDone;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::Verdict;
use crate::render::columns::unstyled;
use crate::render::list;
use crate::render::next::next_for;
use crate::render::proof::completion;
use crate::render::report::{digest, markdown, page, testing};
use crate::render::show::show;
use crate::render::tasks::tree;
use crate::render::testing::{NOBODY, created, line, proofs, state_of};
use crate::render::view::{AtWork, Extras, GoalRow, TasksView};
use crate::render::watch::tests::frame;
use crate::render::watch::{self, Scene};

/// Four tasks without parts, in two with parts.
fn tasks() -> Value {
    let part = |id: &str| json!({"id": id, "title": "part"});
    json!({"taskCount": 6, "blockCompletion": false, "tasks": [
        {"id": "1", "title": "first", "tasks": [part("1.1"), part("1.2")]},
        {"id": "2", "title": "second", "tasks": [part("2.1"), part("2.2")]},
    ]})
}

/// A goal with tasks, audited once, and approved by what the verdict says.
fn project() -> State {
    let approved = json!({"verdict": "approved", "report": "fine", "by": "auditor"});
    state_of(&[
        created(1, "a", "one"),
        line(2, "completion_requested", "a", json!({})),
        line(3, "audit_result", "a", approved),
        line(4, "task_list_set", "a", tasks()),
        line(5, "task_complete", "a", json!({"taskId": "1.1"})),
    ])
}

/// The goal as each surface shows it.
fn told(status: Status, standing: Standing, proof: Option<&Proof>) -> Vec<(&'static str, String)> {
    let state = project();
    let goal = state.in_order()[0];
    let attested = || proof.map(|it| it.clone().into());
    let audited = proof.map(|_| Audited::Gated);
    let extras = Extras {
        standing,
        audited,
        attested: attested(),
        ..Extras::default()
    };
    let mut view = GoalView::of(goal, extras);
    view.status = status;
    assert!(view.latest_audit.is_some());
    let row = Row::of(goal, audited);
    let mut row = GoalRow::of(row, standing, None, AtWork::default(), attested());
    row.status = status;

    let clock = Clock::of(NOBODY.now, None);
    let shown = show(&view, clock, None);
    let brief = brief(&blocks(&view, Reader::of(Detail::Brief, clock)));
    let listed = list::rows(std::slice::from_ref(&row), NOBODY, 200) + row.entry().kind;
    let scene = Scene {
        goals: vec![row],
        ..Scene::default()
    };
    let detail = watch::Detail {
        goal: Some(Box::new(view)),
        draft: None,
    };
    let mut report = testing::report(2);
    report.goals.remove(0);
    let it = &mut report.goals[0];
    (it.status, it.standing, it.audited) = (status, standing, audited);
    it.proof = proof.cloned();
    it.audits.retain(|it| it.verdict == Some(Verdict::Approved));
    it.audits[0].auditor = None;
    it.tasks_done = TasksDone::of(&goal.tasks, &TaskStatuses::of(&goal.tasks));
    report.standings = [(standing, 1)].into();
    let page = page(&report).unwrap().replace("&#x27;", "'");
    let page = page.replace("&#x2f;", "/");
    vec![
        ("list", unstyled(&listed)),
        ("show", unstyled(&shown)),
        ("status", unstyled(&brief)),
        ("watch", frame(&scene, &detail)),
        ("page", page),
        ("Markdown", markdown(&report)),
        ("digest", unstyled(&digest(&report))),
    ]
}

#[test]
fn every_surface_counts_the_tasks_without_parts() {
    let state = project();
    let goal = state.in_order()[0];
    let view = TasksView::of(&goal.tasks);
    let mut texts = vec![
        ("task tree", unstyled(&tree(&view))),
        ("tools", serde_json::to_string(&view).unwrap()),
        ("next step", next_for(&state, goal, Actor::Agent, None)),
        ("remains", remains(goal).unwrap()),
    ];
    for standing in Standing::ALL {
        let (status, proof) = match standing {
            Standing::Ended => (Status::Complete, Some(Proof::OWN)),
            _ => (Status::Active, None),
        };
        texts.extend(told(status, standing, proof.as_ref()));
    }
    let right = [
        "1/4",
        "4 tasks, 3 open",
        "\"count\":4,\"open\":3",
        "Open: 3 tasks",
        "open tasks: 3 of 4",
    ];
    let wrong = ["1/6", "6 tasks", "5 open", "5 tasks", "of 6"];
    // A digest tells of no tasks.
    for (surface, text) in texts {
        let says = right.iter().any(|it| text.contains(it));
        assert_eq!(says, surface != "digest", "{surface}: {text}");
        let errs = wrong.iter().find(|it| text.contains(*it));
        assert_eq!(errs, None, "{surface}: {text}");
    }
}

/// How often a text says that something is approved, but for these words and what it says of no goal:
/// a title, and a page the key to its marks.
fn approvals(surface: &str, text: &str, words: &str) -> usize {
    let rest = text.to_lowercase().replace(&words.to_lowercase(), "");
    let rest = rest.replace("who approved what", "");
    let key = usize::from(surface == "page");
    rest.matches("approved").count() - rest.matches("disapproved").count() - key
}

#[test]
fn every_surface_has_the_same_word_for_how_a_goal_stands() {
    for standing in Standing::ALL {
        let status = match standing {
            Standing::Ended => Status::Complete,
            Standing::Blocked => Status::Blocked,
            Standing::Resting => Status::Paused,
            _ => Status::Active,
        };
        let proof = (standing == Standing::Ended).then_some(Proof::OWN);
        let word = of_goal(standing, status).word;
        for (surface, text) in told(status, standing, proof.as_ref()) {
            assert!(text.contains(word), "{surface} lacks {word}: {text}");
        }
    }
}

#[test]
fn every_surface_has_the_same_words_for_how_far_a_completion_is_proven() {
    for proof in proofs() {
        let words = completion(&proof, false, None);
        for standing in [Standing::Ended, Standing::Contested] {
            for (surface, text) in told(Status::Complete, standing, Some(&proof)) {
                assert!(text.contains(&words), "{surface} lacks `{words}`: {text}");
                let more = approvals(surface, &text, &words);
                assert!(
                    proof.is_proven() || more == 0,
                    "{surface} says more than `{words}`: {text}"
                );
            }
        }
    }
}
