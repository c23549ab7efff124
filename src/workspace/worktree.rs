//! The state of the git work tree that a project lies in: its head, and what is not committed. Git
//! is asked as a program, for a bounded time, and runs nothing of the project's. Where there is no
//! work tree, or git cannot be asked, nothing is said.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use camino::Utf8Path;

use crate::workspace::{git, own_output};

/// How long git may take for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How much of an untracked file's name list is looked at, in files.
pub(super) const UNTRACKED: usize = 10_000;

/// A work tree as git describes it. Goals and their ledger are left out: they change with each
/// line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// The commit; nothing before the first.
    pub head: Option<String>,
    /// The branch that is checked out; nothing where none is.
    pub branch: Option<String>,
    /// Something is not committed.
    pub dirty: bool,
    /// A merge left a file in two versions.
    pub unmerged: bool,
    /// Git's name for it, where several work trees share the ledger.
    pub name: Option<String>,
}

/// All but the goals, seen from the project's root.
const WITHOUT_GOALS: [&str; 3] = ["--", ":/", ":(exclude).pi/goals"];

/// All but the goals of this project and of others in the same repository, and but what this process itself
/// writes, as pathspecs of git.
pub fn only_work(root: &Utf8Path) -> Vec<String> {
    let goals = ["--", ":/", ":(top,exclude,glob)**/.pi/goals/**"].map(str::to_owned);
    goals.into_iter().chain(but_own_output(root)).collect()
}

/// All but what this process itself writes, as pathspecs of git that stand behind others.
pub fn but_own_output(root: &Utf8Path) -> impl Iterator<Item = String> {
    let own = own_output::below(git::top(root)).into_iter();
    own.map(|path| format!(":(top,exclude,literal){path}"))
}

/// The work tree that holds `root`; `git` is the program.
pub fn read(git: &Path, root: &Utf8Path) -> Option<WorkTree> {
    let described = described(git, root)?;
    Some(tree_of(&described))
}

fn tree_of(described: &[u8]) -> WorkTree {
    WorkTree {
        head: head_of(described),
        branch: branch_of(described),
        dirty: entries(described).any(|entry| !entry.starts_with(b"#")),
        unmerged: entries(described).any(|entry| entry.starts_with(b"u ")),
        name: None,
    }
}

/// BLAKE3 of what is not committed: changes against the head, and untracked files that are not
/// ignored, by name and content.
pub fn digest(git: &Path, root: &Utf8Path) -> Option<String> {
    let status = status(git, root)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&status);
    let diff = [
        "diff",
        "HEAD",
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
    ];
    // Before the first commit there is nothing to compare with; the status names all files.
    hasher.update(&ask(git, root, &[&diff[..], &WITHOUT_GOALS].concat()).unwrap_or_default());
    let top = ask(git, root, &["rev-parse", "--show-toplevel"])?;
    let top =
        Utf8Path::from_path(Path::new(std::str::from_utf8(&top).ok()?.trim_end()))?.to_owned();
    let untracked = status
        .split(|it| *it == 0)
        .filter_map(|it| it.strip_prefix(b"?? "));
    for name in untracked.take(UNTRACKED) {
        let path = std::str::from_utf8(name).map(|name| top.join(name));
        // A link, a pipe, a directory of its own: its name says what there is to say.
        let is_file = |path: &&camino::Utf8PathBuf| {
            path.symlink_metadata().is_ok_and(|found| found.is_file())
        };
        if let Some(path) = path.as_ref().ok().filter(is_file) {
            let mut content = blake3::Hasher::new();
            let file = std::fs::File::open(path).ok()?;
            content.update_reader(file).ok()?;
            hasher.update(content.finalize().as_bytes());
        }
    }
    Some(hasher.finalize().to_hex().to_string())
}

/// How the files of a project stand. Two are equal where the files are, whatever the branch is called.
#[derive(Debug, Clone, Eq)]
pub struct Fingerprint {
    /// Differs as soon as a file does.
    pub name: String,
    /// The work tree, where git knows one.
    pub tree: Option<WorkTree>,
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Fingerprint) -> bool {
        self.name == other.name
    }
}

impl Fingerprint {
    /// The commit, where git knows one.
    pub fn head(&self) -> Option<&String> {
        self.tree.as_ref()?.head.as_ref()
    }
}

/// How the files of the work tree stand, and its commit: two looks between which nothing
/// changed are the same. A file that is not committed counts by its size and the time of its last
/// change; ignored files and goals do not count.
pub fn fingerprint(git: &Path, root: &Utf8Path) -> Option<Fingerprint> {
    let described = described(git, root)?;
    let mut hasher = blake3::Hasher::new();
    let top = git::top(root);
    let tree = tree_of(&described);
    // The name of the branch, and what is upstream of it, change no file.
    let of_files = entries(&described).filter(|entry| !entry.starts_with(b"#"));
    for entry in of_files.chain(tree.head.as_deref().map(str::as_bytes)) {
        hasher.update(entry);
        hasher.update(&[0]);
    }
    let names = entries(&described).filter_map(|entry| std::str::from_utf8(entry).ok());
    for path in names.filter_map(path_of).take(UNTRACKED) {
        if let Ok(found) = top.join(path).symlink_metadata() {
            hasher.update(&found.len().to_le_bytes());
            hasher.update(&found.mtime().to_le_bytes());
            hasher.update(&found.mtime_nsec().to_le_bytes());
        }
    }
    Some(Fingerprint {
        name: hasher.finalize().to_hex().to_string(),
        tree: Some(tree),
    })
}

/// What git says of a work tree in one call: entries of the head, and one for each file that is not
/// committed. No project's goals are among them.
fn described(git: &Path, root: &Utf8Path) -> Option<Vec<u8>> {
    let status = [
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "--untracked-files=all",
    ];
    of_work(git, root, &status)
}

fn entries(described: &[u8]) -> impl Iterator<Item = &[u8]> {
    let entries = described.split(|it| *it == 0);
    entries.filter(|entry| !entry.is_empty())
}

/// The commit. Before the first git says `(initial)`.
fn head_of(described: &[u8]) -> Option<String> {
    let head = entries(described).find_map(|it| it.strip_prefix(b"# branch.oid "))?;
    let head = std::str::from_utf8(head).ok()?;
    (!head.starts_with('(')).then(|| head.to_owned())
}

/// The branch. Where none is checked out git says `(detached)`, which no branch can be called.
fn branch_of(described: &[u8]) -> Option<String> {
    let branch = entries(described).find_map(|it| it.strip_prefix(b"# branch.head "))?;
    let branch = std::str::from_utf8(branch).ok()?;
    (!branch.starts_with('(')).then(|| branch.to_owned())
}

/// The path that an entry of `git status --porcelain=v2` names. What stands before it depends on the
/// kind of the entry.
fn path_of(entry: &str) -> Option<&str> {
    let fields = match entry.as_bytes().first()? {
        b'1' => 9,
        b'2' => 10,
        b'u' => 11,
        b'?' => 2,
        _ => return None,
    };
    entry.splitn(fields, ' ').nth(fields - 1)
}

/// What is not committed, as `git status --porcelain` says it.
fn status(git: &Path, root: &Utf8Path) -> Option<Vec<u8>> {
    let status = ["status", "--porcelain=v1", "-z", "--untracked-files=all"];
    ask(git, root, &[&status[..], &WITHOUT_GOALS].concat())
}

/// What git answers of the work in the tree ([`only_work`]).
pub(super) fn of_work(git: &Path, root: &Utf8Path, args: &[&str]) -> Option<Vec<u8>> {
    let only_work = only_work(root);
    let only_work = only_work.iter().map(String::as_str);
    ask(
        git,
        root,
        &args.iter().copied().chain(only_work).collect::<Vec<_>>(),
    )
}

/// What git answers on stdout; nothing where it fails or takes too long.
pub(super) fn ask(git: &Path, root: &Utf8Path, args: &[&str]) -> Option<Vec<u8>> {
    let mut child = git::command(git, root)?
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let (sender, answer) = mpsc::channel::<io::Result<Vec<u8>>>();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes).map(|_| bytes);
        // Nobody waits any more after the time is over.
        let _ = sender.send(read);
    });
    let answered = answer.recv_timeout(PATIENCE);
    if answered.is_err() {
        // It may have ended just now.
        let _ = child.kill();
    }
    let ended = child.wait().ok()?;
    answered.ok()?.ok().filter(|_| ended.success())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_work_tree_tells_its_head_and_what_is_not_committed() {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap();
        let program = Path::new("git");
        // A repository that is gone, and not one above the temporary directory.
        fs::write(root.join(".git"), "gitdir: gone").unwrap();
        assert_eq!(read(program, root), None);
        fs::remove_file(root.join(".git")).unwrap();
        let run = |args: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let ran = Command::new("git")
                .args(identity)
                .arg("-C")
                .arg(root)
                .args(args)
                .output();
            assert!(ran.unwrap().status.success(), "{args:?}");
        };
        run(&["init", "-q"]);
        run(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        let none = WorkTree {
            head: None,
            branch: Some("main".into()),
            dirty: false,
            unmerged: false,
            name: None,
        };
        assert_eq!(read(program, root), Some(none));
        fs::write(root.join("a"), "one").unwrap();
        run(&["add", "a"]);
        run(&["commit", "-qm", "one"]);
        let clean = read(program, root).unwrap();
        assert!(clean.head.as_ref().is_some_and(|head| head.len() == 40) && !clean.dirty);
        // The ledger is no part of the work.
        fs::create_dir_all(root.join(".pi/goals")).unwrap();
        fs::write(root.join(".pi/goals/goal_events.jsonl"), "{}\n").unwrap();
        assert_eq!(read(program, root), Some(clean.clone()));
        let mut seen = vec![digest(program, root).unwrap()];
        for (name, text) in [("a", "two"), ("b", "new"), ("b", "other"), ("ä ö", "x")] {
            fs::write(root.join(name), text).unwrap();
            let now = read(program, root).unwrap();
            assert!(now.dirty && now.head == clean.head);
            let digest = digest(program, root).unwrap();
            assert!(!seen.contains(&digest), "{name} {text}");
            seen.push(digest);
        }
        assert_eq!(read(Path::new("/nowhere/git"), root), None);
    }

    #[test]
    fn a_fingerprint_changes_with_every_file_and_commit_and_with_nothing_else() {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap();
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let mut git = Command::new("git");
            let ran = git.args(identity).arg("-C").arg(root).args(args).output();
            assert!(ran.unwrap().status.success(), "{args:?}");
        };
        let look = || fingerprint(Path::new("git"), root).unwrap();
        git(&["init", "-q"]);
        assert_eq!(look().head(), None);
        fs::write(root.join(".gitignore"), "ignored\n").unwrap();
        fs::write(root.join("kept"), "one").unwrap();
        fs::write(root.join("with space"), "one").unwrap();
        let mut seen = vec![look()];
        let mut differs = |what: &str| {
            let now = look();
            assert!(!seen.contains(&now), "{what}");
            assert_eq!(look(), now, "{what}");
            seen.push(now);
        };
        git(&["add", "."]);
        git(&["commit", "-qm", "one"]);
        differs("a commit");
        fs::remove_file(root.join("kept")).unwrap();
        differs("a file that is gone");
        git(&["checkout", "-q", "kept"]);
        fs::write(root.join("with space"), "more").unwrap();
        differs("a changed file");
        git(&["mv", "with space", "moved too"]);
        differs("a renamed file");
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/ü"), "").unwrap();
        differs("a new file");
        let now = look();
        git(&["checkout", "-q", "-b", "other"]);
        fs::write(root.join("ignored"), "x").unwrap();
        fs::create_dir_all(root.join("sub/.pi/goals")).unwrap();
        fs::write(root.join("sub/.pi/goals/goal_events.jsonl"), "{}").unwrap();
        assert_eq!(look(), now);
        // Seen from below the top, all of it counts.
        assert_eq!(fingerprint(Path::new("git"), &root.join("sub")), Some(now));
    }
}
