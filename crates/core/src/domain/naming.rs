//! Whether the user's words in a session name a goal, so that the session holds it from then on.

use crate::domain::goal::state::Goal;

/// The fewest letters of a title that can name its goal: a shorter one stands in any prompt.
const LETTERS: usize = 8;

/// Words before `goal` that say which goal is meant.
const WHICH: [&str; 8] = [
    "the", "this", "that", "my", "our", "your", "current", "active",
];

/// Whether they name the goal that the session would work on: by its id, by its title or objective,
/// or as `the goal`.
pub fn names(prompt: &str, goal: &Goal) -> bool {
    let said = words(prompt);
    let heading = words(goal.contract.heading());
    let letters = heading
        .iter()
        .map(|word| word.chars().count())
        .sum::<usize>();
    let by_title = letters >= LETTERS && said.windows(heading.len()).any(|it| it == heading);
    prompt.contains(goal.id.as_str()) || by_title || as_the_goal(&said)
}

/// `the goal`, but not `the goal of this function`.
fn as_the_goal(said: &[String]) -> bool {
    (1..said.len()).any(|at| {
        let is_meant = WHICH.contains(&said[at - 1].as_str()) && said[at] == "goal";
        is_meant && said.get(at + 1).is_none_or(|after| after != "of")
    })
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_named_by_id_title_or_as_the_goal() {
        let mut goal = Goal::implicit("mwrt-1".parse().unwrap(), 0, "");
        goal.contract.objective = "Water the beans!".into();
        for (prompt, expected) in [
            ("go on with mwrt-1", true),
            ("please water the  BEANS today", true),
            ("go on with the goal", true),
            ("Work on this goal, now.", true),
            ("what is 2+2", false),
            ("go on", false),
            ("what is the goal of this function?", false),
            ("set a goal", false),
            ("", false),
        ] {
            assert_eq!(names(prompt, &goal), expected, "{prompt}");
        }
        goal.contract.objective = "beans".into();
        assert!(!names("are beans green?", &goal));
        goal.contract.objective = String::new();
        assert!(!names("anything", &goal));
    }
}
