//! What waits, as text: at every width, with hostile words.

use super::*;
use crate::domain::attention::Choice;
use crate::render::columns::unstyled;
use crate::render::testing::{NOBODY, TITLES};

fn need(kind: NeedKind, title: &str, reason: &str, choices: &[(&str, &str)]) -> Need {
    let choices = choices.iter().map(|(label, command)| Choice {
        label: (*label).to_owned(),
        command: (*command).to_owned(),
    });
    Need {
        kind,
        goal_id: None,
        draft_id: None,
        question_id: (kind == NeedKind::Question).then(|| "q-1".to_owned()),
        title: title.to_owned(),
        owner: None,
        since: Some("2026-11-21T18:30:00.000Z".to_owned()),
        reason: reason.to_owned(),
        choices: choices.collect(),
        command: "goal answer q-1".to_owned(),
    }
}

fn some() -> Vec<Need> {
    let pick = |n: usize| format!("goal answer q-1 --pick {n}");
    vec![
        need(
            NeedKind::Question,
            "Migrate to UUIDv7",
            "The backfill found 312 orders without a customer. Delete them, or stop?",
            &[("delete them", &pick(1)), ("stop", &pick(2))],
        ),
        need(
            NeedKind::Blocked,
            "می‌خواهم این را 漢字漢字漢字 👩‍💻 and a title that goes on and on",
            "no access\u{1b}[2J",
            &[("go on", "goal resume --goal mr5cf6ch-akrg4u")],
        ),
    ]
}

#[test]
fn each_thing_has_its_reason_and_its_command() {
    insta::assert_snapshot!(unstyled(&inbox(&some(), NOBODY.now, 80)), @"
    question          Migrate to UUIDv7                                  2 hours ago
      The backfill found 312 orders without a customer. Delete them, or stop?
        1  delete them
        2  stop
      goal answer q-1 --pick N, or your own words

    blocked           می‌خواهم این را 漢字漢字漢字 👩‍💻 and a title that… ‎  2 hours ago
      no access�[2J
      goal resume --goal mr5cf6ch-akrg4u  go on

    2 need you
    ");
}

#[test]
fn no_line_is_wider_than_the_terminal_but_a_command() {
    for columns in [20, 40, 80, 200] {
        let text = unstyled(&inbox(&some(), NOBODY.now, columns));
        for line in text.lines().filter(|line| !line.contains("goal ")) {
            assert!(width(line) <= columns, "{columns}: {line}");
        }
        assert!(!text.contains('\u{1b}'), "{text:?}");
        for need in some() {
            assert!(width(&Entry::of(&need).row(NOBODY.now, columns)) <= columns);
        }
    }
}

/// Whoever answers agrees to all of a question and of what they choose.
#[test]
fn a_question_and_its_answers_are_never_cut() {
    let question = format!("{}{} and drop it?", "May I? ".repeat(80), "x".repeat(300));
    let answer = format!("{} and tell nobody", "keep the backups ".repeat(20));
    let asked = need(
        NeedKind::Question,
        "t",
        &question,
        &[(&answer, "goal answer q-1 --pick 1")],
    );
    for columns in [20, 40, 80] {
        let text = unstyled(&whole(&asked, NOBODY.now, columns));
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        assert!(joined(&text).contains(&joined(&question)), "{text}");
        assert!(joined(&text).contains(&joined(&answer)), "{text}");
        for line in text.lines().filter(|line| !line.contains("goal ")) {
            assert!(width(line) <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn nothing_is_said_in_a_sentence() {
    assert_eq!(inbox(&[], 0, 80), "Nothing needs you.\n");
    assert_eq!(counted(1), "1 needs you");
    assert_eq!(standings(&BTreeMap::new()), None);
    let some = BTreeMap::from([(Standing::Quiet, 8), (Standing::Live, 2)]);
    assert_eq!(standings(&some).unwrap(), "2 live, 8 quiet");
}

#[test]
fn titles_of_every_script_are_right_in_every_width() {
    let mut all = String::new();
    for columns in [40, 80, 200] {
        let needs = TITLES.map(|title| {
            let choices = [("go on", "goal resume --goal mr5cf6ch-akrg4u")];
            need(NeedKind::Blocked, title, title, &choices)
        });
        let text = unstyled(&inbox(&needs, NOBODY.now, columns));
        for line in text.lines().filter(|line| !line.contains("goal resume")) {
            assert!(width(line) <= columns, "{columns}: {line}");
        }
        all.push_str(&text.replace('\u{200e}', "<LRM>"));
        all.push('\n');
    }
    insta::assert_snapshot!(all, @"
    blocked  Rotate the token of the se…  2h
      Rotate the token of the service that
      signs in
      goal resume --goal mr5cf6ch-akrg4u

    blocked  👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and…  2h
      👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for
      every customer
      goal resume --goal mr5cf6ch-akrg4u

    blocked  می‌خواهم این را انجام دهم و…<LRM>  2h
      می‌خواهم این را انجام دهم و سپس آن را
      بررسی کنم تا تمام شود
      goal resume --goal mr5cf6ch-akrg4u

    blocked  漢字の題名はとても長いので…  2h
      漢字の題名はとても長いので切られる必要
      がありますが正しく切られるべきです
      goal resume --goal mr5cf6ch-akrg4u

    4 need you

    blocked           Rotate the token of the service that signs in      2 hours ago
      Rotate the token of the service that signs in
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer   2 hours ago
      👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           می‌خواهم این را انجام دهم و سپس آن را بررسی کنم ت…<LRM>  2 hours ago
      می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           漢字の題名はとても長いので切られる必要があります…  2 hours ago
      漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです
      goal resume --goal mr5cf6ch-akrg4u  go on

    4 need you

    blocked           Rotate the token of the service that signs in                                              2 hours ago
      Rotate the token of the service that signs in
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer                                           2 hours ago
      👩‍👩‍👧‍👦 family plan with 👩🏽‍💻 and ❤️ for every customer
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود                               <LRM>  2 hours ago
      می‌خواهم این را انجام دهم و سپس آن را بررسی کنم تا تمام شود
      goal resume --goal mr5cf6ch-akrg4u  go on

    blocked           漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです                   2 hours ago
      漢字の題名はとても長いので切られる必要がありますが正しく切られるべきです
      goal resume --goal mr5cf6ch-akrg4u  go on

    4 need you
    ");
}
