//! Which files of `.pi/goals` git is told to leave alone.

use std::io;

use camino::Utf8Path;

use super::Paths;

/// What git shall never track.
pub const IGNORED: &[&str] = &[".locks/", "*.tmp", "*.md.orig*"];

/// What it shall not track where goals are not committed: copies of what is in git's directory.
pub const COPIES: &[&str] = &["goal_events.jsonl*", "active_goal_*.md", "archived/"];

/// `.pi/goals/.gitignore` where goals are committed.
pub const WITH_COMMITS: &str = include_str!("gitignore");

/// What stands before the rules of [`COPIES`] there.
const WHY: &str = "\
# The ledger is in git's directory, for all work trees, and `goal sync` brings it to other clones. The
# files here are copies that change with every command; `goal init --commits` has them committed.
";

/// The same where they are not.
pub fn without_commits() -> String {
    let copies: String = COPIES.iter().map(|rule| format!("{rule}\n")).collect();
    format!("{WHY}{copies}\n{WITH_COMMITS}")
}

/// A text of rules without those by which git leaves copies alone. All other lines stay.
pub fn letting_commit(text: &str) -> String {
    let is_of_copies =
        |line: &&str| WHY.lines().any(|it| it == line.trim_end()) || COPIES.contains(&line.trim());
    let kept: Vec<&str> = text.lines().filter(|line| !is_of_copies(line)).collect();
    let kept = kept.join("\n");
    format!("{}\n", kept.trim_start_matches('\n'))
}

/// What stands before our rules in git's own list of a clone.
const MARK: &str =
    "# Copies of what `goal` keeps in git's directory; `goal init --commits` has them committed.\n";

/// Our rules there.
fn rules() -> String {
    let rules = COPIES.iter().chain(IGNORED);
    let rules: String = rules.map(|rule| format!("**/.pi/goals/{rule}\n")).collect();
    format!("{MARK}{rules}")
}

/// Tells git to leave the copies alone, in all work trees of this clone and without a file in them, where
/// nobody has told it anything of them yet.
///
/// # Errors
/// Those of the file system.
pub fn ignore_copies(paths: &Paths) -> io::Result<()> {
    let Some(git) = paths.git().filter(|_| !paths.gitignore().exists()) else {
        return Ok(());
    };
    let exclude = git.common().join("info/exclude");
    let mut text = read(&exclude)?;
    if text.contains(MARK) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    std::fs::create_dir_all(git.common().join("info"))?;
    std::fs::write(&exclude, text + &rules())
}

/// Whether git was told so.
pub fn are_told(paths: &Paths) -> bool {
    let exclude = paths.git().map(|git| git.common().join("info/exclude"));
    let text = exclude.and_then(|exclude| read(&exclude).ok());
    text.is_some_and(|text| text.contains(MARK))
}

/// Takes that back.
///
/// # Errors
/// Those of the file system.
pub fn commit_copies(paths: &Paths) -> io::Result<()> {
    let Some(git) = paths.git() else {
        return Ok(());
    };
    let exclude = git.common().join("info/exclude");
    let text = read(&exclude)?;
    match text.contains(MARK) {
        true => std::fs::write(&exclude, text.replace(&rules(), "")),
        false => Ok(()),
    }
}

fn read(path: &Utf8Path) -> io::Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_added_stays_where_goals_are_to_be_committed() {
        assert_eq!(letting_commit(&without_commits()), WITH_COMMITS);
        let text = format!("mine\n{}# my own\nscratch/\n", without_commits());
        assert_eq!(
            letting_commit(&text),
            format!("mine\n\n{WITH_COMMITS}# my own\nscratch/\n")
        );
    }
}
