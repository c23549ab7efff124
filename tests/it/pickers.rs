//! What is chosen at a terminal: by typing, by moving, at the smallest size.

use crate::support::Project;
use crate::terminal::at_terminal_of;

const SMALL: (u16, u16) = (10, 40);
const DOWN: &str = "\u{1b}[B";
const ESCAPE: &str = "\u{1b}";
const SHOWN: &str = "esc: leave";

/// Thirty goals; the id of the one with this number.
fn thirty() -> (Project, impl Fn(usize) -> String) {
    let project = Project::new();
    let goals: Vec<String> = (0..30)
        .map(|number| {
            project.set(&format!(
                "Goal number {number} has a title that is far wider than forty columns 漢字"
            ))
        })
        .collect();
    (project, move |number: usize| goals[number].clone())
}

fn focused(project: &Project) -> String {
    let status = project.run(&["status", "--json"]).ok().data();
    status["focusedGoalId"].as_str().unwrap().to_owned()
}

#[test]
fn a_focus_is_chosen_by_typing_and_by_moving() {
    for size in [SMALL, (24, 80), (60, 200)] {
        let (project, goal) = thirty();
        let typed = [(SHOWN, "number 17\r")];
        let (shown, status) = at_terminal_of(&project, &["focus"], &typed, size);
        assert!(status.success(), "{shown}");
        assert_eq!(focused(&project), goal(17), "{shown}");
        // Nothing is marked at first, so the first Enter chooses nothing.
        let listed = project.run(&["list", "--json"]).ok().data();
        let second = listed["goals"][1]["goalId"].as_str().unwrap();
        let moved = [(SHOWN, &*("\r".to_owned() + DOWN + DOWN + "\r"))];
        let (shown, status) = at_terminal_of(&project, &["focus"], &moved, size);
        assert!(status.success(), "{shown}");
        assert_eq!(focused(&project), second, "{shown}");
    }
}

#[test]
fn what_fits_nothing_is_not_chosen_and_leaving_changes_nothing() {
    let (project, _) = thirty();
    let before = project.ledger();
    for keys in ["number 99\r\u{1b}", ESCAPE, "\u{3}"] {
        let (shown, status) = at_terminal_of(&project, &["focus"], &[(SHOWN, keys)], SMALL);
        assert_eq!(status.code(), Some(130), "{shown}");
        assert_eq!(project.ledger(), before, "{shown}");
    }
}

#[test]
fn where_no_choice_has_room_none_is_made() {
    let (project, _) = thirty();
    let before = project.ledger();
    let typed = [("too low", "\r\u{1b}")];
    let (shown, status) = at_terminal_of(&project, &["focus"], &typed, (4, 40));
    assert_eq!(status.code(), Some(130), "{shown}");
    assert_eq!(project.ledger(), before, "{shown}");
}

#[test]
fn a_proposal_is_chosen_and_shown_before_it_is_confirmed() {
    let project = Project::new();
    for (topic, objective) in [("totals", "Add totals"), ("colours", "Use colours")] {
        let draft = project.run(&["draft", topic, "--json"]).ok().data();
        let id = draft["draftId"].as_str().unwrap().to_owned();
        project.run_as_agent(&["propose", &id, objective]).ok();
    }
    let typed = [(SHOWN, "colours\r"), ("Confirm it?", "y\r")];
    let (shown, status) = at_terminal_of(&project, &["confirm"], &typed, SMALL);
    assert!(status.success(), "{shown}");
    let created = project.events_of_type("goal_created");
    assert_eq!(created[0]["objective"], "Use colours", "{shown}");
}

#[test]
fn a_question_and_its_answer_are_chosen() {
    let project = Project::new();
    for title in ["Migrate", "Deploy"] {
        let goal = project.set(title);
        let ask = ["ask", "Which one?", "--suggest", "a", "--suggest", "b"];
        project.run(&[&ask[..], &["--goal", &goal]].concat()).ok();
    }
    let down = DOWN.to_owned() + DOWN + "\r";
    let typed = [(SHOWN, "deploy\r"), ("What now?", &*down)];
    let (shown, status) = at_terminal_of(&project, &["answer"], &typed, SMALL);
    assert!(status.success(), "{shown}");
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered.len(), 1, "{shown}");
    assert_eq!(answered[0]["answer"], "b");
    let title = project.run(&["show", "deploy", "--json"]).ok().data();
    assert_eq!(answered[0]["goalId"], title["goal"]["goalId"]);
}
