//! The command line as a person and as a machine see it, command by command.

use insta::assert_snapshot;

use crate::support::Project;

#[test]
fn set_creates_and_focuses() {
    let project = Project::new();
    assert_snapshot!(project.run(&["set", "Port the parser"]), @"Created and focused goal mjuohs00-tdsfyu (revision [id]…).");
    assert_eq!(project.event_types(), ["goal_created", "goal_focused"]);
}
