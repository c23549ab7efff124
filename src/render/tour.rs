//! The tour as a person reads it: an explanation, the line that was typed, and what it printed.

use crate::render::columns::{self, BOLD, styled};
use crate::render::text::clean;

/// The widest line of an explanation, in columns.
const WIDTH: usize = 80;

/// What is said before the first step.
pub const OPENING: &str = "\
A tour of goal, in a temporary directory of its own. What is indented is typed at
a shell, and what the program answers; nothing is made up.
";

/// What is said after the last.
pub const CLOSING: &str = "
That is the whole of it; the temporary directory is removed. To begin, run
`goal init` in a project of yours: it says which of your agents could audit.
";

/// One step. An exit code other than 0 is said, since nobody sees it otherwise.
pub fn step(explanation: &str, command: &str, exit_code: Option<i32>, output: &str) -> String {
    let mut text = String::from("\n");
    if !explanation.is_empty() {
        text.push_str(&wrapped(explanation));
        text.push('\n');
    }
    text.push_str(&indented(&styled(&format!("$ {command}"), BOLD)));
    text.push_str(&indented(&clean(output)));
    match exit_code {
        Some(0) => {}
        Some(code) => text.push_str(&indented(&format!("[exit code {code}]"))),
        None => text.push_str(&indented("[killed]")),
    }
    text
}

/// Every line, four columns in; empty ones stay empty.
fn indented(text: &str) -> String {
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    };
    text.trim_end().lines().map(line).collect()
}

fn wrapped(text: &str) -> String {
    columns::wrapped(text, WIDTH, usize::MAX).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_shows_what_was_typed_and_what_came() {
        let text = step(
            "Why it is so.",
            "goal list \\\n  --all",
            Some(0),
            "a\n\nb\n",
        );
        assert_eq!(
            text,
            "\nWhy it is so.\n\n    \x1b[1m$ goal list \\\n      --all\x1b[0m\n    a\n\n    b\n"
        );
    }

    #[test]
    fn a_failure_is_said_and_nothing_steers_the_terminal() {
        assert_eq!(
            step("", "false", Some(6), "\x1b[2Jno\n"),
            "\n    \x1b[1m$ false\x1b[0m\n    \u{fffd}[2Jno\n    [exit code 6]\n"
        );
        assert!(step("", "x", None, "").ends_with("    [killed]\n"));
    }

    #[test]
    fn no_line_of_an_explanation_is_too_wide() {
        let text = wrapped(&"some words and more ".repeat(30));
        assert!(text.lines().count() > 6);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && line.len() > WIDTH - 6 || line.len() < WIDTH)
        );
        assert_eq!(wrapped("one two"), "one two\n");
    }
}
