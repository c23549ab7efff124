//! What every suite uses: a temporary project, the program run in it, scripted auditors, and
//! ways to look at what is left behind.

pub mod auditor;
pub mod ledger;
pub mod lines;
pub mod lock;
pub mod project;
pub mod ran;
pub mod tree;
pub mod wait;

pub use project::Project;
pub use ran::Ran;

/// The names of all commands that help knows, `help` aside.
pub fn commands() -> Vec<String> {
    let help = Project::new().run(&["help", "all"]).ok().stdout;
    let rows = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = rows.filter_map(|row| row.split_whitespace().next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() > 50, "{help}");
    names
}
