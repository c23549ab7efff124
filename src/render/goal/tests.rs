//! A list, a screen, a page and a text say the same of the same goal.

use serde_json::json;

use super::*;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::row::Row;
use crate::domain::proof::Proof;
use crate::domain::verdict::Verdict;
use crate::render::columns::unstyled;
use crate::render::list;
use crate::render::proof::completion;
use crate::render::report::{digest, markdown, page, testing};
use crate::render::show::show;
use crate::render::testing::{NOBODY, created, line, proofs, state_of};
use crate::render::view::{AtWork, Extras, GoalRow};
use crate::render::watch::tests::frame;
use crate::render::watch::{self, Scene};

/// The goal as each surface shows it: audited once, and approved by what the verdict says.
fn told(status: Status, standing: Standing, proof: Option<&Proof>) -> Vec<(&'static str, String)> {
    let approved = json!({"verdict": "approved", "report": "fine", "by": "auditor"});
    let state = state_of(&[
        created(1, "a", "one"),
        line(2, "completion_requested", "a", json!({})),
        line(3, "audit_result", "a", approved),
    ]);
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
    report.standings = [(standing, 1)].into();
    let page = page(&report).unwrap().replace("&#x27;", "'");
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
