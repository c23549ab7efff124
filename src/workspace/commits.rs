//! The commits of the work tree's branch and of the goals' own branches in a time, as git tells them. Where
//! there is no work tree, or git cannot be asked, there are none.

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8Path;

use super::worktree::ask;
use crate::domain::report::Commit;
use crate::domain::time::rfc3339;

/// Ends each field that a commit has of its own; git puts none of these into a name or a subject.
const FIELD: char = '\u{1f}';
/// Begins a commit.
const RECORD: char = '\u{1e}';

/// The commit that is checked out; nothing before the first.
pub fn head(git: &Path, root: &Utf8Path) -> Option<String> {
    let head = ask(git, root, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    let head = String::from_utf8(head).ok()?.trim().to_owned();
    Some(head).filter(|head| !head.is_empty())
}

/// Those of these commits that the repository has. What is no id of a commit is none.
pub fn known(git: &Path, root: &Utf8Path, ids: &BTreeSet<&str>) -> BTreeSet<String> {
    let is_id = |id: &&str| {
        let hex = id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        hex && matches!(id.len(), 40 | 64)
    };
    let ids: Vec<&str> = ids.iter().copied().filter(is_id).collect();
    let mut known = BTreeSet::new();
    // As many as one command line holds.
    for ids in ids.chunks(1_000) {
        let args = [
            "rev-list",
            "--ignore-missing",
            "--no-walk=unsorted",
            "--end-of-options",
        ];
        let found = ask(git, root, &[&args[..], ids].concat()).unwrap_or_default();
        known.extend(String::from_utf8_lossy(&found).lines().map(str::to_owned));
    }
    known
}

/// The latest commits between two moments, in milliseconds since 1970, at most `most`; and how many
/// there are. `git` is the program.
pub fn between(
    git: &Path,
    root: &Utf8Path,
    (from, to): (Option<i64>, i64),
    most: usize,
) -> (Vec<Commit>, u64) {
    let mut args = vec![
        "log".to_owned(),
        // A merge has the commits that it brings beside it.
        "--no-merges".to_owned(),
        "--no-color".to_owned(),
        "--no-show-signature".to_owned(),
        "--no-ext-diff".to_owned(),
        "--no-textconv".to_owned(),
        "HEAD".to_owned(),
        "--branches=goal/*".to_owned(),
        format!("--until=@{} +0000", to.div_euclid(1000)),
    ];
    args.extend(from.map(|from| format!("--since=@{} +0000", from.div_euclid(1000))));
    let args_of = |more: &[&str]| {
        let more = more.iter().map(|it| (*it).to_owned());
        args.iter().cloned().chain(more).collect::<Vec<String>>()
    };
    let run = |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let bytes = ask(git, root, &args)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let limit = format!("--max-count={most}");
    let format = "--format=%x1e%H%x1f%ct%x1f%an%x1f%s%x1f";
    let text = run(args_of(&["--shortstat", &limit, format])).unwrap_or_default();
    let commits: Vec<Commit> = text.split(RECORD).filter_map(read).collect();
    let mut count = commits.len() as u64;
    if commits.len() == most {
        let ids = run(args_of(&["--format=%H"])).unwrap_or_default();
        count = count.max(ids.lines().count() as u64);
    }
    (commits, count)
}

fn read(record: &str) -> Option<Commit> {
    let mut fields = record.splitn(5, FIELD);
    let id = fields.next().filter(|id| !id.is_empty())?.to_owned();
    let seconds: i64 = fields.next()?.parse().ok()?;
    let (author, subject) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    // ` 2 files changed, 3 insertions(+), 1 deletion(-)`, where it changed a file.
    let changes = fields.next().unwrap_or_default();
    let number = |noun: &str| {
        let part = changes.split(',').find(|part| part.contains(noun));
        let number = part.and_then(|part| part.split_whitespace().next()?.parse().ok());
        number.unwrap_or_default()
    };
    Some(Commit {
        id,
        at: rfc3339(seconds.saturating_mul(1000)),
        author,
        subject,
        files: number("file"),
        insertions: number("insertion"),
        deletions: number("deletion"),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn commits_tell_when_who_what_and_how_much() {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap();
        let git = Path::new("git");
        assert_eq!(between(git, root, (None, 0), 9), (Vec::new(), 0));
        let run = |at: &str, args: &[&str]| {
            let identity = ["-c", "user.name=ann", "-c", "user.email=a@example.org"];
            let ran = Command::new("git")
                .args(identity)
                .arg("-C")
                .arg(root)
                .args(args)
                .env("GIT_COMMITTER_DATE", at)
                .output();
            assert!(ran.unwrap().status.success(), "{args:?}");
        };
        run("@0 +0000", &["init", "-q"]);
        for (minute, name) in ["one", "two", "three <b>, 9 files"].iter().enumerate() {
            fs::write(root.join("a"), format!("{name}\n")).unwrap();
            let at = format!("@{} +0000", 600 + minute * 60);
            run(&at, &["add", "a"]);
            run(&at, &["commit", "-qm", name]);
        }
        let (all, count) = between(git, root, (None, 10_000_000), 9);
        assert_eq!(head(git, root).as_ref(), Some(&all[0].id));
        let (gone, here) = ("0".repeat(40), all[1].id.as_str());
        let asked = BTreeSet::from([here, gone.as_str(), "--all", "HEAD"]);
        assert_eq!(known(git, root, &asked), BTreeSet::from([here.to_owned()]));
        assert_eq!((all.len(), count), (3, 3));
        let latest = &all[0];
        assert_eq!(latest.id.len(), 40);
        assert_eq!(latest.at, "1970-01-01T00:12:00.000Z");
        assert_eq!(
            (&*latest.author, &*latest.subject),
            ("ann", "three <b>, 9 files")
        );
        let changes = (latest.files, latest.insertions, latest.deletions);
        assert_eq!(changes, (1, 1, 1));
        let (late, count) = between(git, root, (Some(650_000), 10_000_000), 1);
        assert_eq!((late.len(), count), (1, 2));
        assert_eq!(between(git, root, (None, 650_000), 9).1, 1);
    }
}
