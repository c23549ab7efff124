//! What changed in a project's files since its contract was confirmed, in words.

use crate::domain::changes::{ChangedFile, Changes};
use crate::render::text::{count, short};

/// Most characters of a path.
const PATH: usize = 200;

/// How much changed, and since when, as the beginning of a sentence.
pub fn counted(changes: &Changes) -> String {
    let commit: String = changes.since.chars().take(12).collect();
    match changes.files {
        0 => format!("no file changed since the contract was confirmed, at commit {commit}"),
        files => format!(
            "{} changed since the contract was confirmed, at commit {commit} ({})",
            count(files, "file"),
            lines(Some(changes.insertions), Some(changes.deletions)),
        ),
    }
}

/// At most so many of the listed files: the number of lines that came and went, and what is to be
/// known of each.
pub fn listed(changes: &Changes, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = changes.listed.iter().take(most).map(row).collect();
    let more = changes.files.saturating_sub(rows.len() as u64);
    if more > 0 {
        rows.push(format!("and {more} more"));
    }
    rows
}

fn row(file: &ChangedFile) -> String {
    let check = file.check.as_deref();
    let named = check.map(|check| format!(", named by check {}", short(check, PATH)));
    let new = file.untracked.then_some(", not committed");
    format!(
        "{} | {}{}{}",
        short(&file.path, PATH),
        lines(file.insertions, file.deletions),
        new.unwrap_or_default(),
        named.unwrap_or_default(),
    )
}

fn lines(insertions: Option<u64>, deletions: Option<u64>) -> String {
    match insertions.zip(deletions) {
        Some((insertions, deletions)) => format!("+{insertions} −{deletions}"),
        None => "binary".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_says_how_much_and_what_it_is() {
        let file = |path: &str, lines: Option<(u64, u64)>| ChangedFile {
            path: path.into(),
            insertions: lines.map(|it| it.0),
            deletions: lines.map(|it| it.1),
            ..ChangedFile::default()
        };
        let new = ChangedFile {
            untracked: true,
            ..file("new\u{1b}[31m", Some((3, 0)))
        };
        let checks = [("t".to_owned(), "t.py".to_owned())];
        let files = vec![file("t.py", Some((20, 0))), new, file("logo.png", None)];
        let changes = Changes::of("0123456789abcdef", files, &checks);
        insta::assert_snapshot!(
            [vec![counted(&changes)], listed(&changes, 9)].concat().join("\n"),
            @"
        3 files changed since the contract was confirmed, at commit 0123456789ab (+23 −0)
        t.py | +20 −0, named by check t
        new�[31m | +3 −0, not committed
        logo.png | binary
        "
        );
        let none = Changes::of("0123456789abcdef", Vec::new(), &[]);
        assert_eq!(
            counted(&none),
            "no file changed since the contract was confirmed, at commit 0123456789ab"
        );
        let many = (0..50)
            .map(|it| file(&it.to_string(), Some((1, 0))))
            .collect();
        let many = listed(&Changes::of("c", many, &[]), 9);
        assert_eq!(many.last().map(String::as_str), Some("and 41 more"));
    }
}
