//! The examples of the crate, run as they are.

use std::io::{self, Write};

use super::*;

#[expect(dead_code, reason = "its `main` takes arguments")]
#[path = "../../../examples/append.rs"]
mod append;
#[expect(dead_code, reason = "its `main` takes arguments")]
#[path = "../../../examples/follow.rs"]
mod follow;
#[expect(dead_code, reason = "its `main` takes arguments")]
#[path = "../../../examples/read.rs"]
mod read;

/// Each takes what it needs from one project, in turn.
#[test]
fn examples_do_what_they_say() {
    let dir = TempDir::new().unwrap();
    let (user, agent) = (project(&dir, Actor::User), project(&dir, Actor::Agent));
    let following = agent.follow(Position::Start).unwrap();
    let (stop, mut said) = (following.stop_handle(), Vec::new());
    append::work(&user, &agent, &mut said).unwrap();
    let said = String::from_utf8(said).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains(r#""repeated":false"#), "{said}");
    assert!(lines[1].contains(r#""repeated":true"#), "{said}");
    assert!(lines[2].starts_with("refused: only the user"), "{said}");

    let mut read = Vec::new();
    read::overview(&agent, &mut read).unwrap();
    let expected = "> active 0/1 The build is green\n     1 goal_created\n     1 goal_focused\n     1 \
                    goal_noted\n     1 task_list_set\n     1 task_started\n";
    assert_eq!(String::from_utf8(read).unwrap(), expected);

    let events = agent.events().unwrap().map(Result::unwrap);
    let events: Vec<String> = events
        .map(|it| serde_json::to_string(&it).unwrap())
        .collect();
    let mut printed = StopsAfter {
        lines: events.len(),
        stop,
        text: Vec::new(),
    };
    follow::print_all(following, &mut printed).unwrap();
    assert_eq!(
        String::from_utf8(printed.text).unwrap(),
        events.join("\n") + "\n"
    );
}

/// Says stop once it has so many lines.
struct StopsAfter {
    lines: usize,
    stop: StopHandle,
    text: Vec<u8>,
}

impl Write for StopsAfter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend(bytes);
        if self.text.iter().filter(|it| **it == b'\n').count() == self.lines {
            self.stop.stop();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
