//! What git says that changed in the work tree since a commit, file by file.

use std::fs;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use imara_diff::{Algorithm, Diff, InternedInput};

use super::worktree::{UNTRACKED, ask, of_work};
use crate::domain::changes::{ChangedFile, Changes};
use crate::workspace::git::top;

/// Lines of a file that git does not count are counted up to this size, in bytes.
const COUNTED: u64 = 1 << 20;

/// How the work tree that holds `root` differs from `commit`. `checks` are the files that checks name,
/// each behind the check's name; `git` is the program.
///
/// # Errors
/// Why it cannot be told, as the end of a sentence.
pub fn since(
    git: &Path,
    root: &Utf8Path,
    commit: &str,
    checks: &[(String, Utf8PathBuf)],
) -> Result<Changes, String> {
    // It stands in a line of the ledger, and git would take another word for an option.
    let is_commit = |it: &str| it.len() >= 40 && it.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit(commit) {
        return Err("what is on record as the commit is no commit's name".into());
    }
    let diff = [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        commit,
    ];
    let tracked = of_work(git, root, &diff);
    let tracked = tracked.ok_or_else(|| format!("git cannot compare with commit {commit}"))?;
    let others = [
        "ls-files",
        "--others",
        "--exclude-standard",
        "--full-name",
        "-z",
    ];
    let untracked = of_work(git, root, &others);
    let untracked = untracked.ok_or("git cannot list the files that are not committed")?;
    let top = top(root);
    let tracked = entries(&tracked).filter_map(|it| changed(&it));
    let untracked = entries(&untracked).take(UNTRACKED);
    let mut files: Vec<ChangedFile> = tracked.chain(untracked.map(|it| new(top, it))).collect();
    let of_tree = |(check, path): &(String, Utf8PathBuf)| {
        let path = path.strip_prefix(top).ok()?;
        Some((check.clone(), path.to_string()))
    };
    let checks: Vec<(String, String)> = checks.iter().filter_map(of_tree).collect();
    let mut named: Vec<&String> = checks.iter().map(|(_, path)| path).collect();
    named.sort_unstable();
    named.dedup();
    for path in named {
        let place = files.iter().position(|it| it.path == *path);
        let listed = place.map(|at| files.swap_remove(at));
        let is_tracked = listed.is_some_and(|it| !it.untracked);
        files.extend(compared(git, root, commit, path).map(|file| ChangedFile {
            untracked: file.untracked && !is_tracked,
            ..file
        }));
    }
    Ok(Changes::of(commit, files, &checks))
}

/// How a file that a check names differs from the commit, byte for byte. Git's index, its attributes
/// and the files that it ignores have no say: each can be told to overlook a change.
fn compared(git: &Path, root: &Utf8Path, commit: &str, path: &str) -> Option<ChangedFile> {
    let top = top(root);
    let file = top.join(path);
    let of_commit = format!("{commit}:{path}");
    let Some(then) = ask(git, root, &["rev-parse", "--verify", "--quiet", &of_commit]) else {
        return file
            .symlink_metadata()
            .is_ok()
            .then(|| new(top, path.to_owned()));
    };
    let found = file.symlink_metadata().ok();
    let is_file = found.as_ref().is_some_and(|it| it.is_file());
    let hash = ["hash-object", "--no-filters", "--", file.as_str()];
    let now = is_file.then(|| ask(git, root, &hash)).flatten();
    let is_same = match fs::read_link(&file) {
        Ok(target) => ask(git, root, &["cat-file", "blob", &of_commit])
            .is_some_and(|then| target.as_os_str().as_encoded_bytes() == then),
        Err(_) => now == Some(then),
    };
    if is_same {
        return None;
    }
    let is_counted = match &found {
        Some(found) => is_file && found.len() <= COUNTED,
        None => true,
    };
    let texts = is_counted.then(|| {
        let then = ask(git, root, &["cat-file", "blob", &of_commit])?;
        let now = match is_file {
            true => fs::read(&file).ok()?,
            false => Vec::new(),
        };
        let text = |bytes: Vec<u8>| {
            let is_text = !bytes.contains(&0) && bytes.len() as u64 <= COUNTED;
            is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
        };
        text(then).zip(text(now))
    });
    let lines = texts.flatten().map(|(then, now)| {
        let lines = InternedInput::new(then.as_str(), now.as_str());
        let diff = Diff::compute(Algorithm::Histogram, &lines);
        let (added, removed) = (diff.count_additions(), diff.count_removals());
        (u64::from(added), u64::from(removed))
    });
    Some(ChangedFile {
        path: path.to_owned(),
        insertions: lines.map(|it| it.0),
        deletions: lines.map(|it| it.1),
        ..ChangedFile::default()
    })
}

fn entries(listed: &[u8]) -> impl Iterator<Item = String> {
    let entries = listed.split(|byte| *byte == 0).filter(|it| !it.is_empty());
    entries.map(|it| String::from_utf8_lossy(it).into_owned())
}

/// A line of `git diff --numstat`: two counts and a path, or two dashes for what has no lines.
fn changed(entry: &str) -> Option<ChangedFile> {
    let mut fields = entry.splitn(3, '\t');
    let (insertions, deletions) = (fields.next()?, fields.next()?);
    Some(ChangedFile {
        path: fields.next()?.to_owned(),
        insertions: insertions.parse().ok(),
        deletions: deletions.parse().ok(),
        ..ChangedFile::default()
    })
}

/// A file that git does not know: all of its lines came.
fn new(top: &Utf8Path, path: String) -> ChangedFile {
    let file = top.join(&path);
    // A link or a pipe is not opened.
    let found = file.symlink_metadata().ok();
    let is_counted = found.is_some_and(|it| it.is_file() && it.len() <= COUNTED);
    let bytes = is_counted.then(|| fs::read(&file).ok()).flatten();
    let text = bytes.filter(|bytes| !bytes.contains(&0));
    let lines = text.map(|text| text.split_inclusive(|byte| *byte == b'\n').count() as u64);
    ChangedFile {
        path,
        insertions: lines,
        deletions: lines.map(|_| 0),
        untracked: true,
        check: None,
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn git_tells_what_was_changed_committed_or_not() {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        let root = top.join("app");
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let mut git = Command::new("git");
            let ran = git.args(identity).arg("-C").arg(top).args(args).output();
            let ran = ran.unwrap();
            assert!(ran.status.success(), "{args:?}");
            String::from_utf8(ran.stdout).unwrap().trim().to_owned()
        };
        let put = |path: &str, text: &str| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        git(&["init", "-q"]);
        for path in [
            "app/t.py",
            "gone",
            "same",
            "app/.pi/goals/goal_events.jsonl",
        ] {
            put(path, "one\ntwo\n");
        }
        git(&["add", "."]);
        git(&["commit", "-qm", "one"]);
        let begun = git(&["rev-parse", "HEAD"]);
        let look = |checks: &[(String, Utf8PathBuf)]| {
            since(Path::new("git"), &root, &begun, checks).unwrap()
        };
        assert_eq!(look(&[]).files, 0);
        put("app/t.py", "one\nthree\nfour\n");
        put("app/.pi/goals/goal_events.jsonl", "more\n");
        git(&["commit", "-qam", "two"]);
        fs::remove_file(top.join("gone")).unwrap();
        put("new ü\tfile", "a\nb\nc");
        put("app/image", "\0");
        let checks = [("t".to_owned(), root.join("t.py"))];
        let told = look(&checks).listed.into_iter().map(|it| {
            let lines = it.insertions.zip(it.deletions);
            (it.path, lines, it.untracked, it.check.is_some())
        });
        let told: Vec<_> = told.collect();
        assert_eq!(
            told,
            [
                ("app/t.py".into(), Some((2, 1)), false, true),
                ("new ü\tfile".into(), Some((3, 0)), true, false),
                ("gone".into(), Some((0, 2)), false, false),
                ("app/image".into(), None, true, false),
            ]
        );
        // What git is told to overlook is overlooked nowhere.
        put("app/hidden.sh", "one\n");
        put(".git/info/exclude", "hidden.sh\nseen.sh\n");
        put("app/seen.sh", "one\n");
        git(&["add", "-f", "app/seen.sh"]);
        put("same", "one\ntwo\nthree\n");
        for (flag, file) in [
            ("--assume-unchanged", "app/t.py"),
            ("--skip-worktree", "same"),
        ] {
            git(&["update-index", flag, file]);
        }
        put("app/t.py", "four\n");
        put(".git/info/attributes", "seen.sh -diff\n");
        std::os::unix::fs::symlink("t.py", root.join("link")).unwrap();
        let of = |path: &str| ("t".to_owned(), top.join(path));
        let names = [
            "app/t.py",
            "app/hidden.sh",
            "app/seen.sh",
            "same",
            "gone",
            "app/link",
            "no",
        ];
        let checks: Vec<_> = names.into_iter().map(of).collect();
        let told = look(&checks)
            .listed
            .into_iter()
            .filter(|it| it.check.is_some());
        let told: Vec<_> = told
            .map(|it| (it.path, it.insertions.zip(it.deletions), it.untracked))
            .collect();
        assert_eq!(
            told,
            [
                ("app/t.py".into(), Some((1, 2)), false),
                ("app/hidden.sh".into(), Some((1, 0)), true),
                ("app/seen.sh".into(), Some((1, 0)), false),
                ("same".into(), Some((1, 0)), false),
                ("gone".into(), Some((0, 2)), false),
                ("app/link".into(), None, true),
            ]
        );
        git(&["update-index", "--no-assume-unchanged", "app/t.py"]);
        put("app/t.py", "one\nthree\nfour\n");
        let checks = [("t".to_owned(), root.join("t.py"))];
        // What stands in the place of the commit for git stands there for nobody else.
        git(&["replace", &begun, "HEAD"]);
        assert_eq!(look(&checks).listed[0].insertions, Some(2));
        let of_another = "0".repeat(40);
        for commit in ["--output=x", &of_another] {
            assert!(
                since(Path::new("git"), &root, commit, &[]).is_err(),
                "{commit}"
            );
        }
        assert!(!root.join("x").exists());
    }
}
