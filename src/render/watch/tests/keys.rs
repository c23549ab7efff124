//! Keys, and rows that stay where they are.

use serde_json::json;

use super::states::{Told, ago, created, night, night_lines, told};
use super::*;
use crate::render::watch::rows::Group;

fn titles(screen: &Screen) -> Vec<String> {
    let title = |place: &usize| screen.rows[*place].title.clone();
    screen.shown.iter().map(title).collect()
}

fn chosen(screen: &Screen) -> String {
    screen
        .chosen()
        .map_or_else(String::new, |row| row.title.clone())
}

/// The night, a question of it answered, another goal blocked, and a new goal.
fn later() -> Told {
    let mut lines = night_lines();
    let answer = json!({"questionId": "q-1", "answer": "stop"});
    lines.push(ago(5, "question_answered", "g-uuid", answer));
    let blocked = json!({"reason": "no disk", "blocked": true});
    lines.push(ago(4, "goal_paused", "g-zones", blocked));
    lines.push(created(3, "g-new", "Brand new", json!({})));
    told(&lines, &[], "")
}

/// Which lines of the screen a title stands on.
fn lines_of(text: &str, title: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| line.contains(title))
        .map(|(at, _)| at)
        .collect()
}

#[test]
fn what_waits_stands_first_and_every_goal_is_there() {
    let screen = Screen::new(&night().scene);
    assert_eq!(
        titles(&screen),
        [
            "Migrate to UUIDv7",
            "Refund webhooks",
            "EU region",
            "No flaky tests",
            "Typo tolerance",
            "Memory below 200 MB",
            "Time zones",
            "Memory below 200 MB",
            "Changelog",
            "Docs site",
            "Typo tolerance",
        ]
    );
}

#[test]
fn rows_do_not_move_under_the_cursor() {
    let (told, later) = (night(), later());
    let mut screen = Screen::new(&told.scene);
    for _ in 0..6 {
        screen.press(Press::Down, &told.scene);
    }
    assert_eq!(chosen(&screen), "Time zones");
    let size = (60, 40);
    let before = drawn(&told, size, &mut screen);
    screen.update(&later.scene);
    let after = drawn(&later, size, &mut screen);
    assert_eq!(chosen(&screen), "Time zones");
    for row in [
        "Migrate to UUIDv7",
        "EU region",
        "Memory below",
        "Changelog",
        "›",
    ] {
        let (before, after) = (lines_of(&before, row), lines_of(&after, row));
        assert_eq!(before[0], after[0], "{row}");
    }
    // What changed says so in its place, and what is new stands at the end.
    let note = |title: &str| {
        let row = screen.rows.iter().find(|row| row.title == title);
        row.map(|row| (row.note.clone(), row.gone)).unwrap()
    };
    assert_eq!(note("Migrate to UUIDv7"), ("settled".to_owned(), true));
    assert_eq!(note("Time zones"), ("now blocked".to_owned(), true));
    let new: Vec<&str> = screen
        .rows
        .iter()
        .filter(|row| row.group == Group::New)
        .map(|row| row.title.as_str())
        .collect();
    assert_eq!(new, ["Time zones", "Migrate to UUIDv7", "Brand new"]);
    assert_eq!(screen.news(), 3);
    // Nothing can be done about what is gone.
    assert_eq!(screen.press(Press::Enter, &later.scene), Act::Draw);
    screen.press(Press::Letter('s'), &later.scene);
    assert_eq!(screen.news(), 0);
    assert!(screen.rows.iter().all(|row| !row.gone));
    assert_eq!(titles(&screen)[0], "Refund webhooks");
}

#[test]
fn an_untouched_list_is_in_its_newest_order_and_the_cursor_goes_with_its_row() {
    let mut screen = Screen::new(&night().scene);
    let later = later();
    screen.update(&later.scene);
    assert_eq!(titles(&screen)[0], "Refund webhooks");
    assert_eq!(screen.news(), 0);
    let mut lines = night_lines();
    lines[11] = ago(
        700,
        "goal_paused",
        "g-refund",
        json!({"reason": "r", "blocked": true}),
    );
    let mut screen = Screen::new(&night().scene);
    screen.update(&told(&lines, &[], "").scene);
    assert_eq!(
        titles(&screen)[..2],
        ["Refund webhooks", "Migrate to UUIDv7"]
    );
    assert_eq!(chosen(&screen), "Migrate to UUIDv7");
}

#[test]
fn the_first_row_lets_go_of_the_order_again() {
    let (told, later) = (night(), later());
    let mut screen = Screen::new(&told.scene);
    screen.press(Press::Last, &told.scene);
    screen.update(&later.scene);
    assert_eq!(screen.news(), 3);
    screen.press(Press::Letter('g'), &later.scene);
    assert_eq!(chosen(&screen), "Refund webhooks");
    screen.update(&told.scene);
    assert_eq!(screen.news(), 0);
    assert_eq!(titles(&screen)[0], "Migrate to UUIDv7");
}

#[test]
fn a_filter_is_words_in_any_order() {
    let told = night();
    let mut screen = Screen::new(&told.scene);
    let typed = |screen: &mut Screen, text: &str| {
        screen.press(Press::Letter('/'), &told.scene);
        for letter in text.chars() {
            screen.press(Press::Letter(letter), &told.scene);
        }
    };
    typed(&mut screen, "CODEX stuck");
    assert_eq!(titles(&screen), ["No flaky tests"]);
    // `q` is a letter here, and no key.
    assert_eq!(screen.press(Press::Letter('q'), &told.scene), Act::Draw);
    assert_eq!(titles(&screen), Vec::<String>::new());
    let empty = drawn(&told, (60, 12), &mut screen);
    assert!(empty.contains("Nothing has these words."), "{empty}");
    screen.press(Press::Backspace, &told.scene);
    screen.press(Press::Enter, &told.scene);
    assert_eq!(screen.press(Press::Enter, &told.scene), Act::Open);
    screen.press(Press::Escape, &told.scene);
    assert_eq!(titles(&screen).len(), 11);
    screen.press(Press::Letter('f'), &told.scene);
    assert_eq!(titles(&screen).len(), 6);
    screen.press(Press::Letter('f'), &told.scene);
    assert_eq!(titles(&screen).len(), 11);
}

#[test]
fn the_cursor_stays_within_the_list_and_on_the_screen() {
    let told = night();
    let mut screen = Screen::new(&told.scene);
    for press in [Press::Up, Press::PageUp] {
        screen.press(press, &told.scene);
        assert_eq!(chosen(&screen), "Migrate to UUIDv7");
    }
    let size = (60, 8);
    for _ in 0..20 {
        screen.press(Press::Down, &told.scene);
        let text = drawn(&told, size, &mut screen);
        assert_eq!(lines_of(&text, "›").len(), 1, "{text}");
    }
    assert_eq!(chosen(&screen), "Typo tolerance");
    for _ in 0..20 {
        screen.press(Press::Up, &told.scene);
        let text = drawn(&told, size, &mut screen);
        assert_eq!(lines_of(&text, "›").len(), 1, "{text}");
    }
    // The heading above the first row is back.
    let text = drawn(&told, size, &mut screen);
    assert!(text.contains("NEEDS YOU"), "{text}");
    assert_eq!(screen.press(Press::Letter('q'), &told.scene), Act::Quit);
}

#[test]
fn the_other_pane_moves_once_it_is_chosen() {
    let told = night();
    let mut screen = Screen::new(&told.scene);
    let size = (60, 15);
    let before = drawn(&told, size, &mut screen);
    screen.press(Press::Tab, &told.scene);
    screen.press(Press::Down, &told.scene);
    assert_eq!(chosen(&screen), "Migrate to UUIDv7");
    let after = drawn(&told, size, &mut screen);
    assert_ne!(before, after);
    screen.press(Press::Last, &told.scene);
    drawn(&told, size, &mut screen);
    screen.press(Press::Escape, &told.scene);
    screen.press(Press::Down, &told.scene);
    assert_eq!(chosen(&screen), "Refund webhooks");
    assert_eq!(screen.scrolled, 0, "another row begins at its top");
}

#[test]
fn a_question_is_known_again_by_its_id() {
    let told = night();
    let mut screen = Screen::new(&told.scene);
    screen.press(Press::Down, &told.scene);
    screen.press(Press::Down, &told.scene);
    let id = screen.chosen().unwrap().id.clone();
    assert!(
        matches!(&id, RowId::Need { of, .. } if of == "q-2"),
        "{id:?}"
    );
    screen.update(&later().scene);
    assert_eq!(screen.chosen().unwrap().id, id);
}

#[test]
fn a_goal_that_stands_elsewhere_by_now_says_so_in_its_place() {
    let told_at = |more: &[String]| {
        let lines = [&night_lines()[..], more].concat();
        told(&lines, &[], "")
    };
    let resumed = ago(1, "goal_resumed", "g-docs", json!({"reason": "decided"}));
    let (before, after) = (told_at(&[]), told_at(&[resumed]));
    let mut screen = Screen::new(&before.scene);
    screen.press(Press::Down, &before.scene);
    screen.update(&after.scene);
    let row = screen.rows.iter().find(|row| row.title == "Docs site");
    let row = row.unwrap();
    assert_eq!((row.note.as_str(), row.gone), ("now quiet", false));
    assert_eq!(
        row.group,
        Group::Stands(crate::domain::attention::Standing::Resting)
    );
}
