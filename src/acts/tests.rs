//! Tests of the table of commands.

use super::*;

#[test]
fn every_command_has_one_row() {
    let mut paths: Vec<&str> = all().map(|act| act.path).collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count);
}

#[test]
fn a_command_is_found_in_either_spelling() {
    assert_eq!(named("task set").unwrap().path, "task set");
    assert_eq!(
        named("iterate start").unwrap().path,
        "progress iterate start"
    );
    assert_eq!(
        named("procedure list").unwrap().path,
        "plan procedures list"
    );
    assert_eq!(named("focus --none").unwrap().path, "unfocus");
    assert!(named("task nosuch").is_none());
    assert!(named("nosuch set").is_none());
}

#[test]
fn a_second_name_is_that_of_one_tool_and_collides_with_none() {
    for (first, second) in SECOND_NAMES {
        assert!(all().any(|act| act.tool == Some(first)), "{first}");
        assert!(all().all(|act| act.tool != Some(second)), "{second}");
        assert_eq!(
            (second_name(first), first_name(second)),
            (Some(second), first)
        );
        assert_eq!((second_name(second), first_name(first)), (None, first));
    }
    assert_eq!(second_name("pause_goal"), None);
}

#[test]
fn the_longest_command_counts() {
    let found = |words| at_start(words).map(|(act, rest)| (act.path, rest));
    assert_eq!(found("task set FILE"), Some(("task set", " FILE")));
    assert_eq!(found("task"), Some(("task", "")));
    assert_eq!(found("task 2"), Some(("task", " 2")));
    assert_eq!(found("tasks"), None);
}

#[test]
fn a_command_belongs_to_the_user_as_far_as_those_below_it_do() {
    let share = |path: &str| named(path).unwrap().share();
    assert_eq!(share("set"), Share::Whole);
    assert_eq!(share("config"), Share::Part);
    assert_eq!(share("report"), Share::Part);
    assert_eq!(share("list"), Share::Nothing);
}
