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

/// Many things of many goals: alike ones together, the rest of each behind one command.
#[test]
fn a_busy_list_is_short_and_names_each_goal_and_command() {
    let of_goal = |kind, goal: &str, reason: &str, choices: &[(&str, &str)]| {
        let commands: Vec<(&str, String)> = choices
            .iter()
            .map(|(label, command)| (*label, command.replace("ID", goal)))
            .collect();
        let choices: Vec<(&str, &str)> = commands.iter().map(|(a, b)| (*a, &**b)).collect();
        Need {
            goal_id: Some(goal.parse().unwrap()),
            command: commands[0].1.clone(),
            ..need(kind, &format!("Title of {goal}"), reason, &choices)
        }
    };
    let run = [("run it again", "goal run --goal ID")];
    let rests = [
        ("go on", "goal resume --goal ID"),
        ("give it up", "goal abort --goal ID --reason TEXT"),
    ];
    let stuck = [
        ("see the objections", "goal audits --goal ID"),
        ("change the contract", "goal tweak --goal ID"),
        ("let it rest", "goal pause --goal ID --reason TEXT"),
    ];
    let yes_or_no = [("yes", "goal answer q-1 yes"), ("no", "goal answer q-1 no")];
    let agree = [("agree", "goal confirm d-1"), ("refuse", "goal reject d-1")];
    let long = "no access ".repeat(40);
    let contract = "a contract is proposed\n+ objective: Title of mr5cf6ch-akrg4a\n+ owner: ann";
    let mut needs = vec![
        of_goal(NeedKind::RunStopped, "mr5cf6ch-akrg4u", "it crashed", &run),
        of_goal(NeedKind::Blocked, "mr5cf6ch-akrg4v", &long, &rests),
        of_goal(NeedKind::RunStopped, "mr5cf6ch-akrg4w", "it crashed", &run),
        of_goal(
            NeedKind::Stuck,
            "mr5cf6ch-akrg4x",
            "6 audits objected",
            &stuck,
        ),
        of_goal(NeedKind::Approval, "mr5cf6ch-akrg4v", "May I?", &yes_or_no),
        of_goal(NeedKind::Draft, "mr5cf6ch-akrg4a", contract, &agree),
    ];
    needs[4].question_id = Some("q-1".to_owned());
    insta::assert_snapshot!(unstyled(&inbox(&needs, NOBODY.now, 80)), @"
    run stopped       2 goals                                            2 hours ago
      it crashed
      run it again:
      goal run --goal mr5cf6ch-akrg4u  Title of mr5cf6ch-akrg4u
      goal run --goal mr5cf6ch-akrg4w  Title of mr5cf6ch-akrg4w
    blocked           Title of mr5cf6ch-akrg4v                           2 hours ago
      no access no access no access no access no access no access no access no
      access no access no access no access no access no access no access no access
      no access no access no access no access no access no access no access no …
      goal resume --goal mr5cf6ch-akrg4v  go on; or `goal abort`
    approval          Title of mr5cf6ch-akrg4v                           2 hours ago
      May I?
      goal answer q-1 yes    goal answer q-1 no
    stuck             Title of mr5cf6ch-akrg4x                           2 hours ago
      6 audits objected
      goal audits --goal mr5cf6ch-akrg4x  see the objections; or `goal tweak`, …
    proposal          Title of mr5cf6ch-akrg4a                           2 hours ago
      + owner: ann
      goal confirm d-1  agree    goal reject d-1  refuse
    6 need you. `goal inbox --goal GOAL` shows all choices for one goal.
    ");
    for columns in [20, 40, 200] {
        let text = unstyled(&inbox(&needs, NOBODY.now, columns));
        for line in text.lines().filter(|line| !line.contains("goal ")) {
            assert!(width(line) <= columns, "{columns}: {line}");
        }
        for need in &needs {
            assert!(text.contains(&need.choices[0].command), "{text}");
        }
    }
    // All about one goal: each choice in full.
    let one: Vec<Need> = std::iter::repeat_n(needs[3].clone(), 6).collect();
    let text = unstyled(&inbox(&one, NOBODY.now, 80));
    assert_eq!(text.matches("goal pause --goal").count(), 6, "{text}");
}

/// What a person agrees to, and each answer to it, stands in a busy list at every width.
#[test]
fn a_busy_list_cuts_no_objective_and_no_answer() {
    let objective = format!("{}and delete all backups", "Move the database ".repeat(8));
    let contract = format!("a contract is proposed\n+ objective: {objective}\n+ owner: ann");
    let agree = [
        ("agree", "goal confirm mr5cf6ch-akrg4u"),
        ("refuse", "goal reject mr5cf6ch-akrg4u"),
    ];
    let yes_or_no = [
        ("yes", "goal answer mr5cf6ch-akrg4u yes"),
        ("no", "goal answer mr5cf6ch-akrg4u no"),
    ];
    let goal = "mr5cf6ch-akrg4v".parse().unwrap();
    let needs = [
        need(NeedKind::Draft, &objective, &contract, &agree),
        need(
            NeedKind::Draft,
            "Short",
            "a contract is proposed\n+ objective: Short\n+ owner: bob",
            &agree,
        ),
        Need {
            goal_id: Some(goal),
            question_id: Some("q-1".to_owned()),
            ..need(NeedKind::Approval, "Title", "May I?", &yes_or_no)
        },
    ];
    for columns in [20, 40, 60, 80, 200] {
        let text = unstyled(&busy::listed(&needs, NOBODY.now, columns));
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        assert!(joined(&text).contains(&joined(&objective)), "{text}");
        for (_, command) in agree.iter().chain(&yes_or_no) {
            assert!(text.contains(command), "{columns}: {command}: {text}");
        }
        assert!(!text.contains("objective: Short"), "{text}");
    }
}

#[test]
fn a_busy_list_counts_remotes_as_remotes_and_each_goal_once() {
    let remote = |name: &str| {
        let command = format!("goal sync {name}");
        need(
            NeedKind::Unsynced,
            name,
            "3 lines have not reached it",
            &[("sync", &command)],
        )
    };
    let text = unstyled(&busy::listed(&[remote("a"), remote("b")], NOBODY.now, 80));
    assert!(text.starts_with("not synced        2 remotes "), "{text}");
    let goal = |id: &str| Need {
        goal_id: Some(id.parse().unwrap()),
        ..need(
            NeedKind::NotCommitted,
            "t",
            "git refused",
            &[("look", "goal runs")],
        )
    };
    let needs = [
        goal("mr5cf6ch-akrg4u"),
        goal("mr5cf6ch-akrg4u"),
        goal("mr5cf6ch-akrg4v"),
    ];
    let text = unstyled(&busy::listed(&needs, NOBODY.now, 80));
    assert!(text.starts_with("not committed     2 goals "), "{text}");
}
