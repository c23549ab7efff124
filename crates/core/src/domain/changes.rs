//! What changed in a project's files since its contract was confirmed, as an audit records it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the files of the work tree, but for ignored ones that are no check's, differ from a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// The commit.
    pub since: String,
    /// How many files differ.
    pub files: u64,
    /// Lines that came and went, in all of them.
    pub insertions: u64,
    pub deletions: u64,
    /// At most 40 files: those of checks, and then those with the most changed lines.
    pub listed: Vec<ChangedFile>,
}

/// A file that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// Seen from the top of the work tree.
    pub path: String,
    /// Lines that came and went; absent where the file has no lines to count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insertions: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletions: Option<u64>,
    /// It is in no commit and not staged; also where git ignores it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub untracked: bool,
    /// The check that names it in its command line, or pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Changes {
    /// Most files that are listed; the counts are of all.
    pub const MOST: usize = 40;

    /// Counts these files and lists the most important ones. `checks` are the files that checks
    /// name, each behind the check's name, in the order in which they are listed.
    pub fn of(since: &str, mut files: Vec<ChangedFile>, checks: &[(String, String)]) -> Changes {
        for file in &mut files {
            let named = checks.iter().find(|(_, path)| *path == file.path);
            file.check = named.map(|(check, _)| check.clone());
        }
        let place = |file: &ChangedFile| checks.iter().position(|(_, path)| *path == file.path);
        files.sort_by(|one, other| {
            let rank = |file: &ChangedFile| place(file).unwrap_or(checks.len());
            let size =
                |file: &ChangedFile| file.insertions.unwrap_or(0) + file.deletions.unwrap_or(0);
            rank(one)
                .cmp(&rank(other))
                .then_with(|| size(other).cmp(&size(one)))
                .then_with(|| one.path.cmp(&other.path))
        });
        let sum = |of: fn(&ChangedFile) -> Option<u64>| files.iter().filter_map(of).sum();
        Changes {
            since: since.to_owned(),
            files: files.len() as u64,
            insertions: sum(|file| file.insertions),
            deletions: sum(|file| file.deletions),
            listed: files.into_iter().take(Changes::MOST).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: Option<(u64, u64)>) -> ChangedFile {
        ChangedFile {
            path: path.into(),
            insertions: lines.map(|it| it.0),
            deletions: lines.map(|it| it.1),
            ..ChangedFile::default()
        }
    }

    #[test]
    fn files_of_checks_come_first_and_the_largest_change_next() {
        let files = vec![
            file("a", Some((1, 0))),
            file("b.png", None),
            file("c", Some((2, 3))),
            file("t.py", Some((0, 1))),
            file("d", Some((5, 0))),
        ];
        let checks = [("u", "gone"), ("t", "t.py")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let changes = Changes::of("abc", files, &checks);
        let listed: Vec<&str> = changes.listed.iter().map(|it| &*it.path).collect();
        assert_eq!(listed, ["t.py", "c", "d", "a", "b.png"]);
        assert_eq!(changes.listed[0].check.as_deref(), Some("t"));
        assert!(changes.listed[1..].iter().all(|it| it.check.is_none()));
        let counted = (changes.files, changes.insertions, changes.deletions);
        assert_eq!(counted, (5, 8, 4));
    }

    #[test]
    fn no_more_than_the_most_are_listed_and_all_are_counted() {
        let files = (0..100).map(|it| file(&format!("{it:03}"), Some((1, 1))));
        let changes = Changes::of("abc", files.collect(), &[]);
        assert_eq!(changes.listed.len(), Changes::MOST);
        assert_eq!((changes.files, changes.insertions), (100, 100));
    }
}
